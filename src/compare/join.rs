//! The join: origins of all outputs brought together by the hash of their names, one part of all sites after the other.

use super::CompareError;
use super::lists::{Moved, Presence};
use super::profile::{Bodies, Catalogue, rows_of};
use super::shared::{self, Shared, Snapshot};
use super::tallies::{ABSENT_SIDE, Facts, NO_PROFILE, Pairs, Tallies, Units, side};
use crate::pipeline::sample::Sample;
use crate::report::ReportError;
use crate::report::facts::reason_number;
use crate::report::source::{Batch, maybe, read, rows};
use crate::report::sql::NOT_COUNTED;
use rayon::prelude::*;
use rep::Reason;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The least memory that is worth while.
pub const LEAST_MEMORY: u64 = 1 << 20;

/// What to compare, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// The outputs, oldest first.
    pub outs: Vec<PathBuf>,
    /// The dialect to speak for; the first one that all have when not given.
    pub dialect: Option<String>,
    /// Bytes for the origins that are joined at a time, at least [`LEAST_MEMORY`].
    pub memory: u64,
}

/// What a comparison found.
#[derive(Debug)]
pub struct Joined {
    /// The outputs, oldest first.
    pub snapshots: Vec<Snapshot>,
    /// What they have in common.
    pub shared: Shared,
    /// The pairs of outputs that are compared, by place: each with the next, then the first with the last.
    pub steps: Vec<(u8, u8)>,
    /// Everything that profiles consist of.
    pub catalogue: Catalogue,
    /// The counts.
    pub tallies: Tallies,
    /// How much there is.
    pub totals: Totals,
    /// Origins whose access may have moved, in the order of the newer output's rows.
    pub moved: Vec<Moved>,
    /// Origins that are not in all outputs, in the order of the rows of the last output that has them.
    pub presence: Vec<Presence>,
}

/// How much there is.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Totals {
    /// Origins in any output, those whose answer the input cannot tell included.
    pub origins: u64,
    /// Origins in all outputs whose answer each of them can tell.
    pub panel_origins: u64,
    /// Their registered domains.
    pub panel_domains: u64,
    /// Origins in each output.
    pub snapshot_origins: Vec<u64>,
    /// Those of them whose answer the input can tell.
    pub snapshot_counted: Vec<u64>,
    /// Distinct profiles of bodies.
    pub profiles: u64,
    /// In how many parts the join was done.
    #[serde(skip)]
    pub parts: u64,
}

impl Joined {
    /// What sides mean.
    pub fn facts(&self) -> Facts<'_> {
        Facts { catalogue: &self.catalogue, snapshots: &self.snapshots, shared: &self.shared, steps: &self.steps }
    }

    /// The names of a pair's outputs.
    pub fn step_names(&self, step: u8) -> (String, String) {
        let name = |at: u8| self.snapshots.get(usize::from(at)).map_or_else(String::new, |s| s.name.clone());
        let (from, to) = self.steps.get(usize::from(step)).copied().unwrap_or_default();
        (name(from), name(to))
    }
}

/// Compares finished outputs.
pub fn compare(options: &Options) -> Result<Joined, CompareError> {
    let (snapshots, shared) = shared::open(&options.outs, options.dialect.as_deref())?;
    let mut catalogue = Catalogue::new(shared.probes.len());
    let mut sources = Vec::new();
    let mut origins = 0;
    for (number, snapshot) in snapshots.iter().enumerate() {
        let bodies = Bodies::read(snapshot, &shared, &mut catalogue)?;
        origins += rows_of(&snapshot.source, "origins")?;
        let mut first = 0;
        let mut parts = Vec::new();
        for path in snapshot.source.parts("origins")?.into_values() {
            let rows = u32::try_from(rows(&path)?).map_err(|_| ReportError::TooLarge)?;
            parts.push((path, first));
            first = rows.checked_add(first).ok_or(ReportError::TooLarge)?;
        }
        sources.push(Origins { number: number as u8, bodies, parts });
    }
    let bytes = origins.saturating_mul(size_of::<Entry>() as u64);
    let parts = bytes.div_ceil(options.memory.max(LEAST_MEMORY)).max(1);
    let steps = steps(snapshots.len());
    let facts = Facts { catalogue: &catalogue, snapshots: &snapshots, shared: &shared, steps: &steps };
    let mut tallies = Tallies::new(steps.len(), snapshots.len());
    let mut totals = Totals {
        snapshot_origins: vec![0; snapshots.len()],
        snapshot_counted: vec![0; snapshots.len()],
        profiles: catalogue.profiles() as u64,
        parts,
        ..Totals::default()
    };
    let (mut moved, mut presence) = (Vec::new(), Vec::new());
    for part in 0..parts {
        let entries = Mutex::new(Vec::with_capacity((origins / parts + origins / parts / 16) as usize));
        let files: Vec<(&Origins, &(PathBuf, u32))> =
            sources.iter().flat_map(|source| source.parts.iter().map(move |file| (source, file))).collect();
        files.par_iter().with_max_len(1).try_for_each(|(source, (path, first))| {
            let mut row = *first;
            read(path, &["origin", "site", "reason", "body_key", "body_id"], |batch| {
                let some = source.entries(batch, row, shared.sample, |site| part_of(site, parts) == part)?;
                row = row.saturating_add(batch.len() as u32);
                entries.lock().unwrap_or_else(PoisonError::into_inner).extend(some);
                Ok(())
            })
        })?;
        let mut entries = entries.into_inner().unwrap_or_else(PoisonError::into_inner);
        entries.par_sort_unstable_by_key(|entry| (entry.site, entry.origin, entry.snapshot, entry.row));
        // An origin is in an output once; a table that says otherwise is not worth an error.
        entries.dedup_by_key(|entry| (entry.site, entry.origin, entry.snapshot));
        let found: Vec<Found> =
            chunks(&entries).into_par_iter().map(|chunk| Found::of(chunk, &facts, snapshots.len())).collect();
        drop(entries);
        let mut pairs = Pairs::default();
        for one in found {
            pairs.merge(one.pairs);
            moved.extend(one.moved);
            presence.extend(one.presence);
            totals.add(&one.totals);
        }
        tallies.add(&facts, pairs);
    }
    moved.par_sort_unstable();
    presence.par_sort_unstable();
    Ok(Joined { snapshots, shared, steps, catalogue, tallies, totals, moved, presence })
}

/// Each output with the next, then the first with the last.
fn steps(snapshots: usize) -> Vec<(u8, u8)> {
    let last = snapshots.saturating_sub(1) as u8;
    let mut steps: Vec<(u8, u8)> = (0..last).map(|from| (from, from + 1)).collect();
    if last > 1 {
        steps.push((0, last));
    }
    steps
}

/// The part of the join that a site belongs to, of so many.
fn part_of(site: u64, parts: u64) -> u64 {
    ((u128::from(site) * u128::from(parts)) >> 64) as u64
}

/// Stretches of entries for threads; no site is cut.
fn chunks(entries: &[Entry]) -> Vec<&[Entry]> {
    let size = (entries.len() / (4 * rayon::current_num_threads().max(1))).max(1024);
    let mut chunks = Vec::new();
    let mut rest = entries;
    while !rest.is_empty() {
        let at = size.min(rest.len());
        let site = rest[at - 1].site;
        let end = at + rest[at..].partition_point(|entry| entry.site == site);
        let (chunk, after) = rest.split_at(end);
        chunks.push(chunk);
        rest = after;
    }
    chunks
}

/// The origins of a snapshot: files with the number of their first row.
struct Origins {
    number: u8,
    bodies: Bodies,
    parts: Vec<(PathBuf, u32)>,
}

/// An origin in a snapshot.
#[derive(Debug, Clone, Copy)]
struct Entry {
    site: u64,
    origin: u128,
    /// Orders the origins of a site: the least one stands for it.
    order: u64,
    /// Hash of the text; 0 for none.
    text: u64,
    profile: u32,
    row: u32,
    reason: u8,
    snapshot: u8,
}

impl Origins {
    fn entries(
        &self,
        batch: &Batch<'_>,
        first: u32,
        sample: Option<Sample>,
        is_wanted: impl Fn(u64) -> bool,
    ) -> Result<Vec<Entry>, ReportError> {
        let (origin, site, reason) = (batch.texts("origin")?, batch.texts("site")?, batch.texts("reason")?);
        let (body_key, body_id) = (batch.longs("body_key")?, batch.ids("body_id")?);
        let mut entries = Vec::new();
        for row in 0..batch.len() {
            let name = origin.value(row);
            let site = maybe(site, row).unwrap_or(name);
            let hash = xxh3_64(site.as_bytes());
            if !is_wanted(hash) || sample.is_some_and(|sample| !sample.keeps(Some(site), site)) {
                continue;
            }
            let reason = reason_number(reason.value(row))
                .ok_or_else(|| batch.damaged(&format!("the reason `{}` is not known", reason.value(row))))?;
            let profile = match maybe(body_key, row) {
                None => NO_PROFILE,
                Some(key) => {
                    self.bodies.of_key(key).ok_or_else(|| batch.damaged(&format!("no body has the key {key}")))?
                }
            };
            entries.push(Entry {
                site: hash,
                origin: xxh3_128(name.as_bytes()),
                order: order_key(name),
                text: maybe(body_id, row).map_or(0, |id| xxh3_64(id).max(1)),
                profile,
                row: first.saturating_add(row as u32),
                reason,
                snapshot: self.number,
            });
        }
        Ok(entries)
    }
}

/// https first, then short names, then by their first bytes.
fn order_key(origin: &str) -> u64 {
    let name = origin.split_once("://").map_or("", |(_, name)| name);
    let mut start = [0; 8];
    for (byte, name) in start[2..].iter_mut().zip(name.bytes()) {
        *byte = name;
    }
    u64::from(!origin.starts_with("https:")) << 63
        | (origin.len().min((1 << 15) - 1) as u64) << 48
        | u64::from_be_bytes(start)
}

/// What a stretch of entries gives.
struct Found {
    pairs: Pairs,
    moved: Vec<Moved>,
    presence: Vec<Presence>,
    totals: Totals,
}

/// An origin over all snapshots.
struct Member<'a> {
    entries: &'a [Entry],
    in_panel: bool,
}

impl Found {
    fn of(entries: &[Entry], facts: &Facts<'_>, snapshots: usize) -> Found {
        let mut found = Found {
            pairs: Pairs::default(),
            moved: Vec::new(),
            presence: Vec::new(),
            totals: Totals {
                snapshot_origins: vec![0; snapshots],
                snapshot_counted: vec![0; snapshots],
                ..Totals::default()
            },
        };
        for site in entries.chunk_by(|a, b| a.site == b.site) {
            let members: Vec<Member<'_>> = site
                .chunk_by(|a, b| a.origin == b.origin)
                .map(|entries| Member {
                    entries,
                    in_panel: entries.len() == snapshots && entries.iter().all(is_counted),
                })
                .collect();
            let stands = members
                .iter()
                .enumerate()
                .filter(|(_, member)| member.in_panel)
                .min_by_key(|(_, member)| member.entries.first().map(|entry| (entry.order, entry.origin)))
                .map(|(at, _)| at);
            found.totals.panel_domains += u64::from(stands.is_some());
            for (at, member) in members.iter().enumerate() {
                found.add(member, stands == Some(at), facts, snapshots);
            }
        }
        found
    }

    fn add(&mut self, member: &Member<'_>, stands_for_site: bool, facts: &Facts<'_>, snapshots: usize) {
        let of = |snapshot: u8| member.entries.iter().find(|entry| entry.snapshot == snapshot);
        let units = Units([u64::from(member.in_panel), u64::from(stands_for_site), 1]);
        self.totals.origins += 1;
        self.totals.panel_origins += u64::from(member.in_panel);
        for entry in member.entries {
            let at = usize::from(entry.snapshot);
            let is_counted = is_counted(entry);
            for (totals, one) in
                [(&mut self.totals.snapshot_origins, true), (&mut self.totals.snapshot_counted, is_counted)]
            {
                if let Some(total) = totals.get_mut(at) {
                    *total += u64::from(one);
                }
            }
            if is_counted {
                self.pairs.level(entry.snapshot, side(entry.reason, entry.profile), units);
            }
        }
        for (number, (from, to)) in facts.steps.iter().enumerate() {
            let (before, after) = (of(*from), of(*to));
            // Whoever the input cannot tell about neither changed nor stayed.
            if before.is_none() && after.is_none() || [before, after].into_iter().flatten().any(|e| !is_counted(e)) {
                continue;
            }
            let side_of = |entry: Option<&Entry>| entry.map_or(ABSENT_SIDE, |entry| side(entry.reason, entry.profile));
            let text_of = |entry: Option<&Entry>| entry.map_or(0, |entry| entry.text);
            let (from, to) = (side_of(before), side_of(after));
            let same_text = text_of(before) != 0 && text_of(before) == text_of(after);
            self.pairs.step(number as u8, from, to, same_text, units);
            if let (Some(_), Some(after)) = (before, after)
                && facts.moves(number as u8, from, to)
            {
                let in_panel = member.in_panel;
                self.moved.push(Moved { step: number as u8, row: after.row, from, to, same_text, in_panel });
            }
        }
        if let (Some(first), Some(last)) = (member.entries.first(), member.entries.last()) {
            self.pairs.seen(first.snapshot, last.snapshot, member.entries.len() as u8);
            if member.entries.len() < snapshots {
                let seen = member.entries.iter().fold(0u64, |seen, entry| seen | 1 << entry.snapshot);
                self.presence.push(Presence { last: last.snapshot, row: last.row, seen });
            }
        }
    }
}

fn is_counted(entry: &Entry) -> bool {
    Reason::ALL.get(usize::from(entry.reason)).is_some_and(|reason| !NOT_COUNTED.contains(reason))
}

impl Totals {
    fn add(&mut self, other: &Totals) {
        self.origins += other.origins;
        self.panel_origins += other.panel_origins;
        self.panel_domains += other.panel_domains;
        let pairs = [
            (&mut self.snapshot_origins, &other.snapshot_origins),
            (&mut self.snapshot_counted, &other.snapshot_counted),
        ];
        for (mine, others) in pairs {
            mine.iter_mut().zip(others).for_each(|(mine, other)| *mine += other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_neighbours_and_the_whole() {
        assert_eq!(steps(2), [(0, 1)]);
        assert_eq!(steps(4), [(0, 1), (1, 2), (2, 3), (0, 3)]);
    }

    #[test]
    fn sites_belong_to_one_part_and_parts_are_in_order() {
        for parts in [1, 2, 7, 1000] {
            assert_eq!((part_of(0, parts), part_of(u64::MAX, parts)), (0, parts - 1));
            let all: Vec<u64> = (0..64).map(|bit| part_of(1 << bit, parts)).collect();
            assert!(all.is_sorted() && all.iter().all(|part| *part < parts));
        }
    }

    #[test]
    fn stretches_cut_no_site() {
        let entry =
            |site: u64| Entry { site, origin: 0, order: 0, text: 0, profile: 0, row: 0, reason: 0, snapshot: 0 };
        let entries: Vec<Entry> = (0..9000u64).map(|at| entry(at / 700)).collect();
        let chunks = chunks(&entries);
        assert_eq!(chunks.iter().map(|chunk| chunk.len()).sum::<usize>(), entries.len());
        assert!(chunks.len() > 1);
        assert!(chunks.windows(2).all(|pair| pair[0].last().unwrap().site < pair[1][0].site));
    }

    #[test]
    fn the_plainest_origin_stands_for_its_site() {
        let in_order =
            ["https://example.com", "https://a.example.com", "https://www.example.com", "http://example.com"];
        let keys: Vec<u64> = in_order.iter().map(|origin| order_key(origin)).collect();
        assert!(keys.is_sorted(), "{keys:x?}");
    }
}
