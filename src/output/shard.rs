//! A shard on disk: its parts, and the commit that makes them count.

use super::OutputError;
use super::parquet::{Metadata, TableWriter};
use super::pending::{Written, read_json, sync_folder, write_json};
use crate::table::{
    Bodies, Captures, Classifiers, Disagreements, Problems, Rules, Sitemaps, Table, Verdicts, VerdictsLong,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folder of the commits in OUT.
pub(super) const COMMITS: &str = "_shards";

/// The plan in the folder of commits: written first, by the pipeline.
pub(super) const PLAN: &str = "plan.json";

/// Where the plan of an output is.
pub fn plan_path(out: &Path) -> PathBuf {
    out.join(COMMITS).join(PLAN)
}

/// The folder of commits of an output.
pub fn commits_path(out: &Path) -> PathBuf {
    out.join(COMMITS)
}

/// Which tables a shard writes besides those that it always does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardTables {
    /// `verdicts`.
    pub verdicts: bool,
    /// `verdicts_long`.
    pub verdicts_long: bool,
    /// `disagreements`.
    pub disagreements: bool,
    /// `rules`.
    pub rules: bool,
    /// `classifiers`.
    pub classifiers: bool,
}

impl Default for ShardTables {
    fn default() -> ShardTables {
        ShardTables { verdicts: true, verdicts_long: false, disagreements: false, rules: false, classifiers: false }
    }
}

/// The writers of one shard. Dropping it without [`ShardWriter::commit`] leaves nothing behind.
pub struct ShardWriter {
    /// `captures`.
    pub captures: TableWriter<Captures>,
    /// `bodies`.
    pub bodies: TableWriter<Bodies>,
    /// `verdicts`, unless they are not wanted.
    pub verdicts: Option<TableWriter<Verdicts>>,
    /// `verdicts_long`, if wanted.
    pub verdicts_long: Option<TableWriter<VerdictsLong>>,
    /// `disagreements`, if wanted.
    pub disagreements: Option<TableWriter<Disagreements>>,
    /// `sitemaps`.
    pub sitemaps: TableWriter<Sitemaps>,
    /// `rules`, if wanted.
    pub rules: Option<TableWriter<Rules>>,
    /// `classifiers`, if wanted.
    pub classifiers: Option<TableWriter<Classifiers>>,
    /// `problems`.
    pub problems: TableWriter<Problems>,
    out: PathBuf,
    shard: u32,
    configuration_hash: String,
}

/// What a shard did: `OUT/_shards/00000.json`. Where it is, and its files are as it says, the shard is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardCommit {
    /// Number of the shard, from 0.
    pub shard: u32,
    /// Hash of the configuration that it was made with.
    pub configuration_hash: String,
    /// Parts of the inputs that it read, in order.
    pub inputs: Vec<InputPart>,
    /// Files that it wrote, in the order of the tables.
    pub files: Vec<PartFile>,
    /// What it counted.
    #[serde(flatten)]
    pub counts: Counts,
}

/// A part of an input, and how much came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputPart {
    /// Name of the input, as in `captures.warc_filename`.
    pub name: String,
    /// First byte that is the shard's.
    pub start: u64,
    /// First byte that is not any more; `None` for the end of the input.
    pub end: Option<u64>,
    /// Bytes of the whole input, where known.
    pub size: Option<u64>,
    /// Captures that were read from it.
    pub captures: u64,
    /// Whether it was read to its end.
    pub complete: bool,
    /// What kept it from being read to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A file of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartFile {
    /// Name of the table.
    pub table: String,
    /// Path in OUT, with `/`.
    pub path: String,
    /// Rows.
    pub rows: u64,
    /// Bytes.
    pub bytes: u64,
    /// xxh3-128 of the bytes, in hexadecimal.
    pub xxh3_128: String,
}

impl PartFile {
    /// Whether it is there with the size it should have.
    pub fn is_as_stated(&self, out: &Path) -> bool {
        fs::metadata(out.join(&self.path)).is_ok_and(|found| found.is_file() && found.len() == self.bytes)
    }
}

/// Named numbers that add up over shards.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Problems met, by code: also those that the table `problems` does not list one by one.
    pub problems: BTreeMap<String, u64>,
    /// Anything else worth a total, by name.
    pub totals: BTreeMap<String, u64>,
}

impl Counts {
    /// Adds what another one counted.
    pub fn add(&mut self, other: &Counts) {
        for (mine, others) in [(&mut self.problems, &other.problems), (&mut self.totals, &other.totals)] {
            for (name, count) in others {
                *mine.entry(name.clone()).or_default() += count;
            }
        }
    }
}

impl ShardWriter {
    /// Begins a shard in OUT, which [`super::prepare`] has seen.
    pub fn create(
        out: &Path,
        shard: u32,
        metadata: &Metadata,
        tables: ShardTables,
    ) -> Result<ShardWriter, OutputError> {
        let part = Part { out, shard, metadata };
        Ok(ShardWriter {
            captures: part.begin()?,
            bodies: part.begin()?,
            verdicts: tables.verdicts.then(|| part.begin()).transpose()?,
            verdicts_long: tables.verdicts_long.then(|| part.begin()).transpose()?,
            disagreements: tables.disagreements.then(|| part.begin()).transpose()?,
            sitemaps: part.begin()?,
            rules: tables.rules.then(|| part.begin()).transpose()?,
            classifiers: tables.classifiers.then(|| part.begin()).transpose()?,
            problems: part.begin()?,
            out: out.to_owned(),
            shard,
            configuration_hash: metadata.configuration_hash.clone(),
        })
    }

    /// Bytes of memory that hold rows at the moment: an estimate from above.
    pub fn memory(&self) -> usize {
        self.captures.memory()
            + self.bodies.memory()
            + self.verdicts.as_ref().map_or(0, TableWriter::memory)
            + self.verdicts_long.as_ref().map_or(0, TableWriter::memory)
            + self.disagreements.as_ref().map_or(0, TableWriter::memory)
            + self.sitemaps.memory()
            + self.rules.as_ref().map_or(0, TableWriter::memory)
            + self.classifiers.as_ref().map_or(0, TableWriter::memory)
            + self.problems.memory()
    }

    /// Closes and syncs every file, gives them their names, and writes the commit last.
    ///
    /// A table without rows has a part too, so that every folder has the columns to take, whichever shards are in it. On an error nothing half-written bears a final name and the shard is not done.
    pub fn commit(self, inputs: Vec<InputPart>, counts: Counts) -> Result<ShardCommit, OutputError> {
        let mut closed = Vec::new();
        close(self.captures, &mut closed)?;
        close(self.bodies, &mut closed)?;
        close_maybe(self.verdicts, &mut closed)?;
        close_maybe(self.verdicts_long, &mut closed)?;
        close_maybe(self.disagreements, &mut closed)?;
        close(self.sitemaps, &mut closed)?;
        close_maybe(self.rules, &mut closed)?;
        close_maybe(self.classifiers, &mut closed)?;
        close(self.problems, &mut closed)?;

        let mut files = Vec::with_capacity(closed.len());
        let mut folders = BTreeSet::new();
        for Closed { table, rows, file } in closed {
            folders.extend(file.target().parent().map(Path::to_owned));
            let Written { bytes, hash } = file.publish()?;
            let path = format!("{table}/{}", part_name(self.shard));
            files.push(PartFile { table: table.to_owned(), path, rows, bytes, xxh3_128: hash });
        }
        for folder in &folders {
            sync_folder(folder)?;
        }
        let commit =
            ShardCommit { shard: self.shard, configuration_hash: self.configuration_hash, inputs, files, counts };
        write_json(&self.out.join(COMMITS).join(commit_name(self.shard)), &commit)?;
        Ok(commit)
    }
}

/// The part of a shard in any table.
struct Part<'a> {
    out: &'a Path,
    shard: u32,
    metadata: &'a Metadata,
}

impl Part<'_> {
    fn begin<T: Table>(&self) -> Result<TableWriter<T>, OutputError> {
        let folder = self.out.join(T::NAME);
        fs::create_dir_all(&folder).map_err(|source| OutputError::io(&folder, source))?;
        TableWriter::create(&folder.join(part_name(self.shard)), self.metadata)
    }
}

/// A file that is complete but for its name.
struct Closed {
    table: &'static str,
    rows: u64,
    file: super::PendingFile,
}

fn close<T: Table>(writer: TableWriter<T>, to: &mut Vec<Closed>) -> Result<(), OutputError> {
    to.push(Closed { table: T::NAME, rows: writer.rows(), file: writer.close()? });
    Ok(())
}

fn close_maybe<T: Table>(writer: Option<TableWriter<T>>, to: &mut Vec<Closed>) -> Result<(), OutputError> {
    writer.map_or(Ok(()), |writer| close(writer, to))
}

/// Name of a shard's part: five digits, more when there are more.
pub fn part_name(shard: u32) -> String {
    format!("part-{shard:05}.parquet")
}

/// Name of a shard's commit.
pub(super) fn commit_name(shard: u32) -> String {
    format!("{shard:05}.json")
}

/// The shard whose part or commit bears this name.
pub(super) fn shard_of(name: &str) -> Option<u32> {
    let digits = name.strip_suffix(".json").or_else(|| name.strip_prefix("part-")?.strip_suffix(".parquet"))?;
    let shard = digits.parse().ok()?;
    (name == commit_name(shard) || name == part_name(shard)).then_some(shard)
}

/// The shards that are done: their commits, in order.
///
/// A commit that cannot be read, or one of whose files is missing or has another size, does not count: its shard is to be done again.
/// The hashes are not checked, which would mean reading everything.
pub fn read_commits(out: &Path) -> Result<BTreeMap<u32, ShardCommit>, OutputError> {
    let folder = out.join(COMMITS);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(source) => return Err(OutputError::io(&folder, source)),
    };
    let mut commits = BTreeMap::new();
    for entry in entries {
        let entry = entry.map_err(|source| OutputError::io(&folder, source))?;
        let Some(shard) = entry.file_name().to_str().and_then(shard_of) else { continue };
        let commit = match read_json::<ShardCommit>(&entry.path()) {
            Ok(Some(commit)) if commit.shard == shard => commit,
            Ok(_) | Err(OutputError::Damaged { .. }) => continue,
            Err(other) => return Err(other),
        };
        if commit.files.iter().all(|file| file.is_as_stated(out)) {
            commits.insert(shard, commit);
        }
    }
    Ok(commits)
}

#[cfg(test)]
mod tests {
    use super::super::{clean_leftovers, hash_hex, prepare, remove_output};
    use super::*;
    use crate::table::{BodyRow, CaptureRow, SitemapRow, VerdictRow, body_id, body_key};

    fn write(out: &Path, shard: u32, captures: u32) -> Result<ShardCommit, OutputError> {
        let mut writer = ShardWriter::create(out, shard, &Metadata::default(), ShardTables::default())?;
        for row in 0..captures {
            let body_key = body_key(shard, row);
            let url = format!("https://{row}.example/robots.txt");
            let body_id = body_id(url.as_bytes());
            writer.captures.push(&CaptureRow {
                warc_filename: "a.warc.gz",
                url: &url,
                body_key: Some(body_key),
                body_id: Some(body_id),
                ..CaptureRow::default()
            })?;
            writer.bodies.push(&BodyRow { body_key, body_id, ..BodyRow::default() })?;
            if let Some(verdicts) = &mut writer.verdicts {
                verdicts.push(&VerdictRow { body_key, agents: &[0, 1], lines: &[0, 7], ..VerdictRow::default() })?;
            }
            writer.sitemaps.push(&SitemapRow { body_key, url: url.as_bytes(), line: 1, is_absolute: true })?;
        }
        let part = InputPart {
            name: "a.warc.gz".to_owned(),
            start: 0,
            end: None,
            size: Some(1000),
            captures: captures.into(),
            complete: true,
            problem: None,
        };
        writer.commit(vec![part], Counts::default())
    }

    fn files(folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            match path.is_dir() {
                true => found.extend(files(&path).into_iter().map(|file| format!("{name}/{file}"))),
                false => found.push(name),
            }
        }
        found.sort();
        found
    }

    #[test]
    fn a_commit_says_what_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        prepare(&out).unwrap();
        let first = write(&out, 0, 3).unwrap();
        let last = write(&out, 123_456, 2).unwrap();
        let found = [
            "_shards/00000.json",
            "_shards/123456.json",
            "bodies/part-00000.parquet",
            "bodies/part-123456.parquet",
            "captures/part-00000.parquet",
            "captures/part-123456.parquet",
            "problems/part-00000.parquet",
            "problems/part-123456.parquet",
            "sitemaps/part-00000.parquet",
            "sitemaps/part-123456.parquet",
            "verdicts/part-00000.parquet",
            "verdicts/part-123456.parquet",
        ];
        assert_eq!(files(&out), found, "a table without rows has a part too");
        for file in first.files.iter().chain(&last.files) {
            let bytes = fs::read(out.join(&file.path)).unwrap();
            assert_eq!((file.bytes, &file.xxh3_128), (bytes.len() as u64, &hash_hex(&bytes)), "{}", file.path);
        }
        assert_eq!(first.files.iter().map(|file| file.rows).collect::<Vec<_>>(), [3, 3, 3, 3, 0]);
        let commits = read_commits(&out).unwrap();
        assert_eq!(commits, BTreeMap::from([(0, first), (123_456, last)]));
    }

    #[test]
    fn the_same_shard_gives_the_same_files() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            prepare(&dir.path().join(name)).unwrap();
            write(&dir.path().join(name), 7, 500).unwrap();
        }
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        assert_eq!(files(&a), files(&b));
        for file in files(&a) {
            assert_eq!(fs::read(a.join(&file)).unwrap(), fs::read(b.join(&file)).unwrap(), "{file}");
        }
    }

    #[test]
    fn a_shard_without_rows_is_done_too() {
        let dir = tempfile::tempdir().unwrap();
        prepare(dir.path()).unwrap();
        write(dir.path(), 5, 0).unwrap();
        assert_eq!(files(dir.path()).len(), 6, "five tables and the commit");
        assert!(read_commits(dir.path()).unwrap().contains_key(&5));
    }

    #[test]
    fn an_abandoned_shard_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        prepare(dir.path()).unwrap();
        let writer = ShardWriter::create(dir.path(), 1, &Metadata::default(), ShardTables::default()).unwrap();
        assert_eq!(files(dir.path()).len(), 5);
        drop(writer);
        assert!(files(dir.path()).is_empty());
    }

    #[test]
    fn a_commit_counts_only_while_its_files_are_as_it_says() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path();
        prepare(out).unwrap();
        for shard in 0..4 {
            write(out, shard, 2).unwrap();
        }
        fs::remove_file(out.join("bodies/part-00000.parquet")).unwrap();
        fs::write(out.join("captures/part-00001.parquet"), "short").unwrap();
        fs::write(out.join("_shards/00002.json"), "{").unwrap();
        fs::write(out.join("_shards/notes.json"), "{}").unwrap();
        assert_eq!(read_commits(out).unwrap().into_keys().collect::<Vec<_>>(), [3]);
        for shard in 0..3 {
            write(out, shard, 2).unwrap();
        }
        assert_eq!(read_commits(out).unwrap().len(), 4);
    }

    #[test]
    fn leftovers_go_and_those_of_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path();
        prepare(out).unwrap();
        write(out, 0, 1).unwrap();
        let finished = files(out);
        let mine = "captures/.part-00002.parquet.0123456789abcdef.tmp";
        let others = "bodies/.part-00003.parquet.0123456789abcdef.tmp";
        let single = ".agents.parquet.0123456789abcdef.tmp";
        for name in [mine, others, single, "captures/.mine.tmp"] {
            fs::write(out.join(name), "x").unwrap();
        }
        assert_eq!(clean_leftovers(out, Some(&|shard| shard % 2 == 0)).unwrap(), 1);
        assert!(!out.join(mine).exists() && out.join(others).exists() && out.join(single).exists());
        assert_eq!(clean_leftovers(out, None).unwrap(), 2);
        fs::remove_file(out.join("captures/.mine.tmp")).unwrap();
        assert_eq!(files(out), finished);
    }

    #[test]
    fn folders_of_others_are_refused_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path();
        fs::write(out.join("thesis.docx"), "x").unwrap();
        let error = prepare(out).unwrap_err();
        assert!(matches!(&error, OutputError::Foreign { found, .. } if found == "thesis.docx"), "{error}");
        assert!(matches!(prepare(&out.join("thesis.docx")), Err(OutputError::NotAFolder { .. })));
        assert!(matches!(prepare(&out.join("thesis.docx").join("out")), Err(OutputError::NotAFolder { .. })));
        assert_eq!(files(out), ["thesis.docx"]);
    }

    #[test]
    fn only_what_is_ours_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path();
        prepare(out).unwrap();
        write(out, 0, 1).unwrap();
        fs::write(out.join("notes.txt"), "x").unwrap();
        fs::write(out.join("bodies/mine.parquet"), "x").unwrap();
        prepare(out).unwrap();
        remove_output(out).unwrap();
        assert_eq!(files(out), ["bodies/mine.parquet", "notes.txt"]);
        assert!(read_commits(out).unwrap().is_empty());
        // What is left is somebody else's.
        assert!(matches!(prepare(out), Err(OutputError::Foreign { .. })));
    }

    #[test]
    fn part_names_have_five_digits_or_more() {
        assert_eq!(part_name(7), "part-00007.parquet");
        assert_eq!(part_name(123_456), "part-123456.parquet");
        for (name, shard) in [
            ("00007.json", Some(7)),
            ("part-123456.parquet", Some(123_456)),
            ("7.json", None),
            ("part-0000007.parquet", None),
            ("part-00007.parquet.tmp", None),
            ("plan.json", None),
        ] {
            assert_eq!(shard_of(name), shard, "{name}");
        }
    }
}
