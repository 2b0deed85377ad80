//! Short files that parsers disagree on, as data: `testdata/tricky.jsonl`, one case a line, with what every dialect says of it.
//!
//! `answers` has verdict and line (0: none) for each agent and URL, agents in the outer loop. `{17000 a}` in a text stands for so
//! many times that letter.

// Tests say what they expect with unwrap and panics; there a panic is the report.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use rep::{Agent, Dialect, ask};
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// A case: agents and URLs multiplied out.
struct Case {
    id: String,
    body: Vec<u8>,
    questions: Vec<(Agent, String)>,
    answers: Value,
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap())
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/tricky.jsonl");
    let text = fs::read_to_string(path).unwrap();
    let case = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        assert!(row["about"].as_str().unwrap().ends_with('.'), "{line}");
        let body = match row["body"].as_str() {
            Some(text) => filled(text).into_bytes(),
            None => bytes_of(row["body_b64"].as_str().unwrap()),
        };
        let pairs = texts(&row["agents"]).flat_map(|agent| texts(&row["urls"]).map(move |url| (agent, url)));
        Case {
            id: row["id"].as_str().unwrap().to_owned(),
            body,
            questions: pairs.map(|(agent, url)| (Agent::bare(agent), filled(url))).collect(),
            answers: row["answers"].clone(),
        }
    };
    text.lines().map(case).collect()
}

/// `{3 a}` made `aaa`.
fn filled(text: &str) -> String {
    let Some((before, rest)) = text.split_once('{') else { return text.to_owned() };
    let (many, after) = rest.split_once('}').unwrap();
    let (count, letter) = many.split_once(' ').unwrap();
    format!("{before}{}{after}", letter.repeat(count.parse().unwrap()))
}

/// Base64 without its padding.
fn bytes_of(base64: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for digit in base64.bytes().filter(|digit| *digit != b'=') {
        bits = bits << 6 | DIGITS.iter().position(|known| *known == digit).unwrap() as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

/// Verdicts and lines of a case in a dialect.
fn answers(case: &Case, dialect: &'static Dialect) -> Vec<(&'static str, u64)> {
    let answer = |(agent, url): &(Agent, String)| {
        let decision = ask(&case.body, agent, url.as_bytes(), dialect).decision;
        (decision.verdict.as_str(), u64::from(decision.line))
    };
    case.questions.iter().map(answer).collect()
}

#[test]
fn every_dialect_says_what_is_written() {
    let cases = cases();
    assert_eq!(cases.len(), 89);
    let mut wrong = Vec::new();
    let mut asked = 0;
    for case in &cases {
        assert_eq!(case.answers.as_object().unwrap().len(), Dialect::ALL.len(), "{}", case.id);
        for dialect in Dialect::ALL {
            let expected: Vec<(&str, u64)> = case.answers[dialect.name]
                .as_array()
                .unwrap()
                .iter()
                .map(|answer| (answer[0].as_str().unwrap(), answer[1].as_u64().unwrap()))
                .collect();
            let found = answers(case, dialect);
            asked += found.len();
            if found != expected {
                wrong.push(format!("{} in {}: {found:?}, not {expected:?}", case.id, dialect.name));
            }
        }
    }
    assert_eq!(asked, 154 * Dialect::ALL.len());
    assert!(wrong.is_empty(), "{} of {asked}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What three parsers answered when the cases were put to them.
#[test]
fn three_dialects_are_those_parsers() {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let file =
        above.find_map(|folder| Some(folder.join("shared/spec/tricky-cases.jsonl")).filter(|path| path.exists()));
    let Some(file) = file else {
        eprintln!("skipped: the shared collection is not here");
        return;
    };
    let text = fs::read_to_string(file).unwrap();
    let recorded: HashMap<String, Value> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|row| (row["id"].as_str().unwrap().replace('_', "-"), row))
        .collect();
    let cases = cases();
    assert_eq!(recorded.len(), cases.len());
    for case in &cases {
        let row = &recorded[&case.id];
        for dialect in [&Dialect::GOOGLE, &Dialect::GOOGLE_BEFORE_2021, &Dialect::PYTHON] {
            let verdicts: Vec<&str> = answers(case, dialect).iter().map(|(verdict, _)| *verdict).collect();
            assert!(texts(&row["answers"][dialect.name]).eq(verdicts), "{} in {}", case.id, dialect.name);
        }
        let lines = row["google_line"].as_array().unwrap().iter().map(|line| line.as_u64().unwrap());
        assert!(lines.eq(answers(case, &Dialect::GOOGLE).iter().map(|(_, line)| *line)), "{}", case.id);
    }
}
