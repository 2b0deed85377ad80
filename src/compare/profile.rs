//! Bodies as profiles: what they let each shared agent fetch, whom they name, how they were made. Profiles, and what they consist
//! of, are kept once over all outputs; a body is a number.

use super::CompareError;
use super::shared::{ABSENT, LOST, NO_TEXT, STATES, Shared, Snapshot};
use crate::report::ReportError;
use crate::report::facts::{ACCESS, NamedAgent, beginning, place};
use crate::report::figures::agent_name;
use crate::report::origins::BodyNumbers;
use crate::report::source::{Source, maybe, read, rows};
use crate::report::tally::{Mix, Seeded};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use xxhash_rust::xxh3::xxh3_128;

/// Number of a profile.
pub type ProfileId = u32;

/// Number of an answer.
pub type AnswerId = u32;

/// No word: a text without template or managed block.
pub const NO_WORD: u32 = u32::MAX;

/// Place of `undecided` in [`STATES`] and [`ACCESS`].
const UNDECIDED: u8 = 4;

/// What a rule set lets an agent fetch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Place in [`STATES`].
    pub state: u8,
    /// Places in [`Shared::probes`] of those that are disallowed, ascending.
    pub disallowed: Vec<u16>,
    /// Places of those that are left open, ascending.
    pub undefined: Vec<u16>,
}

/// What a body says of everything that is compared. Two bodies with equal ones are alike for every figure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Profile {
    /// Number of its policy.
    pub policy: u32,
    /// Number of its list of named agents.
    pub named: u32,
    /// Word of its template, or [`NO_WORD`].
    pub template: u32,
    /// Word of the service that manages a block of it, or [`NO_WORD`].
    pub managed_by: u32,
}

/// Agents of a rule set, and its answer.
type RuleSet = (u32, AnswerId);

/// Things that are kept once each, by a hash of 128 bits.
#[derive(Debug)]
struct Once<T> {
    numbers: HashMap<u128, u32, Mix>,
    items: Vec<T>,
}

impl<T> Default for Once<T> {
    fn default() -> Once<T> {
        Once { numbers: HashMap::default(), items: Vec::new() }
    }
}

impl<T> Once<T> {
    /// The number of the item with these bytes, which is made when it is a new one.
    fn number(&mut self, bytes: &[u8], make: impl FnOnce() -> T) -> u32 {
        let next = self.items.len() as u32;
        let number = *self.numbers.entry(xxh3_128(bytes)).or_insert(next);
        if number == next {
            self.items.push(make());
        }
        number
    }

    fn get(&self, number: u32) -> Option<&T> {
        self.items.get(number as usize)
    }
}

/// Everything that profiles consist of.
#[derive(Debug, Default)]
pub struct Catalogue {
    words: Vec<Arc<str>>,
    word_numbers: HashMap<Arc<str>, u32, Seeded>,
    agents: Once<Box<[u16]>>,
    answers: Once<Answer>,
    policies: Once<Box<[RuleSet]>>,
    named: Once<Box<[(u32, u8)]>>,
    profiles: Once<Profile>,
    bytes: Vec<u8>,
}

impl Catalogue {
    /// A catalogue that has the answers that need no text: number N is state N of [`STATES`], with every probe answered alike.
    pub fn new(probes: usize) -> Catalogue {
        let mut catalogue = Catalogue::default();
        let every: Vec<u16> = (0..probes.min(usize::from(u16::MAX)) as u16).collect();
        for state in 0..STATES.len() as u8 {
            let (mut disallowed, mut undefined) = (Vec::new(), Vec::new());
            if state == NO_TEXT + 1 {
                disallowed.clone_from(&every);
            } else if state == NO_TEXT + 2 {
                undefined.clone_from(&every);
            }
            // The hash of these bytes is not that of any other answer's: those have two bytes more at least.
            catalogue.answers.number(&[state], || Answer { state, disallowed, undefined });
        }
        debug_assert!(catalogue.answers.items.len() > ABSENT.max(LOST) as usize);
        catalogue
    }

    /// The number of a word.
    pub fn word(&mut self, word: &str) -> u32 {
        match self.word_numbers.get(word) {
            Some(number) => *number,
            None => {
                let word: Arc<str> = Arc::from(word);
                let number = self.words.len() as u32;
                self.words.push(word.clone());
                self.word_numbers.insert(word, number);
                number
            }
        }
    }

    /// The word of a number.
    pub fn text(&self, word: u32) -> Option<&Arc<str>> {
        self.words.get(word as usize)
    }

    /// An answer.
    pub fn answer(&self, number: AnswerId) -> Option<&Answer> {
        self.answers.get(number)
    }

    /// A profile.
    pub fn profile(&self, number: ProfileId) -> Profile {
        self.profiles.get(number).copied().unwrap_or_default()
    }

    /// The agents that a list of them names, as words, each with the place of its own group's access in [`ACCESS`]; by word.
    pub fn named(&self, number: u32) -> &[(u32, u8)] {
        self.named.get(number).map_or(&[], |named| named)
    }

    /// How many profiles there are.
    pub fn profiles(&self) -> usize {
        self.profiles.items.len()
    }

    /// Writes the answer for each shared agent. Agents that no rule set binds may fetch everything.
    pub fn spread(&self, policy: u32, into: &mut [AnswerId]) {
        into.fill(0);
        for (agents, answer) in self.policies.get(policy).map_or(&[][..], |policy| policy) {
            for agent in self.agents.get(*agents).map_or(&[][..], |agents| agents) {
                if let Some(slot) = into.get_mut(usize::from(*agent)) {
                    *slot = *answer;
                }
            }
        }
    }

    fn add_answer(&mut self, answer: &Answer) -> AnswerId {
        self.bytes.clear();
        self.bytes.push(answer.state);
        self.bytes.extend((answer.disallowed.len() as u16).to_le_bytes());
        self.bytes.extend(answer.disallowed.iter().chain(&answer.undefined).flat_map(|probe| probe.to_le_bytes()));
        if answer.state == 0 && answer.disallowed.is_empty() && answer.undefined.is_empty() {
            return 0;
        }
        self.answers.number(&self.bytes, || answer.clone())
    }

    fn add_agents(&mut self, agents: &[u16]) -> u32 {
        self.bytes.clear();
        self.bytes.extend(agents.iter().flat_map(|agent| agent.to_le_bytes()));
        self.agents.number(&self.bytes, || agents.into())
    }

    fn add_policy(&mut self, policy: &mut [RuleSet]) -> u32 {
        policy.sort_unstable();
        self.bytes.clear();
        self.bytes
            .extend(policy.iter().flat_map(|(agents, answer)| [agents.to_le_bytes(), answer.to_le_bytes()].concat()));
        self.policies.number(&self.bytes, || (&*policy).into())
    }

    fn add_named(&mut self, named: &mut [(u32, u8)]) -> u32 {
        named.sort_unstable();
        self.bytes.clear();
        for (word, access) in &*named {
            self.bytes.extend(word.to_le_bytes());
            self.bytes.push(*access);
        }
        self.named.number(&self.bytes, || (&*named).into())
    }

    fn add_profile(&mut self, profile: Profile) -> ProfileId {
        self.bytes.clear();
        let parts = [profile.policy, profile.named, profile.template, profile.managed_by];
        self.bytes.extend(parts.iter().flat_map(|part| part.to_le_bytes()));
        self.profiles.number(&self.bytes, || profile)
    }

    /// Takes over what another one holds; gives the numbers that its profiles have here.
    fn absorb(&mut self, other: &Catalogue) -> Vec<ProfileId> {
        fn at(numbers: &[u32], number: u32) -> u32 {
            numbers.get(number as usize).copied().unwrap_or(NO_WORD)
        }
        let words: Vec<u32> = other.words.iter().map(|word| self.word(word)).collect();
        let agents: Vec<u32> = other.agents.items.iter().map(|agents| self.add_agents(agents)).collect();
        let fixed = STATES.len();
        let answers = other.answers.items.iter().enumerate();
        let answers: Vec<u32> = answers
            .map(|(number, answer)| if number < fixed { number as u32 } else { self.add_answer(answer) })
            .collect();
        let mut policies = Vec::with_capacity(other.policies.items.len());
        for policy in &other.policies.items {
            let mut policy: Vec<RuleSet> =
                policy.iter().map(|(set, answer)| (at(&agents, *set), at(&answers, *answer))).collect();
            policies.push(self.add_policy(&mut policy));
        }
        let mut named = Vec::with_capacity(other.named.items.len());
        for list in &other.named.items {
            let mut list: Vec<(u32, u8)> = list.iter().map(|(word, access)| (at(&words, *word), *access)).collect();
            named.push(self.add_named(&mut list));
        }
        let profiles = other.profiles.items.iter();
        profiles
            .map(|profile| {
                self.add_profile(Profile {
                    policy: at(&policies, profile.policy),
                    named: at(&named, profile.named),
                    template: at(&words, profile.template),
                    managed_by: at(&words, profile.managed_by),
                })
            })
            .collect()
    }
}

/// The profiles of a snapshot's bodies.
#[derive(Debug, Default)]
pub struct Bodies {
    numbers: BodyNumbers,
    profiles: Vec<ProfileId>,
}

impl Bodies {
    /// The profile of a body; none when there is no such body.
    pub fn of_key(&self, key: i64) -> Option<ProfileId> {
        self.profiles.get(self.numbers.of_key(key)? as usize).copied()
    }

    /// Reads those of a snapshot; what they consist of goes to the catalogue.
    pub fn read(snapshot: &Snapshot, shared: &Shared, catalogue: &mut Catalogue) -> Result<Bodies, CompareError> {
        let parts = snapshot.source.parts("bodies")?;
        let verdicts = if shared.has_verdicts { snapshot.source.parts("verdicts")? } else { Default::default() };
        let mut numbers = BodyNumbers::default();
        for (shard, path) in &parts {
            numbers.add(*shard, rows(path)?)?;
        }
        let state = Mutex::new((catalogue, vec![0; numbers.len()]));
        let files: Vec<_> = parts.iter().collect();
        files.into_par_iter().with_max_len(1).try_for_each(|(shard, path)| {
            let mut own = Catalogue::new(shared.probes.len());
            let mut bodies = texts(path, *shard, &mut own)?;
            if let Some(path) = verdicts.get(shard) {
                policies(path, *shard, snapshot, shared, &mut own, &mut bodies)?;
            }
            let none = own.add_policy(&mut []);
            bodies.iter_mut().filter(|body| body.policy == NO_WORD).for_each(|body| body.policy = none);
            let own_numbers: Vec<ProfileId> = bodies.into_iter().map(|body| own.add_profile(body)).collect();
            let mut state: MutexGuard<'_, (&mut Catalogue, Vec<u32>)> =
                state.lock().unwrap_or_else(PoisonError::into_inner);
            let translation = state.0.absorb(&own);
            let first = numbers.of_shard(*shard).0 as usize;
            for (slot, number) in state.1.iter_mut().skip(first).zip(own_numbers) {
                *slot = translation.get(number as usize).copied().unwrap_or_default();
            }
            Ok::<(), ReportError>(())
        })?;
        let (_, profiles) = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Bodies { numbers, profiles })
    }
}

/// Whom the bodies of a shard name, and how they were made; their policies are still open.
fn texts(path: &Path, shard: u32, catalogue: &mut Catalogue) -> Result<Vec<Profile>, ReportError> {
    let columns =
        ["body_key", "body_kind", "agents.list.element.token", "agents.list.element.access", "template", "managed_by"];
    let mut bodies = Vec::new();
    let mut names: Vec<(String, u8)> = Vec::new();
    read(path, &columns, |batch| {
        let (key, kind) = (batch.longs("body_key")?, batch.texts("body_kind")?);
        let (template, managed_by) = (batch.texts("template")?, batch.texts("managed_by")?);
        let agents = batch.structs("agents")?;
        let (tokens, access) = (agents.texts("token")?, agents.texts("access")?);
        for row in 0..batch.len() {
            if key.value(row) != i64::from(shard) << 32 | bodies.len() as i64 {
                return Err(batch.damaged("bodies are not in the order of their keys"));
            }
            names.clear();
            if kind.value(row) == "robots" {
                names.extend(agents.row(row).map(|at| {
                    let access = maybe(access, at).unwrap_or(ACCESS[UNDECIDED as usize]);
                    let named = NamedAgent { token: tokens.value(at), access };
                    (agent_name(&named), place(&ACCESS, access, UNDECIDED))
                }));
                names.sort_unstable();
                names.dedup_by(|later, first| later.0 == first.0);
            }
            let mut named: Vec<(u32, u8)> =
                names.iter().map(|(name, access)| (catalogue.word(name), *access)).collect();
            let mut word = |text: Option<&str>| text.map_or(NO_WORD, |text| catalogue.word(beginning(text)));
            let (template, managed_by) = (word(maybe(template, row)), word(maybe(managed_by, row)));
            bodies.push(Profile { policy: NO_WORD, named: catalogue.add_named(&mut named), template, managed_by });
        }
        Ok(())
    })?;
    Ok(bodies)
}

/// Gives the bodies of a shard their policies.
fn policies(
    path: &Path,
    shard: u32,
    snapshot: &Snapshot,
    shared: &Shared,
    catalogue: &mut Catalogue,
    bodies: &mut [Profile],
) -> Result<(), ReportError> {
    let columns =
        ["body_key", "dialect", "agents.list.element", "access", "disallowed.list.element", "undefined.list.element"];
    let mut current = None;
    let mut policy: Vec<RuleSet> = Vec::new();
    let mut agents: Vec<u16> = Vec::new();
    let mut close = |row: Option<usize>, policy: &mut Vec<RuleSet>, catalogue: &mut Catalogue| {
        if let Some(body) = row.and_then(|row| bodies.get_mut(row)) {
            body.policy = catalogue.add_policy(policy);
        }
        policy.clear();
    };
    read(path, &columns, |batch| {
        let (key, dialect, access) = (batch.longs("body_key")?, batch.texts("dialect")?, batch.texts("access")?);
        let (ids, disallowed, undefined) =
            (batch.short_lists("agents")?, batch.int_lists("disallowed")?, batch.int_lists("undefined")?);
        for row in (0..batch.len()).filter(|row| dialect.value(*row) == shared.dialect) {
            let key = key.value(row);
            let at = usize::try_from(key ^ i64::from(shard) << 32)
                .map_err(|_| batch.damaged(&format!("no body of its shard has the key {key}")))?;
            if current.is_some_and(|current| at < current) {
                return Err(batch.damaged("verdicts are not in the order of their bodies"));
            }
            if current != Some(at) {
                close(current, &mut policy, catalogue);
                current = Some(at);
            }
            agents.clear();
            agents.extend(ids.row(row).iter().filter_map(|id| of_id(&snapshot.agents, i32::from(*id))));
            if agents.is_empty() {
                continue;
            }
            agents.sort_unstable();
            let probes = |ids: &[i32]| {
                let mut probes: Vec<u16> = ids.iter().filter_map(|id| of_id(&snapshot.probes, *id)).collect();
                probes.sort_unstable();
                probes
            };
            let state = place(&ACCESS, maybe(access, row).unwrap_or_default(), UNDECIDED);
            let answer =
                Answer { state, disallowed: probes(disallowed.row(row)), undefined: probes(undefined.row(row)) };
            policy.push((catalogue.add_agents(&agents), catalogue.add_answer(&answer)));
        }
        Ok(())
    })?;
    close(current, &mut policy, catalogue);
    Ok(())
}

fn of_id(places: &[Option<u16>], id: i32) -> Option<u16> {
    places.get(usize::try_from(id).ok()?).copied().flatten()
}

/// The rows of a table's parts, added up.
pub fn rows_of(source: &Source, table: &str) -> Result<u64, ReportError> {
    source.parts(table)?.values().map(|path| rows(path)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(catalogue: &mut Catalogue, name: &str, agents: &[u16], state: u8, disallowed: &[u16]) -> ProfileId {
        let word = catalogue.word(name);
        let named = catalogue.add_named(&mut [(word, 2)]);
        let answer = catalogue.add_answer(&Answer { state, disallowed: disallowed.to_vec(), undefined: Vec::new() });
        let set = catalogue.add_agents(agents);
        let policy = catalogue.add_policy(&mut [(set, answer)]);
        catalogue.add_profile(Profile { policy, named, template: NO_WORD, managed_by: word })
    }

    #[test]
    fn what_is_alike_is_one_profile_whoever_met_it_first() {
        let mut whole = Catalogue::new(3);
        let mut one = Catalogue::new(3);
        let mut two = Catalogue::new(3);
        let ours = [body(&mut one, "a", &[0, 2], 1, &[1]), body(&mut one, "b", &[1], 2, &[0, 1, 2])];
        let theirs = [body(&mut two, "b", &[1], 2, &[0, 1, 2]), body(&mut two, "a", &[0, 2], 1, &[1])];
        let (first, second) = (whole.absorb(&one), whole.absorb(&two));
        assert_eq!(whole.profiles(), 2);
        assert_eq!(first[ours[0] as usize], second[theirs[1] as usize]);
        assert_eq!(first[ours[1] as usize], second[theirs[0] as usize]);
        let profile = whole.profile(first[ours[0] as usize]);
        let mut answers = [9; 3];
        whole.spread(profile.policy, &mut answers);
        let states = answers.map(|answer| whole.answer(answer).unwrap().state);
        assert_eq!(states, [1, 0, 1], "whom nothing binds may fetch everything");
        assert_eq!(whole.text(whole.named(profile.named)[0].0).map(|word| &**word), Some("a"));
        assert_eq!((profile.template, profile.managed_by), (NO_WORD, whole.word("a")));
    }

    #[test]
    fn answers_without_a_text_have_their_own_numbers() {
        let catalogue = Catalogue::new(2);
        for state in 0..STATES.len() as u8 {
            assert_eq!(catalogue.answer(u32::from(state)).unwrap().state, state);
        }
        assert_eq!(catalogue.answer(u32::from(NO_TEXT) + 1).unwrap().disallowed, [0, 1]);
    }
}
