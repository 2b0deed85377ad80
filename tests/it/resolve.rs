//! Captures to origins: against the truth beside a generated crawl, joined, killed, and from the command line.

use crate::run::{arg, assert_same, column, fails, files, folder, ok, robocensus, run, table};
use crate::truth::{LISTING, crawl, sha256};
use flate2::read::GzDecoder;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

/// A made-up snapshot.
fn snapshot(folder: &Path, captures: &str) -> PathBuf {
    let snapshot = folder.join("snapshot");
    ok(&["synth", arg(&snapshot), "--captures", captures, "--files", "6"]);
    snapshot
}

#[test]
fn every_origin_of_a_fresh_crawl() {
    let folder = folder();
    let crawled = folder.path().join("crawl");
    if crawl(&crawled, "4711").is_none() {
        return;
    }
    let out = folder.path().join("out");
    let listing = crawled.join(LISTING);
    ok(&["scan", arg(&listing), "-o", arg(&out), "--keep-bodies", "--no-verdicts", "--shard-size", "1MiB"]);
    let bodies = table(&out, "bodies");
    let content: HashMap<String, String> =
        column(&bodies, "body_key").into_iter().zip(column(&bodies, "content")).collect();
    let kinds: HashMap<String, String> =
        column(&bodies, "body_key").into_iter().zip(column(&bodies, "body_kind")).collect();
    let origins = table(&out, "origins");
    let names = ["origin", "outcome", "reason", "hops", "final_status", "body_key", "chain"];
    let columns = names.map(|name| column(&origins, name));
    let rows: HashMap<&str, usize> = columns[0].iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    assert_eq!(rows.len(), columns[0].len(), "an origin has one row");
    let truth = BufReader::new(GzDecoder::new(File::open(crawled.join("truth-origins.jsonl.gz")).unwrap()));
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    for line in truth.lines() {
        let truth: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let text = |key: &str| match &truth[key] {
            serde_json::Value::Null => "-".to_owned(),
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let row = *rows.get(text("origin").as_str()).unwrap_or_else(|| panic!("no row for {truth}"));
        let got = |name: usize| columns[name][row].as_str();
        // The truth does not look into pages; some of the real bodies are pages that redirect.
        let reason = match got(2) {
            "html_redirect" => {
                assert_eq!(kinds[got(5)], "html", "{truth}");
                "success"
            }
            reason => reason,
        };
        let expected = [text("outcome"), text("reason"), text("hops"), text("final_status")];
        assert_eq!([got(1), reason, got(3), got(4)], expected.each_ref().map(String::as_str), "{truth}");
        let sha = content.get(got(5)).map_or("-".to_owned(), |content| sha256(content));
        assert_eq!(sha, text("body_sha256"), "{truth}");
        assert_eq!(got(6).split(' ').count().to_string(), (got(3).parse::<u64>().unwrap() + 1).to_string(), "{truth}");
        *reasons.entry(text("reason")).or_default() += 1;
    }
    assert!(reasons.len() >= 9, "{reasons:?}");
    // Beyond those that were asked first, every robots.txt that was captured is an origin.
    let captured: HashSet<String> = column(&table(&out, "captures"), "url")
        .iter()
        .filter_map(|url| Some(url.replace(":443/", "/").strip_suffix("/robots.txt")?.to_owned()))
        .map(|origin| if origin.starts_with("http://") { origin.trim_end_matches(":80").to_owned() } else { origin })
        .filter(|origin| origin.matches('/').count() == 2)
        .collect();
    assert_eq!(rows.keys().map(|name| (*name).to_owned()).collect::<HashSet<_>>(), captured);
}

#[test]
fn a_scan_resolves_at_its_end_and_resolving_again_gives_the_same() {
    let folder = folder();
    let snapshot = snapshot(folder.path(), "1500");
    let (out, later) = (folder.path().join("out"), folder.path().join("later"));
    let said = ok(&["scan", arg(&snapshot), "-o", arg(&out)]);
    assert!(said.contains("conditional    success") && said.contains("100.00 %"), "{said}");
    ok(&["scan", arg(&snapshot), "-o", arg(&later), "--no-resolve"]);
    assert!(!later.join("origins").exists());
    let told = ok(&["resolve", arg(&later)]);
    assert!(told.contains("origins from 1,500 captures") && told.contains("target_not_captured"), "{told}");
    assert_same(&out, &later);
    for more in [&["--threads", "1"][..], &["--memory", "16MiB"], &["--progress", "plain"], &[]] {
        ok(&[&["resolve", arg(&out)], more].concat());
        assert_same(&later, &out);
    }
    // Another number of hops, and back.
    ok(&["resolve", arg(&out), "--max-hops", "0"]);
    assert!(files(&out) != files(&later));
    let hops = column(&table(&out, "origins"), "hops");
    assert!(hops.iter().all(|hops| hops == "0"));
    ok(&["resolve", arg(&out)]);
    assert_same(&later, &out);
    // A scan that finds all done adds origins that are missing.
    ok(&["scan", arg(&snapshot), "-o", arg(&later), "--no-resolve", "--overwrite"]);
    let said = ok(&["scan", arg(&snapshot), "-o", arg(&later)]);
    assert!(said.contains("nothing to do"), "{said}");
    assert_same(&out, &later);
    let json = run(&["resolve", arg(&out), "--log", "json"]);
    let done: serde_json::Value = serde_json::from_slice(&json.stderr).unwrap();
    assert_eq!((&done["event"], &done["captures"]), (&"done".into(), &1500.into()), "{done}");
}

#[test]
fn jobs_are_joined_into_what_one_scan_gives() {
    let folder = folder();
    let snapshot = snapshot(folder.path(), "2500");
    let scan = |out: &str, more: &[&str]| -> PathBuf {
        let out = folder.path().join(out);
        ok(&[&["scan", arg(&snapshot), "-o", arg(&out), "--shard-size", "512KiB"], more].concat());
        out
    };
    let whole = scan("whole", &[]);
    let jobs = ["1/3", "2/3", "3/3"].map(|job| scan(&job.replace('/', "-"), &["--shard", job]));
    let before: Vec<_> = jobs.iter().map(|job| files(job)).collect();
    let [one, two, three] = jobs.each_ref().map(|job| arg(job));
    let joined = folder.path().join("joined");
    let target = arg(&joined);
    fn join_into<'a>(target: &'a str, outs: &[&'a str]) -> Vec<&'a str> {
        [&["resolve"], outs, &["-o", target]].concat()
    }

    let said = fails(&join_into(target, &[one, three]), 1);
    assert!(said.contains("--shard 2/3 is missing") && said.contains("robocensus scan"), "{said}");
    let said = fails(&join_into(target, &[one, two, three, two]), 1);
    assert!(said.contains("both hold shard"), "{said}");
    let foreign = scan("foreign", &["--shard", "2/3", "--dialect", "google"]);
    let said = fails(&join_into(target, &[one, arg(&foreign), three]), 1);
    assert!(said.contains(r#"dialects: ["rfc9309"] there, ["google"] now"#), "{said}");
    fs::rename(jobs[1].join("manifest.json"), folder.path().join("aside")).unwrap();
    let said = fails(&join_into(target, &[one, two, three]), 1);
    assert!(said.contains("--shard 2/3") && said.contains("run it again"), "{said}");
    fs::rename(folder.path().join("aside"), jobs[1].join("manifest.json")).unwrap();
    let said = fails(&["resolve", one, two, three], 2);
    assert!(said.contains("-o DIR"), "{said}");
    assert!(!joined.exists(), "a refused join made the folder");

    ok(&join_into(target, &[three, one, two]));
    assert_same(&whole, &joined);
    ok(&join_into(target, &[one, two, three]));
    assert_same(&whole, &joined);
    // What is missing is filled in again.
    fs::remove_file(joined.join("manifest.json")).unwrap();
    fs::remove_file(joined.join("bodies/part-00001.parquet")).unwrap();
    fs::remove_file(joined.join("agents.parquet")).unwrap();
    ok(&join_into(target, &[one, two, three]));
    assert_same(&whole, &joined);
    // A scan takes the folder for its own.
    let said = ok(&["scan", arg(&snapshot), "-o", arg(&joined), "--shard-size", "512KiB"]);
    assert!(said.contains("nothing to do"), "{said}");
    assert_same(&whole, &joined);
    for (job, before) in jobs.iter().zip(&before) {
        assert!(files(job) == *before, "joining changed an input");
    }
    let said = fails(&["resolve", one, two, three, "-o", arg(&foreign)], 1);
    assert!(said.contains("holds another run"), "{said}");

    // One job alone can be resolved; what it lacks is said to lie outside.
    let alone = run(&["resolve", two]);
    assert!(alone.status.success());
    assert!(String::from_utf8_lossy(&alone.stderr).contains("--shard 2/3 alone"));
    let reasons = column(&table(&jobs[1], "origins"), "reason");
    assert!(reasons.iter().any(|reason| reason == "target_outside_input"));
    assert!(reasons.iter().all(|reason| reason != "target_not_captured"));
    ok(&join_into(target, &[one, two, three]));
    assert_same(&whole, &joined);
}

#[test]
fn a_sample_agrees_with_the_whole() {
    let folder = folder();
    let snapshot = snapshot(folder.path(), "6000");
    let (all, some) = (folder.path().join("all"), folder.path().join("some"));
    ok(&["scan", arg(&snapshot), "-o", arg(&all), "--no-verdicts"]);
    ok(&["scan", arg(&snapshot), "-o", arg(&some), "--no-verdicts", "--sample", "1/4"]);
    let rows = |out: &Path| -> HashMap<String, (String, String)> {
        let origins = table(out, "origins");
        let facts = column(&origins, "reason").into_iter().zip(column(&origins, "chain"));
        column(&origins, "origin").into_iter().zip(facts).collect()
    };
    let (all, some) = (rows(&all), rows(&some));
    assert!(some.len() > 500 && some.len() < all.len() / 2, "{} of {}", some.len(), all.len());
    for (origin, found) in &some {
        if found.0 != "target_outside_input" {
            assert_eq!(*found, all[origin], "{origin}");
        }
    }
}

#[test]
fn a_killed_resolve_leaves_the_scan_and_can_be_run_again() {
    let folder = folder();
    let snapshot = snapshot(folder.path(), "6000");
    let (out, expected) = (folder.path().join("out"), folder.path().join("expected"));
    let scan = ["scan", arg(&snapshot), "--no-verdicts", "--no-resolve", "--shard-size", "512KiB"];
    ok(&[&scan[..], &["-o", arg(&expected)]].concat());
    ok(&["resolve", arg(&expected)]);
    let before = files(&expected);
    ok(&[&scan[..], &["-o", arg(&out)]].concat());
    let (mut ended_early, mut without) = (0, 0);
    for round in 0..40 {
        let mut child = robocensus().args(["resolve", arg(&out)]).stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(3 + 7 * round % 120));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
        }
        ended_early += u32::from(!child.wait().unwrap().success());
        let manifest: serde_json::Value =
            serde_json::from_slice(&fs::read(out.join("manifest.json")).unwrap()).unwrap();
        let named = manifest["tables"].as_array().unwrap().iter().any(|table| table["name"] == "origins");
        without += u32::from(!named);
        for (name, bytes) in files(&out) {
            // What bears a final name is whole: the tables of the scan always, origins when there are any.
            if !name.split('/').any(|part| part.starts_with('.')) && name != "manifest.json" {
                assert!(before[&name] == bytes, "{name} is not as it should be");
            }
        }
        if named {
            assert!(files(&out).keys().filter(|name| name.starts_with("origins/")).count() > 3);
        }
    }
    assert!(ended_early > 0, "no run was ended early");
    assert!(without > 0, "every run had ended before");
    ok(&["resolve", arg(&out)]);
    assert_same(&expected, &out);
}

#[test]
fn mistakes_name_the_fix() {
    let folder = folder();
    let none = folder.path().join("none");
    let said = fails(&["resolve", arg(&none)], 1);
    assert!(said.contains("robocensus scan"), "{said}");
    for (more, code, expected) in [
        (&["--max-hops", "21"][..], 2, "0..=20"),
        (&["--memory", "1MiB"], 2, "at least 16.0 MiB"),
        (&["--threads", "0"], 2, "from 1 to"),
    ] {
        let said = fails(&[&["resolve", arg(&none)], more].concat(), code);
        assert!(said.contains(expected), "{more:?}: {said}");
    }
}
