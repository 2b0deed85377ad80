//! HTTP results that are taken otherwise than the dialects say, and `robocensus dialects`.

use crate::run::{arg, column, fails, folder, ok, repository, table};
use parquet::file::reader::{FileReader, SerializedFileReader};
use rep::{Dialect, Reason};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;

#[test]
fn results_are_taken_as_the_user_says() {
    let folder = folder();
    let (sample, plain, changed) =
        (repository("datasets/sample"), folder.path().join("plain"), folder.path().join("changed"));
    let scan = ["scan", arg(&sample), "--no-verdicts", "--dialect", "rfc9309,rep-1994", "-o"];
    ok(&[&scan[..], &[arg(&plain)]].concat());
    let options = ["--status-429", "unreachable", "--status-4xx", "undefined", "--no-answer", "full_allow"];
    ok(&[&scan[..], &[arg(&changed)], &options].concat());

    let outcomes = |out| {
        let captures = table(out, "captures");
        column(&captures, "reason").into_iter().zip(column(&captures, "outcome")).collect::<BTreeSet<_>>()
    };
    let pair = |reason: Reason, outcome: &str| (reason.as_str().to_owned(), outcome.to_owned());
    let expected = [
        (Reason::RateLimited, "full_allow", "full_disallow"),
        (Reason::Unavailable, "full_allow", "undefined"),
        (Reason::Forbidden, "full_allow", "undefined"),
        (Reason::NoAnswer, "full_disallow", "full_allow"),
        (Reason::Unreachable, "full_disallow", "full_disallow"),
        (Reason::Success, "conditional", "conditional"),
    ];
    let (before, after) = (outcomes(&plain), outcomes(&changed));
    for (reason, plain, changed) in expected {
        assert!(
            before.contains(&pair(reason, plain)) && after.contains(&pair(reason, changed)),
            "{reason:?} {after:?}"
        );
    }

    // In the other dialect a 5xx means full allow, and so does a 429 that is one.
    let outcomes = |out| {
        let rows = table(out, "outcomes");
        let keys = column(&rows, "dialect").into_iter().zip(column(&rows, "reason"));
        keys.zip(column(&rows, "outcome")).collect::<BTreeMap<_, _>>()
    };
    let (before, after) = (outcomes(&plain), outcomes(&changed));
    let outcome =
        |dialect: &Dialect, reason: Reason| after[&(dialect.name.to_owned(), reason.as_str().to_owned())].as_str();
    assert_eq!(outcome(&Dialect::RFC9309, Reason::RateLimited), "full_disallow");
    assert_eq!(outcome(&Dialect::REP_1994, Reason::RateLimited), "full_allow");
    assert_eq!(outcome(&Dialect::REP_1994, Reason::Unavailable), "undefined");
    assert_eq!(before.len(), after.len());
    assert_eq!(before.iter().filter(|(key, outcome)| after[*key] != **outcome).count(), 6);

    // What was done is told, and another run is refused.
    let metadata = |out: &std::path::Path| {
        let file = SerializedFileReader::new(File::open(out.join("captures/part-00000.parquet")).unwrap()).unwrap();
        let entries = file.metadata().file_metadata().key_value_metadata().unwrap().clone();
        entries.into_iter().find(|entry| entry.key == "robocensus.http").unwrap().value.unwrap()
    };
    assert_eq!(metadata(&plain), "");
    assert_eq!(metadata(&changed), "no_answer=full_allow,status_429=unreachable,status_4xx=undefined");
    let said = fails(&[&scan[..], &[arg(&plain)], &options[..2]].concat(), 1);
    assert!(said.contains(r#"http: {} there, {"status_429":"unreachable"} now"#), "{said}");
}

#[test]
fn meanings_are_checked() {
    let said = fails(&["scan", "x", "-o", "y", "--status-429", "closed"], 2);
    assert!(said.contains("unreachable") && said.contains("full_allow"), "{said}");
}

#[test]
fn dialects_are_printed() {
    let said = ok(&["dialects"]);
    for dialect in Dialect::ALL {
        assert!(said.contains(dialect.about), "{}", dialect.name);
    }
    assert!(ok(&["dialects", "google-before-2021"]).contains("a rule, sitemap or unknown line"));
    assert!(ok(&["dialects", "--markdown"]).starts_with("<!-- "));
    assert!(fails(&["dialects", "bing"], 2).contains("choose from rfc9309"));
}
