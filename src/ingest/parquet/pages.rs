//! The pages of one column chunk, read with limits: the decoder below believes what page headers say.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that a page may have when decompressed. DuckDB writes pages of up to 100 MB.
const LARGEST_PAGE: u64 = 512 << 20;
/// Bytes of the values of one batch, where a value may be longer than its share of the page.
const BATCH_BYTES: u64 = 32 << 20;
/// Bytes read at a time for a page header.
const HEADER_STEP: usize = 512;

/// What the reader of a column needs to know about the page at hand to keep a batch inside it.
#[derive(Debug, Default)]
pub(super) struct PageState {
    /// Rows of the pages handed over so far.
    rows: AtomicU64,
    /// Rows of the page at hand that may be read at once.
    at_once: AtomicU64,
}

impl PageState {
    /// How many rows can be read without going on to another page, when so many were taken before; at least one.
    pub(super) fn rows_at_hand(&self, taken: u64) -> u64 {
        let left = self.rows.load(Ordering::Relaxed).saturating_sub(taken);
        left.min(self.at_once.load(Ordering::Relaxed)).max(1)
    }
}

/// The pages of one column chunk.
pub(super) struct Pages {
    inner: SerializedPageReader<Chunks>,
    compression: Compression,
    width: usize,
    has_levels: bool,
    stated: Arc<AtomicU64>,
    state: Arc<PageState>,
}

impl Pages {
    pub(super) fn open(file: &Arc<File>, chunk: &ColumnChunkMetaData, rows: u64) -> Result<(Pages, Arc<PageState>)> {
        if chunk.data_page_offset() < 0
            || chunk.dictionary_page_offset().is_some_and(|offset| offset < 0)
            || chunk.compressed_size() < 0
        {
            return Err(ParquetError::General("the column chunk's place is negative".to_owned()));
        }
        let stated = Arc::new(AtomicU64::new(0));
        let chunks = Arc::new(Chunks { file: Arc::clone(file), stated: Arc::clone(&stated) });
        let compression = chunk.compression();
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        let inner = if decompressed_here(compression) {
            let plain = chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
            SerializedPageReader::new(chunks, &plain, rows, None)?
        } else {
            SerializedPageReader::new(chunks, chunk, rows, None)?
        };
        let width = match chunk.column_type() {
            Type::BYTE_ARRAY | Type::INT32 | Type::FLOAT => 4,
            Type::INT64 | Type::DOUBLE => 8,
            Type::INT96 => 12,
            Type::FIXED_LEN_BYTE_ARRAY => usize::try_from(chunk.column_descr().type_length()).unwrap_or(0).max(1),
            Type::BOOLEAN => 1,
        };
        let has_levels = chunk.column_descr().max_def_level() > 0;
        let state = Arc::new(PageState::default());
        Ok((Pages { inner, compression, width, has_levels, stated, state: Arc::clone(&state) }, state))
    }

    fn check(&self, page: Page) -> Result<Page> {
        let stated = self.stated.load(Ordering::Relaxed);
        match page {
            Page::DictionaryPage { buf, num_values, encoding, is_sorted } => {
                let buf = self.decompress(&buf, 0, stated)?.map_or(buf, Into::into);
                // The decoder makes room for as many values as the header says before it looks at them.
                if num_values as usize > buf.len() / self.width {
                    return Err(ParquetError::General(format!(
                        "a dictionary of {} bytes says that it has {num_values} values",
                        buf.len()
                    )));
                }
                Ok(Page::DictionaryPage { buf, num_values, encoding, is_sorted })
            }
            Page::DataPage { buf, num_values, encoding, def_level_encoding, rep_level_encoding, statistics } => {
                let buf = self.decompress(&buf, 0, stated)?.map_or(buf, Into::into);
                let values = if self.has_levels { after_levels(&buf, def_level_encoding) } else { Some(&buf[..]) };
                self.turn_to(num_values, encoding, buf.len(), values)?;
                Ok(Page::DataPage { buf, num_values, encoding, def_level_encoding, rep_level_encoding, statistics })
            }
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                num_nulls,
                num_rows,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                statistics,
            } => {
                let levels = (def_levels_byte_len as usize).saturating_add(rep_levels_byte_len as usize);
                let decompressed = if is_compressed { self.decompress(&buf, levels, stated)? } else { None };
                let buf = decompressed.map_or(buf, Into::into);
                self.turn_to(num_values, encoding, buf.len(), buf.get(levels..))?;
                Ok(Page::DataPageV2 {
                    buf,
                    num_values,
                    encoding,
                    num_nulls,
                    num_rows,
                    def_levels_byte_len,
                    rep_levels_byte_len,
                    is_compressed,
                    statistics,
                })
            }
        }
    }

    /// The bytes after the levels, decompressed, behind the levels; `None` where there is nothing to do here.
    fn decompress(&self, stored: &[u8], levels: usize, stated: u64) -> Result<Option<Vec<u8>>> {
        if !decompressed_here(self.compression) {
            return Ok(None);
        }
        let Some((levels, compressed)) = stored.split_at_checked(levels) else {
            return Err(ParquetError::General("the levels are longer than the page".to_owned()));
        };
        let room = usize::try_from(stated).unwrap_or(usize::MAX);
        let mut bytes = Vec::with_capacity(room);
        bytes.extend_from_slice(levels);
        if room > levels.len() {
            // One byte more than stated is enough to see that there are more.
            let most = stated - levels.len() as u64 + 1;
            match self.compression {
                Compression::GZIP(_) => {
                    flate2::bufread::MultiGzDecoder::new(compressed).take(most).read_to_end(&mut bytes)?;
                }
                _ => {
                    let buffer = room.clamp(1, 64 << 10);
                    brotli_decompressor::Decompressor::new(compressed, buffer).take(most).read_to_end(&mut bytes)?;
                }
            }
        }
        if bytes.len() != room {
            return Err(ParquetError::General(format!("a page of {room} bytes has not that many when decompressed")));
        }
        Ok(Some(bytes))
    }

    fn turn_to(&self, rows: u32, encoding: Encoding, bytes: usize, values: Option<&[u8]>) -> Result<()> {
        // Values share the page's bytes, but for an encoding that repeats the start of the value before:
        // there each can be as long as the page.
        let (at_once, runs) = match encoding {
            Encoding::DELTA_BYTE_ARRAY => (BATCH_BYTES / (bytes as u64).max(1), 2),
            Encoding::DELTA_LENGTH_BYTE_ARRAY => (u64::MAX, 1),
            _ => (u64::MAX, 0),
        };
        if runs > 0 && values.is_none_or(|values| after_lengths(values, runs, u64::from(rows)).is_none()) {
            return Err(ParquetError::General("the lengths of a page's values are damaged".to_owned()));
        }
        self.state.at_once.store(at_once, Ordering::Relaxed);
        self.state.rows.fetch_add(u64::from(rows), Ordering::Relaxed);
        Ok(())
    }
}

/// The values of a page of the first version, which follow the levels and the four bytes that say how long these are.
fn after_levels(page: &[u8], encoding: Encoding) -> Option<&[u8]> {
    let (length, rest) = page.split_first_chunk()?;
    (encoding == Encoding::RLE).then(|| rest.get(u32::from_le_bytes(*length) as usize..))?
}

/// What follows so many runs of lengths (`DELTA_BINARY_PACKED`), none of which claims more values than there are rows:
/// the decoder makes room for as many as a run claims before it reads them.
fn after_lengths(bytes: &[u8], runs: u32, rows: u64) -> Option<&[u8]> {
    let mut rest = bytes;
    let take = |rest: &mut &[u8]| -> Option<u64> {
        let (value, used) = varint(rest)?;
        *rest = rest.get(used..)?;
        Some(value)
    };
    for _ in 0..runs {
        let (block, miniblocks, count) = (take(&mut rest)?, take(&mut rest)?, take(&mut rest)?);
        // The first value.
        take(&mut rest)?;
        let values = block.checked_div(miniblocks)?;
        if count > rows || values == 0 {
            return None;
        }
        let mut left = count.saturating_sub(1);
        while left > 0 {
            // The smallest difference of the block, which may take ten bytes.
            let length = rest.iter().take(10).position(|byte| byte & 0x80 == 0)? + 1;
            rest = rest.get(length..)?;
            let (widths, after) = rest.split_at_checked(usize::try_from(miniblocks).ok()?)?;
            rest = after;
            for width in widths {
                if left == 0 {
                    break;
                }
                let packed = u64::from(*width).checked_mul(values)? / 8;
                rest = rest.get(usize::try_from(packed).ok()?..)?;
                left = left.saturating_sub(values);
            }
        }
    }
    Some(rest)
}

/// gzip and brotli would be inflated below without regard to the size that the page states.
fn decompressed_here(compression: Compression) -> bool {
    matches!(compression, Compression::GZIP(_) | Compression::BROTLI(_))
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        match self.inner.get_next_page()? {
            Some(page) => self.check(page).map(Some),
            None => Ok(None),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.inner.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.inner.skip_next_page()
    }
}

/// The file, for the pages of one column chunk.
struct Chunks {
    file: Arc<File>,
    stated: Arc<AtomicU64>,
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Chunks {
    type T = HeaderReader;

    fn get_read(&self, start: u64) -> Result<HeaderReader> {
        Ok(HeaderReader {
            file: Arc::clone(&self.file),
            stated: Arc::clone(&self.stated),
            next: start,
            read: Vec::new(),
            given: 0,
            checked: false,
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.file.get_bytes(start, length)
    }
}

/// Reads a page header in small steps and looks at its sizes before anybody makes room for them.
struct HeaderReader {
    file: Arc<File>,
    stated: Arc<AtomicU64>,
    next: u64,
    read: Vec<u8>,
    given: usize,
    checked: bool,
}

impl Read for HeaderReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.given == self.read.len() {
            let mut file = &*self.file;
            file.seek(SeekFrom::Start(self.next))?;
            self.read.clear();
            self.given = 0;
            file.take(HEADER_STEP as u64).read_to_end(&mut self.read)?;
            self.next += self.read.len() as u64;
            if !self.checked {
                self.checked = true;
                let stated = stated_size(&self.read).ok_or_else(|| {
                    io::Error::new(io::ErrorKind::InvalidData, "a page header begins in no known way")
                })?;
                if stated > LARGEST_PAGE {
                    let message =
                        format!("a page of {stated} bytes is larger than is read here ({LARGEST_PAGE} bytes)");
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
                self.stated.store(stated, Ordering::Relaxed);
            }
        }
        let left = self.read.get(self.given..).unwrap_or_default();
        let count = left.len().min(into.len());
        if let (Some(to), Some(from)) = (into.get_mut(..count), left.get(..count)) {
            to.copy_from_slice(from);
        }
        self.given += count;
        Ok(count)
    }
}

/// The size of the decompressed page: the second field of the header, in Thrift's compact protocol, in which every
/// writer begins it with the fields 1 and 2 as 32-bit integers.
fn stated_size(header: &[u8]) -> Option<u64> {
    let rest = header.strip_prefix(&[0x15])?;
    let (_, used) = varint(rest)?;
    let rest = rest.get(used..)?.strip_prefix(&[0x15])?;
    let (zigzag, _) = varint(rest)?;
    (zigzag & 1 == 0).then_some(zigzag >> 1)
}

/// A variable-length integer and the bytes it took.
fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0;
    for (i, byte) in bytes.iter().take(9).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((value, i + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_headers_tell_their_size() {
        assert_eq!(stated_size(b"\x15\x00\x15\x80\x02\x15\x04"), Some(128));
        assert_eq!(stated_size(b"\x15\x04\x15\xfe\xff\xff\xff\x0f\x15"), Some(0x7fff_ffff));
        assert_eq!(stated_size(b"\x15\x00\x15\x01"), None, "a negative size");
        assert_eq!(stated_size(b"\x25\x00\x15\x02"), None, "other fields");
        assert_eq!(stated_size(b"\x15\x00"), None);
    }

    #[test]
    fn runs_of_lengths_are_walked_and_never_claim_more_than_the_rows() {
        // Blocks of 128 values in 4 miniblocks; one value; nine values with miniblocks 3 bits wide.
        let one = b"\x80\x01\x04\x01\x08";
        let nine = [&b"\x80\x01\x04\x09\x08\x00\x03\x00\x00\x00"[..], &[0; 12]].concat();
        assert_eq!(after_lengths(one, 1, 1), Some(&b""[..]));
        assert_eq!(after_lengths(&[&nine, &one[..], b"rest"].concat(), 2, 9), Some(&b"rest"[..]));
        assert_eq!(after_lengths(&nine, 1, 8), None);
        assert_eq!(after_lengths(b"\x80\x01\x04\xff\xff\xff\xff\xff\xff\x7f\x08", 1, 1_000), None);
        assert_eq!(after_lengths(b"\x80\x01\x00\x01\x08", 1, 1), None, "no miniblocks");
        assert_eq!(after_lengths(&nine[..nine.len() - 1], 1, 9), None);
        assert_eq!(after_levels(b"\x02\0\0\0abvalues", Encoding::RLE), Some(&b"values"[..]));
        assert_eq!(after_levels(b"\x20\0\0\0ab", Encoding::RLE), None);
    }
}
