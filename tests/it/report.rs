//! Reports: every figure against DuckDB, the page, and what is refused.

use crate::run::{arg, assert_same, fails, files, folder, ok, repository, run};
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Captures of the crawls: 1,500, or as many as `ROBOCENSUS_REPORT_CAPTURES` says.
fn captures() -> String {
    std::env::var("ROBOCENSUS_REPORT_CAPTURES").unwrap_or_else(|_| "1500".to_owned())
}

/// A crawl with every odd case, scanned; `options` are those of the scan.
fn scanned(folder: &Path, options: &[&str]) -> std::path::PathBuf {
    let crawl = folder.join("crawl");
    if !crawl.exists() {
        ok(&[
            "synth",
            arg(&crawl),
            "--captures",
            &captures(),
            "--seed",
            "7",
            "--odd",
            arg(&repository("datasets/odd")),
        ]);
    }
    let out = folder.join(format!("out{}", options.concat().replace(['/', ','], "-")));
    let mut args = vec!["scan", arg(&crawl), "-o", arg(&out), "--progress", "never", "--shard-size", "512KiB"];
    args.extend(options);
    ok(&args);
    out
}

/// Runs a script of the repository; `None` and a note when python3 or duckdb is not there.
fn script(name: &str, args: &[&Path]) -> Option<String> {
    let path = repository("scripts").join(name);
    let output = match Command::new("python3").arg(path).args(args).output() {
        Ok(output) => output,
        Err(_) => {
            eprintln!("skipped: no python3 here");
            return None;
        }
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.code() == Some(77) {
        eprintln!("skipped: python3 lacks the duckdb package");
        return None;
    }
    assert!(output.status.success(), "{name}: {said}{}", String::from_utf8_lossy(&output.stderr));
    Some(said)
}

/// A list of ranks and one of weights that name some hosts of the crawl.
fn lists(out: &Path, folder: &Path) -> (std::path::PathBuf, std::path::PathBuf) {
    let hosts = crate::run::column(&crate::run::table(out, "origins"), "url_host_name");
    let (mut ranks, mut weights) = (String::new(), "host,weight\n".to_owned());
    let mut seen = HashSet::new();
    for (at, host) in hosts.iter().filter(|host| *host != "-" && seen.insert((*host).clone())).enumerate() {
        if at % 3 == 0 {
            // Ranks in every stratum and beyond the last.
            ranks += &format!("{},{host}\n", [1, 999, 1_001, 50_000, 999_999, 2_000_000][at / 3 % 6] + at);
        }
        if at % 2 == 0 {
            weights += &format!("{host},{}\n", at * 17 % 1_000);
        }
    }
    let (ranks_file, weights_file) = (folder.join("ranks.csv"), folder.join("weights.csv"));
    fs::write(&ranks_file, ranks).unwrap();
    fs::write(&weights_file, weights).unwrap();
    (ranks_file, weights_file)
}

#[test]
fn every_figure_equals_that_of_duckdb() {
    let folder = folder();
    let whole = scanned(folder.path(), &["--dialect", "rfc9309,google,python"]);
    let sample = scanned(folder.path(), &["--sample", "1/3"]);
    let bare = scanned(folder.path(), &["--no-verdicts"]);
    let (ranks, weights) = lists(&whole, folder.path());
    let cases: [(&Path, Vec<&str>); 8] = [
        (&whole, vec![]),
        (&whole, vec!["--dialect", "python", "--by", "purpose"]),
        (&whole, vec!["--by", "tld", "--weights", arg(&weights)]),
        (&whole, vec!["--by", "rank", "--ranks", arg(&ranks)]),
        (&whole, vec!["--by", "template", "--dialect", "google"]),
        (&sample, vec![]),
        (&sample, vec!["--by", "tld"]),
        (&bare, vec!["--weights", arg(&weights)]),
    ];
    for (number, (out, options)) in cases.iter().enumerate() {
        let report = folder.path().join(format!("report-{number}"));
        let mut args = vec!["report", arg(out), "-o", arg(&report)];
        args.extend(options);
        ok(&args);
        let Some(said) = script("figures_in_duckdb.py", &[&report]) else { return };
        assert!(said.ends_with("figures, 0 differ\n"), "{options:?}: {said}");
        let empty: Vec<&str> = said.lines().filter(|line| line.ends_with(": 0 rows")).collect();
        assert!(empty.len() <= 3, "{options:?}: {empty:?}");
    }
}

#[test]
fn the_worked_questions_run() {
    let folder = folder();
    let out = scanned(folder.path(), &[]);
    let views = folder.path().join("views.sql");
    fs::write(&views, ok(&["views", arg(&out)])).unwrap();
    let page = repository("docs/queries.md");
    let Some(said) = script("queries_in_duckdb.py", &[&page, &views]) else { return };
    assert!(said.ends_with("20 queries, 0 failed\n"), "{said}");
}

#[test]
fn the_same_tables_give_the_same_report() {
    let folder = folder();
    let out = scanned(folder.path(), &[]);
    let (one, four) = (folder.path().join("one"), folder.path().join("four"));
    ok(&["report", arg(&out), "-o", arg(&one), "--by", "tld", "--threads", "1"]);
    ok(&["report", arg(&out), "-o", arg(&four), "--by", "tld", "--threads", "4"]);
    assert_same(&one, &four);
    ok(&["report", arg(&out), "-o", arg(&four), "--by", "tld"]);
    assert_same(&one, &four);
}

#[test]
fn files_and_page_hold_every_figure() {
    let folder = folder();
    let out = scanned(folder.path(), &["--sample", "1/2"]);
    let report = folder.path().join("report");
    let said = ok(&["report", arg(&out), "-o", arg(&report), "--by", "template"]);
    assert!(said.contains("sample     1/2 of all sites"), "{said}");
    let json: serde_json::Value = serde_json::from_slice(&fs::read(report.join("report.json")).unwrap()).unwrap();
    let page = fs::read_to_string(report.join("index.html")).unwrap();
    let names = files(&report);
    let figures = json["figures"].as_array().unwrap();
    assert!(figures.len() >= 27, "{}", figures.len());
    for figure in figures {
        let id = figure["id"].as_str().unwrap();
        let rows = figure["rows"].as_array().unwrap();
        let csv = std::str::from_utf8(&names[&format!("figures/{id}.csv")]).unwrap().to_owned();
        assert_eq!(csv.lines().count(), rows.len() + 1, "{id}");
        assert!(names.contains_key(&format!("figures/{id}.parquet")), "{id}");
        assert!(page.contains(&format!("<article id=\"{id}\"")), "{id}");
        // Shares of a sample come with an interval that holds them.
        for row in rows.iter().filter(|_| figure["columns"].as_array().unwrap().contains(&"low".into())) {
            let number = |name: &str| {
                let at = figure["columns"].as_array().unwrap().iter().position(|column| column == name).unwrap();
                row[at].as_f64().unwrap()
            };
            assert!(number("low") <= number("share") && number("share") <= number("high"), "{id}: {row}");
            assert!(number("count") <= number("total"), "{id}: {row}");
        }
    }
    for word in ["origins", "domains", "captures", "bodies"] {
        assert!(json["totals"][word].as_u64().unwrap() > 0, "{word}");
    }
    // A page that needs nothing else: what it links to is in it.
    for reference in [" src=", "href=\"http", "@import", "url("] {
        assert!(!page.contains(reference), "{reference}");
    }
    let ids: HashSet<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    for link in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(ids.contains(link), "#{link}");
    }
    assert_eq!(ids.len(), page.matches(" id=\"").count(), "an id that is there twice");
}

#[test]
fn what_cannot_be_reported_on_is_refused_with_a_way_out() {
    let folder = folder();
    let none = folder.path().join("none");
    fs::create_dir(&none).unwrap();
    let report = folder.path().join("report");
    let refused = fails(&["report", arg(&none), "-o", arg(&report)], 1);
    assert!(refused.contains("no finished scan"), "{refused}");
    let out = scanned(folder.path(), &[]);
    let refused = fails(&["report", arg(&out), "-o", arg(&out)], 2);
    assert!(refused.contains("folder of the tables"), "{refused}");
    let refused = fails(&["report", arg(&out), "-o", arg(&report), "--by", "rank"], 2);
    assert!(refused.contains("--ranks"), "{refused}");
    let refused = fails(&["report", arg(&out), "-o", arg(&report), "--dialect", "google"], 2);
    assert!(refused.contains("did not read with the dialect `google`; it has rfc9309"), "{refused}");
    let refused = fails(&["views", arg(&out), "--figure", "nothing"], 2);
    assert!(refused.contains("there are counted, coverage"), "{refused}");
    let bad = folder.path().join("bad.csv");
    fs::write(&bad, "example.com,many\nexample.org,few\n").unwrap();
    let refused = fails(&["report", arg(&out), "-o", arg(&report), "--weights", arg(&bad)], 2);
    assert!(refused.contains("line 2"), "{refused}");

    fs::remove_dir_all(out.join("origins")).unwrap();
    let refused = fails(&["report", arg(&out), "-o", arg(&report)], 1);
    assert!(refused.contains("robocensus resolve"), "{refused}");
    assert!(!report.join("index.html").exists());
}

#[test]
fn a_damaged_table_is_told() {
    let folder = folder();
    let out = scanned(folder.path(), &[]);
    let part = out.join("bodies/part-00000.parquet");
    let mut bytes = fs::read(&part).unwrap();
    let middle = bytes.len() / 2;
    bytes.truncate(middle);
    fs::write(&part, bytes).unwrap();
    let refused = fails(&["report", arg(&out), "-o", arg(&folder.path().join("report"))], 1);
    assert!(refused.contains("is damaged") && refused.contains("part-00000"), "{refused}");
}

#[test]
fn views_come_for_both_engines() {
    let folder = folder();
    let out = scanned(folder.path(), &[]);
    let duckdb = ok(&["views", arg(&out)]);
    let spark = ok(&["views", arg(&out), "--engine", "spark"]);
    for view in ["captures", "origins", "verdict_long", "access_long", "site_access", "site_verdict"] {
        assert!(duckdb.contains(&format!("CREATE OR REPLACE VIEW {view} AS")), "{view}");
        assert!(spark.contains(&format!("CREATE OR REPLACE TEMPORARY VIEW {view} AS")), "{view}");
    }
    assert!(!spark.contains("read_parquet") && !spark.contains("unnest") && !spark.contains("::"), "{spark}");
    let query = ok(&["views", arg(&out), "--figure", "ai_closed"]);
    assert!(query.starts_with("-- ai_closed\n") && query.contains("policy_access"), "{query}");
    assert!(run(&["views", arg(&out), "--figure", "all"]).status.success());
}
