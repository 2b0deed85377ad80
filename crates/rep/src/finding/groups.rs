//! What groups and rules are to each other: agents and rules named twice, rules that never decide, sitemaps that the rules close.

use super::code::FindingCode;
use super::inspect::{Detail, Inspection, Visitor};
use crate::document::{AgentLine, Robots, Rule};
use crate::group::Named;
use crate::path;
use crate::pattern::{self, Pattern};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A set of texts that strangers choose, known by number: a look-up takes bounded time whatever they are.
///
/// A text that too many others crowd out is not kept, so an equal one may be overlooked later: that takes texts chosen for it.
#[derive(Default)]
struct Seen {
    /// Upper half of the hash, and number + 1 in the lower; 0 is free.
    slots: Vec<u64>,
}

/// Slots that are looked at for one text.
const MOST_PROBES: usize = 32;

impl Seen {
    /// Forgets all and makes room for so many.
    fn reset(&mut self, texts: usize) {
        self.slots.clear();
        self.slots.resize((2 * texts).next_power_of_two(), 0);
    }

    /// The number of an equal text, or `None`, and then this one is kept under its number.
    fn insert(&mut self, hash: u64, number: u32, is_equal: impl Fn(u32) -> bool) -> Option<u32> {
        const NUMBER: u64 = u32::MAX as u64;
        let mask = self.slots.len().wrapping_sub(1);
        for probe in 0..MOST_PROBES {
            let slot = self.slots.get_mut((hash as usize).wrapping_add(probe) & mask)?;
            let Some(other) = (*slot & NUMBER).checked_sub(1) else {
                *slot = hash & !NUMBER | u64::from(number + 1);
                return None;
            };
            if (*slot ^ hash) & !NUMBER == 0 && is_equal(other as u32) {
                return Some(other as u32);
            }
        }
        None
    }
}

/// A hash eight bytes at a time. `fold` is set in every byte first: 0x20 makes the case of letters alike.
fn hash(text: &[u8], fold: u8) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = u64::from_ne_bytes([fold; 8]);
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ (word | fold)).wrapping_mul(ODD);
    let mut hash = text.len() as u64;
    match text.last_chunk::<8>() {
        None => hash = mix(hash, text.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))),
        // The last word may overlap the one before it.
        Some(last) => {
            text.as_chunks::<8>().0.iter().for_each(|word| hash = mix(hash, u64::from_le_bytes(*word)));
            hash = mix(hash, u64::from_le_bytes(*last));
        }
    }
    // The upper bits of a product are the best mixed.
    hash ^ hash >> 32
}

/// What a file calls an agent, for comparing.
fn token<'a>(named: Named<'a>) -> Option<&'a [u8]> {
    match named {
        Named::Everybody => Some(b"*"),
        Named::Token(token) => Some(token),
        Named::Nobody => None,
    }
}

/// What stands for a plain `*` in a pattern that is compared: a byte that no pattern made equal has.
const PLAIN_STAR: u8 = 1;

/// The pattern of a rule with `*` for every wildcard, whatever stands for it in the rule.
#[inline]
fn comparable<'r>(rule: &Rule, robots: &'r Robots<'_>) -> Cow<'r, [u8]> {
    let pattern = &rule.pattern;
    let text = robots.text(pattern);
    if pattern.star == b'*' || memchr::memchr2(pattern.star, b'*', text).is_none() {
        return Cow::Borrowed(text);
    }
    let byte = |byte: &u8| match *byte {
        b'*' => PLAIN_STAR,
        byte if byte == pattern.star => b'*',
        byte => byte,
    };
    Cow::Owned(text.iter().map(byte).collect())
}

/// Whether two rules match the same paths because their patterns are the same but for wildcards at the end.
fn is_same_pattern(one: &Rule, other: &Rule, robots: &Robots<'_>) -> bool {
    let (a, b) = (&one.pattern, &other.pattern);
    a.head == b.head
        && a.length == b.length
        && a.pinned == b.pinned
        && comparable(one, robots) == comparable(other, robots)
}

/// Whether a rule can match paths that do not begin with its text, or is longer than its text: only such a rule
/// can be at least as strong as another and match more.
fn is_stretchy(rule: &Rule) -> bool {
    let pattern = &rule.pattern;
    // A rank is twice the length as the dialect counts it, wildcards at the end included. Every path begins with `/`, so a pattern
    // that is no more matches all.
    pattern.wild
        || rule.rank / 2 > pattern.length + u32::from(pattern.pinned)
        || (pattern.length == 1 && !pattern.pinned)
}

/// Whether a rule wins against another wherever both match.
fn beats(rule: &Rule, other: &Rule) -> bool {
    match (rule.allow, other.allow) {
        (false, true) => rule.rank > other.rank,
        _ => rule.rank >= other.rank,
    }
}

/// Whether every path that the other rule matches is matched by this one.
///
/// Decided by matching this pattern with the other as a path in which a byte that no pattern has stands for each
/// wildcard: only a wildcard can match it, and what does will match whatever stands there.
fn covers(rule: &Rule, other: &Rule, robots: &Robots<'_>, path: &mut Vec<u8>) -> bool {
    const ANYTHING: u8 = 2;
    let text = comparable(other, robots);
    let plain_star = if rule.pattern.star == b'*' { PLAIN_STAR } else { b'*' };
    let mut is_covered = |slash: bool, text: &[u8]| {
        path.clear();
        path.extend(slash.then_some(b'/'));
        path.extend(text.iter().map(|byte| match *byte {
            b'*' => ANYTHING,
            PLAIN_STAR => plain_star,
            byte => byte,
        }));
        if !other.pattern.pinned {
            path.push(ANYTHING);
        }
        rule.pattern.matches(robots.text(&rule.pattern), path)
    };
    // A path begins with `/`: a leading wildcard stands for that and anything, or for nothing where a `/` follows it.
    let wildcards = text.iter().take_while(|byte| **byte == b'*').count();
    match text.get(wildcards) {
        Some(b'/') if wildcards > 0 => is_covered(true, &text) && is_covered(false, &text[wildcards..]),
        Some(_) if wildcards == 0 => is_covered(false, &text),
        _ => is_covered(true, &text),
    }
}

/// Which bytes a text holds, folded into 64.
fn bytes(text: &[u8]) -> u64 {
    text.iter().fold(0, |set, byte| set | 1 << (byte & 63))
}

/// Some of the literal bytes of a pattern in the same form: a text that the pattern covers, and a path that it matches, holds them.
fn samples(rule: &Rule, robots: &Robots<'_>) -> u64 {
    let text = robots.text(&rule.pattern);
    let bit = |at: usize| match text.get(at) {
        Some(byte) if *byte != rule.pattern.star => 1 << (byte & 63),
        _ => 0,
    };
    // The last ones tell most: `=` and `?` stand there, and extensions.
    let end = text.len();
    bit(end.wrapping_sub(1)) | bit(end.wrapping_sub(2)) | bit(end.wrapping_sub(4)) | bit(end / 2)
}

/// What decides in most cases that a rule does not match: looked at before its text.
#[derive(Clone, Copy)]
struct Glance {
    number: u32,
    rank: u32,
    head: u64,
    mask: u64,
    /// Some literal bytes of its pattern; none if that has no wildcard inside, and then its head says enough.
    bytes: u64,
}

impl Glance {
    fn new(number: u32, rule: &Rule, robots: &Robots<'_>) -> Glance {
        let Pattern { head, mask, wild, .. } = rule.pattern;
        Glance { number, rank: rule.rank, head, mask, bytes: if wild { samples(rule, robots) } else { 0 } }
    }
}

/// How many bytes of a pattern are no wildcards.
fn literal(rule: &Rule, robots: &Robots<'_>) -> u32 {
    let wildcards = memchr::memchr_iter(rule.pattern.star, robots.text(&rule.pattern)).count();
    rule.pattern.length - wildcards as u32
}

/// Groups that are not looked at alone, because an agent of theirs has another one.
#[derive(Default)]
struct Merged {
    /// Whether a group is one; empty if none is.
    groups: Vec<bool>,
    /// Sets that are looked at together: first the groups whose rules are judged, then others that bind the same agents.
    sets: Vec<(Vec<u32>, Vec<u32>)>,
}

impl<'v, 'a, V: Visitor<'a>> Inspection<'v, 'a, V> {
    /// Agents in more than one group, and the rules of every group, merged as the standard merges them.
    pub(super) fn groups(&mut self) {
        let robots = self.robots;
        let merged = if robots.groups.len() > 1 { self.agents() } else { Merged::default() };
        let mut scratch = Scratch::default();
        for group in 0..robots.groups.len() {
            if merged.groups.get(group) != Some(&true) {
                let rules = robots.rules_of(group);
                self.rules(rules, rules.len(), &mut scratch);
            }
        }
        let mut rules: Vec<Rule> = Vec::new();
        for (own, others) in merged.sets {
            rules.clear();
            own.iter().for_each(|group| rules.extend_from_slice(robots.rules_of(*group as usize)));
            let judged = rules.len();
            for group in others {
                let more = robots.rules_of(group as usize);
                if !self.spend(more.len()) {
                    break;
                }
                rules.extend_from_slice(more);
            }
            self.rules(&rules, judged, &mut scratch);
        }
    }

    /// Tells of agents in more than one group; which groups belong together for that.
    fn agents(&mut self) -> Merged {
        let agents = &self.robots.agents;
        let is_equal = |a: u32, b: &[u8]| token(agents[a as usize].named).is_some_and(|a| a.eq_ignore_ascii_case(b));
        // Most files name few, each once, and that is told without a table.
        const FEW: usize = 8;
        if agents.len() <= FEW {
            let is_new = |at: usize| {
                token(agents[at].named).is_none_or(|name| !(0..at as u32).any(|before| is_equal(before, name)))
            };
            if (0..agents.len()).all(is_new) {
                return Merged::default();
            }
        }
        let mut seen = Seen::default();
        seen.reset(agents.len());
        // For every agent line the first one with the same token.
        let mut first: Vec<u32> = Vec::with_capacity(agents.len());
        let mut told: BTreeSet<(u32, u32)> = BTreeSet::new();
        for (number, agent) in agents.iter().enumerate() {
            let number = number as u32;
            let Some(name) = token(agent.named) else {
                first.push(number);
                continue;
            };
            let known = seen.insert(hash(name, 0x20), number, |other| is_equal(other, name)).unwrap_or(number);
            first.push(known);
            let before = &agents[known as usize];
            if before.group != agent.group && told.insert((known, agent.group)) {
                let (one, other) = (self.whole_name(before), self.whole_name(agent));
                // Names that are alike only because the standard cuts them (`Sogou web spider`, `Sogou inst spider`) are two to
                // their author. The groups are merged all the same.
                if !one.eq_ignore_ascii_case(other) {
                    continue;
                }
                self.value_of(FindingCode::DuplicateGroup, agent.line, Detail::Line(before.line));
                if one != other {
                    self.value_of(FindingCode::AgentCase, agent.line, Detail::Line(before.line));
                }
            }
        }
        if told.is_empty() {
            return Merged::default();
        }
        let mut groups_of: BTreeMap<u32, Vec<u32>> = told.iter().map(|(shared, _)| (*shared, Vec::new())).collect();
        let mut merged = vec![false; self.robots.groups.len()];
        for (agent, first) in agents.iter().zip(&first) {
            if let Some(groups) = groups_of.get_mut(first) {
                merged[agent.group as usize] = true;
                if groups.last() != Some(&agent.group) {
                    groups.push(agent.group);
                }
            }
        }
        let mut of_group: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (agent, first) in agents.iter().zip(&first).filter(|(agent, _)| merged[agent.group as usize]) {
            of_group.entry(agent.group).or_default().push(*first);
        }
        // Groups for exactly the same agents are one; in those for a single agent its other groups count too.
        let mut same: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for (group, mut names) in of_group {
            names.sort_unstable();
            names.dedup();
            same.entry(names).or_default().push(group);
        }
        let merge = |(names, own): (Vec<u32>, Vec<u32>)| {
            let others = match names[..] {
                [only] => groups_of.get(&only).map_or(&[][..], |all| all),
                _ => &[],
            };
            let others = others.iter().copied().filter(|group| own.binary_search(group).is_err()).collect();
            (own, others)
        };
        Merged { groups: merged, sets: same.into_iter().map(merge).collect() }
    }

    /// The value of an agent line without a version or wildcard behind the token.
    fn whole_name(&self, agent: &AgentLine<'a>) -> &'a [u8] {
        let value = self.line(agent.line).map_or(&b""[..], |line| self.document.value(line));
        match agent.named {
            Named::Token(token) if matches!(value.get(token.len()), Some(b'/' | b'*')) => token,
            Named::Everybody => b"*",
            _ => value,
        }
    }

    /// Rules of one set: those that stand there twice, and those that never decide. The first `judged` are told of.
    fn rules(&mut self, rules: &[Rule], judged: usize, scratch: &mut Scratch) {
        if rules.len() < 2 {
            return;
        }
        let robots = self.robots;
        let Scratch { seen, again, twins, path } = scratch;
        again.clear();
        twins.clear();
        // A few are compared each with each, which is soon done.
        const FEW: usize = 12;
        if rules.len() > FEW {
            seen.reset(rules.len());
        }
        let mut kinds = [false; 2];
        for (number, rule) in rules.iter().enumerate() {
            kinds[usize::from(rule.allow)] = true;
            let first = if rules.len() > FEW {
                let hash = hash(&comparable(rule, robots), 0) ^ u64::from(rule.pattern.pinned);
                seen.insert(hash, number as u32, |other| is_same_pattern(&rules[other as usize], rule, robots))
            } else {
                rules[..number].iter().position(|other| is_same_pattern(other, rule, robots)).map(|at| at as u32)
            };
            if let Some(first) = first {
                again.push((number as u32, first));
            }
        }
        let mut both_in_one = false;
        if !again.is_empty() {
            both_in_one = self.repeated(rules, judged, again, twins);
        }
        if kinds == [true; 2] && (both_in_one || rules.iter().any(is_stretchy)) {
            self.unreachable(rules, judged, twins, path);
        }
    }

    /// Rules with the pattern of one before them, in order, each with the first that has it: fills in how they stand to each other.
    /// Whether any has a twin of the other kind.
    fn repeated(&mut self, rules: &[Rule], judged: usize, again: &[(u32, u32)], twins: &mut Vec<Twin>) -> bool {
        twins.extend(rules.iter().enumerate().map(|(number, rule)| {
            let mut best = [None; 2];
            best[usize::from(rule.allow)] = Some(number as u32);
            Twin { first: number as u32, best }
        }));
        let mut both_in_one = false;
        for (number, first) in again {
            twins[*number as usize].first = *first;
            let rule = &rules[*number as usize];
            let best = &mut twins[*first as usize].best;
            let kind = usize::from(rule.allow);
            both_in_one |= best[1 - kind].is_some();
            let before = best[kind];
            if before.is_none_or(|before| rule.rank > rules[before as usize].rank) {
                best[kind] = Some(*number);
            }
            if let Some(before) = before
                && (*number.max(&before) as usize) < judged
            {
                let line = rules[before as usize].line;
                self.value_of(FindingCode::DuplicateRule, rule.line, Detail::Line(line));
            }
        }
        both_in_one
    }

    /// Rules of one set that never decide because one of the other kind always does. (One of its own kind that does makes a rule
    /// superfluous, but not wrong: `/?s=` beside `/*?s=` is common, and looking for that costs as much as all the rest.)
    fn unreachable(&mut self, rules: &[Rule], judged: usize, twins: &[Twin], path: &mut Vec<u8>) {
        let robots = self.robots;
        let mut stretchy: [Vec<Glance>; 2] = Default::default();
        for (number, rule) in rules.iter().enumerate().filter(|(_, rule)| is_stretchy(rule)) {
            stretchy[usize::from(rule.allow)].push(Glance::new(number as u32, rule, robots));
        }
        // The strongest first, so that a rule need not look at those that are weaker than it.
        stretchy.iter_mut().for_each(|rules| rules.sort_by_key(|rule| std::cmp::Reverse(rule.rank)));
        for (number, rule) in rules.iter().enumerate().take(judged) {
            let kind = usize::from(rule.allow);
            // Without repeated patterns there are no twins.
            let best = twins.get(number).map(|twin| twins[twin.first as usize].best).unwrap_or_default();
            if best[kind].is_some_and(|best| best != number as u32) {
                continue;
            }
            let twin = best[1 - kind].map(|other| &rules[other as usize]).filter(|other| beats(other, rule));
            let found = match twin {
                Some(twin) => Some(twin.line),
                None => {
                    // What covers a pattern begins as it does, unless that begins with a wildcard, and has no more and no other
                    // literal bytes than the pattern has, but for a slash at the start. So few come into question.
                    let pattern = &rule.pattern;
                    let head_counts = if pattern.mask == 0 { 0 } else { u64::MAX };
                    let mut held = None;
                    let others = &stretchy[1 - kind];
                    if !self.spend(others.len()) {
                        return;
                    }
                    let mut found = None;
                    for other in others.iter().take_while(|other| other.rank >= rule.rank) {
                        if (other.head ^ pattern.head) & other.mask & head_counts != 0 {
                            continue;
                        }
                        let held = *held.get_or_insert_with(|| bytes(robots.text(pattern)) | bytes(b"/"));
                        let stronger = &rules[other.number as usize];
                        if other.bytes & !held != 0
                            || !beats(stronger, rule)
                            || literal(stronger, robots) > pattern.length + 1
                        {
                            continue;
                        }
                        if !self.spend((pattern.length + stronger.pattern.length) as usize) {
                            return;
                        }
                        if covers(stronger, rule, robots, path) {
                            found = Some(stronger.line);
                            break;
                        }
                    }
                    found
                }
            };
            if let Some(line) = found {
                self.value_of(FindingCode::UnreachableRule, rule.line, Detail::Line(line));
            }
        }
    }

    /// Sitemaps that the rules for `*` close.
    pub(super) fn sitemaps(&mut self) {
        let robots = self.robots;
        if robots.sitemaps.is_empty() || robots.rules.is_empty() {
            return;
        }
        let mut groups: Vec<u32> =
            robots.agents.iter().filter(|agent| agent.named == Named::Everybody).map(|agent| agent.group).collect();
        groups.dedup();
        let closes = |group: &u32| robots.rules_of(*group as usize).iter().any(|rule| !rule.allow);
        if !groups.iter().any(closes) {
            return;
        }
        // With many sitemaps it pays to look at the rules once beforehand.
        const MANY: usize = 8;
        let glances = if robots.sitemaps.len() < MANY { Vec::new() } else { closing(robots, &groups) };
        let named_groups = robots.groups.len() > groups.len();
        for (line, url) in &robots.sitemaps {
            let Some(scheme) = memchr::memmem::find(url, b"://") else { continue };
            let path = &url[scheme + 3..];
            let path = &path[memchr::memchr2(b'/', b'?', path).unwrap_or(path.len())..];
            let path = &path[..memchr::memchr(b'#', path).unwrap_or(path.len())];
            let Some(rule) = self.closing_rule(&glances, &groups, path) else { continue };
            // Who closes the whole site to all but some may well leave the sitemap to those.
            if !(named_groups && is_everything(rule, robots)) {
                self.value_of(FindingCode::SitemapDisallowed, *line, Detail::Line(rule.line));
            }
        }
    }

    /// The rule of some groups that closes a path; `None` if it is open, or if the work would be too much. `glances` are those of
    /// their rules that close any path, or nothing.
    fn closing_rule(&mut self, glances: &[Glance], groups: &[u32], path: &[u8]) -> Option<&'v Rule> {
        let robots = self.robots;
        let is_equal = path.first() == Some(&b'/') && path.iter().all(|byte| matches!(byte, 0x21..=0x24 | 0x26..=0x7e));
        let path = if is_equal {
            Cow::Borrowed(path)
        } else {
            let mut equal = if path.first() == Some(&b'/') { Vec::new() } else { vec![b'/'] };
            path::push_equal(path, b'*', &mut equal);
            Cow::Owned(equal)
        };
        let (head, held) = (pattern::head(&path), bytes(&path));
        let mut closes: Option<&Rule> = None;
        for glance in glances {
            if (head ^ glance.head) & glance.mask == 0 && glance.bytes & !held == 0 {
                closes = self.stronger(closes, &robots.rules[glance.number as usize], &path)?;
            }
        }
        for group in groups.iter().filter(|_| glances.is_empty()) {
            let rules = robots.rules_of(*group as usize);
            if !self.spend(rules.len()) {
                return None;
            }
            for rule in rules {
                let pattern = &rule.pattern;
                if !rule.allow
                    && (head ^ pattern.head) & pattern.mask == 0
                    && (!pattern.wild || samples(rule, robots) & !held == 0)
                {
                    closes = self.stronger(closes, rule, &path)?;
                }
            }
        }
        if !self.spend(glances.len()) {
            return None;
        }
        let closes = closes?;
        // Open after all if a rule that allows is as strong.
        for group in groups {
            let rules = robots.rules_of(*group as usize);
            if !self.spend(rules.len()) {
                return None;
            }
            for rule in rules.iter().filter(|rule| rule.allow && rule.rank >= closes.rank) {
                if (head ^ rule.pattern.head) & rule.pattern.mask == 0 && self.matches(rule, &path)? {
                    return None;
                }
            }
        }
        Some(closes)
    }

    /// The stronger of a rule that matches a path, if there is one, and another if that matches it too; `None` if that is too much work.
    fn stronger<'r>(&mut self, best: Option<&'r Rule>, rule: &'r Rule, path: &[u8]) -> Option<Option<&'r Rule>> {
        let is_better = best.is_none_or(|best| rule.rank > best.rank);
        Some(if is_better && self.matches(rule, path)? { Some(rule) } else { best })
    }

    /// Whether a rule matches a path; `None` if that is too much work.
    fn matches(&mut self, rule: &Rule, path: &[u8]) -> Option<bool> {
        let text = self.robots.text(&rule.pattern);
        self.spend(path.len() + text.len()).then(|| rule.pattern.matches(text, path))
    }

    /// Whether the rules of a group close a path; all of them if it is empty.
    pub(super) fn is_closed(&mut self, group: usize, path: &[u8]) -> bool {
        let robots = self.robots;
        let rules = robots.rules_of(group);
        if !self.spend(rules.len()) {
            return false;
        }
        if path.is_empty() {
            return rules.iter().all(|rule| !rule.allow) && rules.iter().any(|rule| is_everything(rule, robots));
        }
        self.closing_rule(&[], &[group as u32], path).is_some()
    }
}

/// The rules of some groups that close a path; their numbers are those of [`Robots::rules`].
fn closing(robots: &Robots<'_>, groups: &[u32]) -> Vec<Glance> {
    let groups = groups.iter().filter_map(|group| robots.groups.get(*group as usize));
    let numbers = groups.flat_map(|group| group.first_rule..group.end_rule);
    let rules = numbers.filter_map(|number| Some((number, robots.rules.get(number as usize)?)));
    rules.filter(|(_, rule)| !rule.allow).map(|(number, rule)| Glance::new(number, rule, robots)).collect()
}

/// Whether a rule matches every path.
fn is_everything(rule: &Rule, robots: &Robots<'_>) -> bool {
    !rule.pattern.pinned && matches!(robots.text(&rule.pattern), b"" | b"/")
}

/// Memory that the groups of a body share.
#[derive(Default)]
struct Scratch {
    seen: Seen,
    /// Rules with the pattern of one before them: their numbers, and that of the first with it.
    again: Vec<(u32, u32)>,
    /// For every rule, if any pattern stands there twice.
    twins: Vec<Twin>,
    path: Vec<u8>,
}

/// How a rule stands to others with its pattern.
struct Twin {
    /// The first of them.
    first: u32,
    /// Of the first one: the strongest disallow and allow.
    best: [Option<u32>; 2],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Agent;
    use crate::dialect::Dialect;
    use crate::document::Document;
    use crate::evaluate::ask;
    use crate::finding::{Occurrence, inspect};

    struct Lines(Vec<u32>);

    impl<'a> Visitor<'a> for Lines {
        fn found(&mut self, found: Occurrence) {
            if found.code == FindingCode::UnreachableRule {
                self.0.push(found.line);
            }
        }
    }

    fn unreachable(body: &str) -> Vec<u32> {
        let document = Document::parse(body.as_bytes());
        let mut lines = Lines(Vec::new());
        inspect(&document, &document.read(&Dialect::RFC9309), &mut lines);
        lines.0.sort_unstable();
        lines.0
    }

    fn words(letters: &[u8], longest: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut from = 0;
        for _ in 0..longest {
            let to = all.len();
            for at in from..to {
                all.extend(
                    letters.iter().map(|letter| format!("{}{}", all[at], char::from(*letter))).collect::<Vec<_>>(),
                );
            }
            from = to;
        }
        all
    }

    #[test]
    fn a_rule_is_unreachable_exactly_when_the_other_always_wins() {
        // All pairs of a disallow and an allow over a small alphabet, against what decides all short paths. The letter b stands in
        // no pattern, so that a wildcard has something of its own to match.
        let mut patterns = words(b"/a*$", 3);
        patterns.retain(|pattern| pattern.starts_with(['/', '*']) && !pattern[..pattern.len() - 1].contains('$'));
        let paths: Vec<String> = words(b"/ab", 4).into_iter().map(|path| format!("https://h/{path}")).collect();
        let agent = Agent::bare("x");
        let (mut pairs, mut found) = (0, 0);
        let decides = |body: &str, line: u32| {
            paths
                .iter()
                .any(|path| ask(body.as_bytes(), &agent, path.as_bytes(), &Dialect::RFC9309).decision.line == line)
        };
        for disallow in &patterns {
            for allow in &patterns {
                let body = format!("user-agent: *\ndisallow: {disallow}\nallow: {allow}\n");
                let expected: Vec<u32> = [2, 3].into_iter().filter(|line| !decides(&body, *line)).collect();
                assert_eq!(unreachable(&body), expected, "{body}");
                pairs += 1;
                found += expected.len();
            }
        }
        assert!(pairs > 500 && found > 100, "{pairs} {found}");
    }

    #[test]
    fn merged_groups_are_one() {
        assert_eq!(unreachable("user-agent: *\nallow: /\nuser-agent: b\nallow: /b\nuser-agent: *\ndisallow: /\n"), [6]);
        assert_eq!(unreachable("user-agent: a\nallow: /\nuser-agent: b\ndisallow: /\n"), []);
        // For b the rule decides.
        assert_eq!(unreachable("user-agent: a\nallow: /\nuser-agent: a\nuser-agent: b\ndisallow: /\n"), []);
        assert_eq!(unreachable("user-agent: a\nuser-agent: b\nallow: /\nuser-agent: a\ndisallow: /\n"), [5]);
    }

    #[test]
    fn spellings_are_made_equal_first() {
        assert_eq!(unreachable("user-agent: *\ndisallow: /%7Ea*b\nallow: /~a*b\n"), [2]);
        assert_eq!(unreachable("user-agent: *\ndisallow: /%2A%61\nallow: /%2a%61\n"), [2]);
        // An escaped star is no wildcard.
        assert_eq!(unreachable("user-agent: *\ndisallow: /%2A%61\nallow: /*%61\n"), [2]);
        assert_eq!(unreachable("user-agent: *\ndisallow: /*%61\nallow: /%2A%61\n"), []);
    }

    #[test]
    fn hostile_bodies_end_soon() {
        // Many of everything: quadratic work on any of these takes minutes.
        let many = 60_000;
        let repeat = |piece: &dyn Fn(usize) -> String| (0..many).map(piece).collect::<String>();
        let bodies = [
            format!("user-agent: *\n{}", repeat(&|n| format!("allow: /*a{n}*\ndisallow: /*{n}a*\n"))),
            format!("user-agent: *\n{}", repeat(&|n| format!("disallow: /{n}*x\nsitemap: https://a.example/{n}y\n"))),
            repeat(&|n| format!("user-agent: a{}\ndisallow: /{n}\n", n % 7)),
            repeat(&|n| format!("user-agent: a{n}\n"))
                + "allow: /\n"
                + &repeat(&|n| format!("user-agent: a{n}\nallow: /\n")),
            format!("user-agent: *\ndisallow: /{}\nallow: /{}\n", "*a".repeat(many), "*a".repeat(many - 1)),
            format!("user-agent: *\n{}", repeat(&|n| format!("disallow: /{}\n", n % 3))),
            format!("user-agent: *\n{}", repeat(&|_| "content-usage: /a train-ai=y\ndisallow: /b*c\n".to_owned())),
            format!("user-agent: *\n{}", repeat(&|n| format!("crawl-delay: 1\nuser-agent: b{n}\n"))),
        ];
        for body in &bodies {
            unreachable(body);
        }
    }
}
