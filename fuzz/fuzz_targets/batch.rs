//! All questions at once, in all dialects, get the answers that each gets alone.
#![no_main]

mod questions;

use libfuzzer_sys::fuzz_target;
use rep::{Agent, Dialect, Document, Verdict, ask};
use robocensus::evaluate::{Evaluator, Questions};

fuzz_target!(|bytes: &[u8]| {
    let (tokens, urls, body) = questions::questions(bytes);
    let agents: Vec<Agent> = tokens.iter().map(|token| Agent::bare(token.as_str())).collect();
    let dialects: Vec<&'static Dialect> = Dialect::ALL.iter().collect();
    let probes: Vec<&str> = urls.iter().map(String::as_str).collect();
    let questions = Questions::new(&agents, &probes, &dialects);
    let document = Document::parse(body);
    let first = document.read(dialects[0]);
    let mut evaluator = Evaluator::default();
    let mut answered = 0;
    let every = evaluator.evaluate(&questions, &document, &first).each(|row| {
        for agent in row.agents {
            for (probe, url) in urls.iter().enumerate() {
                let alone = ask(body, &agents[*agent as usize], url.as_bytes(), row.dialect);
                let verdict = if row.disallowed.contains(&(probe as i32)) {
                    Verdict::Disallow
                } else if row.undefined.contains(&(probe as i32)) {
                    Verdict::Undefined
                } else {
                    Verdict::Allow
                };
                let told = (verdict, row.lines[probe] as u32, row.set.basis);
                assert_eq!(
                    told,
                    (alone.decision.verdict, alone.decision.line, alone.basis),
                    "{} {} {url:?}",
                    row.dialect.name,
                    tokens[*agent as usize]
                );
                answered += 1;
            }
        }
        Ok::<(), ()>(())
    });
    assert_eq!((every, answered), (Ok(()), dialects.len() * agents.len() * urls.len()));
});
