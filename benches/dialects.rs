//! What seven dialects cost over one: parse and match in memory, no input, no output.
//!
//! `cargo bench --bench dialects` takes the real bodies of the shared collection, each once, or the hand-written ones of
//! `datasets/odd` where that is not there. The two take turns; the ratio of each turn is what counts.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, missing_docs, dead_code, unreachable_pub)]

mod questions;
#[path = "../tests/it/shared.rs"]
mod shared;

use rep::{Agent, Dialect, Document};
use robocensus::evaluate::{Evaluator, Questions};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// Turns of each; odd, so that the median is one of them.
const TURNS: usize = 15;

fn main() {
    let bodies = bodies();
    let bytes: usize = bodies.iter().map(Vec::len).sum();
    println!(
        "parse and match, {} bodies of {bytes} bytes, all dialects over rfc9309, median of {TURNS} turns",
        bodies.len()
    );
    for (agents, probes) in [(1, 1), (20, 10), (50, 20)] {
        let agents: Vec<Agent> = questions::agents(agents).into_iter().map(Agent::bare).collect();
        let probes = questions::probes(probes);
        let one = Questions::new(&agents, &probes, &[&Dialect::RFC9309]);
        let all = Questions::new(&agents, &probes, &Dialect::ALL.iter().collect::<Vec<_>>());
        let mut evaluator = Evaluator::default();
        let mut turns: Vec<(f64, f64)> = (0..TURNS)
            .map(|_| {
                let one = seconds(&bodies, &one, &mut evaluator);
                (seconds(&bodies, &all, &mut evaluator) / one, one)
            })
            .collect();
        turns.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (ratio, one) = turns[TURNS / 2];
        println!(
            "  {} agents x {} probes: {ratio:.2} ({:.2}-{:.2}); one dialect {:.2} us a body, {:.0} MB/s",
            agents.len(),
            probes.len(),
            turns[0].0,
            turns[TURNS - 1].0,
            one * 1e6 / bodies.len() as f64,
            bytes as f64 / one / 1e6,
        );
    }
}

fn seconds(bodies: &[Vec<u8>], questions: &Questions, evaluator: &mut Evaluator) -> f64 {
    let start = Instant::now();
    let mut verdicts = 0;
    for body in bodies {
        let document = Document::parse(body);
        let first = document.read(&Dialect::RFC9309);
        let evaluation = evaluator.evaluate(questions, &document, &first);
        verdicts += (0..evaluation.dialects()).map(|dialect| evaluation.selection(dialect).sets().len()).sum::<usize>();
    }
    black_box(verdicts);
    start.elapsed().as_secs_f64()
}

fn bodies() -> Vec<Vec<u8>> {
    if let Some(bodies) = shared::bodies() {
        return bodies.map(|(_, body)| body).collect();
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/odd");
    std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect()
}
