//! `rules`: a row a rule of a distinct body.

use super::column::{Cell, Column, column, delta};
use super::{Place, Record, Table};

/// The table `rules`.
pub struct Rules;

/// A row of [`Rules`].
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleRow<'a> {
    /// Key of the body.
    pub body_key: i64,
    /// Number of the group in the file, from 1.
    pub group: i32,
    /// Line, from 1.
    pub line: i32,
    /// `allow` or `disallow`.
    pub kind: &'static str,
    /// Path pattern as written.
    pub pattern: &'a [u8],
}

impl Table for Rules {
    const NAME: &'static str = "rules";
    const ABOUT: &'static str = "A row a rule of a distinct body, as the first dialect reads it.";
    const PLACE: Place = Place::PartsWith("--rules");
}

impl Record for Rules {
    type Row<'a> = RuleRow<'a>;
    const COLUMNS: &'static [Column<Rules>] = &[
        delta("body_key", "Key of the body.", "4294967301", Cell::I64(|row| row.body_key)),
        column("group", "Number of the group in the file, from 1.", "1", Cell::I32(|row| row.group)),
        column("line", "Line, from 1.", "4", Cell::I32(|row| row.line)),
        column("kind", "Whether it allows or disallows: allow or disallow.", "disallow", Cell::Label(|row| row.kind)),
        column("pattern", "Path pattern as written.", "/private/*.pdf$", Cell::Lossy(|row| row.pattern)),
    ];
}
