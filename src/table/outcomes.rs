//! `outcomes`: what each reason means in each dialect.

use super::column::{Cell, Column, column};
use super::{Place, Record, Table};

/// The table `outcomes`.
pub struct Outcomes;

/// A row of [`Outcomes`].
#[derive(Debug, Clone, Copy, Default)]
pub struct OutcomeRow {
    /// Dialect.
    pub dialect: &'static str,
    /// Reason, as in `captures.reason`.
    pub reason: &'static str,
    /// What it means in that dialect.
    pub outcome: &'static str,
}

impl Table for Outcomes {
    const NAME: &'static str = "outcomes";
    const ABOUT: &'static str =
        "A row a dialect and reason: joined on reason, it gives the outcome of a capture or origin in any dialect.";
    const PLACE: Place = Place::Single;
}

impl Record for Outcomes {
    type Row<'a> = OutcomeRow;
    const COLUMNS: &'static [Column<Outcomes>] = &[
        column("dialect", "Dialect.", "rfc9309", Cell::Label(|row| row.dialect)),
        column("reason", "Reason, as in captures.reason.", "server_error", Cell::Label(|row| row.reason)),
        column("outcome", "What it means in that dialect.", "full_disallow", Cell::Label(|row| row.outcome)),
    ];
}
