//! The dialect `python` against CPython's own parser, by `scripts/robotparser_answers.py`.

use crate::bodies::{self, Body, EVERYTHING, Seeded};
use crate::run::repository;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rep::{Dialect, Verdict};
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

/// A question for both sides.
struct Question {
    body: Body,
    agents: Vec<String>,
    urls: Vec<String>,
}

/// How a comparison went.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    bodies: usize,
    urls: usize,
    answers: usize,
    /// Bodies for which `parse` raises: a rule or number that CPython takes and then fails on. There is nothing to compare.
    bodies_raised: usize,
    /// Answers for which `can_fetch` raises: a URL that is none once its escapes are undone.
    answers_raised: usize,
    differences: Vec<String>,
}

/// CPython, ready for questions; `None`, and a note, where the version that the dialect stands for is not there.
fn cpython() -> Option<(Child, BufReader<ChildStdout>, String)> {
    let every = std::env::var_os("ROBOCENSUS_EVERY").map(|_| "--every");
    let script = repository("scripts/robotparser_answers.py");
    let mut python = Command::new("python3");
    python.arg("-I").arg(script).args(every).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut child) = python.spawn() else {
        eprintln!("skipped: no python3 here");
        return None;
    };
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut version = String::new();
    out.read_line(&mut version).unwrap();
    let version = version.trim().to_owned();
    // 3.11.4 changed how addresses are taken apart, 3.13 and 3.14 got a new parser in patch releases.
    let numbers: Vec<u32> = version.split('.').filter_map(|number| number.parse().ok()).collect();
    if numbers.len() != 3 || numbers[..2] != [3, 11] || numbers[2] < 4 {
        eprintln!("skipped: python3 is {version}; the dialect is CPython 3.11's");
        drop(child.stdin.take());
        child.wait().unwrap();
        return None;
    }
    Some((child, out, version))
}

/// Asks both sides all questions.
fn compare(questions: &[Question]) -> Option<Tally> {
    let (mut child, mut out, version) = cpython()?;
    let stdin = child.stdin.take().unwrap();
    let tally = thread::scope(|scope| {
        scope.spawn(move || ask(questions, stdin));
        check(questions, &mut out)
    });
    assert!(child.wait().unwrap().success());
    eprintln!(
        "CPython {version}: {} bodies, {} URLs, {} answers, {} differences; {} bodies and {} answers raise",
        tally.bodies,
        tally.urls,
        tally.answers,
        tally.differences.len(),
        tally.bodies_raised,
        tally.answers_raised
    );
    let told = &tally.differences[..tally.differences.len().min(8)];
    assert!(told.is_empty(), "{} differences:\n{}", tally.differences.len(), told.join("\n"));
    Some(tally)
}

fn ask(questions: &[Question], mut stdin: ChildStdin) {
    for Question { body, agents, urls } in questions {
        let row = json!({"body_b64": STANDARD.encode(&body.bytes), "agents": agents, "urls": urls});
        writeln!(stdin, "{row}").unwrap();
    }
}

/// Holds the answers that arrive against our own.
fn check(questions: &[Question], out: &mut BufReader<ChildStdout>) -> Tally {
    let mut tally = Tally::default();
    let mut theirs = String::new();
    for Question { body, agents, urls } in questions {
        theirs.clear();
        out.read_line(&mut theirs).unwrap();
        tally.bodies += 1;
        if theirs.starts_with('!') {
            tally.bodies_raised += 1;
            continue;
        }
        let index = bodies::index(agents, &Dialect::PYTHON);
        let ours = bodies::decisions(&body.bytes, &index, urls, &Dialect::PYTHON);
        let theirs = theirs.trim_end_matches('\n').as_bytes();
        assert_eq!(ours.len(), theirs.len(), "{}", body.id);
        tally.urls += urls.len();
        for (at, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
            let ours = match ours.verdict {
                Verdict::Allow => b'A',
                Verdict::Disallow => b'D',
                Verdict::Undefined => b'U',
            };
            tally.answers += 1;
            if *theirs == b'E' {
                tally.answers_raised += 1;
            } else if ours != *theirs {
                let (agent, url) = (&agents[at / urls.len()], &urls[at % urls.len()]);
                tally.differences.push(format!(
                    "{} {agent:?} {url:?}: {}, not {}\n{}",
                    body.id,
                    ours as char,
                    *theirs as char,
                    body.bytes
                        .iter()
                        .take(2_000)
                        .flat_map(|byte| std::ascii::escape_default(*byte))
                        .map(char::from)
                        .collect::<String>()
                ));
            }
        }
    }
    tally
}

/// Agents of every shape.
const ODD_AGENTS: [&str; 16] = [
    "FooBot",
    "foobot/2.1",
    "BarBot",
    "foo",
    "Mozilla/5.0 (compatible; FooBot/2.1)",
    "FooBot (compatible; BarBot)",
    "",
    "*",
    "/foobot",
    "fööbot",
    "FÖÖBOT",
    "f\u{fffd}\u{fffd}bot",
    "İbot",
    "σας",
    "foo%42ot",
    "K",
];

/// Made-up bodies: 6,000, or as many as `ROBOCENSUS_BODIES` says, from other seeds for other numbers.
fn made_up() -> usize {
    std::env::var("ROBOCENSUS_BODIES").map_or(6_000, |count| count.parse().unwrap())
}

#[test]
fn made_up_bodies() {
    let agents: Vec<String> = ODD_AGENTS.map(str::to_owned).to_vec();
    let mut rng = Seeded::new(7);
    let bodies = bodies::odd().into_iter().chain(bodies::made_up(&EVERYTHING, made_up(), made_up() as u64));
    let questions: Vec<Question> = bodies
        .map(|body| {
            let mut urls = bodies::rule_urls(&body.bytes, 6);
            urls.extend((0..8).map(|_| bodies::made_url(&EVERYTHING, &mut rng)));
            Question { body, agents: agents.clone(), urls }
        })
        .collect();
    let Some(tally) = compare(&questions) else { return };
    assert!(tally.answers > 900_000, "{}", tally.answers);
    // Most must be comparable, or nothing is shown.
    assert!(tally.bodies_raised * 20 < tally.bodies, "{} bodies raise", tally.bodies_raised);
}

#[test]
fn real_bodies() {
    let agents = bodies::agents(50);
    let fixed = ["http://e.example/", "/index.html", "/a%2Fb;c?d=e#f", "https://e.example/search?q=x", "/robots.txt"];
    let Some(bodies) = bodies::real() else { return };
    let questions: Vec<Question> = bodies
        .map(|body| {
            let mut urls = bodies::rule_urls(&body.bytes, 12);
            urls.extend(fixed.map(str::to_owned));
            Question { body, agents: agents.clone(), urls }
        })
        .collect();
    let Some(tally) = compare(&questions) else { return };
    assert_eq!(tally.bodies, 25_867);
}
