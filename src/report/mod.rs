//! REPORT: from finished tables to figures. One typed pass whose tallies can be merged; a figure is one entry of
//! [`figures::FIGURES`], from which files, page, queries and tests follow.
//!
//! [`pass::count`] counts, [`rows::fill`] makes rows, [`write`] and [`page`] show them. Nothing here looks at anything but tables.

pub mod facts;
pub mod figure;
pub mod figures;
pub mod interval;
pub mod origins;
pub mod page;
pub mod pass;
pub mod rows;
pub mod sql;
pub mod strata;
pub mod tally;
pub mod write;

pub mod chart;
pub mod source;

pub use pass::{Counted, Questions, Totals, count};
pub use rows::{Filled, Numbers, Row, fill};
pub use source::Source;

use std::io;
use std::path::{Path, PathBuf};

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// OUT has no manifest.
    #[error("`{}` holds no finished scan; run `robocensus scan ... -o {}` to its end first", .0.display(), .0.display())]
    NotFinished(PathBuf),
    /// OUT has no origins.
    #[error("`{}` has no table origins; run `robocensus resolve {}` first", .0.display(), .0.display())]
    NotResolved(PathBuf),
    /// The scan did not read with this dialect.
    #[error("the scan did not read with the dialect `{wanted}`; it has {known}")]
    NoDialect {
        /// What was asked for.
        wanted: String,
        /// What there is.
        known: String,
    },
    /// There are more bodies or origins than numbers for them.
    #[error("more than 2^32 bodies or origins; report on parts of the output")]
    TooLarge,
    /// A table is not as it should be.
    #[error("`{}` is damaged ({detail}); scan again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// A file of ranks or weights holds none.
    #[error("`{}` holds no {what}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What it should hold, and how.
        what: &'static str,
    },
    /// A line of such a file cannot be read.
    #[error("`{}`, line {line}: {detail}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        detail: String,
    },
    /// Something could not be read.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// What.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something could not be written, or the manifest could not be read.
    #[error(transparent)]
    Output(#[from] crate::output::OutputError),
    /// The page could not be made.
    #[error("the page could not be made: {0}")]
    Page(String),
}

impl ReportError {
    fn damaged(path: &Path, detail: &str) -> ReportError {
        ReportError::Damaged { path: path.to_owned(), detail: detail.to_owned() }
    }
}
