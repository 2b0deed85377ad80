//! Every output table, declared exactly once.
//!
//! A table is a list of [`Column`]s, each with its name, description, example and the getter that takes its value from
//! a row. Arrow schema, buffers, Parquet layout, `robocensus schema` and `docs/tables.md` are derived from the list. To add a column, add a
//! field to the row and a line to the list. The other rooms fill the row structs; they borrow what they hold.

pub mod column;

mod agents;
mod bodies;
mod captures;
mod outcomes;
mod probes;
mod problems;
mod rules;
mod sitemaps;
mod verdicts;
mod verdicts_long;

pub use agents::{AgentRow, Agents};
pub use bodies::{Bodies, BodyRow, Extension, ExtensionRow, FindingRow, FindingTally, NamedAgent, NamedAgentRow};
pub use captures::{CaptureRow, Captures};
pub use column::{Cell, Column, Layout, Record};
pub use outcomes::{OutcomeRow, Outcomes};
pub use probes::{ProbeRow, Probes};
pub use problems::{ProblemRow, Problems};
pub use rules::{RuleRow, Rules};
pub use sitemaps::{SitemapRow, Sitemaps};
pub use verdicts::{VerdictRow, Verdicts};
pub use verdicts_long::{VerdictLongRow, VerdictsLong};

use arrow::datatypes::{Field, Schema, SchemaRef};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// Version of the tables: raised when a column is removed, renamed or changes its type or meaning, not when one is added.
pub const SCHEMA_VERSION: u32 = 1;

/// A table of the output.
pub trait Table: Record {
    /// Its name: that of its folder or file.
    const NAME: &'static str;
    /// One sentence on what a row is and what the table is for.
    const ABOUT: &'static str;
    /// Where it lies and when it is written.
    const PLACE: Place;
}

/// Where a table lies in OUT, and when it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// `OUT/<name>/part-00000.parquet` and so on, a part a shard.
    Parts,
    /// The same, but only with this option of `scan`.
    PartsWith(&'static str),
    /// `OUT/<name>.parquet`.
    Single,
}

/// What is known of a table without its row type: for listings, documentation and tests.
#[derive(Debug, Clone, Copy)]
pub struct TableEntry {
    /// Its name.
    pub name: &'static str,
    /// One sentence on it.
    pub about: &'static str,
    /// Where it lies.
    pub place: Place,
    /// Its Arrow schema.
    pub schema: fn() -> SchemaRef,
}

/// Every table, in the order in which people meet them.
pub const TABLES: &[TableEntry] = &[
    entry::<Captures>(),
    entry::<Bodies>(),
    entry::<Verdicts>(),
    entry::<VerdictsLong>(),
    entry::<Sitemaps>(),
    entry::<Rules>(),
    entry::<Problems>(),
    entry::<Agents>(),
    entry::<Probes>(),
    entry::<Outcomes>(),
];

const fn entry<T: Table>() -> TableEntry {
    TableEntry { name: T::NAME, about: T::ABOUT, place: T::PLACE, schema: schema::<T> }
}

impl TableEntry {
    /// Whether a shard has a part of it.
    pub fn in_shards(&self) -> bool {
        self.place != Place::Single
    }

    /// Its files, relative to OUT, as one would give them to DuckDB.
    pub fn files(&self) -> String {
        match self.place {
            Place::Single => format!("{}.parquet", self.name),
            _ => format!("{}/part-*.parquet", self.name),
        }
    }
}

/// The Arrow schema of a table; every field carries its description and an example as metadata.
pub fn schema<T: Record>() -> SchemaRef {
    let fields: Vec<Field> = T::COLUMNS.iter().map(Column::field).collect();
    Arc::new(Schema::new(fields))
}

/// The key of a body in the whole output: `shard << 32 | row`, where row is that of `bodies` in its shard, from 0.
/// It is not negative as long as there are fewer than 2^31 shards.
pub fn body_key(shard: u32, row: u32) -> i64 {
    i64::from(shard) << 32 | i64::from(row)
}

/// The identity of a decoded body: its xxh3-128, most significant byte first, so that its hexadecimal form is what
/// `xxhsum -H128` prints.
pub fn body_id(body: &[u8]) -> [u8; 16] {
    xxh3_128(body).to_be_bytes()
}
