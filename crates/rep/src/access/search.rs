//! The shortest path that some patterns match and others do not: breadth first over what is left of them.
//!
//! Each pattern is an automaton whose state is a place in its text: literal pieces are found leftmost, one after the other, as
//! [`Pattern::matches`] argues, a piece after a wildcard by Knuth, Morris and Pratt. A joint state is the state of the path's
//! grammar and the places of the patterns that are still open: one that can match no more is left out, and one that has
//! matched for good either is left out (it was to match) or ends the branch (it was not to).

use super::grammar::{self, Grammar, State};
use crate::document::{Robots, Rule};
use crate::pattern::Pattern;

/// The work allowed was not enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exhausted;

/// Steps that are left: a step is one pattern that reads one byte, or what costs as much.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Work {
    pub(super) left: u32,
}

impl Work {
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), Exhausted> {
        match u32::try_from(steps).ok().and_then(|steps| self.left.checked_sub(steps)) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(Exhausted)
            }
        }
    }
}

/// The one path outside of every question.
pub(super) const ROBOTS_TXT: &[u8] = b"/robots.txt";

/// A pattern of a search.
#[derive(Debug, Clone, Copy)]
struct Machine {
    /// `None`: the path `/robots.txt` and no other.
    pattern: Option<Pattern>,
    /// Where its part of [`Search::back`] begins; without wildcards it needs none.
    back: u32,
    /// Whether it has to match, or must not.
    must: bool,
}

/// An open pattern of a joint state, and how much of its text was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Open {
    machine: u32,
    place: u32,
}

/// Where a pattern stands after a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// So much of the text was found.
    At(u32),
    /// It matches every path that goes on from here.
    Matched,
    /// It matches none of them.
    Failed,
}

/// Fallbacks that are no place: the pattern has failed, or nothing of its piece is found.
const FAILED: u32 = u32::MAX;
const NOTHING: u32 = u32::MAX - 1;
/// A free slot of the table of states.
const FREE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u32,
    /// Its open patterns: a range of [`Search::open`].
    start: u32,
    end: u32,
    hash: u32,
    grammar: State,
    /// The byte that led here.
    byte: u8,
}

/// Scratch space for searches.
#[derive(Debug, Clone, Default)]
pub(super) struct Search {
    machines: Vec<Machine>,
    /// For every place of a pattern with wildcards: how much of the text is still found when the next byte does not fit.
    back: Vec<u32>,
    nodes: Vec<Node>,
    open: Vec<Open>,
    table: Vec<u32>,
    /// The path that was found.
    pub(super) path: Vec<u8>,
}

fn text_of<'r>(machine: &Machine, robots: &'r Robots<'_>) -> &'r [u8] {
    machine.pattern.as_ref().map_or(ROBOTS_TXT, |pattern| robots.text(pattern))
}

/// The literal part of a pattern before its first wildcard.
fn literal<'t>(pattern: &Pattern, text: &'t [u8]) -> &'t [u8] {
    let end = if pattern.wild { memchr::memchr(pattern.star, text) } else { None };
    &text[..end.unwrap_or(text.len())]
}

/// How two patterns lie to each other, as far as their first bytes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Overlap {
    /// No path is matched by both.
    None,
    /// The second matches whatever the first does.
    Covered,
    /// Who knows.
    Some,
}

/// Of a pattern, given by its literal part and whether that is all and pinned, and another.
fn overlap(literal_of_one: &[u8], one_is_a_path: bool, other: &Pattern, text: &[u8]) -> Overlap {
    let literal_of_other = literal(other, text);
    let common = literal_of_one.len().min(literal_of_other.len());
    let other_is_a_path = other.pinned && !other.wild;
    if literal_of_one[..common] != literal_of_other[..common]
        || (other_is_a_path && literal_of_one.len() > common)
        || (one_is_a_path && literal_of_other.len() > common)
    {
        Overlap::None
    } else if !other.wild && literal_of_other.len() == common && (!other.pinned || one_is_a_path) {
        Overlap::Covered
    } else {
        Overlap::Some
    }
}

impl Search {
    /// Looks for the shortest path, other than `/robots.txt`, that all of `must` match and none of the rules that `excluded`
    /// picks. If there is one it is left in [`Search::path`].
    pub(super) fn find(
        &mut self,
        robots: &Robots<'_>,
        must: &[&Rule],
        rules: &[Rule],
        excluded: impl Fn(&Rule) -> bool,
        work: &mut Work,
    ) -> Result<bool, Exhausted> {
        self.machines.clear();
        self.back.clear();
        for rule in must {
            let text = robots.text(&rule.pattern);
            work.spend(text.len() / 8)?;
            if !text.iter().all(|byte| grammar::in_paths(*byte) || *byte == rule.pattern.star) {
                return Ok(false);
            }
            let machine = self.machine(robots, &rule.pattern, true, work)?;
            self.machines.push(machine);
        }
        // Rules that cannot meet what must match are left out; and one that covers it answers at once.
        let covers_all = |rule: &&Rule| {
            let pattern = &rule.pattern;
            pattern.length <= 1 && overlap(b"/", false, pattern, robots.text(pattern)) == Overlap::Covered
        };
        if must.is_empty() {
            work.spend(rules.len() / 8)?;
            if rules.iter().filter(covers_all).any(&excluded) {
                return Ok(false);
            }
        }
        for (at, rule) in rules.iter().enumerate() {
            if at % 8 == 0 {
                work.spend(1)?;
            }
            let pattern = &rule.pattern;
            let meets = |one: &&Rule| (one.pattern.head ^ pattern.head) & one.pattern.mask & pattern.mask == 0;
            if !must.iter().all(meets) || !excluded(rule) {
                continue;
            }
            work.spend(1)?;
            let text = robots.text(pattern);
            // Every path begins with a slash.
            let mut apart = overlap(b"/", false, pattern, text);
            for one in must {
                let one_text = robots.text(&one.pattern);
                let start = literal(&one.pattern, one_text);
                work.spend(start.len() / 64)?;
                let with_this = overlap(start, one.pattern.pinned && !one.pattern.wild, pattern, text);
                apart = match (apart, with_this) {
                    (Overlap::None, _) | (_, Overlap::None) => Overlap::None,
                    (Overlap::Covered, _) | (_, Overlap::Covered) => Overlap::Covered,
                    _ => Overlap::Some,
                };
            }
            match apart {
                Overlap::None => {}
                Overlap::Covered => return Ok(false),
                Overlap::Some => {
                    let machine = self.machine(robots, pattern, false, work)?;
                    self.machines.push(machine);
                }
            }
        }
        self.machines.push(Machine { pattern: None, back: 0, must: false });
        self.search(robots, Grammar::of(robots.dialect.spelling), work)
    }

    /// Gives back space for more than so many elements of a kind.
    pub(super) fn shrink_to(&mut self, kept: usize) {
        fn shrink<T>(all: &mut Vec<T>, kept: usize) {
            all.clear();
            all.shrink_to(kept);
        }
        shrink(&mut self.machines, kept);
        shrink(&mut self.back, kept);
        shrink(&mut self.nodes, kept);
        shrink(&mut self.open, kept);
        shrink(&mut self.table, kept);
        shrink(&mut self.path, kept);
    }

    /// Prepares a pattern: for each place of a piece after a wildcard, the longest end of what was found that begins the piece too.
    fn machine(
        &mut self,
        robots: &Robots<'_>,
        pattern: &Pattern,
        must: bool,
        work: &mut Work,
    ) -> Result<Machine, Exhausted> {
        let base = self.back.len();
        if pattern.wild {
            let text = robots.text(pattern);
            work.spend(text.len() / 2 + 1)?;
            let first = literal(pattern, text).len();
            self.back.resize(base + first + 1, FAILED);
            // The piece begins after the wildcard; `found` is how much of its beginning ends at the place before `at`.
            let mut piece = first + 1;
            let mut found = first + 1;
            self.back.push(NOTHING);
            for at in first + 1..text.len() {
                if text[at] == pattern.star {
                    piece = at + 1;
                    found = piece;
                    self.back.push(NOTHING);
                    continue;
                }
                if at == piece {
                    // One byte found: nothing shorter ends with it.
                    self.back.push(piece as u32);
                    continue;
                }
                while found > piece && text[found] != text[at] {
                    found = self.back[base + found] as usize;
                }
                if text[found] == text[at] {
                    found += 1;
                }
                self.back.push(found as u32);
            }
        }
        Ok(Machine { pattern: Some(*pattern), back: base as u32, must })
    }

    /// What a place becomes when a piece ends there: the beginning of the next.
    fn settle(machine: &Machine, text: &[u8], mut place: usize) -> Place {
        let Some(pattern) = &machine.pattern else { return Place::At(place as u32) };
        let mut after_wildcard = false;
        while pattern.wild && text.get(place) == Some(&pattern.star) {
            place += 1;
            after_wildcard = true;
        }
        if place == text.len() && (!pattern.pinned || after_wildcard) {
            Place::Matched
        } else {
            Place::At(place as u32)
        }
    }

    fn step(&self, machine: &Machine, text: &[u8], mut place: u32, byte: u8) -> Place {
        let wild = machine.pattern.as_ref().is_some_and(|pattern| pattern.wild);
        loop {
            if text.get(place as usize) == Some(&byte) {
                return Search::settle(machine, text, place as usize + 1);
            }
            if !wild {
                return Place::Failed;
            }
            match self.back[machine.back as usize + place as usize] {
                FAILED => return Place::Failed,
                NOTHING => return Place::At(place),
                shorter => place = shorter,
            }
        }
    }

    fn search(&mut self, robots: &Robots<'_>, grammar: Grammar, work: &mut Work) -> Result<bool, Exhausted> {
        self.nodes.clear();
        self.open.clear();
        self.table.clear();
        self.table.resize(64, FREE);
        for (number, machine) in self.machines.iter().enumerate() {
            match Search::settle(machine, text_of(machine, robots), 0) {
                Place::At(place) => self.open.push(Open { machine: number as u32, place }),
                Place::Matched if machine.must => {}
                Place::Matched => return Ok(false),
                Place::Failed => {}
            }
        }
        let root = Node { parent: 0, start: 0, end: self.open.len() as u32, hash: 0, grammar: grammar::START, byte: 0 };
        self.nodes.push(root);
        let mut at = 0;
        while let Some(node) = self.nodes.get(at).copied() {
            if self.expand(robots, grammar, at as u32, node, work)? {
                return Ok(true);
            }
            at += 1;
        }
        Ok(false)
    }

    /// Tries every byte that makes a difference; whether one of them completes a path.
    fn expand(
        &mut self,
        robots: &Robots<'_>,
        grammar: Grammar,
        number: u32,
        node: Node,
        work: &mut Work,
    ) -> Result<bool, Exhausted> {
        if node.grammar == grammar::START {
            return self.child(robots, grammar, number, node, b'/', work);
        }
        // Bytes that some open pattern tells from others. One that has to match and cannot go back leaves no choice.
        let mut told_apart = 0_u128;
        let mut only = None;
        for at in node.start..node.end {
            let Open { machine, mut place } = self.open[at as usize];
            let machine = &self.machines[machine as usize];
            let text = text_of(machine, robots);
            let wild = machine.pattern.as_ref().is_some_and(|pattern| pattern.wild);
            work.spend(1)?;
            loop {
                let byte = text.get(place as usize).copied();
                if let Some(byte) = byte.filter(u8::is_ascii) {
                    told_apart |= 1 << byte;
                }
                let back = if wild { self.back[machine.back as usize + place as usize] } else { FAILED };
                match back {
                    FAILED if machine.must => {
                        // Past its end a pinned pattern has failed whatever follows.
                        let Some(byte) = byte else { return Ok(false) };
                        only = Some(byte);
                        break;
                    }
                    FAILED | NOTHING => break,
                    shorter => place = shorter,
                }
                work.spend(1)?;
            }
        }
        if let Some(byte) = only {
            return self.child(robots, grammar, number, node, byte, work);
        }
        let is_told = |byte: u8| told_apart >> byte & 1 == 1;
        if Grammar::in_escape(node.grammar) {
            // Of the digits that no pattern tells apart, one for each state of the grammar that they lead to.
            let mut led_to = [None; 8];
            for digit in grammar::DIGITS {
                let next = grammar.step(node.grammar, *digit);
                if next.is_none() {
                    continue;
                }
                if !is_told(*digit) {
                    if led_to.contains(&next) {
                        continue;
                    }
                    if let Some(free) = led_to.iter_mut().find(|state| state.is_none()) {
                        *free = next;
                    }
                }
                if self.child(robots, grammar, number, node, *digit, work)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        // One byte that no pattern knows stands for all of them. An escape whose `%` no pattern knows reaches nothing more: its
        // digits after that byte are a path too, and every pattern is left where the escape would leave it.
        let unknown = grammar::PLAIN.iter().copied().find(|byte| !is_told(*byte));
        let escape = (is_told(b'%') || unknown.is_none()).then_some(b'%');
        let known = grammar::PLAIN.iter().copied().filter(|byte| is_told(*byte));
        for byte in unknown.into_iter().chain(known).chain(escape) {
            if self.child(robots, grammar, number, node, byte, work)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes on with a byte; whether the path may end there.
    fn child(
        &mut self,
        robots: &Robots<'_>,
        grammar: Grammar,
        parent: u32,
        node: Node,
        byte: u8,
        work: &mut Work,
    ) -> Result<bool, Exhausted> {
        let Some(state) = grammar.step(node.grammar, byte) else { return Ok(false) };
        work.spend(1 + (node.end - node.start) as usize)?;
        let start = self.open.len();
        let mut hash = u64::from(state);
        let mut done = grammar.may_end(state);
        for at in node.start..node.end {
            let Open { machine: number, place } = self.open[at as usize];
            let machine = &self.machines[number as usize];
            let text = text_of(machine, robots);
            match self.step(machine, text, place, byte) {
                Place::At(place) => {
                    // Only a pinned pattern is still open when its text is all found.
                    done &= (place as usize == text.len()) == machine.must;
                    self.open.push(Open { machine: number, place });
                    hash = (hash ^ (u64::from(number) << 32 | u64::from(place))).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    hash ^= hash >> 32;
                }
                Place::Matched if machine.must => {}
                Place::Failed if !machine.must => {}
                Place::Matched | Place::Failed => {
                    self.open.truncate(start);
                    return Ok(false);
                }
            }
        }
        let child =
            Node { parent, start: start as u32, end: self.open.len() as u32, hash: hash as u32, grammar: state, byte };
        if done {
            self.write_path(child);
            return Ok(true);
        }
        self.keep(child, work)?;
        Ok(false)
    }

    /// Keeps a state unless it is known.
    fn keep(&mut self, child: Node, work: &mut Work) -> Result<(), Exhausted> {
        if self.nodes.len() * 2 >= self.table.len() {
            work.spend(self.nodes.len())?;
            let size = self.table.len() * 4;
            self.table.clear();
            self.table.resize(size, FREE);
            for (number, node) in self.nodes.iter().enumerate() {
                let mut slot = node.hash as usize & (size - 1);
                while self.table[slot] != FREE {
                    slot = (slot + 1) & (size - 1);
                }
                self.table[slot] = number as u32;
            }
        }
        let open = |node: &Node| node.start as usize..node.end as usize;
        let last = self.table.len() - 1;
        let mut slot = child.hash as usize & last;
        while self.table[slot] != FREE {
            // Whoever makes states collide pays for it.
            work.spend(1)?;
            let known = self.nodes[self.table[slot] as usize];
            if known.hash == child.hash && known.grammar == child.grammar {
                work.spend((child.end - child.start) as usize / 4)?;
                if self.open[open(&known)] == self.open[open(&child)] {
                    self.open.truncate(child.start as usize);
                    return Ok(());
                }
            }
            slot = (slot + 1) & last;
        }
        self.table[slot] = self.nodes.len() as u32;
        self.nodes.push(child);
        Ok(())
    }

    fn write_path(&mut self, mut node: Node) {
        self.path.clear();
        while node.grammar != grammar::START {
            self.path.push(node.byte);
            node = self.nodes[node.parent as usize];
        }
        self.path.reverse();
    }
}
