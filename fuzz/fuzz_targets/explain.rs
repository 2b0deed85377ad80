//! What `explain` answers is what `scan` writes.
#![no_main]

mod questions;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use libfuzzer_sys::fuzz_target;
use rep::{Agent, Dialect, Document};
use robocensus::command::explain_jsonl;
use robocensus::evaluate::{Evaluator, Questions};
use serde_json::{Value, json};

fuzz_target!(|bytes: &[u8]| {
    let (tokens, urls, body) = questions::questions(bytes);
    let dialects: Vec<&'static Dialect> = Dialect::ALL.iter().collect();
    let question = json!({"body_b64": STANDARD.encode(body), "agents": tokens, "urls": urls}).to_string();
    let mut out = Vec::new();
    let counts = explain_jsonl::run(&dialects, question.as_bytes(), &mut out);
    assert!(matches!(counts, Ok((1, 0))), "{counts:?} {question}");
    let answers: Value = serde_json::from_slice(&out).expect("JSON");
    let results = answers["results"].as_array().expect("answers");
    assert_eq!(results.len(), dialects.len() * tokens.len() * urls.len());

    let agents: Vec<Agent> = tokens.iter().map(|token| Agent::bare(token.as_str())).collect();
    let probes: Vec<&str> = urls.iter().map(String::as_str).collect();
    let questions = Questions::new(&agents, &probes, &dialects);
    let document = Document::parse(body);
    let first = document.read(dialects[0]);
    let mut evaluator = Evaluator::default();
    let scanned = evaluator.evaluate(&questions, &document, &first).each(|row| {
        let dialect = dialects.iter().position(|dialect| dialect.name == row.dialect.name).expect("asked for");
        for agent in row.agents {
            for (probe, line) in row.lines.iter().enumerate() {
                let told = &results[(dialect * tokens.len() + *agent as usize) * urls.len() + probe];
                let verdict = if row.disallowed.contains(&(probe as i32)) {
                    "disallow"
                } else if row.undefined.contains(&(probe as i32)) {
                    "undefined"
                } else {
                    "allow"
                };
                assert_eq!(told["dialect"], row.dialect.name);
                assert_eq!(told["agent"], tokens[*agent as usize]);
                assert_eq!(told["url"], urls[probe]);
                assert_eq!(told["verdict"], verdict);
                assert_eq!(told["line"].as_i64().unwrap_or(0), i64::from(*line));
                assert_eq!(told["basis"], row.set.basis.as_str());
            }
        }
        Ok::<(), ()>(())
    });
    assert_eq!(scanned, Ok(()));
});
