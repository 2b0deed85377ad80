//! `robocensus views`: SQL over the tables, for engines that people bring.

use super::UsageError;
use crate::cli::{SplitArgs, ViewsArgs};
use crate::report::figures::FIGURES;
use crate::report::sql::{Engine, ViewOptions, query, views};
use crate::report::strata::RankFormat;
use crate::report::{Counted, Questions, Source};
use anyhow::Result;
use std::collections::BTreeSet;
use std::io::Write;

/// Prints the views, or the query of a figure.
pub fn run(args: &ViewsArgs, out: &mut dyn Write) -> Result<()> {
    let source = Source::finished(&args.tables)?;
    let questions = super::report::questions(&args.split)?;
    let tables = source.tables()?;
    let dialects = source.dialects();
    let dialect = source.dialect(args.split.dialect.as_deref()).map_err(super::report::as_usage)?;
    if let Some(id) = &args.figure {
        if args.engine != Engine::Duckdb {
            return Err(UsageError("figures have queries for DuckDB only".to_owned()).into());
        }
        return figures(id, &dialect, &dialects, &tables, out);
    }
    let options = ViewOptions {
        root: &args.tables,
        tables: &tables,
        dialects: &dialects,
        dialect: &dialect,
        by: args.split.by,
        ranks: ranks(&args.split, &questions),
        weights: args.split.weights.as_deref(),
    };
    out.write_all(views(args.engine, &options).as_bytes())?;
    Ok(())
}

fn figures(id: &str, dialect: &str, dialects: &[String], tables: &BTreeSet<String>, out: &mut dyn Write) -> Result<()> {
    let mut found = false;
    for figure in FIGURES.iter().filter(|figure| id == "all" || figure.id == id) {
        found = true;
        if figure.compute.needs().is_none_or(|table| tables.contains(table)) {
            writeln!(out, "-- {}\n{}\n;\n", figure.id, query(figure, dialect, dialects))?;
        }
    }
    if found {
        return Ok(());
    }
    let known: Vec<&str> = FIGURES.iter().map(|figure| figure.id).collect();
    Err(UsageError(format!("there is no figure `{id}`; there are {}, or all", known.join(", "))).into())
}

/// The views that the figures of a report are written against.
pub(super) fn options<'a>(
    source: &'a Source,
    split: &'a SplitArgs,
    questions: &Questions,
    counted: &'a Counted,
) -> ViewOptions<'a> {
    ViewOptions {
        root: &source.root,
        tables: &counted.tables,
        dialects: &counted.dialects,
        dialect: &counted.dialect,
        by: split.by,
        ranks: ranks(split, questions),
        weights: split.weights.as_deref(),
    }
}

fn ranks<'a>(split: &'a SplitArgs, questions: &Questions) -> Option<(&'a std::path::Path, RankFormat)> {
    Some((split.ranks.as_deref()?, questions.ranks.as_ref()?.format))
}
