//! Rows of a table to Parquet.
//!
//! What is held in memory: up to [`BATCH_BYTES`] of values as they were pushed, the encoded and compressed pages of the row group in
//! progress (flushed at [`ROW_GROUP_BYTES`]), and a page and a dictionary a column ([`PAGE_BYTES`] each at most). Only a single row
//! larger than that can exceed it.

use super::OutputError;
use super::pending::{PendingFile, Written, sync_folder};
use crate::table::column::Buffer;
use crate::table::{Column, Layout, Leaf, Record, SCHEMA_VERSION, Table, schema};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_128;

/// Encoded bytes after which a row group ends.
pub const ROW_GROUP_BYTES: usize = 8 << 20;

/// Bytes of pushed values after which they are encoded.
const BATCH_BYTES: usize = 1 << 20;

/// Rows after which they are encoded; Parquet's encoders work through so many at a time.
pub const BATCH_ROWS: usize = 1024;

/// Bytes of a data page, and of a dictionary before the column goes on without.
const PAGE_BYTES: usize = 256 << 10;

/// zstd level of every page: higher ones cost more CPU than they save.
const ZSTD_LEVEL: i32 = 1;

/// Who wrote the file, as Parquet's footer has it.
const CREATED_BY: &str = concat!("robocensus version ", env!("CARGO_PKG_VERSION"));

/// What every file says about how it was made: nothing that differs between two runs on the same input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Names of the dialects, the first being the one that `outcome` speaks for.
    pub dialects: Vec<String>,
    /// What HTTP results were taken for against the dialects, as `status_429=unreachable`.
    pub http: Vec<String>,
    /// The agent set.
    pub agents: NamedSet,
    /// The probe set.
    pub probes: NamedSet,
    /// Hash of the configuration, in hexadecimal.
    pub configuration_hash: String,
}

/// A set of agents or probes: what it is called, and a hash that changes with what is in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedSet {
    /// Its name.
    pub name: String,
    /// Hash of its content, in hexadecimal.
    pub hash: String,
}

impl Metadata {
    /// What HTTP results are taken for by option, as files say it: `status_429=unreachable`.
    pub fn http_words(options: &serde_json::Value) -> Vec<String> {
        let options = options.as_object().into_iter().flatten();
        options.map(|(name, meaning)| format!("{name}={}", meaning.as_str().unwrap_or_default())).collect()
    }

    /// The entries of the Parquet footer.
    pub fn entries(&self) -> Vec<(&'static str, String)> {
        vec![
            ("robocensus.schema_version", SCHEMA_VERSION.to_string()),
            ("robocensus.tool_version", env!("CARGO_PKG_VERSION").to_owned()),
            ("robocensus.dialects", self.dialects.join(",")),
            ("robocensus.http", self.http.join(",")),
            ("robocensus.agent_set", self.agents.name.clone()),
            ("robocensus.agent_set_hash", self.agents.hash.clone()),
            ("robocensus.probe_set", self.probes.name.clone()),
            ("robocensus.probe_set_hash", self.probes.hash.clone()),
            ("robocensus.configuration_hash", self.configuration_hash.clone()),
        ]
    }
}

/// xxh3-128 of some bytes in hexadecimal: the hash that all of the output uses.
pub fn hash_hex(bytes: &[u8]) -> String {
    hex(xxh3_128(bytes))
}

pub(super) fn hex(hash: u128) -> String {
    format!("{hash:032x}")
}

/// Why rows could not be encoded.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The writer beneath refused.
    #[error(transparent)]
    Io(io::Error),
    /// The Parquet library refused.
    #[error(transparent)]
    Parquet(ParquetError),
    /// A value is too large.
    #[error("a value in row {0} is larger than Parquet can hold (2 GiB)")]
    ValueTooLarge(u64),
}

impl From<ParquetError> for EncodeError {
    fn from(error: ParquetError) -> EncodeError {
        let ParquetError::External(source) = error else { return EncodeError::Parquet(error) };
        match source.downcast::<io::Error>() {
            Ok(source) => EncodeError::Io(*source),
            Err(source) => EncodeError::Parquet(ParquetError::External(source)),
        }
    }
}

/// Encodes rows of a table as Parquet into any writer.
pub struct Encoder<T: Table, W: Write + Send> {
    schema: SchemaRef,
    buffers: Vec<Box<dyn Buffer<T>>>,
    writer: ArrowWriter<Slot<W>>,
    rows: u64,
    pending_rows: usize,
    pending_bytes: usize,
}

impl<T: Table, W: Write + Send> Encoder<T, W> {
    /// An encoder without rows.
    pub fn new(sink: W, metadata: &Metadata) -> Result<Encoder<T, W>, EncodeError> {
        let schema = schema::<T>();
        let writer = ArrowWriter::try_new(Slot(Some(sink)), schema.clone(), Some(properties::<T>(metadata)?))?;
        let buffers = T::COLUMNS.iter().map(|column| column.cell.buffer()).collect();
        Ok(Encoder { schema, buffers, writer, rows: 0, pending_rows: 0, pending_bytes: 0 })
    }

    /// Adds a row. After an error the encoder is of no further use.
    pub fn push(&mut self, row: &T::Row<'_>) -> Result<(), EncodeError> {
        for buffer in &mut self.buffers {
            self.pending_bytes += buffer.append(row).map_err(|_| EncodeError::ValueTooLarge(self.rows))?;
        }
        self.rows += 1;
        self.pending_rows += 1;
        if self.pending_rows >= BATCH_ROWS || self.pending_bytes >= BATCH_BYTES {
            self.encode()?;
        }
        Ok(())
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes of memory that hold rows at the moment: an estimate from above.
    pub fn memory(&self) -> usize {
        self.writer.memory_size() + 2 * self.pending_bytes
    }

    /// Encodes what was pushed, and ends the row group when it is large enough.
    fn encode(&mut self) -> Result<(), EncodeError> {
        if self.pending_rows == 0 {
            return Ok(());
        }
        let columns = self.buffers.iter_mut().map(|buffer| buffer.finish()).collect();
        (self.pending_rows, self.pending_bytes) = (0, 0);
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(ParquetError::from)?;
        self.writer.write(&batch)?;
        // The size of what is encoded, not of the memory it takes: that depends on the allocator, and the bytes of a file must not.
        if self.writer.in_progress_size() >= ROW_GROUP_BYTES {
            self.writer.flush()?;
        }
        Ok(())
    }

    /// Writes the rest and the footer, and gives the writer back.
    pub fn finish(mut self) -> Result<W, EncodeError> {
        self.encode()?;
        self.writer.finish()?;
        self.writer.inner_mut().0.take().ok_or_else(|| EncodeError::Io(taken()))
    }
}

/// A writer that can be taken back: `ArrowWriter::into_inner` writes a second footer and hides what kind of error the system gave.
struct Slot<W>(Option<W>);

fn taken() -> io::Error {
    io::Error::other("the file is closed already")
}

impl<W: Write> Write for Slot<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_mut().ok_or_else(taken)?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), Write::flush)
    }
}

fn properties<T: Record>(metadata: &Metadata) -> Result<WriterProperties, ParquetError> {
    let entries = metadata.entries().into_iter().map(|(key, value)| KeyValue::new(key.to_owned(), value)).collect();
    let mut builder = WriterProperties::builder()
        .set_created_by(CREATED_BY.to_owned())
        .set_key_value_metadata(Some(entries))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_data_page_size_limit(PAGE_BYTES)
        .set_dictionary_page_size_limit(PAGE_BYTES)
        .set_max_row_group_row_count(None);
    let mut layouts = Vec::new();
    for column in T::COLUMNS {
        Column::layouts(column, &[], &mut layouts);
    }
    for Leaf { path, layout, statistics, compressed } in layouts {
        let path = ColumnPath::new(path);
        if !compressed {
            builder = builder.set_column_compression(path.clone(), Compression::UNCOMPRESSED);
        }
        if !statistics {
            builder = builder.set_column_statistics_enabled(path.clone(), EnabledStatistics::None);
        }
        builder = match layout {
            Layout::Dictionary | Layout::Sorted => builder.set_column_dictionary_enabled(path, true),
            Layout::Plain => builder.set_column_dictionary_enabled(path, false),
            Layout::Delta => builder
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
        };
    }
    Ok(builder.build())
}

/// Writes a table to a file that gets its name when it is complete.
pub struct TableWriter<T: Table> {
    encoder: Encoder<T, PendingFile>,
    path: PathBuf,
}

impl<T: Table> TableWriter<T> {
    /// Begins the file; its folder must be there.
    pub fn create(path: &Path, metadata: &Metadata) -> Result<TableWriter<T>, OutputError> {
        let file = PendingFile::create(path)?;
        let encoder = Encoder::new(file, metadata).map_err(|e| from_encoder(path, e))?;
        Ok(TableWriter { encoder, path: path.to_owned() })
    }

    /// Adds a row. After an error the writer is of no further use.
    pub fn push(&mut self, row: &T::Row<'_>) -> Result<(), OutputError> {
        self.encoder.push(row).map_err(|e| from_encoder(&self.path, e))
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.encoder.rows()
    }

    /// Bytes of memory that hold rows at the moment: an estimate from above.
    pub fn memory(&self) -> usize {
        self.encoder.memory()
    }

    /// Writes the rest and the footer and waits until it is on the device; the file still bears its temporary name.
    pub(super) fn close(self) -> Result<PendingFile, OutputError> {
        let TableWriter { encoder, path } = self;
        let mut file = encoder.finish().map_err(|e| from_encoder(&path, e))?;
        file.sync()?;
        Ok(file)
    }

    /// Closes it and gives it its name, which is `name` in OUT or in the folder that becomes a part of OUT.
    pub fn publish(self, name: String) -> Result<super::PartFile, OutputError> {
        let rows = self.rows();
        let Written { bytes, hash } = self.close()?.publish()?;
        Ok(super::PartFile { table: T::NAME.to_owned(), path: name, rows, bytes, xxh3_128: hash })
    }
}

fn from_encoder(path: &Path, error: EncodeError) -> OutputError {
    match error {
        EncodeError::Io(source) => OutputError::io(path, source),
        EncodeError::Parquet(source) => OutputError::Parquet { path: path.to_owned(), source },
        EncodeError::ValueTooLarge(row) => OutputError::ValueTooLarge { path: path.to_owned(), row },
    }
}

/// Writes a table of one file, `OUT/<name>.parquet`, whole or not at all.
pub fn write_single<'a, T: Table>(
    out: &Path,
    rows: impl IntoIterator<Item = T::Row<'a>>,
    metadata: &Metadata,
) -> Result<super::PartFile, OutputError> {
    let name = format!("{}.parquet", T::NAME);
    let mut writer = TableWriter::<T>::create(&out.join(&name), metadata)?;
    for row in rows {
        writer.push(&row)?;
    }
    let file = writer.publish(name)?;
    sync_folder(out)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::column::{Cell, Structs, column, delta, plain};
    use crate::table::{Place, TABLES};
    use arrow::array::{Array, ArrayRef, AsArray, StructArray};
    use arrow::datatypes::{Int16Type, Int32Type, Int64Type, TimestampMicrosecondType};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use parquet::file::metadata::ParquetMetaData;

    /// A table with a column of every kind.
    struct Every;

    #[derive(Debug, Clone, Default)]
    struct EveryRow<'a> {
        flag: bool,
        short: i16,
        maybe_short: Option<i16>,
        int: i32,
        maybe_int: Option<i32>,
        long: i64,
        maybe_long: Option<i64>,
        time: Option<i64>,
        text: &'a str,
        maybe_text: Option<&'a str>,
        lossy: &'a [u8],
        maybe_lossy: Option<&'a [u8]>,
        label: &'static str,
        maybe_label: Option<&'static str>,
        bytes: Option<&'a [u8]>,
        id: [u8; 16],
        maybe_id: Option<[u8; 16]>,
        shorts: &'a [i16],
        ints: &'a [i32],
        texts: &'a [&'a str],
        pairs: &'a [PairRow<'a>],
    }

    struct Pair;

    #[derive(Debug, Clone)]
    struct PairRow<'a> {
        name: &'a [u8],
        line: Option<i32>,
        names: &'a [&'a str],
    }

    impl Record for Pair {
        type Row<'a> = PairRow<'a>;
        const COLUMNS: &'static [Column<Pair>] = &[
            column("name", "", "", Cell::Lossy(|row| row.name)),
            column("line", "", "", Cell::MaybeI32(|row| row.line)),
            column("names", "", "", Cell::Texts(|row, texts| row.names.iter().for_each(|name| texts.push(name)))),
        ];
    }

    impl Table for Every {
        const NAME: &'static str = "every";
        const ABOUT: &'static str = "A row of everything.";
        const PLACE: Place = Place::Parts;
    }

    impl Record for Every {
        type Row<'a> = EveryRow<'a>;
        const COLUMNS: &'static [Column<Every>] = &[
            column("flag", "", "", Cell::Bool(|row| row.flag)),
            column("short", "", "", Cell::I16(|row| row.short)),
            delta("maybe_short", "", "", Cell::MaybeI16(|row| row.maybe_short)),
            plain("int", "", "", Cell::I32(|row| row.int)),
            column("maybe_int", "", "", Cell::MaybeI32(|row| row.maybe_int)),
            delta("long", "", "", Cell::I64(|row| row.long)),
            column("maybe_long", "", "", Cell::MaybeI64(|row| row.maybe_long)),
            column("time", "", "", Cell::MaybeTime(|row| row.time)),
            column("text", "", "", Cell::Text(|row| row.text)),
            plain("maybe_text", "", "", Cell::MaybeText(|row| row.maybe_text)),
            column("lossy", "", "", Cell::Lossy(|row| row.lossy)),
            column("maybe_lossy", "", "", Cell::MaybeLossy(|row| row.maybe_lossy)),
            column("label", "", "", Cell::Label(|row| row.label)),
            column("maybe_label", "", "", Cell::MaybeLabel(|row| row.maybe_label)),
            column("bytes", "", "", Cell::MaybeBytes(|row| row.bytes)),
            column("id", "", "", Cell::Bytes16(|row| &row.id)),
            column("maybe_id", "", "", Cell::MaybeBytes16(|row| row.maybe_id.as_ref())),
            column("shorts", "", "", Cell::I16s(|row| row.shorts)),
            delta("ints", "", "", Cell::I32s(|row| row.ints)),
            column("texts", "", "", Cell::Texts(|row, texts| row.texts.iter().for_each(|text| texts.push(text)))),
            column("pairs", "", "", Cell::Structs(&Structs::<Every, Pair>(|row| row.pairs))),
        ];
    }

    const SHORTS: [i16; 4] = [i16::MIN, -1, 0, i16::MAX];
    const INTS: [i32; 4] = [i32::MIN, -1, 0, i32::MAX];

    /// Row number `i`: full, empty and in between by turns.
    fn with_row(i: usize, mut with: impl FnMut(&EveryRow<'_>)) {
        let text = format!("text {}", i % 1000);
        let lossy = [b'a', 0xFF, b'b', i as u8 & 0x7F];
        let pairs = [
            PairRow { name: &lossy, line: None, names: &["x", ""] },
            PairRow { name: text.as_bytes(), line: Some(i as i32), names: &[] },
        ];
        let some = !i.is_multiple_of(3);
        with(&EveryRow {
            flag: i.is_multiple_of(2),
            short: SHORTS[i % 4],
            maybe_short: some.then_some(i as i16),
            int: INTS[i % 4],
            maybe_int: some.then_some(i as i32),
            long: i64::MIN + i as i64,
            maybe_long: some.then_some(-(i as i64)),
            time: some.then_some(1_791_000_000_000_000 + i as i64),
            text: &text,
            maybe_text: some.then_some(if i % 3 == 1 { "" } else { "ü\0\u{10FFFF}" }),
            lossy: &lossy,
            maybe_lossy: some.then_some(&lossy),
            label: if i.is_multiple_of(5) { "some" } else { "none" },
            maybe_label: some.then_some("named"),
            bytes: some.then_some(&lossy),
            id: (i as u128).to_be_bytes(),
            maybe_id: some.then_some((i as u128 + 1).to_be_bytes()),
            shorts: &SHORTS[i % 5..],
            ints: &INTS[i % 5..],
            texts: &["", "one", "two"][i % 4..],
            pairs: &pairs[i % 3..],
        });
    }

    fn encoded(rows: usize, metadata: &Metadata) -> Vec<u8> {
        let mut encoder = Encoder::<Every, _>::new(Vec::new(), metadata).unwrap();
        for i in 0..rows {
            with_row(i, |row| encoder.push(row).unwrap());
        }
        assert_eq!(encoder.rows(), rows as u64);
        encoder.finish().unwrap()
    }

    fn read(file: Vec<u8>) -> (std::sync::Arc<ParquetMetaData>, Vec<RecordBatch>) {
        let builder = ParquetRecordBatchReaderBuilder::try_new(bytes(file)).unwrap();
        let metadata = builder.metadata().clone();
        (metadata, builder.build().unwrap().map(Result::unwrap).collect())
    }

    fn bytes(file: Vec<u8>) -> std::fs::File {
        let mut to = tempfile::tempfile().unwrap();
        to.write_all(&file).unwrap();
        to
    }

    #[test]
    fn every_kind_comes_back_as_it_went_in() {
        // More than one batch of the encoder, so that buffers are emptied and filled again.
        let rows = 2 * BATCH_ROWS + 17;
        let (_, batches) = read(encoded(rows, &Metadata::default()));
        let mut i = 0;
        for batch in &batches {
            assert_eq!(batch.schema().fields(), schema::<Every>().fields());
            for at in 0..batch.num_rows() {
                with_row(i, |row| check(batch, at, row));
                i += 1;
            }
        }
        assert_eq!(i, rows);
    }

    fn check(batch: &RecordBatch, at: usize, row: &EveryRow<'_>) {
        let column = |name: &str| batch.column_by_name(name).unwrap();
        fn string(array: &ArrayRef, at: usize) -> Option<&str> {
            array.is_valid(at).then(|| array.as_string::<i32>().value(at))
        }
        fn strings(array: &ArrayRef) -> Vec<String> {
            (0..array.len()).map(|at| string(array, at).unwrap().to_owned()).collect()
        }
        macro_rules! primitive {
            ($name:literal, $kind:ty) => {{
                let array = column($name).as_primitive::<$kind>();
                array.is_valid(at).then(|| array.value(at))
            }};
        }
        let lossy = String::from_utf8_lossy(row.lossy);
        assert_eq!(column("flag").as_boolean().value(at), row.flag);
        assert_eq!(primitive!("short", Int16Type), Some(row.short));
        assert_eq!(primitive!("maybe_short", Int16Type), row.maybe_short);
        assert_eq!(primitive!("int", Int32Type), Some(row.int));
        assert_eq!(primitive!("maybe_int", Int32Type), row.maybe_int);
        assert_eq!(primitive!("long", Int64Type), Some(row.long));
        assert_eq!(primitive!("maybe_long", Int64Type), row.maybe_long);
        assert_eq!(primitive!("time", TimestampMicrosecondType), row.time);
        assert_eq!(string(column("text"), at), Some(row.text));
        assert_eq!(string(column("maybe_text"), at), row.maybe_text);
        assert_eq!(string(column("lossy"), at), Some(lossy.as_ref()));
        assert_eq!(string(column("maybe_lossy"), at), row.maybe_lossy.map(|_| lossy.as_ref()));
        assert_eq!(string(column("label"), at), Some(row.label));
        assert_eq!(string(column("maybe_label"), at), row.maybe_label);
        let array = column("bytes").as_binary::<i32>();
        assert_eq!(array.is_valid(at).then(|| array.value(at)), row.bytes);
        assert_eq!(column("id").as_fixed_size_binary().value(at), row.id);
        let array = column("maybe_id").as_fixed_size_binary();
        assert_eq!(array.is_valid(at).then(|| array.value(at)), row.maybe_id.as_ref().map(<[u8; 16]>::as_slice));
        assert_eq!(column("shorts").as_list::<i32>().value(at).as_primitive::<Int16Type>().values(), row.shorts);
        assert_eq!(column("ints").as_list::<i32>().value(at).as_primitive::<Int32Type>().values(), row.ints);
        assert_eq!(strings(&column("texts").as_list::<i32>().value(at)), row.texts);
        let pairs = column("pairs").as_list::<i32>().value(at);
        let pairs: &StructArray = pairs.as_struct();
        assert_eq!(pairs.len(), row.pairs.len());
        for (n, pair) in row.pairs.iter().enumerate() {
            assert_eq!(string(pairs.column(0), n), Some(String::from_utf8_lossy(pair.name).as_ref()));
            let lines = pairs.column(1).as_primitive::<Int32Type>();
            assert_eq!(lines.is_valid(n).then(|| lines.value(n)), pair.line);
            assert_eq!(strings(&pairs.column(2).as_list::<i32>().value(n)), pair.names);
        }
    }

    #[test]
    fn the_same_rows_give_the_same_bytes() {
        assert_eq!(encoded(10_000, &Metadata::default()), encoded(10_000, &Metadata::default()));
    }

    #[test]
    fn files_say_how_they_were_made() {
        let metadata = Metadata {
            dialects: vec!["rfc9309".to_owned(), "google".to_owned()],
            http: vec!["status_429=unreachable".to_owned()],
            agents: NamedSet { name: "agents".to_owned(), hash: "a1".to_owned() },
            probes: NamedSet { name: "probes".to_owned(), hash: "b2".to_owned() },
            configuration_hash: "c3".to_owned(),
        };
        let (found, batches) = read(encoded(0, &metadata));
        assert!(batches.is_empty(), "a table without rows is a file all the same");
        let found = found.file_metadata();
        assert_eq!(found.created_by(), Some(CREATED_BY));
        let stated = found.key_value_metadata().unwrap();
        for (key, value) in metadata.entries() {
            assert!(stated.iter().any(|kv| kv.key == key && kv.value.as_ref() == Some(&value)), "{key}");
        }
    }

    #[test]
    fn layouts_name_columns_that_are_there() {
        let (found, _) = read(encoded(100, &Metadata::default()));
        let mut stated = Vec::new();
        Every::COLUMNS.iter().for_each(|column| column.layouts(&[], &mut stated));
        let stated: Vec<String> = stated.into_iter().map(|leaf| leaf.path.join(".")).collect();
        let leaves: Vec<String> =
            found.file_metadata().schema_descr().columns().iter().map(|leaf| leaf.path().string()).collect();
        assert_eq!(stated, leaves);
    }

    #[test]
    fn row_groups_and_memory_are_bounded() {
        let mut encoder = Encoder::<Every, _>::new(Vec::new(), &Metadata::default()).unwrap();
        let mut random = vec![0_u8; 70_000];
        let mut state = 1_u64;
        let mut peak = 0;
        for i in 0..300 {
            for byte in &mut random {
                // xorshift: bytes that don't compress.
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                *byte = state as u8;
            }
            with_row(i, |row| encoder.push(&EveryRow { bytes: Some(&random), ..row.clone() }).unwrap());
            peak = peak.max(encoder.memory());
        }
        assert!(peak < ROW_GROUP_BYTES + 8 * BATCH_BYTES, "{peak}");
        let (found, _) = read(encoder.finish().unwrap());
        assert!(found.num_row_groups() > 1);
        for group in found.row_groups() {
            assert!(
                group.compressed_size() as usize <= ROW_GROUP_BYTES + 2 * BATCH_BYTES,
                "{}",
                group.compressed_size()
            );
        }
    }

    /// Takes so many bytes and is full then.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            if taken == 0 && !bytes.is_empty() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_device_is_told_as_such_wherever_it_strikes() {
        let size = encoded(3_000, &Metadata::default()).len();
        let run = |capacity: usize| -> Result<Full, EncodeError> {
            let mut encoder = Encoder::<Every, _>::new(Full(capacity), &Metadata::default())?;
            let mut pushed = Ok(());
            for i in 0..3_000 {
                with_row(i, |row| {
                    if pushed.is_ok() {
                        pushed = encoder.push(row);
                    }
                });
            }
            pushed?;
            encoder.finish()
        };
        assert!(run(size).is_ok());
        for capacity in (0..size).step_by(size / 61).chain([size - 1]) {
            match run(capacity).map(|_| ()) {
                Err(EncodeError::Io(e)) => assert_eq!(e.kind(), io::ErrorKind::StorageFull, "{capacity}"),
                other => panic!("{capacity}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_failed_file_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("every.parquet");
        let mut writer = TableWriter::<Every>::create(&path, &Metadata::default()).unwrap();
        with_row(1, |row| writer.push(row).unwrap());
        drop(writer);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let missing = dir.path().join("none").join("every.parquet");
        let error = TableWriter::<Every>::create(&missing, &Metadata::default()).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("every.parquet"), "{error}");
    }

    #[test]
    fn single_tables_are_written_whole() {
        let dir = tempfile::tempdir().unwrap();
        let fallbacks = ["Googlebot".to_owned()];
        let row = |agent_id| crate::table::AgentRow {
            agent_id,
            token: "Googlebot-News",
            fallbacks: &fallbacks,
            follows_star: true,
            ..Default::default()
        };
        let file = write_single::<crate::table::Agents>(dir.path(), [row(0), row(1)], &Metadata::default()).unwrap();
        let text = std::fs::read(dir.path().join("agents.parquet")).unwrap();
        assert_eq!((file.rows, file.bytes, file.path.as_str()), (2, text.len() as u64, "agents.parquet"));
        assert_eq!(file.xxh3_128, hash_hex(&text));
        assert!(TABLES.iter().any(|table| table.name == file.table));
    }
}
