//! CPU time (user + system) of a whole scan, against inflating the same files and doing nothing with them.
//!
//! `ROBOCENSUS_CRAWL=folder cargo bench --bench scan` takes the `.warc.gz` files below the folder; without it a crawl is made up.
//! The two take turns as processes of their own, and the ratio of each turn is what counts: the machine's other work changes
//! the times, hardly the ratios.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

mod floor;
mod questions;

use floor::{archives, floor};
use questions::{agents, probes};
use robocensus::ingest::libdeflate::Inflater;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Turns of each; odd, so that the median is one of them.
const TURNS: usize = 15;
/// Set for the child that is the floor.
const FLOOR: &str = "ROBOCENSUS_FLOOR";

fn main() {
    if let Some(folder) = std::env::var_os(FLOOR) {
        return inflate_all(Path::new(&folder));
    }
    let scratch = tempfile::tempdir().unwrap();
    let crawl = match std::env::var_os("ROBOCENSUS_CRAWL") {
        Some(folder) => PathBuf::from(folder),
        None => {
            let crawl = scratch.path().join("crawl");
            run(robocensus().args(["synth", crawl.to_str().unwrap(), "--captures", "60000"]));
            crawl
        }
    };
    let agents_file = scratch.path().join("agents.txt");
    let probes_file = scratch.path().join("probes.txt");
    println!("CPU of scan over CPU of bare inflate, {}, median of {TURNS} paired turns, one thread", crawl.display());
    for (name, agent_count, probe_count, more) in [
        ("no verdicts", 20, 10, &["--no-verdicts"][..]),
        ("20 agents x 10 probes", 20, 10, &[]),
        ("50 agents x 20 probes", 50, 20, &[]),
        ("50 x 20, two dialects", 50, 20, &["--dialect", "rfc9309,google"]),
    ] {
        fs::write(&agents_file, agents(agent_count).join("\n")).unwrap();
        fs::write(&probes_file, probes(probe_count).join("\n")).unwrap();
        let mut ratios: Vec<f64> = (0..TURNS)
            .map(|_| {
                let out = scratch.path().join("out");
                let floor = cpu_of(Command::new(std::env::current_exe().unwrap()).env(FLOOR, &crawl));
                let mut scan = robocensus();
                scan.arg("scan").arg(&crawl).arg("-o").arg(&out).args(["--threads", "1", "--progress", "never"]);
                let scan = cpu_of(scan.arg("--agents").arg(&agents_file).arg("--probes").arg(&probes_file).args(more));
                fs::remove_dir_all(out).unwrap();
                scan / floor
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        println!("  {name:<24} {:.2} ({:.2}-{:.2})", ratios[TURNS / 2], ratios[0], ratios[TURNS - 1]);
    }
}

fn robocensus() -> Command {
    Command::new(env!("CARGO_BIN_EXE_robocensus"))
}

fn run(command: &mut Command) {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}

/// CPU seconds of children that were waited for: fields 16 and 17 of stat, in ticks of 10 ms.
fn children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = stat.rsplit_once(')').unwrap().1;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    (fields[13].parse::<f64>().unwrap() + fields[14].parse::<f64>().unwrap()) / 100.0
}

fn cpu_of(command: &mut Command) -> f64 {
    let before = children();
    run(command);
    children() - before
}

/// The child that is the floor.
fn inflate_all(folder: &Path) {
    let mut files = Vec::new();
    archives(folder, &mut files);
    let bytes = floor(&files, &mut Inflater::new().unwrap(), &mut Vec::new(), &mut vec![0; 1 << 20]);
    assert!(bytes > 0, "nothing to inflate below {}", folder.display());
}
