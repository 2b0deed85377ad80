//! Every output table, declared exactly once.
//!
//! A table is a list of [`Column`]s, each with its name, description, example and the getter that takes its value from
//! a row. Arrow schema, buffers, Parquet layout, `robocensus schema` and `docs/tables.md` are derived from the list. To add a column, add a
//! field to the row and a line to the list. The other rooms fill the row structs; they borrow what they hold.

pub mod column;

mod agents;
mod bodies;
mod captures;
mod classifiers;
mod disagreements;
mod origins;
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
pub use classifiers::{ClassifierRow, Classifiers};
pub use column::{Cell, Column, Description, Layout, Leaf, Record};
pub use disagreements::{DisagreementRow, Disagreements};
pub use origins::{CapturePlace, OriginRow, Origins};
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
    /// The same, but written by `resolve`, all parts at once.
    Resolved,
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
    /// What there is to say about its columns, those of structs in lists included.
    pub columns: fn() -> Vec<Description>,
}

/// Every table, in the order in which people meet them.
pub const TABLES: &[TableEntry] = &[
    entry::<Captures>(),
    entry::<Bodies>(),
    entry::<Verdicts>(),
    entry::<VerdictsLong>(),
    entry::<Disagreements>(),
    entry::<Sitemaps>(),
    entry::<Rules>(),
    entry::<Classifiers>(),
    entry::<Problems>(),
    entry::<Origins>(),
    entry::<Agents>(),
    entry::<Probes>(),
    entry::<Outcomes>(),
];

const fn entry<T: Table>() -> TableEntry {
    TableEntry { name: T::NAME, about: T::ABOUT, place: T::PLACE, schema: schema::<T>, columns: columns::<T> }
}

impl TableEntry {
    /// Whether it is a folder with a part a shard.
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

/// The Arrow schema of a table; every field carries its description as metadata.
pub fn schema<T: Record>() -> SchemaRef {
    let fields: Vec<Field> = T::COLUMNS.iter().map(Column::field).collect();
    Arc::new(Schema::new(fields))
}

fn columns<T: Record>() -> Vec<Description> {
    let mut out = Vec::new();
    T::COLUMNS.iter().for_each(|column| column.describe("", &mut out));
    out
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

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::datatypes::{DataType, TimeUnit};
    use std::collections::HashSet;

    #[test]
    fn names_are_unique() {
        let mut tables = HashSet::new();
        for table in TABLES {
            assert!(tables.insert(table.name), "{}", table.name);
            let mut columns = HashSet::new();
            for Description { name, .. } in (table.columns)() {
                let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_[].".contains(&b);
                assert!(name.bytes().all(allowed), "{}.{name}", table.name);
                assert!(columns.insert(name.clone()), "{}.{name}", table.name);
            }
        }
    }

    #[test]
    fn every_column_is_described_in_one_sentence_and_has_an_example() {
        for table in TABLES {
            assert!(table.about.starts_with("A row ") && table.about.ends_with('.'), "{}", table.name);
            for Description { name, about, example, .. } in (table.columns)() {
                assert!(about.ends_with('.') && !about.contains(". ") && !about.contains('\n'), "{name}: {about}");
                assert!(!example.is_empty(), "{}.{name}", table.name);
            }
            for field in (table.schema)().fields() {
                assert!(field.metadata().contains_key("description"), "{}.{}", table.name, field.name());
            }
        }
    }

    #[test]
    fn types_are_those_that_every_engine_reads() {
        fn is_plain(kind: &DataType) -> bool {
            match kind {
                DataType::Boolean | DataType::Int16 | DataType::Int32 | DataType::Int64 => true,
                DataType::Utf8 | DataType::Binary | DataType::FixedSizeBinary(16) => true,
                DataType::Timestamp(TimeUnit::Microsecond, Some(zone)) => zone.as_ref() == "UTC",
                DataType::List(element) => {
                    !element.is_nullable() && element.name() == "element" && is_plain(element.data_type())
                }
                DataType::Struct(members) => members.iter().all(|member| is_plain(member.data_type())),
                _ => false,
            }
        }
        for table in TABLES {
            for Description { name, kind, .. } in (table.columns)() {
                assert!(is_plain(&kind), "{}.{name}: {kind}", table.name);
            }
        }
    }

    #[test]
    fn columns_that_common_crawl_has_are_of_its_type() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/commoncrawl/cc-index-schema-flat.json");
        let Ok(text) = std::fs::read_to_string(path) else {
            println!("skipped: {path} is not there");
            return;
        };
        let theirs: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut common = 0;
        for field in theirs["fields"].as_array().unwrap() {
            let name = field["name"].as_str().unwrap();
            let Ok(ours) = schema::<Captures>().field_with_name(name).cloned() else { continue };
            common += 1;
            let agrees = match field["type"].as_str().unwrap() {
                "string" => ours.data_type() == &DataType::Utf8,
                // Theirs has 32 bits; offsets of larger files need more.
                "integer" => matches!(ours.data_type(), DataType::Int32 | DataType::Int64),
                "short" => ours.data_type() == &DataType::Int16,
                "timestamp" => matches!(ours.data_type(), DataType::Timestamp(..)),
                _ => false,
            };
            assert!(agrees, "{name}: {} is not {}", ours.data_type(), field["type"]);
        }
        assert_eq!(common, 20, "columns that both have");
    }

    #[test]
    fn keys_of_bodies_are_unique_and_not_negative() {
        assert_eq!(body_key(0, 0), 0);
        assert_eq!(body_key(0, u32::MAX), 0xFFFF_FFFF);
        assert_eq!(body_key(1, 0), 0x1_0000_0000);
        assert_eq!(body_key(i32::MAX as u32, u32::MAX), i64::MAX);
    }

    #[test]
    fn identities_of_bodies_are_stable() {
        // The published test vector of xxh3-128 for no input.
        let hex: String = body_id(b"").iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(hex, "99aa06d3014798d86001c324468d497f");
        assert_ne!(body_id(b"User-agent: *"), body_id(b"User-agent: *\n"));
    }
}
