//! The reader over archives made here, byte by byte, and over the collected ones where they are at hand.

use super::*;
use crate::capture::{Place, Repair};
use flate2::write::{GzEncoder, ZlibEncoder};
use flate2::{Compression, read::DeflateEncoder};
use std::io::Write;

/// A capture with everything owned.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    place: Place,
    url: String,
    time: Option<i64>,
    status: Option<i16>,
    location: Option<String>,
    content_type: Option<String>,
    cache_control: Option<String>,
    digest: Option<String>,
    truncated: Option<String>,
    body: Vec<u8>,
    total: u64,
    repaired: Vec<&'static str>,
}

/// A sink that keeps everything.
#[derive(Default)]
struct Collect {
    seen: Vec<Seen>,
    problems: Vec<Problem>,
    walked: u64,
    stop_after: Option<usize>,
}

impl Sink for Collect {
    fn capture(&mut self, capture: &Capture<'_>) -> ControlFlow<()> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.seen.push(Seen {
            place: capture.place,
            url: capture.url.to_string(),
            time: capture.fetch_time,
            status: capture.status,
            location: capture.location.map(text),
            content_type: capture.content_type.map(text),
            cache_control: capture.cache_control.as_deref().map(text),
            digest: capture.digest.as_deref().map(str::to_owned),
            truncated: capture.truncated.as_deref().map(str::to_owned),
            body: capture.body.to_vec(),
            total: capture.body_total_bytes,
            repaired: capture.repaired.iter().map(Repair::code).collect(),
        });
        match self.stop_after {
            Some(limit) if self.seen.len() >= limit => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    fn progress(&mut self, bytes: u64) {
        self.walked += bytes;
    }
}

impl Collect {
    fn codes(&self) -> Vec<(&'static str, Option<u64>)> {
        self.problems.iter().map(|problem| (problem.code.code(), problem.offset)).collect()
    }

    fn bodies(&self) -> Vec<&[u8]> {
        self.seen.iter().map(|seen| seen.body.as_slice()).collect()
    }

    fn urls(&self) -> Vec<&str> {
        self.seen.iter().map(|seen| seen.url.as_str()).collect()
    }
}

fn read_all(bytes: &[u8]) -> (Completion, Collect, ReadStats) {
    read_with(bytes, Limits::default(), 0, None)
}

fn read_with(bytes: &[u8], limits: Limits, start: u64, end: Option<u64>) -> (Completion, Collect, ReadStats) {
    let mut reader = WarcReader::new(limits);
    let mut sink = Collect::default();
    let mut source = &bytes[start as usize..];
    let completion = reader.read_from(&mut source, start, end, &mut sink);
    (completion, sink, reader.stats())
}

/// A record whose Content-Length is right.
fn record(kind: &str, headers: &str, block: &[u8]) -> Vec<u8> {
    let mut record = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2026-10-14T20:41:15Z\r\n\
        WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\nContent-Length: {}\r\n{headers}\r\n",
        block.len()
    )
    .into_bytes();
    record.extend_from_slice(block);
    record.extend_from_slice(b"\r\n\r\n");
    record
}

fn response(url: &str, http: &[u8]) -> Vec<u8> {
    let headers = format!("Content-Type: application/http; msgtype=response\r\nWARC-Target-URI: {url}\r\n");
    record("response", &headers, http)
}

fn ok(url: &str, body: &str) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n", body.len());
    response(url, &[head.as_bytes(), body.as_bytes()].concat())
}

fn request(url: &str) -> Vec<u8> {
    let headers = format!("Content-Type: application/http; msgtype=request\r\nWARC-Target-URI: {url}\r\n");
    record("request", &headers, b"GET /robots.txt HTTP/1.1\r\nHost: a.example\r\n\r\n")
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn zlib(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(content: &[u8]) -> Vec<u8> {
    let mut deflated = Vec::new();
    DeflateEncoder::new(content, Compression::default()).read_to_end(&mut deflated).unwrap();
    deflated
}

fn zstd(content: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(content, 3).unwrap()
}

/// Bytes that do not compress, the same every time.
fn noise(bytes: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    (0..bytes)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        })
        .collect()
}

fn printable(bytes: usize, seed: u64) -> String {
    noise(bytes, seed).into_iter().map(|b| char::from(b'a' + b % 26)).collect()
}

/// Requests and responses in turn; the body of each response names it.
fn crawl(pairs: usize) -> Vec<Vec<u8>> {
    let mut records = vec![record("warcinfo", "Content-Type: application/warc-fields\r\n", b"software: a test\r\n")];
    for number in 0..pairs {
        let url = format!("https://h{number}.example/robots.txt");
        records.push(request(&url));
        let body = format!("User-agent: *\nDisallow: /{number}/{}\n", printable(number % 97 * 7, number as u64 + 1));
        records.push(ok(&url, &body));
    }
    records
}

fn members(records: &[Vec<u8>]) -> Vec<u8> {
    records.iter().flat_map(|record| gzip(record)).collect()
}

#[test]
fn every_field_of_a_capture_comes_through() {
    let http = b"HTTP/1.1 301 Moved\r\nlocation:  https://b.example/robots.txt \r\nLocation: /second\r\n\
        Content-Type: text/html; charset=utf-8\r\nCache-Control: max-age=60\r\ncache-control: public\r\n\
        X-Crawler-Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nbody";
    let headers = "Content-Type: application/http; msgtype=response\r\nWARC-Target-URI: http://a.example/robots.txt\r\n\
        WARC-Payload-Digest: sha1:UV4UXQMIEWSJBZW4OFJ3UD2IH4ANDWK3\r\nWARC-Truncated: length\r\n";
    let head = gzip(&record("warcinfo", "", b"x: y\r\n"));
    let member = gzip(&record("response", headers, http));
    let (completion, sink, stats) = read_all(&[head.clone(), member.clone()].concat());
    assert_eq!(completion, Completion::Complete);
    assert_eq!(stats, ReadStats { records: 2, responses: 1, captures: 1 });
    assert_eq!(sink.problems, []);
    assert_eq!(sink.walked, (head.len() + member.len()) as u64);
    let expected = Seen {
        place: Place { offset: Some(head.len() as u64), length: Some(member.len() as u64), ..Place::default() },
        url: "http://a.example/robots.txt".into(),
        time: Some(1_792_010_475_000_000),
        status: Some(301),
        location: Some("https://b.example/robots.txt".into()),
        content_type: Some("text/html; charset=utf-8".into()),
        cache_control: Some("max-age=60, public".into()),
        digest: Some("UV4UXQMIEWSJBZW4OFJ3UD2IH4ANDWK3".into()),
        truncated: Some("length".into()),
        body: b"body".to_vec(),
        total: 4,
        repaired: vec![],
    };
    assert_eq!(sink.seen, [expected]);
}

#[test]
fn every_packing_gives_the_same_captures() {
    let records = crawl(40);
    let plain = records.concat();
    let reference = read_all(&members(&records)).1;
    assert_eq!(reference.seen.len(), 40);
    assert!(reference.seen.iter().all(|seen| seen.repaired.is_empty()), "{:?}", reference.seen[0]);

    let frames: Vec<u8> = records.iter().flat_map(|record| zstd(record)).collect();
    let skippable = [&[0x51, 0x2a, 0x4d, 0x18, 5, 0, 0, 0][..], b"hello"].concat();
    let with_skippable: Vec<u8> =
        records.iter().flat_map(|record| [skippable.clone(), zstd(record)].concat()).collect();
    let pairs: Vec<u8> = records.chunks(2).flat_map(|pair| gzip(&pair.concat())).collect();
    let blocks: Vec<u8> = plain.chunks(1000).flat_map(gzip).collect();
    let empty_between: Vec<u8> =
        records.iter().flat_map(|record| [gzip(b""), gzip(record), gzip(b"")].concat()).collect();
    for (name, bytes) in [
        ("plain", plain.clone()),
        ("one member", gzip(&plain)),
        ("frames", frames),
        ("skippable frames", with_skippable),
        ("one frame", zstd(&plain)),
        ("two records a member", pairs),
        ("members cut anywhere", blocks),
        ("empty members", empty_between),
        ("one byte a member", plain.chunks(1).take(3000).flat_map(gzip).collect()),
    ] {
        let (completion, sink, stats) = read_all(&bytes);
        if name == "one byte a member" {
            assert_eq!(completion, Completion::Complete, "{name}");
            assert_eq!(sink.bodies()[..2], reference.bodies()[..2], "{name}");
            continue;
        }
        assert_eq!(completion, Completion::Complete, "{name}");
        assert_eq!(sink.problems, [], "{name}");
        assert_eq!(sink.urls(), reference.urls(), "{name}");
        assert_eq!(sink.bodies(), reference.bodies(), "{name}");
        assert_eq!(stats.records, 81, "{name}");
        assert_eq!(sink.walked, bytes.len() as u64, "{name}");
        for (number, seen) in sink.seen.iter().enumerate() {
            match (seen.place.offset, seen.place.length, seen.place.record_number) {
                (Some(offset), Some(length), None) => {
                    // What the place says, alone, gives the capture again.
                    let alone = read_all(&bytes[offset as usize..(offset + length) as usize]).1;
                    assert_eq!(alone.bodies(), [seen.body.as_slice()], "{name} {number}");
                }
                (None, None, Some(record)) => assert_eq!(record, 2 * number as u64 + 2, "{name}"),
                other => panic!("{name}: {other:?}"),
            }
        }
        let own = sink.seen.iter().filter(|seen| seen.place.offset.is_some()).count();
        match name {
            "one member" | "one frame" => assert_eq!(own, 0, "{name}"),
            "plain" | "frames" | "skippable frames" | "empty members" => assert_eq!(own, 40, "{name}"),
            _ => {}
        }
    }
}

#[test]
fn a_record_may_be_spread_over_members() {
    let one = ok("http://a.example/robots.txt", "Disallow: /a");
    let two = ok("http://b.example/robots.txt", "Disallow: /b");
    // Head, block and separator each in a member of its own; then a whole record.
    let cut = one.windows(4).position(|w| w == b"\r\n\r\n").unwrap() + 4;
    let end = one.len() - 4;
    let parts = [gzip(&one[..cut]), gzip(&one[cut..cut + 20]), gzip(&one[cut + 20..end])].concat();
    let last = gzip(&[&one[end..], &two].concat());
    let (completion, sink, _) = read_all(&[parts.clone(), last.clone()].concat());
    assert_eq!((completion, sink.codes()), (Completion::Complete, vec![]));
    assert_eq!(sink.bodies(), [b"Disallow: /a", b"Disallow: /b"]);
    assert_eq!(sink.seen[0].repaired, ["record-separator", "split-over-members"]);
    assert_eq!((sink.seen[0].place.offset, sink.seen[0].place.length), (Some(0), Some(parts.len() as u64)));
    assert_eq!(sink.seen[1].repaired, [""; 0]);
    assert_eq!(
        (sink.seen[1].place.offset, sink.seen[1].place.length),
        (Some(parts.len() as u64), Some(last.len() as u64))
    );
}

#[test]
fn wrong_lengths_cost_nothing() {
    let body = "User-agent: *\nDisallow: /private\n\nSitemap: http://a.example/s.xml\n";
    let good = ok("http://b.example/robots.txt", "Allow: /");
    let right = ok("http://a.example/robots.txt", body);
    let text = String::from_utf8(right.clone()).unwrap();
    let stated = text.split("Content-Length: ").nth(1).unwrap().split('\r').next().unwrap();
    let with = |value: &str| text.replacen(&format!("Content-Length: {stated}"), value, 1).into_bytes();
    let number: u64 = stated.parse().unwrap();
    let wrong = [
        (with(&format!("Content-Length: {}", number - 5)), "content-length-wrong"),
        (with(&format!("Content-Length: {}", number + 50)), "content-length-wrong"),
        (with(&format!("Content-Length: {}", number + 5000)), "content-length-wrong"),
        (with("Content-Length: 9223372036854775808"), "content-length-wrong"),
        (with("Content-Length: 99999999999999999999999999"), "content-length-wrong"),
        (with("Content-Length: -7"), "content-length-wrong"),
        (with("Content-Length: many"), "content-length-wrong"),
        (with("Content-Length: 0"), "content-length-wrong"),
        (with("X-Length: 1"), "content-length-missing"),
    ];
    for (bad, repair) in &wrong {
        let name = String::from_utf8_lossy(bad).lines().nth(4).unwrap().to_owned();
        let records = [good.clone(), bad.clone(), good.clone(), good.clone()];
        let reference: Vec<&[u8]> = vec![b"Allow: /", body.as_bytes(), b"Allow: /", b"Allow: /"];
        for (packing, bytes) in
            [("members", members(&records)), ("one member", gzip(&records.concat())), ("plain", records.concat())]
        {
            // Without members a length past everything hides what comes after it, unless a file says how long it is.
            let (completion, sink, _) = read_all(&bytes);
            assert_eq!(completion, Completion::Complete, "{packing} {name}");
            assert_eq!(sink.codes(), [], "{packing} {name}");
            assert_eq!(sink.bodies(), reference, "{packing} {name}");
            assert_eq!(sink.seen[1].repaired, [*repair], "{packing} {name}");
            assert!(sink.seen[0].repaired.is_empty() && sink.seen[2].repaired.is_empty(), "{packing} {name}");
        }
        // As the last record of members.
        let (completion, sink, _) = read_all(&members(&[good.clone(), bad.clone()]));
        assert_eq!((completion, sink.codes()), (Completion::Complete, vec![]), "{name}");
        assert_eq!(sink.bodies()[1], body.as_bytes(), "{name}");
    }
}

#[test]
fn separators_may_be_missing_or_more() {
    let trim = |record: Vec<u8>| record[..record.len() - 4].to_vec();
    for (separator, repaired) in
        [("", true), ("\r\n", true), ("\r\n\r\n", false), ("\n\n", true), ("\r\n\r\n\r\n\r\n", true)]
    {
        let records: Vec<Vec<u8>> = (0..3)
            .map(|n| [trim(ok(&format!("http://h{n}.example/"), "Allow: /")), separator.into()].concat())
            .collect();
        for bytes in [members(&records), gzip(&records.concat()), records.concat()] {
            let (completion, sink, _) = read_all(&bytes);
            assert_eq!((completion, sink.codes()), (Completion::Complete, vec![]), "{separator:?}");
            assert_eq!(sink.bodies(), [b"Allow: /"; 3], "{separator:?}");
            assert_eq!(sink.seen[1].repaired == ["record-separator"], repaired, "{separator:?}");
        }
    }
}

#[test]
fn heads_of_line_feeds_and_odd_uris_and_dates() {
    let record = b"WARC/0.18\nwarc-type: RESPONSE\nWarc-Target-Uri: <http://a.example/a b\xff>\nwarc-date: 2016-01\n\
        content-type: application/http;msgtype=response\ncontent-length: 38\n\nHTTP/1.1 200 OK\nServer: x\n\nDisallow: /";
    let bytes = [&record[..], b"\n\n"].concat();
    let (completion, sink, _) = read_all(&gzip(&bytes));
    assert_eq!((completion, sink.codes()), (Completion::Complete, vec![]));
    let seen = &sink.seen[0];
    assert_eq!((seen.url.as_str(), seen.time), ("http://a.example/a b\u{fffd}", Some(1_451_606_400_000_000)));
    assert_eq!(seen.body, b"Disallow: /");
    assert_eq!(
        seen.repaired,
        ["lf-head", "record-separator", "bracketed-uri", "space-in-uri", "url-not-utf8", "date-odd"]
    );
}

#[test]
fn only_http_responses_are_captures() {
    let http = b"HTTP/1.1 200 OK\r\n\r\nAllow: /";
    let with = |kind: &str, content_type: &str, url: &str, block: &[u8]| {
        let content_type =
            if content_type.is_empty() { String::new() } else { format!("Content-Type: {content_type}\r\n") };
        record(kind, &format!("{content_type}WARC-Target-URI: {url}\r\n"), block)
    };
    for (kind, content_type, url, block, captures) in [
        ("response", "application/http; msgtype=response", "http://a.example/", &http[..], 1),
        ("response", "APPLICATION/HTTP", "http://a.example/", http, 1),
        ("response", "", "https://a.example/", http, 1),
        ("response", "text/plain", "HTTPS://a.example/", http, 1),
        ("response", "", "http://a.example/", b"Disallow: /", 1),
        ("response", "text/dns", "dns:a.example", b"20260101\na.example. 1 IN A 192.0.2.1\n", 0),
        ("response", "", "ftp://a.example/robots.txt", b"Disallow: /", 0),
        ("revisit", "application/http; msgtype=response", "http://a.example/", http, 0),
        ("request", "application/http; msgtype=request", "http://a.example/", http, 0),
        ("resource", "text/plain", "http://a.example/robots.txt", b"Disallow: /", 0),
        ("conversion", "text/plain", "http://a.example/", b"x", 0),
        ("continuation", "", "http://a.example/", http, 0),
        ("metadata", "application/warc-fields", "http://a.example/", b"a: b\r\n", 0),
        ("monkeys", "application/http", "http://a.example/", http, 0),
    ] {
        for bytes in [gzip(&with(kind, content_type, url, block)), with(kind, content_type, url, block)] {
            let (completion, sink, stats) = read_all(&bytes);
            assert_eq!((completion, sink.codes()), (Completion::Complete, vec![]));
            assert_eq!(sink.seen.len(), captures, "{kind} {content_type} {url}");
            assert_eq!((stats.records, stats.responses), (1, u64::from(kind == "response")));
        }
    }
    let (_, sink, _) = read_all(&with("response", "", "http://a.example/", b"Disallow: /"));
    assert_eq!((sink.seen[0].status, sink.seen[0].body.as_slice()), (None, &b"Disallow: /"[..]));
    assert_eq!(sink.seen[0].repaired, ["http-head-missing"]);
    let (_, sink, _) = read_all(&record("response", "Content-Type: application/http\r\n", http));
    assert_eq!((sink.seen.len(), sink.codes()), (0, vec![("url-missing", Some(0))]));
}

/// Headers, bytes on the wire, bytes they stand for, repairs.
type Encoding<'a> = (&'a str, Vec<u8>, &'a [u8], &'a [&'a str]);

#[test]
fn encodings_are_undone_where_they_are() {
    let body = "User-agent: *\nDisallow: /private/\n".repeat(20).into_bytes();
    let chunked = |data: &[u8]| {
        let mut chunks = Vec::new();
        for chunk in data.chunks(100) {
            chunks.extend_from_slice(format!("{:x};name=value\r\n", chunk.len()).as_bytes());
            chunks.extend_from_slice(chunk);
            chunks.extend_from_slice(b"\r\n");
        }
        chunks.extend_from_slice(b"0\r\nTrailer: x\r\n\r\n");
        chunks
    };
    let brotli = BROTLI.to_vec();
    let half = |data: &[u8]| data[..data.len() / 2].to_vec();
    let cases: Vec<Encoding<'_>> = vec![
        ("Transfer-Encoding: chunked", chunked(&body), &body, &[]),
        ("transfer-encoding: Chunked", chunked(&body), &body, &[]),
        ("Transfer-Encoding: chunked", body.clone(), &body, &["not-chunked"]),
        ("Content-Encoding: gzip", gzip(&body), &body, &[]),
        ("Content-Encoding: x-gzip", gzip(&body), &body, &[]),
        ("Content-Encoding: GZIP", [gzip(&body), b"\r\n".to_vec()].concat(), &body, &[]),
        ("Content-Encoding: gzip", [gzip(&body[..100]), gzip(&body[100..])].concat(), &body, &[]),
        ("Content-Encoding: gzip", body.clone(), &body, &["not-encoded"]),
        ("Content-Encoding: gzip, gzip", gzip(&gzip(&body)), &body, &[]),
        ("Content-Encoding: gzip\r\nContent-Encoding: gzip", gzip(&gzip(&body)), &body, &[]),
        ("Content-Encoding: gzip", gzip(&gzip(&body)), &body, &["encoded-twice"]),
        ("Content-Encoding: deflate", zlib(&body), &body, &[]),
        ("Content-Encoding: deflate", raw_deflate(&body), &body, &[]),
        ("Content-Encoding: deflate", body.clone(), &body, &["not-encoded"]),
        ("Content-Encoding: br", brotli, b"User-agent: *\nDisallow: /\n", &[]),
        ("Content-Encoding: br", body.clone(), &body, &["not-encoded"]),
        ("Content-Encoding: zstd", zstd(&body), &body, &[]),
        ("Content-Encoding: zstd", body.clone(), &body, &["not-encoded"]),
        ("Content-Encoding: identity", body.clone(), &body, &[]),
        ("Content-Encoding: utf-8", body.clone(), &body, &["encoding-unknown"]),
        ("Content-Encoding: deflate, gzip", gzip(&zlib(&body)), &body, &[]),
        ("Transfer-Encoding: gzip, chunked", chunked(&gzip(&body)), &body, &[]),
        ("Transfer-Encoding: chunked\r\nContent-Encoding: gzip", chunked(&gzip(&body)), &body, &[]),
        ("Transfer-Encoding: chunked\r\nContent-Encoding: gzip", body.clone(), &body, &["not-chunked", "not-encoded"]),
        ("X-Crawler-Content-Encoding: gzip\r\nX-Crawler-Transfer-Encoding: chunked", body.clone(), &body, &[]),
        ("Content-Encoding: gzip", Vec::new(), b"", &[]),
        ("Transfer-Encoding: chunked", b"ffffffffffffffff\r\nabc".to_vec(), b"abc", &["chunks-broken"]),
        ("Transfer-Encoding: chunked", b"3\r\nabc\r\n5\r\nde".to_vec(), b"abcde", &["chunks-broken"]),
        ("Transfer-Encoding: chunked", b"3\nabc\n0\n\n".to_vec(), b"abc", &[]),
        (
            "Transfer-Encoding: chunked",
            b"fffffffffffffffff\r\nabc".to_vec(),
            b"fffffffffffffffff\r\nabc",
            &["not-chunked"],
        ),
    ];
    for (number, (headers, wire, expected, repaired)) in cases.iter().enumerate() {
        let block = [format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n").as_bytes(), wire].concat();
        let (completion, sink, _) = read_all(&gzip(&response("http://a.example/robots.txt", &block)));
        assert_eq!((completion, sink.codes()), (Completion::Complete, vec![]));
        let seen = &sink.seen[0];
        assert_eq!(String::from_utf8_lossy(&seen.body), String::from_utf8_lossy(expected), "{number} {headers}");
        assert_eq!(seen.total, expected.len() as u64, "{number} {headers}");
        assert_eq!(seen.repaired, *repaired, "{number} {headers}");
    }
    for (coding, wire) in [("gzip", gzip(&body)), ("deflate", zlib(&body)), ("zstd", zstd(&body))] {
        let noisy = [&body[..], printable(5000, 9).as_bytes()].concat();
        let wire = if coding == "gzip" { half(&gzip(&noisy)) } else { half(&wire) };
        let block = [format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n").as_bytes(), &wire].concat();
        let (_, sink, _) = read_all(&response("http://a.example/robots.txt", &block));
        assert_eq!(sink.seen[0].repaired, ["encoding-broken"], "{coding}");
        assert!(noisy.starts_with(&sink.seen[0].body), "{coding}");
    }
}

/// `User-agent: *\nDisallow: /\n` as one uncompressed brotli metablock.
const BROTLI: &[u8] = &[
    0x90, 0x01, 0x10, b'U', b's', b'e', b'r', b'-', b'a', b'g', b'e', b'n', b't', b':', b' ', b'*', b'\n', b'D', b'i',
    b's', b'a', b'l', b'l', b'o', b'w', b':', b' ', b'/', b'\n', 0x03,
];

#[test]
fn bodies_are_capped_and_counted() {
    let limits = Limits { body_cap: 1000, head_cap: 4096 };
    let bomb = vec![b'a'; 3_000_000];
    let plain = [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), bomb.clone()].concat();
    let gzipped = [b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec(), gzip(&bomb)].concat();
    let chunk = [format!("{:x}\r\n", bomb.len()).into_bytes(), bomb.clone(), b"\r\n0\r\n\r\n".to_vec()].concat();
    let chunked = [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec(), chunk].concat();
    let after = ok("http://b.example/robots.txt", "Allow: /");
    for (name, block, exact) in [("plain", plain, true), ("gzip", gzipped, true), ("chunked", chunked, false)] {
        let records = [response("http://a.example/robots.txt", &block), after.clone()];
        let packings = [
            members(&records),
            records.concat(),
            gzip(&records.concat()),
            records.iter().flat_map(|r| zstd(r)).collect(),
        ];
        for bytes in packings {
            let (completion, sink, _) = read_with(&bytes, limits, 0, None);
            assert_eq!((completion, sink.codes()), (Completion::Complete, vec![]), "{name}");
            assert_eq!(sink.bodies(), [&bomb[..1000], b"Allow: /"], "{name}");
            assert!(sink.seen[0].repaired.contains(&"body-capped"), "{name}");
            // Chunks that the archive reader itself cut are counted as far as they are known.
            assert!(sink.seen[0].total > 1000 && sink.seen[0].total <= 3_000_000, "{name}");
            assert!(!exact || sink.seen[0].total == 3_000_000, "{name}");
        }
    }
}

#[test]
fn the_extra_line_of_old_crawls_is_dropped_only_where_it_is_sure() {
    let capture = |date: &str, headers: &str, body: &[u8]| {
        let http = [format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes(), body].concat();
        let headers = "Content-Type: application/http\r\nWARC-Target-URI: http://a.example/robots.txt\r\n";
        let bytes = String::from_utf8_lossy(&record("response", headers, &http)).replace("2026-10-14T20:41:15Z", date);
        let sink = read_all(bytes.as_bytes()).1;
        (String::from_utf8(sink.seen[0].body.clone()).unwrap(), sink.seen[0].repaired == ["extra-blank-line"])
    };
    let (old, new) = ("2018-08-14T20:41:15Z", "2026-10-14T20:41:15Z");
    assert_eq!(capture(old, "Content-Length: 8\r\n", b"\r\nAllow: /"), ("Allow: /".into(), true));
    assert_eq!(capture(old, "Content-Length: 10\r\n", b"\r\nAllow: /"), ("\r\nAllow: /".into(), false));
    assert_eq!(capture(old, "", b"\r\nAllow: /"), ("\r\nAllow: /".into(), false));
    assert_eq!(capture(old, "Content-Length: 0\r\n", b"\r\n"), (String::new(), true));
    assert_eq!(capture(old, "", "\r\n\u{feff}Allow: /".as_bytes()), ("\u{feff}Allow: /".into(), true));
    assert_eq!(capture(new, "", "\r\n\u{feff}Allow: /".as_bytes()), ("\r\n\u{feff}Allow: /".into(), false));
}

#[test]
fn a_damaged_member_costs_itself() {
    let records = crawl(10);
    let packed: Vec<Vec<u8>> = records.iter().map(|record| gzip(record)).collect();
    let reference = read_all(&packed.concat()).1;
    let starts: Vec<usize> =
        packed.iter().scan(0, |at, member| Some(std::mem::replace(at, *at + member.len()))).collect();
    // Every byte of the member of the fifth response, each bit that matters for the header.
    let victim = 10;
    for at in 0..packed[victim].len() {
        let mut bytes = packed.concat();
        bytes[starts[victim] + at] ^= 0x10;
        let (completion, sink, _) = read_all(&bytes);
        assert_eq!(completion, Completion::Complete, "{at}");
        let lost: Vec<&str> = reference.urls().into_iter().filter(|url| !sink.urls().contains(url)).collect();
        if sink.problems.is_empty() {
            // Bits that carry no meaning: in the header, and those that fill the last byte of the deflated data.
            assert!(at < 10 || at == packed[victim].len() - 9, "{at}");
            assert_eq!(sink.seen, reference.seen, "{at}");
        } else {
            assert_eq!(lost, [reference.urls()[4]], "{at}");
            assert_eq!(sink.seen.len(), 9, "{at}");
            assert_eq!(sink.problems.len(), 1, "{at} {:?}", sink.problems);
            assert_eq!(sink.problems[0].offset, Some(starts[victim] as u64), "{at}");
            assert!(matches!(sink.codes()[0].0, "member-damaged" | "bytes-skipped"), "{at}");
        }
    }
}

#[test]
fn a_damaged_frame_costs_itself() {
    let records = crawl(10);
    let packed: Vec<Vec<u8>> = records
        .iter()
        .map(|record| {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(record).unwrap();
            encoder.finish().unwrap()
        })
        .collect();
    let reference = read_all(&packed.concat()).1;
    assert_eq!(reference.seen.len(), 10);
    let start: usize = packed[..10].iter().map(Vec::len).sum();
    for at in 0..packed[10].len() {
        let mut bytes = packed.concat();
        bytes[start + at] ^= 0x10;
        let (completion, sink, _) = read_all(&bytes);
        assert_eq!(completion, Completion::Complete, "{at} {:?}", sink.problems);
        if !sink.problems.is_empty() {
            let missing = reference.urls().into_iter().filter(|url| !sink.urls().contains(url)).collect::<Vec<_>>();
            assert_eq!(missing, [reference.urls()[4]], "{at} {:?}", sink.problems);
        }
        assert!(sink.seen.len() >= 9);
    }
}

#[test]
fn junk_between_and_after_members_is_passed_over() {
    let records = crawl(4);
    let packed: Vec<Vec<u8>> = records.iter().map(|record| gzip(record)).collect();
    let reference = read_all(&packed.concat()).1;
    let whole = packed.concat().len() as u64;
    for junk in
        [vec![0u8; 512], b"GARBAGE".to_vec(), noise(20_000, 3), [0x1f, 0x8b, 8].repeat(1000), gzip(b"not a record")]
    {
        let mut between = packed[..5].concat();
        let at = between.len() as u64;
        between.extend_from_slice(&junk);
        between.extend_from_slice(&packed[5..].concat());
        let (completion, sink, _) = read_all(&between);
        assert_eq!((completion, sink.seen.len()), (Completion::Complete, 4));
        assert_eq!(sink.bodies(), reference.bodies());
        assert_eq!((sink.problems.len(), sink.problems[0].offset), (1, Some(at)), "{:?}", sink.problems);

        let (completion, sink, _) = read_all(&[packed.concat(), junk.clone()].concat());
        assert_eq!(completion, Completion::Complete, "{:?}", sink.problems);
        assert_eq!(sink.seen, reference.seen);
        assert_eq!((sink.problems.len(), sink.problems[0].offset), (1, Some(whole)), "{:?}", sink.problems);
    }
    // Damaged first bytes.
    let (completion, sink, _) = read_all(&[b"oops".to_vec(), packed.concat()].concat());
    assert_eq!((completion, sink.codes()), (Completion::Complete, vec![("bytes-skipped", Some(0))]));
    assert_eq!(sink.bodies(), reference.bodies());
}

#[test]
fn a_file_that_was_cut_says_so() {
    let records = crawl(6);
    for (name, bytes) in [
        ("gzip", members(&records)),
        ("zstd", records.iter().flat_map(|record| zstd(record)).collect::<Vec<u8>>()),
        ("plain", records.concat()),
        ("one member", gzip(&records.concat())),
    ] {
        let whole = read_all(&bytes).1;
        let (mut boundaries, mut short) = (0, 0);
        for cut in 1..bytes.len() {
            let (completion, sink, _) = read_all(&bytes[..cut]);
            let (mut bodies, expected) = (sink.bodies(), whole.bodies());
            if sink.seen.last().is_some_and(|last| last.repaired.contains(&"length-short")) {
                // The last response goes as far as the file does.
                let last = bodies.pop().unwrap();
                assert!(expected[bodies.len()].starts_with(last), "{name} {cut}");
                assert_eq!(completion, Completion::Incomplete, "{name} {cut}");
                short += 1;
            }
            assert!(expected.starts_with(&bodies), "{name} {cut}");
            match completion {
                Completion::Complete => {
                    boundaries += 1;
                    assert_eq!(sink.codes(), [], "{name} {cut}");
                }
                Completion::Incomplete => {
                    let code = sink.problems.last().unwrap().code.code();
                    assert_eq!(sink.problems.len(), 1, "{name} {cut} {:?}", sink.problems);
                    assert!(matches!(code, "file-truncated" | "not-a-warc"), "{name} {cut} {:?}", sink.problems);
                }
                Completion::Stopped => panic!("nobody stopped it"),
            }
        }
        // A zstd block gives nothing before it is whole, and these are of one block.
        assert!(short > 0 || name == "zstd", "{name}: no cut response came out");
        // Between two members nothing says that there was more; in plain files four line ends are optional.
        match name {
            "gzip" | "zstd" => assert_eq!(boundaries, records.len() - 1, "{name}"),
            "plain" => assert_eq!(boundaries, 5 * records.len() - 1, "{name}"),
            _ => assert_eq!(boundaries, 0, "{name}"),
        }
    }
}

#[test]
fn windows_add_up_to_the_whole() {
    let records = crawl(12);
    let spread: Vec<u8> = {
        // Every third record over two members, and one in a member with another.
        let mut bytes = Vec::new();
        for (number, record) in records.iter().enumerate() {
            match number % 3 {
                0 => {
                    bytes.extend_from_slice(&gzip(&record[..record.len() / 2]));
                    bytes.extend_from_slice(&gzip(&record[record.len() / 2..]));
                }
                _ => bytes.extend_from_slice(&gzip(record)),
            }
        }
        bytes
    };
    let mut damaged = members(&records);
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xff;
    let cut = members(&records);
    let cut = cut[..cut.len() - 30].to_vec();
    let mut tail = members(&records);
    tail.extend_from_slice(&[0; 100]);
    let blocks: Vec<u8> = records.concat().chunks(700).flat_map(gzip).collect();
    let without_length: Vec<u8> = records
        .iter()
        .flat_map(|record| {
            let text = String::from_utf8(record.clone()).unwrap();
            let (before, after) = text.split_once("Content-Length: ").unwrap();
            gzip(format!("{before}{}", after.split_once("\r\n").unwrap().1).as_bytes())
        })
        .collect();
    let odd_headers: Vec<u8> = records
        .iter()
        .flat_map(|record| {
            let mut member = gzip(record);
            (member[8], member[9]) = (1, 19);
            member
        })
        .collect();
    for (name, bytes) in [
        ("sound", members(&records)),
        ("without length", without_length),
        ("odd headers", odd_headers),
        ("spread", spread),
        ("damaged", damaged),
        ("cut", cut),
        ("tail", tail),
        ("blocks", blocks),
    ] {
        let (completion, whole, _) = read_all(&bytes);
        for at in 1..bytes.len() as u64 {
            let (first_completion, first, _) = read_with(&bytes, Limits::default(), 0, Some(at));
            let (second_completion, second, _) = read_with(&bytes, Limits::default(), at, None);
            let urls = [first.urls(), second.urls()].concat();
            assert_eq!(urls, whole.urls(), "{name} {at}");
            let places = |sink: &Collect| sink.seen.iter().filter_map(|seen| seen.place.offset).collect::<Vec<_>>();
            assert_eq!([places(&first), places(&second)].concat(), places(&whole), "{name} {at}");
            let problems: Vec<Problem> = first.problems.iter().chain(&second.problems).cloned().collect();
            assert_eq!(problems, whole.problems, "{name} {at}");
            let incomplete = [first_completion, second_completion].contains(&Completion::Incomplete);
            assert_eq!(incomplete, completion == Completion::Incomplete, "{name} {at}");
            assert!(first.walked <= at && second.walked <= bytes.len() as u64 - at, "{name} {at}");
        }
    }
    // Many parts at once.
    let bytes = members(&records);
    let whole = read_all(&bytes).1;
    for width in [50u64, 333, 1000] {
        let parts = (0..bytes.len() as u64).step_by(width as usize);
        let seen: Vec<Seen> =
            parts.flat_map(|start| read_with(&bytes, Limits::default(), start, Some(start + width)).1.seen).collect();
        assert_eq!(seen, whole.seen, "{width}");
    }
}

/// All captures of a file read in parts of this width.
fn in_parts(path: &Path, width: u64) -> Vec<Seen> {
    let size = std::fs::metadata(path).unwrap().len();
    let mut reader = WarcReader::new(Limits::default());
    let mut sink = Collect::default();
    for start in (0..size).step_by(width as usize) {
        let end = (start + width < size).then_some(start + width);
        reader.read(&Part { origin: Origin::File(path.to_owned()), start, end }, &mut sink);
    }
    sink.seen
}

#[test]
fn parts_of_odd_files_add_up_too() {
    let stored = |content: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    };
    let nested: Vec<u8> = (0..20)
        .flat_map(|number| {
            let url = format!("http://outer{number}.example/robots.txt");
            let inner = members(&crawl(5));
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", inner.len());
            stored(&response(&url, &[head.as_bytes(), &inner].concat()))
        })
        .collect();
    let mut headless = members(&crawl(40));
    headless[0] = 0;
    let shifted = [b"\r\n".as_slice(), &members(&crawl(40))].concat();
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("nested", nested), ("headless", headless), ("shifted", shifted)] {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let whole = read_file(&path).1.seen;
        assert!(whole.len() >= 20, "{name}: {}", whole.len());
        for width in [700, 4096, 9_999] {
            assert_eq!(in_parts(&path, width), whole, "{name} in parts of {width}");
        }
    }
}

#[test]
fn heads_do_not_run_into_each_other() {
    let (a, b) = (ok("http://a.example/robots.txt", "A"), ok("http://b.example/robots.txt", "B"));
    let cut = &a[..a.windows(4).position(|w| w == b"\r\n\r\n").unwrap() - 20];
    for bytes in [[cut, b"\r\n", &b].concat(), gzip(&[cut, b"\r\n", &b].concat())] {
        let (_, sink, _) = read_all(&bytes);
        assert_eq!(sink.urls(), ["http://b.example/robots.txt"], "{:?}", sink.problems);
        assert_eq!(sink.problems.len(), 1, "{:?}", sink.problems);
    }
    // Many version lines and no blank line: linear, and soon done.
    let (_, sink, _) = read_all(&gzip(&[a, b"WARC/1.0\nx: y\n".repeat(60_000)].concat()));
    assert_eq!(sink.seen.len(), 1);
}

#[test]
fn a_record_just_over_what_is_kept_ends_where_it_ends() {
    for over in [0, 100, 60_000] {
        let large = ok("http://large.example/robots.txt", &printable((18 << 20) - 260 + over, 5));
        let small: Vec<Vec<u8>> = (0..50).map(|n| ok(&format!("http://s{n}.example/robots.txt"), "Allow: /")).collect();
        let (_, sink, _) = read_all(&gzip(&[large, small.concat()].concat()));
        assert_eq!((sink.seen.len(), sink.codes()), (51, vec![]), "{over}");
        assert_eq!(sink.seen[0].total, ((18 << 20) - 260 + over) as u64);
    }
}

#[test]
fn damage_in_a_body_costs_what_comes_after_it() {
    let text = format!("User-agent: *\nDisallow: /\n{}", "Disallow: /some/path/of/it\n".repeat(700));
    let response_with = |coding: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n", body.len());
        gzip(&response("http://a.example/robots.txt", &[head.as_bytes(), body].concat()))
    };
    let mut packed = gzip(text.as_bytes());
    let end = packed.len();
    packed[end - 6] ^= 1;
    let seen = &read_all(&response_with("gzip", &packed)).1.seen[0];
    assert_eq!((seen.body.len(), &seen.repaired[..]), (text.len(), &["encoding-broken"][..]));
    // Text that only begins like an archive.
    let seen = &read_all(&response_with("gzip", b"\x1f\x8bUser-agent: *\nDisallow: /\n")).1.seen[0];
    assert_eq!((seen.body.len(), &seen.repaired[..]), (28, &["not-encoded"][..]));
    // An empty first line is no chunk.
    let body = b"\r\nUser-agent: *\r\nDisallow: /\r\n";
    let head = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: {}\r\n\r\n", body.len());
    let seen = &read_all(&gzip(&response("http://a.example/robots.txt", &[head.as_bytes(), body].concat()))).1.seen[0];
    assert_eq!((seen.body.as_slice(), &seen.repaired[..]), (&body[..], &["not-chunked"][..]));
}

#[test]
fn large_members_and_long_ones_are_read_in_pieces() {
    // More stored bytes than the window ever holds, between two small ones.
    let large = ok("http://large.example/robots.txt", &printable(20 << 20, 5));
    let stored = {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
        encoder.write_all(&large).unwrap();
        encoder.finish().unwrap()
    };
    let video = record("resource", "Content-Type: video/mp4\r\n", &noise(19 << 20, 6));
    let small = ok("http://small.example/robots.txt", "Allow: /");
    let bytes = [gzip(&small), stored.clone(), gzip(&video), gzip(&small)].concat();
    let (completion, sink, stats) = read_all(&bytes);
    assert_eq!((completion, sink.codes(), stats.records), (Completion::Complete, vec![], 4));
    assert_eq!(sink.seen.len(), 3);
    assert_eq!((sink.seen[1].body.len(), sink.seen[1].total), (16 << 20, 20 << 20));
    assert_eq!(sink.seen[1].place.length, Some(stored.len() as u64));
    assert_eq!(sink.seen[1].repaired, ["body-capped"]);
    let plain = [small.clone(), large, video, small].concat();
    let (completion, sink, stats) = read_all(&plain);
    assert_eq!((completion, sink.codes(), stats.records), (Completion::Complete, vec![], 4));
    assert_eq!((sink.seen[1].body.len(), sink.seen[1].total), (16 << 20, 20 << 20));
    assert_eq!(sink.seen[2].body, b"Allow: /");
    let part = sink.seen[1].place.offset.unwrap() + sink.seen[1].place.length.unwrap();
    assert!(plain[part as usize..].starts_with(b"WARC/1.0\r\nWARC-Type: resource"));
}

#[test]
fn what_is_no_warc_is_named() {
    for (bytes, name) in [
        (b"filedesc://x.arc 0.0.0.0 20080430204825 text/plain 1483\n".to_vec(), "ARC"),
        (gzip(b"filedesc://x.arc 0.0.0.0 20080430204825 text/plain 1483\n"), "ARC"),
        (vec![0x04, 0x22, 0x4d, 0x18, 1, 2, 3], "LZ4"),
        (b"PAR1....".to_vec(), "Parquet"),
        (b"<html><body>404</body></html>".to_vec(), "HTML"),
        (gzip(b"hello"), "hello"),
        (b"some text".to_vec(), "some text"),
        (zstd(b"some text"), "some text"),
        (noise(100_000, 8), "`"),
    ] {
        let (completion, sink, _) = read_all(&bytes);
        assert_eq!((completion, sink.codes()), (Completion::Incomplete, vec![("not-a-warc", Some(0))]));
        assert!(sink.problems[0].detail.contains(name), "{}", sink.problems[0].detail);
    }
    for bytes in
        [Vec::new(), gzip(b""), [gzip(b""), gzip(b"")].concat(), b"\r\n".to_vec(), gzip(b"\r\n\r\n"), zstd(b"")]
    {
        let (completion, sink, stats) = read_all(&bytes);
        assert_eq!((completion, sink.codes(), stats.records), (Completion::Complete, vec![], 0));
    }
}

#[test]
fn zstd_dictionaries() {
    let records = crawl(50);
    let dictionary = records[1..5].concat();
    let frame =
        |content: &[u8]| [&[0x5d, 0x2a, 0x4d, 0x18], &(content.len() as u32).to_le_bytes()[..], content].concat();
    let mut compressor = zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap();
    let frames: Vec<u8> = records.iter().flat_map(|record| compressor.compress(record).unwrap()).collect();
    for (name, bytes) in [
        ("raw", [frame(&dictionary), frames.clone()].concat()),
        ("compressed", [frame(&zstd(&dictionary)), frames.clone()].concat()),
    ] {
        let (completion, sink, _) = read_all(&bytes);
        assert_eq!((completion, sink.codes(), sink.seen.len()), (Completion::Complete, vec![], 50), "{name}");
    }
    // A frame of five stored bytes that names dictionary 7.
    let named = [&[0x28, 0xb5, 0x2f, 0xfd, 0x21, 7, 5, 0x29, 0, 0][..], b"hello"].concat();
    let (completion, sink, _) = read_all(&[zstd(&records[0]), named].concat());
    let offset = zstd(&records[0]).len() as u64;
    assert_eq!((completion, sink.codes()), (Completion::Incomplete, vec![("dictionary-missing", Some(offset))]));
    let (completion, sink, _) = read_all(&frame(&dictionary)[..100]);
    assert_eq!((completion, sink.codes()), (Completion::Incomplete, vec![("dictionary-missing", Some(0))]));
}

#[test]
fn hostile_input_ends_soon() {
    let limits = Limits { body_cap: 1 << 20, head_cap: 64 << 10 };
    let good = gzip(&ok("http://a.example/robots.txt", "Allow: /"));
    let header = |extra: &str| {
        format!("WARC/1.0\r\nWARC-Type: response\r\n{extra}WARC-Target-URI: http://a.example/\r\nContent-Length: 9\r\n")
    };
    let long_head = [header(""), "X: y\r\n".repeat(1_700_000), "\r\n".into()].concat();
    let stored_claims = {
        // Stored blocks that hold a version line and then the next such member, over and over.
        let mut claim = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0, 0xff, 0xff, 0, 0];
        claim.extend_from_slice(b"WARC/1.0\r\n");
        claim
    };
    for (name, bytes) in [
        ("a head of 10 MB", gzip(long_head.as_bytes())),
        ("a head of 10 MB, plain", long_head.clone().into_bytes()),
        ("magic numbers", [good.clone(), [0x1f, 0x8b, 8].repeat(3_000_000)].concat()),
        ("empty headers", [good.clone(), [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3].repeat(500_000)].concat()),
        ("claims", [good.clone(), stored_claims.repeat(100_000)].concat()),
        ("empty members", gzip(b"").repeat(300_000)),
        ("members of line ends", gzip(b"\r\n").repeat(100_000)),
        (
            "members of one byte",
            b"WARC/1.0\r\n".iter().chain([b'a'; 200_000].iter()).flat_map(|b| gzip(&[*b])).collect(),
        ),
        ("a bomb of junk", gzip(&vec![b'x'; 300 << 20])),
        ("a bomb of line ends", gzip(&vec![b'\n'; 300 << 20])),
        ("a bomb in a record", gzip(&[header("").as_bytes(), b"\r\n", &vec![b'x'; 300 << 20]].concat())),
        ("version lines", b"WARC/1.0\r\n".repeat(500_000)),
        ("version lines in members", gzip(b"WARC/1.0\r\n").repeat(100_000)),
        ("records of nothing", b"WARC/1.0\r\n\r\n".repeat(300_000)),
        ("carriage returns", [b"WARC/1.0\n".to_vec(), vec![b'\r'; 5 << 20]].concat()),
        ("line feeds", vec![b'\n'; 30 << 20]),
        ("noise", noise(5 << 20, 77)),
        ("noise after gzip magic", [vec![0x1f, 0x8b, 8, 0], noise(5 << 20, 78)].concat()),
        ("noise after zstd magic", [vec![0x28, 0xb5, 0x2f, 0xfd], noise(5 << 20, 79)].concat()),
        ("zstd magic", [0x28, 0xb5, 0x2f, 0xfd].repeat(1_000_000)),
        ("skippable frames", [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0].repeat(500_000)),
        ("a skippable frame of 4 GiB", vec![0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff, 1]),
    ] {
        let started = std::time::Instant::now();
        let (_, sink, _) = read_with(&bytes, limits, 0, None);
        eprintln!("{name}: {:?}, {} captures, {} problems", started.elapsed(), sink.seen.len(), sink.problems.len());
        assert!(sink.walked <= bytes.len() as u64, "{name}");
        if bytes.starts_with(&good) {
            assert_eq!(sink.bodies()[0], b"Allow: /", "{name}");
        }
    }
}

#[test]
fn cut_and_mangled_archives_never_panic() {
    let records = crawl(3);
    for base in
        [members(&records), records.concat(), records.iter().flat_map(|r| zstd(r)).collect(), gzip(&records.concat())]
    {
        let mut random = 88_172_645_463_325_252u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random as usize
        };
        for _ in 0..600 {
            let mut bytes = base.clone();
            for _ in 0..next() % 4 + 1 {
                let at = next() % bytes.len();
                match next() % 5 {
                    0 => bytes[at] = next() as u8,
                    1 => bytes.truncate(at.max(1)),
                    2 => {
                        bytes.drain(at..(at + next() % 40).min(bytes.len()));
                    }
                    3 => {
                        let piece = noise(next() % 60, next() as u64);
                        bytes.splice(at..at, piece);
                    }
                    _ => {
                        let from = next() % bytes.len();
                        let piece = bytes[from..(from + next() % 200).min(bytes.len())].to_vec();
                        bytes.splice(at..at, piece);
                    }
                }
                if bytes.is_empty() {
                    bytes.push(0);
                }
            }
            let (completion, sink, stats) = read_all(&bytes);
            assert_ne!(completion, Completion::Stopped);
            assert_eq!(sink.seen.len() as u64, stats.captures);
            assert!(sink.walked <= bytes.len() as u64);
        }
    }
}

#[test]
fn the_sink_can_stop_it() {
    let records = crawl(5);
    for bytes in [members(&records), records.concat(), gzip(&records.concat())] {
        let mut reader = WarcReader::new(Limits::default());
        let mut sink = Collect { stop_after: Some(2), ..Collect::default() };
        let completion = reader.read_from(&mut bytes.as_slice(), 0, None, &mut sink);
        assert_eq!((completion, sink.seen.len()), (Completion::Stopped, 2));
    }
}

/// A source that fails after some bytes, and gives them in small pieces.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Err(io::Error::other("the disk is gone"));
        }
        let bytes = self.0.len().min(buffer.len()).min(7);
        buffer[..bytes].copy_from_slice(&self.0[..bytes]);
        self.0 = &self.0[bytes..];
        Ok(bytes)
    }
}

#[test]
fn a_failing_source_is_told_once() {
    let records = crawl(5);
    for bytes in [members(&records), records.concat(), gzip(&records.concat()), b"W".to_vec(), vec![]] {
        for cut in [bytes.len(), bytes.len() * 2 / 3] {
            let mut reader = WarcReader::new(Limits::default());
            let mut sink = Collect::default();
            let completion = reader.read_from(&mut Failing(&bytes[..cut]), 0, None, &mut sink);
            assert_eq!(completion, Completion::Incomplete);
            assert_eq!(sink.codes(), [("file-unreadable", Some(cut as u64))], "{:?}", sink.problems);
            assert!(sink.problems[0].detail.contains("the disk is gone"));
        }
    }
}

#[test]
fn files_that_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let mut reader = WarcReader::new(Limits::default());
    for path in [folder.path().join("missing.warc.gz"), folder.path().to_owned()] {
        let mut sink = Collect::default();
        let part = Part { origin: Origin::File(path), start: 0, end: None };
        assert_eq!(reader.read(&part, &mut sink), Completion::Incomplete);
        assert_eq!(sink.problems.len(), 1);
        assert_eq!(sink.problems[0].code, ProblemCode::FileUnreadable);
    }
    // Parts of a file that is not gzip: the first is all of it.
    let path = folder.path().join("plain.warc.gz");
    std::fs::write(&path, crawl(5).concat()).unwrap();
    for (start, captures) in [(0, 5), (200, 0)] {
        let mut sink = Collect::default();
        let part = Part { origin: Origin::File(path.clone()), start, end: Some(start + 200) };
        assert_eq!((reader.read(&part, &mut sink), sink.seen.len()), (Completion::Complete, captures));
    }
}

/// A folder of the shared material, where it is at hand.
fn shared(path: &str) -> Option<std::path::PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(path);
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

fn read_file(path: &Path) -> (Completion, Collect, ReadStats) {
    let mut reader = WarcReader::new(Limits::default());
    let mut sink = Collect::default();
    let part = Part { origin: Origin::File(path.to_owned()), start: 0, end: None };
    let completion = reader.read(&part, &mut sink);
    (completion, sink, reader.stats())
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// Files where warcio and FastWARC count the same responses and we another number, and why.
const ELSE_THAN_BOTH: &[(&str, u64, &str)] = &[
    ("own/bitflip-record-5.warc.gz", 100, "both stop at the damaged member; the damaged record is a request"),
    (
        "richardlehane+webarchive/jhove-invalid/invalid-warcrecord-3.warc",
        6,
        "both stop at a wrong Content-Length; four more responses follow, the last one cut",
    ),
];

#[test]
fn the_collected_archives_hold_as_many_responses_as_others_find() {
    let Some(folder) = shared("data/warc") else { return };
    let manifest = json(&folder.join("manifest.json"));
    let mut compared = 0;
    let mut wrong = Vec::new();
    for entry in manifest["files"].as_array().unwrap() {
        let file = entry["file"].as_str().unwrap().strip_prefix("warc/").unwrap();
        let path = folder.join(file);
        let (completion, sink, stats) = read_file(&path);
        assert!(sink.walked <= std::fs::metadata(&path).unwrap().len(), "{file}");
        let count = |reader: &str| {
            let types = entry.get(reader)?.get("types")?;
            Some(types.get("response").map_or(0, |n| n.as_u64().unwrap()))
        };
        let (Some(warcio), Some(fastwarc)) = (count("warcio"), count("fastwarc")) else { continue };
        let expected = match ELSE_THAN_BOTH.iter().find(|(name, ..)| *name == file) {
            Some((_, ours, _)) => *ours,
            None if warcio == fastwarc => warcio,
            None if file.contains(".arc") || file.ends_with(".lz4") => 0,
            // Where they differ the one that finds more is right.
            None => warcio.max(fastwarc),
        };
        compared += 1;
        if stats.responses != expected {
            wrong.push(format!(
                "{file}: {stats:?}, warcio {warcio}, FastWARC {fastwarc}, {completion:?} {:?}",
                sink.problems
            ));
        }
    }
    assert!(compared > 150, "{compared}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_collected_file_is_read_to_an_end() {
    let Some(folder) = shared("data/warc") else { return };
    for path in files_below(&folder) {
        let (completion, sink, stats) = read_file(&path);
        if completion == Completion::Incomplete {
            assert!(!sink.problems.is_empty(), "{}", path.display());
        }
        assert!(stats.captures <= stats.responses && stats.responses <= stats.records, "{}", path.display());
        assert_eq!(stats.captures, sink.seen.len() as u64, "{}", path.display());
    }
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

#[test]
fn our_own_samples_hold_what_they_were_made_from() {
    let Some(folder) = shared("data/warc/own") else { return };
    for (file, expected) in [
        ("encodings.warc.gz", "encodings.expected.json"),
        ("cc-style-robots.warc.gz", "cc-style-robots.expected.json"),
        ("plain-1.1.warc", "plain-1.1.expected.json"),
        ("one-member.warc.gz", "plain-1.1.expected.json"),
    ] {
        let (completion, sink, _) = read_file(&folder.join(file));
        assert_eq!((completion, sink.codes()), (Completion::Complete, vec![]), "{file}");
        let expected = json(&folder.join(expected));
        let expected = expected.as_array().unwrap();
        assert_eq!(sink.seen.len(), expected.len(), "{file}");
        for (seen, expected) in sink.seen.iter().zip(expected) {
            assert_eq!(seen.url, expected["url"].as_str().unwrap(), "{file}");
            assert_eq!(i64::from(seen.status.unwrap()), expected["status"].as_i64().unwrap(), "{file}");
            assert_eq!(sha256(&seen.body), expected["body_sha256"].as_str().unwrap(), "{file} {expected}");
            assert_eq!(seen.total, expected["body_len"].as_u64().unwrap(), "{file}");
        }
    }
}

#[test]
fn our_own_damaged_samples_cost_only_the_damaged_record() {
    let Some(folder) = shared("data/warc/own") else { return };
    let whole = read_file(&folder.join("per-record.warc.zst")).1;
    assert_eq!(whole.seen.len(), 100);
    for (file, responses, records, codes) in [
        // The sixth member is a request: no capture is lost at all.
        ("bitflip-record-5.warc.gz", 100, 200, &["member-damaged"][..]),
        ("length-minus-5-record-6.warc.gz", 100, 201, &[]),
        ("length-plus-50-record-6.warc.gz", 100, 201, &[]),
        ("garbage-tail.warc.gz", 100, 201, &["bytes-skipped"]),
        ("dict-raw.warc.zst", 100, 201, &[]),
        ("dict-zst.warc.zst", 100, 201, &[]),
    ] {
        let (completion, sink, stats) = read_file(&folder.join(file));
        assert_eq!((completion, stats.responses, stats.records), (Completion::Complete, responses, records), "{file}");
        assert_eq!(sink.problems.iter().map(|p| p.code.code()).collect::<Vec<_>>(), codes, "{file}");
        assert_eq!(sink.urls(), whole.urls(), "{file}");
        assert_eq!(sink.bodies(), whole.bodies(), "{file}");
    }
    let (completion, sink, stats) = read_file(&folder.join("cc-style-robots-truncated.warc.gz"));
    assert_eq!((completion, stats.responses, stats.records), (Completion::Incomplete, 58, 117));
    assert_eq!(sink.seen.len(), 58);
    assert!(sink.seen[57].repaired.contains(&"length-short"));
    assert_eq!(sink.problems.len(), 1);
    assert_eq!(sink.problems[0].code, ProblemCode::FileTruncated);
}

/// `ROBOCENSUS_TRUTH` names a crawl made with known contents: its folder holds `truth-captures.jsonl.gz`.
#[test]
fn a_crawl_of_known_contents_comes_out_as_it_went_in() {
    let Some(folder) = std::env::var_os("ROBOCENSUS_TRUTH").map(std::path::PathBuf::from) else {
        eprintln!("skipped: ROBOCENSUS_TRUTH is not set");
        return;
    };
    let mut text = String::new();
    let packed = std::fs::read(folder.join("truth-captures.jsonl.gz")).unwrap();
    flate2::read::MultiGzDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
    let mut truth = std::collections::BTreeMap::new();
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let key = (row["file"].as_str().unwrap().to_owned(), row["offset"].as_u64().unwrap());
        truth.insert(key, row);
    }
    let mut agreed = 0;
    for path in files_below(&folder).iter().filter(|path| path.to_string_lossy().ends_with(".warc.gz")) {
        let (completion, sink, _) = read_file(path);
        assert_eq!((completion, sink.codes()), (Completion::Complete, vec![]));
        let file = path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
        for seen in sink.seen {
            let row = truth.remove(&(file.clone(), seen.place.offset.unwrap())).unwrap();
            assert_eq!(seen.place.length, row["length"].as_u64());
            assert_eq!(Some(seen.url.as_str()), row["url"].as_str());
            assert_eq!(seen.time, date::parse(row["time"].as_str().unwrap().as_bytes()).micros);
            assert_eq!(seen.status.map(i64::from), row["status"].as_i64());
            assert_eq!(seen.location.as_deref(), row["location"].as_str());
            assert_eq!(Some(sha256(&seen.body).as_str()), row["body_sha256"].as_str());
            assert_eq!(Some(seen.total), row["body_bytes"].as_u64());
            assert_eq!(seen.repaired, [""; 0], "{}", seen.url);
            agreed += 1;
        }
    }
    eprintln!("{agreed} captures agree");
    assert!(truth.is_empty(), "{} captures were not found", truth.len());
}
