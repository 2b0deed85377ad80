//! `robocensus compare`: what changed between finished outputs.

use super::UsageError;
use crate::cli::{CompareArgs, LogFormat};
use crate::compare::{
    CompareError, Filled, Joined, LEAST_MEMORY, Options, Population, compare, figure, lists, page, write,
};
use crate::pipeline::log::{Level, Log, escape_controls, escape_line};
use crate::quantity::{counted, grouped, size};
use crate::report::ReportError;
use crate::report::write::{folder, write_file};
use anyhow::Result;
use serde_json::json;
use std::io::Write;

/// Origins of a list that the page shows.
const MOST_SHOWN: usize = 100;

/// Runs the command; the summary goes to `out`.
pub fn run(args: &CompareArgs, out: &mut dyn Write) -> Result<()> {
    let log = Log::new(args.log == LogFormat::Json);
    if args.threads.is_some_and(|threads| !(1..=1_024).contains(&threads)) {
        return Err(UsageError("--threads goes from 1 to 1024".to_owned()).into());
    }
    if args.memory < LEAST_MEMORY {
        return Err(UsageError(format!("--memory is at least {}", size(LEAST_MEMORY))).into());
    }
    refuse_tables(args)?;
    let options = Options { outs: args.outs.clone(), dialect: args.dialect.clone(), memory: args.memory };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0)).build()?;
    let joined = pool.install(|| compare(&options)).map_err(|error| match error {
        error @ (CompareError::Number(_) | CompareError::Twice(_)) => UsageError(error.to_string()).into(),
        error => anyhow::Error::from(error),
    })?;
    for difference in &joined.shared.differences {
        let message = format!("{} differ: {}", difference.what.replace('_', " "), escape_line(&difference.detail));
        log.say(Level::Warning, "difference", &message, json!({"what": difference.what, "detail": difference.detail}));
    }
    let filled = figure::fill(&joined);
    save(args, &joined, &filled)?;
    summary(args, &joined, &filled, out)
}

/// A comparison among tables would be taken for tables by whoever reads them.
fn refuse_tables(args: &CompareArgs) -> Result<(), UsageError> {
    let out = args.out.canonicalize();
    match args
        .outs
        .iter()
        .find(|tables| tables.canonicalize().is_ok_and(|tables| out.as_ref().is_ok_and(|out| *out == tables)))
    {
        Some(tables) => Err(UsageError(format!(
            "`{}` is a folder of tables; choose another one for the comparison",
            tables.display()
        ))),
        None => Ok(()),
    }
}

fn save(args: &CompareArgs, joined: &Joined, filled: &[Filled]) -> Result<(), CompareError> {
    let figures = args.out.join("figures");
    folder(&figures)?;
    for filled in filled {
        write::figure(&figures, filled, &joined.shared)?;
    }
    let tables = args.out.join("lists");
    folder(&tables)?;
    let shown = lists::moves(&tables, joined, MOST_SHOWN)?;
    lists::presence(&tables, joined)?;
    lists::agents(&tables, joined)?;
    let mut text = serde_json::to_vec(&write::json(joined, filled, &shown))
        .map_err(|error| ReportError::Page(error.to_string()))?;
    text.push(b'\n');
    write_file(&args.out.join("compare.json"), &text)?;
    let page = page::render(joined, filled, &shown)?;
    // Last, so that a page speaks of files that are there.
    write_file(&args.out.join("index.html"), page.as_bytes())?;
    Ok(())
}

fn summary(args: &CompareArgs, joined: &Joined, filled: &[Filled], out: &mut dyn Write) -> Result<()> {
    let totals = &joined.totals;
    writeln!(
        out,
        "{} in {}, {} in all of them ({})",
        counted(totals.origins, "origin"),
        counted(joined.snapshots.len() as u64, "output"),
        grouped(totals.panel_origins),
        counted(totals.panel_domains, "registered domain"),
    )?;
    let mut row = |name: &str, text: String| writeln!(out, "  {name:<10} {text}");
    for (snapshot, origins) in joined.snapshots.iter().zip(&totals.snapshot_origins) {
        row("output", format!("{}: {}", escape_line(&snapshot.name), counted(*origins, "origin")))?;
    }
    row("dialect", joined.shared.dialect.clone())?;
    row(
        "compared",
        format!(
            "{}, {}",
            counted(joined.shared.agents.len() as u64, "agent"),
            counted(joined.shared.probes.len() as u64, "probe")
        ),
    )?;
    if let Some(sample) = joined.shared.sample {
        row("sample", format!("{sample} of all sites: shares have 95 % intervals"))?;
    }
    let (from, to) = joined.step_names(joined.steps.len().saturating_sub(1) as u8);
    let changed = |word: &str| {
        let texts = filled.iter().find(|filled| filled.figure.id == "texts");
        let rows = texts.into_iter().flat_map(|texts| &texts.rows);
        rows.filter(|row| {
            row.population == Population::Panel
                && row.words.get(..3) == Some(&[from.clone(), to.clone(), word.to_owned()])
        })
        .map(|row| row.count)
        .sum::<u64>()
    };
    let panel = escape_line(&format!("{from} to {to}"));
    row(
        "texts",
        format!(
            "{} changed, {} the same ({panel}, in all outputs)",
            grouped(changed("changed")),
            grouped(changed("same"))
        ),
    )?;
    let rows: usize = filled.iter().map(|filled| filled.rows.len()).sum();
    row("figures", format!("{} with {} rows", filled.len(), grouped(rows as u64)))?;
    row("page", escape_controls(&args.out.join("index.html").display().to_string()))?;
    Ok(())
}
