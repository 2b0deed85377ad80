//! One scan of the bytes: what every line is, before any dialect has an opinion.
//!
//! Supported: lines that end in LF, CR or CR LF, mixed in one file (spec 3.1; RFC 9309, 2.2: EOL); `#` comments anywhere
//! (3.4); field names of any case (3.5); blanks, which are space and tab (3.8), around field and value.
//! Not supported here, but kept for the dialects that read them: misspelt fields, missing colons, NUL bytes, lines over
//! Google's line buffer. Such a line is marked [`Line::odd`] and read again, alone, by `google_line`.
//!
//! ```text
//! line  = blanks [ field blanks ":" blanks value ] blanks [ "#" comment ]
//! field = any bytes but ":" and "#"
//! ```
//!
//! Lines are numbered from 1. The text after the last line end is a line too, so a file that ends in a line end has an
//! empty last one, as Google's parser counts.

use memchr::{memchr, memchr2};

/// What the exact reading of a line makes of its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// `user-agent`.
    UserAgent,
    /// `allow`.
    Allow,
    /// `disallow`.
    Disallow,
    /// `sitemap`.
    Sitemap,
    /// Any other field.
    Other,
    /// There is text, but no colon.
    None,
}

/// One line that holds more than blanks and a comment. Positions are byte offsets in the body.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// From 1.
    pub number: u32,
    /// First byte of the line.
    pub start: u32,
    /// Byte after its last one, without the line end.
    pub end: u32,
    /// First byte of the value, blanks trimmed.
    pub value_start: u32,
    /// Byte after the value's last one; the line's start where there is no colon.
    pub value_end: u32,
    /// The field, read exactly.
    pub field: Field,
    /// Kinds of bytes in the value: see [`class`].
    pub classes: u8,
    /// Google's parser may read this line otherwise than the exact reading.
    pub odd: bool,
    /// Blank lines between this line and the one before it in the list.
    pub gap: Gap,
}

/// Whether blank lines stand before a line; lines of a comment alone are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// None.
    No,
    /// Lines of spaces and tabs alone.
    Blanks,
    /// At least one line with nothing in it at all.
    Empty,
}

/// Kinds of bytes whose presence in a value decides what has to be done to it.
pub mod class {
    /// `*`.
    pub const STAR: u8 = 1;
    /// `$`.
    pub const DOLLAR: u8 = 2;
    /// `%`.
    pub const PERCENT: u8 = 4;
    /// A byte below 0x21, or 0x7F: outside the printable ASCII characters.
    pub const OUTSIDE: u8 = 8;
    /// A byte from 0x80 on.
    pub const HIGH: u8 = 16;
    /// Printable ASCII that is neither unreserved (RFC 3986, 2.3) nor `/`.
    pub const RESERVED: u8 = 32;

    pub(crate) const OF: [u8; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            table[byte] = match byte as u8 {
                b'*' => STAR | RESERVED,
                b'$' => DOLLAR | RESERVED,
                b'%' => PERCENT | RESERVED,
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => 0,
                0x21..=0x7e => RESERVED,
                0x80.. => HIGH,
                _ => OUTSIDE,
            };
            byte += 1;
        }
        table
    };
}

/// Bytes of a line that Google's parser keeps: its buffer of 2083 * 8 bytes less the final NUL.
pub(crate) const GOOGLE_LINE_BYTES: usize = 2083 * 8 - 1;

/// Lines of no use to any dialect are counted, not kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// All lines, the one after the last line end included.
    pub lines: u32,
    /// Lines of a comment alone.
    pub comments: u32,
    /// Empty lines and lines of blanks alone.
    pub blank: u32,
}

/// Scans a body. `skip` bytes at its start (a byte order mark) belong to no line.
pub(crate) fn scan(body: &[u8], skip: usize, partial_bom: bool, lines: &mut Vec<Line>) -> LineCounts {
    let ends = |rest: &[u8]| memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    scan_with(body, skip, partial_bom, lines, ends)
}

/// The lines of a body as CPython's `str.splitlines` ends them. Each has the number of the line, ended by CR and LF, that it stands in.
pub(crate) fn python_lines(body: &[u8], skip: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    scan_with(body, skip, false, &mut lines, |rest| {
        (0..rest.len())
            .find(|at| matches!(rest[*at], b'\n' | b'\r') || python_end(&rest[*at..]) > 0)
            .unwrap_or(rest.len())
    });
    lines
}

/// Bytes of a line end that is one for CPython alone, at the start of a text; 0: there is none.
fn python_end(text: &[u8]) -> usize {
    match text {
        [0x0b | 0x0c | 0x1c..=0x1e, ..] => 1,
        [0xc2, 0x85, ..] => 2,
        [0xe2, 0x80, 0xa8 | 0xa9, ..] => 3,
        _ => 0,
    }
}

/// Whether a body holds line ends that are ones for CPython alone.
pub(crate) fn has_python_ends(body: &[u8]) -> bool {
    // Without a way out within a piece, so that the compiler can widen the loop.
    let is_odd = |byte: &u8| matches!(byte, 0x0b | 0x0c | 0x1c..=0x1e | 0xc2 | 0xe2);
    let may_end = |piece: &[u8]| piece.iter().fold(false, |odd, byte| odd | is_odd(byte));
    body.chunks(64).enumerate().any(|(number, piece)| {
        may_end(piece) && (number * 64..number * 64 + piece.len()).any(|at| python_end(&body[at..]) > 0)
    })
}

/// Whether a body holds bytes that CPython may take for blanks or line ends and nobody else does, or any that are not ASCII.
pub(crate) fn holds_python_bytes(body: &[u8]) -> bool {
    // Without a way out within a piece, so that the compiler can widen the loop.
    let is_odd = |byte: &u8| matches!(byte, 0x0b | 0x0c | 0x1c..=0x1f | 0x80..);
    body.chunks(256).any(|piece| piece.iter().fold(false, |odd, byte| odd | is_odd(byte)))
}

#[inline(always)]
fn scan_with(
    body: &[u8],
    skip: usize,
    partial_bom: bool,
    lines: &mut Vec<Line>,
    end_of: impl Fn(&[u8]) -> usize,
) -> LineCounts {
    let mut counts = LineCounts { lines: 1, ..LineCounts::default() };
    // One look at the whole body saves a look for NUL in every line.
    let nul = memchr(0, body).is_some();
    let mut start = skip;
    let mut gap = Gap::No;
    loop {
        let rest = &body[start..];
        let length = end_of(rest);
        match read(&rest[..length], counts.lines, start) {
            Read::Blank => {
                counts.blank += 1;
                gap = gap.max(if length == 0 { Gap::Empty } else { Gap::Blanks });
            }
            Read::Comment => counts.comments += 1,
            Read::Text(mut line) => {
                line.odd |= length > GOOGLE_LINE_BYTES
                    || (nul && memchr(0, &rest[..length]).is_some())
                    || (partial_bom && counts.lines == 1);
                line.gap = gap;
                gap = Gap::No;
                lines.push(line);
            }
        }
        let ending = match &rest[length..] {
            [] => return counts,
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            other => {
                start += length + python_end(other);
                continue;
            }
        };
        counts.lines += 1;
        start += length + ending;
    }
}

enum Read {
    Blank,
    Comment,
    Text(Line),
}

const fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn read(raw: &[u8], number: u32, offset: usize) -> Read {
    let mut at = 0;
    while at < raw.len() && is_blank(raw[at]) {
        at += 1;
    }
    let text = &raw[at..];
    let (field, colon) = match text {
        [] => return Read::Blank,
        [b'#', ..] => return Read::Comment,
        _ => known_field(text),
    };
    let mut line = Line {
        number,
        start: offset as u32,
        end: (offset + raw.len()) as u32,
        value_start: offset as u32,
        value_end: offset as u32,
        field,
        classes: 0,
        odd: matches!(field, Field::Other | Field::None),
        gap: Gap::No,
    };
    if field == Field::None {
        return Read::Text(line);
    }
    let rest = &text[colon + 1..];
    let rest = &rest[..memchr(b'#', rest).unwrap_or(rest.len())];
    let mut value = (0, rest.len());
    while value.0 < value.1 && is_blank(rest[value.0]) {
        value.0 += 1;
    }
    while value.0 < value.1 && is_blank(rest[value.1 - 1]) {
        value.1 -= 1;
    }
    let base = offset + at + colon + 1;
    line.value_start = (base + value.0) as u32;
    line.value_end = (base + value.1) as u32;
    let value = &rest[value.0..value.1];
    line.classes = value.iter().fold(0, |all, byte| all | class::OF[*byte as usize]);
    // Google's parser trims VT and FF as well.
    line.odd |= matches!(value, [0x0b | 0x0c, ..] | [.., 0x0b | 0x0c]);
    Read::Text(line)
}

/// The fields of the protocol, the most frequent first.
const KNOWN: [(Field, &[u8]); 4] = [
    (Field::Disallow, b"disallow"),
    (Field::Allow, b"allow"),
    (Field::UserAgent, b"user-agent"),
    (Field::Sitemap, b"sitemap"),
];

/// The field of a text that starts with neither blank nor `#`, and where its colon is.
fn known_field(text: &[u8]) -> (Field, usize) {
    for (field, name) in KNOWN {
        if starts_with_ignore_case(text, name) {
            let mut at = name.len();
            while at < text.len() && is_blank(text[at]) {
                at += 1;
            }
            if text.get(at) == Some(&b':') {
                return (field, at);
            }
            break;
        }
    }
    match memchr2(b':', b'#', text) {
        Some(at) if text[at] == b':' => (Field::Other, at),
        _ => (Field::None, 0),
    }
}

/// Whether the text begins with this name of lower-case letters and hyphens, whatever its case.
pub(crate) fn starts_with_ignore_case(text: &[u8], name: &[u8]) -> bool {
    text.len() >= name.len() && text[..name.len()].eq_ignore_ascii_case(name)
}

/// A line as Google's parser takes it: field and value, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GoogleLine<'a> {
    /// Which field its prefix test and list of misspellings make of the key.
    pub(crate) field: Field,
    /// The value, not yet escaped.
    pub(crate) value: &'a [u8],
}

/// Fields by Google's parser: a key that begins with one of these is that field, in this order.
/// The first of each row is the right name, the others are the misspellings it accepts.
const GOOGLE_FIELDS: [(Field, &[&[u8]]); 4] = [
    (Field::UserAgent, &[b"user-agent", b"useragent", b"user agent"]),
    (Field::Allow, &[b"allow"]),
    (Field::Disallow, &[b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"]),
    (Field::Sitemap, &[b"sitemap", b"site-map"]),
];

/// Reads one line as Google's parser does (`reference/parsers.md`, section 1): cut at its buffer, then at a NUL, then at `#`;
/// ASCII whitespace trimmed; the first colon separates, and without one the first blank if two words remain.
pub(crate) fn google_line(raw: &[u8]) -> Option<GoogleLine<'_>> {
    let raw = &raw[..raw.len().min(GOOGLE_LINE_BYTES)];
    let raw = &raw[..memchr2(0, b'#', raw).unwrap_or(raw.len())];
    let text = trim_ascii_space(raw);
    let (key, value) = match memchr(b':', text) {
        Some(colon) => (&text[..colon], &text[colon + 1..]),
        None => {
            let blank = memchr2(b' ', b'\t', text)?;
            let value_at = blank + text[blank..].iter().position(|byte| !is_blank(*byte))?;
            if memchr2(b' ', b'\t', &text[value_at..]).is_some() {
                return None;
            }
            (&text[..blank], &text[value_at..])
        }
    };
    let key = trim_ascii_space(key);
    if key.is_empty() {
        return None;
    }
    let field = google_field(key);
    Some(GoogleLine { field, value: trim_ascii_space(value) })
}

/// Whether a line of another field, or of none, is that for Google's parser too: told by its first letter.
pub(crate) fn is_protocol_for_nobody(text: &[u8], field: Field) -> bool {
    let first = text.iter().find(|byte| !is_blank(**byte)).map_or(0, u8::to_ascii_lowercase);
    // Where blanks of its own or a cut byte order mark come first, the letter is not seen.
    matches!(field, Field::Other | Field::None)
        && !matches!(first, 0x0b | 0x0c | 0xef)
        && !GOOGLE_FIELDS.iter().any(|(_, names)| names[0][0] == first)
}

/// What Google's parser takes a key for.
pub(crate) fn google_field(key: &[u8]) -> Field {
    GOOGLE_FIELDS
        .iter()
        .find(|(_, names)| names.iter().any(|name| starts_with_ignore_case(key, name)))
        .map_or(Field::Other, |(field, _)| *field)
}

/// Reads one line as CPython's parser does: cut at `#`, then at the first colon, and Unicode blanks trimmed.
pub(crate) fn python_line(raw: &[u8]) -> Option<(Field, &[u8])> {
    let text = trim_python_space(&raw[..memchr(b'#', raw).unwrap_or(raw.len())]);
    let colon = memchr(b':', text)?;
    let name = trim_python_space(&text[..colon]);
    let known = KNOWN.iter().find(|(_, known)| name.eq_ignore_ascii_case(known));
    Some((known.map_or(Field::Other, |(field, _)| *field), trim_python_space(&text[colon + 1..])))
}

/// The field name of a line that has a colon, as CPython's parser takes it.
pub(crate) fn python_name(raw: &[u8]) -> &[u8] {
    let text = &raw[..memchr2(b'#', b':', raw).unwrap_or(raw.len())];
    trim_python_space(text)
}

/// Without what `str.strip` of CPython takes for blanks, at both ends.
fn trim_python_space(mut text: &[u8]) -> &[u8] {
    let is_space = |c: char| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}');
    // Nearly always there is nothing to trim.
    if matches!(text, [b'!'..=b'~', .., b'!'..=b'~'] | [b'!'..=b'~']) {
        return text;
    }
    // The first and the last character; bytes that are no UTF-8 are no blanks.
    let first =
        |text: &[u8]| (1..=text.len().min(3)).find_map(|n| std::str::from_utf8(&text[..n]).ok()?.chars().next());
    let last = |text: &[u8]| {
        (1..=text.len().min(3)).find_map(|n| std::str::from_utf8(&text[text.len() - n..]).ok()?.chars().next())
    };
    while let Some(blank) = first(text).filter(|c| is_space(*c)) {
        text = &text[blank.len_utf8()..];
    }
    while let Some(blank) = last(text).filter(|c| is_space(*c)) {
        text = &text[..text.len() - blank.len_utf8()];
    }
    text
}

/// Without ASCII whitespace at both ends: the C locale's, VT included, which Rust's own trim leaves.
pub(crate) fn trim_ascii_space(mut text: &[u8]) -> &[u8] {
    while let [b' ' | 0x09..=0x0d, rest @ ..] = text {
        text = rest;
    }
    while let [rest @ .., b' ' | 0x09..=0x0d] = text {
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(body: &[u8]) -> Vec<(u32, Field, Vec<u8>)> {
        let mut lines = Vec::new();
        scan(body, 0, false, &mut lines);
        lines
            .iter()
            .map(|line| (line.number, line.field, body[line.value_start as usize..line.value_end as usize].to_vec()))
            .collect()
    }

    #[test]
    fn all_three_line_ends_count_lines_alike() {
        let expected = vec![(1, Field::UserAgent, b"*".to_vec()), (3, Field::Disallow, b"/x".to_vec())];
        assert_eq!(fields(b"user-agent: *\n\ndisallow: /x\n"), expected);
        assert_eq!(fields(b"user-agent: *\r\rdisallow: /x"), expected);
        assert_eq!(fields(b"user-agent: *\r\n\r\ndisallow: /x\r\n"), expected);
        // CR CR LF ends two lines.
        assert_eq!(fields(b"user-agent: *\r\r\ndisallow: /x"), expected);
    }

    #[test]
    fn the_text_after_the_last_line_end_is_a_line() {
        let mut lines = Vec::new();
        assert_eq!(scan(b"", 0, false, &mut lines), LineCounts { lines: 1, comments: 0, blank: 1 });
        assert_eq!(scan(b"#\n \n", 0, false, &mut lines), LineCounts { lines: 3, comments: 1, blank: 2 });
        assert!(lines.is_empty());
    }

    #[test]
    fn comments_and_blanks_are_cut() {
        assert_eq!(
            fields(b"  Disallow\t:\t/x y \t# why\nallow#: /x\nfoo : b:c\n"),
            vec![
                (1, Field::Disallow, b"/x y".to_vec()),
                (2, Field::None, b"".to_vec()),
                (3, Field::Other, b"b:c".to_vec()),
            ]
        );
    }

    #[test]
    fn google_reads_odd_lines() {
        let read = |text: &'static [u8]| google_line(text).map(|line| (line.field, line.value));
        assert_eq!(read(b"Disallowed: /x"), Some((Field::Disallow, &b"/x"[..])));
        assert_eq!(read(b"disallow /x"), Some((Field::Disallow, &b"/x"[..])));
        assert_eq!(read(b"disallow /x y"), None);
        assert_eq!(read(b"Disallow /k:/q"), Some((Field::Disallow, &b"/q"[..])));
        assert_eq!(read(b"user agent: a"), Some((Field::UserAgent, &b"a"[..])));
        assert_eq!(read(b": /x"), None);
        assert_eq!(read(b"allow: /x\0yz"), Some((Field::Allow, &b"/x"[..])));
        assert_eq!(read(b"\0allow: /x"), None);
        assert_eq!(read(b"\x0ballow: /x\x0c"), Some((Field::Allow, &b"/x"[..])));
        assert_eq!(read(b"Disalllow: /x"), Some((Field::Other, &b"/x"[..])));
    }
}
