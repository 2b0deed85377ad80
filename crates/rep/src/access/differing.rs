//! Where two readings of one body differ: a path that shows it.

use super::search::{Exhausted, ROBOTS_TXT, Work};
use super::{AccessFinder, instance, rules_of, verdict};
use crate::document::{Robots, Rule};
use crate::evaluate::Paths;
use crate::verdict::Verdict;

/// Work for one comparison: a millisecond or two where rules are wild and many, mostly a few microseconds.
const STEPS: u32 = 60_000;

/// What makes a path a URL, so that one that begins with two slashes is still a path.
pub(super) const HOST: &[u8] = b"http://a";

/// One reading of the body, with the rules that are followed in it, in order.
struct Side<'r, 'a> {
    robots: &'r Robots<'a>,
    rules: Vec<Rule>,
}

impl AccessFinder {
    /// A path on which two readings of one body differ in verdict, if one is found; as a URL may carry it, in no dialect's form.
    ///
    /// It is not exact. First it tries the `hints`, such as the witnesses of both: where the access of the two is decided and
    /// differs, one of them is such a path. Then what the rules name that the readings do not share, and where they weigh rules
    /// differently, what every rule names, and what rules that conflict match together. Paths whose spelling alone makes the
    /// difference, such as `/%61` for `/a`, are not looked for.
    ///
    /// Each reading comes with the groups that are followed in it, as for [`AccessFinder::of`]; the body need not be begun.
    pub fn differing(
        &mut self,
        one: (&Robots<'_>, &[u32]),
        other: (&Robots<'_>, &[u32]),
        hints: &[&[u8]],
    ) -> Option<Box<[u8]>> {
        let mut work = Work { left: STEPS };
        self.first_differing(one, other, hints, &mut work).ok().flatten()
    }

    fn first_differing(
        &mut self,
        one: (&Robots<'_>, &[u32]),
        other: (&Robots<'_>, &[u32]),
        hints: &[&[u8]],
        work: &mut Work,
    ) -> Result<Option<Box<[u8]>>, Exhausted> {
        let sides = [Side::new(one, work)?, Side::new(other, work)?];
        let mut url = HOST.to_vec();
        let mut differs = |path: &[u8], work: &mut Work| -> Result<bool, Exhausted> {
            let mut verdicts = [Verdict::Allow; 2];
            for (found, side) in verdicts.iter_mut().zip(&sides) {
                work.spend(64 + path.len())?;
                url.truncate(HOST.len());
                url.extend_from_slice(path);
                let paths = Paths::new([url.as_slice()], side.robots.dialect);
                if paths.text(0) == ROBOTS_TXT {
                    return Ok(false);
                }
                *found = verdict(side.robots, &side.rules, paths.text(0), work)?;
            }
            Ok(verdicts[0] != verdicts[1])
        };
        for path in hints {
            if differs(path, work)? {
                return Ok(Some((*path).into()));
            }
        }
        // What decides between two rules does not matter where all are of one kind.
        let [one, other] = &sides;
        let weighs_differently =
            one.robots.dialect.precedence != other.robots.dialect.precedence && one.conflicts() && other.conflicts();
        let mut path = Vec::new();
        for (side, opposite) in [(one, other), (other, one)] {
            let mut beside = 0;
            for rule in &side.rules {
                let is_shared = opposite.has(rule, side.robots, &mut beside);
                work.spend(1)?;
                if is_shared && !weighs_differently {
                    continue;
                }
                work.spend(rule.pattern.length as usize)?;
                if !instance(side.robots, rule, &mut path) {
                    continue;
                }
                // Where one dialect pins a pattern or knows its wildcard and the other does not, what follows matters.
                for end in [&b""[..], b"a"].into_iter().take(if is_shared { 1 } else { 2 }) {
                    path.extend_from_slice(end);
                    if differs(&path, work)? {
                        return Ok(Some(path.into_boxed_slice()));
                    }
                }
            }
        }
        if !weighs_differently {
            return Ok(None);
        }
        for Side { robots, rules } in &sides {
            for allow in rules.iter().filter(|rule| rule.allow) {
                for disallow in rules.iter().filter(|rule| !rule.allow) {
                    work.spend(1)?;
                    if (allow.inner_wildcard || disallow.inner_wildcard)
                        && self.search.find(robots, &[allow, disallow], &[], |_| false, work)?
                        && differs(&self.search.path, work)?
                    {
                        return Ok(Some(self.search.path.as_slice().into()));
                    }
                }
            }
        }
        Ok(None)
    }
}

impl<'r, 'a> Side<'r, 'a> {
    fn new((robots, groups): (&'r Robots<'a>, &[u32]), work: &mut Work) -> Result<Side<'r, 'a>, Exhausted> {
        let mut rules = Vec::new();
        for group in groups {
            let of_group = rules_of(robots, *group);
            work.spend(1 + of_group.len() / 4)?;
            rules.extend_from_slice(of_group);
        }
        Ok(Side { robots, rules })
    }

    /// Whether there are rules of both kinds.
    fn conflicts(&self) -> bool {
        let is_allow = |rule: &Rule| rule.allow;
        self.rules.iter().any(is_allow) && !self.rules.iter().all(is_allow)
    }

    /// Whether this side has the rule of the other side too. Both are in order of lines: `from` is where to look on.
    fn has(&self, rule: &Rule, robots: &Robots<'_>, from: &mut usize) -> bool {
        while self.rules.get(*from).is_some_and(|mine| mine.line < rule.line) {
            *from += 1;
        }
        // A line makes two rules at most.
        self.rules.iter().skip(*from).take(2).any(|mine| {
            let (a, b) = (&mine.pattern, &rule.pattern);
            let (mine_text, text) = (self.robots.text(a), robots.text(b));
            let is_wildcard = |wild: bool, star: u8, byte: u8| wild && byte == star;
            mine.line == rule.line
                && (mine.allow, a.wild, a.pinned, a.length) == (rule.allow, b.wild, b.pinned, b.length)
                && mine_text.iter().zip(text).all(|(x, y)| {
                    let (wild_x, wild_y) = (is_wildcard(a.wild, a.star, *x), is_wildcard(b.wild, b.star, *y));
                    wild_x == wild_y && (wild_x || x == y)
                })
        })
    }
}
