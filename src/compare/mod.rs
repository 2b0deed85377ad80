//! COMPARE: what changed between finished outputs: a streamed join by origin, and the figures that follow from it.
//!
//! Every body becomes a profile (what it lets each shared agent fetch, whom it names, how it was made), of which there are far
//! fewer than bodies. Origins are joined by a 128-bit hash of their names, a part of all sites at a time: as many parts as
//! `memory` asks for, and the figures do not depend on how many. A pair of profiles is counted, and taken apart when the part ends.
//!
//! Memory: 4 bytes a body of each output, a few words a distinct profile, `memory` for the join, and 32 bytes an origin that
//! opened, closed, came or went until the lists of these are written.

pub mod figure;
pub mod lists;
pub mod page;
pub mod shared;
pub mod write;

pub mod join;
pub mod profile;
pub mod tallies;

pub use figure::{FIGURES, Figure, Filled, Population, Row};
pub use join::{Joined, LEAST_MEMORY, Options, compare};
pub use shared::{Difference, Shared, Snapshot};

use crate::output::OutputError;
use crate::report::ReportError;

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// One of the outputs cannot be read, or something could not be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// Too few outputs, or too many.
    #[error("{0} outputs cannot be compared; name 2 to {most}", most = shared::MOST_SNAPSHOTS)]
    Number(usize),
    /// One is there twice.
    #[error("`{0}` is named twice")]
    Twice(String),
    /// The outputs have nothing in common that could be compared.
    #[error("these outputs cannot be compared: {0}")]
    Refused(String),
}

impl From<OutputError> for CompareError {
    fn from(error: OutputError) -> CompareError {
        CompareError::Report(error.into())
    }
}
