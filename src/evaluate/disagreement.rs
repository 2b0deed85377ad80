//! Where dialects decide differently about one body.
//!
//! What is compared is rule sets, not agents: agents that share a set in both dialects are compared once. Dialects that share their
//! answers are not compared at all, and what was found of two that others read alike is told again and not sought again.

use super::Evaluation;
use rep::{Access, AccessClass, Decision, Dialect, Paths, Verdict, decide};
use std::ops::Range;

/// A difference between two dialects: a pair of verdicts, and where it is met.
#[derive(Debug, Clone, Copy)]
pub struct Disagreement<'d> {
    /// The two dialects, in the order of the questions.
    pub dialects: [&'static Dialect; 2],
    /// Agents that share a rule set in both, ascending.
    pub agents: &'d [i16],
    /// What the agents may fetch in each.
    pub access: [AccessClass; 2],
    /// What the two decide; none where access differs and no path was found that bears it out.
    pub verdicts: Option<[Verdict; 2]>,
    /// Ids of the probes with these verdicts, ascending.
    pub probes: &'d [i32],
    /// The deciding line of each probe in each dialect, 0 for none.
    pub lines: [&'d [i32]; 2],
    /// A path with these verdicts, if access differs, and the deciding line in each. One of the rows for two rule sets has it.
    pub path: Option<(&'d [u8], [i32; 2])>,
}

/// Rows for one body: enough for any that was not made to have more. Two dialects of 50 agents have 50 pairs of sets at most.
const MOST_ROWS: u64 = 10_000;

/// Rules that may meet a path in search of one that bears a difference of access out, for one body: some milliseconds.
const STEPS: usize = 500_000;

/// Searches beyond the paths that are at hand, for one body: each ends within a millisecond.
const SEARCHES: u32 = 16;

/// What makes a path a URL: one that begins with two slashes would be a host.
const HOST: &[u8] = b"http://a";

/// Where the answers of a dialect are: see [`Evaluation::answers_of`].
type Slot = (usize, usize);

/// Scratch space of a worker, reused from body to body.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    /// For each agent its rule set in the other dialect.
    sets: Vec<u32>,
    /// For each of those sets the set of the one dialect that met it last, plus one, and their pair.
    met: Vec<(u32, u32)>,
    pairs: Vec<Pair>,
    /// The pair and the agent, for all agents of pairs that differ.
    members: Vec<(u32, i16)>,
    agents: Vec<i16>,
    probes: Vec<i32>,
    lines: [Vec<i32>; 2],
    paths: Vec<u8>,
    url: Vec<u8>,
    rows: Vec<Row>,
    /// Which slots were compared, and the rows that came of it.
    compared: Vec<([Slot; 2], Range<usize>)>,
    steps: usize,
    searches: u32,
}

/// Two rule sets with agents in common.
#[derive(Debug, Clone)]
struct Pair {
    first_agent: i16,
    sets: [usize; 2],
    access: [AccessClass; 2],
    first_probe: Option<usize>,
    differs: bool,
    /// Its agents: a range of `agents`.
    agents: Range<usize>,
}

/// A difference, its lists lying in the scratch space.
#[derive(Debug, Clone)]
struct Row {
    /// The rule sets.
    sets: [usize; 2],
    access: [AccessClass; 2],
    agents: Range<usize>,
    verdicts: Option<[Verdict; 2]>,
    /// A range of `probes` and of `lines`.
    probes: Range<usize>,
    path: Option<(Range<usize>, [i32; 2])>,
}

impl Evaluation<'_, '_> {
    /// Hands over where dialects differ: pair by pair of dialects in the order of the questions, within one by first agent, then by first
    /// probe. Gives how many there were beyond [`MOST_ROWS`], which are left out.
    pub fn each_disagreement<E>(
        &mut self,
        mut differ: impl FnMut(&Disagreement<'_>) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut comparison = std::mem::take(self.comparison);
        let done = comparison.each(self, &mut differ);
        *self.comparison = comparison;
        done
    }

    /// What a rule set of a dialect decides about a path; none for the file itself, which access leaves out of account.
    fn decide_path(&self, dialect: usize, set: usize, url: &[u8]) -> Option<Decision> {
        let paths = Paths::new([url], self.questions.dialects[dialect].dialect);
        let selection = self.selection(dialect);
        let groups = selection.groups_of(&selection.sets()[set]);
        (paths.text(0) != b"/robots.txt").then(|| decide(self.robots(dialect), groups, &paths, 0))
    }
}

impl Comparison {
    fn each<E>(
        &mut self,
        evaluation: &mut Evaluation<'_, '_>,
        differ: &mut impl FnMut(&Disagreement<'_>) -> Result<(), E>,
    ) -> Result<u64, E> {
        self.agents.clear();
        self.probes.clear();
        self.lines.iter_mut().for_each(Vec::clear);
        self.paths.clear();
        self.rows.clear();
        self.compared.clear();
        self.steps = STEPS;
        self.searches = SEARCHES;
        let (mut told, mut left_out) = (0, 0);
        for a in 0..evaluation.dialects() {
            for b in a + 1..evaluation.dialects() {
                let slots = [evaluation.answers_of(a), evaluation.answers_of(b)];
                if slots[0] == slots[1] {
                    continue;
                }
                let [one, other] = slots;
                let known = |(compared, rows): &([Slot; 2], Range<usize>)| {
                    (*compared == slots || *compared == [other, one]).then(|| (rows.clone(), *compared != slots))
                };
                let (rows, turned) = match self.compared.iter().find_map(known) {
                    Some(known) => known,
                    None => {
                        let first = self.rows.len();
                        self.compare(evaluation, [a, b]);
                        self.compared.push((slots, first..self.rows.len()));
                        (first..self.rows.len(), false)
                    }
                };
                for row in rows {
                    if told == MOST_ROWS {
                        left_out += 1;
                        continue;
                    }
                    told += 1;
                    self.tell(evaluation, [a, b], row, turned, differ)?;
                }
            }
        }
        Ok(left_out)
    }

    fn tell<E>(
        &mut self,
        evaluation: &Evaluation<'_, '_>,
        dialects: [usize; 2],
        row: usize,
        turned: bool,
        differ: &mut impl FnMut(&Disagreement<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let turn = |sides: [usize; 2]| if turned { [sides[1], sides[0]] } else { sides };
        let [one, other] = turn([0, 1]);
        let Row { sets, access, agents, verdicts, probes, path } = &self.rows[row];
        let mut verdicts = verdicts.map(|verdicts| [verdicts[one], verdicts[other]]);
        let mut path = path.as_ref().map(|(path, lines)| (&self.paths[path.clone()], [lines[one], lines[other]]));
        // Dialects that share their answers share them about the probes; an escape in another path may mean different things to them.
        if let Some((text, _)) = path.filter(|(path, _)| path.contains(&b'%')) {
            let decisions = differing(evaluation, &mut self.url, dialects, turn(*sets), text);
            let decisions = decisions.filter(|decisions| Some(decisions.map(|decision| decision.verdict)) == verdicts);
            path = decisions.map(|decisions| (text, decisions.map(|decision| decision.line as i32)));
            verdicts = verdicts.filter(|_| path.is_some() || !probes.is_empty());
        }
        differ(&Disagreement {
            dialects: dialects.map(|number| evaluation.questions.dialects[number].dialect),
            agents: &self.agents[agents.clone()],
            access: [access[one], access[other]],
            verdicts,
            probes: &self.probes[probes.clone()],
            lines: [&self.lines[one][probes.clone()], &self.lines[other][probes.clone()]],
            path,
        })
    }

    /// Compares two dialects.
    fn compare(&mut self, evaluation: &mut Evaluation<'_, '_>, dialects: [usize; 2]) {
        self.pair_sets(evaluation, dialects);
        for pair in 0..self.pairs.len() {
            let pair = self.pairs[pair].clone();
            if !pair.differs {
                continue;
            }
            let first_row = self.rows.len();
            if let Some(first_probe) = pair.first_probe {
                let decisions = [0, 1].map(|side| evaluation.decisions(dialects[side], pair.sets[side]));
                self.take_probes(decisions, first_probe, &pair);
            }
            if pair.access[0] != pair.access[1] {
                self.take_path(evaluation, dialects, &pair, first_row);
            }
        }
    }

    /// Finds the pairs of rule sets that have agents in common: no more than there are agents; in the order of their first agents.
    fn pair_sets(&mut self, evaluation: &Evaluation<'_, '_>, dialects: [usize; 2]) {
        let [one, other] = dialects.map(|dialect| evaluation.selection(dialect));
        self.sets.clear();
        self.sets.resize(evaluation.questions.agents, 0);
        for (number, set) in other.sets().iter().enumerate() {
            for agent in other.agents_of(set) {
                self.sets[*agent as usize] = number as u32;
            }
        }
        self.met.clear();
        self.met.resize(other.sets().len(), (0, 0));
        self.pairs.clear();
        self.members.clear();
        for (number, set) in one.sets().iter().enumerate() {
            for agent in one.agents_of(set) {
                let other_set = self.sets[*agent as usize];
                let met = &mut self.met[other_set as usize];
                if met.0 != number as u32 + 1 {
                    *met = (number as u32 + 1, self.pairs.len() as u32);
                    self.pairs.push(Pair::new(evaluation, dialects, [number, other_set as usize], *agent));
                }
                let pair = &mut self.pairs[met.1 as usize];
                if pair.differs {
                    pair.agents.end += 1;
                    self.members.push((met.1, *agent));
                }
            }
        }
        let mut end = self.agents.len();
        self.agents.resize(end + self.members.len(), 0);
        for pair in &mut self.pairs {
            let start = end;
            end += pair.agents.len();
            pair.agents = start..start;
        }
        for (pair, agent) in &self.members {
            let agents = &mut self.pairs[*pair as usize].agents;
            self.agents[agents.end] = *agent;
            agents.end += 1;
        }
        self.pairs.sort_unstable_by_key(|pair| pair.first_agent);
    }

    /// A row for each pair of verdicts, in the order of their first probes.
    fn take_probes(&mut self, decisions: [&[Decision]; 2], first_probe: usize, pair: &Pair) {
        let first_row = self.rows.len();
        for (probe, (one, other)) in decisions[0].iter().zip(decisions[1]).enumerate().skip(first_probe) {
            let verdicts = Some([one.verdict, other.verdict]);
            if one.verdict == other.verdict || self.rows[first_row..].iter().any(|row| row.verdicts == verdicts) {
                continue;
            }
            let first = self.probes.len();
            for (at, (one, other)) in decisions[0].iter().zip(decisions[1]).enumerate().skip(probe) {
                if Some([one.verdict, other.verdict]) == verdicts {
                    self.probes.push(at as i32);
                    self.lines[0].push(one.line as i32);
                    self.lines[1].push(other.line as i32);
                }
            }
            self.rows.push(pair.row(verdicts, first..self.probes.len(), None));
        }
    }

    /// Puts a path where access differs into the row with its verdicts, or into one of its own.
    fn take_path(&mut self, evaluation: &mut Evaluation<'_, '_>, dialects: [usize; 2], pair: &Pair, first_row: usize) {
        let start = self.paths.len();
        let found = self.find_path(evaluation, dialects, pair);
        let verdicts = found.map(|decisions| decisions.map(|decision| decision.verdict));
        let path = found.map(|decisions| (start..self.paths.len(), decisions.map(|decision| decision.line as i32)));
        let nowhere = verdicts.is_none() && self.rows.len() > first_row;
        match self.rows[first_row..].iter_mut().find(|row| row.verdicts == verdicts) {
            Some(row) => row.path = path,
            // Probes show the difference already.
            None if nowhere => {}
            None => self.rows.push(pair.row(verdicts, 0..0, path)),
        }
    }

    /// Appends a path on which the two differ to `paths`, and gives what they decide.
    fn find_path(
        &mut self,
        evaluation: &mut Evaluation<'_, '_>,
        dialects: [usize; 2],
        pair: &Pair,
    ) -> Option<[Decision; 2]> {
        let sets = pair.sets;
        let rules: usize = [0, 1]
            .map(|side| {
                let selection = evaluation.selection(dialects[side]);
                let groups = selection.groups_of(&selection.sets()[sets[side]]);
                groups.iter().map(|group| evaluation.robots(dialects[side]).rules_of(*group as usize).len()).sum()
            })
            .iter()
            .sum();
        {
            let [one, other]: [Access<'_>; 2] = [0, 1].map(|side| evaluation.access(dialects[side], sets[side]));
            let prepared = &evaluation.questions.dialects[dialects[0]];
            let probe = pair.first_probe.map(|probe| prepared.paths.text(probe));
            for path in [other.denied, one.denied, one.allowed, other.allowed, probe].into_iter().flatten() {
                let cost = rules * (1 + path.len() / 64);
                if cost > self.steps {
                    return None;
                }
                self.steps -= cost;
                if let Some(decisions) = differing(evaluation, &mut self.url, dialects, sets, path) {
                    self.paths.extend_from_slice(path);
                    return Some(decisions);
                }
            }
        }
        self.searches = self.searches.checked_sub(1)?;
        let found = evaluation.search(dialects, sets)?;
        let decisions = differing(evaluation, &mut self.url, dialects, sets, &found)?;
        self.paths.extend_from_slice(&found);
        Some(decisions)
    }
}

impl Pair {
    fn new(evaluation: &Evaluation<'_, '_>, dialects: [usize; 2], sets: [usize; 2], first_agent: i16) -> Pair {
        let access = [0, 1].map(|side| evaluation.access(dialects[side], sets[side]).class);
        let [one, other] = [0, 1].map(|side| evaluation.decisions(dialects[side], sets[side]));
        let first_probe = one.iter().zip(other).position(|(one, other)| one.verdict != other.verdict);
        let differs = first_probe.is_some() || access[0] != access[1];
        Pair { first_agent, sets, access, first_probe, differs, agents: 0..0 }
    }

    fn row(&self, verdicts: Option<[Verdict; 2]>, probes: Range<usize>, path: Option<(Range<usize>, [i32; 2])>) -> Row {
        Row { sets: self.sets, access: self.access, agents: self.agents.clone(), verdicts, probes, path }
    }
}

/// What the two decide about a path, if that is not the same.
fn differing(
    evaluation: &Evaluation<'_, '_>,
    url: &mut Vec<u8>,
    dialects: [usize; 2],
    sets: [usize; 2],
    path: &[u8],
) -> Option<[Decision; 2]> {
    url.clear();
    url.extend_from_slice(HOST);
    url.extend_from_slice(path);
    let decisions =
        [evaluation.decide_path(dialects[0], sets[0], url)?, evaluation.decide_path(dialects[1], sets[1], url)?];
    (decisions[0].verdict != decisions[1].verdict).then_some(decisions)
}

impl Evaluation<'_, '_> {
    /// A path on which two rule sets differ, sought among what their rules name.
    fn search(&mut self, dialects: [usize; 2], sets: [usize; 2]) -> Option<Box<[u8]>> {
        let Evaluation { first, others, slots, views, finder, .. } = self;
        let side = |number: usize| {
            let view = views[dialects[number]];
            let robots = others.get(view.robots).and_then(Option::as_ref).unwrap_or(first);
            let selection = &slots[view.slot].selection;
            (robots, selection.groups_of(&selection.sets()[sets[number]]))
        };
        finder.differing(side(0), side(1), &[])
    }
}
