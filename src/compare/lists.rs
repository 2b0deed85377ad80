//! Lists of a comparison, whole in Parquet: origins where access moved, origins that are not in all outputs, and every agent that
//! texts name. They are written as the names are read again, so none of them is ever whole in memory.

use super::CompareError;
use super::figure::naming_spans;
use super::join::Joined;
use super::shared::STATES;
use super::tallies::{CAUSES, Facts, MOVES, Side, Units, move_of};
use crate::output::{OutputError, PendingFile};
use crate::report::ReportError;
use crate::report::source::{maybe, read};
use arrow::array::{ArrayRef, BooleanArray, Int64Array, ListBuilder, RecordBatch, StringArray, StringBuilder};
use arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows that are encoded at a time.
const BATCH_ROWS: usize = 8_192;

/// An origin where some agent's access moved between two outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moved {
    /// The pair of outputs.
    pub step: u8,
    /// Its row in the newer one.
    pub row: u32,
    /// What the older one says.
    pub from: Side,
    /// What the newer one says.
    pub to: Side,
    /// Whether both have the same text.
    pub same_text: bool,
    /// Whether it is in the panel.
    pub in_panel: bool,
}

/// An origin that some output does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Presence {
    /// The last output that has it.
    pub last: u8,
    /// Its row there.
    pub row: u32,
    /// The outputs that have it, a bit each.
    pub seen: u64,
}

/// A row of the table `moves`: an origin, and the agents whose access moved alike.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Move {
    /// Name of the older output.
    pub from: String,
    /// Name of the newer output.
    pub to: String,
    /// The origin.
    pub origin: String,
    /// Its registered domain, else its host.
    pub site: String,
    /// How access moved.
    #[serde(rename = "move")]
    pub kind: &'static str,
    /// Access before.
    pub before: &'static str,
    /// Access after.
    pub after: &'static str,
    /// What it came with.
    pub cause: &'static str,
    /// Whether the origin is in the panel.
    pub in_panel: bool,
    /// The agents.
    pub agents: Vec<String>,
}

/// Origins of a pair that moved one way, as far as the page shows them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// The first ones.
    pub rows: Vec<Move>,
    /// How many rows there are.
    pub total: u64,
}

/// Writes `moves.parquet`; gives the first rows of each kind of move, in the order of [`MOVES`], of the last pair.
pub fn moves(folder: &Path, joined: &Joined, most_shown: usize) -> Result<Vec<Shown>, CompareError> {
    let text = |name: &str| Field::new(name, DataType::Utf8, false);
    let item = Arc::new(Field::new("item", DataType::Utf8, true));
    let names = ["from", "to", "origin", "site", "move", "before", "after", "cause"];
    let mut fields: Vec<Field> = names.iter().map(|name| text(name)).collect();
    fields.push(Field::new("in_panel", DataType::Boolean, false));
    fields.push(Field::new("agents", DataType::List(item), false));
    let mut file = Table::create(folder.join("moves.parquet"), Schema::new(fields))?;
    let facts = joined.facts();
    let mut shown = vec![Shown::default(); MOVES.len()];
    let mut rows: Vec<Move> = Vec::new();
    let last_step = joined.steps.len().saturating_sub(1) as u8;
    for of_step in joined.moved.chunk_by(|a, b| a.step == b.step) {
        let step = of_step.first().map_or(0, |moved| moved.step);
        let (from, to) = joined.step_names(step);
        let newer = joined.steps.get(usize::from(step)).map_or(0, |step| step.1);
        let mut listed = of_step.iter().peekable();
        each_origin(joined, newer, |row, origin, site| {
            while let Some(moved) = listed.next_if(|moved| moved.row == row) {
                for (kind, before, after, agents) in groups(&facts, moved) {
                    let one = Move {
                        from: from.clone(),
                        to: to.clone(),
                        origin: origin.to_owned(),
                        site: site.to_owned(),
                        kind: MOVES[usize::from(kind)],
                        before: STATES[usize::from(before)],
                        after: STATES[usize::from(after)],
                        cause: CAUSES[usize::from(facts.cause(step, moved.from, moved.to, moved.same_text))],
                        in_panel: moved.in_panel,
                        agents,
                    };
                    if step == last_step {
                        let shown = &mut shown[usize::from(kind)];
                        shown.total += 1;
                        if shown.rows.len() < most_shown {
                            shown.rows.push(one.clone());
                        }
                    }
                    rows.push(one);
                }
                if rows.len() >= BATCH_ROWS {
                    file.write(move_columns(&rows))?;
                    rows.clear();
                }
            }
            Ok(())
        })?;
    }
    file.write(move_columns(&rows))?;
    file.close()?;
    Ok(shown)
}

/// The agents of an origin by how their access moved: kind, states before and after; in this order.
fn groups(facts: &Facts<'_>, moved: &Moved) -> Vec<(u8, u8, u8, Vec<String>)> {
    let mut groups: Vec<(u8, u8, u8, Vec<String>)> = Vec::new();
    for (agent, (before, after)) in facts.states(moved.step, moved.from, moved.to).enumerate() {
        let (Some(kind), Some(agent)) = (move_of(before, after), facts.shared.agents.get(agent)) else { continue };
        match groups.iter_mut().find(|group| (group.0, group.1, group.2) == (kind, before, after)) {
            Some(group) => group.3.push(agent.clone()),
            None => groups.push((kind, before, after, vec![agent.clone()])),
        }
    }
    groups.sort_unstable_by_key(|group| (group.0, group.1, group.2));
    groups
}

fn move_columns(rows: &[Move]) -> Vec<ArrayRef> {
    let text = |of: fn(&Move) -> &str| -> ArrayRef { Arc::new(StringArray::from_iter_values(rows.iter().map(of))) };
    let mut agents = ListBuilder::new(StringBuilder::new());
    for row in rows {
        row.agents.iter().for_each(|agent| agents.values().append_value(agent));
        agents.append(true);
    }
    vec![
        text(|row| &row.from),
        text(|row| &row.to),
        text(|row| &row.origin),
        text(|row| &row.site),
        text(|row| row.kind),
        text(|row| row.before),
        text(|row| row.after),
        text(|row| row.cause),
        Arc::new(BooleanArray::from_iter(rows.iter().map(|row| Some(row.in_panel)))),
        Arc::new(agents.finish()),
    ]
}

/// Writes `presence.parquet`: the origins that are not in all outputs.
pub fn presence(folder: &Path, joined: &Joined) -> Result<(), CompareError> {
    let text = |name: &str| Field::new(name, DataType::Utf8, false);
    let item = Arc::new(Field::new("item", DataType::Utf8, true));
    let mut fields = ["origin", "site", "first_seen", "last_seen"].map(text).to_vec();
    fields.push(Field::new("seen", DataType::List(item), false));
    let mut file = Table::create(folder.join("presence.parquet"), Schema::new(fields))?;
    let name = |snapshot: u32| joined.snapshots.get(snapshot as usize).map_or("", |snapshot| snapshot.name.as_str());
    let mut rows: Vec<(String, String, u64)> = Vec::new();
    let columns = |rows: &[(String, String, u64)]| -> Vec<ArrayRef> {
        let text = |of: &dyn Fn(&(String, String, u64)) -> String| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(rows.iter().map(of)))
        };
        let mut seen = ListBuilder::new(StringBuilder::new());
        for row in rows {
            (0..64).filter(|at| row.2 >> at & 1 == 1).for_each(|at| seen.values().append_value(name(at)));
            seen.append(true);
        }
        vec![
            text(&|row| row.0.clone()),
            text(&|row| row.1.clone()),
            text(&|row| name(row.2.trailing_zeros()).to_owned()),
            text(&|row| name(63u32.saturating_sub(row.2.leading_zeros())).to_owned()),
            Arc::new(seen.finish()),
        ]
    };
    for of_last in joined.presence.chunk_by(|a, b| a.last == b.last) {
        let mut listed = of_last.iter().peekable();
        each_origin(joined, of_last.first().map_or(0, |one| one.last), |row, origin, site| {
            while let Some(one) = listed.next_if(|one| one.row == row) {
                rows.push((origin.to_owned(), site.to_owned(), one.seen));
            }
            if rows.len() >= BATCH_ROWS {
                file.write(columns(&rows))?;
                rows.clear();
            }
            Ok(())
        })?;
    }
    file.write(columns(&rows))?;
    file.close()
}

/// A named agent, the snapshot, where it was first and last seen, and its counts.
type NamingRow<'a> = (&'a str, u8, (u8, u8), [u64; 6]);

/// Writes `agents.parquet`: a row an agent and an output of which an origin names it, or ceased to.
pub fn agents(folder: &Path, joined: &Joined) -> Result<(), CompareError> {
    let text = ["agent", "snapshot", "first_seen", "last_seen"];
    let numbers = ["origins", "panel_origins", "started", "stopped", "panel_started", "panel_stopped"];
    let mut fields: Vec<Field> = text.iter().map(|name| Field::new(*name, DataType::Utf8, false)).collect();
    fields.extend(numbers.iter().map(|name| Field::new(*name, DataType::Int64, false)));
    let mut file = Table::create(folder.join("agents.parquet"), Schema::new(fields))?;
    // The pairs of neighbours come first, in order.
    let mut changes: std::collections::HashMap<(u8, u32), [Units; 2]> = std::collections::HashMap::new();
    for ((step, word, naming, _), units) in &joined.tallies.naming {
        let is_of_neighbours = usize::from(*step) + 1 < joined.snapshots.len();
        if let (true, Some(changed)) =
            (is_of_neighbours, changes.entry((*step + 1, *word)).or_default().get_mut(usize::from(*naming)))
        {
            changed.add(*units);
        }
    }
    let spans = naming_spans(joined);
    let mut words: Vec<(&str, u32)> =
        spans.keys().map(|word| (joined.catalogue.text(*word).map_or("", |text| &**text), *word)).collect();
    words.sort_unstable();
    let mut rows: Vec<NamingRow<'_>> = Vec::new();
    let name = |snapshot: u8| joined.snapshots.get(usize::from(snapshot)).map_or("", |snapshot| snapshot.name.as_str());
    let columns = |rows: &[NamingRow<'_>]| -> Vec<ArrayRef> {
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.0))),
            Arc::new(StringArray::from_iter_values(rows.iter().map(|row| name(row.1)))),
            Arc::new(StringArray::from_iter_values(rows.iter().map(|row| name(row.2.0)))),
            Arc::new(StringArray::from_iter_values(rows.iter().map(|row| name(row.2.1)))),
        ];
        for at in 0..6 {
            let numbers = rows.iter().map(|row| i64::try_from(row.3[at]).unwrap_or(i64::MAX));
            columns.push(Arc::new(Int64Array::from_iter_values(numbers)));
        }
        columns
    };
    for (agent, word) in words {
        let span = spans.get(&word).copied().unwrap_or_default();
        for snapshot in 0..joined.snapshots.len() as u8 {
            let Units([panel, _, all]) =
                joined.tallies.naming_levels.get(&(snapshot, word)).copied().unwrap_or_default();
            let [started, stopped] = changes.get(&(snapshot, word)).copied().unwrap_or_default();
            let numbers = [all, panel, started.0[2], stopped.0[2], started.0[0], stopped.0[0]];
            if numbers.iter().any(|number| *number > 0) {
                rows.push((agent, snapshot, span, numbers));
            }
        }
        if rows.len() >= BATCH_ROWS {
            file.write(columns(&rows))?;
            rows.clear();
        }
    }
    file.write(columns(&rows))?;
    file.close()
}

/// Names and sites of a snapshot's origins, in order.
fn each_origin(
    joined: &Joined,
    snapshot: u8,
    mut each: impl FnMut(u32, &str, &str) -> Result<(), CompareError>,
) -> Result<(), CompareError> {
    let Some(snapshot) = joined.snapshots.get(usize::from(snapshot)) else { return Ok(()) };
    let mut number = 0u32;
    for path in snapshot.source.parts("origins")?.values() {
        let mut failed = None;
        read(path, &["origin", "site"], |batch| {
            let (origin, site) = (batch.texts("origin")?, batch.texts("site")?);
            for row in 0..batch.len() {
                let name = origin.value(row);
                if failed.is_none() {
                    failed = each(number, name, maybe(site, row).unwrap_or(name)).err();
                }
                number = number.saturating_add(1);
            }
            Ok::<(), ReportError>(())
        })?;
        failed.map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// A Parquet file in the making.
struct Table {
    path: PathBuf,
    schema: Arc<Schema>,
    writer: ArrowWriter<PendingFile>,
}

impl Table {
    fn create(path: PathBuf, schema: Schema) -> Result<Table, CompareError> {
        let schema = Arc::new(schema);
        let failed = |source| OutputError::Parquet { path: path.clone(), source };
        let level = ZstdLevel::try_new(1).map_err(failed)?;
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
        let writer =
            ArrowWriter::try_new(PendingFile::create(&path)?, schema.clone(), Some(properties)).map_err(failed)?;
        Ok(Table { path, schema, writer })
    }

    fn failed(&self, source: ParquetError) -> CompareError {
        OutputError::Parquet { path: self.path.clone(), source }.into()
    }

    fn write(&mut self, columns: Vec<ArrayRef>) -> Result<(), CompareError> {
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(|error| self.failed(error.into()))?;
        self.writer
            .write(&batch)
            .map_err(|error| OutputError::Parquet { path: self.path.clone(), source: error }.into())
    }

    fn close(self) -> Result<(), CompareError> {
        let path = self.path;
        let mut file = self.writer.into_inner().map_err(|source| OutputError::Parquet { path, source })?;
        file.sync()?;
        file.publish()?;
        Ok(())
    }
}
