//! The only room with threads, progress and error budgets.

pub mod plan;
pub mod sample;
