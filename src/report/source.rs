//! The tables of a finished output, a part at a time and only the columns that are asked for.

use super::ReportError;
use crate::ingest::parquet::guarded;
use crate::output::Manifest;
use crate::table::TABLES;
use arrow::array::{ArrayAccessor, RecordBatch, StructArray};
use arrow::array::{ArrayRef, AsArray, BooleanArray, Int16Array, Int32Array, Int64Array, ListArray, StringArray};
use arrow::datatypes::{Int16Type, Int32Type, Int64Type};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Rows that are decoded at a time.
const BATCH_ROWS: usize = 4_096;

/// A finished output.
#[derive(Debug)]
pub struct Source {
    /// Its folder.
    pub root: PathBuf,
    /// What it says of itself.
    pub manifest: Manifest,
}

impl Source {
    /// Opens OUT; it must be finished and its origins resolved.
    pub fn open(root: &Path) -> Result<Source, ReportError> {
        let source = Source::finished(root)?;
        if source.parts("origins")?.is_empty() {
            return Err(ReportError::NotResolved(root.to_owned()));
        }
        Ok(source)
    }

    /// Opens OUT, whose origins need not be resolved.
    pub fn finished(root: &Path) -> Result<Source, ReportError> {
        let manifest = Manifest::read(root)?.ok_or_else(|| ReportError::NotFinished(root.to_owned()))?;
        Ok(Source { root: root.to_owned(), manifest })
    }

    /// The tables that are there.
    pub fn tables(&self) -> Result<BTreeSet<String>, ReportError> {
        let mut tables = BTreeSet::new();
        let later = ["disagreements", "classifiers"];
        for name in TABLES.iter().map(|table| table.name).chain(later) {
            if !self.parts(name)?.is_empty() {
                tables.insert(name.to_owned());
            }
        }
        Ok(tables)
    }

    /// The dialects of the scan, the first one first.
    pub fn dialects(&self) -> Vec<String> {
        let names = self.configured("dialects").as_array();
        names.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
    }

    /// The dialect that was asked for, which must be one of the scan, or else its first one.
    pub fn dialect(&self, wanted: Option<&str>) -> Result<String, ReportError> {
        let dialects = self.dialects();
        let dialect = wanted.map(str::to_owned).or_else(|| dialects.first().cloned()).unwrap_or_default();
        if dialects.contains(&dialect) {
            Ok(dialect)
        } else {
            Err(ReportError::NoDialect { wanted: dialect, known: dialects.join(", ") })
        }
    }

    /// The parts of a table by number; none where it was not written. A table of one file has the number 0.
    pub fn parts(&self, table: &str) -> Result<BTreeMap<u32, PathBuf>, ReportError> {
        let single = self.root.join(format!("{table}.parquet"));
        if single.is_file() {
            return Ok(BTreeMap::from([(0, single)]));
        }
        let folder = self.root.join(table);
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            entries => entries.map_err(|source| ReportError::Io { path: folder.clone(), source })?,
        };
        let mut parts = BTreeMap::new();
        for entry in entries {
            let entry = entry.map_err(|source| ReportError::Io { path: folder.clone(), source })?;
            let name = entry.file_name();
            let number =
                name.to_str().and_then(|name| name.strip_prefix("part-")?.strip_suffix(".parquet")?.parse().ok());
            if let Some(number) = number {
                parts.insert(number, entry.path());
            }
        }
        Ok(parts)
    }

    /// A value of the configuration that the output was made with.
    pub fn configured(&self, name: &str) -> &serde_json::Value {
        &self.manifest.configuration[name]
    }

    /// Whether only a share of all sites was read, as `scan --sample` does.
    pub fn sample(&self) -> Option<&str> {
        self.configured("sample").as_str().filter(|sample| *sample != "1/1")
    }
}

/// Rows of a part.
pub fn rows(path: &Path) -> Result<u64, ReportError> {
    let builder = open(path)?;
    u64::try_from(builder.metadata().file_metadata().num_rows())
        .map_err(|_| ReportError::damaged(path, "a negative number of rows"))
}

/// Hands over every batch of a part, with these columns only; members of structs in lists are `list.list.element.member`.
pub fn read(
    path: &Path,
    columns: &[&str],
    mut each: impl FnMut(&Batch<'_>) -> Result<(), ReportError>,
) -> Result<(), ReportError> {
    let builder = open(path)?;
    let mask = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
    let builder = builder.with_projection(mask).with_batch_size(BATCH_ROWS);
    let mut reader = guarded(|| builder.build()).map_err(|detail| ReportError::damaged(path, &detail))?;
    loop {
        let next = guarded(|| reader.next().transpose().map_err(Into::into));
        match next.map_err(|detail| ReportError::damaged(path, &detail))? {
            Some(rows) => each(&Batch { rows: &rows, path })?,
            None => return Ok(()),
        }
    }
}

fn open(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>, ReportError> {
    let file = File::open(path).map_err(|source| ReportError::Io { path: path.to_owned(), source })?;
    guarded(|| ParquetRecordBatchReaderBuilder::try_new(file)).map_err(|detail| ReportError::damaged(path, &detail))
}

/// Some rows of a part, and its name for errors.
pub struct Batch<'a> {
    rows: &'a RecordBatch,
    path: &'a Path,
}

impl<'a> Batch<'a> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.num_rows()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The error of a part that is not as it should be.
    pub fn damaged(&self, detail: &str) -> ReportError {
        ReportError::damaged(self.path, detail)
    }

    fn of<T: ?Sized>(&self, name: &str, cast: impl Fn(&'a ArrayRef) -> Option<&'a T>) -> Result<&'a T, ReportError> {
        let column = self.rows.column_by_name(name).and_then(cast);
        column.ok_or_else(|| self.damaged(&format!("no column `{name}` of the type it should have")))
    }

    /// Whether there is such a column.
    pub fn has(&self, name: &str) -> bool {
        self.rows.column_by_name(name).is_some()
    }

    /// A column of text.
    pub fn texts(&self, name: &str) -> Result<&'a StringArray, ReportError> {
        self.of(name, |column| column.as_string_opt::<i32>())
    }

    /// A column of 64-bit integers.
    pub fn longs(&self, name: &str) -> Result<&'a Int64Array, ReportError> {
        self.of(name, |column| column.as_primitive_opt::<Int64Type>())
    }

    /// A column of 32-bit integers.
    pub fn ints(&self, name: &str) -> Result<&'a Int32Array, ReportError> {
        self.of(name, |column| column.as_primitive_opt::<Int32Type>())
    }

    /// A column of 16-bit integers.
    pub fn shorts(&self, name: &str) -> Result<&'a Int16Array, ReportError> {
        self.of(name, |column| column.as_primitive_opt::<Int16Type>())
    }

    /// A column of integers of whatever width, as 64 bits.
    pub fn integers(&self, name: &str) -> Result<Vec<Option<i64>>, ReportError> {
        if let Ok(column) = self.longs(name) {
            return Ok(column.iter().collect());
        }
        if let Ok(column) = self.ints(name) {
            return Ok(column.iter().map(|value| value.map(i64::from)).collect());
        }
        Ok(self.shorts(name)?.iter().map(|value| value.map(i64::from)).collect())
    }

    /// A column of yes and no.
    pub fn flags(&self, name: &str) -> Result<&'a BooleanArray, ReportError> {
        self.of(name, |column| column.as_boolean_opt())
    }

    /// A column of sixteen bytes.
    pub fn ids(&self, name: &str) -> Result<&'a arrow::array::FixedSizeBinaryArray, ReportError> {
        self.of(name, |column| column.as_fixed_size_binary_opt())
    }

    /// A column of lists.
    pub fn lists(&self, name: &str) -> Result<&'a ListArray, ReportError> {
        self.of(name, |column| column.as_list_opt::<i32>())
    }

    /// A column of lists of structs: the lists and what their elements are.
    pub fn structs(&self, name: &str) -> Result<Structs<'a>, ReportError> {
        let lists = self.lists(name)?;
        let elements = lists.values().as_struct_opt();
        let elements = elements.ok_or_else(|| self.damaged(&format!("`{name}` is no list of structs")))?;
        Ok(Structs { lists, elements, path: self.path })
    }

    /// The numbers in a column of lists, and where each list ends.
    pub fn short_lists(&self, name: &str) -> Result<Lists<'a, i16>, ReportError> {
        let lists = self.lists(name)?;
        let values = lists.values().as_primitive_opt::<Int16Type>();
        let values = values.ok_or_else(|| self.damaged(&format!("`{name}` is no list of 16-bit integers")))?;
        Ok(Lists { offsets: lists.value_offsets(), values: values.values() })
    }

    /// The numbers in a column of lists, and where each list ends.
    pub fn int_lists(&self, name: &str) -> Result<Lists<'a, i32>, ReportError> {
        let lists = self.lists(name)?;
        let values = lists.values().as_primitive_opt::<Int32Type>();
        let values = values.ok_or_else(|| self.damaged(&format!("`{name}` is no list of 32-bit integers")))?;
        Ok(Lists { offsets: lists.value_offsets(), values: values.values() })
    }
}

/// A column of lists of numbers.
#[derive(Debug, Clone, Copy)]
pub struct Lists<'a, T> {
    offsets: &'a [i32],
    values: &'a [T],
}

impl<'a, T> Lists<'a, T> {
    /// The list of a row.
    pub fn row(&self, row: usize) -> &'a [T] {
        self.values.get(range(self.offsets, row)).unwrap_or_default()
    }
}

/// A column of lists of structs.
#[derive(Debug, Clone, Copy)]
pub struct Structs<'a> {
    lists: &'a ListArray,
    elements: &'a StructArray,
    path: &'a Path,
}

impl<'a> Structs<'a> {
    /// The elements of a row, as places in the members.
    pub fn row(&self, row: usize) -> std::ops::Range<usize> {
        range(self.lists.value_offsets(), row)
    }

    /// A member that is text.
    pub fn texts(&self, member: &str) -> Result<&'a StringArray, ReportError> {
        let column = self.elements.column_by_name(member).and_then(|column| column.as_string_opt::<i32>());
        column
            .ok_or_else(|| ReportError::damaged(self.path, &format!("no member `{member}` of the type it should have")))
    }
}

fn range(offsets: &[i32], row: usize) -> std::ops::Range<usize> {
    let at = |row: usize| offsets.get(row).map_or(0, |offset| usize::try_from(*offset).unwrap_or(0));
    at(row)..at(row + 1)
}

/// A value of a nullable column.
pub fn maybe<A: ArrayAccessor>(column: A, row: usize) -> Option<A::Item> {
    (row < column.len() && !column.is_null(row)).then(|| column.value(row))
}
