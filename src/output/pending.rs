//! A file that gets its final name only when it is complete.

use super::OutputError;
use super::parquet::hex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use xxhash_rust::xxh3::Xxh3;

/// A file that is being written under a temporary name beside its final one, hashed on the way.
///
/// Unless it is published, dropping it removes it.
pub struct PendingFile {
    file: File,
    temporary: PathBuf,
    target: PathBuf,
    hasher: Box<Xxh3>,
    bytes: u64,
    published: bool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Bytes of the file.
    pub bytes: u64,
    /// xxh3-128 of them, in hexadecimal.
    pub hash: String,
}

impl PendingFile {
    /// Begins a file that is to be called `target`; the folder must be there.
    pub fn create(target: &Path) -> Result<PendingFile, OutputError> {
        let temporary = temporary_name(target);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&temporary)
            .map_err(|source| OutputError::io(target, source))?;
        let hasher = Box::new(Xxh3::new());
        Ok(PendingFile { file, temporary, target: target.to_owned(), hasher, bytes: 0, published: false })
    }

    /// Its final name.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Waits until what was written is on the device.
    pub fn sync(&mut self) -> Result<(), OutputError> {
        self.file.sync_all().map_err(|source| OutputError::io(&self.target, source))
    }

    /// Gives it its final name, replacing what bore it. [`PendingFile::sync`] comes before, [`sync_folder`] after.
    pub fn publish(mut self) -> Result<Written, OutputError> {
        fs::rename(&self.temporary, &self.target).map_err(|source| OutputError::io(&self.target, source))?;
        self.published = true;
        Ok(self.written())
    }

    /// What was written so far.
    pub(super) fn written(&self) -> Written {
        Written { bytes: self.bytes, hash: hex(self.hasher.digest128()) }
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(bytes.get(..written).unwrap_or(bytes));
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if !self.published {
            // Nobody is left to tell: what stays behind is removed by `clean_leftovers`.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// A folder that is being filled under a temporary name beside its final one.
///
/// Unless it is published, dropping it removes it and what is in it.
pub struct PendingFolder {
    temporary: PathBuf,
    target: PathBuf,
    published: bool,
}

impl PendingFolder {
    /// Begins a folder that is to be called `target`.
    pub fn create(target: &Path) -> Result<PendingFolder, OutputError> {
        let temporary = temporary_name(target);
        fs::create_dir(&temporary).map_err(|source| OutputError::io(target, source))?;
        Ok(PendingFolder { temporary, target: target.to_owned(), published: false })
    }

    /// Where to put what is to be in it.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// Gives it its final name, in the place of the folder that bears it; the files in it are synced before.
    pub fn publish(mut self) -> Result<(), OutputError> {
        sync_folder(&self.temporary)?;
        let mut former = self.target.file_name().unwrap_or_default().to_owned();
        former.push("-former");
        let former = temporary_name(&self.target.with_file_name(former));
        match fs::rename(&self.target, &former) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(OutputError::io(&self.target, e)),
            _ => {}
        }
        fs::rename(&self.temporary, &self.target).map_err(|source| OutputError::io(&self.target, source))?;
        self.published = true;
        if let Some(folder) = self.target.parent() {
            sync_folder(folder)?;
        }
        // What is left of it bears a temporary name, and `clean_leftovers` removes that.
        let _ = fs::remove_dir_all(&former);
        Ok(())
    }
}

impl Drop for PendingFolder {
    fn drop(&mut self) {
        if !self.published {
            let _ = fs::remove_dir_all(&self.temporary);
        }
    }
}

/// End of every temporary name.
const TEMPORARY: &str = ".tmp";

/// `dir/.part-00000.parquet.0123456789abcdef.tmp`: hidden, so that no engine takes it for a part, and different in every
/// process, so that two runs that meet in one folder never write into one file.
fn temporary_name(target: &Path) -> PathBuf {
    static TOKEN: OnceLock<u64> = OnceLock::new();
    let token = TOKEN.get_or_init(|| RandomState::new().build_hasher().finish());
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{token:016x}{TEMPORARY}"));
    target.with_file_name(name)
}

/// The final name that a temporary one stands for.
pub(super) fn final_name(temporary: &str) -> Option<&str> {
    let (name, token) = temporary.strip_prefix('.')?.strip_suffix(TEMPORARY)?.rsplit_once('.')?;
    (token.len() == 16 && token.bytes().all(|b| b.is_ascii_hexdigit())).then_some(name)
}

/// Makes the renames in a folder last through a power cut.
pub(super) fn sync_folder(folder: &Path) -> Result<(), OutputError> {
    if !cfg!(unix) {
        return Ok(());
    }
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    match synced {
        // Some network file systems cannot sync a folder; there the rename is as lasting as it gets.
        Err(e) if matches!(e.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => Ok(()),
        other => other.map_err(|source| OutputError::io(folder, source)),
    }
}

/// Writes a value as JSON (UTF-8, two blanks a level, a line end at the end), whole or not at all.
pub fn write_json(target: &Path, value: &impl Serialize) -> Result<Written, OutputError> {
    let mut file = PendingFile::create(target)?;
    let mut text = serde_json::to_vec_pretty(value)
        .map_err(|e| OutputError::Io { path: target.to_owned(), source: io::Error::other(e) })?;
    text.push(b'\n');
    file.write_all(&text).map_err(|source| OutputError::io(target, source))?;
    file.sync()?;
    let written = file.publish()?;
    if let Some(folder) = target.parent() {
        sync_folder(folder)?;
    }
    Ok(written)
}

/// Reads a value from JSON; `None` when there is no such file.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, OutputError> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(OutputError::io(path, source)),
    };
    let value = serde_json::from_slice(&text)
        .map_err(|e| OutputError::Damaged { path: path.to_owned(), detail: e.to_string() })?;
    Ok(Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("part-00007.parquet");
        fs::write(&target, "old").unwrap();

        let mut file = PendingFile::create(&target).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "the temporary file is gone");

        let mut file = PendingFile::create(&target).unwrap();
        file.write_all(b"wh").unwrap();
        file.write_all(b"ole").unwrap();
        file.sync().unwrap();
        let written = file.publish().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"whole");
        assert_eq!(written, Written { bytes: 5, hash: super::super::hash_hex(b"whole") });
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_appears_whole_in_the_place_of_the_former_one() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("origins");
        let names = || -> Vec<String> {
            let entries = fs::read_dir(dir.path()).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        for round in ["first", "second"] {
            drop(PendingFolder::create(&target).unwrap());
            let folder = PendingFolder::create(&target).unwrap();
            assert!(names().iter().any(|name| final_name(name) == Some("origins")), "{:?}", names());
            fs::write(folder.path().join(round), "x").unwrap();
            folder.publish().unwrap();
            assert_eq!(names(), ["origins"]);
            let inside: Vec<_> = fs::read_dir(&target).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(inside, [round]);
        }
    }

    #[test]
    fn temporary_names_lead_back_to_final_ones() {
        let name = temporary_name(Path::new("out/captures/part-00007.parquet"));
        assert_eq!(name.parent(), Some(Path::new("out/captures")));
        assert_eq!(final_name(name.file_name().unwrap().to_str().unwrap()), Some("part-00007.parquet"));
        for other in ["part-00007.parquet", ".hidden.tmp", ".swp.tmp", ".a.b.tmp", "a.0123456789abcdef.tmp"] {
            assert_eq!(final_name(other), None, "{other}");
        }
    }
}
