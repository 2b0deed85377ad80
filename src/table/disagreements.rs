//! `disagreements`: where two dialects decide differently, and only that.

use super::column::{Cell, Column, column, delta};
use super::{Place, Record, Table};

/// The table `disagreements`.
pub struct Disagreements;

/// A row of [`Disagreements`].
#[derive(Debug, Clone, Default)]
pub struct DisagreementRow<'a> {
    /// Key of the body.
    pub body_key: i64,
    /// The dialect that was named first.
    pub dialect_a: &'static str,
    /// The other one.
    pub dialect_b: &'static str,
    /// Ids of the agents.
    pub agents: &'a [i16],
    /// What the one decides.
    pub verdict_a: Option<&'static str>,
    /// What the other decides.
    pub verdict_b: Option<&'static str>,
    /// Ids of the probes with these verdicts.
    pub probes: &'a [i32],
    /// Deciding lines of the one.
    pub lines_a: &'a [i32],
    /// Deciding lines of the other.
    pub lines_b: &'a [i32],
    /// What the agents may fetch by the one.
    pub access_a: &'static str,
    /// What they may fetch by the other.
    pub access_b: &'static str,
    /// A path with these verdicts, where access differs.
    pub path: Option<&'a [u8]>,
    /// Its deciding line in the one.
    pub path_line_a: Option<i32>,
    /// Its deciding line in the other.
    pub path_line_b: Option<i32>,
}

impl Table for Disagreements {
    const NAME: &'static str = "disagreements";
    const ABOUT: &'static str = "A row a distinct body, pair of dialects, agents that each of the two treats alike, and pair of verdicts: the \
        probes on which the two differ so, and a path where what those agents may fetch at all differs.";
    const PLACE: Place = Place::PartsWith("--dialect A,B");
}

impl Record for Disagreements {
    type Row<'a> = DisagreementRow<'a>;
    const COLUMNS: &'static [Column<Disagreements>] = &[
        delta("body_key", "Key of the body.", "4294967301", Cell::I64(|row| row.body_key)),
        column(
            "dialect_a",
            "The one of the two dialects that --dialect names first; all pairs occur.",
            "rfc9309",
            Cell::Label(|row| row.dialect_a),
        ),
        column("dialect_b", "The other one.", "google", Cell::Label(|row| row.dialect_b)),
        column(
            "agents",
            "Ids (in agents) of the agents concerned: those that share a row of verdicts in both dialects; for one pair of dialects and one \
             probe an agent occurs once at most.",
            "[0, 1, 7]",
            Cell::I16s(|row| row.agents),
        ),
        column(
            "verdict_a",
            "What dialect_a decides on each of the probes and on the path: allow, disallow or undefined; null where only access differs and \
             no path that shows it was found within the work allowed for one body.",
            "allow",
            Cell::MaybeLabel(|row| row.verdict_a),
        ),
        column(
            "verdict_b",
            "What dialect_b decides on them: never the same.",
            "disallow",
            Cell::MaybeLabel(|row| row.verdict_b),
        ),
        column(
            "probes",
            "Ids (in probes) of the probes with these two verdicts; empty where no probe shows the difference.",
            "[2, 5]",
            Cell::I32s(|row| row.probes),
        ),
        column(
            "lines_a",
            "Line of the rule that decides in dialect_a, from 1, for each of the probes; 0 where no rule matched.",
            "[0, 0]",
            Cell::I32s(|row| row.lines_a),
        ),
        column("lines_b", "The same for dialect_b.", "[4, 9]", Cell::I32s(|row| row.lines_b)),
        column(
            "access_a",
            "What the agents may fetch in dialect_a, as verdicts.access.",
            "all",
            Cell::Label(|row| row.access_a),
        ),
        column("access_b", "The same in dialect_b.", "some", Cell::Label(|row| row.access_b)),
        column(
            "path",
            "A path with these two verdicts, where access_a is not access_b; null where they are equal, in the other rows of the same agents, \
             and where no path was found.",
            "/private/",
            Cell::MaybeLossy(|row| row.path),
        ),
        column(
            "path_line_a",
            "Line of the rule that decides about the path in dialect_a, from 1; 0 where no rule matched, null without a path.",
            "0",
            Cell::MaybeI32(|row| row.path_line_a),
        ),
        column("path_line_b", "The same for dialect_b.", "4", Cell::MaybeI32(|row| row.path_line_b)),
    ];
}
