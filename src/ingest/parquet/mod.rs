//! Parquet tables with a column of robots.txt bodies, read row group by row group.
//!
//! What a row becomes:
//! - the body as it is; a null body is an empty one;
//! - the status of the row: a whole number in any type, or text that begins with one. Where it is null, or the table has
//!   no column for it, a body (an empty one too) counts as fetched with 200; a row that has no body either tells of no
//!   answer, so it has no status and comes out as `no_answer`. What is no HTTP status is no status, whatever the body,
//!   and told once a row group;
//! - the URL as it is, but for one without a scheme, which is taken as a host. Without a URL, that of the host is
//!   `https://HOST/robots.txt`. A table with neither gives captures with an empty URL, and so does a row with neither,
//!   which is told once a row group;
//! - the time, as [`mapping::Kind`] says; numbers without a unit by their size;
//! - empty texts are nulls, but for the body.
//!
//! A column that has one of the guessed names and a type that cannot serve is told once for each part of a file. A row
//! group that cannot be read to its end makes the part incomplete; the others are read all the same.
//!
//! Memory: a decompressed page and a dictionary of each column that is read (512 MiB at most, a megabyte as a rule).

mod column;
mod footer;
pub mod mapping;
mod pages;
mod time;

pub use mapping::{ColumnChoice, Mapping, MappingError, Role, Unsuitable, mapping};

use super::input::{Format, Input};
use super::{Completion, Limits, Origin, Part, Sink};
use crate::capture::{Capture, Place, Problem, ProblemCode, Repair, Repairs};
use crate::quantity::counted;
use column::ColumnValues;
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use std::borrow::Cow;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// Rows that are decoded at once, at most.
const BATCH_ROWS: u64 = 1024;
const READ_ON: &str = "read on at the next row group";
const PASSED_OVER: &str = "passed over the file";

/// Reads Parquet tables as captures.
#[derive(Debug, Clone)]
pub struct ParquetReader {
    limits: Limits,
    choice: ColumnChoice,
}

/// What a Parquet file holds, for `--dry-run`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// Which column serves as what.
    pub mapping: Mapping,
    /// Rows of the table.
    pub rows: u64,
    /// Its row groups.
    pub row_groups: usize,
}

/// Why a file cannot be read as a table of bodies.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// It could not be opened or read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is no Parquet file, or a damaged one.
    #[error("{0}")]
    Damaged(String),
    /// Its columns do not serve.
    #[error(transparent)]
    Mapping(#[from] MappingError),
}

/// Reads the footer of a file and says which column would serve as what.
pub fn inspect(path: &Path, choice: &ColumnChoice) -> Result<Inspection, InspectError> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    if let Err(refusal) = check_marks(&mut file, length)? {
        return Err(InspectError::Damaged(refusal.detail.to_owned()));
    }
    let metadata = footer::read(&file).map_err(InspectError::Damaged)?;
    let mapping = mapping(metadata.file_metadata().schema_descr(), choice)?;
    let rows = metadata.row_groups().iter().map(rows_of).sum();
    Ok(Inspection { mapping, rows, row_groups: metadata.num_row_groups() })
}

/// Whether the columns that the user named are there and serve, in the first Parquet file that can be inspected: a
/// mistyped name would otherwise only be seen in `problems`. The error is a sentence for the user, with the columns that
/// there are. Without named columns nothing is opened; where no file can be inspected the scan has more to tell.
pub fn check_named(inputs: &[Input], choice: &ColumnChoice) -> Result<(), String> {
    let Some(role) = choice.named().next() else { return Ok(()) };
    let mut parquet = inputs.iter().filter(|input| input.format == Format::Parquet).peekable();
    if parquet.peek().is_none() {
        return Err(format!("--{}-column names a column of Parquet files, and no input is one", role.word()));
    }
    for input in parquet {
        let Origin::File(path) = &input.origin else { continue };
        return match inspect(path, choice) {
            Err(InspectError::Io(_) | InspectError::Damaged(_)) => continue,
            // A table without a body is told as any other, since nobody named a column for it.
            Ok(_) | Err(InspectError::Mapping(MappingError::NoBody { .. })) => Ok(()),
            Err(InspectError::Mapping(error)) => Err(format!("`{}`: {error}", input.name)),
        };
    }
    Ok(())
}

/// Whether this thread is inside the Parquet decoder, whose panics are caught and become problems. A program's panic
/// hook can ask this to keep them off standard error; the library sets no hook.
pub fn is_decoding() -> bool {
    DECODING.get()
}

thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

impl ParquetReader {
    /// A reader that keeps to the limits and takes the columns as chosen.
    pub fn new(limits: Limits, choice: ColumnChoice) -> ParquetReader {
        ParquetReader { limits, choice }
    }

    /// Hands the rows of a part to the sink: those of the row groups whose first byte lies in `start..end`.
    pub fn read(&mut self, part: &Part, sink: &mut dyn Sink) -> Completion {
        let unreadable =
            |detail: String| Problem { code: ProblemCode::FileUnreadable, offset: None, detail, action: PASSED_OVER };
        let path = match &part.origin {
            Origin::File(path) => path,
            Origin::Stdin => {
                sink.problem(unreadable("Parquet is read from its end and cannot come from standard input".to_owned()));
                return Completion::Incomplete;
            }
        };
        let opened = File::open(path).and_then(|mut file| {
            let length = file.metadata()?.len();
            let marks = check_marks(&mut file, length)?;
            Ok((file, length, marks))
        });
        let (file, length, marks) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                sink.problem(unreadable(error.to_string()));
                return Completion::Incomplete;
            }
        };
        let mine = part.end.unwrap_or(length).min(length).saturating_sub(part.start);
        let mut walked = Walked { left: mine };
        let completion = match marks {
            Ok(()) => self.read_marked(file, part, &mut walked, sink),
            Err(refusal) => {
                sink.problem(Problem {
                    code: refusal.code,
                    offset: refusal.offset,
                    detail: refusal.detail.to_owned(),
                    action: PASSED_OVER,
                });
                Completion::Incomplete
            }
        };
        if completion != Completion::Stopped {
            sink.progress(walked.left);
        }
        completion
    }

    fn read_marked(&self, file: File, part: &Part, walked: &mut Walked, sink: &mut dyn Sink) -> Completion {
        let metadata = match footer::read(&file) {
            Ok(metadata) => metadata,
            Err(detail) => {
                sink.problem(Problem { code: ProblemCode::FileUnreadable, offset: None, detail, action: PASSED_OVER });
                return Completion::Incomplete;
            }
        };
        let mapping = match mapping(metadata.file_metadata().schema_descr(), &self.choice) {
            Ok(mapping) => mapping,
            Err(error) => {
                sink.problem(Problem {
                    code: ProblemCode::ColumnMissing,
                    offset: None,
                    detail: error.to_string(),
                    action: PASSED_OVER,
                });
                return Completion::Incomplete;
            }
        };
        let file = Arc::new(file);
        let mut first_row = 0;
        let mut completion = Completion::Complete;
        let mut untold = mapping.unsuitable();
        for row_group in metadata.row_groups() {
            let starts = first_byte(row_group);
            if starts >= part.start && part.end.is_none_or(|end| starts < end) {
                for column in std::mem::take(&mut untold) {
                    sink.problem(unsuitable(column));
                }
                let mut rows = RowGroup::new(self.limits, &mapping, first_row, rows_of(row_group));
                match rows.read(&file, row_group, sink) {
                    Ok(ControlFlow::Continue(())) => {}
                    Ok(ControlFlow::Break(())) => return Completion::Stopped,
                    Err(detail) => {
                        completion = Completion::Incomplete;
                        let lost = rows.rows - rows.handed;
                        sink.problem(Problem {
                            code: ProblemCode::RowGroupUnreadable,
                            offset: Some(first_row.saturating_add(rows.handed)),
                            detail: format!("{lost} of {} rows are lost: {detail}", rows.rows),
                            action: READ_ON,
                        });
                    }
                }
                rows.tell(sink);
                sink.progress(walked.take(stored_bytes(row_group)));
            }
            first_row = first_row.saturating_add(rows_of(row_group));
        }
        completion
    }
}

fn unsuitable(column: &Unsuitable) -> Problem {
    let action = match column.role {
        Role::Status => "read the table without it: 200 where there is a body",
        _ => "read the table without it",
    };
    let detail = format!("{column}; name another with --{}-column", column.role.word());
    Problem { code: ProblemCode::ColumnMissing, offset: None, detail, action }
}

/// Stored bytes of a part that are not told as progress yet: what row groups claim never adds up to more than the part.
struct Walked {
    left: u64,
}

impl Walked {
    fn take(&mut self, bytes: u64) -> u64 {
        let bytes = bytes.min(self.left);
        self.left -= bytes;
        bytes
    }
}

/// Why a file is not even opened as Parquet.
struct Refusal {
    code: ProblemCode,
    offset: Option<u64>,
    detail: &'static str,
}

/// Looks at the marks at both ends of a Parquet file.
fn check_marks(file: &mut File, length: u64) -> io::Result<Result<(), Refusal>> {
    const SMALLEST: u64 = 12;
    let (mut head, mut tail) = ([0; 4], [0; 4]);
    if length >= SMALLEST {
        file.read_exact(&mut head)?;
        file.seek(SeekFrom::Start(length - 4))?;
        file.read_exact(&mut tail)?;
    }
    let refuse = |code, offset, detail| Ok(Err(Refusal { code, offset, detail }));
    match [&head, &tail] {
        [b"PAR1", b"PAR1"] => Ok(Ok(())),
        [b"PARE", _] => refuse(ProblemCode::FileUnreadable, None, "the file is encrypted"),
        [b"PAR1", b"PARE"] => refuse(ProblemCode::FileUnreadable, None, "the file is encrypted"),
        [b"PAR1", _] => refuse(
            ProblemCode::FileTruncated,
            Some(length),
            "the file begins as Parquet and has no footer at its end, without which nothing can be read",
        ),
        _ => refuse(ProblemCode::NotAWarc, Some(0), "the file is not Parquet"),
    }
}

/// Calls the decoder and turns its panics into errors.
pub(crate) fn guarded<T>(decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, String> {
    DECODING.set(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(false);
    match decoded {
        Ok(decoded) => decoded.map_err(|error| error.to_string()),
        Err(panic) => {
            let message = panic.downcast_ref::<&str>().copied();
            let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            Err(format!("the decoder gave up: {}", message.unwrap_or("no reason given")))
        }
    }
}

/// Where a row group begins: at the page of it that comes first in the file.
fn first_byte(row_group: &RowGroupMetaData) -> u64 {
    let starts = row_group.columns().iter().map(|column| {
        // Some old writers say 0 where there is no dictionary.
        let dictionary = column.dictionary_page_offset().filter(|offset| *offset > 0);
        let data = column.data_page_offset();
        u64::try_from(dictionary.map_or(data, |dictionary| dictionary.min(data))).unwrap_or(0)
    });
    starts.min().unwrap_or(0)
}

fn stored_bytes(row_group: &RowGroupMetaData) -> u64 {
    let sizes = row_group.columns().iter().map(|column| u64::try_from(column.compressed_size()).unwrap_or(0));
    sizes.fold(0, u64::saturating_add)
}

fn rows_of(row_group: &RowGroupMetaData) -> u64 {
    u64::try_from(row_group.num_rows()).unwrap_or(0)
}

/// The rows of one row group on their way to the sink.
struct RowGroup<'a> {
    limits: Limits,
    mapping: &'a Mapping,
    first_row: u64,
    rows: u64,
    handed: u64,
    odd_status: Odd,
    no_url: Odd,
}

/// Rows with something odd about them: how many, and the first.
#[derive(Default)]
struct Odd {
    count: u64,
    first: Option<(u64, String)>,
}

impl Odd {
    fn add(&mut self, row: u64, what: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(|| (row, what()));
    }
}

impl<'a> RowGroup<'a> {
    fn new(limits: Limits, mapping: &'a Mapping, first_row: u64, rows: u64) -> RowGroup<'a> {
        RowGroup { limits, mapping, first_row, rows, handed: 0, odd_status: Odd::default(), no_url: Odd::default() }
    }

    fn read(
        &mut self,
        file: &Arc<File>,
        row_group: &RowGroupMetaData,
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<()>, String> {
        if self.rows == 0 {
            return Ok(ControlFlow::Continue(()));
        }
        let mut columns = Columns::default();
        for column in self.mapping.columns() {
            let chunk = row_group.columns().get(column.leaf).ok_or("the row group lacks a column of the table")?;
            let values = guarded(|| ColumnValues::open(file, chunk, column.kind, self.rows))?;
            *columns.slot(column.role) = Some(values);
        }
        while self.handed < self.rows {
            let most = BATCH_ROWS.min(self.rows - self.handed);
            let rows = columns.all().map(|column| column.rows_at_hand()).fold(most, u64::min) as usize;
            guarded(|| columns.all().try_for_each(|column| column.read(rows)))?;
            for row in 0..rows {
                columns.all().for_each(|column| column.turn_to(row));
                let source_row = self.first_row.saturating_add(self.handed);
                let capture = self.capture(&columns, source_row);
                self.handed += 1;
                if sink.capture(&capture).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn capture<'c>(&mut self, columns: &'c Columns, source_row: u64) -> Capture<'c> {
        let mut repaired = Repairs::default();
        let body = columns.body.as_ref().and_then(ColumnValues::bytes);
        let whole = body.unwrap_or_default();
        let kept = match whole.get(..self.limits.body_cap) {
            Some(kept) if kept.len() < whole.len() => {
                repaired.add(Repair::BodyCapped);
                kept
            }
            _ => whole,
        };
        let status = match columns.status.as_ref().map_or(Ok(None), ColumnValues::status) {
            Ok(status) => status.or(body.map(|_| 200)),
            Err(found) => {
                self.odd_status.add(source_row, || found);
                None
            }
        };
        let fetch_time = columns.time.as_ref().map_or(Ok(None), ColumnValues::time).unwrap_or_else(|()| {
            repaired.add(Repair::DateOdd);
            None
        });
        let named = columns.url.is_some() || columns.host.is_some();
        let url = columns.url.as_ref().and_then(ColumnValues::trimmed).map(|url| (url, false));
        let url = url.or_else(|| columns.host.as_ref().and_then(ColumnValues::trimmed).map(|host| (host, true)));
        let url = match url {
            Some((bytes, host)) => url_of(bytes, host, &mut repaired),
            None => {
                if named {
                    self.no_url.add(source_row, String::new);
                }
                Cow::Borrowed("")
            }
        };
        Capture {
            place: Place { source_row: Some(source_row), ..Place::default() },
            url,
            fetch_time,
            status,
            location: columns.location.as_ref().and_then(ColumnValues::trimmed),
            content_type: columns.content_type.as_ref().and_then(ColumnValues::trimmed),
            cache_control: None,
            digest: columns.digest.as_ref().and_then(ColumnValues::text).map(without_sha1),
            truncated: columns.truncated.as_ref().and_then(ColumnValues::text),
            body: kept,
            body_total_bytes: whole.len() as u64,
            repaired,
        }
    }

    /// Tells what was odd about single rows.
    fn tell(&mut self, sink: &mut dyn Sink) {
        if let Some((row, found)) = self.odd_status.first.take() {
            sink.problem(Problem {
                code: ProblemCode::RowUnreadable,
                offset: Some(row),
                detail: format!(
                    "{} with a status that is no HTTP status, the first `{found}`",
                    counted(self.odd_status.count, "row")
                ),
                action: "took them as having no status",
            });
        }
        if let Some((row, _)) = self.no_url.first.take() {
            sink.problem(Problem {
                code: ProblemCode::UrlMissing,
                offset: Some(row),
                detail: format!("{} rows have neither URL nor host", self.no_url.count),
                action: "kept them with an empty URL",
            });
        }
    }
}

/// The columns by role.
#[derive(Default)]
struct Columns {
    body: Option<ColumnValues>,
    url: Option<ColumnValues>,
    host: Option<ColumnValues>,
    status: Option<ColumnValues>,
    time: Option<ColumnValues>,
    content_type: Option<ColumnValues>,
    location: Option<ColumnValues>,
    digest: Option<ColumnValues>,
    truncated: Option<ColumnValues>,
}

impl Columns {
    fn slot(&mut self, role: Role) -> &mut Option<ColumnValues> {
        match role {
            Role::Body => &mut self.body,
            Role::Url => &mut self.url,
            Role::Host => &mut self.host,
            Role::Status => &mut self.status,
            Role::Time => &mut self.time,
            Role::ContentType => &mut self.content_type,
            Role::Location => &mut self.location,
            Role::Digest => &mut self.digest,
            Role::Truncated => &mut self.truncated,
        }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut ColumnValues> {
        let Columns { body, url, host, status, time, content_type, location, digest, truncated } = self;
        [body, url, host, status, time, content_type, location, digest, truncated].into_iter().flatten()
    }
}

/// The URL of a row. What has no scheme is a host, perhaps with a path; a host without a path gets `/robots.txt`.
fn url_of<'a>(bytes: &'a [u8], from_host: bool, repaired: &mut Repairs) -> Cow<'a, str> {
    let bare = match bytes {
        [b'<', inner @ .., b'>'] => {
            repaired.add(Repair::BracketedUri);
            inner.trim_ascii()
        }
        _ => bytes,
    };
    let text = match std::str::from_utf8(bare) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => {
            repaired.add(Repair::UrlNotUtf8);
            Cow::Owned(String::from_utf8_lossy(bare).into_owned())
        }
    };
    if memchr::memchr3(b' ', b'\t', b'\n', bare).is_some() {
        repaired.add(Repair::SpaceInUri);
    }
    let scheme = text.find("://").filter(|end| {
        *end > 0 && text.bytes().take(*end).all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    });
    let (prefix, rest) = match scheme {
        Some(_) if !from_host => return text,
        Some(end) => text.split_at(end + 3),
        None => ("https://", text.strip_prefix("//").unwrap_or(&text)),
    };
    match rest.find('/') {
        Some(slash) if slash + 1 < rest.len() => Cow::Owned(format!("{prefix}{rest}")),
        slash => Cow::Owned(format!("{prefix}{}/robots.txt", rest.get(..slash.unwrap_or(rest.len())).unwrap_or(rest))),
    }
}

/// A digest without a leading `sha1:`, as Common Crawl's index has it.
fn without_sha1(digest: Cow<'_, str>) -> Cow<'_, str> {
    const PREFIX: &str = "sha1:";
    if !digest.get(..PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(PREFIX)) {
        return digest;
    }
    match digest {
        Cow::Borrowed(digest) => Cow::Borrowed(digest.get(PREFIX.len()..).unwrap_or_default()),
        Cow::Owned(digest) => Cow::Owned(digest.get(PREFIX.len()..).unwrap_or_default().to_owned()),
    }
}

#[cfg(test)]
mod tests;
