//! `robocensus resolve`: finished scans in, a row an origin out.

use super::UsageError;
use super::scan::MOST_THREADS;
use crate::cli::{LogFormat, ResolveArgs};
use crate::output::Resolution;
use crate::pipeline::log::{Level, Log};
use crate::quantity::{counted, grouped, size};
use crate::resolve::{LEAST_MEMORY, Options, join, resolve};
use crate::table::{Captures, Origins, Table};
use anyhow::Result;
use rep::Reason;
use serde_json::json;
use std::io::Write;

/// Runs the command; the table of outcomes and reasons goes to `out`.
pub fn run(args: &ResolveArgs, out: &mut dyn Write) -> Result<()> {
    let log = Log::new(args.log == LogFormat::Json);
    if args.threads.is_some_and(|threads| !(1..=MOST_THREADS).contains(&threads)) {
        return Err(UsageError(format!("--threads goes from 1 to {MOST_THREADS}")).into());
    }
    if args.memory.is_some_and(|memory| memory < LEAST_MEMORY) {
        return Err(UsageError(format!("--memory is at least {}", size(LEAST_MEMORY))).into());
    }
    let place = match (&args.into, args.outs.as_slice()) {
        (Some(into), outs) => {
            join(outs, into)?;
            into
        }
        (None, [only]) => only,
        (None, outs) => {
            let message = format!("{} outputs are joined in a folder of their own: name it with -o DIR", outs.len());
            return Err(UsageError(message).into());
        }
    };
    let options =
        Options { max_hops: args.max_hops, memory: args.memory, threads: args.threads, progress: args.progress, log };
    let resolved = resolve(place, &options)?;
    let manifest = &resolved.manifest;
    let rows = |name: &str| manifest.tables.iter().find(|table| table.name == name).map_or(0, |table| table.rows);
    if let Some(selection) = &manifest.selection {
        let message = format!(
            "`{}` holds the shards of --shard {selection} alone: captures of one URL, and targets of redirects, may lie in the \
             others; `robocensus resolve OUT1 OUT2 ... -o DIR` joins them",
            place.display()
        );
        log.say(Level::Warning, "one-shard", &message, json!({}));
    }
    if log.is_json() {
        let fields = json!({
            "origins": rows(Origins::NAME),
            "captures": rows(Captures::NAME),
            "resolution": manifest.resolution,
            "spilled_bytes": resolved.spilled,
        });
        log.say(Level::Info, "done", "done", fields);
    }
    let captures = counted(rows(Captures::NAME), "capture");
    writeln!(
        out,
        "{} from {captures}, in `{}`",
        counted(rows(Origins::NAME), "origin"),
        place.join(Origins::NAME).display()
    )?;
    if let Some(resolution) = &manifest.resolution {
        origins(resolution, out)?;
    }
    Ok(())
}

/// Origins by outcome and reason. Shares are of those about which the input can tell: a redirect that leads out of what was read
/// is in no denominator.
pub(super) fn origins(resolution: &Resolution, out: &mut dyn Write) -> Result<()> {
    let is_outside = |reason: &str| reason == Reason::TargetOutsideInput.as_str();
    let counts = || resolution.origins.iter();
    let all: u64 = counts().filter(|count| !is_outside(&count.reason)).map(|count| count.origins).sum();
    if resolution.origins.is_empty() {
        writeln!(out, "no origins: no capture is of a robots.txt")?;
        return Ok(());
    }
    writeln!(out, "  {:<14} {:<24} {:>12} {:>8}", "outcome", "reason", "origins", "share")?;
    let mut outcomes: Vec<&str> = counts().map(|count| count.outcome.as_str()).collect();
    outcomes.dedup();
    let mut told: Vec<&str> = Vec::new();
    for outcome in outcomes {
        if told.contains(&outcome) {
            continue;
        }
        told.push(outcome);
        let mut same: Vec<_> = counts().filter(|count| count.outcome == outcome).collect();
        same.sort_by_key(|count| std::cmp::Reverse(count.origins));
        for (at, count) in same.into_iter().enumerate() {
            let share = match is_outside(&count.reason) {
                true => "-".to_owned(),
                false => format!("{:.2} %", count.origins as f64 * 100.0 / all.max(1) as f64),
            };
            let outcome = if at == 0 { outcome } else { "" };
            writeln!(out, "  {outcome:<14} {:<24} {:>12} {share:>8}", count.reason, grouped(count.origins))?;
        }
    }
    writeln!(out, "  {:<14} {:<24} {:>12} {:>8}", "all", "", grouped(all), "100.00 %")?;
    Ok(())
}
