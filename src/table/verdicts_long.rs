//! `verdicts_long`: a row a verdict. Large; the same is a view over `verdicts`.

use super::column::{Cell, Column, column};
use super::{Place, Record, Table};

/// The table `verdicts_long`.
pub struct VerdictsLong;

/// A row of [`VerdictsLong`].
#[derive(Debug, Clone, Copy, Default)]
pub struct VerdictLongRow {
    /// Key of the body.
    pub body_key: i64,
    /// Dialect that was read.
    pub dialect: &'static str,
    /// Id of the agent.
    pub agent_id: i16,
    /// Id of the probe.
    pub probe_id: i32,
    /// What was decided.
    pub verdict: &'static str,
    /// Deciding line, 0 for none.
    pub line: i32,
    /// Kind of group that binds the agent.
    pub basis: &'static str,
}

impl Table for VerdictsLong {
    const NAME: &'static str = "verdicts_long";
    const ABOUT: &'static str = "A row a distinct body, dialect, agent and probe: the table verdicts spelt out, for engines that dislike lists.";
    const PLACE: Place = Place::PartsWith("--verdicts long");
}

impl Record for VerdictsLong {
    type Row<'a> = VerdictLongRow;
    const COLUMNS: &'static [Column<VerdictsLong>] = &[
        column("body_key", "Key of the body.", "4294967301", Cell::I64(|row| row.body_key)),
        column("dialect", "Dialect that the body was read in.", "rfc9309", Cell::Label(|row| row.dialect)),
        column("agent_id", "Id of the agent, in agents.", "7", Cell::I16(|row| row.agent_id)),
        column("probe_id", "Id of the probe, in probes.", "2", Cell::I32(|row| row.probe_id)),
        column(
            "verdict",
            "What was decided: allow, disallow or undefined.",
            "disallow",
            Cell::Label(|row| row.verdict),
        ),
        column("line", "Line of the deciding rule, from 1; 0 when no rule matched.", "4", Cell::I32(|row| row.line)),
        column(
            "basis",
            "Kind of group that binds the agent: named, wildcard or none.",
            "named",
            Cell::Label(|row| row.basis),
        ),
    ];
}
