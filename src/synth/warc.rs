//! WARC files as Common Crawl writes them: a warcinfo record, then a request and a response a fetch, each in a gzip
//! member of its own.
//!
//! Records go through [`warc::WarcWriter::write_raw`]. Its header is a map, which would put the fields in an order that
//! changes from run to run, spell them in lower case and lose repeated ones (`WARC-Protocol`). So the map gets one
//! entry, the first field, whose value carries the lines of all the others; what the writer makes of it is exactly
//! the head wanted. The crate's gzip side makes one member a file, so members are packed here.

use super::calendar::Moment;
use super::exchange::{Exchange, Transport, request};
use super::rng::Rng;
use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use sha1::{Digest, Sha1};
use std::collections::HashMap;
use std::io::{self, Write};
use warc::{RawRecordHeader, WarcHeader, WarcWriter};

/// Packs gzip members, the same bytes on every machine: no name, no time, no operating system in the header.
///
/// Making the code tables of a member takes longer than finding its matches when it is as short as a request; those
/// are packed at the level that does without.
pub(super) struct Packer {
    usual: Compress,
    short: Compress,
}

/// Records up to this length are short.
const SHORT: usize = 1_200;

impl Packer {
    /// A packer.
    pub(super) fn new() -> Packer {
        let at_level = |level| Compress::new(Compression::new(level), false);
        Packer { usual: at_level(2), short: at_level(1) }
    }

    /// Writes `data` as one gzip member (RFC 1952) and returns its length.
    pub(super) fn member(&mut self, data: &[u8], out: &mut Vec<u8>) -> io::Result<usize> {
        let from = out.len();
        out.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0]);
        let packer = if data.len() <= SHORT { &mut self.short } else { &mut self.usual };
        packer.reset();
        loop {
            out.reserve((data.len() / 2).max(512));
            let taken = usize::try_from(packer.total_in()).unwrap_or(usize::MAX);
            let rest = data.get(taken..).unwrap_or_default();
            if packer.compress_vec(rest, out, FlushCompress::Finish).map_err(io::Error::other)? == Status::StreamEnd {
                break;
            }
        }
        let mut sum = Crc::new();
        sum.update(data);
        out.extend_from_slice(&sum.sum().to_le_bytes());
        out.extend_from_slice(&sum.amount().to_le_bytes());
        Ok(out.len() - from)
    }
}

/// A WARC file being written.
pub(super) struct WarcFile<W> {
    out: W,
    rng: Rng,
    info: String,
    packed: Vec<u8>,
    raw: Vec<u8>,
}

impl<W: Write> WarcFile<W> {
    /// Begins a file of `crawl` called `name` with its warcinfo record.
    pub(super) fn begin(
        out: W,
        packer: &mut Packer,
        mut rng: Rng,
        crawl: &str,
        name: &str,
        time: i64,
    ) -> io::Result<WarcFile<W>> {
        let info = record_id(&mut rng);
        let mut file = WarcFile { out, rng, info, packed: Vec::new(), raw: Vec::new() };
        let block = format!(
            "isPartOf: {crawl}\r\npublisher: made up for tests and trials\r\ndescription: no page of the real web is in here\r\n\
             software: robocensus synth, generator {}\r\nformat: WARC File Format 1.1\r\n",
            super::GENERATOR
        );
        let mut head = Fields::new("warcinfo", time, &file.info, block.len(), "application/warc-fields");
        head.add("WARC-Filename", name);
        head.add("WARC-Block-Digest", &digest(block.as_bytes()));
        file.record(packer, head, block.as_bytes())?;
        Ok(file)
    }

    /// Adds a request and its response.
    pub(super) fn put(&mut self, packer: &mut Packer, exchange: &Exchange) -> io::Result<()> {
        let asked = request(&exchange.url);
        let (request_id, response_id) = (record_id(&mut self.rng), record_id(&mut self.rng));
        let mut head =
            Fields::new("request", exchange.time, &request_id, asked.len(), "application/http; msgtype=request");
        head.add("WARC-Warcinfo-ID", &self.info);
        head.connection(exchange);
        head.add("WARC-Payload-Digest", &digest(b""));
        head.add("WARC-Block-Digest", &digest(&asked));
        self.record(packer, head, &asked)?;

        let mut block = Vec::with_capacity(exchange.head.len() + exchange.body.len());
        block.extend_from_slice(&exchange.head);
        block.extend_from_slice(&exchange.body);
        let mut head =
            Fields::new("response", exchange.time, &response_id, block.len(), "application/http; msgtype=response");
        head.add("WARC-Warcinfo-ID", &self.info);
        head.add("WARC-Concurrent-To", &request_id);
        head.connection(exchange);
        head.add("WARC-Payload-Digest", &digest(&exchange.body));
        head.add("WARC-Block-Digest", &digest(&block));
        if let Some(why) = exchange.truncated {
            head.add("WARC-Truncated", why);
        }
        if let Some(kind) = payload_type(&exchange.body) {
            head.add("WARC-Identified-Payload-Type", kind);
        }
        self.record(packer, head, &block)
    }

    /// Ends the file and gives back what it was written to.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&self.packed)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn record(&mut self, packer: &mut Packer, head: Fields, block: &[u8]) -> io::Result<()> {
        self.raw.clear();
        let first = WarcHeader::Unknown("WARC-Type".to_owned());
        let header = RawRecordHeader { version: "1.0".to_owned(), headers: HashMap::from([(first, head.0)]) };
        WarcWriter::new(&mut self.raw).write_raw(header, &block)?;
        packer.member(&self.raw, &mut self.packed)?;
        if self.packed.len() > 1 << 17 {
            self.out.write_all(&self.packed)?;
            self.packed.clear();
        }
        Ok(())
    }
}

/// The value of `WARC-Type` and, after it, the lines of all other fields in Common Crawl's order.
struct Fields(Vec<u8>);

impl Fields {
    fn new(kind: &str, time: i64, id: &str, length: usize, content_type: &str) -> Fields {
        let mut fields = Fields(Vec::with_capacity(768));
        fields.0.extend_from_slice(kind.as_bytes());
        fields.add("WARC-Date", &Moment::new(time).iso());
        fields.add("WARC-Record-ID", id);
        fields.add("Content-Length", &length.to_string());
        fields.add("Content-Type", content_type);
        fields
    }

    fn add(&mut self, name: &str, value: &str) {
        for part in ["\r\n", name, ": ", value] {
            self.0.extend_from_slice(part.as_bytes());
        }
    }

    fn connection(&mut self, exchange: &Exchange) {
        self.add("WARC-IP-Address", &exchange.peer);
        self.add("WARC-Target-URI", &exchange.url);
        let (protocols, cipher): (&[&str], _) = match exchange.transport {
            Transport::Plain => (&["http/1.1"], None),
            Transport::Tls => (&["http/1.1", "tls/1.2"], Some("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")),
            Transport::H2 => (&["h2", "tls/1.3"], Some("TLS_AES_128_GCM_SHA256")),
        };
        for protocol in protocols {
            self.add("WARC-Protocol", protocol);
        }
        if let Some(cipher) = cipher {
            self.add("WARC-Cipher-Suite", cipher);
        }
    }
}

fn record_id(rng: &mut Rng) -> String {
    let (high, low) = (rng.bits(), rng.bits());
    format!(
        "<urn:uuid:{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}>",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0x3fff | 0x8000,
        low & 0xffff_ffff_ffff
    )
}

/// `sha1:` and the digest in the base 32 of RFC 4648.
fn digest(data: &[u8]) -> String {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut text = String::with_capacity(37);
    text.push_str("sha1:");
    for five in Sha1::digest(data).chunks(5) {
        let bits = five.iter().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
        for shift in (0..8).rev() {
            text.push(char::from(LETTERS[(bits >> (shift * 5) & 31) as usize]));
        }
    }
    text
}

/// What a detector of content types makes of a body; nothing for an empty one.
fn payload_type(body: &[u8]) -> Option<&'static str> {
    let start = body.get(..512).unwrap_or(body);
    let first = *start.iter().find(|b| !b.is_ascii_whitespace())?;
    Some(if first == b'<' {
        "text/html"
    } else if start.windows(10).any(|w| w.eq_ignore_ascii_case(b"user-agent")) {
        "text/x-robots"
    } else if first == b'{' {
        "application/json"
    } else if start.contains(&0) {
        "application/octet-stream"
    } else {
        "text/plain"
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn digests_are_those_of_the_archive() {
        // The digest that archives give an empty payload.
        assert_eq!(digest(b""), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
    }

    #[test]
    fn members_unpack_whatever_their_size() {
        let mut packer = Packer::new();
        let mut rng = Rng::keyed(1, 1, 1);
        for size in [0, 1, 100, 70_000, 3_000_000] {
            let data: Vec<u8> = (0..size).map(|_| rng.below(if size > 100_000 { 256 } else { 20 }) as u8).collect();
            let mut out = Vec::new();
            let length = packer.member(&data, &mut out).unwrap();
            assert_eq!(length, out.len());
            let mut back = Vec::new();
            flate2::read::GzDecoder::new(&out[..]).read_to_end(&mut back).unwrap();
            assert!(back == data, "{size}");
        }
    }

    #[test]
    fn a_record_has_its_fields_in_order_and_repeats_some() {
        let mut packer = Packer::new();
        let mut file =
            WarcFile::begin(Vec::new(), &mut packer, Rng::keyed(1, 1, 1), "CC-MAIN-2026-43", "a.warc.gz", 0).unwrap();
        let exchange = Exchange {
            url: "https://a.example/robots.txt".to_owned(),
            time: 1_790_000_000,
            status: 200,
            location: None,
            content_type: None,
            head: b"HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n".to_vec(),
            body: b"User-agent: *\n".to_vec(),
            truncated: Some("length"),
            transport: Transport::H2,
            peer: "192.0.2.1".to_owned(),
        };
        file.put(&mut packer, &exchange).unwrap();
        let packed = file.finish().unwrap();
        let mut text = String::new();
        flate2::read::MultiGzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
        let response = &text[text.rfind("WARC/1.0\r\n").unwrap()..];
        let names: Vec<&str> = response
            .split("\r\n")
            .skip(1)
            .take_while(|l| !l.is_empty())
            .map(|l| l.split_once(':').unwrap().0)
            .collect();
        let wanted = "WARC-Type WARC-Date WARC-Record-ID Content-Length Content-Type WARC-Warcinfo-ID WARC-Concurrent-To \
                      WARC-IP-Address WARC-Target-URI WARC-Protocol WARC-Protocol WARC-Cipher-Suite WARC-Payload-Digest \
                      WARC-Block-Digest WARC-Truncated WARC-Identified-Payload-Type";
        assert_eq!(names.join(" "), wanted);
        assert!(response.contains("Content-Length: 53\r\n") && response.ends_with("User-agent: *\n\r\n\r\n"));
        // The crate's own reader takes all three records.
        let records = warc::WarcReader::new(text.as_bytes()).iter_raw_records().filter(Result::is_ok).count();
        assert_eq!(records, 3);
    }
}
