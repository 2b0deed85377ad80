//! robocensus reads the robots.txt captures of a web crawl and says, in Parquet, who may fetch what.
//!
//! The modules are declared in the order the data flows.

pub mod quantity;
pub mod capture;
pub mod ingest;
pub mod classify;
pub mod evaluate;
pub mod table;
pub mod output;
pub mod pipeline;
pub mod resolve;
pub mod report;
pub mod compare;
pub mod synth;
pub mod command;
pub mod cli;
