//! What a file is, by its first bytes.

use super::record;

/// The kinds of archive that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Empty,
    Gzip,
    Zstd,
    /// Records as they are, so many bytes into the file.
    Plain(usize),
    /// Something else that has a name.
    Foreign,
    /// No kind that is known: perhaps an archive whose first bytes are damaged.
    Unknown,
}

/// First bytes of what is no WARC, and what to call it.
const FOREIGN: [(&[u8], &str); 15] = [
    (b"filedesc:", "an ARC archive"),
    (&[0x04, 0x22, 0x4d, 0x18], "LZ4 data"),
    (&[0x02, 0x21, 0x4c, 0x18], "LZ4 data of an old form"),
    (b"PAR1", "Parquet"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"BZh", "bzip2 data"),
    (&[0xfd, b'7', b'z', b'X', b'Z'], "xz data"),
    (b"ORC", "ORC"),
    (b"Obj\x01", "Avro"),
    (b" CDX", "a CDX index"),
    (b"<!", "HTML or XML"),
    (b"<html", "HTML"),
    (b"<?xml", "XML"),
    (b"{", "JSON"),
    (b"7z\xbc\xaf", "a 7z archive"),
];

/// Tells the kind from the first bytes of a file: all of it, or at least some KiB.
pub(super) fn detect(bytes: &[u8]) -> Kind {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let skipped = bytes.len() - text.len() + record::line_ends(text);
    match bytes {
        [] => Kind::Empty,
        [0x1f, 0x8b, ..] => Kind::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Kind::Zstd,
        _ if bytes.get(skipped..).is_some_and(|rest| rest.starts_with(record::START)) => Kind::Plain(skipped),
        _ if skipped == bytes.len() => Kind::Empty,
        _ if FOREIGN.iter().any(|(magic, _)| text.starts_with(magic)) => Kind::Foreign,
        _ => Kind::Unknown,
    }
}

/// What bytes that are no WARC look like, for people.
pub(super) fn describe(bytes: &[u8]) -> String {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Some((_, name)) = FOREIGN.iter().find(|(magic, _)| text.starts_with(magic)) {
        return (*name).to_owned();
    }
    let start = text.get(..16).unwrap_or(text);
    format!("`{}`", start.escape_ascii())
}
