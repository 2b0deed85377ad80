//! EVALUATE: asks every question (agents x probes x dialects) of one parsed body, once; pure.

pub mod agents;
pub mod probes;

use rep::{Agent, AgentIndex, Decisions, Dialect, Document, Paths, Robots, RuleSet, Selection, Verdict};

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
}

impl Questions {
    /// Prepares agents and probes (absolute URLs or paths) for each dialect; the first dialect is the one that speaks for a body.
    pub fn new(agents: &[Agent], probes: &[&str], dialects: &[&'static Dialect]) -> Questions {
        let prepare = |dialect: &&'static Dialect| Prepared {
            dialect,
            index: AgentIndex::new(agents, dialect),
            paths: Paths::new(probes.iter().map(|probe| probe.as_bytes()), dialect),
        };
        Questions { dialects: dialects.iter().map(prepare).collect() }
    }

    /// How many dialects there are.
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
    selection: Selection,
    decisions: Decisions,
    token: String,
    disallowed: Vec<i32>,
    undefined: Vec<i32>,
    lines: Vec<i32>,
}

impl Evaluator {
    /// Reads a document in every dialect and hands over the answers, dialect by dialect. `first` is how the first dialect reads it.
    pub fn ask<E>(
        &mut self,
        questions: &Questions,
        document: &Document<'_>,
        first: &Robots<'_>,
        mut answers: impl FnMut(&Answers<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for prepared in &questions.dialects {
            if prepared.dialect == first.dialect {
                self.ask_one(prepared, first, &mut answers)?;
            } else {
                self.ask_one(prepared, &document.read(prepared.dialect), &mut answers)?;
            }
        }
        Ok(())
    }

    fn ask_one<E>(
        &mut self,
        prepared: &Prepared,
        robots: &Robots<'_>,
        answers: &mut impl FnMut(&Answers<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Prepared { dialect, index, paths } = prepared;
        self.selection.select(robots, index);
        self.decisions.evaluate(robots, &self.selection, paths);
        for (number, set) in self.selection.sets().iter().enumerate() {
            self.token.clear();
            for token in self.selection.tokens_of(set, index) {
                if !self.token.is_empty() {
                    self.token.push(',');
                }
                self.token.push_str(token);
            }
            self.disallowed.clear();
            self.undefined.clear();
            self.lines.clear();
            for (probe, decision) in self.decisions.of_set(number).iter().enumerate() {
                match decision.verdict {
                    Verdict::Allow => {}
                    Verdict::Disallow => self.disallowed.push(probe as i32),
                    Verdict::Undefined => self.undefined.push(probe as i32),
                }
                self.lines.push(decision.line as i32);
            }
            answers(&Answers {
                dialect,
                set,
                agents: self.selection.agents_of(set),
                token: &self.token,
                disallowed: &self.disallowed,
                undefined: &self.undefined,
                lines: &self.lines,
            })?;
        }
        Ok(())
    }
}
