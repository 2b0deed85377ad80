//! The Robots Exclusion Protocol: bytes in, verdicts out. No I/O, no threads, no clock.

mod agent;
mod verdict;

pub use agent::Agent;
pub use verdict::{Basis, Decision, Verdict};
