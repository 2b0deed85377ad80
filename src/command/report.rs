//! `robocensus report`: from finished tables to figures and a page.

use super::UsageError;
use crate::cli::{LogFormat, ReportArgs, SplitArgs};
use crate::pipeline::log::{Level, Log, escape_controls};
use crate::quantity::{counted, grouped};
use crate::report::figure::Base;
use crate::report::rows::total;
use crate::report::strata::{By, Ranks, read_weights};
use crate::report::tally::Unit;
use crate::report::{Counted, Filled, Questions, ReportError, Source, count, fill, page, sql, write};
use anyhow::Result;
use serde_json::json;
use std::io::Write;

/// Runs the command; the summary goes to `out`.
pub fn run(args: &ReportArgs, out: &mut dyn Write) -> Result<()> {
    let log = Log::new(args.log == LogFormat::Json);
    if args.threads.is_some_and(|threads| !(1..=1_024).contains(&threads)) {
        return Err(UsageError("--threads goes from 1 to 1024".to_owned()).into());
    }
    let source = Source::open(&args.tables)?;
    source.dialect(args.split.dialect.as_deref()).map_err(as_usage)?;
    refuse_tables(args)?;
    if let Some(selection) = &source.manifest.selection {
        let message = format!("these tables are only the shards {selection} of their run; shares are those of a part");
        log.say(Level::Warning, "part", &message, json!({"selection": selection}));
    }
    let questions = questions(&args.split)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0)).build()?;
    let counted = pool.install(|| count(&source, &questions))?;
    let filled = fill(&counted, source.sample().is_some());
    save(args, &source, &questions, &counted, &filled)?;
    summary(args, &source, &counted, &filled, out)
}

/// Figures among the tables would be taken for tables by whoever reads them.
fn refuse_tables(args: &ReportArgs) -> Result<(), UsageError> {
    match (args.tables.canonicalize(), args.out.canonicalize()) {
        (Ok(tables), Ok(out)) if tables == out => Err(UsageError(format!(
            "`{}` is the folder of the tables; choose another one for the report",
            args.out.display()
        ))),
        _ => Ok(()),
    }
}

/// What was asked for, with the files that go with it.
pub(super) fn questions(split: &SplitArgs) -> Result<Questions> {
    let ranks = match (&split.ranks, split.by) {
        (Some(path), Some(By::Rank)) => Some(Ranks::read(path).map_err(as_usage)?),
        (Some(_), _) => return Err(UsageError("--ranks goes with --by rank".to_owned()).into()),
        (None, Some(By::Rank)) => {
            return Err(UsageError("--by rank needs --ranks FILE, such as a Tranco list".to_owned()).into());
        }
        (None, _) => None,
    };
    let weights = split.weights.as_ref().map(|path| read_weights(path).map_err(as_usage)).transpose()?;
    Ok(Questions { dialect: split.dialect.clone(), by: split.by, ranks, weights })
}

pub(super) fn as_usage(error: ReportError) -> UsageError {
    UsageError(error.to_string())
}

fn save(
    args: &ReportArgs,
    source: &Source,
    questions: &Questions,
    counted: &Counted,
    filled: &[Filled],
) -> Result<(), ReportError> {
    let figures = args.out.join("figures");
    write::folder(&figures)?;
    for filled in filled {
        write::figure(&figures, filled, counted)?;
    }
    let json = write::json(source, counted, filled);
    let mut text = serde_json::to_vec(&json).map_err(|error| ReportError::Page(error.to_string()))?;
    text.push(b'\n');
    write::write_file(&args.out.join("report.json"), &text)?;
    let views = sql::views(sql::Engine::Duckdb, &super::views::options(source, &args.split, questions, counted));
    write::write_file(&args.out.join("views.sql"), views.as_bytes())?;
    let page = page::render(source, counted, filled)?;
    // Last, so that a page speaks of files that are there.
    write::write_file(&args.out.join("index.html"), page.as_bytes())
}

fn summary(
    args: &ReportArgs,
    source: &Source,
    counted_all: &Counted,
    filled: &[Filled],
    out: &mut dyn Write,
) -> Result<()> {
    let totals = counted_all.totals;
    let base = |base| total(counted_all, base, 0).get(Unit::Origin);
    writeln!(
        out,
        "{}, {}, {}",
        counted(totals.origins, "origin"),
        counted(totals.domains, "registered domain"),
        counted(totals.captures, "capture")
    )?;
    let mut row = |name: &str, text: String| writeln!(out, "  {name:<10} {text}");
    let (in_denominators, robots) = (base(Base::Counted), base(Base::Robots));
    row(
        "counted",
        format!("{} ({} of all)", counted(in_denominators, "origin"), percent(in_denominators, totals.origins)),
    )?;
    row(
        "robots.txt",
        format!("{} ({} of those counted)", counted(robots, "origin"), percent(robots, in_denominators)),
    )?;
    if let Some(sample) = source.sample() {
        row("sample", format!("{sample} of all sites: shares have 95 % intervals"))?;
    }
    row("dialect", counted_all.dialect.clone())?;
    if counted_all.strata.len() > 1 {
        row("split into", counted(counted_all.strata.len() as u64 - 1, "stratum").replace("stratums", "strata"))?;
    }
    let rows: usize = filled.iter().map(|filled| filled.rows.len()).sum();
    row("figures", format!("{} with {} rows", filled.len(), grouped(rows as u64)))?;
    let place = args.out.join("index.html");
    row("page", escape_controls(&place.display().to_string()))?;
    Ok(())
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "none".to_owned() } else { format!("{:.1} %", part as f64 * 100.0 / whole as f64) }
}
