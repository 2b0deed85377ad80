//! What looking a body over costs beside parsing and reading it: nanoseconds a body, over all real bodies and by their length.
//!
//! `cargo bench --bench findings`. It needs the collection of real bodies beside the repository and says so where that is not
//! there. Each body goes through all steps at once, as in a scan; the least of some rounds counts. Run it on an idle machine.

#![allow(clippy::unwrap_used)]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rep::{Dialect, Document, Remarks};
use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::Instant;

const ROUNDS: usize = 15;

/// How far a body goes through the steps.
#[derive(Clone, Copy)]
enum Step {
    Parse,
    Read,
    Remarks,
}

fn main() {
    let mut out = std::io::stdout();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let bodies: Vec<Vec<u8>> = ["robots-bodies-licensed.jsonl.zst", "robots-bodies-nolicense.jsonl.zst"]
        .iter()
        .filter_map(|name| File::open(folder.join(name)).ok())
        .flat_map(|file| BufReader::new(zstd::Decoder::new(file).unwrap()).lines())
        .map(|line| {
            let record: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
            STANDARD.decode(record["body_b64"].as_str().unwrap()).unwrap()
        })
        .collect();
    if bodies.is_empty() {
        let _ = writeln!(out, "skipped: no collection of real bodies in {}", folder.display());
        return;
    }
    let _ =
        writeln!(out, "{:<16} {:>7} {:>9} {:>9} {:>9} {:>9}", "lines", "bodies", "bytes", "parse", "read", "remarks");
    for (from, to) in [(0, 6), (6, 25), (25, 100), (100, 500), (500, u32::MAX), (0, u32::MAX)] {
        let some: Vec<&[u8]> = bodies
            .iter()
            .map(Vec::as_slice)
            .filter(|b| (from..to).contains(&Document::parse(b).line_count()))
            .collect();
        let mut least = [f64::MAX; 3];
        for _ in 0..ROUNDS {
            for (step, least) in [Step::Parse, Step::Read, Step::Remarks].into_iter().zip(&mut least) {
                let start = Instant::now();
                some.iter().for_each(|body| go(body, step));
                *least = least.min(start.elapsed().as_nanos() as f64 / some.len() as f64);
            }
        }
        let [parse, read, remarks] = least;
        let (read, remarks) = (read - parse, remarks - read);
        let bytes = some.iter().map(|body| body.len()).sum::<usize>() / some.len().max(1);
        let lines = if to == u32::MAX { format!("{from} and more") } else { format!("{from} to {}", to - 1) };
        let _ = writeln!(out, "{lines:<16} {:>7} {bytes:>9} {parse:>9.0} {read:>9.0} {remarks:>9.0}", some.len());
    }
}

fn go(body: &[u8], to: Step) {
    let document = Document::parse(body);
    if matches!(to, Step::Parse) {
        black_box(&document);
        return;
    }
    let robots = document.read(&Dialect::RFC9309);
    if matches!(to, Step::Read) {
        black_box(&robots);
        return;
    }
    black_box(&Remarks::with(&document, &robots));
}
