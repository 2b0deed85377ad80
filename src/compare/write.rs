//! A comparison on disk: figures as CSV and Parquet, and `compare.json`. The same outputs give the same bytes.

use super::figure::{Filled, Population, Row};
use super::join::Joined;
use super::lists::Shown;
use super::shared::{Shared, about};
use super::tallies::MOVES;
use crate::output::OutputError;
use crate::report::ReportError;
use crate::report::write::{csv_word, write_file};
use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Columns of a figure before its dimensions.
const FIRST_COLUMNS: [&str; 2] = ["population", "unit"];

/// Columns of a figure after its dimensions.
const NUMBER_COLUMNS: [&str; 5] = ["count", "total", "share", "low", "high"];

/// Rows of a figure that `compare.json` has at most; the figure's own files have all of them.
const MOST_JSON_ROWS: usize = 20_000;

/// Columns of a figure, in order.
pub fn columns(filled: &Filled) -> Vec<&'static str> {
    let dimensions = filled.figure.dimensions.iter().map(|(name, _)| *name);
    FIRST_COLUMNS.into_iter().chain(dimensions).chain(NUMBER_COLUMNS).collect()
}

/// Writes `<folder>/<id>.csv` and `<folder>/<id>.parquet`.
pub fn figure(folder: &Path, filled: &Filled, shared: &Shared) -> Result<(), ReportError> {
    let id = filled.figure.id;
    write_file(&folder.join(format!("{id}.csv")), csv(filled).as_bytes())?;
    let path = folder.join(format!("{id}.parquet"));
    let bytes = parquet(filled, shared).map_err(|source| OutputError::Parquet { path: path.clone(), source })?;
    write_file(&path, &bytes)
}

/// The figure as CSV (RFC 4180, but lines end in LF).
pub fn csv(filled: &Filled) -> String {
    let mut text = columns(filled).join(",") + "\n";
    for row in &filled.rows {
        let (population, unit) = row.population.words();
        let words = [population, unit].into_iter().chain(row.words.iter().map(String::as_str));
        let mut cells: Vec<String> = words.map(csv_word).collect();
        cells.extend([row.count.to_string(), row.total.to_string()]);
        cells.extend(parts(row).map(|part| part.map_or_else(String::new, |part| format!("{part:.9}"))));
        text += &cells.join(",");
        text.push('\n');
    }
    text
}

/// Share, and both ends of its interval.
fn parts(row: &Row) -> [Option<f64>; 3] {
    [row.share(), row.interval.map(|interval| interval.0), row.interval.map(|interval| interval.1)]
}

impl Row {
    /// The share; none of nothing.
    pub fn share(&self) -> Option<f64> {
        (self.total > 0).then(|| self.count as f64 / self.total as f64)
    }
}

fn parquet(filled: &Filled, shared: &Shared) -> Result<Vec<u8>, ParquetError> {
    let rows = &filled.rows;
    let mut arrays: Vec<ArrayRef> = Vec::new();
    let mut text = |of: &dyn Fn(&Row) -> String| {
        arrays.push(Arc::new(StringArray::from_iter_values(rows.iter().map(of))));
    };
    text(&|row| row.population.words().0.to_owned());
    text(&|row| row.population.words().1.to_owned());
    for at in 0..filled.figure.dimensions.len() {
        text(&|row| row.words.get(at).cloned().unwrap_or_default());
    }
    for of in [|row: &Row| row.count, |row: &Row| row.total] {
        let numbers = rows.iter().map(|row| i64::try_from(of(row)).unwrap_or(i64::MAX));
        arrays.push(Arc::new(Int64Array::from_iter_values(numbers)));
    }
    for at in 0..3 {
        arrays.push(Arc::new(Float64Array::from_iter(rows.iter().map(|row| parts(row)[at]))));
    }
    let fields = columns(filled).into_iter().zip(&arrays);
    let fields: Vec<Field> = fields
        .map(|(name, array)| Field::new(name, array.data_type().clone(), *array.data_type() == DataType::Float64))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let entries = [
        ("robocensus.figure", filled.figure.id),
        ("robocensus.definition", filled.figure.definition),
        ("robocensus.denominator", filled.figure.denominator),
        ("robocensus.dialect", &shared.dialect),
        ("robocensus.tool_version", env!("CARGO_PKG_VERSION")),
    ];
    let entries = entries.map(|(key, value)| KeyValue::new(key.to_owned(), value.to_owned()));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_key_value_metadata(Some(entries.to_vec()))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema.clone(), Some(properties))?;
    writer.write(&RecordBatch::try_new(schema, arrays)?)?;
    writer.close()?;
    Ok(bytes)
}

/// `compare.json`: what was compared, on what, how much there is, and every figure. A row is a list in the order of `columns`; of a
/// figure with very many rows it has none and says `"whole": false`.
pub fn json(joined: &Joined, filled: &[Filled], shown: &[Shown]) -> Value {
    let figures: Vec<Value> = filled.iter().map(figure_json).collect();
    let populations: Vec<Value> = Population::ALL
        .iter()
        .map(|population| {
            let (name, unit) = population.words();
            json!({"population": name, "unit": unit, "about": population.about()})
        })
        .collect();
    let pairs: Vec<Value> = joined
        .steps
        .iter()
        .enumerate()
        .map(|(step, _)| joined.step_names(step as u8))
        .map(|(from, to)| json!({"from": from, "to": to}))
        .collect();
    let listed: Vec<Value> =
        MOVES.iter().zip(shown).map(|(kind, shown)| json!({"move": kind, "rows": shown.total})).collect();
    json!({
        "tool": env!("CARGO_PKG_NAME"),
        "tool_version": env!("CARGO_PKG_VERSION"),
        "snapshots": joined.snapshots.iter().map(about).collect::<Vec<_>>(),
        "pairs": pairs,
        "dialect": joined.shared.dialect,
        "agents": joined.shared.agents,
        "probes": joined.shared.probes,
        "sample": joined.shared.sample.map(|sample| sample.to_string()),
        "differences": joined.shared.differences,
        "totals": joined.totals,
        "populations": populations,
        "moves_of_last_pair": listed,
        "figures": figures,
    })
}

fn figure_json(filled: &Filled) -> Value {
    let figure = filled.figure;
    let is_whole = filled.rows.len() <= MOST_JSON_ROWS;
    let rows: Vec<Value> = filled
        .rows
        .iter()
        .filter(|_| is_whole)
        .map(|row| {
            let (population, unit) = row.population.words();
            let mut cells = vec![json!(population), json!(unit)];
            cells.extend(row.words.iter().map(|word| json!(word)));
            cells.extend([json!(row.count), json!(row.total)]);
            cells.extend(parts(row).map(|part| json!(part)));
            Value::Array(cells)
        })
        .collect();
    json!({
        "id": figure.id,
        "title": figure.title,
        "definition": figure.definition,
        "denominator": figure.denominator,
        "dimensions": figure.dimensions.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "columns": columns(filled),
        "whole": is_whole,
        "rows": rows,
    })
}
