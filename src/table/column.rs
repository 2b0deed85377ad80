//! One column: its name, what it means, an example, and how its value is had from a row.
//!
//! A [`Column`] is the only place where a column is spoken of. The Arrow field, the buffer that collects values, the
//! Parquet encoding and the documentation are derived from it, so none of them can drift from another.

use arrow::array::{
    Array, ArrayBuilder, ArrayRef, BinaryBuilder, BooleanBuilder, FixedSizeBinaryBuilder, Int16Builder, Int32Builder,
    Int64Builder, ListArray, ListBuilder, StringBuilder, StructArray, TimestampMicrosecondBuilder,
};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Field, FieldRef, Fields, TimeUnit};
use std::collections::HashMap;
use std::sync::Arc;

/// Something with columns: the rows of a table, or the elements of a list of structs in one.
pub trait Record: Sized + 'static {
    /// One row; it borrows what it shows, so that pushing it copies each value once, into its column.
    type Row<'a>;
    /// The columns, in order.
    const COLUMNS: &'static [Column<Self>];
}

/// A column of the record `T`.
pub struct Column<T: Record> {
    /// Its name, Common Crawl's own wherever it has one.
    pub name: &'static str,
    /// One sentence on what it holds and when it is null.
    pub about: &'static str,
    /// A value as one might meet it.
    pub example: &'static str,
    /// Its kind, and the way from a row to the value.
    pub cell: Cell<T>,
    /// How Parquet lays it out.
    pub layout: Layout,
}

/// How Parquet lays a column out. What suits which was measured by `benches/tables.rs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A dictionary page and indices into it: values that repeat.
    Dictionary,
    /// Values one after the other: values that don't.
    Plain,
    /// Bit-packed differences: integers that rise slowly, such as keys and offsets.
    Delta,
    /// A dictionary, and the least and greatest value with it: text that comes in order, so that readers can pass over parts.
    Sorted,
}

/// How one Parquet column is laid out.
pub struct Leaf {
    /// Its path in the schema.
    pub path: Vec<String>,
    /// The layout.
    pub layout: Layout,
    /// Whether the least and greatest value are kept: of text in no order they tell nothing and cost 2 % of a scan.
    pub statistics: bool,
    /// Whether its pages are compressed: packed differences and hashes get no smaller by it.
    pub compressed: bool,
}

/// What there is to say about a column, without the type of its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Its name; that of a column of structs in a list is `list[].column`.
    pub name: String,
    /// Its Arrow type.
    pub kind: DataType,
    /// Whether it may be null.
    pub nullable: bool,
    /// One sentence on what it holds.
    pub about: &'static str,
    /// A value as one might meet it.
    pub example: &'static str,
}

/// The kinds of columns there are, each with its getter. `Maybe` kinds are nullable and nothing else is, so a null can
/// never meet a column that does not allow it.
///
/// Integers are signed, times UTC microseconds and enumerations plain strings, because every engine reads those.
pub enum Cell<T: Record> {
    /// Yes or no.
    Bool(for<'r, 'a> fn(&'r T::Row<'a>) -> bool),
    /// A 16-bit integer.
    I16(for<'r, 'a> fn(&'r T::Row<'a>) -> i16),
    /// A 16-bit integer or null.
    MaybeI16(for<'r, 'a> fn(&'r T::Row<'a>) -> Option<i16>),
    /// A 32-bit integer.
    I32(for<'r, 'a> fn(&'r T::Row<'a>) -> i32),
    /// A 32-bit integer or null.
    MaybeI32(for<'r, 'a> fn(&'r T::Row<'a>) -> Option<i32>),
    /// A 64-bit integer.
    I64(for<'r, 'a> fn(&'r T::Row<'a>) -> i64),
    /// A 64-bit integer or null.
    MaybeI64(for<'r, 'a> fn(&'r T::Row<'a>) -> Option<i64>),
    /// Microseconds since 1970-01-01 UTC, or null.
    MaybeTime(for<'r, 'a> fn(&'r T::Row<'a>) -> Option<i64>),
    /// Text.
    Text(for<'r, 'a> fn(&'r T::Row<'a>) -> &'r str),
    /// Text or null.
    MaybeText(for<'r, 'a> fn(&'r T::Row<'a>) -> Option<&'r str>),
    /// Text from a stranger: bytes that are not UTF-8 become U+FFFD.
    Lossy(for<'r, 'a> fn(&'r T::Row<'a>) -> &'r [u8]),
    /// Text from a stranger, or null.
    MaybeLossy(for<'r, 'a> fn(&'r T::Row<'a>) -> Option<&'r [u8]>),
    /// A word of a closed list.
    Label(for<'r, 'a> fn(&'r T::Row<'a>) -> &'static str),
    /// A word of a closed list, or null.
    MaybeLabel(for<'r, 'a> fn(&'r T::Row<'a>) -> Option<&'static str>),
    /// Bytes or null.
    MaybeBytes(for<'r, 'a> fn(&'r T::Row<'a>) -> Option<&'r [u8]>),
    /// Sixteen bytes.
    Bytes16(for<'r, 'a> fn(&'r T::Row<'a>) -> &'r [u8; 16]),
    /// Sixteen bytes or null.
    MaybeBytes16(for<'r, 'a> fn(&'r T::Row<'a>) -> Option<&'r [u8; 16]>),
    /// 16-bit integers.
    I16s(for<'r, 'a> fn(&'r T::Row<'a>) -> &'r [i16]),
    /// 32-bit integers.
    I32s(for<'r, 'a> fn(&'r T::Row<'a>) -> &'r [i32]),
    /// Texts, handed over one by one.
    Texts(for<'r, 'a, 'p> fn(&'r T::Row<'a>, &'p mut Texts)),
    /// Structs, which have columns of their own: see [`Structs`].
    Structs(&'static dyn Elements<T>),
}

/// A column in the layout that suits its kind: a dictionary for what tends to repeat.
pub(crate) const fn column<T: Record>(
    name: &'static str,
    about: &'static str,
    example: &'static str,
    cell: Cell<T>,
) -> Column<T> {
    let layout = match cell {
        Cell::MaybeBytes(_) | Cell::Bytes16(_) | Cell::MaybeBytes16(_) | Cell::Bool(_) => Layout::Plain,
        _ => Layout::Dictionary,
    };
    Column { name, about, example, cell, layout }
}

/// A column whose values hardly repeat.
pub(crate) const fn plain<T: Record>(
    name: &'static str,
    about: &'static str,
    example: &'static str,
    cell: Cell<T>,
) -> Column<T> {
    Column { name, about, example, cell, layout: Layout::Plain }
}

/// A column of integers that rise slowly.
pub(crate) const fn delta<T: Record>(
    name: &'static str,
    about: &'static str,
    example: &'static str,
    cell: Cell<T>,
) -> Column<T> {
    Column { name, about, example, cell, layout: Layout::Delta }
}

/// A column of text that comes in order.
pub(super) const fn sorted<T: Record>(
    name: &'static str,
    about: &'static str,
    example: &'static str,
    cell: Cell<T>,
) -> Column<T> {
    Column { name, about, example, cell, layout: Layout::Sorted }
}

impl<T: Record> Column<T> {
    /// Its Arrow field, with the description as metadata. (The example stays out: every file carries its schema.)
    pub fn field(&self) -> Field {
        let (kind, nullable) = self.cell.kind();
        let metadata = HashMap::from([("description".to_owned(), self.about.to_owned())]);
        Field::new(self.name, kind, nullable).with_metadata(metadata)
    }

    /// What there is to say about it and, below it, about the columns of its structs.
    pub fn describe(&self, prefix: &str, out: &mut Vec<Description>) {
        let name = format!("{prefix}{}", self.name);
        let (kind, nullable) = self.cell.kind();
        out.push(Description { name: name.clone(), kind, nullable, about: self.about, example: self.example });
        if let Cell::Structs(elements) = self.cell {
            elements.describe(&format!("{name}[]."), out);
        }
    }

    /// The layout of each Parquet column that it becomes, with the path of that column.
    pub fn layouts(&self, parents: &[String], out: &mut Vec<Leaf>) {
        let mut path = parents.to_vec();
        path.push(self.name.to_owned());
        match self.cell {
            Cell::I16s(_) | Cell::I32s(_) | Cell::Texts(_) => path.extend(["list".to_owned(), ELEMENT.to_owned()]),
            Cell::Structs(elements) => {
                path.extend(["list".to_owned(), ELEMENT.to_owned()]);
                return elements.layouts(&path, out);
            }
            _ => {}
        }
        let statistics = self.layout == Layout::Sorted || (parents.is_empty() && self.cell.is_scalar());
        let compressed = self.layout != Layout::Delta && !matches!(self.cell, Cell::Bytes16(_));
        out.push(Leaf { path, layout: self.layout, statistics, compressed });
    }
}

/// Name of the elements of a list, as the Parquet format has it.
const ELEMENT: &str = "element";

/// An element of a list: never null, nameless but for what the format wants.
fn element(kind: DataType) -> FieldRef {
    Arc::new(Field::new(ELEMENT, kind, false))
}

impl<T: Record> Cell<T> {
    /// Whether it holds one number, time or truth value.
    fn is_scalar(&self) -> bool {
        use Cell::{Bool, I16, I32, I64, MaybeI16, MaybeI32, MaybeI64, MaybeTime};
        matches!(self, Bool(_) | I16(_) | MaybeI16(_) | I32(_) | MaybeI32(_) | I64(_) | MaybeI64(_) | MaybeTime(_))
    }

    /// The Arrow type, and whether it may be null.
    fn kind(&self) -> (DataType, bool) {
        match self {
            Cell::Bool(_) => (DataType::Boolean, false),
            Cell::I16(_) => (DataType::Int16, false),
            Cell::MaybeI16(_) => (DataType::Int16, true),
            Cell::I32(_) => (DataType::Int32, false),
            Cell::MaybeI32(_) => (DataType::Int32, true),
            Cell::I64(_) => (DataType::Int64, false),
            Cell::MaybeI64(_) => (DataType::Int64, true),
            Cell::MaybeTime(_) => (DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into())), true),
            Cell::Text(_) | Cell::Lossy(_) | Cell::Label(_) => (DataType::Utf8, false),
            Cell::MaybeText(_) | Cell::MaybeLossy(_) | Cell::MaybeLabel(_) => (DataType::Utf8, true),
            Cell::MaybeBytes(_) => (DataType::Binary, true),
            Cell::Bytes16(_) => (DataType::FixedSizeBinary(16), false),
            Cell::MaybeBytes16(_) => (DataType::FixedSizeBinary(16), true),
            Cell::I16s(_) => (DataType::List(element(DataType::Int16)), false),
            Cell::I32s(_) => (DataType::List(element(DataType::Int32)), false),
            Cell::Texts(_) => (DataType::List(element(DataType::Utf8)), false),
            Cell::Structs(elements) => (DataType::List(element(DataType::Struct(elements.fields()))), false),
        }
    }

    /// A buffer for it. The kind is looked at here, once, and not for every value.
    pub fn buffer(&self) -> Box<dyn Buffer<T>> {
        match *self {
            Cell::Bool(get) => collect(BooleanBuilder::new(), move |row, to| {
                to.append_value(get(row));
                Ok(1)
            }),
            Cell::I16(get) => collect(Int16Builder::new(), move |row, to| {
                to.append_value(get(row));
                Ok(2)
            }),
            Cell::MaybeI16(get) => collect(Int16Builder::new(), move |row, to| {
                to.append_option(get(row));
                Ok(2)
            }),
            Cell::I32(get) => collect(Int32Builder::new(), move |row, to| {
                to.append_value(get(row));
                Ok(4)
            }),
            Cell::MaybeI32(get) => collect(Int32Builder::new(), move |row, to| {
                to.append_option(get(row));
                Ok(4)
            }),
            Cell::I64(get) => collect(Int64Builder::new(), move |row, to| {
                to.append_value(get(row));
                Ok(8)
            }),
            Cell::MaybeI64(get) => collect(Int64Builder::new(), move |row, to| {
                to.append_option(get(row));
                Ok(8)
            }),
            Cell::MaybeTime(get) => {
                collect(TimestampMicrosecondBuilder::new().with_timezone(UTC), move |row, to: &mut _| {
                    to.append_option(get(row));
                    Ok(8)
                })
            }
            Cell::Text(get) => collect(StringBuilder::new(), move |row, to| text(to, get(row))),
            Cell::MaybeText(get) => collect(StringBuilder::new(), move |row, to| maybe_text(to, get(row))),
            Cell::Lossy(get) => collect(StringBuilder::new(), move |row, to| lossy(to, get(row))),
            Cell::MaybeLossy(get) => collect(StringBuilder::new(), move |row, to| match get(row) {
                Some(value) => lossy(to, value),
                None => maybe_text(to, None),
            }),
            Cell::Label(get) => collect(StringBuilder::new(), move |row, to| text(to, get(row))),
            Cell::MaybeLabel(get) => collect(StringBuilder::new(), move |row, to| maybe_text(to, get(row))),
            Cell::MaybeBytes(get) => collect(BinaryBuilder::new(), move |row, to| match get(row) {
                Some(value) => {
                    room(to.values_slice().len(), value.len())?;
                    to.append_value(value);
                    Ok(4 + value.len())
                }
                None => {
                    to.append_null();
                    Ok(4)
                }
            }),
            Cell::Bytes16(get) => collect(FixedSizeBinaryBuilder::new(16), move |row, to| bytes16(to, get(row))),
            Cell::MaybeBytes16(get) => collect(FixedSizeBinaryBuilder::new(16), move |row, to| match get(row) {
                Some(value) => bytes16(to, value),
                None => {
                    to.append_null();
                    Ok(16)
                }
            }),
            Cell::I16s(get) => {
                let builder = ListBuilder::new(Int16Builder::new()).with_field(element(DataType::Int16));
                collect(builder, move |row, to| {
                    let values = get(row);
                    room(to.values_ref().len(), values.len())?;
                    to.values().append_slice(values);
                    to.append(true);
                    Ok(4 + 2 * values.len())
                })
            }
            Cell::I32s(get) => {
                let builder = ListBuilder::new(Int32Builder::new()).with_field(element(DataType::Int32));
                collect(builder, move |row, to| {
                    let values = get(row);
                    room(to.values_ref().len(), values.len())?;
                    to.values().append_slice(values);
                    to.append(true);
                    Ok(4 + 4 * values.len())
                })
            }
            Cell::Texts(get) => {
                let builder = ListBuilder::new(StringBuilder::new()).with_field(element(DataType::Utf8));
                Box::new(TextsBuffer { get, texts: Texts { builder, bytes: 0, full: false } })
            }
            Cell::Structs(elements) => elements.buffer(),
        }
    }
}

/// Time zone of every timestamp.
const UTC: &str = "UTC";

/// Takes the texts of one list.
pub struct Texts {
    builder: ListBuilder<StringBuilder>,
    bytes: usize,
    full: bool,
}

impl Texts {
    /// Adds one.
    pub fn push(&mut self, value: &str) {
        match text(self.builder.values(), value) {
            Ok(bytes) => self.bytes += bytes,
            Err(TooLarge) => self.full = true,
        }
    }
}

/// Collects the values of one column until they are written.
pub trait Buffer<T: Record>: Send {
    /// Appends the value of a row and says how many bytes that took.
    fn append(&mut self, row: &T::Row<'_>) -> Result<usize, TooLarge>;
    /// What was collected; the buffer is empty after it.
    fn finish(&mut self) -> ArrayRef;
}

/// More than fits one column of one batch: 2 GiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// Arrow's offsets are 32 bits wide and its builders panic beyond them: refuse before.
fn room(held: usize, more: usize) -> Result<(), TooLarge> {
    if held.saturating_add(more) > i32::MAX as usize { Err(TooLarge) } else { Ok(()) }
}

fn text(to: &mut StringBuilder, value: &str) -> Result<usize, TooLarge> {
    room(to.values_slice().len(), value.len())?;
    to.append_value(value);
    Ok(4 + value.len())
}

fn maybe_text(to: &mut StringBuilder, value: Option<&str>) -> Result<usize, TooLarge> {
    match value {
        Some(value) => text(to, value),
        None => {
            to.append_null();
            Ok(4)
        }
    }
}

fn lossy(to: &mut StringBuilder, value: &[u8]) -> Result<usize, TooLarge> {
    match std::str::from_utf8(value) {
        Ok(value) => text(to, value),
        Err(_) => text(to, &String::from_utf8_lossy(value)),
    }
}

fn bytes16(to: &mut FixedSizeBinaryBuilder, value: &[u8; 16]) -> Result<usize, TooLarge> {
    to.append_value(value).map_err(|_| TooLarge)?;
    Ok(16)
}

/// A buffer made of an Arrow builder and a closure that feeds it.
struct Collect<B, F> {
    builder: B,
    append: F,
}

fn collect<T, B, F>(builder: B, append: F) -> Box<dyn Buffer<T>>
where
    T: Record,
    B: ArrayBuilder + Send,
    F: for<'r, 'a> Fn(&'r T::Row<'a>, &mut B) -> Result<usize, TooLarge> + Send + 'static,
{
    Box::new(Collect { builder, append })
}

impl<T, B, F> Buffer<T> for Collect<B, F>
where
    T: Record,
    B: ArrayBuilder + Send,
    F: for<'r, 'a> Fn(&'r T::Row<'a>, &mut B) -> Result<usize, TooLarge> + Send,
{
    fn append(&mut self, row: &T::Row<'_>) -> Result<usize, TooLarge> {
        (self.append)(row, &mut self.builder)
    }

    fn finish(&mut self) -> ArrayRef {
        self.builder.finish()
    }
}

struct TextsBuffer<T: Record> {
    get: for<'r, 'a, 'p> fn(&'r T::Row<'a>, &'p mut Texts),
    texts: Texts,
}

impl<T: Record> Buffer<T> for TextsBuffer<T> {
    fn append(&mut self, row: &T::Row<'_>) -> Result<usize, TooLarge> {
        self.texts.bytes = 4;
        (self.get)(row, &mut self.texts);
        self.texts.builder.append(true);
        if self.texts.full { Err(TooLarge) } else { Ok(self.texts.bytes) }
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.texts.builder.finish())
    }
}

/// A list of structs in a row of `T`; which structs is known to the implementation alone.
pub trait Elements<T: Record> {
    /// The Arrow fields of one element.
    fn fields(&self) -> Fields;
    /// A buffer for the lists.
    fn buffer(&self) -> Box<dyn Buffer<T>>;
    /// The layout of each Parquet column that they become, with its path.
    fn layouts(&self, parents: &[String], out: &mut Vec<Leaf>);
    /// What there is to say about their columns.
    fn describe(&self, prefix: &str, out: &mut Vec<Description>);
}

/// The list of `I` in a row of `T`: `Cell::Structs(&Structs::<Bodies, NamedAgent>(|row| row.agents))`.
pub struct Structs<T: Record, I: Record>(pub for<'r, 'a> fn(&'r T::Row<'a>) -> &'r [I::Row<'r>]);

impl<T: Record, I: Record> Elements<T> for Structs<T, I> {
    fn fields(&self) -> Fields {
        I::COLUMNS.iter().map(Column::field).collect()
    }

    fn buffer(&self) -> Box<dyn Buffer<T>> {
        let columns = I::COLUMNS.iter().map(|c| c.cell.buffer()).collect();
        Box::new(StructsBuffer { get: self.0, columns, offsets: vec![0] })
    }

    fn layouts(&self, parents: &[String], out: &mut Vec<Leaf>) {
        for column in I::COLUMNS {
            column.layouts(parents, out);
        }
    }

    fn describe(&self, prefix: &str, out: &mut Vec<Description>) {
        for column in I::COLUMNS {
            column.describe(prefix, out);
        }
    }
}

struct StructsBuffer<T: Record, I: Record> {
    get: for<'r, 'a> fn(&'r T::Row<'a>) -> &'r [I::Row<'r>],
    columns: Vec<Box<dyn Buffer<I>>>,
    /// Where each row's elements begin, and where the last one's end.
    offsets: Vec<i32>,
}

impl<T: Record, I: Record> Buffer<T> for StructsBuffer<T, I> {
    fn append(&mut self, row: &T::Row<'_>) -> Result<usize, TooLarge> {
        let elements = (self.get)(row);
        let held = self.offsets.last().copied().unwrap_or(0);
        let end = i32::try_from(elements.len()).ok().and_then(|n| held.checked_add(n)).ok_or(TooLarge)?;
        let mut bytes = 4;
        for element in elements {
            for column in &mut self.columns {
                bytes += column.append(element)?;
            }
        }
        self.offsets.push(end);
        Ok(bytes)
    }

    fn finish(&mut self) -> ArrayRef {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(&mut self.offsets, vec![0])));
        let arrays = self.columns.iter_mut().map(|c| c.finish()).collect();
        let fields: Fields = I::COLUMNS.iter().map(Column::field).collect();
        let structs = StructArray::new(fields, arrays, None);
        let list = element(structs.data_type().clone());
        Arc::new(ListArray::new(list, offsets, Arc::new(structs), None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_offsets_can_count_is_refused() {
        assert_eq!(room(0, i32::MAX as usize), Ok(()));
        assert_eq!(room(1, i32::MAX as usize), Err(TooLarge));
        assert_eq!(room(usize::MAX, 1), Err(TooLarge));
    }
}
