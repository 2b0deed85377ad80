//! Takes finished files over from another output.

use super::OutputError;
use super::pending::{sync_folder, write_json};
use super::shard::{COMMITS, PartFile, ShardCommit, commit_name};
use super::{PendingFile, Written};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Takes a file of the output `from` over to `out`: by a hard link, or by copying where the file system cannot link, which also
/// checks that its bytes are those that were once written.
pub fn adopt_file(out: &Path, from: &Path, file: &PartFile) -> Result<(), OutputError> {
    if file.is_as_stated(out) {
        return Ok(());
    }
    let (source, target) = (from.join(&file.path), out.join(&file.path));
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder).map_err(|error| OutputError::io(folder, error))?;
    }
    super::folder::remove(&target)?;
    if fs::hard_link(&source, &target).is_ok() {
        return Ok(());
    }
    let mut from = File::open(&source).map_err(|error| OutputError::io(&source, error))?;
    let mut copy = PendingFile::create(&target)?;
    io::copy(&mut from, &mut copy).map_err(|error| OutputError::io(&target, error))?;
    copy.sync()?;
    if copy.written() != (Written { bytes: file.bytes, hash: file.xxh3_128.clone() }) {
        return Err(OutputError::Damaged {
            path: source,
            detail: "its bytes are not those that were written".to_owned(),
        });
    }
    copy.publish().map(|_| ())
}

/// Takes a shard of the output `from` over to `out`: its files and, last, its commit.
pub fn adopt_shard(out: &Path, from: &Path, commit: &ShardCommit) -> Result<(), OutputError> {
    let mut folders = BTreeSet::new();
    for file in &commit.files {
        adopt_file(out, from, file)?;
        folders.extend(out.join(&file.path).parent().map(Path::to_owned));
    }
    for folder in &folders {
        sync_folder(folder)?;
    }
    write_json(&out.join(COMMITS).join(commit_name(commit.shard)), commit).map(|_| ())
}
