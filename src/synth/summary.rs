//! What a snapshot holds, counted while it is written.

use super::exchange::Exchange;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use xxhash_rust::xxh3::xxh3_128;

/// Counts of a written snapshot.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Captures, the odd ones included.
    pub captures: u64,
    /// Sites asked, the odd ones not included.
    pub sites: u64,
    /// Files written, without the listing.
    pub files: u64,
    /// Bytes of these files.
    pub stored_bytes: u64,
    /// Bytes of all decoded bodies.
    pub body_bytes: u64,
    /// Captures by HTTP status.
    pub statuses: BTreeMap<u16, u64>,
    bodies: HashSet<u128>,
    sizes: Vec<u32>,
}

impl Summary {
    pub(super) fn count(&mut self, exchange: &Exchange) {
        self.captures += 1;
        self.body_bytes += exchange.body.len() as u64;
        *self.statuses.entry(exchange.status).or_default() += 1;
        if (200..300).contains(&exchange.status) {
            self.bodies.insert(xxh3_128(&exchange.body));
            self.sizes.push(u32::try_from(exchange.body.len()).unwrap_or(u32::MAX));
        }
    }

    /// Distinct bodies of 2xx captures.
    pub fn distinct_bodies(&self) -> u64 {
        self.bodies.len() as u64
    }

    /// 2xx captures.
    pub fn texts(&self) -> u64 {
        self.sizes.len() as u64
    }

    /// Bytes of the body below which so many per mille of the 2xx captures lie, for each number asked; 0 when there are
    /// none.
    pub fn size_quantiles<const N: usize>(&self, per_mille: [usize; N]) -> [u32; N] {
        let mut sizes = self.sizes.clone();
        sizes.sort_unstable();
        per_mille.map(|share| {
            let at = (sizes.len() * share / 1000).min(sizes.len().saturating_sub(1));
            sizes.get(at).copied().unwrap_or_default()
        })
    }
}

/// Share of `part` in `all` in tenths of a percent, rounded, as text.
fn percent(part: u64, all: u64) -> String {
    let tenths = (part * 1000 + all / 2).checked_div(all).unwrap_or_default();
    format!("{}.{} %", tenths / 10, tenths % 10)
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "captures         {:>12}  of {} sites", self.captures, self.sites)?;
        for (status, count) in &self.statuses {
            writeln!(f, "  status {status:<3}     {count:>12}  {}", percent(*count, self.captures))?;
        }
        let (texts, distinct) = (self.texts(), self.distinct_bodies());
        writeln!(f, "bodies of 2xx    {texts:>12}  {} repeat another", percent(texts - distinct, texts))?;
        writeln!(f, "  distinct       {distinct:>12}")?;
        let [p10, p50, p90, p99, most] = self.size_quantiles([100, 500, 900, 990, 1000]);
        writeln!(f, "  bytes          p10 {p10}, p50 {p50}, p90 {p90}, p99 {p99}, max {most}")?;
        writeln!(f, "bytes of bodies  {:>12}", self.body_bytes)?;
        writeln!(f, "bytes stored     {:>12}  in {} files", self.stored_bytes, self.files)
    }
}
