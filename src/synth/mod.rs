//! SYNTH: writes a made-up snapshot in Common Crawl's layout, for users without one, for tests and for benchmarks.
//!
//! The same seed and options give the same bytes on every machine: integers only, no clock, no order of hash maps. The
//! rates (statuses, redirects, refetches, sizes, repetition, line ends, fields, agents) follow published statistics;
//! names, texts and addresses are made up. Sites are drawn one after the other and their answers spread over the files
//! that are open, a wave at a time, so memory does not grow with the number of files.

mod body;
mod calendar;
mod exchange;
mod odd;
mod page;
mod parquet;
mod rng;
mod site;
mod summary;
mod template;
mod warc;
mod words;

pub use summary::Summary;

use body::Pools;
use exchange::Exchange;
use parquet::ParquetFile;
use rng::Rng;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use warc::{Packer, WarcFile};

/// Number of the generator: raised when the same seed gives other bytes than before.
pub const GENERATOR: u32 = 1;

/// Captures a file has when the number of files is not given.
pub const CAPTURES_PER_FILE: u64 = 1_000;

/// Files that are written at the same time.
const WAVE: u64 = 16;

/// Segments of a snapshot, each fetched in three hours of its own.
const SEGMENTS: u64 = 10;
const SEGMENT_SECONDS: i64 = 3 * 3600;

/// Stream of the files' record numbers.
const STREAM: u64 = 0x6669_6c65;

/// The format of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `.warc.gz` files below `crawl-data/`, and their listing.
    Warc,
    /// Parquet files below `crawl=<name>/subset=robotstxt/`.
    Parquet,
}

/// What to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Captures, without those of `odd`.
    pub captures: u64,
    /// Seed of everything that is drawn.
    pub seed: u64,
    /// Files to spread the captures over; one a thousand captures when not given.
    pub files: Option<u64>,
    /// Name of the crawl; a week at its end, as in `CC-MAIN-2026-43`, dates it.
    pub crawl: String,
    /// The format of the files.
    pub format: Format,
    /// Folder of captures written by hand, which go into one more file.
    pub odd: Option<PathBuf>,
}

/// Why a snapshot could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder holds something already.
    #[error("{0} is not empty; synth writes only into a new or empty folder")]
    NotEmpty(PathBuf),
    /// The name of the crawl cannot be a folder.
    #[error("`{0}` cannot be the name of a crawl; use letters, digits, `-`, `_` and `.`, such as CC-MAIN-2026-43")]
    CrawlName(String),
    /// The number of files is zero.
    #[error("a snapshot has at least one file")]
    NoFiles,
    /// Something could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// What.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something could not be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// What.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The index of the captures written by hand is not as it should be.
    #[error("{path}: {what}")]
    Index {
        /// The index.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

/// Writes a snapshot below `out`, a folder that is new or empty. Files get their names when they are whole; the listing
/// comes last.
pub fn write(out: &Path, options: &Options) -> Result<Summary, Error> {
    check_name(&options.crawl)?;
    make_empty(out)?;
    let files = match options.files {
        Some(0) => return Err(Error::NoFiles),
        Some(files) => files,
        None => options.captures.div_ceil(CAPTURES_PER_FILE).max(1),
    };
    let start = calendar::crawl_start(&options.crawl);
    let odd = match &options.odd {
        Some(folder) => {
            odd::read(folder, &mut Rng::keyed(options.seed, STREAM, u64::MAX), segment_start(start, files))?
        }
        None => Vec::new(),
    };
    let mut snapshot = Snapshot {
        out,
        options,
        start,
        packer: Packer::new(),
        summary: Summary::default(),
        names: Vec::new(),
        site: 0,
    };
    let mut first = 0;
    while first < files {
        let end = (first + WAVE).min(files);
        let upto = |file: u64| (u128::from(options.captures) * u128::from(file) / u128::from(files)) as u64;
        snapshot.wave(first, end, upto(end) - upto(first))?;
        first = end;
    }
    if !odd.is_empty() {
        let mut file = snapshot.begin(files)?;
        for exchange in &odd {
            snapshot.put(&mut file, exchange)?;
        }
        snapshot.finish(file)?;
    }
    snapshot.listing()?;
    Ok(snapshot.summary)
}

fn check_name(name: &str) -> Result<(), Error> {
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    if name.is_empty() || name.starts_with('.') || !plain { Err(Error::CrawlName(name.to_owned())) } else { Ok(()) }
}

fn make_empty(out: &Path) -> Result<(), Error> {
    let failed = |source| Error::Write { path: out.to_path_buf(), source };
    match fs::read_dir(out) {
        Ok(mut entries) => match entries.next() {
            Some(_) => Err(Error::NotEmpty(out.to_path_buf())),
            None => Ok(()),
        },
        Err(e) if e.kind() == io::ErrorKind::NotFound => fs::create_dir_all(out).map_err(failed),
        Err(e) => Err(failed(e)),
    }
}

/// When the segment of a file began, in seconds since 1970: segments are spread over twelve days.
fn segment_start(crawl_start: i64, file: u64) -> i64 {
    crawl_start + (file % SEGMENTS) as i64 * 12 * 86_400 / SEGMENTS as i64 + 1_357 * (file % SEGMENTS) as i64
}

/// A snapshot being written.
struct Snapshot<'a> {
    out: &'a Path,
    options: &'a Options,
    start: i64,
    packer: Packer,
    summary: Summary,
    names: Vec<String>,
    site: u64,
}

/// One file being written under a temporary name.
struct Part {
    volume: Volume,
    path: PathBuf,
    temporary: PathBuf,
    segment_start: i64,
}

enum Volume {
    Warc(Box<WarcFile<BufWriter<File>>>),
    Parquet(Box<ParquetFile<BufWriter<File>>>),
}

impl Snapshot<'_> {
    /// Path of a file relative to the snapshot.
    fn name(&self, file: u64) -> String {
        let crawl = &self.options.crawl;
        match self.options.format {
            Format::Parquet => format!("crawl={crawl}/subset=robotstxt/part-{file:05}.parquet"),
            Format::Warc => {
                let from = segment_start(self.start, file);
                let (first, last) = (calendar::Moment::new(from), calendar::Moment::new(from + SEGMENT_SECONDS));
                let segment = file % SEGMENTS;
                let millis = from * 1000 + 271 * (segment as i64 + 1);
                format!(
                    "crawl-data/{crawl}/segments/{millis}.{segment}/robotstxt/CC-MAIN-{}-{}-{file:05}.warc.gz",
                    first.digits(),
                    last.digits()
                )
            }
        }
    }

    fn begin(&mut self, file: u64) -> Result<Part, Error> {
        let name = self.name(file);
        let path = self.out.join(&name);
        let base = name.rsplit('/').next().unwrap_or(&name).to_owned();
        let temporary = path.with_file_name(format!("{base}.part"));
        let failed = |source| Error::Write { path: temporary.clone(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let out = BufWriter::new(File::create(&temporary).map_err(failed)?);
        let from = segment_start(self.start, file);
        let volume = match self.options.format {
            Format::Warc => {
                let rng = Rng::keyed(self.options.seed, STREAM, file);
                let begun = WarcFile::begin(out, &mut self.packer, rng, &self.options.crawl, &base, from);
                Volume::Warc(Box::new(begun.map_err(failed)?))
            }
            Format::Parquet => {
                Volume::Parquet(Box::new(ParquetFile::begin(out).map_err(|e| failed(io::Error::other(e)))?))
            }
        };
        self.names.push(name);
        Ok(Part { volume, path, temporary, segment_start: from })
    }

    fn put(&mut self, part: &mut Part, exchange: &Exchange) -> Result<(), Error> {
        self.summary.count(exchange);
        let done = match &mut part.volume {
            Volume::Warc(file) => file.put(&mut self.packer, exchange),
            Volume::Parquet(file) => file.put(exchange).map_err(io::Error::other),
        };
        done.map_err(|source| Error::Write { path: part.temporary.clone(), source })
    }

    fn finish(&mut self, part: Part) -> Result<(), Error> {
        let Part { volume, path, temporary, .. } = part;
        let failed = |source| Error::Write { path: temporary.clone(), source };
        let out = match volume {
            Volume::Warc(file) => file.finish(),
            Volume::Parquet(file) => file.finish().map_err(io::Error::other),
        };
        let file = out.map_err(failed)?.into_inner().map_err(|e| failed(e.into_error()))?;
        self.summary.stored_bytes += file.metadata().map_err(failed)?.len();
        self.summary.files += 1;
        fs::rename(&temporary, &path).map_err(failed)
    }

    /// Writes the files `first..end` with so many captures in all. A site's answers go mostly to one file; others, and
    /// refetches, to any, as when several segments ask the same site.
    fn wave(&mut self, first: u64, end: u64, captures: u64) -> Result<(), Error> {
        let mut parts = (first..end).map(|file| self.begin(file)).collect::<Result<Vec<Part>, Error>>()?;
        let pools = Pools::new(self.options.captures);
        let mut left = captures;
        while left > 0 {
            let visit = site::visit(self.options.seed, pools, self.site);
            self.site += 1;
            self.summary.sites += 1;
            let mut rng = visit.rng;
            let home = rng.below(parts.len() as u64) as usize;
            let second = rng.below(SEGMENT_SECONDS as u64 - 60) as i64;
            for (order, step) in (0i64..).zip(visit.steps) {
                if left == 0 {
                    break;
                }
                left -= 1;
                let (at, second) = if rng.chance(7_000) {
                    (home, second + 3 * order)
                } else {
                    (rng.below(parts.len() as u64) as usize, rng.below(SEGMENT_SECONDS as u64) as i64)
                };
                let Some(part) = parts.get_mut(at) else { continue };
                let time = part.segment_start + second;
                let exchange = exchange::carry_out(self.options.seed, &mut rng, &visit.host.apex, step, time);
                self.put(part, &exchange)?;
            }
        }
        parts.into_iter().try_for_each(|part| self.finish(part))
    }

    /// The listing of the files, as Common Crawl publishes one.
    fn listing(&mut self) -> Result<(), Error> {
        if self.options.format == Format::Parquet {
            return Ok(());
        }
        let text: String = self.names.iter().flat_map(|name| [name.as_str(), "\n"]).collect();
        let path = self.out.join("crawl-data").join(&self.options.crawl).join("robotstxt.paths.gz");
        let mut packed = Vec::new();
        let write =
            self.packer.member(text.as_bytes(), &mut packed).and_then(|_| File::create(&path)?.write_all(&packed));
        write.map_err(|source| Error::Write { path, source })
    }
}
