//! CPU time of reading WARC files to captures, against inflating the same files and doing nothing with them.
//!
//! `ROBOCENSUS_TRUTH=folder cargo bench --bench warc_reader` reads every `.warc.gz` below the folder. The two take turns,
//! and the ratio of each turn is what counts: the machine's other work changes the times, hardly the ratios.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

mod floor;

use floor::{archives, floor};
use robocensus::capture::{Capture, Problem};
use robocensus::ingest::libdeflate::Inflater;
use robocensus::ingest::warc::WarcReader;
use robocensus::ingest::{Limits, Origin, Part, Sink};
use std::ops::ControlFlow;
use std::path::Path;

/// Turns that each of the two has; odd, so that the median is one of them.
const TURNS: usize = 31;

/// Touches what any consumer touches, and keeps nothing.
#[derive(Default)]
struct Count {
    captures: u64,
    bytes: u64,
    problems: u64,
}

impl Sink for Count {
    fn capture(&mut self, capture: &Capture<'_>) -> ControlFlow<()> {
        self.captures += 1;
        self.bytes += capture.body_total_bytes + capture.url.len() as u64 + capture.status.unwrap_or(0) as u64;
        ControlFlow::Continue(())
    }

    fn problem(&mut self, _problem: Problem) {
        self.problems += 1;
    }

    fn progress(&mut self, _bytes: u64) {}
}

/// CPU time of this thread in seconds: nanoseconds from the scheduler, which know nothing of other threads' work.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

fn main() {
    let Some(folder) = std::env::var_os("ROBOCENSUS_TRUTH") else {
        println!("skipped: ROBOCENSUS_TRUTH names no folder of .warc.gz files");
        return;
    };
    let mut files = Vec::new();
    archives(Path::new(&folder), &mut files);
    files.sort();
    let mut reader = WarcReader::new(Limits::default());
    let mut inflater = Inflater::new().unwrap();
    let (mut input, mut output) = (Vec::new(), vec![0u8; 256 << 10]);
    let (mut floors, mut reads, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let mut captures = 0;
    for turn in 0..=TURNS {
        let start = cpu();
        let inflated = floor(&files, &mut inflater, &mut input, &mut output);
        let middle = cpu();
        let mut count = Count::default();
        for path in &files {
            reader.read(&Part { origin: Origin::File(path.clone()), start: 0, end: None }, &mut count);
        }
        let end = cpu();
        // The first turn warms the caches.
        if turn > 0 {
            floors.push(middle - start);
            reads.push(end - middle);
            ratios.push((end - middle) / (middle - start));
        } else {
            println!(
                "{} files, {} captures, {inflated} bytes inflated, {} problems",
                files.len(),
                count.captures,
                count.problems
            );
        }
        captures = count.captures;
    }
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let (floor, read) = (median(&mut floors), median(&mut reads));
    // What disturbs a turn only makes it longer: the shortest turns are the least disturbed.
    let shortest = reads[0] / floors[0];
    let each = 1e6 / captures as f64;
    println!("inflate {:.3} s, {:.2} us a capture (user + system)", floor, floor * each);
    println!("read    {:.3} s, {:.2} us a capture", read, read * each);
    let ratio = median(&mut ratios);
    let (low, high) = (ratios[0], ratios[ratios.len() - 1]);
    println!("ratio   {ratio:.3} (median of {TURNS}; {low:.3} to {high:.3}), {shortest:.3} of the shortest turns");
}
