//! READ: turns files into captures and never judges what they hold.
//!
//! A source walks its part of one file and hands every HTTP response to a [`Sink`]. Damage costs the record it is in and
//! becomes a [`Problem`]; it never ends the file.

pub mod input;
pub mod warc;
pub mod libdeflate;
pub mod parquet;

use crate::capture::{Capture, Problem};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Takes what a reader finds. `Break` ends the reading of this part (the sink knows why).
pub trait Sink {
    /// One HTTP response.
    fn capture(&mut self, capture: &Capture<'_>) -> ControlFlow<()>;
    /// Something wrong with the input.
    fn problem(&mut self, problem: Problem);
    /// So many more stored bytes of the input have been walked.
    fn progress(&mut self, bytes: u64);
}

/// Where the bytes come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A file of the local file system.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

/// The part of one input that a shard reads: the members that start in `start..end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Where the bytes come from.
    pub origin: Origin,
    /// First byte; a part that does not start at 0 begins at the first verified member from there on.
    pub start: u64,
    /// Members that start here or later belong to somebody else; `None` reads to the end.
    pub end: Option<u64>,
}

/// How far a part was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// To its end, whatever had to be passed over on the way.
    Complete,
    /// Not to its end: an unreadable or truncated file. It counts against `--max-errors`.
    Incomplete,
    /// The sink ended it.
    Stopped,
}

/// Limits that keep hostile input from taking the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a decoded body that are kept; the rest is counted.
    pub body_cap: usize,
    /// Bytes of a WARC or HTTP head that are looked at.
    pub head_cap: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { body_cap: 16 << 20, head_cap: 1 << 20 }
    }
}
