//! What outputs have in common, and what they differ in: only the former is compared, the latter is said.

use super::CompareError;
use crate::pipeline::sample::{self, Sample};
use crate::report::ReportError;
use crate::report::facts::reason_number;
use crate::report::source::{Source, maybe, read};
use crate::report::sql::UNRESOLVED;
use crate::table::SCHEMA_VERSION;
use arrow::array::{AsArray, ListArray};
use rep::{Outcome, Reason};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Outputs that can be compared at once.
pub const MOST_SNAPSHOTS: usize = 60;

/// What an origin lets an agent fetch, as far as it can be told: by its text, without one by the outcome, or not at all.
pub const STATES: [&str; 10] = [
    "all",
    "some",
    "none",
    "undefined",
    "undecided",
    "no_text_full_allow",
    "no_text_full_disallow",
    "no_text_undefined",
    "unresolved",
    "absent",
];

/// Place in [`STATES`] of an answer without text that allows everything; those for nothing and for an open answer follow.
pub const NO_TEXT: u8 = 5;
/// Place in [`STATES`] of an origin whose redirect led nowhere.
pub const LOST: u8 = 8;
/// Place in [`STATES`] of an origin that the snapshot does not have.
pub const ABSENT: u8 = 9;

/// A finished output to compare.
#[derive(Debug)]
pub struct Snapshot {
    /// What it is called: the end of its path, as long as it takes to tell all of them apart.
    pub name: String,
    /// Its tables.
    pub source: Source,
    /// The place in [`Shared::agents`] of each of its agents, by id.
    pub agents: Vec<Option<u16>>,
    /// The place in [`Shared::probes`] of each of its probes, by id.
    pub probes: Vec<Option<u16>>,
    /// What each reason means, by its place in [`Reason::ALL`]; none where the text decides.
    pub states: Vec<Option<u8>>,
}

/// Something in which outputs differ, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What differs: a stable word.
    pub what: &'static str,
    /// How, for people.
    pub detail: String,
}

/// What all outputs have in common.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shared {
    /// The dialect that is spoken for.
    pub dialect: String,
    /// Tokens of the agents.
    pub agents: Vec<String>,
    /// Probes that concern every origin.
    pub probes: Vec<String>,
    /// Whether all of them have verdicts.
    pub has_verdicts: bool,
    /// The sample that all of them hold; `None`: everything.
    pub sample: Option<Sample>,
    /// What they do not have in common.
    pub differences: Vec<Difference>,
}

impl Shared {
    fn differ(&mut self, what: &'static str, detail: String) {
        self.differences.push(Difference { what, detail });
    }
}

/// Opens finished outputs, oldest first, and finds what they share. Refused when they share no dialect, or when one has tables of
/// another version than this program reads.
pub fn open(roots: &[PathBuf], dialect: Option<&str>) -> Result<(Vec<Snapshot>, Shared), CompareError> {
    if !(2..=MOST_SNAPSHOTS).contains(&roots.len()) {
        return Err(CompareError::Number(roots.len()));
    }
    let mut seen = BTreeSet::new();
    let places: Vec<PathBuf> = roots.iter().map(|root| root.canonicalize().unwrap_or_else(|_| root.clone())).collect();
    if let Some((_, root)) = places.iter().zip(roots).find(|(place, _)| !seen.insert((*place).clone())) {
        return Err(CompareError::Twice(root.display().to_string()));
    }
    let mut sources = Vec::new();
    for (root, name) in roots.iter().zip(names(&places)) {
        let source = Source::open(root)?;
        let version = source.manifest.schema_version;
        if version != SCHEMA_VERSION {
            return Err(CompareError::Refused(format!(
                "the tables of {name} have version {version} and this program reads version {SCHEMA_VERSION}; scan again"
            )));
        }
        sources.push((name, source));
    }
    let mut shared = Shared { dialect: shared_dialect(&sources, dialect)?, ..Shared::default() };
    share_settings(&sources, &mut shared)?;
    let agents: Vec<Vec<AgentKey>> = sources.iter().map(|(_, source)| agents(source)).collect::<Result<_, _>>()?;
    let probes: Vec<Vec<ProbeKey>> = sources.iter().map(|(_, source)| probes(source)).collect::<Result<_, _>>()?;
    let shared_agents = common(&agents);
    let shared_probes: Vec<ProbeKey> =
        common(&probes).into_iter().filter(|probe| probe.origin.is_none()).take(usize::from(u16::MAX)).collect();
    if let Some(left_out) = left_out(&agents, &shared_agents, |agent| agent.token.clone()) {
        let detail = format!("{left_out} not in all of them, or not with the same fallbacks: left out");
        shared.differ("agents", detail);
    }
    if let Some(left_out) = left_out(&probes, &common(&probes), |probe| probe.text.clone()) {
        shared.differ("probes", format!("{left_out} not in all of them: left out"));
    }
    let mut snapshots = Vec::new();
    let mut judged = Vec::new();
    for (((name, source), agents), probes) in sources.into_iter().zip(&agents).zip(&probes) {
        let outcomes = outcomes(&source, &shared.dialect)?;
        snapshots.push(Snapshot {
            name,
            agents: places_of(agents, &shared_agents),
            probes: places_of(probes, &shared_probes),
            states: states(&outcomes),
            source,
        });
        judged.push(outcomes);
    }
    if judged.windows(2).any(|pair| pair[0] != pair[1]) {
        let detail = "statuses are not taken alike by all of them: each is judged by its own table outcomes".to_owned();
        shared.differ("outcomes", detail);
    }
    shared.agents = shared_agents.into_iter().map(|agent| agent.token).collect();
    shared.probes = shared_probes.into_iter().map(|probe| probe.text).collect();
    Ok((snapshots, shared))
}

/// Names for folders: the last components of their paths, as many as it takes.
fn names(places: &[PathBuf]) -> Vec<String> {
    let tail = |place: &Path, count: usize| {
        let parts: Vec<String> =
            place.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        parts[parts.len().saturating_sub(count)..].join("/")
    };
    let longest = places.iter().map(|place| place.components().count()).max().unwrap_or(1);
    let at = |count: usize| -> Vec<String> { places.iter().map(|place| tail(place, count)).collect() };
    let is_distinct = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    (1..=longest).map(at).find(|names| is_distinct(names)).unwrap_or_else(|| {
        // Only names that are no text can come to this.
        at(1).into_iter().enumerate().map(|(number, name)| format!("{name} ({})", number + 1)).collect()
    })
}

fn shared_dialect(sources: &[(String, Source)], wanted: Option<&str>) -> Result<String, CompareError> {
    let dialects: Vec<Vec<String>> = sources.iter().map(|(_, source)| source.dialects()).collect();
    let in_all = |name: &String| dialects.iter().all(|known| known.contains(name));
    let mut candidates = dialects.iter().take(1).flatten().filter(|name| in_all(name));
    let found = match wanted {
        Some(wanted) => candidates.find(|name| *name == wanted),
        None => candidates.next(),
    };
    found.cloned().ok_or_else(|| {
        let lists: Vec<String> = sources
            .iter()
            .zip(&dialects)
            .map(|((name, _), known)| format!("{name} was read with {}", known.join(", ")))
            .collect();
        let what = wanted
            .map_or("no dialect is common to all".to_owned(), |wanted| format!("not all have the dialect `{wanted}`"));
        CompareError::Refused(format!("{what}: {}", lists.join("; ")))
    })
}

/// What the configurations say that decides over what can be compared.
fn share_settings(sources: &[(String, Source)], shared: &mut Shared) -> Result<(), CompareError> {
    let say = |values: &[String]| {
        let each: Vec<String> =
            sources.iter().zip(values).map(|((name, _), value)| format!("{value} in {name}")).collect();
        each.join(", ")
    };
    let differing = |of: &dyn Fn(&Source) -> String| {
        let values: Vec<String> = sources.iter().map(|(_, source)| of(source)).collect();
        values.iter().any(|value| *value != values[0]).then(|| say(&values))
    };
    if let Some(detail) = differing(&|source| source.dialects().join("+")) {
        shared.differ("dialects", format!("{detail}: {} is compared", shared.dialect));
    }
    if let Some(detail) = differing(&|source| source.manifest.tool_version.clone()) {
        shared.differ("tool_version", format!("{detail}: answers may differ because the program does"));
    }
    if let Some(detail) = differing(&|source| source.configured("body_cap").to_string()) {
        shared.differ("body_cap", format!("{detail} bytes: longer bodies were not read alike"));
    }
    if let Some(detail) = differing(&|source| max_hops(source)) {
        shared.differ("max_hops", format!("redirects were followed at most {detail}"));
    }
    if let Some(detail) = differing(&|source| source.manifest.selection.clone().unwrap_or("all".to_owned())) {
        shared.differ("selection", format!("shards: {detail}: origins of the others look absent"));
    }
    share_sample(sources, shared, &differing)?;
    let mut with = Vec::new();
    for (_, source) in sources {
        with.push(!source.parts("verdicts")?.is_empty());
    }
    shared.has_verdicts = with.iter().all(|has| *has);
    if !shared.has_verdicts {
        let without: Vec<&str> =
            sources.iter().zip(&with).filter(|(_, has)| !**has).map(|((name, _), _)| name.as_str()).collect();
        let detail = format!("{} without the table verdicts: figures about access are left out", without.join(", "));
        shared.differ("verdicts", detail);
    }
    Ok(())
}

fn max_hops(source: &Source) -> String {
    let resolution = source.manifest.resolution.as_ref();
    resolution.map_or("not said".to_owned(), |resolution| format!("{} times", resolution.max_hops))
}

/// Tells which snapshots differ in what a function says of each; nothing where none does.
type Differing<'a> = &'a dyn Fn(&dyn Fn(&Source) -> String) -> Option<String>;

/// A sample of one in N and one of one in M have the sites of one in their least common multiple in common.
fn share_sample(
    sources: &[(String, Source)],
    shared: &mut Shared,
    differing: Differing<'_>,
) -> Result<(), CompareError> {
    let mut one_in: u64 = 1;
    for (name, source) in sources {
        let text = source.sample().unwrap_or("1/1");
        let number = text.strip_prefix("1/").and_then(|number| number.parse::<u64>().ok()).filter(|number| *number > 0);
        let number = number.ok_or_else(|| CompareError::Refused(format!("the sample `{text}` of {name} is none")))?;
        one_in = (one_in / greatest_common_divisor(one_in, number)).saturating_mul(number);
    }
    let refuse = |_| CompareError::Refused("their samples have hardly a site in common".to_owned());
    let sample = sample::parse(&format!("1/{one_in}")).map_err(refuse)?;
    if let Some(detail) = differing(&|source| source.sample().unwrap_or("1/1").to_owned()) {
        shared.differ("sample", format!("{detail}: the sites of {sample} are compared"));
    }
    shared.sample = (one_in > 1).then_some(sample);
    Ok(())
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { greatest_common_divisor(b, a % b) }
}

/// What makes an agent the same one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AgentKey {
    token: String,
    fallbacks: Vec<String>,
    follows_star: bool,
}

/// What makes a probe the same one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ProbeKey {
    text: String,
    origin: Option<String>,
    path: String,
}

fn agents(source: &Source) -> Result<Vec<AgentKey>, ReportError> {
    let mut agents = Vec::new();
    for path in source.parts("agents")?.values() {
        read(path, &["agent_id", "token", "fallbacks.list.element", "follows_star"], |batch| {
            let (token, follows) = (batch.texts("token")?, batch.flags("follows_star")?);
            let fallbacks = batch.lists("fallbacks")?;
            let tokens = fallbacks.values().as_string_opt::<i32>();
            let tokens = tokens.ok_or_else(|| batch.damaged("`fallbacks` is no list of texts"))?;
            for (row, id) in batch.integers("agent_id")?.into_iter().enumerate() {
                if id != Some(agents.len() as i64) {
                    return Err(batch.damaged("agents are not in the order of their ids"));
                }
                agents.push(AgentKey {
                    token: token.value(row).to_owned(),
                    fallbacks: list_range(fallbacks, row).map(|at| tokens.value(at).to_owned()).collect(),
                    follows_star: follows.value(row),
                });
            }
            Ok(())
        })?;
    }
    Ok(agents)
}

fn list_range(lists: &ListArray, row: usize) -> Range<usize> {
    let at = |row: usize| lists.value_offsets().get(row).map_or(0, |end| usize::try_from(*end).unwrap_or(0));
    at(row)..at(row + 1)
}

fn probes(source: &Source) -> Result<Vec<ProbeKey>, ReportError> {
    let mut probes = Vec::new();
    for path in source.parts("probes")?.values() {
        read(path, &["probe_id", "probe", "origin", "path"], |batch| {
            let (text, origin, path) = (batch.texts("probe")?, batch.texts("origin")?, batch.texts("path")?);
            for (row, id) in batch.integers("probe_id")?.into_iter().enumerate() {
                if id != Some(probes.len() as i64) {
                    return Err(batch.damaged("probes are not in the order of their ids"));
                }
                probes.push(ProbeKey {
                    text: text.value(row).to_owned(),
                    origin: maybe(origin, row).map(str::to_owned),
                    path: path.value(row).to_owned(),
                });
            }
            Ok(())
        })?;
    }
    Ok(probes)
}

/// What is in all lists, in the order of the last one, each once.
fn common<T: Clone + PartialEq>(lists: &[Vec<T>]) -> Vec<T> {
    let mut common: Vec<T> = Vec::new();
    for item in lists.last().into_iter().flatten() {
        if !common.contains(item) && lists.iter().all(|list| list.contains(item)) {
            common.push(item.clone());
        }
    }
    common
}

fn places_of<T: PartialEq>(list: &[T], shared: &[T]) -> Vec<Option<u16>> {
    list.iter()
        .map(|item| shared.iter().position(|known| known == item).and_then(|place| u16::try_from(place).ok()))
        .collect()
}

/// Names of what is not shared, few of them spelt out.
fn left_out<T: PartialEq>(lists: &[Vec<T>], shared: &[T], name: impl Fn(&T) -> String) -> Option<String> {
    const SPELT_OUT: usize = 12;
    let others = lists.iter().flatten().filter(|item| !shared.contains(item));
    let names: BTreeSet<String> = others.map(name).collect();
    let mut text: Vec<String> = names.iter().take(SPELT_OUT).cloned().collect();
    if names.len() > SPELT_OUT {
        text.push(format!("{} more", names.len() - SPELT_OUT));
    }
    (!names.is_empty()).then(|| text.join(", "))
}

fn outcomes(source: &Source, dialect: &str) -> Result<Vec<Outcome>, ReportError> {
    let mut outcomes = vec![Outcome::Undefined; Reason::ALL.len()];
    for path in source.parts("outcomes")?.values() {
        read(path, &["dialect", "reason", "outcome"], |batch| {
            let (name, reason, outcome) = (batch.texts("dialect")?, batch.texts("reason")?, batch.texts("outcome")?);
            for row in (0..batch.len()).filter(|row| name.value(*row) == dialect) {
                let number = reason_number(reason.value(row));
                let slot = number.and_then(|number| outcomes.get_mut(number as usize));
                let known = OUTCOMES.into_iter().find(|known| known.as_str() == outcome.value(row));
                match (slot, known) {
                    (Some(slot), Some(known)) => *slot = known,
                    _ => return Err(batch.damaged("a reason or outcome in it is not known")),
                }
            }
            Ok(())
        })?;
    }
    Ok(outcomes)
}

const OUTCOMES: [Outcome; 4] = [Outcome::Conditional, Outcome::FullAllow, Outcome::FullDisallow, Outcome::Undefined];

/// What a reason says of every agent; none where the text decides.
fn states(outcomes: &[Outcome]) -> Vec<Option<u8>> {
    let of = |(reason, outcome): (&Reason, &Outcome)| match outcome {
        Outcome::Conditional => None,
        _ if UNRESOLVED.contains(reason) => Some(LOST),
        Outcome::FullAllow => Some(NO_TEXT),
        Outcome::FullDisallow => Some(NO_TEXT + 1),
        Outcome::Undefined => Some(NO_TEXT + 2),
    };
    Reason::ALL.iter().zip(outcomes).map(of).collect()
}

/// The manifest's word for what the figures of a snapshot rest on.
pub fn about(snapshot: &Snapshot) -> Value {
    let manifest = &snapshot.source.manifest;
    serde_json::json!({
        "name": snapshot.name,
        "tool_version": manifest.tool_version,
        "schema_version": manifest.schema_version,
        "configuration_hash": manifest.configuration_hash,
        "selection": manifest.selection,
        "sample": snapshot.source.sample(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_by_the_end_of_their_paths() {
        let of = |paths: &[&str]| names(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(of(&["/a/one", "/b/two"]), ["one", "two"]);
        assert_eq!(of(&["/runs/1/tables", "/runs/2/tables"]), ["1/tables", "2/tables"]);
        assert_eq!(of(&["/x/1/t", "/y/1/t", "/y/2/t"]), ["x/1/t", "y/1/t", "y/2/t"]);
    }

    #[test]
    fn what_all_have_is_common() {
        let lists = [vec!["a", "b", "c"], vec!["c", "d", "a"], vec!["c", "a", "a"]];
        assert_eq!(common(&lists), ["c", "a"]);
        assert_eq!(places_of(&lists[0], &["c", "a"]), [Some(1), None, Some(0)]);
        assert_eq!(left_out(&lists, &["c", "a"], |name| (*name).to_owned()), Some("b, d".to_owned()));
        assert_eq!(left_out(&lists[..0], &["c"], |name| (*name).to_owned()), None);
        assert_eq!((greatest_common_divisor(4, 6), greatest_common_divisor(1, 1)), (2, 1));
    }
}
