//! Whole resolves of outputs written by hand: cases as data, and random ones against a plain retelling of the rules.

use super::*;
use crate::classify::address::redirect_target;
use crate::output::{Counts, InputPart, ShardTables, ShardWriter, plan_path, prepare, write_json, write_single};
use crate::table::{CaptureRow, OutcomeRow, body_id, body_key};
use arrow::array::{Array, AsArray};
use arrow::datatypes::{Int16Type, Int32Type, Int64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rep::Dialect;
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};

/// One capture: URL, status (0 for none), `Location`, time.
#[derive(Debug, Clone)]
struct Shot {
    url: String,
    status: i16,
    location: Option<String>,
    time: Option<i64>,
    /// Number of its file; the place in the file is that in the list.
    file: usize,
}

fn shot(url: &str, status: i16, location: &str, time: i64) -> Shot {
    Shot {
        url: url.to_owned(),
        status,
        location: (location != "-").then(|| location.to_owned()),
        time: (time > 0).then_some(time),
        file: 0,
    }
}

/// Writes an output of these captures, a shard for each list; `configuration` beyond the dialects.
fn output(out: &Path, shards: &[Vec<Shot>], configuration: Value, selection: Option<&str>) {
    let mut whole = json!({"dialects": ["rfc9309", "python"], "sample": "1/1"});
    whole.as_object_mut().unwrap().extend(configuration.as_object().unwrap().clone());
    let metadata = Metadata { configuration_hash: "c0".to_owned(), ..Metadata::default() };
    prepare(out).unwrap();
    write_json(&plan_path(out), &json!({"configuration_hash": "c0"})).unwrap();
    let mut commits = BTreeMap::new();
    for (number, shots) in shards.iter().enumerate() {
        let number = number as u32;
        let mut writer = ShardWriter::create(out, number, &metadata, ShardTables::default()).unwrap();
        let mut inputs: Vec<InputPart> = Vec::new();
        for (row, shot) in shots.iter().enumerate() {
            let name = format!("f{}.warc.gz", shot.file);
            if inputs.last().is_none_or(|last| last.name != name) {
                let (start, end, size, captures) = (0, None, None, 0);
                inputs.push(InputPart { name, start, end, size, captures, complete: true, problem: None });
            }
            let input = inputs.last_mut().unwrap();
            input.captures += 1;
            let status = (shot.status != 0).then_some(shot.status);
            let target = shot.location.as_ref().and_then(|to| redirect_target(&shot.url, to.as_bytes()));
            let target = target.filter(|_| (300..400).contains(&shot.status));
            let reason = rep::http::reason(status, target.is_some());
            let address = crate::classify::address::Address::parse(&shot.url);
            let body = (reason == Reason::Success).then(|| body_key(number, row as u32));
            writer
                .captures
                .push(&CaptureRow {
                    warc_filename: &input.name,
                    warc_record_offset: Some(row as i64),
                    url: &shot.url,
                    url_protocol: address.protocol.as_deref(),
                    url_host_name: Some(&address.host),
                    url_port: address.port.map(i32::from),
                    url_host_tld: address.tld(),
                    url_host_registered_domain: address.registered_domain(),
                    fetch_time: shot.time,
                    fetch_status: status,
                    fetch_redirect: target.as_deref(),
                    reason: reason.as_str(),
                    body_key: body,
                    body_id: body.map(|_| body_id(shot.url.as_bytes())),
                    ..CaptureRow::default()
                })
                .unwrap();
        }
        commits.insert(number, writer.commit(inputs, Counts::default()).unwrap());
    }
    let rows = [&Dialect::RFC9309, &Dialect::PYTHON].into_iter().flat_map(|dialect| {
        Reason::ALL.iter().map(|reason| OutcomeRow {
            dialect: dialect.name,
            reason: reason.as_str(),
            outcome: dialect.http.outcome(*reason).as_str(),
        })
    });
    let single = write_single::<Outcomes>(out, rows, &metadata).unwrap();
    let selection = selection.map(str::to_owned);
    Manifest::new(whole, "c0".to_owned(), selection, &commits, &[single]).write(out).unwrap();
}

fn options() -> Options {
    Options { max_hops: 5, memory: None, threads: Some(2), progress: ProgressMode::Never, log: Log::new(false) }
}

/// What the tests look at of a row of `origins`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    reason: String,
    outcome: String,
    hops: i16,
    status: i16,
    chain: Vec<String>,
    /// File and number of the chosen capture, and of the last one.
    first: (String, i64),
    last: (String, i64),
    body_key: Option<i64>,
    captures: i32,
    class: String,
    other_host: bool,
    other_site: bool,
    site: String,
    protocol: String,
}

fn origins(out: &Path) -> BTreeMap<String, Found> {
    let mut rows = BTreeMap::new();
    let mut parts: Vec<_> = fs::read_dir(out.join("origins")).unwrap().map(|entry| entry.unwrap().path()).collect();
    parts.sort();
    for part in parts {
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(part).unwrap()).unwrap().build().unwrap();
        for batch in reader {
            let batch = batch.unwrap();
            let text =
                |name: &str, at: usize| batch.column_by_name(name).unwrap().as_string::<i32>().value(at).to_owned();
            let long = |name: &str, at: usize| {
                let array = batch.column_by_name(name).unwrap().as_primitive::<Int64Type>();
                array.is_valid(at).then(|| array.value(at))
            };
            let short = |name: &str, at: usize| {
                let array = batch.column_by_name(name).unwrap().as_primitive::<Int16Type>();
                if array.is_valid(at) { array.value(at) } else { -1 }
            };
            let truth = |name: &str, at: usize| batch.column_by_name(name).unwrap().as_boolean().value(at);
            for at in 0..batch.num_rows() {
                let chain = batch.column_by_name("chain").unwrap().as_list::<i32>().value(at);
                let found = Found {
                    reason: text("reason", at),
                    outcome: text("outcome", at),
                    hops: short("hops", at),
                    status: short("final_status", at),
                    chain: chain.as_string::<i32>().iter().map(|url| url.unwrap().to_owned()).collect(),
                    first: (text("warc_filename", at), long("warc_record_offset", at).unwrap()),
                    last: (text("final_warc_filename", at), long("final_warc_record_offset", at).unwrap()),
                    body_key: long("body_key", at),
                    captures: batch.column_by_name("captures").unwrap().as_primitive::<Int32Type>().value(at),
                    class: text("capture_class", at),
                    other_host: truth("other_host", at),
                    other_site: truth("other_site", at),
                    site: text("site", at),
                    protocol: text("url_protocol", at),
                };
                assert!(rows.insert(text("origin", at), found).is_none(), "{} twice", text("origin", at));
            }
        }
    }
    rows
}

/// Resolves captures in one shard.
fn resolved(shots: &[Shot]) -> BTreeMap<String, Found> {
    let dir = tempfile::tempdir().unwrap();
    output(dir.path(), &[shots.to_vec()], json!({}), None);
    resolve(dir.path(), &options()).unwrap();
    origins(dir.path())
}

/// A case: what it shows, its captures, and what is expected of the origin of the first: reason, hops, final status and the number
/// of the last capture of the chain.
type Case<'a> = (&'a str, &'a [(&'a str, i16, &'a str, i64)], (&'a str, i16, i16, i64));

const A: &str = "https://a.example/robots.txt";
const B: &str = "https://b.example/robots.txt";
const C: &str = "https://c.example/robots.txt";

#[test]
#[rustfmt::skip]
fn chains_end_as_they_should() {
    let cases: &[Case<'_>] = &[
        ("2xx", &[(A, 200, "-", 1)], ("success", 0, 200, 0)),
        ("204", &[(A, 204, "-", 1)], ("success", 0, 204, 0)),
        ("404", &[(A, 404, "-", 1)], ("unavailable", 0, 404, 0)),
        ("401", &[(A, 401, "-", 1)], ("forbidden", 0, 401, 0)),
        ("429", &[(A, 429, "-", 1)], ("rate_limited", 0, 429, 0)),
        ("503", &[(A, 503, "-", 1)], ("unreachable", 0, 503, 0)),
        ("no status", &[(A, 0, "-", 1)], ("no_answer", 0, -1, 0)),
        ("999", &[(A, 999, "-", 1)], ("no_answer", 0, 999, 0)),
        ("304", &[(A, 304, B, 1), (B, 200, "-", 1)], ("redirect_without_target", 0, 304, 0)),
        ("no Location", &[(A, 301, "-", 1)], ("redirect_without_target", 0, 301, 0)),
        ("an empty Location", &[(A, 301, "", 1)], ("redirect_without_target", 0, 301, 0)),
        ("a blank Location", &[(A, 301, " \t", 1)], ("redirect_without_target", 0, 301, 0)),
        ("a Location that is none", &[(A, 301, "mailto:x@a.example", 1)], ("redirect_without_target", 0, 301, 0)),
        ("one hop", &[(A, 301, B, 1), (B, 200, "-", 1)], ("success", 1, 200, 1)),
        ("one hop, target first", &[(A, 301, B, 1), (A, 301, C, 9), (B, 200, "-", 1)], ("success", 1, 200, 2)),
        ("ends in 404", &[(A, 301, B, 1), (B, 404, "-", 1)], ("unavailable", 1, 404, 1)),
        ("ends in 503", &[(A, 301, B, 1), (B, 503, "-", 1)], ("unreachable", 1, 503, 1)),
        ("ends nowhere", &[(A, 301, B, 1), (B, 301, "-", 1)], ("redirect_without_target", 1, 301, 1)),
        ("ends without an answer", &[(A, 301, B, 1), (B, 0, "-", 1)], ("no_answer", 1, -1, 1)),
        ("not captured", &[(A, 301, B, 1)], ("target_not_captured", 1, -1, 0)),
        ("not captured later", &[(A, 301, B, 1), (B, 302, C, 1)], ("target_not_captured", 2, -1, 1)),
        ("to itself", &[(A, 301, A, 1)], ("redirect_loop", 1, -1, 0)),
        ("to itself by fragment", &[(A, 301, "#x", 1)], ("redirect_loop", 1, -1, 0)),
        ("back and forth", &[(A, 301, B, 1), (B, 301, A, 1)], ("redirect_loop", 2, -1, 1)),
        ("into a loop", &[(A, 301, B, 1), (B, 301, C, 1), (C, 301, B, 1)], ("redirect_loop", 3, -1, 2)),
        ("out of a loop", &[(A, 301, B, 1), (B, 301, A, 9), (B, 301, C, 1), (C, 200, "-", 1)], ("success", 2, 200, 3)),
        ("a loop that is no loop: http to https",
            &[("http://a.example/robots.txt", 301, A, 1), (A, 200, "-", 1)], ("success", 1, 200, 1)),
        ("a page that was captured", &[(A, 301, "https://a.example/", 1), ("https://a.example/", 200, "-", 1)], ("success", 1, 200, 1)),
        ("a page that was not", &[(A, 301, "/", 1)], ("target_not_captured", 1, -1, 0)),
        ("relative", &[(A, 301, "/x/../files/robots.txt", 1), ("https://a.example/files/robots.txt", 200, "-", 1)], ("success", 1, 200, 1)),
        ("without scheme", &[(A, 301, "//b.example/robots.txt", 1), (B, 200, "-", 1)], ("success", 1, 200, 1)),
        ("fragment", &[(A, 301, "https://b.example/robots.txt#top", 1), (B, 200, "-", 1)], ("success", 1, 200, 1)),
        ("query", &[(A, 301, "?v=2", 1), ("https://a.example/robots.txt?v=2", 200, "-", 1)], ("success", 1, 200, 1)),
        ("an empty query is another URL", &[(A, 301, "?", 1)], ("target_not_captured", 1, -1, 0)),
        ("case of host, not of path", &[(A, 301, "https://B.EXAMPLE/robots.txt", 1), (B, 200, "-", 1)], ("success", 1, 200, 1)),
        ("case of path", &[(A, 301, "https://b.example/Robots.txt", 1), (B, 200, "-", 1)], ("target_not_captured", 1, -1, 0)),
        ("standard port", &[(A, 301, "https://b.example:443/robots.txt", 1), (B, 200, "-", 1)], ("success", 1, 200, 1)),
        ("other scheme's port", &[(A, 301, "https://b.example:80/robots.txt", 1), (B, 200, "-", 1)], ("target_not_captured", 1, -1, 0)),
        ("captured with its port", &[(A, 301, B, 1), ("https://b.example:443/robots.txt", 200, "-", 1)], ("success", 1, 200, 1)),
        ("captured with a fragment", &[(A, 301, B, 1), ("https://b.example/robots.txt#x", 200, "-", 1)], ("success", 1, 200, 1)),
        ("international", &[(A, 301, "https://müller.example/robots.txt", 1), ("https://xn--mller-kva.example/robots.txt", 200, "-", 1)],
            ("success", 1, 200, 1)),
        ("international, the other way", &[(A, 301, "https://xn--mller-kva.example/robots.txt", 1), ("https://MÜLLER.example/robots.txt", 200, "-", 1)],
            ("success", 1, 200, 1)),
        ("an address in other words", &[(A, 301, "http://0x7f.1/robots.txt", 1), ("http://127.0.0.1/robots.txt", 200, "-", 1)], ("success", 1, 200, 1)),
        // Which capture stands for a URL.
        ("the newest 2xx", &[(A, 200, "-", 5), (A, 200, "-", 7), (A, 200, "-", 6)], ("success", 0, 200, 1)),
        ("2xx before newer all else",
            &[(A, 200, "-", 1), (A, 301, B, 9), (A, 404, "-", 9), (A, 503, "-", 9), (A, 0, "-", 9), (B, 200, "-", 9)], ("success", 0, 200, 0)),
        ("a redirect to 2xx before 4xx", &[(A, 301, B, 1), (A, 404, "-", 9), (B, 200, "-", 1)], ("success", 1, 200, 2)),
        ("4xx before a redirect to 4xx", &[(A, 301, B, 9), (A, 404, "-", 1), (B, 403, "-", 9)], ("unavailable", 0, 404, 1)),
        ("4xx before newer 429 and 5xx", &[(A, 429, "-", 9), (A, 403, "-", 1), (A, 500, "-", 8)], ("forbidden", 0, 403, 1)),
        ("429 and 5xx by time", &[(A, 429, "-", 5), (A, 500, "-", 6)], ("unreachable", 0, 500, 1)),
        ("429 and 5xx by time, the other way", &[(A, 429, "-", 6), (A, 500, "-", 5)], ("rate_limited", 0, 429, 0)),
        ("5xx before a redirect that is lost", &[(A, 301, B, 9), (A, 500, "-", 1)], ("unreachable", 0, 500, 1)),
        ("a lost redirect before no answer", &[(A, 301, B, 1), (A, 0, "-", 9)], ("target_not_captured", 1, -1, 0)),
        ("the newest redirect that ends in 2xx", &[(A, 301, B, 5), (A, 301, C, 6), (A, 301, "/x", 7), (B, 200, "-", 1), (C, 200, "-", 1)],
            ("success", 1, 200, 4)),
        ("the newest of other redirects", &[(A, 301, B, 5), (A, 301, "-", 6), (B, 404, "-", 1)], ("redirect_without_target", 0, 301, 1)),
        ("the newest of other redirects, the other way", &[(A, 301, B, 6), (A, 301, "-", 5), (B, 404, "-", 1)], ("unavailable", 1, 404, 2)),
        ("equal times: the later in the file", &[(A, 200, "-", 5), (A, 200, "-", 5)], ("success", 0, 200, 1)),
        ("equal times of redirects", &[(A, 301, B, 5), (A, 301, C, 5), (B, 200, "-", 1), (C, 200, "-", 1)], ("success", 1, 200, 3)),
        ("any time is newer than none", &[(A, 200, "-", 1), (A, 200, "-", 0)], ("success", 0, 200, 0)),
        ("the choice at a target", &[(A, 301, B, 1), (B, 404, "-", 9), (B, 301, C, 1), (C, 200, "-", 1)], ("success", 2, 200, 3)),
        ("the same URL in two spellings", &[(A, 404, "-", 9), ("https://A.example:443/robots.txt", 200, "-", 1)], ("success", 0, 200, 1)),
    ];
    for (what, shots, (reason, hops, status, last)) in cases {
        let shots: Vec<Shot> = shots.iter().map(|(url, status, to, time)| shot(url, *status, to, *time)).collect();
        let rows = resolved(&shots);
        let key = canonical(&shots[0].url).into_owned();
        let found = &rows[origin_of(&key).unwrap()];
        let got = (found.reason.as_str(), found.hops, found.status, found.last.1);
        assert_eq!(got, (*reason, *hops, *status, *last), "{what}: {found:?}");
        assert_eq!(found.chain.len(), *hops as usize + 1, "{what}: {found:?}");
        assert_eq!(found.body_key.is_some(), *reason == "success", "{what}: {found:?}");
        assert_eq!(found.outcome, Dialect::RFC9309.http.outcome(reason_of(reason).unwrap()).as_str(), "{what}");
    }
}

#[test]
fn five_hops_are_followed_and_a_sixth_is_not() {
    let url = |hop: usize| format!("https://h{hop}.example/robots.txt");
    for (redirects, max_hops, reason, hops) in [
        (5, 5, "success", 5),
        (6, 5, "too_many_redirects", 5),
        (6, 6, "success", 6),
        (1, 0, "too_many_redirects", 0),
        (20, 20, "success", 20),
        (21, 20, "too_many_redirects", 20),
    ] {
        let mut shots: Vec<Shot> = (0..redirects).map(|hop| shot(&url(hop), 301, &url(hop + 1), 1)).collect();
        shots.push(shot(&url(redirects), 200, "-", 1));
        let dir = tempfile::tempdir().unwrap();
        output(dir.path(), &[shots], json!({}), None);
        resolve(dir.path(), &Options { max_hops, ..options() }).unwrap();
        let found = origins(dir.path())["https://h0.example"].clone();
        assert_eq!((found.reason.as_str(), found.hops), (reason, hops), "{redirects} of {max_hops}");
        assert_eq!(found.chain, (0..=hops as usize).map(url).collect::<Vec<_>>());
        assert_eq!(found.status, if reason == "success" { 200 } else { 301 });
        assert_eq!(origins(dir.path()).len(), redirects + 1, "every robots.txt that was captured is an origin");
    }
}

#[test]
fn origins_are_scheme_host_and_port() {
    let rows = resolved(&[
        shot("HTTP://Example.COM:80/robots.txt", 200, "-", 1),
        shot("http://example.com:443/robots.txt", 200, "-", 1),
        shot("https://www.example.com/robots.txt", 200, "-", 1),
        shot("https://[2001:DB8::1]:8443/robots.txt", 200, "-", 1),
        shot("https://me:secret@user.example/robots.txt", 200, "-", 1),
        shot("https://müller.example/robots.txt", 200, "-", 1),
        shot("http://192.0.2.1/robots.txt", 200, "-", 1),
        // None of these is the robots.txt of an origin.
        shot("https://page.example/", 200, "-", 1),
        shot("https://page.example/a/robots.txt", 200, "-", 1),
        shot("https://page.example/Robots.txt", 200, "-", 1),
        shot("https://page.example/robots.txt?x", 200, "-", 1),
        shot("https://page.example/?x=/robots.txt", 200, "-", 1),
        shot("dns:/robots.txt", 200, "-", 1),
        shot("no url/robots.txt", 200, "-", 1),
    ]);
    let sites: Vec<(&str, &str)> = rows.iter().map(|(origin, row)| (origin.as_str(), row.site.as_str())).collect();
    assert_eq!(
        sites,
        [
            ("http://192.0.2.1", "192.0.2.1"),
            ("http://example.com", "example.com"),
            ("http://example.com:443", "example.com"),
            ("https://[2001:db8::1]:8443", "[2001:db8::1]"),
            ("https://user.example", "user.example"),
            ("https://www.example.com", "example.com"),
            ("https://xn--mller-kva.example", "xn--mller-kva.example"),
        ]
    );
    assert!(rows.values().all(|row| row.chain.len() == 1 && !row.chain[0].contains("secret")));
}

#[test]
fn other_hosts_and_sites_are_flagged() {
    for (to, host, site) in [
        ("https://a.example.com/x", false, false),
        ("http://a.example.com/robots.txt", false, false),
        ("https://a.example.com:8443/robots.txt", false, false),
        ("https://www.a.example.com/robots.txt", true, false),
        ("https://example.com/robots.txt", true, false),
        ("https://example.org/robots.txt", true, true),
        ("https://192.0.2.1/robots.txt", true, true),
    ] {
        let from = "https://a.example.com/robots.txt";
        for captured in [true, false] {
            let mut shots = vec![shot(from, 301, to, 1)];
            if captured {
                shots.push(shot(to, 200, "-", 1));
            }
            let found = resolved(&shots)["https://a.example.com"].clone();
            assert_eq!((found.other_host, found.other_site), (host, site), "{to} {captured}");
            assert_eq!(found.chain, [from, to], "{to}");
        }
    }
    // What counts is where the chain ends.
    let found = resolved(&[shot(A, 301, B, 1), shot(B, 301, "https://a.example/x", 1)])["https://a.example"].clone();
    assert!(!found.other_host && found.hops == 2, "{found:?}");
}

#[test]
fn ties_go_to_the_greatest_file_name_and_then_place() {
    // Captures of file 9 come first: names decide, and `f10` is less than `f9`.
    let at = |file, status, to: &str| Shot { file, ..shot(A, status, to, 5) };
    let end = |url: &str| shot(url, 200, "-", 1);
    for (shots, first) in [
        (vec![at(9, 200, "-"), at(10, 200, "-")], ("f9.warc.gz", 0)),
        (vec![at(9, 200, "-"), at(9, 200, "-"), at(10, 200, "-")], ("f9.warc.gz", 1)),
        (vec![at(1, 200, "-"), at(2, 200, "-")], ("f2.warc.gz", 1)),
        (vec![at(9, 404, "-"), at(10, 410, "-")], ("f9.warc.gz", 0)),
        (vec![at(9, 301, B), at(10, 301, C), end(B), end(C)], ("f9.warc.gz", 0)),
        (vec![at(9, 301, "/x"), at(10, 301, C), end(B), end(C)], ("f10.warc.gz", 1)),
        (vec![at(9, 301, "/x"), at(10, 301, "/y")], ("f9.warc.gz", 0)),
    ] {
        let found = resolved(&shots)["https://a.example"].clone();
        assert_eq!(found.first, (first.0.to_owned(), first.1), "{shots:?}");
        assert_eq!(found.captures as usize, shots.iter().filter(|shot| shot.url == A).count());
    }
}

#[test]
fn what_a_part_of_the_input_cannot_tell_is_outside_it() {
    let keeps = |one_in: &u64| format!("1/{one_in}").parse::<Sample>().unwrap().keeps(Some("b.example"), "");
    let (kept, left_out) = ((2..).find(keeps).unwrap(), (2..).find(|one_in| !keeps(one_in)).unwrap());
    let shots = [vec![
        shot(A, 301, B, 1),
        shot(C, 301, "https://c.example/x", 1),
        shot("https://d.example/robots.txt", 301, B, 1),
    ]];

    for (configuration, selection, expected) in [
        (json!({}), None, "target_not_captured"),
        (json!({"limit": null, "index": null}), None, "target_not_captured"),
        (json!({"limit": 1000}), None, "target_outside_input"),
        (json!({"index": "index.paths"}), None, "target_outside_input"),
        (json!({}), Some("1/3"), "target_outside_input"),
        // The site of the target is among those that this sample leaves out, and among those that the next one keeps.
        (json!({"sample": format!("1/{left_out}")}), None, "target_outside_input"),
        (json!({"sample": format!("1/{kept}")}), None, "target_not_captured"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        output(dir.path(), &shots, configuration.clone(), selection);
        resolve(dir.path(), &options()).unwrap();
        assert_eq!(origins(dir.path())["https://a.example"].reason, expected, "{configuration} {selection:?}");
    }
}

#[test]
fn outcomes_are_those_of_the_run() {
    let dir = tempfile::tempdir().unwrap();
    output(
        dir.path(),
        &[vec![shot(A, 429, "-", 1), shot(B, 301, C, 1)]],
        json!({"dialects": ["python", "rfc9309"]}),
        None,
    );
    let rows = Reason::ALL.iter().flat_map(|reason| {
        let row = |dialect, outcome| OutcomeRow { dialect, reason: reason.as_str(), outcome };
        let python = if *reason == Reason::RateLimited { "full_disallow" } else { "undefined" };
        [row("rfc9309", "full_allow"), row("python", python)]
    });
    write_single::<Outcomes>(dir.path(), rows, &Metadata::default()).unwrap();
    let mut manifest = Manifest::read(dir.path()).unwrap().unwrap();
    for file in manifest.tables.iter_mut().flat_map(|table| &mut table.files) {
        file.bytes = fs::metadata(dir.path().join(&file.path)).unwrap().len();
    }
    manifest.write(dir.path()).unwrap();
    let resolved = resolve(dir.path(), &options()).unwrap();
    let rows = origins(dir.path());
    assert_eq!(rows["https://a.example"].outcome, "full_disallow");
    assert_eq!(rows["https://b.example"].outcome, "undefined");
    let counts = resolved.manifest.resolution.unwrap();
    assert_eq!(counts.origins.iter().map(|count| count.origins).sum::<u64>(), 2);
}

/// Captures of a few URLs that redirect among each other, drawn at random, on hosts of their own.
fn random(mut state: u64, urls: u64, web: u64) -> Vec<Shot> {
    let mut roll = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let url = |number: u64| format!("https://w{web}h{number}.example/robots.txt");
    let redirects = 1 + roll(9);
    (0..urls + roll(2 * urls))
        .map(|_| {
            let (from, to) = (url(roll(urls)), url(roll(urls + 1)));
            let (time, file) = (roll(4) as i64, roll(12) as usize);
            let made = match roll(10) {
                n if n < redirects => shot(&from, 301, if roll(9) == 0 { "-" } else { &to }, time),
                _ => shot(&from, [200, 404, 403, 429, 503, 0][roll(6) as usize], "-", time),
            };
            Shot { file, ..made }
        })
        .collect()
}

/// The rules told as they are written, without any thought of size: class, reason, hops, status and chain of a URL, and the numbers
/// of the first and last capture.
fn told(
    url: &str,
    by: &HashMap<&str, Vec<usize>>,
    shots: &[Shot],
    seen: &[&str],
) -> (u8, String, usize, i16, Vec<usize>) {
    let hops = seen.len();
    let lost = |reason: &str| (5, reason.to_owned(), hops, -1, Vec::new());
    if seen.contains(&url) {
        return lost("redirect_loop");
    }
    let Some(captures) = by.get(url) else { return lost("target_not_captured") };
    captures
        .iter()
        .map(|number| {
            let shot = &shots[*number];
            let here = |class: u8, reason: &str| (class, reason.to_owned(), hops, shot.status, vec![*number]);
            let result = match (shot.status, &shot.location) {
                (200, _) => here(1, "success"),
                (301, None) => here(5, "redirect_without_target"),
                (301, Some(_)) if hops == 5 => here(5, "too_many_redirects"),
                (301, Some(to)) => {
                    let mut further = told(to, by, shots, &[seen, &[url]].concat());
                    further.0 = if further.1 == "success" { 2 } else { 5 };
                    further.4.insert(0, *number);
                    further
                }
                (429, _) => here(4, "rate_limited"),
                (503, _) => here(4, "unreachable"),
                (403, _) => here(3, "forbidden"),
                (0, _) => (6, "no_answer".to_owned(), hops, -1, vec![*number]),
                _ => here(3, "unavailable"),
            };
            // Times of 0 are none.
            let rank = (std::cmp::Reverse(result.0), shot.time, format!("f{}", shot.file), *number);
            (rank, result)
        })
        .max_by(|a, b| a.0.cmp(&b.0))
        .unwrap()
        .1
}

#[test]
fn random_webs_resolve_as_the_rules_say() {
    let rounds: u64 = std::env::var("ROBOCENSUS_WEBS").ok().map_or(20, |n| n.parse().unwrap());
    let mut reasons = BTreeMap::new();
    for round in 0..rounds {
        // Many small webs in one output, in hosts of their own.
        let mut shots = Vec::new();
        for web in 0..40 {
            shots.extend(random(round * 40 + web, 2 + (round + web) % 9, web));
        }
        // A file lies in one piece.
        shots.sort_by_key(|shot| shot.file);
        let mut by: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, shot) in shots.iter().enumerate() {
            by.entry(&shot.url).or_default().push(number);
        }
        let dir = tempfile::tempdir().unwrap();
        let (left, right) = shots.split_at(shots.len() / 2);
        output(dir.path(), &[left.to_vec(), right.to_vec()], json!({}), None);
        resolve(dir.path(), &options()).unwrap();
        let rows = origins(dir.path());
        assert_eq!(rows.len(), by.len());
        let place = |number: usize| {
            let at = if number < left.len() { number } else { number - left.len() };
            (format!("f{}.warc.gz", shots[number].file), at as i64)
        };
        for (origin, found) in rows {
            let (_, reason, hops, status, numbers) = told(&format!("{origin}/robots.txt"), &by, &shots, &[]);
            let expected = (&reason, hops as i16, status, place(numbers[0]), place(numbers[numbers.len() - 1]));
            let got = (&found.reason, found.hops, found.status, found.first, found.last);
            assert_eq!(got, expected, "{origin} of {shots:#?}");
            assert_eq!(found.captures as usize, by[format!("{origin}/robots.txt").as_str()].len());
            *reasons.entry(reason).or_insert(0) += 1;
        }
    }
    assert_eq!(reasons.len(), 10, "{reasons:?}");
}

#[test]
fn memory_threads_and_shards_do_not_show() {
    let mut shots = Vec::new();
    for web in 0..300 {
        shots.extend(random(web, 12, web));
    }
    shots.sort_by_key(|shot| shot.file);
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str, shards: usize, options: &Options| {
        let out = dir.path().join(name);
        let shards: Vec<Vec<Shot>> = shots.chunks(shots.len().div_ceil(shards)).map(<[Shot]>::to_vec).collect();
        output(&out, &shards, json!({}), None);
        resolve(&out, options).unwrap();
        out
    };
    let files = |out: &Path| -> Vec<Vec<u8>> {
        let mut parts: Vec<_> = fs::read_dir(out.join("origins")).unwrap().map(|entry| entry.unwrap().path()).collect();
        parts.sort();
        parts.iter().map(|part| fs::read(part).unwrap()).collect()
    };
    let one = run("one", 1, &Options { threads: Some(1), ..options() });
    let seven = run("seven", 7, &options());
    let again = run("again", 7, &Options { threads: Some(5), ..options() });
    assert_eq!(files(&seven), files(&again));
    assert_eq!(files(&seven).len(), 7);
    let plain = |out: &Path| {
        let rows = origins(out).into_iter();
        rows.map(|(origin, row)| (origin, row.reason, row.hops, row.chain, row.first.0)).collect::<Vec<_>>()
    };
    assert_eq!(plain(&one), plain(&seven));

    // With next to no memory everything goes through files.
    let manifest = Manifest::read(&seven).unwrap().unwrap();
    let before = files(&seven);
    let commits = read_commits(&seven).unwrap();
    let (parts, names) = captures::parts(&seven, &manifest, &commits).unwrap();
    let progress = Progress::new(1, 1);
    let small = Run {
        out: &seven,
        files: &names,
        parts: &parts,
        coverage: Coverage::of(&manifest),
        outcomes: outcomes(&seven, &manifest).unwrap(),
        metadata: metadata(&manifest),
        seed: 99,
        max_hops: 5,
        memory: 4_000,
        threads: 2,
        progress: &progress,
    };
    let folder = PendingFolder::create(&seven.join("origins")).unwrap();
    let written = small.run(folder.path()).unwrap();
    assert!(written.spilled > 100_000, "{}", written.spilled);
    folder.publish().unwrap();
    assert_eq!(files(&seven), before);
    assert_eq!(
        fs::read_dir(&seven)
            .unwrap()
            .filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'))
            .count(),
        0
    );
}

#[test]
fn a_web_made_to_stall_is_resolved_all_the_same() {
    // Forty URLs with forty captures each that redirect to one another: 40^5 ways, and one of them out.
    let url = |number: usize| format!("https://h{number}.example/robots.txt");
    let mut shots = Vec::new();
    for from in 0..40 {
        for to in 0..40 {
            shots.push(shot(&url(from), 301, &url(to), 1 + (from * 7 + to * 11) as i64 % 40));
        }
    }
    shots.push(shot(&url(39), 301, B, 1));
    shots.push(shot(B, 200, "-", 1));
    let rows = resolved(&shots);
    assert_eq!(rows.len(), 41);
    assert!(rows.values().all(|row| row.reason == "success" && row.hops <= 5), "{rows:?}");
    assert!(rows.values().all(|row| row.chain.len() == row.hops as usize + 1));
}

#[test]
fn outputs_that_cannot_be_resolved_are_refused_with_the_way_out() {
    let dir = tempfile::tempdir().unwrap();
    let said = |out: &Path| resolve(out, &options()).unwrap_err().to_string();
    assert!(said(&dir.path().join("none")).contains("robocensus scan"));
    assert!(said(dir.path()).contains("manifest.json"), "{}", said(dir.path()));
    let out = dir.path().join("out");
    output(&out, &[vec![shot(A, 200, "-", 1)]], json!({}), None);
    let part = out.join("captures/part-00000.parquet");
    let bytes = fs::read(&part).unwrap();
    fs::write(&part, &bytes[1..]).unwrap();
    assert!(said(&out).contains("captures/part-00000.parquet is missing or has another size"), "{}", said(&out));
    fs::write(&part, vec![0; bytes.len()]).unwrap();
    assert!(said(&out).contains("damaged"), "{}", said(&out));
    fs::write(&part, &bytes).unwrap();
    fs::create_dir(out.join("origins")).unwrap();
    fs::write(out.join("origins/mine.parquet"), "x").unwrap();
    assert!(said(&out).contains("origins/mine.parquet"), "{}", said(&out));
    assert!(out.join("origins/mine.parquet").exists());
    fs::remove_file(out.join("origins/mine.parquet")).unwrap();
    fs::rename(out.join("_shards/00000.json"), out.join("_shards/elsewhere")).unwrap();
    assert!(said(&out).contains("_shards"), "{}", said(&out));
    fs::rename(out.join("_shards/elsewhere"), out.join("_shards/00000.json")).unwrap();
    resolve(&out, &options()).unwrap();
    let manifest = Manifest::read(&out).unwrap().unwrap();
    assert!(manifest.is_whole(&out) && manifest.tables.iter().any(|table| table.name == "origins" && table.rows == 1));
    Manifest { schema_version: 999, ..manifest }.write(&out).unwrap();
    assert!(said(&out).contains("version 999"), "{}", said(&out));
}

#[test]
fn the_documents_examples() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/spec/http-vectors.jsonl");
    let Ok(text) = fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return;
    };
    let mut checked = 0;
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        // What else is known of a site, or the text of a page, is no matter of captures and redirects.
        let special = ["unreachable_days", "cached", "missing_is_5xx"].iter().any(|key| !vector[key].is_null());
        let chain = vector["chain"].as_array().unwrap();
        if special || chain.iter().any(|step| !step["body"].is_null() || !step["disallowed"].is_null()) {
            continue;
        }
        let shots: Vec<Shot> = chain
            .iter()
            .map(|step| {
                let location = step["location"].as_str().unwrap_or("-");
                shot(step["url"].as_str().unwrap(), step["status"].as_i64().unwrap_or(0) as i16, location, 1)
            })
            .collect();
        let key = canonical(&shots[0].url).into_owned();
        let Some(origin) = origin_of(&key) else { continue };
        let rows = resolved(&shots);
        let found = &rows[origin];
        let reason = reason_of(&found.reason).unwrap();
        for name in vector["dialects"].as_array().unwrap() {
            let dialect = Dialect::ALL.iter().find(|dialect| dialect.name == name).unwrap();
            assert_eq!(dialect.http.outcome(reason).as_str(), vector["outcome"], "{}: {name}", vector["id"]);
            checked += 1;
        }
        if let Some(end) = vector["final_url"].as_str() {
            assert_eq!(found.chain.last().map(String::as_str), Some(&*canonical(end)), "{}", vector["id"]);
        }
    }
    assert!(checked > 100, "{checked}");
}
