//! Both dialects of Google's parser against its recorded answers: verdict, deciding line, named.

use crate::shared;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rep::{Agent, AgentIndex, Basis, Decisions, Dialect, Document, Paths, Selection, Verdict};
use std::collections::HashMap;

/// Answers for agents x URLs of one body: allowed, line, named; agents in the outer loop.
fn answers(body: &[u8], agents: &[&str], urls: &[&str], dialect: &'static Dialect) -> Vec<(bool, u32, bool)> {
    let robots = Document::parse(body).read(dialect);
    let agents: Vec<Agent> = agents.iter().map(|token| Agent::bare(*token)).collect();
    let mut selection = Selection::default();
    selection.select(&robots, &AgentIndex::new(&agents, dialect));
    let mut decisions = Decisions::default();
    decisions.evaluate(&robots, &selection, &Paths::new(urls.iter().map(|url| url.as_bytes()), dialect));
    let mut answers = vec![None; agents.len() * urls.len()];
    for (number, set) in selection.sets().iter().enumerate() {
        for agent in selection.agents_of(set) {
            for (url, decision) in decisions.of_set(number).iter().enumerate() {
                let answer = (decision.verdict == Verdict::Allow, decision.line, set.basis == Basis::Named);
                let slot = &mut answers[*agent as usize * urls.len() + url];
                assert_eq!(*slot, None, "an agent in two rule sets");
                *slot = Some(answer);
            }
        }
    }
    answers.into_iter().map(|answer| answer.expect("an agent in no rule set")).collect()
}

#[test]
fn real_bodies() {
    let Some(verdicts) = shared::path("data/golden/google-verdicts.tsv.zst") else { return };
    let Some(differences) = shared::path("data/golden/google-before-2021-differences.tsv.zst") else { return };
    let before_2021: HashMap<String, Expected> = shared::zst_lines(&differences)
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            (cells[..3].join("\t"), expected(&cells))
        })
        .collect();
    assert!(!before_2021.is_empty());
    let mut used = 0;
    let Some(bodies) = shared::bodies() else { return };
    let bodies: HashMap<String, Vec<u8>> = bodies.collect();
    let mut asked = 0;
    let mut wrong = Vec::new();
    let mut check = |body: &str, rows: &mut Vec<Row>| {
        // One evaluation a body: as many agents and URLs as were asked of it.
        let mut agents: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
        let mut urls: Vec<&str> = rows.iter().map(|row| row.1.as_str()).collect();
        for list in [&mut agents, &mut urls] {
            list.sort_unstable();
            list.dedup();
        }
        let today = answers(&bodies[body], &agents, &urls, &Dialect::GOOGLE);
        let before = answers(&bodies[body], &agents, &urls, &Dialect::GOOGLE_BEFORE_2021);
        for (agent, url, expected) in rows.iter() {
            asked += 1;
            let at = agents.binary_search(&agent.as_str()).unwrap() * urls.len()
                + urls.binary_search(&url.as_str()).unwrap();
            let differs = before_2021.get(&format!("{body}\t{agent}\t{url}"));
            used += usize::from(differs.is_some());
            for (found, expected) in [(today[at], expected), (before[at], differs.unwrap_or(expected))] {
                if found != *expected {
                    wrong.push(format!("{body} {agent} {url}: {found:?}, not {expected:?}"));
                }
            }
        }
        rows.clear();
    };
    let (mut current, mut rows) = (String::new(), Vec::new());
    for line in shared::zst_lines(&verdicts) {
        let cells: Vec<&str> = line.split('\t').collect();
        if cells[0] != current {
            check_if_any(&mut check, &current, &mut rows);
            current = cells[0].to_owned();
        }
        rows.push((cells[1].to_owned(), cells[2].to_owned(), expected(&cells)));
    }
    check_if_any(&mut check, &current, &mut rows);
    assert_eq!((asked, used), (312_078, before_2021.len()));
    assert!(wrong.is_empty(), "{} of {asked}:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

/// Allowed, line, named.
type Expected = (bool, u32, bool);
type Row = (String, String, Expected);

fn expected(cells: &[&str]) -> Expected {
    (cells[3] == "1", cells[4].parse().unwrap(), cells[5] == "1")
}

fn check_if_any(check: &mut impl FnMut(&str, &mut Vec<Row>), body: &str, rows: &mut Vec<Row>) {
    if !rows.is_empty() {
        check(body, rows);
    }
}

#[test]
fn synthetic_bodies() {
    let Some(path) = shared::path("data/golden/google-synthetic.jsonl.zst") else { return };
    let (mut bodies, mut wrong) = (0, Vec::new());
    for line in shared::zst_lines(&path) {
        let row: serde_json::Value = serde_json::from_str(&line).unwrap();
        let body = STANDARD.decode(row["body_b64"].as_str().unwrap()).unwrap();
        let texts = |key: &str| row[key].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect::<Vec<_>>();
        let expected: Vec<(bool, u32, bool)> = row["expect"]
            .as_array()
            .unwrap()
            .iter()
            .map(|answer| {
                let number =
                    |at: usize| answer[at].as_u64().unwrap_or_else(|| u64::from(answer[at].as_bool().unwrap()));
                (number(0) == 1, number(1) as u32, number(2) == 1)
            })
            .collect();
        bodies += 1;
        let (agents, urls) = (texts("agents"), texts("urls"));
        let found = answers(&body, &agents, &urls, &Dialect::GOOGLE);
        if found != expected {
            wrong
                .push(format!("{agents:?} {urls:?} {:?}\n  {found:?}\n  {expected:?}", String::from_utf8_lossy(&body)));
        }
    }
    assert_eq!(bodies, 1_500);
    assert!(wrong.is_empty(), "{} of {bodies}:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
}
