//! `classifiers`: a row a distinct body, classifier of a study, class and basis.

use super::column::{Cell, Column, column, delta};
use super::{Place, Record, Table};

/// The table `classifiers`.
pub struct Classifiers;

/// A row of [`Classifiers`].
#[derive(Debug, Clone, Copy, Default)]
pub struct ClassifierRow<'a> {
    /// Key of the body.
    pub body_key: i64,
    /// Name of the classifier.
    pub name: &'static str,
    /// Word of the class.
    pub class: &'static str,
    /// What the class rests on.
    pub basis: Option<&'static str>,
    /// Ids of the agents in it.
    pub agents: &'a [i16],
}

impl Table for Classifiers {
    const NAME: &'static str = "classifiers";
    const ABOUT: &'static str =
        "A row a distinct body, classifier of a published study, class and basis: what the study would have said.";
    const PLACE: Place = Place::PartsWith("--classifiers");
}

impl Record for Classifiers {
    type Row<'a> = ClassifierRow<'a>;
    const COLUMNS: &'static [Column<Classifiers>] = &[
        delta("body_key", "Key of the body.", "4294967301", Cell::I64(|row| row.body_key)),
        column("name", "Name of the classifier.", "consent-in-crisis", Cell::Label(|row| row.name)),
        column("class", "Word of the class, as the study has it.", "some", Cell::Label(|row| row.class)),
        column(
            "basis",
            "What the class of the agents rests on: named, none, or wildcard, which is also the class of * itself; null where the classifier speaks of the file.",
            "named",
            Cell::MaybeLabel(|row| row.basis),
        ),
        column(
            "agents",
            "Ids (in agents) of the agents in the class; over the rows of a body and classifier each occurs at most once, and not at all where the study has no class for it.",
            "[0, 1, 7]",
            Cell::I16s(|row| row.agents),
        ),
    ];
}
