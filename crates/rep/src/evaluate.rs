//! Many questions of one document: which crawlers follow which groups, and what those say of each path.

use crate::agent::Agent;
use crate::dialect::{Dialect, Precedence, Repeated, Spelling};
use crate::document::{Document, Robots, Rule};
use crate::group::{AgentIndex, Named, TokenId};
use crate::path;
use crate::pattern;
use crate::python;
use crate::verdict::{Basis, Decision, Verdict};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The paths of all probes as a dialect compares them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    texts: Vec<Box<[u8]>>,
    heads: Vec<u64>,
    /// Probes that are `/robots.txt` itself, where the dialect always allows it.
    always_allowed: Vec<bool>,
}

impl Paths {
    /// Prepares URLs, or paths that begin with `/`, for a dialect.
    pub fn new<'u>(urls: impl IntoIterator<Item = &'u [u8]>, dialect: &Dialect) -> Paths {
        let texts: Vec<Box<[u8]>> = urls
            .into_iter()
            .map(|url| match dialect.spelling {
                Spelling::MadeEqual => {
                    let mut equal = Vec::with_capacity(url.len());
                    path::push_equal(&path::of_url(url), b'*', &mut equal);
                    equal.into_boxed_slice()
                }
                Spelling::RuleEscaped | Spelling::AsWritten => path::of_url(url).into_owned().into_boxed_slice(),
                Spelling::Requoted => python::url(url).into_boxed_slice(),
            })
            .collect();
        Paths {
            heads: texts.iter().map(|text| pattern::head(text)).collect(),
            always_allowed: texts.iter().map(|text| dialect.robots_txt_allowed && **text == *b"/robots.txt").collect(),
            texts,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// A path as it is compared with rules.
    pub fn text(&self, path: usize) -> &[u8] {
        &self.texts[path]
    }

    /// Whether the dialect allows this path whatever the rules say: `/robots.txt` itself.
    pub fn is_always_allowed(&self, path: usize) -> bool {
        self.always_allowed[path]
    }
}

/// The merged groups that some agents follow, and why: what decides for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSet {
    /// Why they follow it.
    pub basis: Basis,
    /// Its groups: a range of [`Selection::groups`].
    groups: Range<usize>,
    /// The agents: a range of [`Selection::agents`].
    agents: Range<usize>,
}

/// The hits of one token: a range of `hits`, and the number of the set of its groups plus one.
#[derive(Debug, Clone, Copy, Default)]
struct TokenHits {
    start: u32,
    end: u32,
    set: u32,
}

/// Which agent follows which rule set. Reused from body to body.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    sets: Vec<RuleSet>,
    groups: Vec<u32>,
    agents: Vec<i16>,
    /// Tokens of the file that name agents, with their groups, in order of token.
    hits: Vec<(TokenId, u32)>,
    /// Where each token's hits are, empty where there are none, and the set that they make, once it is made.
    ranges: Vec<TokenHits>,
    by_groups: HashMap<u64, Vec<u32>>,
    /// Agent, its set, and the place in its chain of the token that a group names.
    named: Vec<(i16, u32, u32)>,
    /// Those places, beside the first of `agents`: the named ones come first.
    places: Vec<u32>,
    positions: Vec<u8>,
    /// Where the first value counts that stands in a name: for each agent the place, value and group found so far; the numbers of the
    /// values that were found in names; and the later groups that say them.
    first_found: Vec<Option<(u32, u32, u32)>>,
    looked_for: HashMap<Box<[u8]>, u32>,
    same_value: Vec<(u32, u32)>,
}

impl Selection {
    /// Sorts all agents into rule sets: disjoint, together all agents, sets in the order of their first agent.
    /// Agents share one exactly when they have the same groups and the same basis.
    pub fn select(&mut self, robots: &Robots<'_>, index: &AgentIndex) {
        self.sets.clear();
        self.groups.clear();
        self.agents.clear();
        self.hits.clear();
        self.named.clear();
        self.places.clear();
        let star = robots.agents.iter().any(|agent| agent.named == Named::Everybody);
        if index.finds_parts() {
            self.select_first_named(robots, index);
            self.select_others(robots, index, star);
            return;
        }
        for agent in &robots.agents {
            match agent.named {
                Named::Token(token) => {
                    if let Some(token) = index.find(token) {
                        self.hits.push((token, agent.group));
                    }
                }
                Named::Everybody | Named::Nobody => {}
            }
        }
        if !self.hits.is_empty() {
            self.select_named(robots, index);
        }
        self.select_others(robots, index, star);
    }

    fn select_named(&mut self, robots: &Robots<'_>, index: &AgentIndex) {
        self.hits.sort_unstable();
        self.hits.dedup();
        self.ranges.clear();
        self.ranges.resize(index.token_count(), TokenHits::default());
        let mut at = 0;
        while at < self.hits.len() {
            let token = self.hits[at].0;
            let end = at + self.hits[at..].iter().take_while(|hit| hit.0 == token).count();
            self.ranges[token as usize] = TokenHits { start: at as u32, end: end as u32, set: 0 };
            at = end;
        }
        self.by_groups.clear();
        for agent in 0..index.len() {
            let found = index.chain(agent).iter().enumerate().find_map(|(position, tokens)| {
                let token = tokens.iter().find(|token| self.ranges[**token as usize].end > 0)?;
                Some((position, *token))
            });
            let Some((place, token)) = found else { continue };
            // Agents found by one token share its groups without comparing them.
            let set = match self.ranges[token as usize].set {
                0 => self.set_of_groups(token, robots.dialect.repeated),
                known => known - 1,
            };
            self.ranges[token as usize].set = set + 1;
            self.named.push((agent as i16, set, place as u32));
        }
        self.gather_named();
    }

    fn gather_named(&mut self) {
        // Agents of one set next to each other, ascending; the sets were made in the order of their first agent.
        self.named.sort_by_key(|(agent, set, _)| (*set, *agent));
        for (agent, set, place) in &self.named {
            let set = &mut self.sets[*set as usize];
            if set.agents.is_empty() {
                set.agents = self.agents.len()..self.agents.len();
            }
            self.agents.push(*agent);
            self.places.push(*place);
            set.agents.end = self.agents.len();
        }
    }

    /// Each agent follows the first group in file order with a value that stands in its name; of its chain the most specific that has
    /// one. Where groups for one agent are merged, those that say the same value count with it.
    fn select_first_named(&mut self, robots: &Robots<'_>, index: &AgentIndex) {
        self.first_found.clear();
        self.first_found.resize(index.len(), None);
        self.looked_for.clear();
        self.same_value.clear();
        let merged = robots.dialect.repeated == Repeated::Merged;
        for line in &robots.agents {
            let Named::Token(value) = line.named else { continue };
            let part = index.part(value);
            // What was found once is found no better in a later group: so many equal lines cost one search.
            if let Some(known) = self.looked_for.get(&*part) {
                if merged {
                    self.same_value.push((*known, line.group));
                }
                continue;
            }
            let value = self.looked_for.len() as u32;
            let mut is_found = false;
            index.holding(&part, |agent, place| {
                is_found = true;
                let found = &mut self.first_found[agent as usize];
                if found.is_none_or(|(known, ..)| place < known) {
                    *found = Some((place, value, line.group));
                }
            });
            if is_found {
                self.looked_for.insert(part.into(), value);
            }
        }
        self.same_value.sort_unstable();
        self.by_groups.clear();
        for agent in 0..self.first_found.len() {
            let Some((place, value, group)) = self.first_found[agent] else { continue };
            let first = self.groups.len();
            self.groups.push(group);
            let more = self.same_value.partition_point(|(known, _)| *known < value);
            for (_, group) in self.same_value[more..].iter().take_while(|(known, _)| *known == value) {
                // A group may say a value twice.
                if self.groups.last() != Some(group) {
                    self.groups.push(*group);
                }
            }
            let set = self.set_of_last_groups(first);
            self.named.push((agent as i16, set, place));
        }
        self.gather_named();
    }

    /// The set with the groups that this token names, made if it is new.
    fn set_of_groups(&mut self, token: TokenId, repeated: Repeated) -> u32 {
        let TokenHits { start, end, .. } = self.ranges[token as usize];
        let counting = if repeated == Repeated::Merged { end } else { start + 1 };
        let first = self.groups.len();
        self.groups.extend(self.hits[start as usize..counting as usize].iter().map(|(_, group)| *group));
        self.set_of_last_groups(first)
    }

    /// The set with the groups from this one on: they stay if it is new, and go if it is known.
    fn set_of_last_groups(&mut self, first: usize) -> u32 {
        let (known, groups) = self.groups.split_at(first);
        let hash = groups.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, group| {
            (hash ^ u64::from(*group)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
        });
        let candidates = self.by_groups.entry(hash).or_default();
        let same = |set: &&u32| known[self.sets[**set as usize].groups.clone()] == *groups;
        if let Some(set) = candidates.iter().find(same) {
            self.groups.truncate(first);
            return *set;
        }
        let set = self.sets.len() as u32;
        candidates.push(set);
        self.sets.push(RuleSet { basis: Basis::Named, groups: first..self.groups.len(), agents: 0..0 });
        set
    }

    /// Those that no group names: `*` if there is one and they follow it, else nothing.
    fn select_others(&mut self, robots: &Robots<'_>, index: &AgentIndex, star: bool) {
        let mut star_set = None;
        let mut none_set = None;
        if self.named.is_empty() {
            let (with_star, without): (&[i16], &[i16]) = (index.followers(), index.others());
            let first = self.agents.len();
            if star {
                self.agents.extend_from_slice(with_star);
                star_set = Some(first..self.agents.len());
                let first = self.agents.len();
                self.agents.extend_from_slice(without);
                none_set = Some(first..self.agents.len());
            } else {
                self.agents.extend(0..index.len() as i16);
                none_set = Some(first..self.agents.len());
            }
        } else {
            let mut is_named = std::mem::take(&mut self.positions);
            is_named.clear();
            is_named.resize(index.len(), 0);
            for (agent, ..) in &self.named {
                is_named[*agent as usize] = 1;
            }
            for follows in [true, false] {
                let first = self.agents.len();
                let with_star = star && follows;
                if !follows && !star {
                    break;
                }
                self.agents.extend(
                    (0..index.len())
                        .filter(|agent| is_named[*agent] == 0 && (!star || index.follows_star(*agent) == follows))
                        .map(|agent| agent as i16),
                );
                *(if with_star { &mut star_set } else { &mut none_set }) = Some(first..self.agents.len());
            }
            self.positions = is_named;
        }
        if let Some(agents) = star_set.filter(|agents| !agents.is_empty()) {
            let first = self.groups.len();
            push_star_groups(robots, &mut self.groups);
            self.sets.push(RuleSet { basis: Basis::Wildcard, groups: first..self.groups.len(), agents });
        }
        if let Some(agents) = none_set.filter(|agents| !agents.is_empty()) {
            self.sets.push(RuleSet { basis: Basis::None, groups: 0..0, agents });
        }
    }

    /// The rule sets of the last selection.
    pub fn sets(&self) -> &[RuleSet] {
        &self.sets
    }

    /// The agents of a set, ascending.
    pub fn agents_of(&self, set: &RuleSet) -> &[i16] {
        &self.agents[set.agents.clone()]
    }

    /// The tokens by which the groups of a set name its agents, as the agents' owners spell them, each once, in the order of the agents.
    /// An agent was found by the first token of its chain that is among them.
    pub fn tokens_of<'i>(&self, set: &RuleSet, index: &'i AgentIndex) -> impl Iterator<Item = &'i str> {
        let named = if set.basis == Basis::Named { set.agents.clone() } else { 0..0 };
        let several = named.len() > 1;
        let mut seen = HashSet::new();
        self.agents[named.clone()].iter().zip(&self.places[named]).filter_map(move |(agent, place)| {
            let (id, name) = index.name(*agent, *place);
            (!several || seen.insert(id)).then_some(name)
        })
    }

    /// The groups of a set, ascending indices into [`Robots::groups`].
    pub fn groups_of(&self, set: &RuleSet) -> &[u32] {
        &self.groups[set.groups.clone()]
    }
}

/// Appends the groups for `*` that count, ascending.
pub(crate) fn push_star_groups(robots: &Robots<'_>, groups: &mut Vec<u32>) {
    let first = groups.len();
    for agent in robots.agents.iter().filter(|agent| agent.named == Named::Everybody) {
        // A group may say `*` twice; groups come in ascending order.
        if groups[first..].last() == Some(&agent.group) {
            continue;
        }
        groups.push(agent.group);
        if robots.dialect.repeated != Repeated::Merged {
            return;
        }
    }
}

/// The strongest rule of a kind that matched a path so far; rank 0: none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Best {
    rank: u32,
    line: u32,
    inner_wildcard: bool,
}

/// The best rule of each kind that matched a path so far: what decides.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BestPair {
    allow: Best,
    disallow: Best,
}

impl BestPair {
    /// Counts a rule that matches.
    pub(crate) fn take(&mut self, rule: &Rule) {
        let best = if rule.allow { &mut self.allow } else { &mut self.disallow };
        // Of equally strong rules of a kind the first line is told.
        if rule.rank > best.rank {
            *best = Best { rank: rule.rank, line: rule.line, inner_wildcard: rule.inner_wildcard };
        }
    }

    fn merge(&mut self, other: &BestPair) {
        for (mine, theirs) in [(&mut self.allow, &other.allow), (&mut self.disallow, &other.disallow)] {
            if theirs.rank > mine.rank {
                *mine = *theirs;
            }
        }
    }

    /// The verdict of the two.
    pub(crate) fn decide(&self, dialect: &Dialect) -> Decision {
        let precedence = dialect.precedence;
        let (allow, disallow) = (&self.allow, &self.disallow);
        // Ranks are twice the length and maybe one more: compare lengths.
        let (allow_length, disallow_length) = match precedence {
            Precedence::First => (allow.rank, disallow.rank),
            _ => (allow.rank / 2, disallow.rank / 2),
        };
        let undefined = allow.rank > 0
            && disallow.rank > 0
            && (allow.inner_wildcard || disallow.inner_wildcard)
            && match precedence {
                Precedence::Longest | Precedence::First => false,
                Precedence::LongestUnlessWildcard => allow_length != disallow_length,
                Precedence::UndefinedWithWildcard => true,
            };
        let disallow_wins = disallow.rank > 0 && (allow.rank == 0 || disallow_length > allow_length);
        let wins = if disallow_wins { disallow } else { allow };
        let verdict = if undefined {
            Verdict::Undefined
        } else if disallow_wins && (disallow_length > 0 || !dialect.empty_rule_counts) {
            // A rule without a path has length 0 and forbids nothing, though it may be the line that is told. Where such rules are
            // none at all, what has length 0 is a wildcard that does not count.
            Verdict::Disallow
        } else {
            Verdict::Allow
        };
        Decision { verdict, line: wins.line }
    }
}

/// What every rule set says of every path. Reused from body to body.
#[derive(Debug, Clone, Default)]
pub struct Decisions {
    decided: Vec<Decision>,
    best: Vec<BestPair>,
    one_group: Vec<BestPair>,
    members: Vec<(u32, u32)>,
    paths: usize,
    /// Sets x paths: so many decisions a ranking has.
    cells: usize,
}

impl Decisions {
    /// Decides every path for every set of a selection.
    ///
    /// A rule meets a path once, however many sets share its group: each group finds its best rules and every set it belongs
    /// to takes the better. So the work is rules x paths + agent lines x paths, never sets x rules x paths.
    pub fn evaluate(&mut self, robots: &Robots<'_>, selection: &Selection, paths: &Paths) {
        self.evaluate_ranked(&[robots], selection, paths);
    }

    /// The same for several rankings of the same rules at once: what [`Robots::ranked_by`] makes of the first.
    pub fn evaluate_ranked(&mut self, rankings: &[&Robots<'_>], selection: &Selection, paths: &Paths) {
        self.paths = paths.len();
        self.cells = selection.sets.len() * self.paths;
        self.best.clear();
        self.decided.clear();
        if rankings.is_empty() || self.cells == 0 {
            return;
        }
        self.best.resize(rankings.len() * self.cells, BestPair::default());
        self.members.clear();
        for (number, set) in selection.sets.iter().enumerate() {
            self.members.extend(selection.groups_of(set).iter().map(|group| (*group, number as u32)));
        }
        self.members.sort_unstable();
        let mut at = 0;
        while at < self.members.len() {
            let group = self.members[at].0;
            let end = at + self.members[at..].iter().take_while(|member| member.0 == group).count();
            if end == at + 1 {
                let first = self.members[at].1 as usize * self.paths;
                meet(rankings, group, paths, &mut self.best[first..], self.cells);
            } else {
                self.one_group.clear();
                self.one_group.resize(rankings.len() * self.paths, BestPair::default());
                meet(rankings, group, paths, &mut self.one_group, self.paths);
                for (_, set) in &self.members[at..end] {
                    for (ranking, found) in self.one_group.chunks(self.paths).enumerate() {
                        let first = ranking * self.cells + *set as usize * self.paths;
                        for (best, found) in self.best[first..].iter_mut().zip(found) {
                            best.merge(found);
                        }
                    }
                }
            }
            at = end;
        }
        self.decided.extend(self.best.iter().enumerate().map(|(at, best)| {
            if paths.always_allowed[at % self.paths] {
                Decision { verdict: Verdict::Allow, line: 0 }
            } else {
                best.decide(rankings[at / self.cells].dialect)
            }
        }));
    }

    /// The decisions of the n-th set, one a path.
    pub fn of_set(&self, set: usize) -> &[Decision] {
        self.of_ranked_set(0, set)
    }

    /// The same by one of several rankings.
    pub fn of_ranked_set(&self, ranking: usize, set: usize) -> &[Decision] {
        let first = ranking * self.cells + set * self.paths;
        &self.decided[first..first + self.paths]
    }
}

/// Holds every rule of a group against every path; what one ranking finds lies `stride` after what the one before it found.
fn meet(rankings: &[&Robots<'_>], group: u32, paths: &Paths, best: &mut [BestPair], stride: usize) {
    let robots = rankings[0];
    for (order, rule) in robots.rules_of(group as usize).iter().enumerate() {
        let pattern = &rule.pattern;
        // Most rules are told apart from most paths by their first bytes alone, and short plain ones need no more to match.
        let head_is_all = pattern.is_head();
        for (at, (head, path)) in paths.heads.iter().zip(&paths.texts).enumerate() {
            if (head ^ pattern.head) & pattern.mask == 0 && (head_is_all || pattern.matches(robots.text(pattern), path))
            {
                best[at].take(rule);
                for (ranking, robots) in rankings.iter().enumerate().skip(1) {
                    best[ranking * stride + at].take(&robots.rules_of(group as usize)[order]);
                }
            }
        }
    }
}

/// What the merged groups (ascending indices into [`Robots::groups`]) decide for one path: a single question.
pub fn decide(robots: &Robots<'_>, groups: &[u32], paths: &Paths, path: usize) -> Decision {
    if paths.always_allowed[path] {
        return Decision { verdict: Verdict::Allow, line: 0 };
    }
    let mut best = BestPair::default();
    for group in groups {
        for rule in matching(robots, *group as usize, paths, path) {
            best.take(rule);
        }
    }
    best.decide(robots.dialect)
}

/// Which rules of a group match a path: for explanations, one question at a time.
pub fn matching<'r>(
    robots: &'r Robots<'_>,
    group: usize,
    paths: &'r Paths,
    path: usize,
) -> impl Iterator<Item = &'r Rule> {
    let (head, text) = (paths.heads[path], &paths.texts[path]);
    robots.rules_of(group).iter().filter(move |rule| {
        let pattern = &rule.pattern;
        (head ^ pattern.head) & pattern.mask == 0 && pattern.matches(robots.text(pattern), text)
    })
}

/// One question, answered: for people, tests and other programs. Many questions of one body go through
/// [`AgentIndex`], [`Selection`] and [`Decisions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// What was decided, by which line.
    pub decision: Decision,
    /// On what ground.
    pub basis: Basis,
}

/// Asks one question of a body.
///
/// ```
/// use rep::{Agent, Basis, Dialect, Verdict, ask};
///
/// let body = b"user-agent: *\ndisallow: /private\nallow: /private/press$\n";
/// let answer = ask(body, &Agent::bare("ExampleBot"), b"https://example.com/private/x", &Dialect::RFC9309);
/// assert_eq!(answer.decision.verdict, Verdict::Disallow);
/// assert_eq!(answer.decision.line, 2);
/// assert_eq!(answer.basis, Basis::Wildcard);
/// ```
pub fn ask(body: &[u8], agent: &Agent, url: &[u8], dialect: &Dialect) -> Answer {
    let robots = Document::parse(body).read(dialect);
    let index = AgentIndex::new(std::slice::from_ref(agent), dialect);
    let mut selection = Selection::default();
    selection.select(&robots, &index);
    let mut decisions = Decisions::default();
    decisions.evaluate(&robots, &selection, &Paths::new([url], dialect));
    let basis = selection.sets().first().map_or(Basis::None, |set| set.basis);
    let decision = decisions.of_set(0).first().copied().unwrap_or(Decision { verdict: Verdict::Allow, line: 0 });
    Answer { decision, basis }
}
