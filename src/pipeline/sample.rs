//! `--sample 1/N`: a fixed share of all sites, the same ones in every crawl.
//!
//! The rule is a promise that never changes: a capture is kept when the 64-bit XXH3 hash, seed 0, of its site is a
//! multiple of N. The site is the registered domain, else the host, in lower case and punycode as the tables have it. So
//! all hosts of a domain stay together, `1/100` and `1/1000` are nested, and anybody can repeat it elsewhere.
//!
//! A capture without a host (its URL is none) has the empty site, which is hashed like any other: all of them are kept
//! or none, by N.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use xxhash_rust::xxh3::xxh3_64;

/// Which sites are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Sample {
    one_in: NonZeroU32,
}

impl Sample {
    /// Keeps everything.
    pub const ALL: Sample = Sample { one_in: NonZeroU32::MIN };

    /// Whether the captures of this site are kept; both names in lower case and punycode.
    pub fn keeps(self, registered_domain: Option<&str>, host: &str) -> bool {
        self.one_in == NonZeroU32::MIN
            || xxh3_64(registered_domain.unwrap_or(host).as_bytes()).is_multiple_of(u64::from(self.one_in.get()))
    }
}

/// Why a text is no sample.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no sample; write 1/N, such as 1/100")]
pub struct SampleError(String);

/// Reads `1/N`.
pub fn parse(text: &str) -> Result<Sample, SampleError> {
    let one_in = text.trim().strip_prefix("1/").filter(|n| n.bytes().all(|b| b.is_ascii_digit()));
    match one_in.map(str::parse) {
        Some(Ok(one_in)) => Ok(Sample { one_in }),
        _ => Err(SampleError(text.to_owned())),
    }
}

impl FromStr for Sample {
    type Err = SampleError;

    fn from_str(text: &str) -> Result<Sample, SampleError> {
        parse(text)
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1/{}", self.one_in)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_shown() {
        for text in ["1/1", "1/100", "1/4294967295"] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        for text in ["", "1", "1/", "1/0", "2/100", "1/-3", "1/+3", "1/1e3", "0.01", "1/4294967296", "1/100x"] {
            assert_eq!(
                parse(text).unwrap_err().to_string(),
                format!("`{text}` is no sample; write 1/N, such as 1/100")
            );
        }
    }

    /// These hashes are what was promised; a failure here means that samples of different crawls no longer match.
    #[test]
    fn the_hashes_never_change() {
        for (site, hash) in HASHES {
            assert_eq!(xxh3_64(site.as_bytes()), *hash, "{site}");
            for one_in in [1, 2, 7, 100] {
                let sample = parse(&format!("1/{one_in}")).unwrap();
                assert_eq!(sample.keeps(Some(site), "www.other.test"), hash % one_in == 0, "{site} 1/{one_in}");
                assert_eq!(sample.keeps(None, site), hash % one_in == 0, "{site} 1/{one_in}");
            }
        }
    }

    #[test]
    fn the_share_is_about_right_and_samples_are_nested() {
        let (hundred, thousand) = (parse("1/100").unwrap(), parse("1/1000").unwrap());
        let sites: Vec<String> = (0..100_000).map(|i| format!("site-{i}.example")).collect();
        let kept = |sample: Sample| sites.iter().filter(|site| sample.keeps(None, site)).collect::<Vec<_>>();
        assert!((900..1_100).contains(&kept(hundred).len()), "{}", kept(hundred).len());
        assert!(kept(thousand).iter().all(|site| hundred.keeps(Some(site), "")));
        assert!(sites.iter().all(|site| Sample::ALL.keeps(None, site)));
    }

    /// From another implementation of XXH3.
    const HASHES: &[(&str, u64)] = &[
        ("", 3_244_421_341_483_603_138),
        ("example.com", 10_044_734_154_400_447_347),
        ("example.org", 4_627_260_942_063_550_277),
        ("bbc.co.uk", 4_124_656_305_252_836_020),
        ("192.0.2.1", 15_416_733_158_586_102_224),
        ("localhost", 1_590_832_054_984_635_747),
        ("xn--bcher-kva.example", 7_444_904_343_026_082_982),
        ("commoncrawl.org", 4_546_156_627_353_525_335),
        ("wikipedia.org", 10_126_080_917_706_876_631),
        ("a-registered-domain-whose-name-is-long-enough-for-the-next-branch.example", 17_567_743_064_321_888_854),
        ("site-3.example", 10_282_823_123_080_840_400),
        ("site-388.example", 16_820_878_542_917_473_400),
    ];
}
