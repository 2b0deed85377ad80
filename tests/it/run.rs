//! Runs the binary as a user would, and reads what it wrote.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{Int16Type, Int32Type, Int64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The binary, ready for arguments.
pub fn robocensus() -> Command {
    Command::new(env!("CARGO_BIN_EXE_robocensus"))
}

/// Runs it to its end.
pub fn run(args: &[&str]) -> Output {
    robocensus().args(args).output().unwrap()
}

/// Runs it and expects success; gives what it printed.
pub fn ok(args: &[&str]) -> String {
    let output = run(args);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{args:?}: {}\n{stdout}{stderr}", output.status);
    stdout
}

/// Runs it and expects this exit code; gives what it said on standard error.
pub fn fails(args: &[&str], code: i32) -> String {
    let output = run(args);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
    stderr
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A path of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// All files below a folder with their bytes, by relative name.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, into: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, into);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                into.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut into = BTreeMap::new();
    walk(folder, folder, &mut into);
    into
}

/// Asserts that two outputs hold the same files with the same bytes.
pub fn assert_same(left: &Path, right: &Path) {
    let (left, right) = (files(left), files(right));
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&left), names(&right));
    for (name, bytes) in &left {
        assert!(bytes == &right[name], "{name} differs");
    }
}

/// All rows of a table, part after part.
pub fn table(out: &Path, name: &str) -> Vec<RecordBatch> {
    let single = out.join(format!("{name}.parquet"));
    let mut parts = match fs::read_dir(out.join(name)) {
        Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
        Err(_) => vec![single],
    };
    parts.sort();
    parts
        .iter()
        .flat_map(|part| {
            let file = File::open(part).unwrap();
            ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap().map(Result::unwrap)
        })
        .collect()
}

/// A column of a table, each value as text; null as `-`.
pub fn column(batches: &[RecordBatch], name: &str) -> Vec<String> {
    let mut values = Vec::new();
    for batch in batches {
        let array = batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
        for row in 0..array.len() {
            values.push(if array.is_null(row) { "-".to_owned() } else { cell(array.as_ref(), row) });
        }
    }
    values
}

fn cell(array: &dyn Array, row: usize) -> String {
    use arrow::datatypes::{DataType, TimeUnit, TimestampMicrosecondType};
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row).to_owned(),
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(row).to_string(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            array.as_primitive::<TimestampMicrosecondType>().value(row).to_string()
        }
        DataType::FixedSizeBinary(16) => hex(array.as_fixed_size_binary().value(row)),
        DataType::Binary => hex(array.as_binary::<i32>().value(row)),
        DataType::List(_) => {
            let list = array.as_list::<i32>().value(row);
            let cells: Vec<String> = (0..list.len()).map(|at| cell(list.as_ref(), at)).collect();
            format!("[{}]", cells.join(" "))
        }
        DataType::Struct(_) => {
            let columns = array.as_struct().columns();
            let cells = columns.iter().map(|c| if c.is_null(row) { "-".to_owned() } else { cell(c.as_ref(), row) });
            format!("({})", cells.collect::<Vec<_>>().join(","))
        }
        other => panic!("no text for {other}"),
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A folder that goes away with the value.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// A path as an argument.
pub fn arg(path: &Path) -> &str {
    path.to_str().unwrap()
}
