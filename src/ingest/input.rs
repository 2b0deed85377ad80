//! From what the user named to a list of inputs: files, folders, globs, listings and standard input.
//!
//! **Arguments.** `-` is standard input. `@LIST`, and any file named `*.paths` or `*.paths.gz`, is a listing. A name that
//! exists is that file or folder; any other with `*`, `?` or `[` in it is a glob. Folders are walked to the bottom and
//! give their WARC and Parquet files; hidden names, names that begin with `_`, other files and folders that a scan wrote
//! are passed over and counted (`OUT/bodies` of an earlier scan is read when it is named itself). The order is the user's; inside a folder or glob names are sorted by their bytes.
//!
//! **Listings** have one name a line, plain or gzip; blank lines and those that begin with `#` are passed over. Names are
//! relative to `--root`. Without it they are relative to the first of these folders in which the first of them exists:
//! the one that contains `crawl-data`, when the names begin with it and the listing lies below it, as in a copy of Common
//! Crawl's own layout; the current folder; the folder of the listing. Absolute names and names with `..` are refused: a
//! listing is often somebody else's.
//!
//! **Names** are what `warc_filename` holds: from `crawl-data/` on where the path has that component; else relative to
//! `--root` (or the listing's folder as above) where it lies below it; else relative to the folder argument, or the part
//! of the glob before its first wildcard; else the file name. Always with `/`, never absolute, never with `..`.

use super::Origin;
use crate::quantity::counted;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The name that standard input has in the tables.
pub const STDIN_NAME: &str = "-";

/// The first component of every name in a Common Crawl snapshot.
const CRAWL_DATA: &str = "crawl-data";
/// Bytes of a `manifest.json` that are looked at: the program's name is the first thing in one of ours.
const MANIFEST_HEAD: u64 = 4096;
/// Bytes of a listing, decompressed, that are read: Common Crawl's longest have about 10 MB.
const LISTING_CAP: u64 = 1 << 30;

/// What kind of file an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// WARC, compressed or not.
    Warc,
    /// Parquet.
    Parquet,
}

/// One file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Its name in the tables, `/` between the components.
    pub name: String,
    /// Where its bytes come from.
    pub origin: Origin,
    /// Its size in bytes; `None` for standard input, pipes and devices.
    pub size: Option<u64>,
    /// When it was last modified, in nanoseconds since 1970-01-01 UTC; `None` where `size` is.
    pub modified: Option<i64>,
    /// What kind of file it is: by its extension, or by its first bytes where that says nothing.
    pub format: Format,
}

/// The inputs in order, and what was passed over on the way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Every input once, under a name of its own.
    pub inputs: Vec<Input>,
    /// What was passed over.
    pub passed_over: PassedOver,
}

/// What was passed over when arguments became inputs. Shown as text it has a line for each kind that there was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassedOver {
    /// Inputs that were named more than once: the further times.
    pub duplicates: u64,
    /// Files and folders in folders whose name begins with `.` or `_`.
    pub hidden: u64,
    /// Files in folders and globs that are neither WARC nor Parquet by their name.
    pub unknown: u64,
    /// The first of those.
    pub first_unknown: Option<PathBuf>,
    /// Folders in folders that hold the output of a scan, finished or not.
    pub outputs: u64,
}

impl PassedOver {
    /// Whether there was nothing.
    pub fn is_empty(&self) -> bool {
        *self == PassedOver::default()
    }
}

impl fmt::Display for PassedOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut end = "";
        let mut line = |f: &mut fmt::Formatter<'_>, text: String| {
            let written = write!(f, "{end}{text}");
            end = "\n";
            written
        };
        if self.duplicates > 0 {
            line(f, format!("{} named more than once and read once", counted(self.duplicates, "input")))?;
        }
        if let (1.., Some(first)) = (self.unknown, &self.first_unknown) {
            let text = format!(
                "{} passed over, by the name no WARC or Parquet: {}",
                counted(self.unknown, "file"),
                first.display()
            );
            line(f, text + if self.unknown > 1 { ", ..." } else { "" })?;
        }
        if self.hidden > 0 {
            line(f, format!("{} passed over", counted(self.hidden, "hidden name")))?;
        }
        if self.outputs > 0 {
            line(f, format!("{} of an earlier run passed over", counted(self.outputs, "output")))?;
        }
        Ok(())
    }
}

/// Why arguments do not make a list of inputs.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// Nothing of that name.
    #[error("no file or folder `{0}`; name WARC or Parquet files, folders, globs or listings (@FILE)")]
    NotFound(String),
    /// A glob that is none.
    #[error("`{pattern}` is no pattern: {why}")]
    Pattern {
        /// The argument.
        pattern: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A glob that nothing matches.
    #[error("no WARC or Parquet file matches `{0}`; quote a pattern that the shell should not expand")]
    NoMatch(String),
    /// A folder without inputs.
    #[error(
        "no WARC or Parquet file in the folder `{folder}` ({passed_over} others there); name a file to read it whatever its name"
    )]
    EmptyFolder {
        /// The argument.
        folder: String,
        /// Files and folders that were passed over in it.
        passed_over: u64,
    },
    /// A folder that a scan wrote.
    #[error(
        "`{folder}` is the output of a run, not an input; name `{bodies}` to read the bodies in it",
        folder = .0.display(),
        bodies = .0.join("bodies").display()
    )]
    Output(PathBuf),
    /// A listing without names.
    #[error("the listing `{0}` names no file")]
    EmptyListing(String),
    /// A name that a listing may not have.
    #[error("{listing}, line {line}: `{name}` {why}; names in a listing are relative to --root and stay below it")]
    RefusedName {
        /// The listing.
        listing: String,
        /// The line, from 1.
        line: u64,
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A name in a listing under which there is no file.
    #[error(
        "{listing}, line {line}: no file `{name}` in `{root}`; say with --root which folder the names are relative to"
    )]
    ListedNotFound {
        /// The listing.
        listing: String,
        /// The line, from 1.
        line: u64,
        /// The name.
        name: String,
        /// The folder that it was looked for in.
        root: String,
    },
    /// Two different files that the tables could not tell apart.
    #[error("`{first}` and `{second}` would both be called `{name}` in the tables; {advice}")]
    Clash {
        /// The name.
        name: String,
        /// One file.
        first: String,
        /// The other.
        second: String,
        /// What to do about it.
        advice: String,
    },
    /// A `--root` that is no folder.
    #[error("--root `{0}` is no folder")]
    Root(String),
    /// Something that could not be read.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The file or folder.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// What keeps two files of one name apart.
fn clash_advice(first: &Input, second: &Input, root: Option<&Path>) -> String {
    const RENAME: &str = "rename one of them";
    let (Origin::File(a), Origin::File(b)) = (&first.origin, &second.origin) else { return RENAME.to_owned() };
    // The names stand at the end of the paths; the same text from other bytes is what U+FFFD made alike.
    let depth = first.name.split('/').count();
    let apart = a.components().rev().zip(b.components().rev()).take(depth).any(|(a, b)| a != b);
    if apart {
        return format!("their names differ only in bytes that are not UTF-8: {RENAME}");
    }
    if first.name.split('/').next() == Some(CRAWL_DATA) {
        return "scan the two copies one after the other".to_owned();
    }
    match root.and_then(|root| Some((root, [a, b].into_iter().find(|path| !path.starts_with(root))?))) {
        Some((root, path)) => format!(
            "`{}` is not below --root `{}`: say with --root a folder that both are below",
            path.display(),
            root.display()
        ),
        None => "say with --root which folder above both of them names should be relative to".to_owned(),
    }
}

impl InputError {
    /// Whether the user asked for something that cannot be (exit code 2), not the machine failed (exit code 1).
    pub fn is_usage(&self) -> bool {
        !matches!(self, InputError::Io { .. })
    }

    fn io(path: &Path, source: io::Error) -> InputError {
        InputError::Io { path: path.display().to_string(), source }
    }
}

/// Makes a list of inputs from the arguments of a command; see the module's text.
pub fn resolve(arguments: &[String], root: Option<&Path>) -> Result<Inputs, InputError> {
    let root = match root {
        Some(root) if !root.is_dir() => return Err(InputError::Root(root.display().to_string())),
        Some(root) => Some(absolute(root)?),
        None => None,
    };
    let mut resolver = Resolver { root, ..Resolver::default() };
    for argument in arguments {
        resolver.argument(argument)?;
    }
    Ok(resolver.resolved)
}

/// The crawl that a name belongs to: `CC-MAIN-2025-05` in `crawl-data/CC-MAIN-2025-05/segments/...`, and in a Parquet
/// path with a component `crawl=CC-MAIN-2025-05`.
pub fn crawl_of(name: &str) -> Option<&str> {
    let (folders, _) = name.rsplit_once('/')?;
    let mut components = folders.split('/');
    let crawl = if components.next()? == CRAWL_DATA {
        components.next()
    } else {
        folders.split('/').find_map(|component| component.strip_prefix("crawl="))
    };
    crawl.filter(|crawl| !crawl.is_empty())
}

/// The segment that a name belongs to: `1736703361941.29` in `crawl-data/<crawl>/segments/1736703361941.29/...`.
pub fn segment_of(name: &str) -> Option<&str> {
    let mut components = name.split('/');
    if components.next()? != CRAWL_DATA || components.next()?.is_empty() || components.next()? != "segments" {
        return None;
    }
    let segment = components.next()?;
    (components.next().is_some() && !segment.is_empty()).then_some(segment)
}

/// What a file is by its name alone.
fn format_of(name: &OsStr) -> Option<Format> {
    /// What may follow `.warc`: compressions, what crawlers call a file that is not finished or was bad, and what Common
    /// Crawl derives from one. Everything else (`.warc.gz.md5`, `.warc.cdx`) lies beside a WARC and is none.
    const AFTER_WARC: &[&str] =
        &["gz", "gzip", "zst", "zstd", "lz4", "bz2", "xz", "open", "bad", "invalid", "wat", "wet"];
    let name = name.to_string_lossy().to_ascii_lowercase();
    if is_listing(Path::new(&name)) {
        return None;
    }
    if [".parquet", ".parq", ".pq"].iter().any(|end| name.ends_with(end)) {
        return Some(Format::Parquet);
    }
    let is_warc =
        name.match_indices(".warc").filter_map(|(at, dot_warc)| name.get(at + dot_warc.len()..)).any(|after| {
            // Up to the first dot there must be nothing: `.warcraft` is another word.
            let mut parts = after.split('.');
            parts.next() == Some("") && parts.all(|part| AFTER_WARC.contains(&part))
        });
    is_warc.then_some(Format::Warc)
}

/// Whether a folder holds the output of a scan: its plan, which is written first, or its manifest, written last.
fn is_output(folder: &Path) -> bool {
    folder.join("_shards/plan.json").is_file() || is_manifest(&folder.join("manifest.json"))
}

fn is_manifest(path: &Path) -> bool {
    let mut head = Vec::new();
    // What is no file is not opened: a pipe of that name would wait for a writer.
    let read = path.is_file().then(|| File::open(path)?.take(MANIFEST_HEAD).read_to_end(&mut head));
    if !matches!(read, Some(Ok(_))) {
        return false;
    }
    let mut values = memchr::memmem::find_iter(&head, b"\"tool\"").filter_map(|at| head.get(at + 6..));
    values.any(|rest| {
        let value = rest.trim_ascii_start().strip_prefix(b":").unwrap_or_default().trim_ascii_start();
        value.starts_with(concat!("\"", env!("CARGO_PKG_NAME"), "\"").as_bytes())
    })
}

fn is_hidden(name: &OsStr) -> bool {
    matches!(name.as_encoded_bytes().first(), Some(b'.' | b'_'))
}

fn is_listing(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default().to_ascii_lowercase();
    name.ends_with(".paths") || name.ends_with(".paths.gz")
}

fn absolute(path: &Path) -> Result<PathBuf, InputError> {
    let path = std::path::absolute(path).map_err(|error| InputError::io(path, error))?;
    // What follows `..` is only known to the file system (the folder before it may be a link).
    if path.components().any(|component| component == Component::ParentDir) {
        fs::canonicalize(&path).map_err(|error| InputError::io(&path, error))
    } else {
        Ok(path)
    }
}

/// The ordinary components with `/` between them.
fn with_slashes(path: &Path) -> String {
    let mut name = String::new();
    for component in path.components() {
        if let Component::Normal(component) = component {
            if !name.is_empty() {
                name.push('/');
            }
            name.push_str(&component.to_string_lossy());
        }
    }
    name
}

/// The path from its component `crawl-data` on.
fn from_crawl_data(path: &Path) -> Option<&Path> {
    let at = path.components().position(|component| component.as_os_str() == CRAWL_DATA)?;
    let above: PathBuf = path.components().take(at).collect();
    path.strip_prefix(above).ok().filter(|rest| rest.components().nth(1).is_some())
}

#[derive(Default)]
struct Resolver {
    root: Option<PathBuf>,
    resolved: Inputs,
    /// The real path of every input so far, to see the same file again.
    seen: HashSet<PathBuf>,
    /// The real path of every folder so far: asking the system for each file would cost more.
    real_folders: HashMap<PathBuf, PathBuf>,
    /// Which input has a name.
    named: HashMap<String, usize>,
}

impl Resolver {
    fn argument(&mut self, argument: &str) -> Result<(), InputError> {
        if argument == "-" {
            return self.add_stdin();
        }
        if let Some(listing) = argument.strip_prefix('@') {
            return self.listing(Path::new(listing));
        }
        let path = Path::new(argument);
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() && is_output(path) => Err(InputError::Output(path.to_owned())),
            Ok(metadata) if metadata.is_dir() => {
                let before = (self.resolved.inputs.len(), self.resolved.passed_over.clone());
                self.folder(path)?;
                let others = |all: &PassedOver| all.hidden + all.unknown + all.outputs;
                let after = &self.resolved.passed_over;
                if self.resolved.inputs.len() == before.0 && after.duplicates == before.1.duplicates {
                    let passed_over = others(after) - others(&before.1);
                    return Err(InputError::EmptyFolder { folder: argument.to_owned(), passed_over });
                }
                Ok(())
            }
            Ok(_) if is_listing(path) => self.listing(path),
            Ok(metadata) => {
                let path = absolute(path)?;
                self.add(&path, None, &metadata)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if argument.contains(['*', '?', '[']) {
                    self.glob(argument)
                } else {
                    Err(InputError::NotFound(argument.to_owned()))
                }
            }
            Err(error) => Err(InputError::io(path, error)),
        }
    }

    fn folder(&mut self, folder: &Path) -> Result<(), InputError> {
        let folder = absolute(folder)?;
        let mut files = self.files_below(&folder)?;
        files.sort_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
        for file in files {
            let metadata = fs::metadata(&file).map_err(|error| InputError::io(&file, error))?;
            self.add(&file, Some(&folder), &metadata)?;
        }
        Ok(())
    }

    /// Every WARC and Parquet file below a folder. A folder that is reached again through a link is not entered again.
    fn files_below(&mut self, folder: &Path) -> Result<Vec<PathBuf>, InputError> {
        let mut files = Vec::new();
        let mut entered = HashSet::new();
        let mut waiting = vec![folder.to_owned()];
        while let Some(folder) = waiting.pop() {
            let real = fs::canonicalize(&folder).map_err(|error| InputError::io(&folder, error))?;
            if !entered.insert(real) {
                continue;
            }
            if is_output(&folder) {
                self.resolved.passed_over.outputs += 1;
                continue;
            }
            let entries = fs::read_dir(&folder).map_err(|error| InputError::io(&folder, error))?;
            for entry in entries {
                let entry = entry.map_err(|error| InputError::io(&folder, error))?;
                let path = entry.path();
                if is_hidden(&entry.file_name()) {
                    self.resolved.passed_over.hidden += 1;
                    continue;
                }
                let kind = entry.file_type().map_err(|error| InputError::io(&path, error))?;
                // A link to nowhere is an input that vanished only if its name says that it was one.
                let is_folder = kind.is_dir() || (kind.is_symlink() && path.is_dir());
                if is_folder {
                    waiting.push(path);
                } else if format_of(&entry.file_name()).is_some() {
                    files.push(path);
                } else if !is_listing(&path) {
                    // A crawl's listing of the very files beside it is nothing to tell of.
                    self.pass_over_unknown(path);
                }
            }
        }
        Ok(files)
    }

    fn pass_over_unknown(&mut self, path: PathBuf) {
        let passed_over = &mut self.resolved.passed_over;
        passed_over.unknown += 1;
        // The smallest, since folders give their files in any order.
        if passed_over.first_unknown.as_ref().is_none_or(|first| path < *first) {
            passed_over.first_unknown = Some(path);
        }
    }

    fn glob(&mut self, pattern: &str) -> Result<(), InputError> {
        let fixed: PathBuf = Path::new(pattern)
            .components()
            .take_while(|component| !component.as_os_str().to_string_lossy().contains(['*', '?', '[']))
            .collect();
        let base = absolute(if fixed.as_os_str().is_empty() { Path::new(".") } else { &fixed });
        let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
        let matches = glob::glob_with(pattern, options)
            .map_err(|error| InputError::Pattern { pattern: pattern.to_owned(), why: error.msg })?;
        let mut files = Vec::new();
        for path in matches {
            let path = path
                .map_err(|error| InputError::Io { path: error.path().display().to_string(), source: error.into() })?;
            let path = absolute(&path)?;
            if path.is_dir() {
                files.extend(self.files_below(&path)?);
            } else if path.file_name().is_some_and(is_hidden) {
                self.resolved.passed_over.hidden += 1;
            } else if path.file_name().is_some_and(|name| format_of(name).is_some()) {
                files.push(path);
            } else {
                self.pass_over_unknown(path);
            }
        }
        if files.is_empty() {
            return Err(InputError::NoMatch(pattern.to_owned()));
        }
        let base = base?;
        files.sort_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
        for file in files {
            let metadata = fs::metadata(&file).map_err(|error| InputError::io(&file, error))?;
            self.add(&file, Some(&base), &metadata)?;
        }
        Ok(())
    }

    fn listing(&mut self, listing: &Path) -> Result<(), InputError> {
        let shown = listing.display().to_string();
        let names = read_listing(listing)?;
        let Some((_, first)) = names.first() else { return Err(InputError::EmptyListing(shown)) };
        let root = match &self.root {
            Some(root) => root.clone(),
            None => listing_root(listing, first)?,
        };
        for (line, name) in names {
            let path = root.join(&name);
            let metadata = match fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => {
                    let why = "is a folder, not a file";
                    return Err(InputError::RefusedName { listing: shown, line, name, why });
                }
                Ok(metadata) => metadata,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let root = root.display().to_string();
                    return Err(InputError::ListedNotFound { listing: shown, line, name, root });
                }
                Err(error) => return Err(InputError::io(&path, error)),
            };
            self.add(&path, Some(&root), &metadata)?;
        }
        Ok(())
    }

    fn add_stdin(&mut self) -> Result<(), InputError> {
        let input = Input {
            name: STDIN_NAME.to_owned(),
            origin: Origin::Stdin,
            size: None,
            modified: None,
            format: Format::Warc,
        };
        if self.resolved.inputs.iter().any(|input| input.origin == Origin::Stdin) {
            self.resolved.passed_over.duplicates += 1;
            return Ok(());
        }
        self.push(input)
    }

    /// Adds a file by its absolute path.
    fn add(&mut self, path: &Path, base: Option<&Path>, metadata: &Metadata) -> Result<(), InputError> {
        let regular = metadata.is_file();
        // A pipe behind `/dev/fd/63` has no path but this one.
        let real = if regular { self.real_path(path)? } else { path.to_owned() };
        if !self.seen.insert(real) {
            self.resolved.passed_over.duplicates += 1;
            return Ok(());
        }
        let file_name = path.file_name().unwrap_or_default();
        let below = |folder: Option<&Path>| folder.and_then(|folder| path.strip_prefix(folder).ok());
        let name = from_crawl_data(path)
            .or_else(|| below(self.root.as_deref()))
            .or_else(|| below(base))
            .unwrap_or(Path::new(file_name));
        let format = match format_of(file_name) {
            Some(format) => format,
            // The bytes of a pipe can be read only once.
            None if regular && begins_as_parquet(path).map_err(|error| InputError::io(path, error))? => Format::Parquet,
            None => Format::Warc,
        };
        self.push(Input {
            name: with_slashes(name),
            origin: Origin::File(path.to_owned()),
            size: regular.then_some(metadata.len()),
            modified: if regular { modified(metadata) } else { None },
            format,
        })
    }

    fn push(&mut self, input: Input) -> Result<(), InputError> {
        let number = self.resolved.inputs.len();
        if let Some(other) = self.named.insert(input.name.clone(), number).and_then(|at| self.resolved.inputs.get(at)) {
            let advice = clash_advice(other, &input, self.root.as_deref());
            return Err(InputError::Clash { first: shown(other), second: shown(&input), name: input.name, advice });
        }
        self.resolved.inputs.push(input);
        Ok(())
    }

    fn real_path(&mut self, path: &Path) -> Result<PathBuf, InputError> {
        let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        let (Some(folder), Some(name), false) = (path.parent(), path.file_name(), is_link) else {
            return fs::canonicalize(path).map_err(|error| InputError::io(path, error));
        };
        if let Some(real) = self.real_folders.get(folder) {
            return Ok(real.join(name));
        }
        let real = fs::canonicalize(folder).map_err(|error| InputError::io(folder, error))?;
        let path = real.join(name);
        self.real_folders.insert(folder.to_owned(), real);
        Ok(path)
    }
}

fn shown(input: &Input) -> String {
    match &input.origin {
        Origin::File(path) => path.display().to_string(),
        Origin::Stdin => "standard input".to_owned(),
    }
}

fn modified(metadata: &Metadata) -> Option<i64> {
    let modified = metadata.modified().ok()?;
    match modified.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).ok(),
        Err(before) => i64::try_from(before.duration().as_nanos()).ok().map(|nanos| -nanos),
    }
}

fn begins_as_parquet(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(4).read_to_end(&mut head)?;
    Ok(head == b"PAR1")
}

/// The folder that the names of a listing are relative to; see the module's text.
fn listing_root(listing: &Path, first: &str) -> Result<PathBuf, InputError> {
    let listing = absolute(listing)?;
    let crawl_data = first.split('/').next() == Some(CRAWL_DATA);
    let above_crawl_data = listing
        .ancestors()
        .filter(|_| crawl_data)
        .find(|folder| folder.file_name() == Some(OsStr::new(CRAWL_DATA)))
        .and_then(Path::parent)
        .map(Path::to_owned);
    let current = absolute(Path::new("."))?;
    let own = listing.parent().map(Path::to_owned);
    let mut folders = above_crawl_data.into_iter().chain([current.clone()]).chain(own);
    Ok(folders.find(|folder| folder.join(first).exists()).unwrap_or(current))
}

/// The names in a listing with their lines.
fn read_listing(path: &Path) -> Result<Vec<(u64, String)>, InputError> {
    let shown = || path.display().to_string();
    let failed = |error| InputError::io(path, error);
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(InputError::NotFound(shown())),
        opened => opened.map_err(failed)?,
    };
    let mut file = BufReader::new(file);
    let gzip = file.fill_buf().map_err(failed)?.starts_with(&[0x1f, 0x8b]);
    let bytes: Box<dyn Read> = if gzip { Box::new(flate2::bufread::MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut lines = BufReader::new(bytes.take(LISTING_CAP + 1));
    let (mut names, mut line, mut number, mut total) = (Vec::new(), Vec::new(), 0, 0);
    loop {
        line.clear();
        let length = lines.read_until(b'\n', &mut line).map_err(failed)?;
        total += length as u64;
        if total > LISTING_CAP {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidData, "it is too long for a listing")));
        }
        if length == 0 {
            return Ok(names);
        }
        number += 1;
        let text = String::from_utf8_lossy(&line);
        let name = text.strip_prefix('\u{feff}').unwrap_or(&text).trim();
        if name.is_empty() || name.starts_with('#') {
            continue;
        }
        let why = match refusal(name) {
            Some(why) => why,
            None if matches!(text, std::borrow::Cow::Owned(_)) => "is not UTF-8",
            None => {
                names.push((number, name.to_owned()));
                continue;
            }
        };
        // A binary file given as a listing would otherwise fill the terminal.
        let name = name.chars().filter(|c| !c.is_control()).take(200).collect();
        return Err(InputError::RefusedName { listing: shown(), line: number, name, why });
    }
}

/// Why a listing may not have this name.
fn refusal(name: &str) -> Option<&'static str> {
    if name.contains('\0') {
        return Some("holds a zero byte");
    }
    if name.contains("://") {
        return Some("is a remote address");
    }
    let mut ordinary = false;
    for component in Path::new(name).components() {
        match component {
            Component::Normal(_) => ordinary = true,
            Component::CurDir => {}
            Component::ParentDir => return Some("holds `..`"),
            Component::RootDir | Component::Prefix(_) => return Some("is absolute"),
        }
    }
    (!ordinary).then_some("names no file")
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
