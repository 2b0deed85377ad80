//! What a figure is. All of them are one list: [`super::figures::FIGURES`]; files, page and tests loop over it.

use super::facts::{AnswerFacts, Context, PolicyFacts, TextFacts};
use super::tally::{DIMENSIONS, Tally, Unit};

/// A figure: one entry says all there is to say about it.
pub struct Figure {
    /// Its name: that of its files, and its anchor on the page.
    pub id: &'static str,
    /// The heading it stands under.
    pub section: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What exactly is counted.
    pub definition: &'static str,
    /// What shares are of.
    pub base: Base,
    /// What is counted in: origins first.
    pub units: &'static [Unit],
    /// What is told apart.
    pub dimensions: &'static [Dimension],
    /// Only the most frequent ones are shown.
    pub top: Option<Top>,
    /// What the numbers are.
    pub measure: Measure,
    /// How they come from the tables.
    pub compute: Compute,
    /// The query that gives the counts from the views; [`super::sql::query`] adds the denominators. `{dialect}` stands for the
    /// dialect as a text, `{dialects}` for those of the scan.
    pub sql: fn() -> String,
    /// How it is drawn.
    pub chart: Chart,
}

impl Figure {
    /// What its shares are of, for people.
    pub fn denominator(&self) -> String {
        match self.base {
            Base::Within(0) => "Everything that the figure counts.".to_owned(),
            Base::Within(keep) => {
                let titles: Vec<&str> = self.dimensions.iter().take(keep).map(|dimension| dimension.title).collect();
                format!("Everything that the figure counts in the same row of the table ({}).", titles.join(", "))
            }
            base => base.about().to_owned(),
        }
    }
}

/// A column that tells rows of a figure apart.
#[derive(Debug, Clone, Copy)]
pub struct Dimension {
    /// Name of the column.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The words in the order that they are shown in, where it is not that of the alphabet.
    pub order: fn() -> Vec<&'static str>,
}

impl Dimension {
    /// A column with words in alphabetical order.
    pub const fn new(name: &'static str, title: &'static str) -> Dimension {
        Dimension { name, title, order: Vec::new }
    }

    /// A column with words in an order of their own.
    pub const fn ordered(name: &'static str, title: &'static str, order: fn() -> Vec<&'static str>) -> Dimension {
        Dimension { name, title, order }
    }
}

/// What shares of a figure are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// All answers but those whose redirect leads outside the input, and captures that redirect.
    Counted,
    /// Answers of 2xx.
    Text,
    /// Answers of 2xx whose text is a robots.txt.
    Robots,
    /// Answers with rules for `*` that close everything.
    GeneralBlock,
    /// All rows of the figure that are alike in so many first dimensions.
    Within(usize),
}

impl Base {
    /// Those that are counted by themselves.
    pub const COUNTED: [Base; 4] = [Base::Counted, Base::Text, Base::Robots, Base::GeneralBlock];

    /// The word that the view `totals` uses.
    pub const fn name(self) -> &'static str {
        match self {
            Base::Counted => "counted",
            Base::Text => "text",
            Base::Robots => "robots",
            Base::GeneralBlock => "general_block",
            Base::Within(_) => "within",
        }
    }

    /// What it is, for people.
    pub const fn about(self) -> &'static str {
        match self {
            Base::Counted => {
                "All whose answer the input can tell: without redirects to targets outside the input and, in captures, \
                without captures that redirect. Redirects that lead nowhere are in it."
            }
            Base::Text => "Those with a 2xx answer at the end of their redirects.",
            Base::Robots => "Those with a 2xx answer whose text is a robots.txt (body_kind robots).",
            Base::GeneralBlock => "Those whose rules for * close every path to some agent of the set.",
            Base::Within(_) => "Everything that the figure counts under the same first columns.",
        }
    }

    /// The number of the pseudo figure under which it is counted.
    pub(super) fn key(self) -> Option<u16> {
        Base::COUNTED.iter().position(|base| *base == self).map(|at| FIRST_BASE + at as u16)
    }
}

/// Numbers of figures from here on count what no figure shows by itself.
pub(super) const FIRST_BASE: u16 = 60_000;

/// Agents that are named: token, own access, access of `*`.
pub(super) const NAMED: u16 = 60_100;

/// Only the most frequent rows, by origins over everything.
#[derive(Debug, Clone, Copy)]
pub struct Top {
    /// How many.
    pub most: usize,
    /// By how many of the first dimensions they are told apart.
    pub dimensions: usize,
}

/// What the numbers of a figure are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// A count and what it is of.
    Share,
    /// Quantiles of a number, the number of values and their sum.
    Quantiles,
}

/// The quantiles that are given: name and percent. A quantile is the least value that so many percent of all do not exceed.
pub const QUANTILES: [(&str, u64); 7] =
    [("p1", 1), ("p10", 10), ("p25", 25), ("p50", 50), ("p75", 75), ("p90", 90), ("p99", 99)];

/// How a figure comes from the tables.
#[derive(Clone, Copy)]
pub enum Compute {
    /// From each answer.
    Answers(fn(&AnswerFacts<'_>, &Context, &mut Emit<'_>)),
    /// From each text of an answer of 2xx.
    Texts(fn(&TextFacts<'_>, &mut Emit<'_>)),
    /// From what each answer lets all agents fetch; needs verdicts.
    Policies(fn(&PolicyFacts<'_>, &Context, &mut Emit<'_>)),
    /// Agents by basis and access; needs verdicts.
    AgentAccess,
    /// Agents by access under a general block; needs verdicts.
    AllowLists,
    /// Agents by probe and verdict; needs verdicts.
    Probes,
    /// Agents that are named, by access of their own group.
    Named,
    /// The same agents over all robots.txt, by access of their own group or else that of `*`.
    Effective,
    /// Pairs of origins of one registered domain.
    Siblings,
    /// Pairs of dialects that differ on a body; needs disagreements.
    Disagreements,
}

impl Compute {
    /// The table that it cannot do without.
    pub const fn needs(self) -> Option<&'static str> {
        match self {
            Compute::Policies(_) | Compute::AgentAccess | Compute::AllowLists | Compute::Probes => Some("verdicts"),
            Compute::Disagreements => Some("disagreements"),
            _ => None,
        }
    }

    /// Whether it tells agents apart, so that it can be split by their purpose.
    pub const fn is_by_agent(self) -> bool {
        matches!(self, Compute::AgentAccess | Compute::AllowLists | Compute::Probes)
    }
}

/// How a figure is drawn: of origins, over everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chart {
    /// A bar a row, by its share.
    Bars,
    /// A bar a value of the first dimension, divided by the values of another one.
    Stacked(usize),
    /// A field a value of the first two dimensions, as dark as the share of this word in the third.
    Heat(&'static str),
    /// A box a row of quantiles, on a logarithmic scale.
    Boxes,
    /// Not at all.
    None,
}

/// Takes what an answer, text or policy counts under. It counts once under the same words, however often they are said.
pub struct Emit<'a> {
    pub(super) tally: &'a mut Tally,
    pub(super) figure: u16,
    pub(super) keys: &'a mut Vec<(u16, [u32; DIMENSIONS])>,
}

impl Emit<'_> {
    /// Counts under these words, one a dimension.
    pub fn words<T: AsRef<str>>(&mut self, words: &[T]) {
        let mut dimensions = [0; DIMENSIONS];
        for (dimension, word) in dimensions.iter_mut().zip(words) {
            *dimension = self.tally.word(word.as_ref());
        }
        self.keys.push((self.figure, dimensions));
    }

    /// Counts a number that is measured.
    pub fn number(&mut self, measure: &str, value: i64) {
        let value = u32::try_from(value.max(0)).unwrap_or(u32::MAX);
        self.keys.push((self.figure, [self.tally.word(measure), value, 0]));
    }
}
