//! The examples of the specification texts, as data: `testdata/*.jsonl`, one case a line, each with its dialects.
//! The number at the start of an id is the clause of the specification.

// Tests say what they expect with unwrap and panics; there a panic is the report.
#![allow(clippy::unwrap_used, clippy::panic)]

use rep::http::{Answer, Circumstances};
use rep::{Agent, Dialect, ask};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The cases of a file that speak of dialects known here, each with one of them.
fn cases(file: &str) -> Vec<(Value, &'static Dialect)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(file);
    let text = fs::read_to_string(path).unwrap();
    let mut cases = Vec::new();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        for name in case["dialects"].as_array().unwrap() {
            if let Some(dialect) = Dialect::named(name.as_str().unwrap()) {
                cases.push((case.clone(), dialect));
            }
        }
    }
    cases
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_else(|| panic!("{key} in {case}"))
}

/// Runs all cases of a file and reports every one that fails.
fn check(file: &str, expected: usize, fails: impl Fn(&Value, &'static Dialect) -> Option<String>) {
    let cases = cases(file);
    assert_eq!(cases.len(), expected, "cases in {file}");
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|(case, dialect)| Some(format!("{} in {}: {}", case["id"], dialect.name, fails(case, dialect)?)))
        .collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn differs(got: &str, expected: &str) -> Option<String> {
    (got != expected).then(|| format!("{got}, not {expected}"))
}

#[test]
fn verdicts() {
    check("vectors.jsonl", 1_843, |case, dialect| {
        let agent = Agent::bare(text(case, "agent"));
        let answer = ask(text(case, "body").as_bytes(), &agent, text(case, "url").as_bytes(), dialect);
        differs(answer.decision.verdict.as_str(), text(case, "expect"))
    });
}

#[test]
fn crawlers_with_chains() {
    check("agent-vectors.jsonl", 208, |case, dialect| {
        let agent = &case["agent"];
        let agent = Agent {
            token: text(agent, "token").to_owned(),
            fallbacks: agent["fallbacks"].as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned()).collect(),
            follows_star: agent["follows_star"].as_bool().unwrap(),
        };
        let answer = ask(text(case, "body").as_bytes(), &agent, text(case, "url").as_bytes(), dialect);
        differs(answer.decision.verdict.as_str(), text(case, "expect"))
            .or_else(|| differs(answer.basis.as_str(), text(case, "basis")))
    });
}

#[test]
fn origins() {
    check("origin-vectors.jsonl", 380, |case, _| {
        let applies = rep::origin::rules(text(case, "robots_url"), text(case, "url"));
        differs(&applies.to_string(), &case["applies"].to_string())
    });
}

#[test]
fn http_outcomes() {
    check("http-vectors.jsonl", 439, |case, dialect| {
        let chain: Vec<Answer<'_>> = case["chain"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| Answer {
                url: text(step, "url"),
                status: step["status"].as_i64().unwrap() as i16,
                location: step["location"].as_str(),
                body: step["body"].as_str().map(str::as_bytes),
                disallowed: step["disallowed"].as_bool().unwrap_or(false),
            })
            .collect();
        let circumstances = Circumstances {
            unreachable_days: case["unreachable_days"].as_u64().unwrap_or(0) as u32,
            cached: case["cached"].as_bool().unwrap_or(false),
            missing_is_5xx: case["missing_is_5xx"].as_bool().unwrap_or(false),
        };
        let result = rep::http::outcome(&chain, circumstances, dialect);
        let final_url = result.text.map(|at| chain[at].url);
        differs(result.outcome.as_str(), text(case, "outcome"))
            .or_else(|| (final_url != case["final_url"].as_str()).then(|| format!("text from {final_url:?}")))
    });
}
