//! The values of one column of a row group, a batch at a time, as slices of the decompressed page.

use super::mapping::Kind;
use super::pages::{PageState, Pages};
use super::time;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type, Int96, Int96Type,
};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use std::borrow::Cow;
use std::fs::File;
use std::sync::Arc;

/// One column of a row group. Holds the page at hand, its dictionary and a level and a value a row of the batch.
pub(super) struct ColumnValues {
    values: Values,
    kind: Kind,
    max_level: i16,
    levels: Vec<i16>,
    pages: Arc<PageState>,
    taken: u64,
    /// The next value that no row has had yet.
    next: usize,
    /// The value of the row at hand.
    at: Option<usize>,
}

enum Values {
    Bytes(ColumnReaderImpl<ByteArrayType>, Vec<ByteArray>),
    Fixed(ColumnReaderImpl<FixedLenByteArrayType>, Vec<FixedLenByteArray>),
    I32(ColumnReaderImpl<Int32Type>, Vec<i32>),
    I64(ColumnReaderImpl<Int64Type>, Vec<i64>),
    I96(ColumnReaderImpl<Int96Type>, Vec<Int96>),
    F32(ColumnReaderImpl<FloatType>, Vec<f32>),
    F64(ColumnReaderImpl<DoubleType>, Vec<f64>),
}

impl ColumnValues {
    pub(super) fn open(file: &Arc<File>, chunk: &ColumnChunkMetaData, kind: Kind, rows: u64) -> Result<ColumnValues> {
        let descriptor = chunk.column_descr_ptr();
        let max_level = descriptor.max_def_level();
        let (pages, state) = Pages::open(file, chunk, rows)?;
        let values = match get_column_reader(descriptor, Box::new(pages)) {
            ColumnReader::ByteArrayColumnReader(reader) => Values::Bytes(reader, Vec::new()),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => Values::Fixed(reader, Vec::new()),
            ColumnReader::Int32ColumnReader(reader) => Values::I32(reader, Vec::new()),
            ColumnReader::Int64ColumnReader(reader) => Values::I64(reader, Vec::new()),
            ColumnReader::Int96ColumnReader(reader) => Values::I96(reader, Vec::new()),
            ColumnReader::FloatColumnReader(reader) => Values::F32(reader, Vec::new()),
            ColumnReader::DoubleColumnReader(reader) => Values::F64(reader, Vec::new()),
            ColumnReader::BoolColumnReader(_) => {
                return Err(ParquetError::General("a column of booleans is not read".to_owned()));
            }
        };
        Ok(ColumnValues { values, kind, max_level, levels: Vec::new(), pages: state, taken: 0, next: 0, at: None })
    }

    /// How many rows can be read next and stay within a page; at least one. Only columns of bytes are held to it.
    pub(super) fn rows_at_hand(&self) -> u64 {
        match self.values {
            Values::Bytes(..) | Values::Fixed(..) => self.pages.rows_at_hand(self.taken),
            _ => u64::MAX,
        }
    }

    /// Lets go of the batch before and decodes so many rows.
    pub(super) fn read(&mut self, rows: usize) -> Result<()> {
        self.levels.clear();
        self.next = 0;
        self.at = None;
        let levels = &mut self.levels;
        match &mut self.values {
            Values::Bytes(reader, values) => {
                fill(reader, values, levels, rows)?;
                // A value that was never set would panic when it is looked at: here that is caught.
                for value in values {
                    let _ = value.len();
                }
            }
            Values::Fixed(reader, values) => {
                fill(reader, values, levels, rows)?;
                for value in values {
                    let _ = value.len();
                }
            }
            Values::I32(reader, values) => fill(reader, values, levels, rows)?,
            Values::I64(reader, values) => fill(reader, values, levels, rows)?,
            Values::I96(reader, values) => fill(reader, values, levels, rows)?,
            Values::F32(reader, values) => fill(reader, values, levels, rows)?,
            Values::F64(reader, values) => fill(reader, values, levels, rows)?,
        }
        self.taken += rows as u64;
        Ok(())
    }

    /// Turns to a row of the batch; rows are visited in order, each once.
    pub(super) fn turn_to(&mut self, row: usize) {
        let present = self.max_level == 0 || self.levels.get(row) == Some(&self.max_level);
        self.at = present.then_some(self.next);
        self.next += usize::from(present);
    }

    /// The bytes of the row at hand, `None` for null.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match &self.values {
            Values::Bytes(_, values) => Some(values.get(self.at?)?.data()),
            Values::Fixed(_, values) => Some(values.get(self.at?)?.data()),
            _ => None,
        }
    }

    /// The bytes of the row at hand without outer blanks, `None` also when nothing is left.
    pub(super) fn trimmed(&self) -> Option<&[u8]> {
        self.bytes().map(<[u8]>::trim_ascii).filter(|bytes| !bytes.is_empty())
    }

    /// As [`trimmed`](Self::trimmed), as text.
    pub(super) fn text(&self) -> Option<Cow<'_, str>> {
        self.trimmed().map(String::from_utf8_lossy)
    }

    /// The whole number of the row at hand, of a decimal without its point; `None` where there is none or it has more
    /// than 16 bytes.
    fn integer(&self) -> Option<i128> {
        let at = self.at?;
        match (&self.values, self.kind) {
            (Values::I32(_, values), Kind::Unsigned) => values.get(at).map(|number| number.cast_unsigned().into()),
            (Values::I64(_, values), Kind::Unsigned) => values.get(at).map(|number| number.cast_unsigned().into()),
            (Values::I32(_, values), _) => values.get(at).map(|number| (*number).into()),
            (Values::I64(_, values), _) => values.get(at).map(|number| (*number).into()),
            (_, Kind::Decimal(_)) => from_big_endian(self.bytes()?),
            _ => None,
        }
    }

    /// The row at hand as an HTTP status: `Ok(None)` for null, `Err` where something is there that is no such number.
    pub(super) fn status(&self) -> std::result::Result<Option<i16>, String> {
        let Some(at) = self.at else { return Ok(None) };
        match (&self.values, self.kind) {
            (_, Kind::Decimal(scale)) => match (self.integer(), self.bytes()) {
                (Some(unscaled), _) => decimal_status(unscaled, scale).map(Some),
                (None, Some(bytes)) if !bytes.is_empty() => Err(format!("a decimal of {} bytes", bytes.len())),
                (None, _) => Ok(None),
            },
            (Values::I32(..) | Values::I64(..), _) => {
                let status = |number: i128| i16::try_from(number).map_err(|_| number.to_string());
                self.integer().map(status).transpose()
            }
            (Values::F32(_, values), _) => values.get(at).map_or(Ok(None), |number| float_status(f64::from(*number))),
            (Values::F64(_, values), _) => values.get(at).map_or(Ok(None), |number| float_status(*number)),
            (Values::Bytes(..) | Values::Fixed(..), _) => {
                self.trimmed().map_or(Ok(None), |text| text_status(text).map(Some))
            }
            (Values::I96(..), _) => Ok(None),
        }
    }

    /// The row at hand as a time in microseconds since 1970-01-01 UTC: `Ok(None)` for null, `Err` where something is
    /// there that is no time.
    pub(super) fn time(&self) -> std::result::Result<Option<i64>, ()> {
        let Some(at) = self.at else { return Ok(None) };
        let number = |number: i64| match self.kind {
            Kind::Timestamp(per_second) => time::from_units(number, per_second),
            Kind::Days => time::from_days(number),
            _ => time::from_number(number),
        };
        let micros = match &self.values {
            Values::I32(..) | Values::I64(..) => self.integer().and_then(|n| number(i64::try_from(n).ok()?)),
            Values::I96(_, values) => values.get(at).and_then(|n| time::from_int96(n.data())),
            Values::F32(_, values) => values.get(at).and_then(|n| time::from_float(f64::from(*n))),
            Values::F64(_, values) => values.get(at).and_then(|n| time::from_float(*n)),
            Values::Bytes(..) | Values::Fixed(..) => match self.trimmed() {
                None => return Ok(None),
                Some(text) => time::from_text(text),
            },
        };
        micros.map(Some).ok_or(())
    }
}

/// A number in two's complement, the first byte the highest.
fn from_big_endian(bytes: &[u8]) -> Option<i128> {
    let sign = if bytes.first()? & 0x80 == 0 { 0 } else { -1 };
    bytes.iter().try_fold(sign, |number: i128, byte| Some(number.checked_mul(256)? | i128::from(*byte)))
}

/// A decimal is a status where nothing but zeros stands after its point.
fn decimal_status(unscaled: i128, scale: u32) -> std::result::Result<i16, String> {
    let unit = 10_i128.checked_pow(scale).filter(|unit| unscaled % unit == 0);
    unit.and_then(|unit| i16::try_from(unscaled / unit).ok()).ok_or_else(|| match scale {
        0 => unscaled.to_string(),
        _ => format!("{unscaled}e-{scale}"),
    })
}

/// A status as text: digits, then nothing, a blank or a point with whatever follows.
fn text_status(text: &[u8]) -> std::result::Result<i16, String> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let number = match text.get(digits) {
        None | Some(b' ' | b'.') => text.get(..digits).and_then(|d| std::str::from_utf8(d).ok()?.parse().ok()),
        Some(_) => None,
    };
    number.ok_or_else(|| String::from_utf8_lossy(text.get(..40).unwrap_or(text)).into_owned())
}

/// Whole numbers that became floating-point ones because some were missing; not-a-number stands for null.
fn float_status(number: f64) -> std::result::Result<Option<i16>, String> {
    if number.is_nan() {
        Ok(None)
    } else if number.fract() == 0.0 && number.abs() <= f64::from(i16::MAX) {
        Ok(Some(number as i16))
    } else {
        Err(number.to_string())
    }
}

fn fill<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    values: &mut Vec<T::T>,
    levels: &mut Vec<i16>,
    rows: usize,
) -> Result<()> {
    values.clear();
    let (records, ..) = reader.read_records(rows, Some(levels), None, values)?;
    if records == rows {
        Ok(())
    } else {
        Err(ParquetError::General("a column has fewer rows than the row group".to_owned()))
    }
}
