//! What the join counts: pairs of sides first, which are then taken apart into what each figure is made of.

use super::profile::{AnswerId, Catalogue, NO_WORD, Profile, ProfileId};
use super::shared::{ABSENT, Shared, Snapshot};
use crate::report::tally::Mix;
use rayon::prelude::*;
use rep::Reason;
use std::collections::HashMap;

/// Counts of the panel in origins, of the panel in registered domains, and of all origins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Units(pub [u64; 3]);

impl Units {
    /// Adds another count.
    pub fn add(&mut self, other: Units) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, other)| *mine += other);
    }
}

/// What a snapshot says of an origin: place of the reason in [`Reason::ALL`], and profile.
pub type Side = u64;

/// The side of an origin that the snapshot does not have.
pub const ABSENT_SIDE: Side = u64::MAX;

/// The profile of an origin without a body.
pub const NO_PROFILE: ProfileId = u32::MAX;

/// The side of an origin.
pub fn side(reason: u8, profile: ProfileId) -> Side {
    u64::from(reason) << 32 | u64::from(profile)
}

/// What is called a reason where there is no origin.
pub const NO_REASON: u8 = u8::MAX;

/// How a text compares with the one before; the places are those in the figure `texts`.
pub const TEXT_CHANGES: [&str; 7] = ["same", "changed", "appeared", "vanished", "never", "came", "went"];

/// What a change came with.
pub const CAUSES: [&str; 5] = ["status", "same_text", "template", "managed", "owner"];

/// How an agent's access moved.
pub const MOVES: [&str; 4] = ["closed", "opened", "narrowed", "widened"];

/// How the naming of an agent moved.
pub const NAMING: [&str; 3] = ["started", "stopped", "kept"];

/// The place in [`MOVES`] of a pair of states; none when the access is not told by both, or did not move.
pub fn move_of(from: u8, to: u8) -> Option<u8> {
    // As STATES: all, some and none by text, then all and none without one.
    let openness = |state| match state {
        0 | 5 => Some(2),
        1 => Some(1),
        2 | 6 => Some(0),
        _ => None,
    };
    match (openness(from)?, openness(to)?) {
        (1 | 2, 0) => Some(0),
        (0, 1 | 2) => Some(1),
        (2, 1) => Some(2),
        (1, 2) => Some(3),
        _ => None,
    }
}

/// What sides mean.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// What profiles consist of.
    pub catalogue: &'a Catalogue,
    /// The snapshots.
    pub snapshots: &'a [Snapshot],
    /// What they share.
    pub shared: &'a Shared,
    /// The pairs that are compared.
    pub steps: &'a [(u8, u8)],
}

/// A side, taken apart.
#[derive(Debug, Clone, Copy)]
struct Known {
    reason: u8,
    /// What holds for every agent; none where the text decides.
    state: Option<u8>,
    /// The text, if the answer has one.
    text: Option<Profile>,
}

impl<'a> Facts<'a> {
    fn known(&self, snapshot: u8, side: Side) -> Known {
        if side == ABSENT_SIDE {
            return Known { reason: NO_REASON, state: Some(ABSENT), text: None };
        }
        let (reason, profile) = ((side >> 32) as u8, side as u32);
        let states = self.snapshots.get(usize::from(snapshot)).map_or(&[][..], |snapshot| &snapshot.states);
        let has_text = profile != NO_PROFILE && Reason::ALL.get(usize::from(reason)) == Some(&Reason::Success);
        Known {
            reason,
            state: states.get(usize::from(reason)).copied().flatten(),
            text: has_text.then(|| self.catalogue.profile(profile)),
        }
    }

    /// The number of each agent's answer.
    fn answers(&self, known: &Known, into: &mut [AnswerId]) {
        match (known.state, known.text) {
            (Some(state), _) => into.fill(AnswerId::from(state)),
            (None, Some(text)) => self.catalogue.spread(text.policy, into),
            (None, None) => into.fill(0),
        }
    }

    /// What both sides let each agent fetch, as places in the states.
    pub fn states(&self, step: u8, from: Side, to: Side) -> impl Iterator<Item = (u8, u8)> + use<'a> {
        let (old, new) = self.steps.get(usize::from(step)).copied().unwrap_or_default();
        let agents = if self.shared.has_verdicts { self.shared.agents.len() } else { 0 };
        let spread = |snapshot: u8, side: Side| {
            let mut answers = vec![0; agents];
            self.answers(&self.known(snapshot, side), &mut answers);
            answers
        };
        let catalogue = self.catalogue;
        let state = move |answer: AnswerId| catalogue.answer(answer).map_or(ABSENT, |answer| answer.state);
        spread(old, from).into_iter().zip(spread(new, to)).map(move |(from, to)| (state(from), state(to)))
    }

    /// Whether some agent's access moves.
    pub fn moves(&self, step: u8, from: Side, to: Side) -> bool {
        let (old, new) = self.steps.get(usize::from(step)).copied().unwrap_or_default();
        let (before, after) = (self.known(old, from), self.known(new, to));
        let is_same = match (before.state, after.state) {
            (None, None) => before.text.map(|text| text.policy) == after.text.map(|text| text.policy),
            (before, after) => before == after,
        };
        self.shared.has_verdicts
            && !is_same
            && self.states(step, from, to).any(|(from, to)| move_of(from, to).is_some())
    }

    /// The place in [`CAUSES`] of what a pair's difference came with.
    pub fn cause(&self, step: u8, from: Side, to: Side, same_text: bool) -> u8 {
        let (old, new) = self.steps.get(usize::from(step)).copied().unwrap_or_default();
        cause(&self.known(old, from), &self.known(new, to), same_text)
    }
}

fn cause(from: &Known, to: &Known, same_text: bool) -> u8 {
    match (from.text.filter(|_| from.state.is_none()), to.text.filter(|_| to.state.is_none())) {
        (Some(_), Some(_)) if same_text => 1,
        (Some(from), Some(to)) if from.template != to.template => 2,
        (Some(from), Some(to)) if from.managed_by != to.managed_by => 3,
        (Some(_), Some(_)) => 4,
        _ => 0,
    }
}

/// Counts of pairs of sides, of a part of all sites.
#[derive(Debug, Default)]
pub struct Pairs {
    steps: HashMap<(u8, Side, Side, bool), Units, Mix>,
    levels: HashMap<(u8, Side), Units, Mix>,
    seen: HashMap<(u8, u8, u8), u64, Mix>,
}

impl Pairs {
    /// Counts an origin in a step.
    pub fn step(&mut self, step: u8, from: Side, to: Side, same_text: bool, units: Units) {
        self.steps.entry((step, from, to, same_text)).or_default().add(units);
    }

    /// Counts an origin in a snapshot.
    pub fn level(&mut self, snapshot: u8, side: Side, units: Units) {
        self.levels.entry((snapshot, side)).or_default().add(units);
    }

    /// Counts when an origin was seen first and last, and how often.
    pub fn seen(&mut self, first: u8, last: u8, times: u8) {
        *self.seen.entry((first, last, times)).or_default() += 1;
    }

    /// Adds what another stretch counted.
    pub fn merge(&mut self, other: Pairs) {
        add_all(&mut self.steps, other.steps);
        add_all(&mut self.levels, other.levels);
        for (key, count) in other.seen {
            *self.seen.entry(key).or_default() += count;
        }
    }
}

type Counts<K> = HashMap<K, Units, Mix>;

fn add_all<K: Eq + std::hash::Hash>(into: &mut Counts<K>, from: Counts<K>) {
    for (key, units) in from {
        into.entry(key).or_default().add(units);
    }
}

/// Everything that figures are made of. Steps, snapshots, agents, answers and words are numbers.
#[derive(Debug, Default)]
pub struct Tallies {
    /// Everything in a step.
    pub steps: Vec<Units>,
    /// Everything in a snapshot whose answer can be told.
    pub snapshots: Vec<Units>,
    /// Step, agent, answers before and after, cause.
    pub answers: Counts<(u8, u16, AnswerId, AnswerId, u8)>,
    /// Snapshot, agent, answer.
    pub answer_levels: Counts<(u8, u16, AnswerId)>,
    /// Step, reasons before and after.
    pub reasons: Counts<(u8, u8, u8)>,
    /// Snapshot, reason.
    pub reason_levels: Counts<(u8, u8)>,
    /// Step, change of text, cause.
    pub texts: Counts<(u8, u8, u8)>,
    /// Step, templates before and after: words, [`NO_WORD`] for none, [`NO_TEXT_WORD`] where there is no text.
    pub templates: Counts<(u8, u32, u32)>,
    /// Step, managing services before and after.
    pub managed: Counts<(u8, u32, u32)>,
    /// Step, agent that is named as a word, place in [`NAMING`], access of its own group.
    pub naming: Counts<(u8, u32, u8, u8)>,
    /// Snapshot, agent that is named.
    pub naming_levels: Counts<(u8, u32)>,
    /// First and last snapshot, and in how many: origins.
    pub seen: HashMap<(u8, u8, u8), u64, Mix>,
}

/// Stands for a template where there is no text.
pub const NO_TEXT_WORD: u32 = u32::MAX - 1;

/// Pairs that one thread takes apart at a time.
const PAIRS_AT_A_TIME: usize = 4_096;

impl Tallies {
    /// Nothing, of so many steps and snapshots.
    pub fn new(steps: usize, snapshots: usize) -> Tallies {
        Tallies {
            steps: vec![Units::default(); steps],
            snapshots: vec![Units::default(); snapshots],
            ..Tallies::default()
        }
    }

    /// Takes pairs apart and counts what they consist of.
    pub fn add(&mut self, facts: &Facts<'_>, pairs: Pairs) {
        for (key, count) in pairs.seen {
            *self.seen.entry(key).or_default() += count;
        }
        let steps: Vec<_> = pairs.steps.into_iter().collect();
        let levels: Vec<_> = pairs.levels.into_iter().collect();
        let empty = || (Tallies::new(self.steps.len(), self.snapshots.len()), Scratch::new(facts));
        let of_steps =
            steps.par_iter().with_min_len(PAIRS_AT_A_TIME).fold(empty, |(mut tallies, mut scratch), pair| {
                let ((step, from, to, same_text), units) = pair;
                tallies.add_step(facts, &mut scratch, *step, [*from, *to], *same_text, *units);
                (tallies, scratch)
            });
        let of_levels =
            levels.par_iter().with_min_len(PAIRS_AT_A_TIME).fold(empty, |(mut tallies, mut scratch), pair| {
                let ((snapshot, side), units) = pair;
                tallies.add_level(facts, &mut scratch, *snapshot, *side, *units);
                (tallies, scratch)
            });
        let counted: Vec<Tallies> = of_steps.chain(of_levels).map(|(tallies, _)| tallies).collect();
        counted.into_iter().for_each(|other| self.merge(other));
    }

    fn merge(&mut self, other: Tallies) {
        self.steps.iter_mut().zip(other.steps).for_each(|(mine, other)| mine.add(other));
        self.snapshots.iter_mut().zip(other.snapshots).for_each(|(mine, other)| mine.add(other));
        add_all(&mut self.answers, other.answers);
        add_all(&mut self.answer_levels, other.answer_levels);
        add_all(&mut self.reasons, other.reasons);
        add_all(&mut self.reason_levels, other.reason_levels);
        add_all(&mut self.texts, other.texts);
        add_all(&mut self.templates, other.templates);
        add_all(&mut self.managed, other.managed);
        add_all(&mut self.naming, other.naming);
        add_all(&mut self.naming_levels, other.naming_levels);
    }

    fn add_step(
        &mut self,
        facts: &Facts<'_>,
        scratch: &mut Scratch,
        step: u8,
        [from, to]: [Side; 2],
        same_text: bool,
        units: Units,
    ) {
        let (old, new) = facts.steps.get(usize::from(step)).copied().unwrap_or_default();
        let (from, to) = (facts.known(old, from), facts.known(new, to));
        let cause = cause(&from, &to, same_text);
        if let Some(total) = self.steps.get_mut(usize::from(step)) {
            total.add(units);
        }
        self.reasons.entry((step, from.reason, to.reason)).or_default().add(units);
        let is_absent = |known: &Known| known.reason == NO_REASON;
        let change = match (from.text, to.text) {
            _ if is_absent(&from) => 5,
            _ if is_absent(&to) => 6,
            (Some(_), Some(_)) => u8::from(!same_text),
            (None, Some(_)) => 2,
            (Some(_), None) => 3,
            (None, None) => 4,
        };
        self.texts.entry((step, change, cause)).or_default().add(units);
        if !is_absent(&from) && !is_absent(&to) {
            let word = |known: &Known, of: fn(Profile) -> u32| known.text.map_or(NO_TEXT_WORD, of);
            for (counts, of) in [
                (&mut self.templates, (|text| text.template) as fn(Profile) -> u32),
                (&mut self.managed, |text| text.managed_by),
            ] {
                counts.entry((step, word(&from, of), word(&to, of))).or_default().add(units);
            }
        }
        let none: &[(u32, u8)] = &[];
        let named = |known: &Known| known.text.map_or(none, |text| facts.catalogue.named(text.named));
        let (mut before, mut after) = (named(&from).iter().peekable(), named(&to).iter().peekable());
        // Both are in the order of their words.
        while let Some((word, naming, access)) = match (before.peek(), after.peek()) {
            (Some((a, access)), Some((b, _))) if a < b => Some((*a, 1, *access)),
            (Some((a, access)), None) => Some((*a, 1, *access)),
            (Some((a, _)), Some((b, access))) if a == b => Some((*a, 2, *access)),
            (_, Some((b, access))) => Some((*b, 0, *access)),
            (None, None) => None,
        } {
            self.naming.entry((step, word, naming, access)).or_default().add(units);
            if naming != 0 {
                before.next();
            }
            if naming != 1 {
                after.next();
            }
        }
        if facts.shared.has_verdicts {
            facts.answers(&from, &mut scratch.before);
            facts.answers(&to, &mut scratch.after);
            for (agent, (before, after)) in scratch.before.iter().zip(&scratch.after).enumerate() {
                self.answers.entry((step, agent as u16, *before, *after, cause)).or_default().add(units);
            }
        }
    }

    fn add_level(&mut self, facts: &Facts<'_>, scratch: &mut Scratch, snapshot: u8, side: Side, units: Units) {
        let known = facts.known(snapshot, side);
        if let Some(total) = self.snapshots.get_mut(usize::from(snapshot)) {
            total.add(units);
        }
        self.reason_levels.entry((snapshot, known.reason)).or_default().add(units);
        for (word, _) in known.text.map_or(&[][..], |text| facts.catalogue.named(text.named)) {
            self.naming_levels.entry((snapshot, *word)).or_default().add(units);
        }
        if facts.shared.has_verdicts {
            facts.answers(&known, &mut scratch.before);
            for (agent, answer) in scratch.before.iter().enumerate() {
                self.answer_levels.entry((snapshot, agent as u16, *answer)).or_default().add(units);
            }
        }
    }
}

/// Answers of both sides, written anew for every pair.
struct Scratch {
    before: Vec<AnswerId>,
    after: Vec<AnswerId>,
}

impl Scratch {
    fn new(facts: &Facts<'_>) -> Scratch {
        let agents = facts.shared.agents.len();
        Scratch { before: vec![0; agents], after: vec![0; agents] }
    }
}

/// The word of a template or service.
pub fn word_of(catalogue: &Catalogue, word: u32) -> String {
    match word {
        NO_WORD => "(none)".to_owned(),
        NO_TEXT_WORD => "(no text)".to_owned(),
        word => catalogue.text(word).map_or_else(String::new, |text| text.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::shared::STATES;

    #[test]
    fn only_decided_access_moves() {
        let moves = |from: &str, to: &str| {
            let place = |word: &str| STATES.iter().position(|state| *state == word).unwrap() as u8;
            move_of(place(from), place(to)).map(|at| MOVES[usize::from(at)])
        };
        let cases = [
            ("all", "none", Some("closed")),
            ("some", "no_text_full_disallow", Some("closed")),
            ("no_text_full_allow", "none", Some("closed")),
            ("none", "some", Some("opened")),
            ("no_text_full_disallow", "all", Some("opened")),
            ("all", "some", Some("narrowed")),
            ("some", "no_text_full_allow", Some("widened")),
            ("none", "no_text_full_disallow", None),
            ("all", "no_text_full_allow", None),
            ("all", "undecided", None),
            ("unresolved", "none", None),
            ("absent", "none", None),
            ("no_text_undefined", "all", None),
        ];
        for (from, to, expected) in cases {
            assert_eq!(moves(from, to), expected, "{from} {to}");
        }
    }
}
