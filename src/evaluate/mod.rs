//! EVALUATE: asks every question (agents x probes x dialects) of one parsed body, once; pure.

pub mod agents;
pub mod probes;

use rep::{
    Agent, AgentIndex, AgentMatch, Decision, Decisions, Dialect, Document, Field, Named, Paths, Reading, Robots,
    RuleSet, Selection, Token, Traits, Verdict, named,
};

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
        Questions { dialects: prepared }
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
    /// Ids of the probes that are denied, ascending.
    pub disallowed: &'a [i32],
    /// Ids of the probes that the dialect leaves open, ascending.
    pub undefined: &'a [i32],
    /// For each probe the line that decided, 0 for none.
    pub lines: &'a [i32],
}

/// The scratch space of a worker. Reused from body to body, so that asking allocates nothing once it is warm.
#[derive(Debug, Default)]
pub struct Evaluator {
    slots: Vec<Slot>,
    readings: Vec<Reading>,
    views: Vec<View>,
    lists: Lists,
}

/// Who follows what, and what that decides: of one dialect, and of all that read the document alike.
#[derive(Debug, Default)]
struct Slot {
    selection: Selection,
    decisions: Decisions,
}

/// Where a dialect's reading and answers are: of the dialect with this number, and in this slot by that ranking.
#[derive(Debug, Clone, Copy)]
struct View {
    robots: usize,
    slot: usize,
    ranking: usize,
}

#[derive(Debug, Default)]
struct Lists {
    token: String,
    disallowed: Vec<i32>,
    undefined: Vec<i32>,
    lines: Vec<i32>,
}

impl Evaluator {
    /// Reads a document in every dialect and asks every question. `first` is how the first dialect reads it.
    ///
    /// Dialects that read the document alike share the reading, and the answers too where the probes are the same paths to them.
    pub fn evaluate<'s, 'a>(
        &'s mut self,
        questions: &'s Questions,
        document: &Document<'a>,
        first: &'s Robots<'a>,
    ) -> Evaluation<'s, 'a> {
        let count = questions.dialects.len();
        self.readings.clear();
        self.views.clear();
        let mut others: Vec<Option<Robots<'a>>> = Vec::new();
        let mut slots = 0;
        if count > 1 {
            let traits = Traits::of(document);
            // All agree on it that match by prefix.
            let by_prefix = |prepared: &&Prepared| prepared.dialect.agent_match == AgentMatch::LongestPrefix;
            let first_by_prefix = questions.dialects.iter().find(by_prefix);
            let begins = first_by_prefix.is_some_and(|prepared| begins_a_name(document, &prepared.index));
            let prefix_matters = |prepared: &Prepared| begins && by_prefix(&prepared);
            let reading = |prepared: &Prepared| prepared.dialect.reading(&traits, prefix_matters(prepared));
            self.readings.extend(questions.dialects.iter().map(reading));
        }
        for (number, prepared) in questions.dialects.iter().enumerate() {
            let readings = &self.readings;
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
            self.views.push(match (0..number).filter(alike).find(same_paths) {
                Some(known) => self.views[known],
                None => {
                    // The slot of a dialect with the same rules, differently ranked, and the same paths; or a new one.
                    let has_rules = |known: &usize| {
                        same_paths(known) && readings.get(*known).is_some_and(|r| r.has_rules_of(&readings[number]))
                    };
                    let slot = (0..number).find(has_rules).map_or(slots, |known| self.views[known].slot);
                    slots = slots.max(slot + 1);
                    let ranking = self.views.iter().filter(|view| view.slot == slot).map(|view| view.ranking + 1).max();
                    View { robots, slot, ranking: ranking.unwrap_or(0) }
                }
            });
        }
        if self.slots.len() < slots {
            self.slots.resize_with(slots, Slot::default);
        }
        let mut rankings: Vec<&Robots<'a>> = Vec::with_capacity(count);
        for (number, slot) in self.slots.iter_mut().enumerate().take(slots) {
            rankings.clear();
            let mut prepared = None;
            for (dialect, view) in self.views.iter().enumerate().filter(|(_, view)| view.slot == number) {
                if view.ranking == rankings.len() {
                    rankings.push(others.get(view.robots).and_then(Option::as_ref).unwrap_or(first));
                    prepared = prepared.or(questions.dialects.get(dialect));
                }
            }
            let (Some(prepared), Some(robots)) = (prepared, rankings.first()) else { continue };
            slot.selection.select(robots, &prepared.index);
            slot.decisions.evaluate_ranked(&rankings, &slot.selection, &prepared.paths);
        }
        Evaluation { questions, first, others, slots: &self.slots, views: &self.views, lists: &mut self.lists }
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
    lists: &'s mut Lists,
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

    /// Hands over the answers, dialect by dialect, rule set by rule set.
    pub fn each<E>(&mut self, mut answers: impl FnMut(&Answers<'_>) -> Result<(), E>) -> Result<(), E> {
        for (prepared, view) in self.questions.dialects.iter().zip(self.views) {
            let Slot { selection, decisions } = &self.slots[view.slot];
            for (number, set) in selection.sets().iter().enumerate() {
                self.lists.fill(selection, &prepared.index, set, decisions.of_ranked_set(view.ranking, number));
                answers(&Answers {
                    dialect: prepared.dialect,
                    set,
                    groups: selection.groups_of(set),
                    agents: selection.agents_of(set),
                    token: &self.lists.token,
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
