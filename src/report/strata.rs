//! What tells parts of the web apart: top-level domains, ranks, templates; and what weight a host has.

use super::ReportError;
use super::tally::Mix;
use flate2::read::MultiGzDecoder;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// What figures are split by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// The last label of the host; the twenty with most origins, the rest together
    Tld,
    /// The place of the host in the list of --ranks: 1k, 10k, 100k, 1M and the rest
    Rank,
    /// What a crawler is for: figures about agents only
    Purpose,
    /// The template that the text was made from
    Template,
}

impl By {
    /// The word that files and reports use.
    pub const fn as_str(self) -> &'static str {
        match self {
            By::Tld => "tld",
            By::Rank => "rank",
            By::Purpose => "purpose",
            By::Template => "template",
        }
    }
}

/// The stratum that everything is in.
pub const WHOLE: &str = "all";

/// Top-level domains that are strata of their own.
pub const MOST_TLDS: usize = 20;

/// The other top-level domains together.
pub const OTHER_TLD: &str = "(other)";

/// Hosts that are addresses.
pub const NO_TLD: &str = "(address)";

/// Texts in which no template is recognised.
pub const NO_TEMPLATE: &str = "(no template)";

/// Answers without a text.
pub const NO_TEXT: &str = "(no text)";

/// The strata of ranks: name and last rank; each begins where the one before it ends.
pub const RANKS: [(&str, u64); 4] = [("1k", 1_000), ("10k", 10_000), ("100k", 100_000), ("1M", 1_000_000)];

/// The stratum of all further ranks and of hosts that have none.
pub const REST: &str = "rest";

/// What a file says of hosts or registered domains, found by their names.
#[derive(Debug, Default)]
pub struct Hosts<V> {
    values: HashMap<u64, V, Mix>,
}

impl<V: Copy> Hosts<V> {
    /// What the file says of this host itself.
    pub fn get(&self, host: &str) -> Option<V> {
        self.values.get(&xxh3_64(host.as_bytes())).copied()
    }

    /// How many hosts the file names.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether the file names none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// How a file of ranks is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankFormat {
    /// `rank,domain`, as Tranco has it.
    Tranco,
    /// Common Crawl's host or domain ranks: tab-separated, the rank first, the name reversed in the fifth column.
    CommonCrawl,
}

/// Ranks of hosts or registered domains, as the number of their stratum in [`RANKS`]; what lies beyond is left out.
#[derive(Debug)]
pub struct Ranks {
    /// The strata.
    pub hosts: Hosts<u8>,
    /// How the file is written.
    pub format: RankFormat,
}

impl Ranks {
    /// Reads Tranco's CSV (`rank,domain`) or Common Crawl's ranks (tabs; reversed names), as they are or with gzip.
    pub fn read(path: &Path) -> Result<Ranks, ReportError> {
        let mut hosts = Hosts::default();
        let mut format = None;
        each_line(path, |line| {
            if line.starts_with('#') {
                return Ok(());
            }
            let (rank, name, found) = if line.contains('\t') {
                let mut columns = line.split('\t');
                let rank = columns.next().unwrap_or_default();
                (rank, columns.nth(3).map(reversed), RankFormat::CommonCrawl)
            } else {
                let (rank, name) = line.split_once(',').unwrap_or((line, ""));
                (rank, Some(name.trim().to_owned()), RankFormat::Tranco)
            };
            let name = name.filter(|name| !name.is_empty()).ok_or("no rank and host")?;
            let Ok(rank) = rank.trim().parse::<u64>() else {
                // A heading, as some lists have.
                return if format.is_none() && hosts.is_empty() { Ok(()) } else { Err("the rank is no number") };
            };
            format.get_or_insert(found);
            if let Some(stratum) = RANKS.iter().position(|(_, last)| rank <= *last) {
                let stratum = stratum as u8;
                let kept = hosts.values.entry(xxh3_64(name.to_ascii_lowercase().as_bytes())).or_insert(stratum);
                *kept = stratum.min(*kept);
            }
            Ok(())
        })?;
        let format = format
            .ok_or_else(|| ReportError::Empty { path: path.to_owned(), what: "ranks; write `rank,domain` lines" })?;
        Ok(Ranks { hosts, format })
    }

    /// The stratum of a host: its own rank or that of its registered domain, whichever is better.
    pub fn stratum(&self, host: &str, site: Option<&str>) -> u8 {
        let own = self.hosts.get(host);
        let domain = site.and_then(|site| self.hosts.get(site));
        own.into_iter().chain(domain).min().unwrap_or(RANKS.len() as u8)
    }
}

/// `com.example.www` as `www.example.com`.
fn reversed(name: &str) -> String {
    let labels: Vec<&str> = name.trim().split('.').rev().collect();
    labels.join(".")
}

/// Reads `host,weight` lines: whole numbers, such as pages or tokens. A host that is named twice has the sum.
pub fn read_weights(path: &Path) -> Result<Hosts<u64>, ReportError> {
    let mut hosts: Hosts<u64> = Hosts::default();
    let mut lines = 0;
    each_line(path, |line| {
        lines += 1;
        let (host, weight) = line.rsplit_once([',', '\t']).ok_or("no host and weight; write `host,weight`")?;
        let Ok(weight) = weight.trim().parse::<u64>() else {
            return if lines == 1 { Ok(()) } else { Err("the weight is no whole number from 0 on") };
        };
        // Sums of these stay exact in every engine.
        if weight > 1 << 50 {
            return Err("the weight is more than 2^50");
        }
        let sum = hosts.values.entry(xxh3_64(host.trim().to_ascii_lowercase().as_bytes())).or_insert(0);
        *sum = sum.saturating_add(weight);
        Ok(())
    })?;
    if hosts.is_empty() {
        return Err(ReportError::Empty { path: path.to_owned(), what: "weights; write `host,weight` lines" });
    }
    Ok(hosts)
}

/// Longest line that such a file has.
const MOST_LINE: u64 = 64 << 10;

fn each_line(path: &Path, mut each: impl FnMut(&str) -> Result<(), &'static str>) -> Result<(), ReportError> {
    let io = |source| ReportError::Io { path: path.to_owned(), source };
    let mut magic = [0; 2];
    let is_gzip = File::open(path).map_err(io)?.read_exact(&mut magic).is_ok() && magic == [0x1f, 0x8b];
    let file = File::open(path).map_err(io)?;
    let plain: Box<dyn Read> = if is_gzip { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut reader = BufReader::with_capacity(1 << 20, plain);
    let (mut line, mut number) = (Vec::new(), 0);
    let wrong = |line, detail: &str| ReportError::Line { path: PathBuf::from(path), line, detail: detail.to_owned() };
    loop {
        line.clear();
        number += 1;
        if reader.by_ref().take(MOST_LINE).read_until(b'\n', &mut line).map_err(io)? == 0 {
            return Ok(());
        }
        let text = std::str::from_utf8(&line).map_err(|_| wrong(number, "not UTF-8"))?;
        let text = text.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']);
        if !text.trim().is_empty() {
            each(text).map_err(|detail| wrong(number, detail))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(text: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text).unwrap();
        file
    }

    #[test]
    fn both_lists_of_ranks_are_read() {
        let tranco = file(b"1,example.com\r\n1000,a.test\n1001,B.test\n1000001,far.test\n");
        let ranks = Ranks::read(tranco.path()).unwrap();
        assert_eq!(ranks.format, RankFormat::Tranco);
        let of = |host, site| ranks.stratum(host, site);
        assert_eq!(of("www.example.com", Some("example.com")), 0);
        assert_eq!((of("a.test", None), of("b.test", None), of("far.test", None), of("no.test", None)), (0, 1, 4, 4));

        let text = "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\n1\t3.4E7\t5\t0.01\tcom.facebook.www\n\
            20000\t1.0\t6\t0.1\torg.example\n";
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        let ranks = Ranks::read(file(&gzip.finish().unwrap()).path()).unwrap();
        assert_eq!(ranks.format, RankFormat::CommonCrawl);
        assert_eq!(ranks.stratum("www.facebook.com", None), 0);
        assert_eq!(ranks.stratum("sub.example.org", Some("example.org")), 2);
    }

    #[test]
    fn weights_are_whole_numbers_and_errors_name_the_line() {
        let weights = read_weights(file(b"host,weight\nexample.com,5\nEXAMPLE.com, 7\n\na.test,0\n").path()).unwrap();
        assert_eq!(
            (weights.get("example.com"), weights.get("a.test"), weights.get("b.test")),
            (Some(12), Some(0), None)
        );
        for (text, expected) in [
            ("example.com,5\nb.test,1.5\n", "line 2: the weight is no whole number"),
            ("example.com 5\n", "line 1: no host and weight"),
            ("", "holds no weights"),
        ] {
            let error = read_weights(file(text.as_bytes()).path()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let error = Ranks::read(file(b"1,a.test\nx,b.test\n").path()).unwrap_err().to_string();
        assert!(error.contains("line 2: the rank is no number"), "{error}");
    }
}
