//! Figures on disk: CSV and Parquet, and `report.json`. The same figures give the same bytes.

use super::ReportError;
use super::figure::{Base, Measure, QUANTILES};
use super::pass::{Counted, Totals};
use super::rows::{Filled, Numbers, Row, total};
use super::source::Source;
use super::sql;
use super::tally::Unit;
use crate::output::{OutputError, PendingFile};
use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use serde_json::{Map, Value, json};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Names of the columns of a figure's files after its dimensions.
pub fn number_columns(measure: Measure) -> Vec<&'static str> {
    match measure {
        Measure::Share => vec!["count", "total", "share", "low", "high"],
        Measure::Quantiles => {
            let quantiles = QUANTILES.iter().map(|(name, _)| *name);
            ["count", "sum"].into_iter().chain(quantiles).chain(["max"]).collect()
        }
    }
}

/// A number of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// A whole number.
    Whole(u64),
    /// A share, or an end of its interval.
    Part(f64),
    /// None.
    Nothing,
}

/// The numbers of a row, in the order of [`number_columns`].
pub fn number_cells(numbers: &Numbers) -> Vec<Cell> {
    match numbers {
        Numbers::Share { count, total, interval } => {
            let share = if *total == 0 { Cell::Nothing } else { Cell::Part(*count as f64 / *total as f64) };
            let (low, high) = interval.map_or((Cell::Nothing, Cell::Nothing), |(a, b)| (Cell::Part(a), Cell::Part(b)));
            vec![Cell::Whole(*count), Cell::Whole(*total), share, low, high]
        }
        Numbers::Quantiles { count, sum, quantiles, max } => {
            [count, sum].into_iter().chain(quantiles).chain([max]).map(|number| Cell::Whole(*number)).collect()
        }
    }
}

/// Writes `<folder>/<id>.csv` and `<folder>/<id>.parquet`.
pub fn figure(folder: &Path, filled: &Filled, counted: &Counted) -> Result<(), ReportError> {
    let id = filled.figure.id;
    write_file(&folder.join(format!("{id}.csv")), csv(filled).as_bytes())?;
    let path = folder.join(format!("{id}.parquet"));
    let bytes = parquet(filled, counted).map_err(|source| OutputError::Parquet { path: path.clone(), source })?;
    write_file(&path, &bytes)
}

/// Writes a file, whole or not at all.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    let mut file = PendingFile::create(path)?;
    file.write_all(bytes).map_err(|source| OutputError::io(path, source))?;
    file.sync()?;
    file.publish()?;
    Ok(())
}

/// Makes a folder, or makes sure that it is one.
pub fn folder(path: &Path) -> Result<(), ReportError> {
    fs::create_dir_all(path).map_err(|source: io::Error| ReportError::Io { path: path.to_owned(), source })
}

/// The figure as CSV (RFC 4180, but lines end in LF).
pub fn csv(filled: &Filled) -> String {
    let figure = filled.figure;
    let mut columns = vec!["stratum", "unit"];
    columns.extend(figure.dimensions.iter().map(|dimension| dimension.name));
    columns.extend(number_columns(figure.measure));
    let mut text = columns.join(",") + "\n";
    for row in &filled.rows {
        let words =
            [row.stratum.as_str(), row.unit.as_str()].into_iter().chain(row.dimensions.iter().map(String::as_str));
        let mut cells: Vec<String> = words.map(csv_word).collect();
        cells.extend(number_cells(&row.numbers).into_iter().map(|cell| match cell {
            Cell::Whole(number) => number.to_string(),
            Cell::Part(part) => format!("{part:.9}"),
            Cell::Nothing => String::new(),
        }));
        text += &cells.join(",");
        text.push('\n');
    }
    text
}

/// A word as CSV has it.
pub fn csv_word(word: &str) -> String {
    if word.contains([',', '"', '\n', '\r']) { format!("\"{}\"", word.replace('"', "\"\"")) } else { word.to_owned() }
}

fn parquet(filled: &Filled, counted: &Counted) -> Result<Vec<u8>, ParquetError> {
    let figure = filled.figure;
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    let mut text = |name: &str, of: &dyn Fn(&Row) -> String| {
        fields.push(Field::new(name, DataType::Utf8, false));
        columns.push(Arc::new(StringArray::from_iter_values(filled.rows.iter().map(of))));
    };
    text("stratum", &|row| row.stratum.clone());
    text("unit", &|row| row.unit.as_str().to_owned());
    for (at, dimension) in figure.dimensions.iter().enumerate() {
        text(dimension.name, &|row| row.dimensions.get(at).cloned().unwrap_or_default());
    }
    let numbers: Vec<Vec<Cell>> = filled.rows.iter().map(|row| number_cells(&row.numbers)).collect();
    for (at, name) in number_columns(figure.measure).into_iter().enumerate() {
        let cells = || numbers.iter().map(|cells| cells.get(at).copied().unwrap_or(Cell::Nothing));
        let is_part = figure.measure == Measure::Share && at > 1;
        if is_part {
            fields.push(Field::new(name, DataType::Float64, true));
            columns.push(Arc::new(Float64Array::from_iter(cells().map(|cell| match cell {
                Cell::Part(part) => Some(part),
                _ => None,
            }))));
        } else {
            fields.push(Field::new(name, DataType::Int64, false));
            columns.push(Arc::new(Int64Array::from_iter_values(cells().map(|cell| match cell {
                Cell::Whole(number) => i64::try_from(number).unwrap_or(i64::MAX),
                _ => 0,
            }))));
        }
    }
    let schema = Arc::new(Schema::new(fields));
    let entries = [
        ("robocensus.figure", figure.id),
        ("robocensus.definition", figure.definition),
        ("robocensus.denominator", &figure.denominator()),
        ("robocensus.dialect", &counted.dialect),
        ("robocensus.tool_version", env!("CARGO_PKG_VERSION")),
    ];
    let entries = entries.map(|(key, value)| KeyValue::new(key.to_owned(), value.to_owned()));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_key_value_metadata(Some(entries.to_vec()))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema.clone(), Some(properties))?;
    writer.write(&RecordBatch::try_new(schema, columns)?)?;
    writer.close()?;
    Ok(bytes)
}

/// `report.json`: what the report is about, its totals, and every figure with definition, denominator, query and rows. A row is a
/// list in the order of `columns`.
pub fn json(source: &Source, counted: &Counted, filled: &[Filled]) -> Value {
    let manifest = &source.manifest;
    let figures: Vec<Value> = filled.iter().map(|filled| figure_json(filled, counted)).collect();
    let totals: Totals = counted.totals;
    json!({
        "tool": env!("CARGO_PKG_NAME"),
        "tool_version": env!("CARGO_PKG_VERSION"),
        "schema_version": manifest.schema_version,
        "scan": {
            "tool_version": manifest.tool_version,
            "configuration_hash": manifest.configuration_hash,
            "configuration": manifest.configuration,
            "selection": manifest.selection,
        },
        "dialect": counted.dialect,
        "sample": source.sample(),
        "strata": counted.strata,
        "totals": totals,
        "denominators": denominators(counted),
        "figures": figures,
    })
}

fn denominators(counted: &Counted) -> Value {
    let bases = Base::COUNTED.map(|base| {
        let units = total(counted, base, 0);
        let units: Map<String, Value> =
            Unit::ALL.iter().map(|unit| (unit.as_str().to_owned(), json!(units.get(*unit)))).collect();
        (base.name().to_owned(), Value::Object(units))
    });
    Value::Object(bases.into_iter().collect())
}

fn figure_json(filled: &Filled, counted: &Counted) -> Value {
    let figure = filled.figure;
    let mut columns = vec!["stratum", "unit"];
    columns.extend(figure.dimensions.iter().map(|dimension| dimension.name));
    columns.extend(number_columns(figure.measure));
    let rows: Vec<Value> = filled
        .rows
        .iter()
        .map(|row| {
            let mut cells = vec![json!(row.stratum), json!(row.unit.as_str())];
            cells.extend(row.dimensions.iter().map(|word| json!(word)));
            cells.extend(number_cells(&row.numbers).into_iter().map(|cell| match cell {
                Cell::Whole(number) => json!(number),
                Cell::Part(part) => json!(part),
                Cell::Nothing => Value::Null,
            }));
            Value::Array(cells)
        })
        .collect();
    json!({
        "id": figure.id,
        "section": figure.section,
        "title": figure.title,
        "definition": figure.definition,
        "denominator": figure.denominator(),
        "units": figure.units.iter().map(|unit| unit.as_str()).collect::<Vec<_>>(),
        "dimensions": figure.dimensions.iter().map(|dimension| dimension.name).collect::<Vec<_>>(),
        "sql": sql::query(figure, &counted.dialect, &counted.dialects),
        "columns": columns,
        "rows": rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figures::named;

    #[test]
    fn words_that_csv_would_misread_are_quoted() {
        let rows = vec![Row {
            stratum: "all".to_owned(),
            unit: Unit::Origin,
            dimensions: vec!["a \"b\", c".to_owned(), "all".to_owned()],
            numbers: Numbers::Share { count: 1, total: 3, interval: None },
        }];
        let text = csv(&Filled { figure: named("named_agents").unwrap(), rows });
        assert_eq!(
            text,
            "stratum,unit,agent,access,count,total,share,low,high\nall,origin,\"a \"\"b\"\", c\",all,1,3,0.333333333,,\n"
        );
    }
}
