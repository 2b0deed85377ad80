//! RESOLVE: captures to origins. Chooses the capture that stands for a URL, follows redirects inside the snapshot, and writes the
//! table `origins`.
//!
//! Three passes over a few columns of `captures`. The first reduces each capture to 20 bytes, sorted by URL, and each redirect to
//! 12 more; from these the URLs that redirects hang on become a graph (see `graph`). The second fetches what the captures further
//! down the chains have to say, the third writes a row an origin, in the part of the capture that stands for it. What does not
//! fit in memory is sorted in temporary files of the output folder.
//!
//! Nothing depends on the number of threads or on the memory: all orders are total.

mod captures;
mod chain;
mod graph;
mod join;
mod sorter;
#[cfg(test)]
mod tests;

pub use join::join;

use crate::classify::address::canonical;
use crate::output::{
    Manifest, Metadata, NamedSet, OutputError, PartFile, PendingFolder, ReasonCount, Resolution, clean_leftovers,
    foreign_in_table, lock, read_commits,
};
use crate::pipeline::log::Log;
use crate::pipeline::progress::{Display, Progress, ProgressMode};
use crate::pipeline::sample::Sample;
use crate::table::{Origins, Outcomes, SCHEMA_VERSION, Table};
use arrow::datatypes::TimestampMicrosecondType;
use captures::{Files, Part};
use chain::{Request, Response, Rows, Story};
use graph::{Candidate, Edge, End, Entry, Graph};
use rayon::prelude::*;
use rep::Reason;
use serde_json::Value;
use sorter::Sorter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Redirects that can be followed at most.
pub const MOST_HOPS: u8 = 20;
/// Bytes of memory a capture, when nothing else is said.
pub const BYTES_A_CAPTURE: u64 = 24;
/// The least memory that is worth while.
pub const LEAST_MEMORY: u64 = 16 << 20;

/// What `resolve` is told.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Redirects to follow, at most [`MOST_HOPS`].
    pub max_hops: u8,
    /// Bytes of memory for what grows with the captures; `None` takes [`BYTES_A_CAPTURE`] each, and [`LEAST_MEMORY`] at least.
    pub memory: Option<u64>,
    /// Worker threads; `None` takes all cores.
    pub threads: Option<usize>,
    /// How progress is told.
    pub progress: ProgressMode,
    /// Where messages go.
    pub log: Log,
}

/// What was done.
#[derive(Debug)]
pub struct Resolved {
    /// The manifest, `origins` included.
    pub manifest: Manifest,
    /// Bytes that went through temporary files.
    pub spilled: u64,
}

/// Why there are no origins.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// Reading or writing failed.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The folder holds no finished scan.
    #[error("`{}` is no finished scan ({why}); run `robocensus scan` with `-o {}` to its end first", out.display(), out.display())]
    NotFinished {
        /// The folder.
        out: PathBuf,
        /// What is missing.
        why: String,
    },
    /// Another version of the program wrote it.
    #[error("`{}` has tables of version {found}, this program reads version {SCHEMA_VERSION}; scan again", out.display())]
    OtherSchema {
        /// The folder.
        out: PathBuf,
        /// Its version.
        found: u32,
    },
    /// More captures than can be numbered.
    #[error("more than 4,294,967,294 captures cannot be resolved at once; resolve crawls one by one")]
    TooManyCaptures,
    /// The outputs to join do not belong together.
    #[error("{0}")]
    NoJoin(String),
    /// The pool of threads could not be made.
    #[error("cannot start {0} threads: {1}")]
    Threads(usize, String),
}

/// Writes `OUT/origins`, or writes it anew, and tells the manifest of it. Until that is done the output is as it was, or without
/// origins where it had some.
pub fn resolve(out: &Path, options: &Options) -> Result<Resolved, ResolveError> {
    let not_finished = |why: &str| ResolveError::NotFinished { out: out.to_owned(), why: why.to_owned() };
    if !out.is_dir() {
        return Err(not_finished("there is no such folder"));
    }
    let Some(mut manifest) = Manifest::read(out)? else { return Err(not_finished("it has no manifest.json")) };
    if manifest.schema_version != SCHEMA_VERSION {
        return Err(ResolveError::OtherSchema { out: out.to_owned(), found: manifest.schema_version });
    }
    // Only the files that are read matter: former origins are replaced whatever they are.
    manifest.set_origins(None);
    if let Some(missing) = manifest.tables.iter().flat_map(|table| &table.files).find(|file| !file.is_as_stated(out)) {
        return Err(not_finished(&format!("{} is missing or has another size", missing.path)));
    }
    let _lock = lock(out)?;
    if let Some(found) = foreign_in_table(out, Origins::NAME)? {
        return Err(OutputError::Foreign { path: out.to_owned(), found }.into());
    }
    clean_leftovers(out, None)?;
    let commits = read_commits(out)?;
    if commits.len() as u64 != manifest.shards {
        return Err(not_finished("_shards does not hold the commits that manifest.json speaks of"));
    }
    let (parts, files) = captures::parts(out, &manifest, &commits)?;
    let threads = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let threads = threads.min(parts.len()).max(1);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|number| format!("resolver-{number}"))
        .build()
        .map_err(|source| ResolveError::Threads(threads, source.to_string()))?;
    let bytes: u64 = parts.iter().map(|part| part.bytes).sum();
    let progress = Arc::new(Progress::new(PASSES * bytes, PASSES * parts.len() as u64));
    let display = Display::start(&progress, options.progress, options.log);
    let rows = u64::from(parts.last().map_or(0, Part::end));
    let memory = options.memory.unwrap_or(rows * BYTES_A_CAPTURE).max(LEAST_MEMORY);
    let run = Run {
        out,
        files: &files,
        parts: &parts,
        coverage: Coverage::of(&manifest),
        outcomes: outcomes(out, &manifest)?,
        metadata: metadata(&manifest),
        seed: xxh3_64(manifest.configuration_hash.as_bytes()),
        max_hops: options.max_hops.min(MOST_HOPS),
        memory: usize::try_from(memory).unwrap_or(usize::MAX),
        threads,
        progress: &progress,
    };
    let folder = PendingFolder::create(&out.join(Origins::NAME))?;
    let written = pool.install(|| run.run(folder.path()))?;
    drop(display);
    // From here on a killed run leaves an output without origins, then one with all of them.
    if out.join(Origins::NAME).exists() {
        manifest.write(out)?;
    }
    folder.publish()?;
    let resolution = Resolution { max_hops: run.max_hops, origins: written.counts };
    manifest.set_origins(Some((resolution, written.files)));
    manifest.write(out)?;
    Ok(Resolved { manifest, spilled: written.spilled })
}

/// How often the captures are read.
const PASSES: u64 = 3;

/// What each reason means in the first dialect, by the run's own table: it may have been told to judge otherwise than usual.
fn outcomes(out: &Path, manifest: &Manifest) -> Result<Vec<String>, OutputError> {
    let path = out.join(format!("{}.parquet", Outcomes::NAME));
    let mut first = manifest.configuration["dialects"][0].as_str().map(str::to_owned);
    let mut outcomes = vec![String::new(); Reason::ALL.len()];
    captures::read_batches(&path, &["dialect", "reason", "outcome"], |batch| {
        let [dialects, reasons, words] = [batch.text("dialect")?, batch.text("reason")?, batch.text("outcome")?];
        for row in 0..batch.rows() {
            let (Some(dialect), Some(reason), Some(word)) = (dialects.get(row), reasons.get(row), words.get(row))
            else {
                continue;
            };
            let is_first = first.get_or_insert_with(|| dialect.to_owned()) == dialect;
            let slot = reason_of(reason).and_then(|reason| outcomes.get_mut(reason as usize));
            if let (true, Some(slot)) = (is_first, slot) {
                word.clone_into(slot);
            }
        }
        Ok(())
    })?;
    match Reason::ALL.iter().zip(&outcomes).find(|(_, outcome)| outcome.is_empty()) {
        Some((reason, _)) => {
            let detail = format!("it has no outcome for {} in the first dialect", reason.as_str());
            Err(OutputError::Damaged { path, detail })
        }
        None => Ok(outcomes),
    }
}

/// The reason of this name.
fn reason_of(name: &str) -> Option<Reason> {
    Reason::ALL.iter().copied().find(|reason| reason.as_str() == name)
}

/// What the files of the scan say of themselves, for those of `origins`.
fn metadata(manifest: &Manifest) -> Metadata {
    let configuration = &manifest.configuration;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let set =
        |name: &str| NamedSet { name: text(&configuration[name]["name"]), hash: text(&configuration[name]["hash"]) };
    Metadata {
        dialects: configuration["dialects"].as_array().into_iter().flatten().map(text).collect(),
        http: Metadata::http_words(&configuration["http"]),
        agents: set("agents"),
        probes: set("probes"),
        configuration_hash: manifest.configuration_hash.clone(),
    }
}

/// Which part of the crawl was read.
#[derive(Debug, Clone, Copy)]
struct Coverage {
    /// Whether anything may be missing, whatever its site.
    partial: bool,
    /// The sites that were kept.
    sample: Option<Sample>,
}

/// Options of `scan` that, where they are set, leave out captures of any site.
const PARTIAL: [&str; 2] = ["limit", "index"];

impl Coverage {
    fn of(manifest: &Manifest) -> Coverage {
        let configuration = &manifest.configuration;
        let is_set = |name: &str| !matches!(configuration[name], Value::Null | Value::Bool(false));
        Coverage {
            partial: manifest.selection.is_some() || PARTIAL.into_iter().any(is_set),
            sample: configuration["sample"].as_str().and_then(|text| text.parse().ok()),
        }
    }

    /// Whether this URL may have been captured and not been read. A sample keeps or leaves out whole sites, so a target on one
    /// that it keeps is missing for good.
    fn may_lack(&self, host: &str, registered_domain: Option<&str>) -> bool {
        self.partial || self.sample.is_some_and(|sample| !sample.keeps(registered_domain, host))
    }
}

/// One bit a capture.
struct RowSet(Vec<u64>);

impl RowSet {
    fn new(rows: u32) -> RowSet {
        RowSet(vec![0; rows as usize / 64 + 1])
    }

    fn insert(&mut self, row: u32) {
        if let Some(word) = self.0.get_mut(row as usize / 64) {
            *word |= 1 << (row % 64);
        }
    }

    fn contains(&self, row: u32) -> bool {
        self.0.get(row as usize / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }
}

/// What the passes share.
struct Run<'r> {
    out: &'r Path,
    files: &'r Files,
    parts: &'r [Part],
    coverage: Coverage,
    /// By reason, in the order of [`Reason::ALL`].
    outcomes: Vec<String>,
    metadata: Metadata,
    /// Makes the hashes of URLs differ from run to run of different inputs, so that nobody can prepare two that collide.
    seed: u64,
    max_hops: u8,
    memory: usize,
    threads: usize,
    progress: &'r Progress,
}

/// What the last pass wrote.
struct Written {
    files: Vec<PartFile>,
    counts: Vec<ReasonCount>,
    spilled: u64,
}

impl Run<'_> {
    fn run(&self, folder: &Path) -> Result<Written, OutputError> {
        let (entries, edges) = self.first_pass()?;
        let (entries, edges) = (entries.sorted()?, edges.sorted()?);
        let mut spilled = entries.spilled() + edges.spilled();
        let mut chosen = RowSet::new(self.parts.last().map_or(0, Part::end));
        let mut stories = Sorter::<Story>::new(self.out, self.memory / 8);
        let mut requests = Sorter::<Request>::new(self.out, self.memory / 8);
        let graph = Graph::build(entries, edges, self.files, self.max_hops, |row, captures| {
            chosen.insert(row);
            // Most origins have one capture and that is all there is to say.
            if captures > 1 {
                stories.push(Story { row, captures, end: End::Captured, hops: 0, success: false })?;
            }
            Ok(())
        })?;
        for (walk, captures) in graph.walks() {
            let Some((row, further)) = walk.rows.split_first() else { continue };
            chosen.insert(*row);
            stories.push(Story { row: *row, captures, end: walk.end, hops: walk.hops, success: walk.success })?;
            for (at, capture) in further.iter().enumerate() {
                let hop = at as u8 + 1;
                let is_last = at + 1 == further.len();
                requests.push(Request { capture: *capture, row: *row, hop, is_last, onward: hop < walk.hops })?;
            }
        }
        drop(graph);
        let (mut requests, mut stories) = (requests.sorted()?, stories.sorted()?);
        spilled += requests.spilled() + stories.spilled();
        let mut responses = Sorter::<Response>::new(self.out, self.memory / 4);
        for parts in self.parts.chunks(self.threads) {
            let mut work = Vec::with_capacity(parts.len());
            for part in parts {
                let mut asked = Vec::new();
                while let Some(request) = requests.next_if(|request| request.capture < part.end())? {
                    asked.push(request);
                }
                work.push((part, asked));
            }
            let told: Vec<_> = work
                .into_par_iter()
                .map(|(part, asked)| {
                    let told = chain::answer(part, &asked);
                    self.progress.advance(part.bytes, 0);
                    self.progress.file_done(true);
                    told
                })
                .collect::<Result<_, OutputError>>()?;
            told.into_iter().try_for_each(|told| responses.extend(told))?;
        }
        drop(requests);
        let mut responses = responses.sorted()?;
        spilled += responses.spilled();
        let mut files = Vec::with_capacity(self.parts.len());
        let mut counts = vec![0_u64; Reason::ALL.len()];
        for parts in self.parts.chunks(self.threads) {
            let mut work = Vec::with_capacity(parts.len());
            for part in parts {
                let mut rows = Rows { part: part.clone(), stories: Vec::new(), responses: Vec::new() };
                while let Some(story) = stories.next_if(|story| story.row < part.end())? {
                    rows.stories.push(story);
                }
                while let Some(response) = responses.next_if(|response| response.row < part.end())? {
                    rows.responses.push(response);
                }
                work.push(rows);
            }
            let written: Vec<_> = work
                .into_par_iter()
                .map(|rows| {
                    let bytes = rows.part.bytes;
                    let written = self.write(folder, rows, &chosen);
                    self.progress.advance(bytes, 0);
                    self.progress.file_done(true);
                    written
                })
                .collect::<Result<_, OutputError>>()?;
            for (file, tally) in written {
                files.push(file);
                counts.iter_mut().zip(tally).for_each(|(sum, count)| *sum += count);
            }
        }
        let reasons = Reason::ALL.iter().zip(&self.outcomes).zip(counts).filter(|(_, origins)| *origins > 0);
        let counts = reasons
            .map(|((reason, outcome), origins)| ReasonCount {
                outcome: outcome.clone(),
                reason: reason.as_str().to_owned(),
                origins,
            })
            .collect();
        Ok(Written { files, counts, spilled })
    }

    /// Reduces every capture to what decides which one stands for a URL and where it leads.
    fn first_pass(&self) -> Result<(Sorter<Entry>, Sorter<Edge>), OutputError> {
        let sorters = Mutex::new((
            Sorter::<Entry>::new(self.out, self.memory / 2),
            Sorter::<Edge>::new(self.out, self.memory / 6),
        ));
        self.parts.par_iter().with_max_len(1).try_for_each(|part| {
            captures::read(part, &["url", "reason", "fetch_time", "fetch_redirect"], |first, batch| {
                let (entries, edges) = self.reduce(part, first, batch)?;
                let mut sorters = sorters.lock().unwrap_or_else(PoisonError::into_inner);
                sorters.0.extend(entries)?;
                sorters.1.extend(edges)
            })?;
            self.progress.advance(part.bytes, u64::from(part.rows));
            self.progress.file_done(true);
            Ok::<(), OutputError>(())
        })?;
        Ok(sorters.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn reduce(
        &self,
        part: &Part,
        first: u32,
        batch: &captures::Batch<'_>,
    ) -> Result<(Vec<Entry>, Vec<Edge>), OutputError> {
        let [urls, reasons, redirects] = [batch.text("url")?, batch.text("reason")?, batch.text("fetch_redirect")?];
        let times = batch.numbers::<TimestampMicrosecondType>("fetch_time")?;
        let mut entries = Vec::with_capacity(batch.rows());
        let mut edges = Vec::new();
        for at in 0..batch.rows() {
            let row = first + at as u32;
            let url = canonical(urls.get(at).unwrap_or_default());
            let name = reasons.get(at).unwrap_or_default();
            let reason = reason_of(name).ok_or_else(|| OutputError::Damaged {
                path: part.path.clone(),
                detail: format!("`{name}` is no reason that this program knows"),
            })?;
            let target = redirects.get(at).filter(|_| reason == Reason::Redirect);
            entries.push(Entry::new(Candidate {
                key: self.key(&url),
                row,
                reason,
                time: times.get(at),
                is_robots: origin_of(&url).is_some(),
                has_target: target.is_some(),
            }));
            edges.extend(target.map(|target| Edge::new(row, self.key(&canonical(target)))));
        }
        Ok((entries, edges))
    }

    /// The key of a URL. Of ninety million URLs two have the same one in one of five thousand crawls.
    fn key(&self, canonical: &str) -> u64 {
        xxh3_64_with_seed(canonical.as_bytes(), self.seed)
    }
}

/// The origin whose robots.txt is at this URL, serialised as [`canonical`] does.
fn origin_of(canonical: &str) -> Option<&str> {
    let origin = canonical.strip_suffix("/robots.txt")?;
    let (scheme, authority) = origin.split_once("://")?;
    let is_origin = !scheme.is_empty() && !authority.is_empty() && !authority.contains(['/', '?', '#']);
    is_origin.then_some(origin)
}
