//! Exact access: whether a rule list leaves every path open, none, or some, decided from the rules and not by sampling.
//!
//! Most lists are settled by a handful of paths: `/`, and what the first rules name. Where they are not, the question becomes a
//! few searches of one shape (a path that this rule matches and those do not), each decided over automata; see `search`. What
//! paths are, says `grammar`.

mod differing;
mod grammar;
mod search;
#[cfg(test)]
mod tests;

use crate::dialect::{Dialect, Precedence};
use crate::document::{Robots, Rule};
use crate::evaluate::BestPair;
use crate::pattern;
use crate::verdict::Verdict;
use grammar::Grammar;
use search::{Exhausted, ROBOTS_TXT, Search, Work};
use std::collections::HashMap;

/// How much of a site some rules leave open: over all paths that a URL can carry after the host but `/robots.txt` itself, in
/// the form that the dialect gives them (spec, section 9, "Access").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessClass {
    /// No path is disallowed.
    All,
    /// Some paths are allowed and some disallowed.
    Some,
    /// No path is allowed.
    None,
    /// It hangs on paths whose verdict the dialect leaves undefined.
    Undefined,
    /// The rules were too much work.
    Undecided,
}

impl AccessClass {
    /// The word that tables and programs use.
    pub const fn as_str(self) -> &'static str {
        match self {
            AccessClass::All => "all",
            AccessClass::Some => "some",
            AccessClass::None => "none",
            AccessClass::Undefined => "undefined",
            AccessClass::Undecided => "undecided",
        }
    }
}

/// An access class with paths that bear it out: each with its query, as a URL may carry it and as the dialect's normal form has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access<'f> {
    /// The class.
    pub class: AccessClass,
    /// A path that is allowed: always there for `all` and `some`, and where one is known for `undefined` and `undecided`.
    pub allowed: Option<&'f [u8]>,
    /// A path that is disallowed: always there for `none` and `some`, and where one is known for `undefined` and `undecided`.
    pub denied: Option<&'f [u8]>,
}

/// Work for one body: at 2 to 7 ns a step it ends within some 20 ms, and no real body needs a tenth of it. A count and not a
/// clock, so that a body gets the same answer everywhere.
const STEPS_PER_BODY: u32 = 3_000_000;

/// Elements of scratch space that are kept from body to body.
const KEPT: usize = 1 << 14;

/// Rules of a kind whose own path is tried before anything is proved.
const TRIED: usize = 8;

/// A witness: a range of [`AccessFinder::witnesses`].
type Witness = Option<(u32, u32)>;

/// What was found of some groups.
#[derive(Debug, Clone, Copy)]
struct Found {
    class: AccessClass,
    allowed: Witness,
    denied: Witness,
}

/// Finds the access of rule sets. Scratch space of a worker, reused from body to body.
///
/// Answers are remembered until the next [`AccessFinder::begin`]: whoever asks for each of ten thousand agents pays for their
/// rule sets only.
#[derive(Debug, Default)]
pub struct AccessFinder {
    work: Work,
    found: Vec<Found>,
    witnesses: Vec<u8>,
    /// For each group the number of the answer for it alone, plus one; 0: not asked yet.
    alone: Vec<u32>,
    /// The answers for several groups together.
    together: HashMap<Box<[u32]>, u32>,
    /// The rules of several groups.
    merged: Vec<Rule>,
    candidate: Vec<u8>,
    search: Search,
    /// Leaves the candidates out, so that tests see what the searches do.
    #[cfg(test)]
    proofs_only: bool,
}

impl AccessFinder {
    /// Starts a body, as one dialect reads it: forgets earlier answers, and grants new work.
    pub fn begin(&mut self, robots: &Robots<'_>) {
        self.work = Work { left: STEPS_PER_BODY };
        self.found.clear();
        self.witnesses.clear();
        self.alone.clear();
        self.alone.resize(robots.groups.len(), 0);
        // What a monstrous body made large is given back: those after it would pay for it in time and space.
        if self.together.capacity() > KEPT {
            self.together = HashMap::new();
        }
        self.together.clear();
        self.merged.clear();
        self.merged.shrink_to(KEPT);
        self.found.shrink_to(KEPT);
        self.witnesses.shrink_to(KEPT);
        self.search.shrink_to(KEPT);
    }

    /// The access under the merged rules of some groups of the body that was begun: ascending indices into [`Robots::groups`],
    /// as [`Selection::groups_of`](crate::Selection::groups_of) has them. No groups leave everything open.
    pub fn of(&mut self, robots: &Robots<'_>, groups: &[u32]) -> Access<'_> {
        let known = match groups {
            [] => return Access { class: AccessClass::All, allowed: Some(b"/"), denied: None },
            [group] => self.alone.get(*group as usize).and_then(|number| number.checked_sub(1)),
            _ => self.together.get(groups).copied(),
        };
        let number = known.unwrap_or_else(|| {
            let found = self.find(robots, groups);
            let number = self.found.len() as u32;
            self.found.push(found);
            match groups {
                [group] => {
                    if let Some(alone) = self.alone.get_mut(*group as usize) {
                        *alone = number + 1;
                    }
                }
                _ => {
                    self.together.insert(groups.into(), number);
                }
            }
            number
        });
        let Found { class, allowed, denied } = self.found[number as usize];
        Access { class, allowed: self.witness(allowed), denied: self.witness(denied) }
    }

    fn witness(&self, witness: Witness) -> Option<&[u8]> {
        witness.map(|(start, end)| &self.witnesses[start as usize..end as usize])
    }

    fn find(&mut self, robots: &Robots<'_>, groups: &[u32]) -> Found {
        // No rule set may use up what others of the body need: each gets half of what is left.
        let reserve = self.work.left / 2;
        self.work.left -= reserve;
        let mut merged = std::mem::take(&mut self.merged);
        let mut found = Found { class: AccessClass::Undecided, allowed: None, denied: None };
        let decided = match groups {
            [group] => self.decide(robots, rules_of(robots, *group), &mut found),
            _ => {
                merged.clear();
                let rules = groups.iter().map(|group| rules_of(robots, *group));
                let copied = rules.clone().map(<[Rule]>::len).sum::<usize>();
                let gathered = self.work.spend(groups.len() + 2 * copied);
                gathered.and_then(|()| {
                    rules.for_each(|rules| merged.extend_from_slice(rules));
                    self.decide(robots, &merged, &mut found)
                })
            }
        };
        found.class = decided.unwrap_or(AccessClass::Undecided);
        self.merged = merged;
        self.work.left += reserve;
        found
    }

    fn decide(&mut self, robots: &Robots<'_>, rules: &[Rule], found: &mut Found) -> Result<AccessClass, Exhausted> {
        let dialect = robots.dialect;
        self.work.spend(1 + rules.len() / 8)?;
        let denies = |rule: &&Rule| !rule.allow && verdict_of_pair(dialect, None, Some(rule)) == Verdict::Disallow;
        let wild_order = !is_monotone(dialect.precedence);
        if !rules.iter().any(|rule| denies(&rule) || (wild_order && !rule.allow)) {
            found.allowed = Some(self.keep(b"/"));
            return Ok(AccessClass::All);
        }
        let mut undefined = false;
        #[cfg(test)]
        let tried = if self.proofs_only { 0 } else { TRIED };
        #[cfg(not(test))]
        let tried = TRIED;
        if tried > 0 {
            self.candidate.clear();
            self.candidate.push(b'/');
            self.try_candidate(robots, rules, found, &mut undefined)?;
        }
        for allow in [false, true] {
            for rule in rules.iter().filter(|rule| rule.allow == allow && (allow || denies(rule))).take(tried) {
                if (if allow { found.allowed } else { found.denied }).is_some() {
                    break;
                }
                self.work.spend(rule.pattern.length as usize)?;
                if instance(robots, rule, &mut self.candidate) {
                    self.try_candidate(robots, rules, found, &mut undefined)?;
                }
            }
        }
        if found.denied.is_none() && self.search_for(Verdict::Disallow, robots, rules)? {
            found.denied = Some(self.keep_path(robots, rules, Verdict::Disallow));
        }
        if found.allowed.is_none() && self.search_for(Verdict::Allow, robots, rules)? {
            found.allowed = Some(self.keep_path(robots, rules, Verdict::Allow));
        }
        Ok(match (found.allowed, found.denied) {
            (Some(_), Some(_)) => AccessClass::Some,
            _ if undefined || self.search_for(Verdict::Undefined, robots, rules)? => AccessClass::Undefined,
            (None, _) => AccessClass::None,
            (_, None) => AccessClass::All,
        })
    }

    /// Takes the candidate for a witness of what it is.
    fn try_candidate(
        &mut self,
        robots: &Robots<'_>,
        rules: &[Rule],
        found: &mut Found,
        undefined: &mut bool,
    ) -> Result<(), Exhausted> {
        let candidate = std::mem::take(&mut self.candidate);
        let verdict = verdict(robots, rules, &candidate, &mut self.work);
        let witness = match verdict {
            Ok(Verdict::Allow) => Some(&mut found.allowed),
            Ok(Verdict::Disallow) => Some(&mut found.denied),
            Ok(Verdict::Undefined) => {
                *undefined = true;
                None
            }
            Err(Exhausted) => None,
        };
        if let Some(witness) = witness
            && witness.is_none()
        {
            *witness = Some(self.keep(&candidate));
        }
        self.candidate = candidate;
        verdict.map(|_| ())
    }

    fn keep(&mut self, path: &[u8]) -> (u32, u32) {
        let start = self.witnesses.len() as u32;
        self.witnesses.extend_from_slice(path);
        (start, self.witnesses.len() as u32)
    }

    fn keep_path(&mut self, robots: &Robots<'_>, rules: &[Rule], expected: Verdict) -> (u32, u32) {
        let path = std::mem::take(&mut self.search.path);
        debug_assert_eq!(verdict(robots, rules, &path, &mut Work { left: u32::MAX }), Ok(expected));
        let kept = self.keep(&path);
        self.search.path = path;
        kept
    }

    /// Whether some path has this verdict; [`Search::path`] is one then.
    fn search_for(&mut self, verdict: Verdict, robots: &Robots<'_>, rules: &[Rule]) -> Result<bool, Exhausted> {
        if is_monotone(robots.dialect.precedence) {
            self.search_by_one(verdict, robots, rules)
        } else {
            self.search_by_pairs(verdict, robots, rules)
        }
    }

    /// The search where strength is all that counts: then one rule that matches, and beats all of the other kind that match, is enough.
    fn search_by_one(&mut self, verdict: Verdict, robots: &Robots<'_>, rules: &[Rule]) -> Result<bool, Exhausted> {
        let dialect = robots.dialect;
        let Self { search, work, .. } = self;
        if verdict == Verdict::Allow {
            // Nothing that matches disallows on its own.
            let denies = |rule: &Rule| !rule.allow && verdict_of_pair(dialect, None, Some(rule)) == Verdict::Disallow;
            if search.find(robots, &[], rules, denies, work)? {
                return Ok(true);
            }
        }
        for rule in rules.iter().filter(|rule| rule.allow == (verdict == Verdict::Allow)) {
            let has_verdict = |other: Option<&Rule>| {
                let (allow, disallow) = if rule.allow { (Some(rule), other) } else { (other, Some(rule)) };
                verdict_of_pair(dialect, allow, disallow) == verdict
            };
            let beaten_by = |other: &Rule| other.allow != rule.allow && !has_verdict(Some(other));
            if has_verdict(None) && search.find(robots, &[rule], rules, beaten_by, work)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The search for any precedence: for a path whose strongest rules are such a pair, of which one or both may be none. Every
    /// path has such a pair, so asking for all that give the verdict is exact; but it is quadratic.
    fn search_by_pairs(&mut self, verdict: Verdict, robots: &Robots<'_>, rules: &[Rule]) -> Result<bool, Exhausted> {
        let dialect = robots.dialect;
        let Self { search, work, .. } = self;
        let or_none = |allow: bool| {
            let of_kind = rules.iter().filter(move |rule| rule.allow == allow).map(Some);
            std::iter::once(None).chain(of_kind)
        };
        for allow in or_none(true) {
            for disallow in or_none(false) {
                work.spend(1)?;
                // Without a disallow rule everything is allowed: that is one search, whatever the allow rules say.
                let repeated = allow.is_some() && disallow.is_none();
                if repeated || verdict_of_pair(dialect, allow, disallow) != verdict {
                    continue;
                }
                let stronger = |rule: &Rule| match if rule.allow { allow } else { disallow } {
                    Some(best) => rule.rank > best.rank,
                    None => !rule.allow || disallow.is_some(),
                };
                let found = match (allow, disallow) {
                    (Some(allow), Some(disallow)) => search.find(robots, &[allow, disallow], rules, stronger, work)?,
                    (None, Some(disallow)) => search.find(robots, &[disallow], rules, stronger, work)?,
                    (_, None) => search.find(robots, &[], rules, stronger, work)?,
                };
                if found {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

fn rules_of<'r>(robots: &'r Robots<'_>, group: u32) -> &'r [Rule] {
    let group = group as usize;
    if group < robots.groups.len() { robots.rules_of(group) } else { &[] }
}

/// Whether a stronger rule is never worse for its kind, whatever else matches.
fn is_monotone(precedence: Precedence) -> bool {
    !matches!(precedence, Precedence::LongestUnlessWildcard | Precedence::UndefinedWithWildcard)
}

/// The verdict where these are the best of their kinds.
fn verdict_of_pair(dialect: &Dialect, allow: Option<&Rule>, disallow: Option<&Rule>) -> Verdict {
    let mut best = BestPair::default();
    for rule in allow.into_iter().chain(disallow) {
        best.take(rule);
    }
    best.decide(dialect).verdict
}

/// The verdict of rules on a path in the dialect's form, by the same matching that probes meet.
fn verdict(robots: &Robots<'_>, rules: &[Rule], path: &[u8], work: &mut Work) -> Result<Verdict, Exhausted> {
    work.spend(1 + rules.len() / 4)?;
    let head = pattern::head(path);
    let mut best = BestPair::default();
    for rule in rules {
        let pattern = &rule.pattern;
        if (head ^ pattern.head) & pattern.mask != 0 {
            continue;
        }
        let text = robots.text(pattern);
        work.spend(if pattern.wild { 2 + (text.len() + path.len()) / 16 } else { text.len() / 64 })?;
        if pattern.matches(text, path) {
            best.take(rule);
        }
    }
    Ok(best.decide(robots.dialect).verdict)
}

/// Writes the plainest path that a pattern matches, its wildcards standing for nothing; whether it is a path at all.
fn instance(robots: &Robots<'_>, rule: &Rule, path: &mut Vec<u8>) -> bool {
    let pattern = &rule.pattern;
    let text = robots.text(pattern);
    path.clear();
    if text.first() != Some(&b'/') {
        path.push(b'/');
    }
    path.extend(text.iter().filter(|byte| !pattern.wild || **byte != pattern.star));
    path != ROBOTS_TXT && Grammar::of(robots.dialect.spelling).holds(path)
}
