//! WRITE: Parquet on disk, safely: shards, manifest, commit.
//!
//! A file is written under a temporary name, synced and renamed, so what bears a final name is complete. A shard is done when its
//! commit (`OUT/_shards/00000.json`) is there, which is written last; the manifest is derived from all commits. Nothing that is
//! written depends on the machine, the time or the number of threads: the same rows give the same bytes.

mod adopt;
mod error;
mod folder;
mod manifest;
mod parquet;
mod pending;
mod shard;

pub use adopt::{adopt_file, adopt_shard};
pub use error::OutputError;
pub use folder::{clean_leftovers, foreign_in_table, lock, prepare, remove_orphans, remove_output};
pub use manifest::{InputFile, Manifest, ReasonCount, Resolution, TableFiles};
pub use parquet::{
    BATCH_ROWS, EncodeError, Encoder, Metadata, NamedSet, ROW_GROUP_BYTES, TableWriter, hash_hex, write_single,
};
pub use pending::{PendingFile, PendingFolder, Written, read_json, write_json};
pub use shard::{
    Counts, InputPart, PartFile, ShardCommit, ShardTables, ShardWriter, commits_path, part_name, plan_path,
    read_commits,
};
