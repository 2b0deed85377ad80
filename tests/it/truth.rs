//! A whole scan against the truth beside a generated crawl: every capture where and as it was written.

use crate::run::{arg, column, folder, hex, ok, table};
use crate::shared;
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

/// Writes a crawl with its truth beside it, of as many origins as [`origins`] says; `None` and a note where that cannot be done.
pub fn crawl(to: &Path, seed: &str) -> Option<()> {
    let tool = shared::path("tools/make_robots_warc.py")?;
    match Command::new("python3").arg(tool).arg(to).args(["--origins", &origins(), "--seed", seed]).output() {
        Ok(made) if made.status.success() => return Some(()),
        Ok(made) if String::from_utf8_lossy(&made.stderr).contains("No module named") => {
            eprintln!("skipped: python3 lacks the zstandard package");
        }
        Ok(made) => panic!("{}", String::from_utf8_lossy(&made.stderr)),
        Err(_) => eprintln!("skipped: no python3 here"),
    }
    None
}

/// Where a crawl lists its files.
pub const LISTING: &str = "crawl-data/CC-MAIN-2026-43/robotstxt.paths.gz";

/// Origins of the crawl: 2,000, or as many as `ROBOCENSUS_ORIGINS` says.
fn origins() -> String {
    std::env::var("ROBOCENSUS_ORIGINS").unwrap_or_else(|_| "2000".to_owned())
}

#[test]
fn every_capture_of_a_fresh_crawl() {
    let folder = folder();
    let crawl = folder.path().join("crawl");
    if self::crawl(&crawl, "90210").is_none() {
        return;
    }
    let out = folder.path().join("out");
    let listing = crawl.join(LISTING);
    ok(&["scan", arg(&listing), "-o", arg(&out), "--dialect", "rfc9309,google", "--keep-bodies"]);
    check_captures(&crawl, &out);
    check_verdicts(&out);
}

fn check_captures(crawl: &Path, out: &Path) {
    let bodies = table(out, "bodies");
    let sha_of: HashMap<String, String> = column(&bodies, "body_key")
        .into_iter()
        .zip(column(&bodies, "content").iter().map(|content| sha256(content)))
        .collect();
    let captures = table(out, "captures");
    let columns = ["warc_filename", "warc_record_offset", "warc_record_length", "url", "fetch_time", "fetch_status"]
        .map(|name| column(&captures, name));
    let more = ["body_bytes", "body_key", "body_id", "crawl"].map(|name| column(&captures, name));
    let mut found = BTreeMap::new();
    for (row, place) in columns[0].iter().zip(&columns[1]).enumerate() {
        let key = (place.0.clone(), place.1.clone());
        assert_eq!(found.insert(key, row), None, "two captures at one place");
    }
    let (mut ids, mut shas) = (HashMap::new(), HashMap::new());
    let truth = BufReader::new(GzDecoder::new(File::open(crawl.join("truth-captures.jsonl.gz")).unwrap()));
    for line in truth.lines() {
        let truth: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let text = |key: &str| match &truth[key] {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let row = found.remove(&(text("file"), text("offset"))).unwrap_or_else(|| panic!("no capture for {truth}"));
        let expected = [text("length"), text("url"), micros(&text("time")), text("status")];
        let got: Vec<&String> = columns[2..].iter().map(|column| &column[row]).collect();
        assert_eq!(got, expected.iter().collect::<Vec<_>>(), "{truth}");
        assert_eq!(more[0][row], text("body_bytes"), "{truth}");
        assert_eq!(more[3][row], "CC-MAIN-2026-43");
        if text("status") == "200" {
            let sha = &sha_of[&more[1][row]];
            assert_eq!(*sha, text("body_sha256"), "{truth}");
            ids.entry(more[2][row].clone()).or_insert_with(HashSet::new).insert(sha.clone());
            shas.entry(sha.clone()).or_insert_with(HashSet::new).insert(more[2][row].clone());
        } else {
            assert_eq!((more[1][row].as_str(), more[2][row].as_str()), ("-", "-"), "{truth}");
        }
    }
    assert!(found.is_empty(), "{} captures that were never written", found.len());
    assert!(ids.values().chain(shas.values()).all(|set| set.len() == 1), "body_id and SHA-256 are not one to one");
}

/// In each dialect the rule sets of a body are disjoint and hold every agent.
fn check_verdicts(out: &Path) {
    let agents = table(out, "agents").iter().map(|batch| batch.num_rows()).sum::<usize>();
    let verdicts = table(out, "verdicts");
    let rows = column(&verdicts, "body_key").into_iter().zip(column(&verdicts, "dialect"));
    let mut seen: HashMap<(String, String), Vec<i16>> = HashMap::new();
    for (key, list) in rows.zip(column(&verdicts, "agents")) {
        let list = list.trim_matches(['[', ']']).split(' ').map(|id| id.parse::<i16>().unwrap());
        seen.entry(key).or_default().extend(list);
    }
    let bodies = column(&table(out, "bodies"), "body_key");
    assert_eq!(seen.len(), bodies.len() * 2);
    for (key, mut list) in seen {
        list.sort_unstable();
        assert!(list.iter().copied().eq(0..agents as i16), "{key:?}: {list:?}");
    }
}

pub fn sha256(content_in_hex: &str) -> String {
    let bytes: Vec<u8> = (0..content_in_hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&content_in_hex[at..at + 2], 16).unwrap())
        .collect();
    hex(&Sha256::digest(bytes))
}

/// Microseconds of a time in October 2026, as the crawl has them.
fn micros(time: &str) -> String {
    let number = |from: usize, to: usize| time[from..to].parse::<i64>().unwrap();
    assert!(time.starts_with("2026-10-"), "{time}");
    // 2026-10-01 is 20,727 days after 1970-01-01.
    let seconds = (20_727 + number(8, 10) - 1) * 86_400 + number(11, 13) * 3_600 + number(14, 16) * 60 + number(17, 19);
    (seconds * 1_000_000).to_string()
}
