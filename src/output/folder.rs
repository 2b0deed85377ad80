//! The output folder: whose it is, what may be removed from it.

use super::OutputError;
use super::manifest::MANIFEST;
use super::pending::{final_name, sync_folder};
use super::shard::{COMMITS, shard_of};
use crate::table::{Place, TABLES};
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

/// Makes OUT, or makes sure that it is ours and can be written to.
///
/// An existing folder is ours when it is empty or has the folder of commits or the manifest in it.
pub fn prepare(out: &Path) -> Result<(), OutputError> {
    if out.exists() && !out.is_dir() {
        return Err(OutputError::NotAFolder { path: out.to_owned() });
    }
    fs::create_dir_all(out).map_err(|source| OutputError::io(out, source))?;
    let commits = out.join(COMMITS);
    if !commits.is_dir()
        && !out.join(MANIFEST).is_file()
        && let Some(found) = entries(out)?.into_iter().find(|entry| final_name(&name(entry)).is_none())
    {
        return Err(OutputError::Foreign { path: out.to_owned(), found: name(&found) });
    }
    fs::create_dir_all(&commits).map_err(|source| OutputError::io(&commits, source))?;
    // An existing folder says nothing about whether files can be made in it.
    super::PendingFile::create(&commits.join("probe"))?;
    sync_folder(out)
}

/// Whether the output is finished: it has a manifest.
pub fn is_complete(out: &Path) -> bool {
    out.join(MANIFEST).is_file()
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
                remove(&entry.path())?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}

/// Removes all that robocensus wrote to OUT, and nothing else: first what says that it is there, then the tables.
pub fn remove_output(out: &Path) -> Result<(), OutputError> {
    remove(&out.join(MANIFEST))?;
    for entry in entries(&out.join(COMMITS))? {
        remove(&entry.path())?;
    }
    clean_leftovers(out, None)?;
    for table in TABLES {
        match table.place {
            Place::Single => remove(&out.join(format!("{}.parquet", table.name)))?,
            Place::Parts | Place::PartsWith(_) => {
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
    Ok(())
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

/// Removes a file; it is no error when somebody else did.
fn remove(path: &Path) -> Result<(), OutputError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(OutputError::io(path, e)),
        _ => Ok(()),
    }
}
