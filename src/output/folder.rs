//! The output folder: whose it is, what may be removed from it.

use super::OutputError;
use super::manifest::MANIFEST;
use super::pending::{final_name, read_json, sync_folder};
use super::shard::{COMMITS, ShardCommit, commits_path, plan_path, shard_of};
use crate::table::{Place, TABLES};
use std::collections::BTreeMap;
use std::fs::{self, DirEntry, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Makes OUT, or makes sure that it is ours and can be written to.
///
/// An existing folder is ours when it has a plan or a manifest of this program in it, or nothing but what such a run makes first.
pub fn prepare(out: &Path) -> Result<(), OutputError> {
    if fs::symlink_metadata(out).is_ok() && !out.is_dir() {
        return Err(OutputError::NotAFolder { path: out.to_owned() });
    }
    fs::create_dir_all(out).map_err(|source| OutputError::io(out, source))?;
    let commits = commits_path(out);
    if !is_ours(out)
        && let Some(found) = foreign_entry(out)?
    {
        return Err(OutputError::Foreign { path: out.to_owned(), found });
    }
    fs::create_dir_all(&commits).map_err(|source| OutputError::io(&commits, source))?;
    // An existing folder says nothing about whether files can be made in it.
    super::PendingFile::create(&commits.join("probe"))?;
    sync_folder(out)
}

/// Keeps a second run away from OUT for as long as the file is open; a process that dies lets go of it.
pub fn lock(out: &Path) -> Result<Option<File>, OutputError> {
    let folder = commits_path(out);
    let file = File::open(&folder).map_err(|source| OutputError::io(&folder, source))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(OutputError::Busy { path: out.to_owned() }),
        // Some network file systems know no locks; that is no reason to refuse them.
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Something in a table's folder that no shard or `resolve` wrote.
pub fn foreign_in_table(out: &Path, table: &str) -> Result<Option<String>, OutputError> {
    let found = entries(&out.join(table))?;
    let is_ours = |name: &str| shard_of(final_name(name).unwrap_or(name)).is_some();
    Ok(found.iter().map(name).find(|name| !is_ours(name)).map(|name| format!("{table}/{name}")))
}

/// Whether a folder has a plan, a commit or a manifest of this program in it.
fn is_ours(out: &Path) -> bool {
    let says = |path: &Path, key: &str, expected: Option<&str>| match read_json::<serde_json::Value>(path) {
        Ok(Some(value)) => match expected {
            Some(expected) => value[key] == expected,
            None => value[key].is_string(),
        },
        _ => false,
    };
    let is_commit = |entry: &DirEntry| {
        shard_of(&name(entry)).is_some() && matches!(read_json::<ShardCommit>(&entry.path()), Ok(Some(_)))
    };
    says(&out.join(MANIFEST), "tool", Some(env!("CARGO_PKG_NAME")))
        || says(&plan_path(out), "configuration_hash", None)
        || entries(&commits_path(out)).is_ok_and(|commits| commits.iter().any(is_commit))
}

/// Something in OUT that a run which was ended at its very start would not have left.
fn foreign_entry(out: &Path) -> Result<Option<String>, OutputError> {
    for entry in entries(out)? {
        let entry_name = name(&entry);
        if entry_name == COMMITS {
            let inside = entries(&entry.path())?;
            if let Some(found) = inside.iter().find(|entry| final_name(&name(entry)).is_none()) {
                return Ok(Some(format!("{COMMITS}/{}", name(found))));
            }
        } else if final_name(&entry_name).is_none() {
            return Ok(Some(entry_name));
        }
    }
    Ok(None)
}

/// Removes parts that no commit speaks for: of shards that are to be done again, or of another plan.
pub fn remove_orphans(out: &Path, commits: &BTreeMap<u32, ShardCommit>) -> Result<(), OutputError> {
    for table in TABLES.iter().filter(|table| table.in_shards()) {
        for entry in entries(&out.join(table.name))? {
            let part = name(&entry);
            let Some(shard) = shard_of(&part) else { continue };
            let path = format!("{}/{part}", table.name);
            let is_stated = commits.get(&shard).is_some_and(|commit| commit.files.iter().any(|file| file.path == path));
            if !is_stated {
                remove(&entry.path())?;
            }
        }
    }
    Ok(())
}

/// Removes what runs that were ended from outside left under temporary names; gives the number of files.
///
/// `owned` says which shards are this run's when several share OUT: what others are still writing must stay. `None`: all of OUT is.
pub fn clean_leftovers(out: &Path, owned: Option<&dyn Fn(u32) -> bool>) -> Result<u64, OutputError> {
    let mut removed = 0;
    for folder in folders(out) {
        for entry in entries(&folder)? {
            let temporary = name(&entry);
            let Some(target) = final_name(&temporary) else { continue };
            let is_ours = owned.is_none_or(|owned| shard_of(target).is_some_and(owned));
            if is_ours {
                match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    true => remove_folder(&entry.path())?,
                    false => remove(&entry.path())?,
                }
                removed += 1;
            }
        }
    }
    Ok(removed)
}

/// Removes all that robocensus wrote to OUT, and nothing else: first what says that it is there, then the tables, last the plan,
/// which says that the folder is ours.
pub fn remove_output(out: &Path) -> Result<(), OutputError> {
    remove(&out.join(MANIFEST))?;
    for entry in entries(&commits_path(out))? {
        if shard_of(&name(&entry)).is_some() {
            remove(&entry.path())?;
        }
    }
    clean_leftovers(out, None)?;
    for table in TABLES {
        match table.place {
            Place::Single => remove(&out.join(format!("{}.parquet", table.name)))?,
            Place::Parts | Place::PartsWith(_) | Place::Resolved => {
                let folder = out.join(table.name);
                for entry in entries(&folder)? {
                    if shard_of(&name(&entry)).is_some() {
                        remove(&entry.path())?;
                    }
                }
                // Where somebody put a file of their own beside the parts, the folder stays.
                let _ = fs::remove_dir(&folder);
            }
        }
    }
    remove(&plan_path(out))
}

/// The folders of OUT in which files are written.
fn folders(out: &Path) -> Vec<PathBuf> {
    let tables = TABLES.iter().filter(|table| table.in_shards()).map(|table| out.join(table.name));
    [out.to_owned(), out.join(COMMITS)].into_iter().chain(tables).collect()
}

/// What is in a folder, by name; nothing when it is not there.
fn entries(folder: &Path) -> Result<Vec<DirEntry>, OutputError> {
    let found = match fs::read_dir(folder) {
        Ok(found) => found.collect::<io::Result<Vec<_>>>(),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => Err(e),
    };
    let mut found = found.map_err(|source| OutputError::io(folder, source))?;
    found.sort_by_key(DirEntry::file_name);
    Ok(found)
}

fn name(entry: &DirEntry) -> String {
    entry.file_name().to_string_lossy().into_owned()
}

/// Removes a folder and what is in it; it is no error when somebody else did.
fn remove_folder(path: &Path) -> Result<(), OutputError> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(OutputError::io(path, e)),
        _ => Ok(()),
    }
}

/// Removes a file; it is no error when somebody else did.
pub(super) fn remove(path: &Path) -> Result<(), OutputError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(OutputError::io(path, e)),
        _ => Ok(()),
    }
}
