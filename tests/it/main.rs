//! Integration tests, one binary. Those that use the shared collection of real files say so when it is not there.

// Tests say what they expect with unwrap and panics; there a panic is the report.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stderr, unreachable_pub)]

mod alike;
mod compare;
mod bodies;
mod dialects;
mod differences;
mod disagree;
mod explain;
mod golden;
mod lint;
mod python;
mod report;
mod resolve;
mod run;
mod scan;
mod shared;
mod studies;
mod truth;
#[cfg(unix)]
mod weekly;
mod weeks;
