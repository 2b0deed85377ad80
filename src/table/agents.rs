//! `agents`: a row a crawler of the agent set.

use super::column::{Cell, Column, column};
use super::{Place, Record, Table};

/// The table `agents`.
pub struct Agents;

/// A row of [`Agents`].
#[derive(Debug, Clone, Copy, Default)]
pub struct AgentRow<'a> {
    /// Id: its place in the agent set, from 0.
    pub agent_id: i16,
    /// Its own product token.
    pub token: &'a str,
    /// Tokens to fall back on, most specific first.
    pub fallbacks: &'a [String],
    /// Whether the group for `*` binds it when no group names it.
    pub follows_star: bool,
    /// Who runs it.
    pub operator: Option<&'a str>,
    /// What it is for.
    pub purpose: Option<&'a str>,
    /// Anything else.
    pub note: Option<&'a str>,
}

impl Table for Agents {
    const NAME: &'static str = "agents";
    const ABOUT: &'static str = "A row a crawler that verdicts were given for.";
    const PLACE: Place = Place::Single;
}

impl Record for Agents {
    type Row<'a> = AgentRow<'a>;
    const COLUMNS: &'static [Column<Agents>] = &[
        column(
            "agent_id",
            "Id in verdicts.agents: the place in the agent set, from 0.",
            "7",
            Cell::I16(|row| row.agent_id),
        ),
        column("token", "Its own product token.", "Googlebot-News", Cell::Text(|row| row.token)),
        column(
            "fallbacks",
            "Tokens that it falls back on when no group names it, most specific first.",
            "[Googlebot]",
            Cell::Texts(|row, texts| row.fallbacks.iter().for_each(|token| texts.push(token))),
        ),
        column(
            "follows_star",
            "Whether the group for * binds it when no group names it.",
            "true",
            Cell::Bool(|row| row.follows_star),
        ),
        column("operator", "Who runs it; null when not known.", "Google", Cell::MaybeText(|row| row.operator)),
        column("purpose", "What it is for; null when not known.", "search", Cell::MaybeText(|row| row.purpose)),
        column(
            "note",
            "Anything else; null when there is nothing.",
            "crawls news only",
            Cell::MaybeText(|row| row.note),
        ),
    ];
}
