//! `scan` from outside: the same bytes whoever does the work and however often it is ended, and clear refusals.

use crate::run::{arg, assert_same, column, fails, files, folder, ok, repository, robocensus, run, table};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

/// A snapshot of some shards' worth: about 6 MB in 24 files.
fn snapshot(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("snapshot");
    ok(&["synth", arg(&path), "--captures", "12000", "--files", "24", "--seed", "11"]);
    path
}

#[test]
fn the_sample_gives_tables_that_agree_with_each_other() {
    let folder = folder();
    let out = folder.path().join("out");
    let said = ok(&["scan", arg(&repository("datasets/sample")), "-o", arg(&out), "--dialect", "rfc9309,google"]);
    assert!(said.contains(" captures from "), "{said}");
    let captures = table(&out, "captures");
    let bodies = table(&out, "bodies");
    let keys = column(&bodies, "body_key");
    let status = column(&captures, "fetch_status");
    for (row, key) in column(&captures, "body_key").iter().enumerate() {
        let is_2xx = status[row].starts_with('2') && status[row].len() == 3;
        assert_eq!(key != "-", is_2xx, "row {row}: status {} and body_key {key}", status[row]);
        assert!(key == "-" || keys.contains(key), "row {row}: no body {key}");
    }
    for name in ["verdicts", "sitemaps"] {
        for key in column(&table(&out, name), "body_key") {
            assert!(keys.contains(&key), "{name}: no body {key}");
        }
    }
    let kinds = column(&bodies, "body_kind");
    for kind in ["robots", "empty", "comments_only", "html", "xml", "json", "binary", "other_text"] {
        assert!(kinds.iter().any(|found| found == kind), "the sample holds no {kind} body");
    }
    let outcomes = column(&captures, "outcome");
    for outcome in ["conditional", "full_allow", "full_disallow", "redirect"] {
        assert!(outcomes.iter().any(|found| found == outcome), "the sample holds no {outcome}");
    }
}

#[test]
fn threads_do_not_show() {
    let folder = folder();
    let snapshot = snapshot(folder.path());
    let outs = ["1", "2", "5"].map(|threads| {
        let out = folder.path().join(threads);
        ok(&["scan", arg(&snapshot), "-o", arg(&out), "--threads", threads, "--shard-size", "256KiB", "--rules"]);
        out
    });
    assert_same(&outs[0], &outs[1]);
    assert_same(&outs[0], &outs[2]);
    assert!(files(&outs[0]).len() > 40, "too few shards to show anything");
}

#[test]
fn a_killed_run_goes_on_and_ends_the_same() {
    let folder = folder();
    let snapshot = snapshot(folder.path());
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    let scan = |out: &Path| {
        let mut command = robocensus();
        command.args(["scan", arg(&snapshot), "-o", arg(out), "--shard-size", "256KiB", "--keep-bodies"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    assert!(scan(&whole).status().unwrap().success());
    let mut ended_early = 0;
    for round in 0..20 {
        let mut child = scan(&killed).spawn().unwrap();
        thread::sleep(Duration::from_millis(5 + 17 * round % 90));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
        }
        ended_early += u32::from(!child.wait().unwrap().success());
        if !killed.exists() {
            continue;
        }
        // Whatever bears a final name is whole, at any moment.
        for (name, bytes) in files(&killed) {
            if name.starts_with("captures/part-") && name.ends_with(".parquet") {
                assert!(bytes.ends_with(b"PAR1"), "{name} is not complete");
            }
        }
        if killed.join("manifest.json").exists() {
            break;
        }
    }
    assert!(ended_early > 0, "no run was ended early");
    assert!(scan(&killed).status().unwrap().success());
    assert_same(&whole, &killed);
}

#[test]
fn shards_of_a_job_array_make_the_whole() {
    let folder = folder();
    let snapshot = snapshot(folder.path());
    let scan = |out: &Path, more: &[&str]| {
        let mut args = vec!["scan", arg(&snapshot), "-o", arg(out), "--shard-size", "1MiB"];
        args.extend(more);
        ok(&args);
    };
    let whole = folder.path().join("whole");
    scan(&whole, &["--no-resolve"]);
    let mut together = std::collections::BTreeMap::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let out = folder.path().join(shard.replace('/', "-"));
        scan(&out, &["--shard", shard]);
        together.extend(files(&out).into_iter().filter(|(name, _)| name.contains("/part-")));
    }
    let whole: std::collections::BTreeMap<_, _> =
        files(&whole).into_iter().filter(|(name, _)| name.contains("/part-")).collect();
    assert!(whole.len() > 10);
    assert!(whole == together, "the parts of three jobs are not those of one");
}

#[test]
fn a_sample_keeps_whole_sites() {
    let folder = folder();
    let snapshot = snapshot(folder.path());
    let (all, some) = (folder.path().join("all"), folder.path().join("some"));
    ok(&["scan", arg(&snapshot), "-o", arg(&all)]);
    ok(&["scan", arg(&snapshot), "-o", arg(&some), "--sample", "1/10"]);
    let urls = |out: &Path| {
        let captures = table(out, "captures");
        let mut rows: Vec<_> = column(&captures, "url_host_registered_domain")
            .into_iter()
            .zip(column(&captures, "url_host_name"))
            .zip(column(&captures, "url"))
            .collect();
        rows.sort();
        rows
    };
    let site = |row: &((String, String), String)| if row.0.0 == "-" { row.0.1.clone() } else { row.0.0.clone() };
    let (all, some) = (urls(&all), urls(&some));
    let kept: std::collections::HashSet<String> = some.iter().map(site).collect();
    let expected: Vec<_> = all.iter().filter(|row| kept.contains(&site(row))).cloned().collect();
    assert_eq!(some, expected);
    let share = some.len() as f64 / all.len() as f64;
    assert!((0.05..0.2).contains(&share), "{share} of the captures");
}

#[test]
fn verdicts_in_the_long_form_say_the_same() {
    let folder = folder();
    let (agents, probes) = (folder.path().join("agents.txt"), folder.path().join("probes.txt"));
    fs::write(&agents, "GPTBot\nGooglebot\nExampleBot\n").unwrap();
    fs::write(&probes, "/\n/search?q=x\nhttps://example.com/wp-admin/\n").unwrap();
    let out = folder.path().join("out");
    let sample = repository("datasets/sample");
    ok(&[
        "scan",
        arg(&sample),
        "-o",
        arg(&out),
        "--verdicts",
        "long",
        "--agents",
        arg(&agents),
        "--probes",
        arg(&probes),
    ]);
    let (short, long) = (table(&out, "verdicts"), table(&out, "verdicts_long"));
    let mut expected = Vec::new();
    let columns = ["body_key", "agents", "disallowed", "lines", "basis"].map(|name| column(&short, name));
    for (row, key) in columns[0].iter().enumerate() {
        let list = |column: usize| -> Vec<String> {
            columns[column][row]
                .trim_matches(['[', ']'])
                .split(' ')
                .filter(|s| !s.is_empty())
                .map(str::to_owned)
                .collect()
        };
        for agent in list(1) {
            for (probe, line) in list(3).iter().enumerate() {
                let verdict = if list(2).contains(&probe.to_string()) { "disallow" } else { "allow" };
                expected.push(format!("{key} {agent} {probe} {verdict} {line} {}", columns[4][row]));
            }
        }
    }
    let columns = ["body_key", "agent_id", "probe_id", "verdict", "line", "basis"].map(|name| column(&long, name));
    let mut found: Vec<String> = (0..columns[0].len())
        .map(|row| columns.iter().map(|column| column[row].as_str()).collect::<Vec<_>>().join(" "))
        .collect();
    found.sort();
    expected.sort();
    assert!(!found.is_empty());
    assert_eq!(found, expected);
}

#[test]
fn another_run_is_refused_with_the_difference() {
    let folder = folder();
    let out = folder.path().join("out");
    let sample = repository("datasets/sample");
    let scan = ["scan", arg(&sample), "-o", arg(&out)];
    ok(&scan);
    let before = files(&out);
    let said = ok(&scan);
    assert!(said.contains("nothing to do"), "{said}");
    let with = |more: &[&'static str]| -> Vec<&str> { scan.iter().copied().chain(more.iter().copied()).collect() };
    let said = fails(&with(&["--dialect", "google"]), 1);
    assert!(said.contains(r#"dialects: ["rfc9309"] there, ["google"] now"#) && said.contains("--overwrite"), "{said}");
    assert!(files(&out) == before, "a refused run changed something");
    ok(&with(&["--dialect", "google", "--overwrite"]));
    assert!(files(&out) != before);
    ok(&with(&["--overwrite"]));
    assert!(files(&out) == before, "overwriting back does not give the same bytes");
}

#[test]
fn mistakes_exit_2_and_name_the_fix() {
    let folder = folder();
    let out = folder.path().join("out");
    let sample = repository("datasets/sample");
    let bad_agents = folder.path().join("agents.toml");
    fs::write(&bad_agents, "[[agent]]\ntokn = \"x\"\n").unwrap();
    let bad_probes = folder.path().join("probes.txt");
    fs::write(&bad_probes, "/\nfoo\n").unwrap();
    let table = repository("datasets/sample-parquet");
    let cases: [(&[&str], &str); 11] = [
        (&["no/such/file.warc.gz"], "no/such/file.warc.gz"),
        (&[arg(&sample), "--dialect", "bing"], "choose from rfc9309, google"),
        (&[arg(&sample), "--sample", "3"], "1/100"),
        (&[arg(&sample), "--shard", "9/8"], "from 1 to 8"),
        (&[arg(&sample), "--shard-size", "lots"], "64MiB"),
        (&[arg(&sample), "--threads", "0"], "from 1 to"),
        (&[arg(&sample), "--agents", arg(&bad_agents)], "agents.toml"),
        (&[arg(&sample), "--probes", arg(&bad_probes)], "probes.txt"),
        (&[arg(folder.path())], "no WARC or Parquet"),
        (&[arg(&table), "--body-column", "nope"], "content_type"),
        (&[arg(&sample), "--body-column", "body"], "no input is one"),
    ];
    for (args, expected) in cases {
        let mut all = vec!["scan", "-o", arg(&out)];
        all.extend(args);
        let said = fails(&all, 2);
        assert!(said.contains(expected), "{args:?} said: {said}");
        assert!(!out.exists(), "{args:?} made the output folder");
    }
}

#[test]
fn a_foreign_or_read_only_folder_is_left_alone() {
    let folder = folder();
    let sample = repository("datasets/sample");
    let foreign = folder.path().join("thesis");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("chapter1.tex"), "x").unwrap();
    let said = fails(&["scan", arg(&sample), "-o", arg(&foreign)], 1);
    assert!(said.contains("chapter1.tex"), "{said}");
    assert_eq!(files(&foreign).len(), 1);
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    let said = fails(&["scan", arg(&sample), "-o", arg(&file)], 1);
    assert!(said.contains("not a folder"), "{said}");
}

#[test]
fn the_input_is_never_taken_for_output() {
    let folder = folder();
    let out = folder.path().join("out");
    ok(&["scan", arg(&repository("datasets/sample")), "-o", arg(&out), "--keep-bodies"]);
    let before = files(&out);
    let own = out.join("bodies");
    let said = fails(&["scan", arg(&own), "-o", arg(&out), "--overwrite"], 2);
    assert!(said.contains("lies in the output folder"), "{said}");
    assert!(files(&out) == before, "a refused run changed something");
}

#[test]
fn files_of_others_stay() {
    let folder = folder();
    let sample = repository("datasets/sample");
    let extension = folder.path().join("extension");
    fs::create_dir(&extension).unwrap();
    fs::write(extension.join("manifest.json"), r#"{"manifest_version": 3, "name": "not ours"}"#).unwrap();
    for more in [&[][..], &["--overwrite"]] {
        let mut args = vec!["scan", arg(&sample), "-o", arg(&extension)];
        args.extend(more);
        let said = fails(&args, 1);
        assert!(said.contains("manifest.json"), "{said}");
        assert_eq!(files(&extension).len(), 1);
    }
    let beside = folder.path().join("beside");
    ok(&["scan", arg(&sample), "-o", arg(&beside)]);
    fs::write(beside.join("_shards/precious.txt"), "x").unwrap();
    fs::write(beside.join("thesis.tex"), "x").unwrap();
    ok(&["scan", arg(&sample), "-o", arg(&beside), "--overwrite"]);
    let names: Vec<String> = files(&beside).into_keys().collect();
    assert!(
        names.contains(&"_shards/precious.txt".to_owned()) && names.contains(&"thesis.tex".to_owned()),
        "{names:?}"
    );
}

#[test]
fn what_is_missing_or_left_over_is_mended() {
    let folder = folder();
    let snapshot = snapshot(folder.path());
    let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
    let scan = |out: &Path, size: &str| ok(&["scan", arg(&snapshot), "-o", arg(out), "--shard-size", size]);
    scan(&whole, "1MiB");
    // A finished output that lost a file.
    scan(&out, "1MiB");
    fs::remove_file(out.join("agents.parquet")).unwrap();
    fs::remove_file(out.join("captures/part-00001.parquet")).unwrap();
    scan(&out, "1MiB");
    assert_same(&whole, &out);
    // One whose removal was ended half-way: parts of a plan with more shards are there, and nothing that speaks for them.
    scan(&out.with_extension("b"), "256KiB");
    let b = out.with_extension("b");
    for (name, _) in files(&b) {
        if name == "manifest.json" || name.starts_with("_shards/0") {
            fs::remove_file(b.join(name)).unwrap();
        }
    }
    let said = fails(&["scan", arg(&snapshot), "-o", arg(&b), "--shard-size", "1MiB"], 1);
    assert!(said.contains("shard_size"), "{said}");
    ok(&["scan", arg(&snapshot), "-o", arg(&b), "--shard-size", "1MiB", "--overwrite"]);
    assert_same(&whole, &b);
}

#[test]
fn an_input_that_failed_is_tried_again() {
    let folder = folder();
    let snapshot = folder.path().join("in");
    ok(&["synth", arg(&snapshot), "--captures", "400", "--files", "2"]);
    let (name, _) = files(&snapshot).into_iter().find(|(name, _)| name.ends_with(".warc.gz")).unwrap();
    let file = snapshot.join(name);
    let (good, out) = (folder.path().join("good"), folder.path().join("out"));
    ok(&["scan", arg(&snapshot), "-o", arg(&good)]);
    // The same size and time, but bytes that cannot be read.
    let modified = fs::metadata(&file).unwrap().modified().unwrap();
    let bytes = fs::read(&file).unwrap();
    let set = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        fs::File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
    };
    set(&vec![b'x'; bytes.len()]);
    let said = fails(&["scan", arg(&snapshot), "-o", arg(&out)], 3);
    assert!(said.contains("not-a-warc: it looks like"), "{said}");
    set(&bytes);
    ok(&["scan", arg(&snapshot), "-o", arg(&out)]);
    assert_same(&good, &out);
}

#[test]
fn unreadable_inputs_count_against_the_budget() {
    let folder = folder();
    let sample = folder.path().join("in");
    ok(&["synth", arg(&sample), "--captures", "500", "--files", "1"]);
    let good = files(&sample).into_iter().find(|(name, _)| name.ends_with(".warc.gz")).unwrap().1;
    let cut = folder.path().join("cut.warc.gz");
    fs::write(&cut, &good[..good.len() * 2 / 3]).unwrap();
    let out = folder.path().join("out");
    let output = run(&["scan", arg(&cut), "-o", arg(&out), "--log", "json"]);
    assert_eq!(output.status.code(), Some(3));
    let log = String::from_utf8(output.stderr).unwrap();
    let events: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(events.iter().any(|event| event["event"] == "incomplete" && event["input"] == "cut.warc.gz"), "{log}");
    assert!(events.iter().any(|event| event["event"] == "done" && event["exit"] == 3), "{log}");
    let problems = table(&out, "problems");
    assert_eq!(column(&problems, "code"), ["file-truncated"]);
    assert_eq!(column(&problems, "input"), ["cut.warc.gz"]);
    let captures = table(&out, "captures").iter().map(|batch| batch.num_rows()).sum::<usize>();
    assert!((250..500).contains(&captures), "{captures} captures");
    let second = folder.path().join("second");
    assert_eq!(run(&["scan", arg(&cut), "-o", arg(&second), "--max-errors", "1"]).status.code(), Some(0));
}

#[test]
fn standard_input_is_read_like_a_file() {
    let folder = folder();
    let snapshot = folder.path().join("in");
    ok(&["synth", arg(&snapshot), "--captures", "300", "--files", "1"]);
    let (name, bytes) = files(&snapshot).into_iter().find(|(name, _)| name.ends_with(".warc.gz")).unwrap();
    let (by_name, by_pipe) = (folder.path().join("file"), folder.path().join("pipe"));
    ok(&["scan", arg(&snapshot.join(&name)), "-o", arg(&by_name)]);
    let mut child = robocensus()
        .args(["scan", "-", "-o", arg(&by_pipe)])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &bytes).unwrap();
    assert!(child.wait().unwrap().success());
    // Nobody can say whether the next standard input is the same.
    let mut again = robocensus()
        .args(["scan", "-", "-o", arg(&by_pipe)])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(again.wait().unwrap().code(), Some(1));
    for name in ["url", "warc_record_offset", "warc_record_length", "body_id"] {
        assert_eq!(column(&table(&by_name, "captures"), name), column(&table(&by_pipe, "captures"), name));
    }
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = folder();
    let out = folder.path().join("out");
    let said = ok(&["scan", arg(&repository("datasets/sample")), "-o", arg(&out), "--dry-run"]);
    assert!(said.contains("shard of about") && said.contains("agents"), "{said}");
    assert!(!out.exists());
}
