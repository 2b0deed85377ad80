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
use std::io::{self, BufWriter};
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
    #[error("cannot read {path}")]
    Read {
        /// What.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something could not be written.
    #[error("cannot write {path}")]
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
        let folder = self.out.join("crawl-data").join(&self.options.crawl);
        let (path, temporary) = (folder.join("robotstxt.paths.gz"), folder.join("robotstxt.paths.gz.part"));
        let mut packed = Vec::new();
        self.packer
            .member(text.as_bytes(), &mut packed)
            .and_then(|_| fs::write(&temporary, &packed))
            .and_then(|()| fs::rename(&temporary, &path))
            .map_err(|source| Error::Write { path, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use arrow::array::{Array, AsArray};
    use arrow::datatypes::{Int16Type, TimestampMicrosecondType};
    use std::io::Read;

    fn options(captures: u64, seed: u64, files: u64, format: Format) -> Options {
        Options { captures, seed, files: Some(files), crawl: "CC-MAIN-2026-43".to_owned(), format, odd: None }
    }

    fn made(options: &Options) -> (tempfile::TempDir, Summary) {
        let folder = tempfile::tempdir().unwrap();
        let summary = write(folder.path(), options).unwrap();
        (folder, summary)
    }

    /// Paths and bytes of all files, the paths from the listing for WARC.
    fn warcs(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let listing = fs::read(folder.join("crawl-data/CC-MAIN-2026-43/robotstxt.paths.gz")).unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(&listing[..]).read_to_string(&mut text).unwrap();
        text.lines().map(|name| (name.to_owned(), fs::read(folder.join(name)).unwrap())).collect()
    }

    /// URL, date, status and body of every response, with the digests of the heads checked.
    fn responses(packed: &[u8]) -> Vec<(String, String, u16, Vec<u8>)> {
        let mut raw = Vec::new();
        flate2::read::MultiGzDecoder::new(packed).read_to_end(&mut raw).unwrap();
        let mut found = Vec::new();
        let mut at = 0;
        while at < raw.len() {
            let end = at + raw[at..].windows(4).position(|w| w == b"\r\n\r\n").unwrap();
            let head = std::str::from_utf8(&raw[at..end]).unwrap();
            let field = |name: &str| head.lines().find_map(|l| l.strip_prefix(name)).unwrap_or_default();
            let length: usize = field("Content-Length: ").parse().unwrap();
            let block = &raw[end + 4..end + 4 + length];
            assert_eq!(&raw[end + 4 + length..end + 8 + length], b"\r\n\r\n");
            if field("WARC-Type: ") == "response" {
                let body = 4 + block.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
                let status = std::str::from_utf8(&block[9..12]).unwrap().parse().unwrap();
                let (url, date) = (field("WARC-Target-URI: ").to_owned(), field("WARC-Date: ").to_owned());
                found.push((url, date, status, block[body..].to_vec()));
            }
            at = end + 8 + length;
        }
        found
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
        let (first, summary) = made(&options(700, 5, 3, Format::Warc));
        let (second, _) = made(&options(700, 5, 3, Format::Warc));
        let (other, _) = made(&options(700, 6, 3, Format::Warc));
        assert!(warcs(first.path()) == warcs(second.path()));
        assert!(warcs(first.path()) != warcs(other.path()));
        assert_eq!((summary.captures, summary.files), (700, 3));
        let files = warcs(first.path());
        assert_eq!(summary.stored_bytes, files.iter().map(|f| f.1.len() as u64).sum::<u64>());
        assert_eq!(files.iter().map(|f| responses(&f.1).len()).sum::<usize>(), 700);
        let name = "crawl-data/CC-MAIN-2026-43/segments/1791590400271.0/robotstxt/CC-MAIN-20261010000000-20261010030000-00000.warc.gz";
        assert_eq!(files[0].0, name);
    }

    #[test]
    fn captures_are_split_over_many_files_and_few() {
        for (captures, files) in [(0, 1), (1, 4), (50, 40), (33, 17)] {
            let (folder, summary) = made(&options(captures, 1, files, Format::Warc));
            assert_eq!((summary.captures, summary.files), (captures, files));
            assert_eq!(warcs(folder.path()).iter().map(|f| responses(&f.1).len() as u64).sum::<u64>(), captures);
        }
        let default = Options { files: None, ..options(1_500, 1, 1, Format::Warc) };
        assert_eq!(made(&default).1.files, 2);
    }

    #[test]
    fn parquet_holds_the_same_captures_in_several_row_groups() {
        let (warc, _) = made(&options(1_100, 3, 2, Format::Warc));
        let (columns, summary) = made(&options(1_100, 3, 2, Format::Parquet));
        assert_eq!(summary.captures, 1_100);
        for (file, (_, packed)) in warcs(warc.path()).iter().enumerate() {
            let path = columns.path().join(format!("crawl=CC-MAIN-2026-43/subset=robotstxt/part-{file:05}.parquet"));
            let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
            assert!(reader.metadata().num_row_groups() > 1);
            let mut rows = Vec::new();
            for batch in reader.build().unwrap() {
                let batch = batch.unwrap();
                let text = |name: &str| batch.column_by_name(name).unwrap().as_string::<i32>().clone();
                let (url, redirect) = (text("url"), text("fetch_redirect"));
                let time = batch.column_by_name("fetch_time").unwrap().as_primitive::<TimestampMicrosecondType>();
                let status = batch.column_by_name("fetch_status").unwrap().as_primitive::<Int16Type>();
                let body = batch.column_by_name("body").unwrap().as_binary::<i32>();
                for row in 0..batch.num_rows() {
                    let date = calendar::Moment::new(time.value(row) / 1_000_000).iso();
                    assert!(redirect.is_null(row) || (300..400).contains(&status.value(row)));
                    assert!(redirect.is_null(row) || redirect.value(row).contains("://"));
                    rows.push((url.value(row).to_owned(), date, status.value(row) as u16, body.value(row).to_vec()));
                }
            }
            assert!(rows == responses(packed));
        }
    }

    #[test]
    fn what_cannot_be_written_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut bad = options(1, 1, 1, Format::Warc);
        for name in ["", "..", "a/b", "a b", ".hidden"] {
            bad.crawl = name.to_owned();
            assert!(matches!(write(folder.path(), &bad), Err(Error::CrawlName(_))), "{name}");
        }
        assert!(matches!(write(folder.path(), &options(1, 1, 0, Format::Warc)), Err(Error::NoFiles)));
        let odd = Options { odd: Some(folder.path().join("gone")), ..options(1, 1, 1, Format::Warc) };
        assert!(matches!(write(folder.path(), &odd), Err(Error::Read { .. })));
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(matches!(write(folder.path(), &options(1, 1, 1, Format::Warc)), Err(Error::NotEmpty(_))));
        assert!(matches!(
            write(&folder.path().join("file"), &options(1, 1, 1, Format::Warc)),
            Err(Error::Write { .. })
        ));
    }

    #[test]
    fn a_snapshot_is_like_a_real_one() {
        let (_folder, summary) = made(&options(12_000, 11, 4, Format::Warc));
        let share = |from: u16, to: u16| {
            summary
                .statuses
                .iter()
                .filter(|(s, _)| (from..to).contains(*s))
                .map(|(_, n)| n * 1000 / summary.captures)
                .sum::<u64>()
        };
        assert!((290..370).contains(&share(300, 400)), "{}", share(300, 400));
        assert!((460..560).contains(&share(200, 300)), "{}", share(200, 300));
        assert!((70..140).contains(&share(404, 405)), "{}", share(404, 405));
        let repeated = 1000 - summary.distinct_bodies() * 1000 / summary.texts();
        assert!((390..490).contains(&repeated), "{repeated}");
        let [p50, p90, p99] = summary.size_quantiles([500, 900, 990]);
        assert!((200..420).contains(&p50), "{p50}");
        assert!((1_400..3_200).contains(&p90), "{p90}");
        assert!((12_000..40_000).contains(&p99), "{p99}");
    }
}
