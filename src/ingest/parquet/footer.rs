//! The footer of a Parquet file, looked over before the decoder believes it.
//!
//! The decoder makes room for as many row groups as the footer claims and goes down a schema by recursion: a footer of a
//! few bytes could end the process by either, where nothing can be caught. So its Thrift structure (compact protocol) is
//! walked first.

use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// Structs within structs in a footer; the format's own has less than ten.
const DEEPEST_STRUCT: u32 = 64;
/// Groups within groups in a schema.
const DEEPEST_SCHEMA: usize = 256;
/// Bytes after the footer: its length and the mark.
const TAIL: u64 = 8;

/// Reads the footer of a file that has the marks of Parquet at both ends.
pub(super) fn read(mut file: &File) -> Result<ParquetMetaData, String> {
    let unreadable = |error: std::io::Error| format!("the footer cannot be read: {error}");
    let end = file.seek(SeekFrom::End(0)).map_err(unreadable)?;
    let Some(tail) = end.checked_sub(TAIL) else { return Err("the file is too short for a footer".to_owned()) };
    let mut length = [0; 4];
    file.seek(SeekFrom::Start(tail)).map_err(unreadable)?;
    file.read_exact(&mut length).map_err(unreadable)?;
    let length = u64::from(u32::from_le_bytes(length));
    let Some(start) = tail.checked_sub(length) else {
        return Err(format!("the footer says that it has {length} bytes, more than the file"));
    };
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start)).map_err(unreadable)?;
    file.take(length).read_to_end(&mut bytes).map_err(unreadable)?;
    check(&bytes).map_err(|why| format!("the footer is damaged: {why}"))?;
    super::guarded(|| ParquetMetaDataReader::decode_metadata(&bytes))
        .map_err(|error| format!("the footer cannot be read: {error}"))
}

/// Whether the structure of a footer holds what it claims within its bytes, and nests no deeper than is sound.
fn check(bytes: &[u8]) -> Result<(), &'static str> {
    /// The field of the footer that lists the elements of the schema.
    const SCHEMA: i64 = 2;
    /// The field of such an element that counts its children.
    const CHILDREN: i64 = 5;
    let mut rest = Rest { bytes };
    // Children still to come of each open group.
    let mut open: Vec<i64> = Vec::new();
    rest.fields(0, &mut |rest, id, kind, depth| {
        if id != SCHEMA || kind != Kind::LIST {
            return rest.skip(kind, depth);
        }
        let (count, element) = rest.list()?;
        for _ in 0..count {
            let mut children = 0;
            if element == Kind::STRUCT {
                rest.fields(depth + 1, &mut |rest, id, kind, depth| {
                    if id == CHILDREN && kind == Kind::I32 {
                        children = rest.signed()?;
                        return Ok(());
                    }
                    rest.skip(kind, depth)
                })?;
            } else {
                rest.skip(element, depth)?;
            }
            if let Some(left) = open.last_mut() {
                *left -= 1;
            }
            if children > 0 {
                open.push(children);
            }
            while open.last().is_some_and(|left| *left <= 0) && children <= 0 {
                open.pop();
            }
            if open.len() > DEEPEST_SCHEMA {
                return Err("its schema is nested too deep");
            }
        }
        Ok(())
    })
}

/// Types of the compact protocol.
struct Kind;

impl Kind {
    const TRUE: u8 = 1;
    const FALSE: u8 = 2;
    const BYTE: u8 = 3;
    const I16: u8 = 4;
    const I32: u8 = 5;
    const I64: u8 = 6;
    const DOUBLE: u8 = 7;
    const BINARY: u8 = 8;
    const LIST: u8 = 9;
    const SET: u8 = 10;
    const MAP: u8 = 11;
    const STRUCT: u8 = 12;
    const UUID: u8 = 13;
}

type Checked<T> = Result<T, &'static str>;
type OnField<'f, 'b> = &'f mut dyn FnMut(&mut Rest<'b>, i64, u8, u32) -> Checked<()>;

struct Rest<'a> {
    bytes: &'a [u8],
}

impl<'a> Rest<'a> {
    fn byte(&mut self) -> Checked<u8> {
        let (first, rest) = self.bytes.split_first().ok_or("it ends too early")?;
        self.bytes = rest;
        Ok(*first)
    }

    fn pass(&mut self, count: u64) -> Checked<()> {
        let count = usize::try_from(count).map_err(|_| "a text is longer than the footer")?;
        self.bytes = self.bytes.get(count..).ok_or("a text is longer than the footer")?;
        Ok(())
    }

    fn varint(&mut self) -> Checked<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("a number is too long")
    }

    fn signed(&mut self) -> Checked<i64> {
        let zigzag = self.varint()?;
        Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// The head of a list or set: how many elements of which type.
    fn list(&mut self) -> Checked<(u64, u8)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        // Every element takes at least a byte.
        if count > self.bytes.len() as u64 {
            return Err("a list claims more elements than there are bytes");
        }
        Ok((count, head & 15))
    }

    fn fields(&mut self, depth: u32, on_field: OnField<'_, 'a>) -> Checked<()> {
        if depth > DEEPEST_STRUCT {
            return Err("it is nested too deep");
        }
        let mut id = 0;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            id = if head >> 4 == 0 { self.signed()? } else { id.wrapping_add(i64::from(head >> 4)) };
            match head & 15 {
                Kind::TRUE | Kind::FALSE => {}
                kind => on_field(self, id, kind, depth + 1)?,
            }
        }
    }

    fn skip(&mut self, kind: u8, depth: u32) -> Checked<()> {
        if depth > DEEPEST_STRUCT {
            return Err("it is nested too deep");
        }
        match kind {
            // As elements of a list; as a field they have no bytes of their own.
            Kind::TRUE | Kind::FALSE | Kind::BYTE => self.pass(1),
            Kind::I16 | Kind::I32 | Kind::I64 => self.varint().map(drop),
            Kind::DOUBLE => self.pass(8),
            Kind::BINARY => {
                let length = self.varint()?;
                self.pass(length)
            }
            Kind::LIST | Kind::SET => {
                let (count, element) = self.list()?;
                (0..count).try_for_each(|_| self.skip(element, depth + 1))
            }
            Kind::MAP => {
                let count = self.varint()?;
                if count > self.bytes.len() as u64 {
                    return Err("a map claims more entries than there are bytes");
                }
                let kinds = if count > 0 { self.byte()? } else { 0 };
                (0..count).try_for_each(|_| {
                    self.skip(kinds >> 4, depth + 1)?;
                    self.skip(kinds & 15, depth + 1)
                })
            }
            Kind::STRUCT => self.fields(depth + 1, &mut |rest, _, kind, depth| rest.skip(kind, depth)),
            Kind::UUID => self.pass(16),
            _ => Err("it holds a type that is none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varint(mut number: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while number > 127 {
            bytes.push(number as u8 | 128);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    }

    /// A schema element with a name, either a group with so many children or a binary column.
    fn element(children: Option<u64>) -> Vec<u8> {
        match children {
            Some(children) => [&b"\x35\x00\x18\x01g\x15"[..], &varint(children * 2), b"\0"].concat(),
            None => b"\x15\x0c\x25\x00\x18\x04body\0".to_vec(),
        }
    }

    fn list(count: u64, element: u8) -> Vec<u8> {
        [vec![0xf0 | element], varint(count)].concat()
    }

    fn footer(schema: &[Vec<u8>], row_groups: u64) -> Vec<u8> {
        let head = [&b"\x15\x04\x19"[..], &list(schema.len() as u64, Kind::STRUCT), &schema.concat()].concat();
        [&head[..], b"\x16\x0a\x19", &list(row_groups, Kind::STRUCT), b"\0"].concat()
    }

    #[test]
    fn footers_that_would_end_the_process_are_refused() {
        let flat = |columns: u64| {
            let mut schema = vec![element(Some(columns))];
            schema.extend((0..columns).map(|_| element(None)));
            schema
        };
        let deep = |depth: usize| {
            let mut schema = vec![element(Some(1)); depth];
            schema.push(element(None));
            schema
        };
        assert_eq!(check(&footer(&flat(1), 0)), Ok(()));
        assert_eq!(check(&footer(&flat(5_000), 0)), Ok(()));
        assert_eq!(check(&footer(&deep(200), 0)), Ok(()));
        assert_eq!(check(&footer(&deep(100_000), 0)), Err("its schema is nested too deep"));
        assert_eq!(check(&footer(&flat(1), 1 << 30)), Err("a list claims more elements than there are bytes"));
        assert_eq!(check(&[0x1c; 100_000]), Err("it is nested too deep"));
        assert_eq!(check(&[0x19; 100_000]), Err("it is nested too deep"));
        assert_eq!(check(b"\x18\xff\xff\xff\xff\x0fx"), Err("a text is longer than the footer"));
        assert_eq!(check(b""), Err("it ends too early"));
        // A group of groups, each closed again: wide, not deep.
        let mut wide = vec![element(Some(1_000))];
        for _ in 0..1_000 {
            wide.extend([element(Some(2)), element(None), element(None)]);
        }
        assert_eq!(check(&footer(&wide, 0)), Ok(()));
    }
}
