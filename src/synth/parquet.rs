//! The same captures as Parquet: a row a capture, with the body in a column.

use super::exchange::Exchange;
use arrow::array::{ArrayRef, BinaryBuilder, Int16Builder, RecordBatch, StringBuilder, TimestampMicrosecondBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use std::io::Write;
use std::sync::Arc;

/// Rows of a row group: few, so that even a small file has several.
const ROWS: usize = 250;

/// A Parquet file being written.
pub(super) struct ParquetFile<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: SchemaRef,
    rows: usize,
    url: StringBuilder,
    fetch_time: TimestampMicrosecondBuilder,
    fetch_status: Int16Builder,
    content_type: StringBuilder,
    fetch_redirect: StringBuilder,
    body: BinaryBuilder,
}

impl<W: Write + Send> ParquetFile<W> {
    /// Begins a file.
    pub(super) fn begin(out: W) -> Result<ParquetFile<W>> {
        let schema = Arc::new(Schema::new(vec![
            Field::new("url", DataType::Utf8, false),
            Field::new("fetch_time", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), false),
            Field::new("fetch_status", DataType::Int16, true),
            Field::new("content_type", DataType::Utf8, true),
            Field::new("fetch_redirect", DataType::Utf8, true),
            Field::new("body", DataType::Binary, false),
        ]));
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?)).build();
        Ok(ParquetFile {
            writer: ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties))?,
            schema,
            rows: 0,
            url: StringBuilder::new(),
            fetch_time: TimestampMicrosecondBuilder::new().with_timezone("UTC"),
            fetch_status: Int16Builder::new(),
            content_type: StringBuilder::new(),
            fetch_redirect: StringBuilder::new(),
            body: BinaryBuilder::new(),
        })
    }

    /// Adds a row.
    pub(super) fn put(&mut self, exchange: &Exchange) -> Result<()> {
        self.url.append_value(&exchange.url);
        self.fetch_time.append_value(exchange.time.saturating_mul(1_000_000));
        self.fetch_status.append_option(i16::try_from(exchange.status).ok().filter(|status| *status > 0));
        self.content_type.append_option(exchange.content_type.as_deref());
        self.fetch_redirect.append_option(redirect(exchange));
        self.body.append_value(&exchange.body);
        self.rows += 1;
        if self.rows == ROWS { self.row_group() } else { Ok(()) }
    }

    /// Ends the file and gives back what it was written to.
    pub(super) fn finish(mut self) -> Result<W> {
        self.row_group()?;
        self.writer.into_inner()
    }

    fn row_group(&mut self) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.rows = 0;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.url.finish()),
            Arc::new(self.fetch_time.finish()),
            Arc::new(self.fetch_status.finish()),
            Arc::new(self.content_type.finish()),
            Arc::new(self.fetch_redirect.finish()),
            Arc::new(self.body.finish()),
        ];
        self.writer.write(&RecordBatch::try_new(Arc::clone(&self.schema), columns)?)?;
        self.writer.flush()
    }
}

/// The target of a redirect made absolute, as Common Crawl's index has it; one that cannot be is absent.
fn redirect(exchange: &Exchange) -> Option<String> {
    if !(300..400).contains(&exchange.status) {
        return None;
    }
    let location = exchange.location.as_deref().filter(|l| !l.trim().is_empty())?;
    url::Url::parse(&exchange.url).ok()?.join(location).ok().map(String::from)
}
