//! What can go wrong when writing, and what the user can do about it.

use std::io;
use std::path::{Path, PathBuf};

/// An output that could not be written or read back.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The device is full.
    #[error("no space left for `{}`; make room and run the same command again, finished shards are kept", path.display())]
    DiskFull {
        /// What was being written.
        path: PathBuf,
    },
    /// The place may not be written to.
    #[error("`{}` cannot be written to ({source}); make it writable or choose another output folder", path.display())]
    ReadOnly {
        /// What was to be written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The output folder holds things of somebody else.
    #[error("`{}` holds `{found}`, which is not robocensus output; choose an empty or new output folder", path.display())]
    Foreign {
        /// The output folder.
        path: PathBuf,
        /// An entry of it that is not ours.
        found: String,
    },
    /// The output folder is no folder.
    #[error("`{}` is not a folder; choose another output folder", path.display())]
    NotAFolder {
        /// What was named as the output folder.
        path: PathBuf,
    },
    /// OUT is being written.
    #[error("another run is writing to `{}`; wait for it or choose another output folder", path.display())]
    Busy {
        /// The output folder.
        path: PathBuf,
    },
    /// A value does not fit a column.
    #[error("a value in row {row} of `{}` is larger than Parquet can hold (2 GiB); a smaller --body-cap avoids it", path.display())]
    ValueTooLarge {
        /// The file that was being written.
        path: PathBuf,
        /// Row, from 0.
        row: u64,
    },
    /// A file of ours does not read as it was written.
    #[error("`{}` is damaged ({detail}); remove it and run the same command again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// The Parquet library refused.
    #[error("`{}` could not be encoded: {source}", path.display())]
    Parquet {
        /// The file that was being written.
        path: PathBuf,
        /// What it said.
        source: parquet::errors::ParquetError,
    },
    /// Anything else that the system said.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl OutputError {
    /// The error for what the system said about this path.
    pub(crate) fn io(path: &Path, source: io::Error) -> OutputError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => OutputError::DiskFull { path },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                OutputError::ReadOnly { path, source }
            }
            io::ErrorKind::NotADirectory => OutputError::NotAFolder { path },
            _ => OutputError::Io { path, source },
        }
    }
}
