//! `OUT/manifest.json`: what a finished output holds, and what it was made from.

use super::pending::{Written, read_json, write_json};
use super::{Counts, InputPart, OutputError, PartFile, ShardCommit};
use crate::table::{Origins, SCHEMA_VERSION, TABLES, Table};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Name of the manifest in OUT.
pub(super) const MANIFEST: &str = "manifest.json";

/// The manifest: derived from the commits of all shards, so it is the same however they came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name of the program.
    pub tool: String,
    /// Its version.
    pub tool_version: String,
    /// Version of the tables.
    pub schema_version: u32,
    /// Hash of the configuration.
    pub configuration_hash: String,
    /// The configuration, as the caller describes it.
    pub configuration: Value,
    /// Which shards of the run these are, as in `--shard 3/8`; absent when they are all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<String>,
    /// How many shards there are.
    pub shards: u64,
    /// What they counted, together.
    #[serde(flatten)]
    pub counts: Counts,
    /// What `resolve` found; absent until it has run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Resolution>,
    /// The tables, in the order of `robocensus schema`.
    pub tables: Vec<TableFiles>,
    /// The inputs, in order.
    pub inputs: Vec<InputFile>,
}

/// How captures became the table `origins`, and what that holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    /// Redirects that were followed at most.
    pub max_hops: u8,
    /// Origins by outcome in the first dialect and reason, the reasons in their own order.
    pub origins: Vec<ReasonCount>,
}

/// Origins of one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReasonCount {
    /// Outcome in the first dialect.
    pub outcome: String,
    /// Reason.
    pub reason: String,
    /// How many.
    pub origins: u64,
}

/// A table and its files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableFiles {
    /// Its name.
    pub name: String,
    /// Rows of all files.
    pub rows: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// The files, in the order of the shards.
    pub files: Vec<PartFile>,
}

impl TableFiles {
    fn of(name: &str, files: Vec<PartFile>) -> TableFiles {
        let rows = files.iter().map(|file| file.rows).sum();
        let bytes = files.iter().map(|file| file.bytes).sum();
        TableFiles { name: name.to_owned(), rows, bytes, files }
    }
}

/// An input over all shards that read parts of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    /// Name, as in `captures.warc_filename`.
    pub name: String,
    /// Bytes, where known.
    pub size: Option<u64>,
    /// Captures that were read from it.
    pub captures: u64,
    /// Whether every part was read to its end.
    pub complete: bool,
    /// What first kept it from being read to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Manifest {
    /// The manifest of these shards and of the tables of one file.
    pub fn new(
        configuration: Value,
        configuration_hash: String,
        selection: Option<String>,
        commits: &BTreeMap<u32, ShardCommit>,
        singles: &[PartFile],
    ) -> Manifest {
        let mut counts = Counts::default();
        let mut inputs: Vec<InputFile> = Vec::new();
        for commit in commits.values() {
            counts.add(&commit.counts);
            for part in &commit.inputs {
                add_input(&mut inputs, part);
            }
        }
        let mut tables = Vec::new();
        for table in TABLES {
            let parts = commits.values().flat_map(|commit| &commit.files).chain(singles);
            let files: Vec<PartFile> = parts.filter(|file| file.table == table.name).cloned().collect();
            if !files.is_empty() {
                tables.push(TableFiles::of(table.name, files));
            }
        }
        Manifest {
            tool: env!("CARGO_PKG_NAME").to_owned(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            schema_version: SCHEMA_VERSION,
            configuration_hash,
            configuration,
            selection,
            shards: commits.len() as u64,
            counts,
            resolution: None,
            tables,
            inputs,
        }
    }

    /// Adds the table `origins`, or without one takes it out.
    pub fn set_origins(&mut self, origins: Option<(Resolution, Vec<PartFile>)>) {
        self.tables.retain(|table| table.name != Origins::NAME);
        self.resolution = None;
        if let Some((resolution, files)) = origins {
            self.resolution = Some(resolution);
            self.tables.push(TableFiles::of(Origins::NAME, files));
            self.tables.sort_by_key(|files| TABLES.iter().position(|table| table.name == files.name));
        }
    }

    /// Writes it to OUT: the last file of a scan.
    pub fn write(&self, out: &Path) -> Result<Written, OutputError> {
        write_json(&out.join(MANIFEST), self)
    }

    /// Whether every file it names is there with the size it states. Hashes are not checked, which would mean reading everything.
    pub fn is_whole(&self, out: &Path) -> bool {
        let files = self.tables.iter().flat_map(|table| &table.files);
        files.into_iter().all(|file| file.is_as_stated(out))
    }

    /// Takes it away: the output is not finished.
    pub fn remove(out: &Path) -> Result<(), OutputError> {
        super::folder::remove(&out.join(MANIFEST))
    }

    /// Reads that of OUT; `None` when there is none.
    pub fn read(out: &Path) -> Result<Option<Manifest>, OutputError> {
        read_json(&out.join(MANIFEST))
    }
}

/// Windows of one file lie in consecutive shards, so the input to add to is the last one or a new one.
fn add_input(inputs: &mut Vec<InputFile>, part: &InputPart) {
    match inputs.last_mut() {
        Some(last) if last.name == part.name => {
            last.captures += part.captures;
            last.complete &= part.complete;
            last.problem = last.problem.take().or_else(|| part.problem.clone());
            last.size = last.size.or(part.size);
        }
        _ => inputs.push(InputFile {
            name: part.name.clone(),
            size: part.size,
            captures: part.captures,
            complete: part.complete,
            problem: part.problem.clone(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(shard: u32, name: &str, captures: u64, complete: bool) -> ShardCommit {
        let file = |table: &str| PartFile {
            table: table.to_owned(),
            path: format!("{table}/part-{shard:05}.parquet"),
            rows: captures,
            bytes: 100,
            xxh3_128: String::new(),
        };
        ShardCommit {
            shard,
            configuration_hash: "c".to_owned(),
            inputs: vec![InputPart {
                name: name.to_owned(),
                start: 0,
                end: None,
                size: Some(9),
                captures,
                complete,
                problem: None,
            }],
            files: vec![file("captures"), file("bodies")],
            counts: Counts {
                problems: BTreeMap::from([("member-damaged".to_owned(), 1)]),
                totals: BTreeMap::from([("captures".to_owned(), captures)]),
            },
        }
    }

    #[test]
    fn a_manifest_adds_its_shards_up() {
        let commits = [commit(0, "a", 5, true), commit(1, "b", 7, true), commit(2, "b", 1, false)];
        let commits: BTreeMap<u32, ShardCommit> = commits.into_iter().map(|commit| (commit.shard, commit)).collect();
        let single = PartFile {
            table: "agents".to_owned(),
            path: "agents.parquet".to_owned(),
            rows: 2,
            bytes: 3,
            xxh3_128: String::new(),
        };
        let manifest =
            Manifest::new(serde_json::json!({"dialects": ["rfc9309"]}), "c".to_owned(), None, &commits, &[single]);
        assert_eq!(manifest.shards, 3);
        assert_eq!(manifest.counts.totals["captures"], 13);
        assert_eq!(manifest.counts.problems["member-damaged"], 3);
        let tables: Vec<_> =
            manifest.tables.iter().map(|t| (t.name.as_str(), t.rows, t.bytes, t.files.len())).collect();
        assert_eq!(tables, [("captures", 13, 300, 3), ("bodies", 13, 300, 3), ("agents", 2, 3, 1)]);
        let input = |name: &str, captures, complete| InputFile {
            name: name.to_owned(),
            size: Some(9),
            captures,
            complete,
            problem: None,
        };
        assert_eq!(manifest.inputs, [input("a", 5, true), input("b", 8, false)]);

        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), None);
        let written = manifest.write(dir.path()).unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), Some(manifest.clone()));
        assert_eq!(manifest.write(dir.path()).unwrap(), written, "the same manifest is the same file");
        std::fs::write(dir.path().join(MANIFEST), "[]").unwrap();
        assert!(matches!(Manifest::read(dir.path()), Err(OutputError::Damaged { .. })));
    }
}
