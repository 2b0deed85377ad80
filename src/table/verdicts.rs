//! `verdicts`: a row a distinct body, dialect and rule set.

use super::column::{Cell, Column, column, delta, plain};
use super::{Place, Record, Table};

/// The table `verdicts`.
pub struct Verdicts;

/// A row of [`Verdicts`].
#[derive(Debug, Clone, Default)]
pub struct VerdictRow<'a> {
    /// Key of the body.
    pub body_key: i64,
    /// Dialect that was read.
    pub dialect: &'static str,
    /// Ids of the agents that share these verdicts.
    pub agents: &'a [i16],
    /// Kind of group that binds them.
    pub basis: &'static str,
    /// Token of their chains that a group names; several, where agents found by different tokens share the groups, are
    /// separated by commas.
    pub token: Option<&'a str>,
    /// What they may fetch.
    pub access: &'static str,
    /// A path that they may fetch.
    pub witness_allowed: Option<&'a [u8]>,
    /// A path that they may not fetch.
    pub witness_denied: Option<&'a [u8]>,
    /// Ids of the probes that are denied.
    pub disallowed: &'a [i32],
    /// Ids of the probes that the dialect leaves open.
    pub undefined: &'a [i32],
    /// Deciding line of each probe.
    pub lines: &'a [i32],
}

impl Table for Verdicts {
    const NAME: &'static str = "verdicts";
    const ABOUT: &'static str =
        "A row a distinct body, dialect and rule set; agents that follow the same groups on the same basis share one.";
    const PLACE: Place = Place::Parts;
}

impl Record for Verdicts {
    type Row<'a> = VerdictRow<'a>;
    const COLUMNS: &'static [Column<Verdicts>] = &[
        delta("body_key", "Key of the body.", "4294967301", Cell::I64(|row| row.body_key)),
        column("dialect", "Dialect that the body was read in.", "rfc9309", Cell::Label(|row| row.dialect)),
        column(
            "agents",
            "Ids (in agents) of the agents that share these verdicts; over the rows of a body and dialect each agent occurs once.",
            "[0, 1, 7]",
            Cell::I16s(|row| row.agents),
        ),
        column(
            "basis",
            "Kind of group that binds them: named, wildcard or none.",
            "wildcard",
            Cell::Label(|row| row.basis),
        ),
        column(
            "token",
            "Token of their chains that a group names, several separated by commas; null unless the basis is named.",
            "googlebot",
            Cell::MaybeText(|row| row.token),
        ),
        column(
            "access",
            "What they may fetch of all paths but /robots.txt: all, some or none; undefined where that hangs on paths which the dialect's text \
             leaves open; undecided where it was too much work.",
            "some",
            Cell::Label(|row| row.access),
        ),
        column(
            "witness_allowed",
            "A path that they may fetch: always when access is all or some, where one was found when it is undefined or undecided, else null.",
            "/",
            Cell::MaybeLossy(|row| row.witness_allowed),
        ),
        column(
            "witness_denied",
            "A path that they may not fetch: always when access is none or some, where one was found when it is undefined or undecided, else null.",
            "/private/",
            Cell::MaybeLossy(|row| row.witness_denied),
        ),
        column(
            "disallowed",
            "Ids (in probes) of the probes that are disallowed.",
            "[2, 5]",
            Cell::I32s(|row| row.disallowed),
        ),
        column(
            "undefined",
            "Ids (in probes) of the probes that the dialect's text leaves open; those in neither list are allowed.",
            "[]",
            Cell::I32s(|row| row.undefined),
        ),
        // Plain, because a page of dictionary indices that are all alike has no bound but its rows.
        plain(
            "lines",
            "Line of the deciding rule, from 1, for every probe in the order of its id; 0 where no rule matched.",
            "[0, 0, 4, 0, 0, 9]",
            Cell::I32s(|row| row.lines),
        ),
    ];
}
