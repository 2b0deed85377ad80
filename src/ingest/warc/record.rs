//! The head of one WARC record, and where a record can start.

use super::fields;
use crate::capture::{Repair, Repairs};
use memchr::{memchr, memchr_iter, memmem};
use std::sync::LazyLock;

/// How every version line starts (ISO 28500: `WARC/` and a number).
pub(super) const START: &[u8] = b"WARC/";

/// What two records have between them.
pub(super) const SEPARATOR: &[u8] = b"\r\n\r\n";

/// Finds the blank line of a head in one go.
static BLANK: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(SEPARATOR));

/// Whether a record is one that this reader cares for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Response,
    Other,
}

/// What `Content-Length` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    Stated(u64),
    Missing,
    Unreadable,
}

/// The head of a record. Only responses have every field read.
#[derive(Debug, Clone)]
pub(super) struct Head<'a> {
    pub(super) kind: Kind,
    pub(super) length: Length,
    pub(super) content_type: Option<&'a [u8]>,
    pub(super) target_uri: Option<&'a [u8]>,
    pub(super) date: Option<&'a [u8]>,
    pub(super) payload_digest: Option<&'a [u8]>,
    pub(super) truncated: Option<&'a [u8]>,
    pub(super) repairs: Repairs,
    /// Bytes of the head, its blank line included.
    pub(super) end: usize,
}

/// Reads the head at the start of `bytes`; `None` while its blank line is not in sight.
///
/// `unfolded` is scratch space for the rare head with folded lines.
pub(super) fn head<'a>(bytes: &'a [u8], unfolded: &'a mut Vec<u8>) -> Option<Head<'a>> {
    let (head, folded) = scan(bytes)?;
    if !folded {
        return Some(head);
    }
    let (end, mut repairs) = (head.end, head.repairs);
    fields::unfold(bytes.get(..end)?, unfolded);
    let (head, _) = scan(unfolded)?;
    repairs.add(Repair::FoldedHeader);
    Some(Head { end, repairs, ..head })
}

fn scan(bytes: &[u8]) -> Option<(Head<'_>, bool)> {
    let mut head = Head {
        kind: Kind::Other,
        length: Length::Missing,
        content_type: None,
        target_uri: None,
        date: None,
        payload_digest: None,
        truncated: None,
        repairs: Repairs::default(),
        end: 0,
    };
    let (mut folded, mut typed, mut at) = (false, false, 0);
    for newline in memchr_iter(b'\n', bytes) {
        let raw = bytes.get(at..newline)?;
        let line = fields::without_cr(raw);
        if line.len() == raw.len() {
            head.repairs.add(Repair::LineFeedHead);
        }
        let version = at == 0;
        at = newline + 1;
        if line.is_empty() {
            head.end = at;
            return Some((head, folded));
        }
        if version {
            continue;
        }
        if is_version(line) {
            return None;
        }
        if matches!(line, [b' ' | b'\t', ..]) {
            folded = true;
            continue;
        }
        // Of other records only the length matters: nothing else is looked at once the type is known.
        if typed && head.kind == Kind::Other && head.length != Length::Missing {
            if head.repairs.is_empty()
                && let Some(blank) = bytes.get(newline - 1..).and_then(|rest| BLANK.find(rest))
            {
                head.end = newline - 1 + blank + SEPARATOR.len();
                return Some((head, folded));
            }
            continue;
        }
        let Some((name, letters)) = name_of(line) else {
            // The standard's own headers are not searched for a colon: nobody would read them anyway.
            if !matches!(line, [b'W' | b'w', ..]) && memchr(b':', line).is_none() {
                head.repairs.add(Repair::HeaderWithoutColon);
            }
            continue;
        };
        let Some((_, value)) = fields::split(line, &[letters]) else {
            head.repairs.add(Repair::HeaderWithoutColon);
            continue;
        };
        match name {
            Name::Type if typed => {}
            Name::Type => {
                typed = true;
                if value.eq_ignore_ascii_case(b"response") {
                    head.kind = Kind::Response;
                }
            }
            Name::Length if head.length == Length::Missing => {
                head.length = fields::length(value).map_or(Length::Unreadable, Length::Stated);
            }
            Name::Length => {}
            Name::ContentType => head.content_type = head.content_type.or(Some(value)),
            Name::Date => head.date = head.date.or(Some(value)),
            Name::TargetUri => head.target_uri = head.target_uri.or(Some(value)),
            Name::PayloadDigest => head.payload_digest = head.payload_digest.or(Some(value)),
            Name::Truncated => head.truncated = head.truncated.or(Some(value)),
        }
    }
    None
}

/// The headers that matter.
#[derive(Clone, Copy)]
enum Name {
    Type,
    Length,
    ContentType,
    Date,
    TargetUri,
    PayloadDigest,
    Truncated,
}

/// Which header a line is, and the bytes of its name. Two letters tell most of them apart.
#[inline]
fn name_of(line: &[u8]) -> Option<(Name, usize)> {
    let letter = |at: usize| line.get(at).map_or(0, |b| b | 0x20);
    match (letter(0), letter(5), letter(8)) {
        (b'w', b't', b'e') => named(line, b"WARC-Type", Name::Type),
        (b'w', b't', b'g') => named(line, b"WARC-Target-URI", Name::TargetUri),
        (b'w', b't', b'n') => named(line, b"WARC-Truncated", Name::Truncated),
        (b'w', b'd', _) => named(line, b"WARC-Date", Name::Date),
        (b'w', b'p', b'l') => named(line, b"WARC-Payload-Digest", Name::PayloadDigest),
        (b'c', _, b'l') => named(line, b"Content-Length", Name::Length),
        (b'c', _, b't') => named(line, b"Content-Type", Name::ContentType),
        _ => None,
    }
}

/// A name in any case, with blanks before its colon or not. Writers hardly ever vary the case: comparing as it is first took
/// a third off the time of reading heads.
#[inline]
fn named<const N: usize>(line: &[u8], text: &[u8; N], name: Name) -> Option<(Name, usize)> {
    let (start, rest) = line.split_first_chunk::<N>()?;
    let matches = start == text || start.eq_ignore_ascii_case(text);
    (matches && matches!(rest.first(), None | Some(b':' | b' ' | b'\t'))).then_some((name, N))
}

/// Where a head ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadEnd {
    /// After its blank line.
    Blank(usize),
    /// Nowhere: the version line of another record comes first.
    Version,
    /// Not in sight; so far nothing before this place needs another look.
    More(usize),
}

/// Where the head at the start of `bytes` ends, looking from `from` on. What comes to a version line first is no head: reading on
/// would give a record the fields of another.
pub(super) fn head_end(bytes: &[u8], from: usize) -> HeadEnd {
    let searched = bytes.get(from..).unwrap_or_default();
    let mut next = bytes.len();
    for newline in memchr_iter(b'\n', searched).map(|at| from + at) {
        let after = bytes.get(newline + 1..).unwrap_or_default();
        if is_version(after) {
            return HeadEnd::Version;
        }
        let returns = after.iter().take(16).take_while(|b| **b == b'\r').count();
        match after.get(returns) {
            Some(b'\n') => return HeadEnd::Blank(newline + returns + 2),
            // It may be the start of a version line that is cut by the end of what is in sight.
            _ if after.len() < START.len() + 1 => next = next.min(newline),
            Some(_) => {}
            None => next = next.min(newline),
        }
    }
    HeadEnd::More(next)
}

/// Whether a version line begins here.
fn is_version(bytes: &[u8]) -> bool {
    bytes.strip_prefix(START).is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_digit))
}

/// Line ends at the start of `bytes`, in bytes.
pub(super) fn line_ends(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count()
}

/// Where the next version line stands at the start of a line, from `from` on.
pub(super) fn next_start(bytes: &[u8], from: usize) -> Option<usize> {
    let searched = bytes.get(from..)?;
    memmem::find_iter(searched, START).map(|at| from + at).find(|&at| {
        let before = at.checked_sub(1).and_then(|b| bytes.get(b));
        let version = bytes.get(at + START.len()..).unwrap_or_default();
        matches!(before, None | Some(b'\n')) && matches!(version, [b'0'..=b'9', b'.', b'0'..=b'9', b'\r' | b'\n', ..])
    })
}

/// The block without the separator at its end, and whether there was one.
pub(super) fn without_separator(block: &[u8]) -> (&[u8], bool) {
    match block.strip_suffix(SEPARATOR).or_else(|| block.strip_suffix(b"\n\n")) {
        Some(block) => (block, true),
        None => (block, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_head() {
        let text = b"WARC/1.0\r\nwarc-type: Response\r\nWARC-Target-URI : http://a.example/\r\nContent-Length: 3\r\n\
            Content-Length: 4\r\nWARC-Date: 2020\r\nodd line\r\nWARC-Payload-Digest: sha1:A\r\n\r\nabc";
        let mut scratch = Vec::new();
        let head = head(text, &mut scratch).unwrap();
        assert_eq!(head.kind, Kind::Response);
        assert_eq!(head.length, Length::Stated(3));
        assert_eq!(head.target_uri, Some(&b"http://a.example/"[..]));
        assert_eq!(head.payload_digest, Some(&b"sha1:A"[..]));
        assert_eq!(&text[head.end..], b"abc");
        assert_eq!(head.repairs.iter().collect::<Vec<_>>(), [Repair::HeaderWithoutColon]);
    }

    #[test]
    fn folded_and_bare_line_feeds() {
        let mut scratch = Vec::new();
        let head = head(b"WARC/0.17\nWARC-Type:\n response\nContent-Length:\n\t12\n\nx", &mut scratch).unwrap();
        assert_eq!((head.kind, head.length, head.end), (Kind::Response, Length::Stated(12), 52));
        assert!(head.repairs.contains(Repair::FoldedHeader) && head.repairs.contains(Repair::LineFeedHead));
    }

    #[test]
    fn unfinished_heads_are_no_heads() {
        let mut scratch = Vec::new();
        assert!(head(b"WARC/1.0\r\nWARC-Type: response\r\n", &mut scratch).is_none());
        assert!(head(b"", &mut scratch).is_none());
    }

    #[test]
    fn version_lines_are_found_at_line_starts_only() {
        let text = b"WARC/1.0\r\nx WARC/1.0\r\n\r\nWARC/x.y\r\nWARC/1.1\n";
        assert_eq!(next_start(text, 0), Some(0));
        assert_eq!(next_start(text, 1), Some(34));
        assert_eq!(next_start(text, 35), None);
        assert_eq!(next_start(b"", 5), None);
    }
}
