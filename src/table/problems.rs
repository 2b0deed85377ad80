//! `problems`: a row a thing that was wrong with the input.

use super::column::{Cell, Column, column};
use super::{Place, Record, Table};
use crate::capture::Problem;

/// The table `problems`.
pub struct Problems;

/// A row of [`Problems`].
#[derive(Debug, Clone, Copy, Default)]
pub struct ProblemRow<'a> {
    /// Input file, named as in `captures.warc_filename`.
    pub input: &'a str,
    /// Byte offset in the file as stored, or row of a Parquet file.
    pub offset: Option<i64>,
    /// Stable code.
    pub code: &'static str,
    /// What exactly was found.
    pub detail: &'a str,
    /// What was done about it.
    pub action: &'static str,
}

impl<'a> ProblemRow<'a> {
    /// The row for a problem of this input.
    pub fn new(input: &'a str, problem: &'a Problem) -> ProblemRow<'a> {
        ProblemRow {
            input,
            offset: problem.offset.and_then(|offset| i64::try_from(offset).ok()),
            code: problem.code.code(),
            detail: &problem.detail,
            action: problem.action,
        }
    }
}

impl Table for Problems {
    const NAME: &'static str = "problems";
    const ABOUT: &'static str = "A row a thing that was wrong with the input, and what was done about it; findings in bodies are about the texts.";
    const PLACE: Place = Place::Parts;
}

impl Record for Problems {
    type Row<'a> = ProblemRow<'a>;
    const COLUMNS: &'static [Column<Problems>] = &[
        column(
            "input",
            "Input file, named as in captures.warc_filename.",
            "crawl-data/CC-MAIN-2026-43/segments/1760000000000.1/robotstxt/CC-MAIN-20261010101010-20261010131010-00000.warc.gz",
            Cell::Text(|row| row.input),
        ),
        column(
            "offset",
            "Byte offset in the file as stored, or row of a Parquet file; null when it is about the whole file.",
            "397346194",
            Cell::MaybeI64(|row| row.offset),
        ),
        column("code", "Stable code of the problem.", "member-damaged", Cell::Label(|row| row.code)),
        column("detail", "What exactly was found.", "invalid deflate data", Cell::Text(|row| row.detail)),
        column("action", "What was done about it.", "went on at the next member", Cell::Label(|row| row.action)),
    ];
}
