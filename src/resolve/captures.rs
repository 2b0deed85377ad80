//! Reads the table `captures` back: a few columns, part by part, rows numbered over the whole output.

use super::ResolveError;
use crate::output::{Manifest, OutputError, PartFile, ShardCommit};
use crate::table::{Captures, Table};
use arrow::array::{Array, AsArray, RecordBatch, StringArray};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Rows that are decoded at a time.
const BATCH: usize = 4096;

/// A part of `captures`.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The shard that wrote it.
    pub(super) shard: u32,
    /// The file.
    pub(super) path: PathBuf,
    /// Number of its first row.
    pub(super) first: u32,
    /// Its rows.
    pub(super) rows: u32,
    /// Bytes of the file.
    pub(super) bytes: u64,
}

impl Part {
    /// Number of the row after its last.
    pub(super) fn end(&self) -> u32 {
        self.first + self.rows
    }
}

/// Which input file each row came from: what a shard's commit says, so that the long names need not be read row by row.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Every name once, sorted.
    names: Vec<String>,
    /// First row of a file or a window of one, and the name; in the order of the rows.
    runs: Vec<(u32, u32)>,
}

impl Files {
    /// The file of a row.
    pub(super) fn name(&self, row: u32) -> &str {
        self.names.get(self.name_of(row) as usize).map_or("", String::as_str)
    }

    /// Orders rows by the name of their file and their place in it: records of a file come in the order in which they lie.
    pub(super) fn place(&self, row: u32) -> (u32, u32) {
        (self.name_of(row), row)
    }

    fn name_of(&self, row: u32) -> u32 {
        let after = self.runs.partition_point(|(first, _)| *first <= row);
        after.checked_sub(1).and_then(|at| self.runs.get(at)).map_or(0, |(_, name)| *name)
    }
}

/// The parts of `captures` that these commits tell of, in order, and the files that their rows came from.
pub(super) fn parts(
    out: &Path,
    manifest: &Manifest,
    commits: &BTreeMap<u32, ShardCommit>,
) -> Result<(Vec<Part>, Files), ResolveError> {
    let mut names: Vec<&str> = manifest.inputs.iter().map(|input| input.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut parts = Vec::with_capacity(commits.len());
    let mut runs = Vec::new();
    let mut first = 0_u64;
    for commit in commits.values() {
        let is_captures = |file: &&PartFile| file.table == Captures::NAME;
        let Some(file) = commit.files.iter().find(is_captures) else { continue };
        let mut start = first;
        for input in &commit.inputs {
            if let Ok(name) = names.binary_search(&input.name.as_str()) {
                runs.push((start as u32, name as u32));
            }
            start += input.captures;
        }
        if start != first + file.rows {
            let detail = format!("it tells of {} captures, and there are {}", start - first, file.rows);
            return Err(OutputError::Damaged { path: crate::output::plan_path(out), detail }.into());
        }
        // The last number stands for "none".
        if start >= u64::from(u32::MAX) {
            return Err(ResolveError::TooManyCaptures);
        }
        let (path, bytes) = (out.join(&file.path), file.bytes);
        parts.push(Part { shard: commit.shard, path, first: first as u32, rows: file.rows as u32, bytes });
        first = start;
    }
    Ok((parts, Files { names: names.into_iter().map(str::to_owned).collect(), runs }))
}

/// Reads these columns of a part, a batch at a time, each with the number of its first row.
pub(super) fn read(
    part: &Part,
    columns: &[&str],
    mut each: impl FnMut(u32, &Batch<'_>) -> Result<(), OutputError>,
) -> Result<(), OutputError> {
    let mut row = part.first;
    read_batches(&part.path, columns, |batch| {
        each(row, batch)?;
        row = row.saturating_add(batch.rows() as u32);
        Ok(())
    })?;
    match row == part.end() {
        true => Ok(()),
        false => Err(damaged(&part.path, "it has not as many rows as it should")),
    }
}

/// Reads these columns of a Parquet file, a batch at a time.
pub(super) fn read_batches(
    path: &Path,
    columns: &[&str],
    mut each: impl FnMut(&Batch<'_>) -> Result<(), OutputError>,
) -> Result<(), OutputError> {
    let file = File::open(path).map_err(|source| OutputError::io(path, source))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| damaged(path, e))?;
    let mask = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
    let reader = builder.with_projection(mask).with_batch_size(BATCH).build().map_err(|e| damaged(path, e))?;
    for batch in reader {
        each(&Batch { batch: batch.map_err(|e| damaged(path, e))?, path })?;
    }
    Ok(())
}

fn damaged(path: &Path, detail: impl ToString) -> OutputError {
    OutputError::Damaged { path: path.to_owned(), detail: detail.to_string() }
}

/// Some rows with the columns that were asked for.
pub(super) struct Batch<'p> {
    batch: RecordBatch,
    path: &'p Path,
}

impl Batch<'_> {
    /// How many rows.
    pub(super) fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// A column of text.
    pub(super) fn text(&self, name: &str) -> Result<Texts<'_>, OutputError> {
        self.column(name, |array| array.as_string_opt::<i32>()).map(Texts)
    }

    /// A column of numbers or times.
    pub(super) fn numbers<T: arrow::datatypes::ArrowPrimitiveType>(
        &self,
        name: &str,
    ) -> Result<Numbers<'_, T>, OutputError> {
        self.column(name, |array| array.as_primitive_opt::<T>()).map(Numbers)
    }

    /// A column of sixteen bytes each.
    pub(super) fn hashes(&self, name: &str) -> Result<Hashes<'_>, OutputError> {
        self.column(name, |array| array.as_fixed_size_binary_opt()).map(Hashes)
    }

    fn column<'a, A>(&'a self, name: &str, cast: impl FnOnce(&'a dyn Array) -> Option<A>) -> Result<A, OutputError> {
        let array = self.batch.column_by_name(name).ok_or_else(|| damaged(self.path, format!("no column `{name}`")))?;
        cast(array.as_ref()).ok_or_else(|| damaged(self.path, format!("column `{name}` is of another type")))
    }
}

/// A column of text.
pub(super) struct Texts<'b>(&'b StringArray);

impl<'b> Texts<'b> {
    /// The value of a row of the batch.
    pub(super) fn get(&self, row: usize) -> Option<&'b str> {
        self.0.is_valid(row).then(|| self.0.value(row))
    }
}

/// A column of numbers.
pub(super) struct Numbers<'b, T: arrow::datatypes::ArrowPrimitiveType>(&'b arrow::array::PrimitiveArray<T>);

impl<T: arrow::datatypes::ArrowPrimitiveType> Numbers<'_, T> {
    /// The value of a row of the batch.
    pub(super) fn get(&self, row: usize) -> Option<T::Native> {
        self.0.is_valid(row).then(|| self.0.value(row))
    }
}

/// A column of sixteen bytes each.
pub(super) struct Hashes<'b>(&'b arrow::array::FixedSizeBinaryArray);

impl Hashes<'_> {
    /// The value of a row of the batch.
    pub(super) fn get(&self, row: usize) -> Option<[u8; 16]> {
        if self.0.is_valid(row) { self.0.value(row).try_into().ok() } else { None }
    }
}
