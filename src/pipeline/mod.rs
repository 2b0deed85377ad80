//! The only room with threads, progress and error budgets: runs a scan over all shards.

pub mod plan;
pub mod sample;
pub mod configuration;
pub mod log;
pub mod progress;
mod run;
mod worker;

pub use run::{Finished, ScanError, Setup, run};
pub use worker::Options;
