//! The classifiers of published studies, made again from what the studies describe: what each of them would have said of a body.
//!
//! They are deliberately not right. Each keeps the mistakes that are known of it, because its purpose is to give the
//! numbers that were published and to show how far they are from the exact answer (`verdicts.access`). Each is
//! a pure function from bytes and agents to classes; its work grows with the bytes it is given and has a bound.

mod almanac;
mod common_crawl;
mod consent;
mod groups;
mod imc;
mod passau;

use rep::{AccessClass, Agent, AgentIndex, Basis, Dialect, Document};
use std::borrow::Cow;
use std::collections::HashMap;

/// What a classifier speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Each agent, by its own token: no study knows of fallbacks, or of crawlers that do not follow `*`.
    Agents,
    /// The file as a whole.
    File,
}

/// One of the classes of a [`Classifier`].
#[derive(Debug, PartialEq, Eq)]
pub struct Class {
    /// The word that tables carry: the study's own where it has one.
    pub word: &'static str,
    /// What puts an agent or a file into it, in a sentence.
    pub about: &'static str,
    /// What its readers take it for: the most closed and the most open access that agree with it. `None` where it says
    /// nothing about access.
    pub access: Option<(AccessClass, AccessClass)>,
}

/// A classifier of a study.
#[derive(Debug, PartialEq, Eq)]
pub struct Classifier {
    /// Its name in tables and options.
    pub name: &'static str,
    /// The study, with its authors and year.
    pub study: &'static str,
    /// What it speaks of.
    pub subject: Subject,
    /// How it decides, in a sentence.
    pub about: &'static str,
    /// Its classes.
    pub classes: &'static [Class],
    /// What is known to be wrong with it, and is kept, in a sentence each.
    pub defects: &'static [&'static str],
}

/// Every classifier, in the order of the rows that a body gets.
pub const CLASSIFIERS: &[&Classifier] = &[
    &consent::AGENTS,
    &consent::LADDER,
    &consent::ALL_AGENTS,
    &common_crawl::CLASSIFIER,
    &imc::CLASSIFIER,
    &passau::CLASSIFIER,
    &almanac::AGENTS,
    &almanac::SIZE,
];

impl Classifier {
    /// The classifier of this name.
    pub fn named(name: &str) -> Option<&'static Classifier> {
        CLASSIFIERS.iter().find(|classifier| classifier.name == name).copied()
    }
}

impl Class {
    /// How this class stands to the exact answer; `None` where either says nothing about access.
    pub fn compare(&self, exact: AccessClass) -> Option<Comparison> {
        let openness = |access| match access {
            AccessClass::None => Some(0),
            AccessClass::Some => Some(1),
            AccessClass::All => Some(2),
            AccessClass::Undefined | AccessClass::Undecided => None,
        };
        let (closed, open) = self.access?;
        let (closed, open, exact) = (openness(closed)?, openness(open)?, openness(exact)?);
        Some(match exact {
            _ if exact > open => Comparison::MoreClosed,
            _ if exact < closed => Comparison::MoreOpen,
            _ => Comparison::Agrees,
        })
    }
}

/// How what a classifier says stands to the exact answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Comparison {
    /// It says the same.
    Agrees,
    /// It says that less is open than is.
    MoreClosed,
    /// It says that more is open than is.
    MoreOpen,
}

/// A class that a classifier gives: a row of the table `classifiers`.
#[derive(Debug, Clone, Copy)]
pub struct Judgement<'a> {
    /// The classifier.
    pub classifier: &'static Classifier,
    /// The class.
    pub class: &'static Class,
    /// What it rests on, where the classifier speaks of agents. With [`Basis::Wildcard`] it is the class of `*`, and there is such a
    /// judgement whenever the classifier gives `*` a class, even if no agent falls back on it.
    pub basis: Option<Basis>,
    /// The agents in it, ascending ids; none where the classifier speaks of the file.
    pub agents: &'a [i16],
}

/// The agents that the classifiers are asked about. Made once, shared by all workers.
#[derive(Debug, Clone)]
pub struct Panel {
    /// Ids by token in lower case.
    tokens: HashMap<Box<str>, Vec<i16>>,
    count: usize,
    google: AgentIndex,
}

impl Panel {
    /// Prepares agents; an agent's id is its place. Of each only its own token counts.
    pub fn new(agents: &[Agent]) -> Panel {
        let count = agents.len().min(AgentIndex::MOST);
        let mut tokens: HashMap<Box<str>, Vec<i16>> = HashMap::new();
        for (id, agent) in agents.iter().take(count).enumerate() {
            tokens.entry(agent.token.to_ascii_lowercase().into()).or_default().push(id as i16);
        }
        // The last one is nobody: no group can name a blank, so it always follows `*`.
        let bare = agents.iter().take(count).map(|agent| agent.token.as_str()).chain([" "]);
        let bare: Vec<Agent> = bare.map(Agent::bare).collect();
        Panel { tokens, count, google: AgentIndex::new(&bare, &Dialect::GOOGLE) }
    }

    /// The agents with this token, in lower case.
    fn ids(&self, token: &str) -> &[i16] {
        self.tokens.get(token).map_or(&[], Vec::as_slice)
    }
}

/// The scratch space of a worker.
#[derive(Debug, Default)]
pub struct Surveyor {
    sorter: Sorter,
    imc: imc::Prober,
}

impl Surveyor {
    /// What every classifier says of a body, in the order of [`CLASSIFIERS`] and of their classes. Within a classifier no agent is given
    /// twice; those that it has no class for are not given at all.
    pub fn survey<E>(
        &mut self,
        panel: &Panel,
        document: &Document<'_>,
        mut give: impl FnMut(Judgement<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let body = document.body();
        let text = String::from_utf8_lossy(body);
        let consent = consent::Reading::of(&text);
        let ladder = consent::Labels::of(&text);
        let sorter = &mut self.sorter;
        sorter.give(panel, &consent::AGENTS, &consent.sorted(None), &mut give)?;
        sorter.give(panel, &consent::LADDER, &consent.sorted(Some(ladder)), &mut give)?;
        give_file(&consent::ALL_AGENTS, consent.all_agents(), &mut give)?;
        sorter.give(panel, &common_crawl::CLASSIFIER, &common_crawl::sort(body), &mut give)?;
        sorter.begin(panel);
        self.imc.judge(panel, document, &text, sorter);
        sorter.hand_over(&imc::CLASSIFIER, &mut give)?;
        sorter.give(panel, &passau::CLASSIFIER, &passau::sort(body), &mut give)?;
        sorter.give(panel, &almanac::AGENTS, &almanac::sort(&text), &mut give)?;
        give_file(&almanac::SIZE, almanac::size(&text), &mut give)
    }
}

fn give_file<E>(
    classifier: &'static Classifier,
    class: usize,
    give: &mut impl FnMut(Judgement<'_>) -> Result<(), E>,
) -> Result<(), E> {
    match classifier.classes.get(class) {
        Some(class) => give(Judgement { classifier, class, basis: None, agents: &[] }),
        None => Ok(()),
    }
}

/// What a classifier that knows groups says of a file. Classes are indices into its list.
struct Sorted {
    /// The class of every name that the file gives one, by name in lower case, in file order.
    named: Vec<(Box<str>, usize)>,
    /// The class of `*`.
    star: Option<usize>,
    /// The class of agents that are not named, and what it rests on; `None` where the study has none for them.
    others: Option<(usize, Basis)>,
}

/// Puts agents into rows: one a class and basis.
#[derive(Debug, Default)]
struct Sorter {
    /// For each agent its class and basis.
    of: Vec<Option<(usize, Basis)>>,
    star: Option<usize>,
    /// The agents of each class and basis.
    rows: Vec<Vec<i16>>,
}

impl Sorter {
    fn begin(&mut self, panel: &Panel) {
        self.of.clear();
        self.of.resize(panel.count, None);
        self.star = None;
    }

    fn put(&mut self, agent: i16, class: usize, basis: Basis) {
        if let Some(slot) = self.of.get_mut(agent as usize) {
            *slot = slot.or(Some((class, basis)));
        }
    }

    fn give<E>(
        &mut self,
        panel: &Panel,
        classifier: &'static Classifier,
        sorted: &Sorted,
        give: &mut impl FnMut(Judgement<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.begin(panel);
        self.star = sorted.star;
        for (name, class) in &sorted.named {
            // Of spellings that differ by case the first counts.
            panel.ids(name).iter().for_each(|agent| self.put(*agent, *class, Basis::Named));
        }
        if let Some(others) = sorted.others {
            self.of.iter_mut().for_each(|slot| *slot = slot.or(Some(others)));
        }
        self.hand_over(classifier, give)
    }

    fn hand_over<E>(
        &mut self,
        classifier: &'static Classifier,
        give: &mut impl FnMut(Judgement<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let places = classifier.classes.len() * BASES.len();
        if self.rows.len() < places {
            self.rows.resize_with(places, Vec::new);
        }
        self.rows.iter_mut().for_each(Vec::clear);
        for (agent, slot) in self.of.iter().enumerate() {
            let row = slot.and_then(|(class, basis)| self.rows.get_mut(class * BASES.len() + basis as usize));
            if let Some(row) = row {
                row.push(agent as i16);
            }
        }
        let classes = classifier.classes.iter().enumerate();
        for ((number, class), rows) in classes.zip(self.rows.chunks(BASES.len())) {
            for (basis, agents) in BASES.into_iter().zip(rows) {
                let is_star = basis == Basis::Wildcard && self.star == Some(number);
                if is_star || !agents.is_empty() {
                    give(Judgement { classifier, class, basis: Some(basis), agents })?;
                }
            }
        }
        Ok(())
    }
}

/// What a class can rest on, each at its place.
const BASES: [Basis; 3] = [Basis::Named, Basis::Wildcard, Basis::None];
const _: () = assert!(BASES[0] as usize == 0 && BASES[1] as usize == 1 && BASES[2] as usize == 2);

/// A blank as Python's `str` methods and patterns know it.
fn is_python_blank(char: char) -> bool {
    char.is_whitespace() || ('\x1c'..='\x1f').contains(&char)
}

/// A name in lower case, which most are.
fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
        Cow::Owned(name.to_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

/// What follows `start`, whatever its case.
fn after<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    let head = text.as_bytes().get(..start.len())?;
    head.eq_ignore_ascii_case(start.as_bytes()).then(|| text.get(start.len()..))?
}

#[cfg(test)]
mod tests;
