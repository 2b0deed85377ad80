//! EVALUATE: asks every question (agents x probes x dialects) of one parsed body, once; pure.

pub mod agents;
pub mod disagreement;
pub mod probes;

use disagreement::Comparison;
use rep::{
    Access, AccessClass, AccessFinder, Agent, AgentIndex, AgentMatch, Decision, Decisions, Dialect, Document, Field,
    Named, NamedAgents, Paths, Reading, Robots, RuleSet, Selection, Token, Traits, Verdict, named,
};
use std::ops::Range;

/// Why a file of agents or probes cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// It could not be read.
    #[error("{file}: cannot be read: {source}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// It says something that cannot be.
    #[error("{file}:{line}: {message}")]
    Wrong {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong there and how to mend it.
        message: String,
    },
}

/// All that a run asks of every body: who, what, and in which dialects.
///
/// Made once, shared by all workers.
#[derive(Debug, Clone)]
pub struct Questions {
    dialects: Vec<Prepared>,
    agents: usize,
}

#[derive(Debug, Clone)]
struct Prepared {
    dialect: &'static Dialect,
    index: AgentIndex,
    paths: Paths,
    /// The first dialect that compares the probes as the same paths.
    same_paths: usize,
}

impl Questions {
    /// Prepares agents and probes (absolute URLs or paths) for each dialect; the first dialect is the one that speaks for a body.
    pub fn new(agents: &[Agent], probes: &[&str], dialects: &[&'static Dialect]) -> Questions {
        let mut prepared: Vec<Prepared> = Vec::with_capacity(dialects.len());
        for dialect in dialects {
            let paths = Paths::new(probes.iter().map(|probe| probe.as_bytes()), dialect);
            let same_paths = prepared.iter().position(|known| known.paths == paths).unwrap_or(prepared.len());
            prepared.push(Prepared { dialect, index: AgentIndex::new(agents, dialect), paths, same_paths });
        }
        Questions { dialects: prepared, agents: agents.len().min(AgentIndex::MOST) }
    }

    /// The dialects, in order.
    pub fn dialects(&self) -> impl ExactSizeIterator<Item = &'static Dialect> {
        self.dialects.iter().map(|prepared| prepared.dialect)
    }
}

/// Answers of one rule set of one body in one dialect: a row of the table `verdicts`.
#[derive(Debug)]
pub struct Answers<'a> {
    /// The dialect.
    pub dialect: &'static Dialect,
    /// The rule set: its basis.
    pub set: &'a RuleSet,
    /// Its groups, ascending indices into [`Robots::groups`].
    pub groups: &'a [u32],
    /// Agents that follow it, ascending ids.
    pub agents: &'a [i16],
    /// The tokens by which its groups name them, joined by commas; empty unless the basis is `named`.
    pub token: &'a str,
    /// How much of a site is open to them.
    pub access: Access<'a>,
    /// Ids of the probes that are denied, ascending.
    pub disallowed: &'a [i32],
    /// Ids of the probes that the dialect leaves open, ascending.
    pub undefined: &'a [i32],
    /// For each probe the line that decided, 0 for none.
    pub lines: &'a [i32],
}

/// An agent that a body names, in the agent set or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedAccess<'a> {
    /// Its token as the file first spells it; `*` too.
    pub token: &'a [u8],
    /// The line that names it first, from 1.
    pub line: u32,
    /// How much of a site is open to a crawler of that name.
    pub access: AccessClass,
}

/// The scratch space of a worker. Reused from body to body, so that asking allocates nothing once it is warm.
#[derive(Debug, Default)]
pub struct Evaluator {
    slots: Vec<Slot>,
    readings: Vec<Reading>,
    views: Vec<View>,
    lists: Lists,
    finder: AccessFinder,
    /// One for each reading.
    accesses: Vec<SetAccess>,
    named: NamedAgents,
    comparison: Comparison,
}

/// Who follows what, and what that decides: of one dialect, and of all that read the document alike.
#[derive(Debug, Default)]
struct Slot {
    selection: Selection,
    decisions: Decisions,
}

/// The access of each rule set, in order: its class, and where a path that is allowed and one that is denied lie.
#[derive(Debug, Default)]
struct SetAccess {
    found: Vec<(AccessClass, Witness, Witness)>,
    witnesses: Vec<u8>,
}

/// A range of [`SetAccess::witnesses`].
type Witness = Option<Range<usize>>;

impl SetAccess {
    fn fill(&mut self, robots: &Robots<'_>, selection: &Selection, finder: &mut AccessFinder) {
        self.found.clear();
        self.witnesses.clear();
        for set in selection.sets() {
            let access = finder.of(robots, selection.groups_of(set));
            let mut keep = |witness: Option<&[u8]>| {
                let start = self.witnesses.len();
                self.witnesses.extend_from_slice(witness?);
                Some(start..self.witnesses.len())
            };
            let (allowed, denied) = (keep(access.allowed), keep(access.denied));
            self.found.push((access.class, allowed, denied));
        }
    }

    fn of_set(&self, set: usize) -> Access<'_> {
        let (class, allowed, denied) = &self.found[set];
        let witness = |range: &Witness| range.clone().map(|range| &self.witnesses[range]);
        Access { class: *class, allowed: witness(allowed), denied: witness(denied) }
    }
}

/// Where a dialect's reading and answers are: of the dialect with this number, and in this slot by that ranking.
#[derive(Debug, Clone, Copy)]
struct View {
    robots: usize,
    slot: usize,
    ranking: usize,
    /// The access of its rule sets. What paths are asked about makes no difference to it.
    access: usize,
}

#[derive(Debug, Default)]
struct Lists {
    token: String,
    disallowed: Vec<i32>,
    undefined: Vec<i32>,
    lines: Vec<i32>,
}

impl Evaluator {
    /// Starts a body: `first` is how the first dialect reads it.
    pub fn begin<'s, 'a>(&'s mut self, first: &'s Robots<'a>) -> Asking<'s, 'a> {
        self.finder.begin(first);
        Asking { evaluator: self, first }
    }

    /// Reads a document in every dialect and asks every question: for those who do not want its named agents as well.
    pub fn evaluate<'s, 'a>(
        &'s mut self,
        questions: &'s Questions,
        document: &Document<'a>,
        first: &'s Robots<'a>,
    ) -> Evaluation<'s, 'a> {
        self.begin(first).evaluate(questions, document)
    }
}

/// A body that is being asked about.
#[derive(Debug)]
pub struct Asking<'s, 'a> {
    evaluator: &'s mut Evaluator,
    first: &'s Robots<'a>,
}

impl<'s, 'a> Asking<'s, 'a> {
    /// Every agent that the file names as the first dialect reads it, each once, in file order.
    pub fn named_agents(&mut self) -> Vec<NamedAccess<'a>> {
        let Evaluator { finder, named, .. } = &mut *self.evaluator;
        let first = self.first;
        named
            .find(first)
            .map(|agent| NamedAccess {
                token: agent.token,
                line: agent.line,
                access: agent.groups.map_or(AccessClass::Undecided, |groups| finder.of(first, groups).class),
            })
            .collect()
    }

    /// Reads the document in every dialect and asks every question.
    ///
    /// Dialects that read the document alike share the reading, and the answers too where the probes are the same paths to them.
    pub fn evaluate(self, questions: &'s Questions, document: &Document<'a>) -> Evaluation<'s, 'a> {
        let Asking { evaluator, first } = self;
        let Evaluator { slots, readings, views, lists, finder, accesses, comparison, .. } = evaluator;
        let count = questions.dialects.len();
        readings.clear();
        views.clear();
        let mut others: Vec<Option<Robots<'a>>> = Vec::new();
        let mut used = 0;
        if count > 1 {
            let traits = Traits::of(document);
            // All agree on it that match by prefix.
            let by_prefix = |prepared: &&Prepared| prepared.dialect.agent_match == AgentMatch::LongestPrefix;
            let first_by_prefix = questions.dialects.iter().find(by_prefix);
            let begins = first_by_prefix.is_some_and(|prepared| begins_a_name(document, &prepared.index));
            let prefix_matters = |prepared: &Prepared| begins && by_prefix(&prepared);
            let reading = |prepared: &Prepared| prepared.dialect.reading(&traits, prefix_matters(prepared));
            readings.extend(questions.dialects.iter().map(reading));
        }
        for (number, prepared) in questions.dialects.iter().enumerate() {
            let alike = |known: &usize| readings.get(*known) == readings.get(number);
            let same_paths = |known: &usize| questions.dialects[*known].same_paths == prepared.same_paths;
            let robots = (0..number).find(alike).unwrap_or(number);
            others.push(if number == 0 || robots != number {
                None
            } else {
                let has_rules = |known: &usize| readings[*known].has_rules_of(&readings[number]);
                Some(match (0..number).find(has_rules) {
                    Some(0) => first.ranked_by(prepared.dialect),
                    Some(known) => match others.get(known).and_then(Option::as_ref) {
                        Some(robots) => robots.ranked_by(prepared.dialect),
                        None => document.read(prepared.dialect),
                    },
                    None => document.read(prepared.dialect),
                })
            });
            views.push(match (0..number).filter(alike).find(same_paths) {
                Some(known) => views[known],
                None => {
                    // The slot of a dialect with the same rules, differently ranked, and the same paths; or a new one.
                    let has_rules = |known: &usize| {
                        same_paths(known) && readings.get(*known).is_some_and(|r| r.has_rules_of(&readings[number]))
                    };
                    let slot = (0..number).find(has_rules).map_or(used, |known| views[known].slot);
                    used = used.max(slot + 1);
                    let ranking = views.iter().filter(|view| view.slot == slot).map(|view| view.ranking + 1).max();
                    View { robots, slot, ranking: ranking.unwrap_or(0), access: 0 }
                }
            });
        }
        if slots.len() < used {
            slots.resize_with(used, Slot::default);
        }
        let mut rankings: Vec<&Robots<'a>> = Vec::with_capacity(count);
        for (number, slot) in slots.iter_mut().enumerate().take(used) {
            rankings.clear();
            let mut prepared = None;
            for (dialect, view) in views.iter().enumerate().filter(|(_, view)| view.slot == number) {
                if view.ranking == rankings.len() {
                    rankings.push(others.get(view.robots).and_then(Option::as_ref).unwrap_or(first));
                    prepared = prepared.or(questions.dialects.get(dialect));
                }
            }
            let (Some(prepared), Some(robots)) = (prepared, rankings.first()) else { continue };
            slot.selection.select(robots, &prepared.index);
            slot.decisions.evaluate_ranked(&rankings, &slot.selection, &prepared.paths);
        }
        let mut filled = 0;
        for number in 0..count {
            let View { robots, slot, .. } = views[number];
            if robots != number {
                views[number].access = views[robots].access;
                continue;
            }
            let read = others.get(robots).and_then(Option::as_ref).unwrap_or(first);
            if number > 0 {
                finder.begin(read);
            }
            if filled == accesses.len() {
                accesses.push(SetAccess::default());
            }
            accesses[filled].fill(read, &slots[slot].selection, finder);
            views[number].access = filled;
            filled += 1;
        }
        Evaluation { questions, first, others, slots, views, accesses, lists, finder, comparison }
    }
}

/// Whether some token of a file only begins the name of an agent.
fn begins_a_name(document: &Document<'_>, index: &AgentIndex) -> bool {
    document.lines().iter().any(|line| {
        line.field == Field::UserAgent
            && matches!(named(document.value(line), Token::WithDigits), Named::Token(token) if index.begins_a_name(token))
    })
}

/// All answers about one body.
#[derive(Debug)]
pub struct Evaluation<'s, 'a> {
    questions: &'s Questions,
    first: &'s Robots<'a>,
    others: Vec<Option<Robots<'a>>>,
    slots: &'s [Slot],
    views: &'s [View],
    accesses: &'s [SetAccess],
    lists: &'s mut Lists,
    finder: &'s mut AccessFinder,
    comparison: &'s mut Comparison,
}

impl<'a> Evaluation<'_, 'a> {
    /// How many dialects there are; they are numbered from 0 in the order of the questions.
    pub fn dialects(&self) -> usize {
        self.views.len()
    }

    /// The document as a dialect reads it; maybe read in another dialect that reads it alike.
    pub fn robots(&self, dialect: usize) -> &Robots<'a> {
        self.others.get(self.views[dialect].robots).and_then(Option::as_ref).unwrap_or(self.first)
    }

    /// Which agents follow which rule set.
    pub fn selection(&self, dialect: usize) -> &Selection {
        &self.slots[self.views[dialect].slot].selection
    }

    /// What a dialect decides for a rule set of its selection, a path each.
    pub fn decisions(&self, dialect: usize, set: usize) -> &[Decision] {
        let view = self.views[dialect];
        self.slots[view.slot].decisions.of_ranked_set(view.ranking, set)
    }

    /// What is equal for dialects which share all their answers, and for no others.
    pub fn answers_of(&self, dialect: usize) -> (usize, usize) {
        (self.views[dialect].slot, self.views[dialect].ranking)
    }

    /// How much of a site a rule set of a dialect leaves open.
    pub fn access(&self, dialect: usize, set: usize) -> Access<'_> {
        self.accesses[self.views[dialect].access].of_set(set)
    }

    /// Hands over the answers, dialect by dialect, rule set by rule set.
    pub fn each<E>(&mut self, mut answers: impl FnMut(&Answers<'_>) -> Result<(), E>) -> Result<(), E> {
        for (prepared, view) in self.questions.dialects.iter().zip(self.views) {
            let Slot { selection, decisions } = &self.slots[view.slot];
            let access = &self.accesses[view.access];
            for (number, set) in selection.sets().iter().enumerate() {
                self.lists.fill(selection, &prepared.index, set, decisions.of_ranked_set(view.ranking, number));
                answers(&Answers {
                    dialect: prepared.dialect,
                    set,
                    groups: selection.groups_of(set),
                    agents: selection.agents_of(set),
                    token: &self.lists.token,
                    access: access.of_set(number),
                    disallowed: &self.lists.disallowed,
                    undefined: &self.lists.undefined,
                    lines: &self.lists.lines,
                })?;
            }
        }
        Ok(())
    }
}

impl Lists {
    fn fill(&mut self, selection: &Selection, index: &AgentIndex, set: &RuleSet, decisions: &[Decision]) {
        self.token.clear();
        for token in selection.tokens_of(set, index) {
            if !self.token.is_empty() {
                self.token.push(',');
            }
            self.token.push_str(token);
        }
        self.disallowed.clear();
        self.undefined.clear();
        self.lines.clear();
        for (probe, decision) in decisions.iter().enumerate() {
            match decision.verdict {
                Verdict::Allow => {}
                Verdict::Disallow => self.disallowed.push(probe as i32),
                Verdict::Undefined => self.undefined.push(probe as i32),
            }
            self.lines.push(decision.line as i32);
        }
    }
}
