//! Origins in memory: a few bytes each, found by the body that they have.

use super::ReportError;
use super::facts::reason_number;
use super::figures::{AGREEMENTS, SIBLING_STARTS, SIBLINGS};
use super::source::{Batch, Source, maybe, read};
use super::sql::NOT_COUNTED;
use super::strata::{Hosts, Ranks};
use super::tally::Seeded;
use rayon::prelude::*;
use rep::Reason;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// No body.
pub const NO_BODY: u32 = u32::MAX;

/// No top-level domain.
pub const NO_TLD: u32 = u32::MAX;

/// No status.
const NO_STATUS: i16 = i16::MIN;

const OTHER_HOST: u8 = 1;
const OTHER_SITE: u8 = 2;
const STANDS_FOR_SITE: u8 = 4;

/// Bodies are numbered through: those of the first shard first.
#[derive(Debug, Default)]
pub struct BodyNumbers {
    first: BTreeMap<u32, (u32, u32)>,
    total: u32,
}

impl BodyNumbers {
    /// Adds a shard with so many bodies.
    pub fn add(&mut self, shard: u32, rows: u64) -> Result<(), ReportError> {
        let rows = u32::try_from(rows).map_err(|_| ReportError::TooLarge)?;
        let total = self.total.checked_add(rows).filter(|total| *total < NO_BODY).ok_or(ReportError::TooLarge)?;
        self.first.insert(shard, (self.total, rows));
        self.total = total;
        Ok(())
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.total as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of the first body of a shard, and how many it has.
    pub fn of_shard(&self, shard: u32) -> (u32, u32) {
        self.first.get(&shard).copied().unwrap_or_default()
    }

    /// The number of a body; none when there is no such body.
    pub fn of_key(&self, key: i64) -> Option<u32> {
        let (first, rows) = self.of_shard(u32::try_from(key >> 32).ok()?);
        let row = key as u32;
        (row < rows).then(|| first + row)
    }
}

/// The origins, a column each.
#[derive(Debug, Default)]
pub struct Origins {
    body: Vec<u32>,
    reason: Vec<u8>,
    status: Vec<i16>,
    hops: Vec<u8>,
    flags: Vec<u8>,
    tld: Vec<u32>,
    rank: Vec<u8>,
    weight: Vec<u64>,
    /// Names of the top-level domains, by number.
    pub tlds: Vec<String>,
    /// Where the origins of each body begin in `of_bodies`.
    starts: Vec<u32>,
    of_bodies: Vec<u32>,
}

/// An origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Number of its body, or [`NO_BODY`].
    pub body: u32,
    /// Place of its reason in [`Reason::ALL`].
    pub reason: u8,
    /// Last status.
    pub status: Option<i16>,
    /// Redirects.
    pub hops: u8,
    /// Whether they led to another host.
    pub other_host: bool,
    /// Whether they led to another registered domain.
    pub other_site: bool,
    /// Whether it stands for its registered domain.
    pub stands_for_site: bool,
    /// Number of its top-level domain, or [`NO_TLD`].
    pub tld: u32,
    /// Stratum of its rank.
    pub rank: u8,
    /// Weight of its host.
    pub weight: u64,
}

/// A pair of siblings: the origin that stands for their registered domain, and words for the pair and how they compare.
pub type SiblingPair = (u32, &'static str, &'static str);

/// What to look up for each origin.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lookups<'a> {
    /// Ranks, if figures are split by them.
    pub ranks: Option<&'a Ranks>,
    /// Weights, if there are any.
    pub weights: Option<&'a Hosts<u64>>,
}

impl Origins {
    /// Reads all origins. The pairs of siblings come with them.
    pub fn read(
        source: &Source,
        bodies: &BodyNumbers,
        lookups: Lookups<'_>,
    ) -> Result<(Origins, Vec<SiblingPair>), ReportError> {
        let paths: Vec<_> = source.parts("origins")?.into_values().collect();
        let parts: Result<Vec<Part>, ReportError> =
            paths.par_iter().map(|path| Part::read(path, bodies, lookups)).collect();
        let parts = parts?;
        let ends: Vec<u32> = parts
            .iter()
            .scan(0u32, |end, part| {
                *end = end.saturating_add(u32::try_from(part.origins.len()).unwrap_or(u32::MAX));
                Some(*end)
            })
            .collect();
        if ends.last().is_some_and(|end| *end == u32::MAX) {
            return Err(ReportError::TooLarge);
        }
        let mut origins = Origins::default();
        let mut members = Vec::new();
        for part in parts {
            origins.append(part, &mut members);
        }
        let siblings = origins.group(&paths, &ends, members)?;
        origins.index(bodies.len());
        Ok((origins, siblings))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.body.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The origin of this number.
    pub fn get(&self, at: usize) -> Origin {
        let flags = self.flags[at];
        Origin {
            body: self.body[at],
            reason: self.reason[at],
            status: Some(self.status[at]).filter(|status| *status != NO_STATUS),
            hops: self.hops[at],
            other_host: flags & OTHER_HOST != 0,
            other_site: flags & OTHER_SITE != 0,
            stands_for_site: flags & STANDS_FOR_SITE != 0,
            tld: self.tld[at],
            rank: self.rank.get(at).copied().unwrap_or_default(),
            weight: self.weight.get(at).copied().unwrap_or_default(),
        }
    }

    /// The numbers of the origins that have a body.
    pub fn of_body(&self, body: u32) -> &[u32] {
        let at = |body: usize| self.starts.get(body).map_or(0, |start| *start as usize);
        let body = body as usize;
        self.of_bodies.get(at(body)..at(body + 1)).unwrap_or_default()
    }

    fn append(&mut self, part: Part, members: &mut Vec<Member>) {
        let first = self.len() as u32;
        let Part { origins, members: part_members } = part;
        let mut known: HashMap<String, u32, Seeded> =
            self.tlds.iter().enumerate().map(|(number, tld)| (tld.clone(), number as u32)).collect();
        let numbers: Vec<u32> = origins
            .tlds
            .into_iter()
            .map(|tld| {
                *known.entry(tld).or_insert_with_key(|tld| {
                    self.tlds.push(tld.clone());
                    self.tlds.len() as u32 - 1
                })
            })
            .collect();
        self.tld.extend(origins.tld.iter().map(|tld| numbers.get(*tld as usize).copied().unwrap_or(NO_TLD)));
        self.body.extend(origins.body);
        self.reason.extend(origins.reason);
        self.status.extend(origins.status);
        self.hops.extend(origins.hops);
        self.flags.extend(origins.flags);
        self.rank.extend(origins.rank);
        self.weight.extend(origins.weight);
        members.extend(part_members.into_iter().map(|member| Member { origin: member.origin + first, ..member }));
    }

    /// Marks the origin that stands for each registered domain, and compares siblings.
    fn group(
        &mut self,
        paths: &[std::path::PathBuf],
        ends: &[u32],
        mut members: Vec<Member>,
    ) -> Result<Vec<SiblingPair>, ReportError> {
        members.par_sort_unstable_by_key(|member| (member.site, member.key, member.origin));
        let equal: Vec<&[Member]> = members
            .chunk_by(|a, b| a.site == b.site)
            .map(|site| &site[..site.partition_point(|member| member.key == site[0].key)])
            .filter(|first| first.len() > 1)
            .collect();
        let names = names_of(paths, ends, equal.iter().flat_map(|first| first.iter().map(|member| member.origin)))?;
        let mut siblings = Vec::new();
        for site in members.chunk_by(|a, b| a.site == b.site) {
            let first = &site[..site.partition_point(|member| member.key == site[0].key)];
            let stands = match first {
                [only] => only.origin,
                several => {
                    let by_name = several.iter().min_by_key(|member| names.get(&member.origin));
                    by_name.map_or(site[0].origin, |member| member.origin)
                }
            };
            self.flags[stands as usize] |= STANDS_FOR_SITE;
            compare(site, stands, &mut siblings);
        }
        Ok(siblings)
    }

    fn index(&mut self, bodies: usize) {
        let mut starts = vec![0u32; bodies + 1];
        for body in self.body.iter().filter(|body| **body != NO_BODY) {
            starts[*body as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        self.of_bodies = vec![0; starts.last().map_or(0, |end| *end as usize)];
        for (origin, body) in self.body.iter().enumerate().filter(|(_, body)| **body != NO_BODY) {
            let next = &mut next[*body as usize];
            self.of_bodies[*next as usize] = origin as u32;
            *next += 1;
        }
        self.starts = starts;
    }
}

/// An origin as a member of its registered domain.
#[derive(Debug, Clone, Copy)]
struct Member {
    site: u64,
    /// Orders those of a site as the view `resolved` does, but for names that begin alike.
    key: u64,
    /// Hash of the text; 0 for none.
    text: u64,
    origin: u32,
    /// Place in [`SIBLING_STARTS`], or [`OTHER_SLOT`].
    slot: u8,
    is_counted: bool,
}

const OTHER_SLOT: u8 = 4;

/// The key of [`Member`]: answers in the input first, then those with a text, https, short names, and the first bytes of the name.
fn member_key(origin: &str, reason: Reason) -> u64 {
    let name = origin.split_once("://").map_or("", |(_, name)| name);
    let mut start = [0; 8];
    for (byte, name) in start[2..].iter_mut().zip(name.bytes()) {
        *byte = name;
    }
    let bit = |yes: bool, at: u32| u64::from(yes) << at;
    bit(reason == Reason::TargetOutsideInput, 63)
        | bit(reason != Reason::Success, 62)
        | bit(!origin.starts_with("https:"), 61)
        | (origin.len().min((1 << 13) - 1) as u64) << 48
        | u64::from_be_bytes(start)
}

fn compare(site: &[Member], stands: u32, siblings: &mut Vec<SiblingPair>) {
    let mut slots: [Option<&Member>; SIBLING_STARTS.len()] = [None; SIBLING_STARTS.len()];
    for member in site.iter().filter(|member| member.is_counted) {
        if let Some(slot) = slots.get_mut(member.slot as usize) {
            *slot = Some(member);
        }
    }
    for (name, [a, b]) in SIBLINGS {
        let (Some(a), Some(b)) = (slots[a], slots[b]) else { continue };
        let agreement = match (a.text, b.text) {
            (0, 0) => AGREEMENTS[3],
            (a, b) if a == b => AGREEMENTS[0],
            (0, _) | (_, 0) => AGREEMENTS[2],
            _ => AGREEMENTS[1],
        };
        siblings.push((stands, name, agreement));
    }
}

/// The names of these origins: read again, because few are needed.
fn names_of(
    paths: &[std::path::PathBuf],
    ends: &[u32],
    wanted: impl Iterator<Item = u32>,
) -> Result<HashMap<u32, String>, ReportError> {
    let mut wanted: Vec<u32> = wanted.collect();
    wanted.sort_unstable();
    let mut names = HashMap::with_capacity(wanted.len());
    let mut first = 0;
    for (path, end) in paths.iter().zip(ends) {
        let here = &wanted[wanted.partition_point(|at| *at < first)..wanted.partition_point(|at| at < end)];
        if !here.is_empty() {
            let mut here = here.iter().peekable();
            let mut start = first;
            read(path, &["origin"], |batch| {
                let origins = batch.texts("origin")?;
                while let Some(at) = here.next_if(|at| ((**at - start) as usize) < batch.len()) {
                    names.insert(*at, origins.value((*at - start) as usize).to_owned());
                }
                start += batch.len() as u32;
                Ok(())
            })?;
        }
        first = *end;
    }
    Ok(names)
}

/// The origins of one file.
struct Part {
    origins: Origins,
    members: Vec<Member>,
}

const COLUMNS: [&str; 11] = [
    "origin",
    "site",
    "url_host_name",
    "url_host_tld",
    "reason",
    "final_status",
    "hops",
    "other_host",
    "other_site",
    "body_key",
    "body_id",
];

impl Part {
    fn read(path: &Path, bodies: &BodyNumbers, lookups: Lookups<'_>) -> Result<Part, ReportError> {
        let mut part = Part { origins: Origins::default(), members: Vec::new() };
        let mut tlds: HashMap<String, u32, Seeded> = HashMap::default();
        read(path, &COLUMNS, |batch| part.add(batch, bodies, lookups, &mut tlds))?;
        Ok(part)
    }

    fn add(
        &mut self,
        batch: &Batch<'_>,
        bodies: &BodyNumbers,
        lookups: Lookups<'_>,
        tlds: &mut HashMap<String, u32, Seeded>,
    ) -> Result<(), ReportError> {
        let (origin, site, reason) = (batch.texts("origin")?, batch.texts("site")?, batch.texts("reason")?);
        let (status, hops) = (batch.integers("final_status")?, batch.integers("hops")?);
        let (other_host, other_site) = (batch.flags("other_host")?, batch.flags("other_site")?);
        let (body_key, body_id) = (batch.longs("body_key")?, batch.ids("body_id")?);
        let (host, tld) = (batch.texts("url_host_name")?, batch.texts("url_host_tld")?);
        let into = &mut self.origins;
        for row in 0..batch.len() {
            let (name, site) = (origin.value(row), maybe(site, row));
            let number = reason_number(reason.value(row))
                .ok_or_else(|| batch.damaged(&format!("the reason `{}` is not known", reason.value(row))))?;
            let reason = Reason::ALL[number as usize];
            let body = match maybe(body_key, row) {
                None => NO_BODY,
                Some(key) => bodies.of_key(key).ok_or_else(|| batch.damaged(&format!("no body has the key {key}")))?,
            };
            let host = maybe(host, row).unwrap_or_default();
            let tld = maybe(tld, row).map_or(NO_TLD, |tld| match tlds.get(tld) {
                Some(number) => *number,
                None => {
                    let number = into.tlds.len() as u32;
                    into.tlds.push(tld.to_owned());
                    tlds.insert(tld.to_owned(), number);
                    number
                }
            });
            if let Some(site) = site {
                let slot = SIBLING_STARTS
                    .iter()
                    .position(|start| name.strip_prefix(start) == Some(site))
                    .map_or(OTHER_SLOT, |slot| slot as u8);
                let text = match (reason, maybe(body_id, row)) {
                    (Reason::Success, Some(id)) => xxh3_64(id).max(1),
                    _ => 0,
                };
                self.members.push(Member {
                    site: xxh3_64(site.as_bytes()),
                    key: member_key(name, reason),
                    text,
                    origin: into.body.len() as u32,
                    slot,
                    is_counted: !NOT_COUNTED.contains(&reason),
                });
            }
            let flag = |yes: bool, flag: u8| if yes { flag } else { 0 };
            into.body.push(body);
            into.reason.push(number);
            into.status.push(status[row].and_then(|status| i16::try_from(status).ok()).unwrap_or(NO_STATUS));
            into.hops.push(u8::try_from(hops[row].unwrap_or(0)).unwrap_or(u8::MAX));
            into.flags.push(
                flag(maybe(other_host, row) == Some(true), OTHER_HOST)
                    | flag(maybe(other_site, row) == Some(true), OTHER_SITE),
            );
            into.tld.push(tld);
            if let Some(ranks) = lookups.ranks {
                into.rank.push(ranks.stratum(host, site));
            }
            if let Some(weights) = lookups.weights {
                into.weight.push(weights.get(host).unwrap_or(0));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_numbered_through() {
        let mut numbers = BodyNumbers::default();
        numbers.add(0, 3).unwrap();
        numbers.add(2, 1).unwrap();
        assert_eq!((numbers.len(), numbers.of_shard(2), numbers.of_shard(1)), (4, (3, 1), (0, 0)));
        let key = |shard: i64, row: i64| shard << 32 | row;
        let of = |shard, row| numbers.of_key(key(shard, row));
        assert_eq!((of(0, 2), of(0, 3), of(1, 0), of(2, 0)), (Some(2), None, None, Some(3)));
        assert_eq!(numbers.of_key(-1), None);
        assert!(numbers.add(3, u64::from(u32::MAX)).is_err());
    }

    #[test]
    fn keys_order_the_origins_of_a_site() {
        let in_order = [
            ("https://example.com", Reason::Success),
            ("https://a.example.com", Reason::Success),
            ("https://b.example.com", Reason::Success),
            ("https://www.example.com", Reason::Success),
            ("http://example.com", Reason::Success),
            ("https://example.com:8443", Reason::Unavailable),
            ("http://example.com", Reason::Forbidden),
            ("https://example.com", Reason::TargetOutsideInput),
        ];
        let keys: Vec<u64> = in_order.iter().map(|(origin, reason)| member_key(origin, *reason)).collect();
        assert!(keys.is_sorted(), "{keys:x?}");
        assert_eq!(
            member_key("https://server1.example.com", Reason::Success),
            member_key("https://server2.example.com", Reason::Success),
            "names that begin alike are told apart by reading them"
        );
    }
}
