//! The one pass over the tables: origins, then every shard by itself, in parallel; what they count is merged.
//!
//! Memory: 13 bytes an origin, 4 more for those with a body, 4 a body; 32 an origin while those of one registered domain are
//! brought together; and a few words for each distinct name. A shard's own facts come on top, for as many shards as there are threads.

use super::ReportError;
use super::facts::{
    ACCESS, ALL, AgentInfo, AnswerFacts, BASES, BodyColumns, Context, Making, NAMED, NO_GROUP, NONE, PolicyFacts,
    STATUS, UNDECIDED, UNDEFINED, UNRESOLVED_BASIS, WILDCARD, place, reason_number,
};
use super::figure::{self, Base, Compute, Emit};
use super::figures::{DIFFERENCES, DisagreementFacts, FIGURES, agent_name};
use super::origins::{BodyNumbers, Lookups, NO_BODY, NO_TLD, Origins, SiblingPair};
use super::source::{Batch, Source, maybe, read, rows};
use super::sql::{NOT_COUNTED, UNRESOLVED};
use super::strata::{self, By, Hosts, MOST_TLDS, NO_TEMPLATE, NO_TEXT, OTHER_TLD, RANKS, REST, Ranks, WHOLE};
use super::tally::{DIMENSIONS, Key, Mix, Tally, Unit, Units};
use rayon::prelude::*;
use rep::{Outcome, Reason};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Mutex;
use xxhash_rust::xxh3::xxh3_128;

/// What to count, and by what to split it.
#[derive(Debug, Default)]
pub struct Questions {
    /// The dialect that figures speak for; the first of the scan when not given.
    pub dialect: Option<String>,
    /// What figures are split by.
    pub by: Option<By>,
    /// Ranks, for `By::Rank`.
    pub ranks: Option<Ranks>,
    /// Weights of hosts.
    pub weights: Option<Hosts<u64>>,
}

/// What a pass counted.
#[derive(Debug)]
pub struct Counted {
    /// The counts.
    pub tally: Tally,
    /// Names of the strata, by number; the first is the whole.
    pub strata: Vec<String>,
    /// Whether the strata are those of agents: then denominators are those of the whole.
    pub strata_of_agents: bool,
    /// The dialect that figures speak for.
    pub dialect: String,
    /// The dialects of the scan.
    pub dialects: Vec<String>,
    /// What all figures share.
    pub context: Context,
    /// The tables that were there.
    pub tables: BTreeSet<String>,
    /// How much there was.
    pub totals: Totals,
    /// What is counted although its redirects lead nowhere.
    pub unresolved: Units,
}

/// How much there is in an output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Totals {
    /// Origins.
    pub origins: u64,
    /// Registered domains.
    pub domains: u64,
    /// Captures, those of other URLs included.
    pub captures: u64,
    /// Captures whose URL is that of a robots.txt.
    pub robots_captures: u64,
    /// Bodies, distinct in their shards.
    pub bodies: u64,
    /// The weight of all origins; 0 without weights.
    pub weight: u64,
}

/// Counts everything that the figures of [`FIGURES`] show.
pub fn count(source: &Source, questions: &Questions) -> Result<Counted, ReportError> {
    let tables = source.tables()?;
    let dialects = source.dialects();
    let dialect = source.dialect(questions.dialect.as_deref())?;
    let context = context(source, &dialect, &dialects)?;

    let mut bodies = BodyNumbers::default();
    let body_parts = source.parts("bodies")?;
    for (shard, path) in &body_parts {
        bodies.add(*shard, rows(path)?)?;
    }
    let lookups = Lookups {
        ranks: questions.ranks.as_ref().filter(|_| questions.by == Some(By::Rank)),
        weights: questions.weights.as_ref(),
    };
    let (origins, siblings) = Origins::read(source, &bodies, lookups)?;
    let mut strata = Strata::new(questions, &origins, &context);
    if questions.by == Some(By::Template) {
        strata.read_templates(&body_parts, bodies.len())?;
    }

    let mut global = Global::default();
    // Words that are looked up even where nothing has them.
    ACCESS.iter().for_each(|word| _ = global.tally.word(word));
    let mut totals = Totals { origins: origins.len() as u64, bodies: bodies.len() as u64, ..Totals::default() };
    for at in 0..origins.len() {
        let origin = origins.get(at);
        totals.domains += u64::from(origin.stands_for_site);
        totals.weight = totals.weight.saturating_add(origin.weight);
        let answer = Answer {
            reason: origin.reason,
            status: origin.status,
            hops: origin.hops,
            other_host: origin.other_host,
            other_site: origin.other_site,
            tld: origin.tld,
            stratum: strata.of_origin(&origins, at),
            has_body: origin.body != NO_BODY,
        };
        global.answers.entry(answer).or_default().add(units_of(&origin));
    }
    let counting = Counting {
        dialect: &dialect,
        context: &context,
        bodies: &bodies,
        origins: &origins,
        strata: &strata,
        figures: Selected::new(&tables),
        has_verdicts: tables.contains("verdicts"),
        has_disagreements: tables.contains("disagreements"),
        tables: ["captures", "bodies", "verdicts", "sitemaps", "disagreements"]
            .into_iter()
            .map(|table| Ok((table, source.parts(table)?)))
            .collect::<Result<_, ReportError>>()?,
    };
    let global = Mutex::new(global);
    let spare = Mutex::new(Vec::new());
    let shards: BTreeSet<u32> = counting.tables.values().flat_map(|parts| parts.keys().copied()).collect();
    let shards: Vec<u32> = shards.into_iter().collect();
    shards.par_iter().try_for_each(|shard| {
        let mut matrix = lock(&spare).pop().unwrap_or_else(|| counting.matrix());
        let counted = counting.shard(*shard, &mut matrix);
        lock(&spare).push(matrix);
        let counted = counted?;
        let mut global = lock(&global);
        global.tally.merge(&counted.tally, is_word);
        global.robots_captures += counted.robots_captures;
        global.captures += counted.captures;
        for (answer, units) in counted.answers {
            global.answers.entry(answer).or_default().add(units);
        }
        Ok::<(), ReportError>(())
    })?;
    let mut global = global.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut matrix = counting.matrix();
    for other in spare.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        matrix.merge(&other);
    }
    (totals.captures, totals.robots_captures) = (global.captures, global.robots_captures);
    counting.finish(&mut global, &mut matrix, &siblings);
    Ok(Counted {
        tally: global.tally,
        strata_of_agents: questions.by == Some(By::Purpose),
        strata: strata.names,
        dialect,
        dialects,
        context,
        tables,
        totals,
        unresolved: global.unresolved,
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Which dimensions of a key are words.
fn is_word(figure: u16, at: usize) -> bool {
    match FIGURES.get(figure as usize) {
        Some(figure) => at < figure.dimensions.len(),
        None => figure == figure::NAMED,
    }
}

fn units_of(origin: &super::origins::Origin) -> Units {
    Units([1, u64::from(origin.stands_for_site), 0, origin.weight])
}

fn context(source: &Source, dialect: &str, dialects: &[String]) -> Result<Context, ReportError> {
    let mut context = Context::default();
    for path in source.parts("agents")?.values() {
        read(path, &["agent_id", "token", "operator", "purpose"], |batch| {
            let (token, operator, purpose) = (batch.texts("token")?, batch.texts("operator")?, batch.texts("purpose")?);
            for (row, id) in batch.integers("agent_id")?.into_iter().enumerate() {
                if id != Some(context.agents.len() as i64) {
                    return Err(batch.damaged("agents are not in the order of their ids"));
                }
                context.agents.push(AgentInfo {
                    token: token.value(row).to_owned(),
                    operator: maybe(operator, row).map(str::to_owned),
                    purpose: maybe(purpose, row).unwrap_or("(none given)").to_owned(),
                });
            }
            Ok(())
        })?;
    }
    for path in source.parts("probes")?.values() {
        read(path, &["probe_id", "probe", "origin"], |batch| {
            let (probe, origin) = (batch.texts("probe")?, batch.texts("origin")?);
            for (row, id) in batch.integers("probe_id")?.into_iter().enumerate() {
                if id != Some(context.probes.len() as i64) {
                    return Err(batch.damaged("probes are not in the order of their ids"));
                }
                context.probes.push(maybe(origin, row).is_none().then(|| probe.value(row).to_owned()));
            }
            Ok(())
        })?;
    }
    let mut outcomes: BTreeMap<String, Vec<Outcome>> = BTreeMap::new();
    for path in source.parts("outcomes")?.values() {
        read(path, &["dialect", "reason", "outcome"], |batch| {
            let (name, reason, outcome) = (batch.texts("dialect")?, batch.texts("reason")?, batch.texts("outcome")?);
            for row in 0..batch.len() {
                let number = reason_number(reason.value(row))
                    .ok_or_else(|| batch.damaged(&format!("the reason `{}` is not known", reason.value(row))))?;
                let outcome = [Outcome::Conditional, Outcome::FullAllow, Outcome::FullDisallow]
                    .into_iter()
                    .find(|known| known.as_str() == outcome.value(row))
                    .unwrap_or(Outcome::Undefined);
                let of_dialect = outcomes
                    .entry(name.value(row).to_owned())
                    .or_insert_with(|| vec![Outcome::Undefined; Reason::ALL.len()]);
                of_dialect[number as usize] = outcome;
            }
            Ok(())
        })?;
    }
    context.outcomes = outcomes.get(dialect).cloned().unwrap_or_else(|| vec![Outcome::Undefined; Reason::ALL.len()]);
    context.dialects = outcomes.into_iter().filter(|(name, _)| dialects.contains(name)).collect();
    Ok(context)
}

/// The strata, and how one is found.
struct Strata<'a> {
    names: Vec<String>,
    by: Option<By>,
    ranks: Option<&'a Ranks>,
    /// By number of the top-level domain.
    of_tlds: Vec<u16>,
    numbers: HashMap<String, u16>,
    /// By number of the body.
    of_bodies: Vec<u16>,
}

impl<'a> Strata<'a> {
    fn new(questions: &'a Questions, origins: &Origins, context: &Context) -> Strata<'a> {
        let mut strata = Strata {
            names: vec![WHOLE.to_owned()],
            by: questions.by,
            ranks: questions.ranks.as_ref(),
            of_tlds: Vec::new(),
            numbers: HashMap::new(),
            of_bodies: Vec::new(),
        };
        match questions.by {
            None => {}
            Some(By::Rank) => {
                let names = RANKS.iter().map(|(name, _)| *name).chain([REST]);
                names.for_each(|name| _ = strata.number(name));
            }
            Some(By::Purpose) => context.agents.iter().for_each(|agent| _ = strata.number(&agent.purpose)),
            Some(By::Template) => [NO_TEMPLATE, NO_TEXT].into_iter().for_each(|name| _ = strata.number(name)),
            Some(By::Tld) => {
                let mut counts = vec![0u64; origins.tlds.len()];
                for at in 0..origins.len() {
                    if let Some(count) = counts.get_mut(origins.get(at).tld as usize) {
                        *count += 1;
                    }
                }
                let mut order: Vec<usize> = (0..counts.len()).collect();
                order.sort_unstable_by_key(|tld| (std::cmp::Reverse(counts[*tld]), &origins.tlds[*tld]));
                order.iter().take(MOST_TLDS).for_each(|tld| _ = strata.number(&origins.tlds[*tld]));
                let other = strata.number(OTHER_TLD);
                strata.number(strata::NO_TLD);
                strata.of_tlds =
                    origins.tlds.iter().map(|tld| strata.numbers.get(tld).copied().unwrap_or(other)).collect();
            }
        }
        strata
    }

    /// The number of a stratum, which is new or not.
    fn number(&mut self, name: &str) -> u16 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len().min(u16::MAX as usize) as u16;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    fn read_templates(&mut self, parts: &BTreeMap<u32, PathBuf>, bodies: usize) -> Result<(), ReportError> {
        self.of_bodies.reserve(bodies);
        for path in parts.values() {
            read(path, &["template"], |batch| {
                let template = batch.texts("template")?;
                for row in 0..batch.len() {
                    let number = self.number(maybe(template, row).unwrap_or(NO_TEMPLATE));
                    self.of_bodies.push(number);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn of_origin(&self, origins: &Origins, at: usize) -> u16 {
        let origin = origins.get(at);
        match self.by {
            None | Some(By::Purpose) => 0,
            Some(By::Rank) => u16::from(origin.rank) + 1,
            Some(By::Tld) if origin.tld == NO_TLD => self.named(strata::NO_TLD),
            Some(By::Tld) => self.of_tlds.get(origin.tld as usize).copied().unwrap_or_default(),
            Some(By::Template) => self.of_body(origin.body),
        }
    }

    fn of_body(&self, body: u32) -> u16 {
        self.of_bodies.get(body as usize).copied().unwrap_or_else(|| self.named(NO_TEXT))
    }

    fn of_capture(&self, [host, site, tld]: [Option<&str>; 3], body: u32) -> u16 {
        match self.by {
            None | Some(By::Purpose) => 0,
            Some(By::Rank) => {
                self.ranks.map_or(0, |ranks| u16::from(ranks.stratum(host.unwrap_or_default(), site)) + 1)
            }
            Some(By::Tld) => match tld {
                None => self.named(strata::NO_TLD),
                Some(tld) => self.numbers.get(tld).copied().unwrap_or_else(|| self.named(OTHER_TLD)),
            },
            Some(By::Template) => self.of_body(body),
        }
    }

    fn named(&self, name: &str) -> u16 {
        self.numbers.get(name).copied().unwrap_or_default()
    }

    /// Whether captures need their host for it.
    fn needs_hosts(&self) -> bool {
        matches!(self.by, Some(By::Rank | By::Tld))
    }
}

/// Columns of `captures` that strata of hosts need.
const HOST_COLUMNS: [&str; 3] = ["url_host_name", "url_host_registered_domain", "url_host_tld"];

/// Answers that are alike for all figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Answer {
    reason: u8,
    status: Option<i16>,
    hops: u8,
    other_host: bool,
    other_site: bool,
    tld: u32,
    stratum: u16,
    has_body: bool,
}

impl Answer {
    fn reason(&self) -> Reason {
        Reason::ALL.get(self.reason as usize).copied().unwrap_or(Reason::NoAnswer)
    }
}

/// What all shards add to.
#[derive(Default)]
struct Global {
    tally: Tally,
    answers: HashMap<Answer, Units, Mix>,
    captures: u64,
    robots_captures: u64,
    unresolved: Units,
}

/// The figures by what they are computed from, those that lack their table left out.
#[derive(Default)]
struct Selected {
    answers: Vec<u16>,
    texts: Vec<u16>,
    policies: Vec<u16>,
}

impl Selected {
    fn new(tables: &BTreeSet<String>) -> Selected {
        let mut selected = Selected::default();
        for (number, figure) in FIGURES.iter().enumerate() {
            if figure.compute.needs().is_some_and(|table| !tables.contains(table)) {
                continue;
            }
            match figure.compute {
                Compute::Answers(_) => selected.answers.push(number as u16),
                Compute::Texts(_) => selected.texts.push(number as u16),
                Compute::Policies(_) => selected.policies.push(number as u16),
                _ => {}
            }
        }
        selected
    }
}

/// Units that have the same body, stratum and reason.
#[derive(Debug, Clone, Copy)]
struct Cell {
    row: u32,
    stratum: u16,
    reason: u8,
    units: Units,
}

/// Agents in numbers: by stratum, agent, basis and access; by probe; under a general block.
struct Matrix {
    agents: usize,
    probes: usize,
    access: Vec<Units>,
    probed: Vec<Units>,
    allowed: Vec<Units>,
}

impl Matrix {
    fn new(strata: usize, agents: usize, probes: usize) -> Matrix {
        let cells = strata * agents;
        Matrix {
            agents,
            probes,
            access: vec![Units::default(); cells * BASES.len() * ACCESS.len()],
            probed: vec![Units::default(); cells * probes * 2],
            allowed: vec![Units::default(); cells * ACCESS.len()],
        }
    }

    fn access(&self, stratum: usize, agent: usize, basis: usize, access: usize) -> usize {
        ((stratum * self.agents + agent) * BASES.len() + basis) * ACCESS.len() + access
    }

    fn probed(&self, stratum: usize, agent: usize, probe: usize, verdict: usize) -> usize {
        ((stratum * self.agents + agent) * self.probes + probe) * 2 + verdict
    }

    fn allowed(&self, stratum: usize, agent: usize, access: usize) -> usize {
        (stratum * self.agents + agent) * ACCESS.len() + access
    }

    fn merge(&mut self, other: &Matrix) {
        for (mine, others) in
            [(&mut self.access, &other.access), (&mut self.probed, &other.probed), (&mut self.allowed, &other.allowed)]
        {
            mine.iter_mut().zip(others).for_each(|(mine, other)| mine.add(*other));
        }
    }
}

/// The verdicts in which the probes of the matrix differ from `allow`.
const PROBED: [&str; 2] = ["disallow", "undefined"];

/// The rules that some agents follow, and what comes of them.
#[derive(Debug, Default)]
struct Shape {
    agents: Vec<i16>,
    basis: u8,
    access: u8,
    disallowed: Vec<i32>,
    undefined: Vec<i32>,
}

/// Rule sets of a shard, each kept once.
#[derive(Default)]
struct Shapes {
    numbers: HashMap<u128, u32, Mix>,
    shapes: Vec<Shape>,
    bytes: Vec<u8>,
}

impl Shapes {
    fn number(&mut self, agents: &[i16], basis: u8, access: u8, disallowed: &[i32], undefined: &[i32]) -> u32 {
        self.bytes.clear();
        self.bytes.extend([basis, access]);
        self.bytes.extend((agents.len() as u32).to_le_bytes());
        self.bytes.extend((disallowed.len() as u32).to_le_bytes());
        self.bytes.extend(agents.iter().flat_map(|id| id.to_le_bytes()));
        self.bytes.extend(disallowed.iter().chain(undefined).flat_map(|id| id.to_le_bytes()));
        let next = self.shapes.len() as u32;
        let number = *self.numbers.entry(xxh3_128(&self.bytes)).or_insert(next);
        if number == next {
            self.shapes.push(Shape {
                agents: agents.to_vec(),
                basis,
                access,
                disallowed: disallowed.to_vec(),
                undefined: undefined.to_vec(),
            });
        }
        number
    }
}

/// All rule sets of a body together: what the body lets every agent fetch. Bodies with the same ones are one policy.
struct Policy {
    making: Option<Making>,
    shapes: Vec<u32>,
    /// Units by stratum.
    units: Vec<(u16, Units)>,
}

#[derive(Default)]
struct Policies {
    numbers: HashMap<u128, u32, Mix>,
    policies: Vec<Policy>,
    bytes: Vec<u8>,
}

impl Policies {
    fn add(&mut self, making: Making, shapes: &[u32], cells: impl Iterator<Item = Cell>) {
        self.bytes.clear();
        self.bytes.extend([u8::from(making.template), u8::from(making.managed)]);
        self.bytes.extend(shapes.iter().flat_map(|shape| shape.to_le_bytes()));
        let next = self.policies.len() as u32;
        let number = *self.numbers.entry(xxh3_128(&self.bytes)).or_insert(next);
        if number == next {
            self.policies.push(Policy { making: Some(making), shapes: shapes.to_vec(), units: Vec::new() });
        }
        let Some(policy) = self.policies.get_mut(number as usize) else { return };
        for cell in cells {
            match policy.units.iter_mut().find(|(stratum, _)| *stratum == cell.stratum) {
                Some((_, units)) => units.add(cell.units),
                None => policy.units.push((cell.stratum, cell.units)),
            }
        }
    }
}

/// What a policy lets each agent fetch, and by what: written anew for every policy.
#[derive(Default)]
struct Spread {
    access: Vec<u8>,
    basis: Vec<u8>,
    keys: Vec<(u16, [u32; DIMENSIONS])>,
}

/// What shards are counted with.
struct Counting<'a> {
    dialect: &'a str,
    context: &'a Context,
    bodies: &'a BodyNumbers,
    origins: &'a Origins,
    strata: &'a Strata<'a>,
    figures: Selected,
    has_verdicts: bool,
    has_disagreements: bool,
    tables: HashMap<&'static str, BTreeMap<u32, PathBuf>>,
}

impl Counting<'_> {
    fn matrix(&self) -> Matrix {
        // Strata of agents are not those of answers: an agent is in one of them.
        let strata = if self.strata.by == Some(By::Purpose) { 1 } else { self.strata.names.len() };
        let agents = if self.has_verdicts { self.context.agents.len() } else { 0 };
        Matrix::new(strata, agents, self.context.probes.len())
    }

    fn part(&self, table: &str, shard: u32) -> Option<&PathBuf> {
        self.tables.get(table)?.get(&shard)
    }

    fn shard(&self, shard: u32, matrix: &mut Matrix) -> Result<Global, ReportError> {
        let mut counted = Global::default();
        let cells = self.cells(shard, &mut counted)?;
        let (_, rows) = self.bodies.of_shard(shard);
        let mut starts = Vec::with_capacity(rows as usize + 1);
        let mut at = 0;
        for row in 0..=rows {
            while cells.get(at).is_some_and(|cell| cell.row < row) {
                at += 1;
            }
            starts.push(at);
        }
        let of_row = |row: usize| -> &[Cell] {
            let at = |row: usize| starts.get(row).copied().unwrap_or(cells.len());
            cells.get(at(row)..at(row + 1)).unwrap_or_default()
        };
        let makings = self.texts(shard, &of_row, &mut counted.tally)?;
        if self.has_verdicts {
            self.verdicts(shard, &of_row, &makings, &mut counted.tally, matrix)?;
        }
        if self.has_disagreements {
            self.disagreements(shard, &of_row, &mut counted.tally)?;
        }
        Ok(counted)
    }

    /// Which units have which body of the shard, by row.
    fn cells(&self, shard: u32, counted: &mut Global) -> Result<Vec<Cell>, ReportError> {
        let (first, rows) = self.bodies.of_shard(shard);
        let mut cells = Vec::new();
        for row in 0..rows {
            for at in self.origins.of_body(first + row) {
                let origin = self.origins.get(*at as usize);
                let stratum = self.strata.of_origin(self.origins, *at as usize);
                cells.push(Cell { row, stratum, reason: origin.reason, units: units_of(&origin) });
            }
        }
        if let Some(path) = self.part("captures", shard) {
            let mut columns = vec!["is_robots_url", "fetch_status", "reason", "body_key"];
            if self.strata.needs_hosts() {
                columns.extend(HOST_COLUMNS);
            }
            read(path, &columns, |batch| self.captures(batch, shard, counted, &mut cells))?;
        }
        cells.sort_unstable_by_key(|cell| (cell.row, cell.stratum, cell.reason));
        let mut merged: Vec<Cell> = Vec::new();
        for cell in cells {
            match merged.last_mut() {
                Some(last) if (last.row, last.stratum, last.reason) == (cell.row, cell.stratum, cell.reason) => {
                    last.units.add(cell.units);
                }
                _ => merged.push(cell),
            }
        }
        Ok(merged)
    }

    fn captures(
        &self,
        batch: &Batch<'_>,
        shard: u32,
        counted: &mut Global,
        cells: &mut Vec<Cell>,
    ) -> Result<(), ReportError> {
        let (is_robots, reason) = (batch.flags("is_robots_url")?, batch.texts("reason")?);
        let (status, body_key) = (batch.integers("fetch_status")?, batch.longs("body_key")?);
        let hosts = match self.strata.needs_hosts() {
            true => Some(HOST_COLUMNS.map(|name| batch.texts(name))),
            false => None,
        };
        let hosts = match hosts {
            Some([host, site, tld]) => Some([host?, site?, tld?]),
            None => None,
        };
        let (first, rows) = self.bodies.of_shard(shard);
        let units = Units::of(Unit::Capture, 1);
        counted.captures += batch.len() as u64;
        for row in 0..batch.len() {
            if !is_robots.value(row) {
                continue;
            }
            counted.robots_captures += 1;
            let number = reason_number(reason.value(row))
                .ok_or_else(|| batch.damaged(&format!("the reason `{}` is not known", reason.value(row))))?;
            let body_row = match maybe(body_key, row) {
                None => None,
                Some(key) => Some(
                    u32::try_from(key ^ i64::from(shard) << 32)
                        .ok()
                        .filter(|row| *row < rows)
                        .ok_or_else(|| batch.damaged(&format!("no body of its shard has the key {key}")))?,
                ),
            };
            let host = hosts.map_or([None; 3], |columns| columns.map(|column| maybe(column, row)));
            let stratum = self.strata.of_capture(host, body_row.map_or(NO_BODY, |row| first + row));
            let answer = Answer {
                reason: number,
                status: status[row].and_then(|status| i16::try_from(status).ok()),
                hops: 0,
                other_host: false,
                other_site: false,
                tld: NO_TLD,
                stratum,
                has_body: body_row.is_some(),
            };
            counted.answers.entry(answer).or_default().add(units);
            if let Some(row) = body_row {
                cells.push(Cell { row, stratum, reason: number, units });
            }
        }
        Ok(())
    }

    /// Counts every text, and tells how each body of the shard was made.
    fn texts<'c>(
        &self,
        shard: u32,
        of_row: &impl Fn(usize) -> &'c [Cell],
        tally: &mut Tally,
    ) -> Result<Vec<Making>, ReportError> {
        let mut makings = Vec::new();
        let Some(path) = self.part("bodies", shard) else { return Ok(makings) };
        let relative = self.relative_sitemaps(shard)?;
        let mut keys = Vec::new();
        read(path, &BodyColumns::NAMES, |batch| {
            let columns = BodyColumns::new(batch)?;
            for row in 0..columns.len() {
                let at = makings.len();
                makings.push(columns.making(row));
                if columns.key(row) != i64::from(shard) << 32 | at as i64 {
                    return Err(batch.damaged("bodies are not in the order of their keys"));
                }
                let cells = of_row(at);
                if !cells.iter().any(|cell| cell.reason == SUCCESS) {
                    continue;
                }
                let text = columns.text(row, relative.get(&(at as u32)).copied().unwrap_or_default());
                keys.clear();
                for number in &self.figures.texts {
                    let Some(Compute::Texts(emit)) = FIGURES.get(*number as usize).map(|figure| figure.compute) else {
                        continue;
                    };
                    let start = keys.len();
                    emit(&text, &mut Emit { tally, figure: *number, keys: &mut keys });
                    once(&mut keys, start);
                }
                if text.is_robots() {
                    keys.push((base_key(Base::Robots), [0; DIMENSIONS]));
                    let mut named: Vec<(String, &str)> =
                        text.agents().map(|agent| (agent_name(&agent), agent.access)).collect();
                    named.sort_unstable();
                    named.dedup_by(|later, first| later.0 == first.0);
                    let star = named.iter().find(|(name, _)| name == "*").map_or("-", |(_, access)| *access);
                    for (name, access) in &named {
                        let words = [name.as_str(), access, star].map(|word| tally.word(word));
                        keys.push((figure::NAMED, words));
                    }
                }
                keys.push((base_key(Base::Text), [0; DIMENSIONS]));
                add(tally, &keys, cells.iter().filter(|cell| cell.reason == SUCCESS).map(|c| (c.stratum, c.units)));
            }
            Ok(())
        })?;
        Ok(makings)
    }

    /// Sitemap lines of the shard's bodies, by row, that are no absolute URL.
    fn relative_sitemaps(&self, shard: u32) -> Result<HashMap<u32, u32, Mix>, ReportError> {
        let mut relative: HashMap<u32, u32, Mix> = HashMap::default();
        if let Some(path) = self.part("sitemaps", shard) {
            read(path, &["body_key", "is_absolute"], |batch| {
                let (key, is_absolute) = (batch.longs("body_key")?, batch.flags("is_absolute")?);
                for row in (0..batch.len()).filter(|row| !is_absolute.value(*row)) {
                    *relative.entry(key.value(row) as u32).or_default() += 1;
                }
                Ok(())
            })?;
        }
        Ok(relative)
    }

    fn verdicts<'c>(
        &self,
        shard: u32,
        of_row: &impl Fn(usize) -> &'c [Cell],
        makings: &[Making],
        tally: &mut Tally,
        matrix: &mut Matrix,
    ) -> Result<(), ReportError> {
        let Some(path) = self.part("verdicts", shard) else { return Ok(()) };
        let (mut shapes, mut policies) = (Shapes::default(), Policies::default());
        let mut current: Option<i64> = None;
        let mut of_body: Vec<u32> = Vec::new();
        let mut flush = |key: Option<i64>, of_body: &mut Vec<u32>| {
            if let Some(key) = key.filter(|_| !of_body.is_empty()) {
                let row = key as u32 as usize;
                let making = makings.get(row).copied().unwrap_or_default();
                let conditional = of_row(row).iter().filter(|cell| self.is_conditional(cell.reason)).copied();
                policies.add(making, of_body, conditional);
            }
            of_body.clear();
        };
        let columns = ["body_key", "dialect", "agents", "basis", "access", "disallowed", "undefined"];
        // Lists are read with what is in them.
        read(path, &columns, |batch| {
            let (key, dialect, basis, access) =
                (batch.longs("body_key")?, batch.texts("dialect")?, batch.texts("basis")?, batch.texts("access")?);
            let agents = batch.short_lists("agents")?;
            let (disallowed, undefined) = (batch.int_lists("disallowed")?, batch.int_lists("undefined")?);
            for row in 0..batch.len() {
                if dialect.value(row) != self.dialect {
                    continue;
                }
                let key = key.value(row);
                if current != Some(key) {
                    if current.is_some_and(|current| current > key) {
                        return Err(batch.damaged("verdicts are not in the order of their bodies"));
                    }
                    flush(current, &mut of_body);
                    current = Some(key);
                }
                if of_row(key as u32 as usize).is_empty() {
                    continue;
                }
                let access = maybe(access, row).map_or(UNDECIDED, |access| place(&ACCESS, access, UNDECIDED));
                of_body.push(shapes.number(
                    agents.row(row),
                    place(&BASES, basis.value(row), NO_GROUP),
                    access,
                    disallowed.row(row),
                    undefined.row(row),
                ));
            }
            Ok(())
        })?;
        flush(current, &mut of_body);
        let mut spread = Spread::default();
        for policy in policies.policies.iter().filter(|policy| !policy.units.is_empty()) {
            let shapes: Vec<&Shape> =
                policy.shapes.iter().filter_map(|shape| shapes.shapes.get(*shape as usize)).collect();
            self.expand(policy, &shapes, tally, matrix, &mut spread);
        }
        Ok(())
    }

    fn is_conditional(&self, reason: u8) -> bool {
        self.context.outcomes.get(reason as usize) == Some(&Outcome::Conditional)
    }

    /// Adds a policy to every figure about agents.
    fn expand(&self, policy: &Policy, shapes: &[&Shape], tally: &mut Tally, matrix: &mut Matrix, spread: &mut Spread) {
        let agents = self.context.agents.len();
        let Spread { access, basis, keys } = spread;
        access.clear();
        access.resize(agents, ALL);
        basis.clear();
        basis.resize(agents, NO_GROUP);
        let is_general_block = shapes.iter().any(|shape| shape.basis == WILDCARD && shape.access == NONE);
        // The whole is a stratum like any other.
        let mut units: Vec<(u16, Units)> = policy.units.iter().filter(|(stratum, _)| *stratum != 0).copied().collect();
        let mut whole = Units::default();
        policy.units.iter().for_each(|(_, units)| whole.add(*units));
        units.push((0, whole));
        for shape in shapes {
            for agent in shape.agents.iter().filter_map(|id| usize::try_from(*id).ok()).filter(|id| *id < agents) {
                (access[agent], basis[agent]) = (shape.access, shape.basis);
                let is_allowed = is_general_block && shape.basis == NAMED && shape.access < NONE;
                for (stratum, units) in &units {
                    let stratum = *stratum as usize;
                    let at = matrix.access(stratum, agent, shape.basis as usize, shape.access as usize);
                    matrix.access[at].add(*units);
                    for (verdict, probes) in [&shape.disallowed, &shape.undefined].into_iter().enumerate() {
                        for probe in probes.iter().filter_map(|id| usize::try_from(*id).ok()) {
                            let at = matrix.probed(stratum, agent, probe, verdict);
                            if probe < matrix.probes {
                                matrix.probed[at].add(*units);
                            }
                        }
                    }
                    if is_allowed {
                        let at = matrix.allowed(stratum, agent, shape.access as usize);
                        matrix.allowed[at].add(*units);
                    }
                }
            }
        }
        keys.clear();
        let facts = PolicyFacts { access, basis, text: policy.making };
        for number in &self.figures.policies {
            let figure = FIGURES.get(*number as usize).map(|figure| figure.compute);
            let Some(Compute::Policies(emit)) = figure else { continue };
            let start = keys.len();
            emit(&facts, self.context, &mut Emit { tally, figure: *number, keys });
            once(keys, start);
        }
        if is_general_block {
            keys.push((base_key(Base::GeneralBlock), [0; DIMENSIONS]));
        }
        add(tally, keys, policy.units.iter().copied());
    }

    fn disagreements<'c>(
        &self,
        shard: u32,
        of_row: &impl Fn(usize) -> &'c [Cell],
        tally: &mut Tally,
    ) -> Result<(), ReportError> {
        let figure = FIGURES.iter().position(|figure| matches!(figure.compute, Compute::Disagreements));
        let (Some(path), Some(figure)) = (self.part("disagreements", shard), figure) else { return Ok(()) };
        let columns =
            ["body_key", "dialect_a", "dialect_b", "verdict_a", "verdict_b", "probes", "access_a", "access_b"];
        let mut current: Option<i64> = None;
        let mut keys: Vec<(u16, [u32; DIMENSIONS])> = Vec::new();
        fn flush<'c>(
            tally: &mut Tally,
            keys: &mut Vec<(u16, [u32; DIMENSIONS])>,
            key: Option<i64>,
            of_row: &impl Fn(usize) -> &'c [Cell],
        ) {
            once(keys, 0);
            let cells = key.map_or(&[][..], |key| of_row(key as u32 as usize));
            add(tally, keys, cells.iter().filter(|cell| cell.reason == SUCCESS).map(|c| (c.stratum, c.units)));
            keys.clear();
        }
        read(path, &columns, |batch| {
            let key = batch.longs("body_key")?;
            let (dialect_a, dialect_b) = (batch.texts("dialect_a")?, batch.texts("dialect_b")?);
            let (verdict_a, verdict_b) = (batch.texts("verdict_a")?, batch.texts("verdict_b")?);
            let (access_a, access_b) = (batch.texts("access_a")?, batch.texts("access_b")?);
            let probes = batch.int_lists("probes")?;
            for row in 0..batch.len() {
                if current != Some(key.value(row)) {
                    if current.is_some_and(|current| current > key.value(row)) {
                        return Err(batch.damaged("disagreements are not in the order of their bodies"));
                    }
                    flush(tally, &mut keys, current, of_row);
                    current = Some(key.value(row));
                }
                let facts = DisagreementFacts {
                    verdicts: [maybe(verdict_a, row), maybe(verdict_b, row)],
                    probes: probes.row(row).len(),
                    access: [access_a.value(row), access_b.value(row)],
                };
                let (a, b) = (dialect_a.value(row), dialect_b.value(row));
                let dialects = tally.word(&format!("{} / {}", a.min(b), a.max(b)));
                for (name, _, _) in DIFFERENCES.iter().filter(|(_, _, differs)| differs(&facts)) {
                    let key = (figure as u16, [dialects, tally.word(name), 0]);
                    if !keys.contains(&key) {
                        keys.push(key);
                    }
                }
            }
            Ok(())
        })?;
        flush(tally, &mut keys, current, of_row);
        Ok(())
    }

    /// What is known only when all shards are done: answers without a text, and the figures that come from the matrix.
    fn finish(&self, global: &mut Global, matrix: &mut Matrix, siblings: &[SiblingPair]) {
        let answers = std::mem::take(&mut global.answers);
        let tally = &mut global.tally;
        let mut keys = Vec::new();
        let mut by_status: BTreeMap<(u8, u8), Vec<(u16, Units)>> = BTreeMap::new();
        for (answer, units) in &answers {
            let reason = answer.reason();
            let facts = AnswerFacts {
                reason,
                status: answer.status,
                hops: answer.hops,
                other_host: answer.other_host,
                other_site: answer.other_site,
                tld: self.origins.tlds.get(answer.tld as usize).map(String::as_str),
                is_counted: !NOT_COUNTED.contains(&reason),
            };
            keys.clear();
            for number in &self.figures.answers {
                let figure = FIGURES.get(*number as usize).map(|figure| figure.compute);
                let Some(Compute::Answers(emit)) = figure else { continue };
                let start = keys.len();
                emit(&facts, self.context, &mut Emit { tally, figure: *number, keys: &mut keys });
                once(&mut keys, start);
            }
            if facts.is_counted && UNRESOLVED.contains(&reason) {
                global.unresolved.add(*units);
            }
            if facts.is_counted {
                keys.push((base_key(Base::Counted), [0; DIMENSIONS]));
            }
            add(tally, &keys, [(answer.stratum, *units)].into_iter());
            if facts.is_counted && !(self.is_conditional(answer.reason) && answer.has_body) {
                let outcome = self.context.outcomes.get(answer.reason as usize).copied();
                let access = match outcome {
                    Some(Outcome::FullAllow | Outcome::Conditional) => ALL,
                    Some(Outcome::FullDisallow) => NONE,
                    _ => UNDEFINED,
                };
                let basis = match outcome {
                    Some(Outcome::Conditional) => NO_GROUP,
                    _ if UNRESOLVED.contains(&reason) => UNRESOLVED_BASIS,
                    _ => STATUS,
                };
                let strata = by_status.entry((basis, access)).or_default();
                match strata.iter_mut().find(|(stratum, _)| *stratum == answer.stratum) {
                    Some((_, sum)) => sum.add(*units),
                    None => strata.push((answer.stratum, *units)),
                }
            }
        }
        if self.has_verdicts {
            let mut spread = Spread::default();
            let probes: Vec<i32> = (0..self.context.probes.len() as i32).collect();
            for ((basis, access), units) in by_status {
                let shape = Shape {
                    agents: (0..self.context.agents.len()).filter_map(|id| i16::try_from(id).ok()).collect(),
                    basis,
                    access,
                    disallowed: if access == NONE { probes.clone() } else { Vec::new() },
                    undefined: if access == UNDEFINED { probes.clone() } else { Vec::new() },
                };
                let policy = Policy { making: None, shapes: Vec::new(), units };
                self.expand(&policy, &[&shape], tally, matrix, &mut spread);
            }
            self.read_matrix(tally, matrix);
        }
        if let Some(figure) = FIGURES.iter().position(|figure| matches!(figure.compute, Compute::Siblings)) {
            for (stands, pair, agreement) in siblings {
                let stratum = self.strata.of_origin(self.origins, *stands as usize);
                let words = [tally.word(pair), tally.word(agreement), 0];
                add(tally, &[(figure as u16, words)], [(stratum, Units::of(Unit::Domain, 1))].into_iter());
            }
        }
    }

    fn read_matrix(&self, tally: &mut Tally, matrix: &Matrix) {
        let by_purpose = self.strata.by == Some(By::Purpose);
        let strata = if by_purpose { 1 } else { self.strata.names.len() };
        for (number, figure) in FIGURES.iter().enumerate().filter(|(_, figure)| figure.compute.is_by_agent()) {
            for (id, agent) in self.context.agents.iter().enumerate() {
                let name = tally.word(&agent.token);
                let put = |tally: &mut Tally, stratum: usize, words: [u32; DIMENSIONS], units: Units| {
                    let mut key = Key { figure: number as u16, stratum: stratum as u16, dimensions: words };
                    tally.add(key, units);
                    if by_purpose {
                        key.stratum = self.strata.named(&agent.purpose);
                        tally.add(key, units);
                    }
                };
                for stratum in 0..strata {
                    match figure.compute {
                        Compute::AgentAccess => {
                            for (b, basis) in BASES.iter().enumerate() {
                                for (a, access) in ACCESS.iter().enumerate() {
                                    let words = [name, tally.word(access), tally.word(basis)];
                                    put(tally, stratum, words, matrix.access[matrix.access(stratum, id, b, a)]);
                                }
                            }
                        }
                        Compute::AllowLists => {
                            for (a, access) in ACCESS.iter().enumerate() {
                                let words = [name, tally.word(access), 0];
                                put(tally, stratum, words, matrix.allowed[matrix.allowed(stratum, id, a)]);
                            }
                        }
                        _ => {
                            let probes = self.context.probes.iter().enumerate();
                            for (p, probe) in probes.filter_map(|(p, probe)| Some((p, probe.as_ref()?))) {
                                for (v, verdict) in PROBED.iter().enumerate() {
                                    let words = [name, tally.word(probe), tally.word(verdict)];
                                    put(tally, stratum, words, matrix.probed[matrix.probed(stratum, id, p, v)]);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Place of [`Reason::Success`], which is the first.
const SUCCESS: u8 = Reason::Success as u8;

fn base_key(base: Base) -> u16 {
    base.key().unwrap_or(figure::FIRST_BASE)
}

/// Removes what occurs twice from `start` on.
fn once(keys: &mut Vec<(u16, [u32; DIMENSIONS])>, start: usize) {
    if keys.len() < start + 2 {
        return;
    }
    keys[start..].sort_unstable();
    let mut kept = start + 1;
    for at in start + 1..keys.len() {
        if keys[at] != keys[kept - 1] {
            keys[kept] = keys[at];
            kept += 1;
        }
    }
    keys.truncate(kept);
}

/// Counts under each of the keys, in the whole and in each stratum.
fn add(tally: &mut Tally, keys: &[(u16, [u32; DIMENSIONS])], strata: impl Iterator<Item = (u16, Units)> + Clone) {
    let mut whole = Units::default();
    strata.clone().for_each(|(_, units)| whole.add(units));
    for (figure, dimensions) in keys {
        tally.add(Key { figure: *figure, stratum: 0, dimensions: *dimensions }, whole);
        for (stratum, units) in strata.clone().filter(|(stratum, _)| *stratum != 0) {
            tally.add(Key { figure: *figure, stratum, dimensions: *dimensions }, units);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_twice_counts_once() {
        let mut keys = vec![(1, [5, 0, 0]), (2, [3, 0, 0]), (2, [1, 0, 0]), (2, [3, 0, 0])];
        once(&mut keys, 1);
        assert_eq!(keys, [(1, [5, 0, 0]), (2, [1, 0, 0]), (2, [3, 0, 0])]);
        once(&mut keys, 3);
        assert_eq!(keys.len(), 3);
    }

    #[test]
    fn success_is_where_it_is_looked_for() {
        assert_eq!(reason_number("success"), Some(SUCCESS));
    }

    #[test]
    fn the_same_rule_sets_are_one_policy() {
        let mut shapes = Shapes::default();
        let a = shapes.number(&[0, 1], NAMED, NONE, &[1], &[]);
        let b = shapes.number(&[0, 1], NAMED, NONE, &[], &[1]);
        assert_ne!(a, b);
        assert_eq!(shapes.number(&[0, 1], NAMED, NONE, &[1], &[]), a);
        let mut policies = Policies::default();
        let cell = |stratum| Cell { row: 0, stratum, reason: SUCCESS, units: Units::of(Unit::Origin, 1) };
        policies.add(Making::default(), &[a, b], [cell(1), cell(1)].into_iter());
        policies.add(Making::default(), &[a, b], [cell(2)].into_iter());
        policies.add(Making { template: true, managed: false }, &[a, b], [cell(1)].into_iter());
        assert_eq!(policies.policies.len(), 2);
        assert_eq!(policies.policies[0].units.len(), 2);
        assert_eq!(policies.policies[0].units[0].1.get(Unit::Origin), 2);
    }
}
