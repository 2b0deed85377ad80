//! The head of an archived HTTP response: status and the few headers that captures carry.

use super::fields;
use super::record::line_ends;
use crate::capture::{Repair, Repairs};
use memchr::memchr_iter;
use std::borrow::Cow;
use std::mem::MaybeUninit;

/// Fields of one name that are kept in order; more of them than this are not looked at.
const LIST: usize = 4;

/// Interim responses (RFC 9110, 15.2) that may stand before the final one.
const INTERIM: usize = 4;

/// What the head of a response says.
#[derive(Debug, Clone, Default)]
pub(super) struct Head<'a> {
    pub(super) status: Option<i16>,
    pub(super) location: Option<&'a [u8]>,
    pub(super) content_type: Option<&'a [u8]>,
    pub(super) cache_control: Option<Cow<'a, [u8]>>,
    pub(super) content_length: Option<u64>,
    pub(super) transfer_encoding: [&'a [u8]; LIST],
    pub(super) content_encoding: [&'a [u8]; LIST],
    pub(super) repairs: Repairs,
    /// Bytes of the head, its blank line included; 0 when there is none and all is body.
    pub(super) end: usize,
}

/// Reads the head at the start of a block; headers past `cap` bytes of it are not looked at.
///
/// `unfolded` is scratch space for the rare head with folded lines.
pub(super) fn head<'a>(block: &'a [u8], cap: usize, unfolded: &'a mut Vec<u8>) -> Head<'a> {
    let mut start = line_ends(block).min(8);
    let mut repairs = Repairs::default();
    if start > 0 {
        repairs.add(Repair::StatusLine);
    }
    for _ in 0..INTERIM {
        let rest = block.get(start..).unwrap_or_default();
        let Some(kind) = first_line(rest) else { break };
        let (mut head, folded) = match usual(rest, kind, cap) {
            Some(head) => (head, false),
            None => scan(rest, kind, cap),
        };
        // The answer comes after `100 Continue` and `103 Early Hints`.
        if matches!(head.status, Some(100 | 102..=199)) && rest.get(head.end..).is_some_and(starts_with_http) {
            start += head.end;
            continue;
        }
        if folded {
            let end = head.end;
            fields::unfold(rest.get(..end).unwrap_or_default(), unfolded);
            head = scan(unfolded, kind, cap).0;
            head.end = end;
            head.repairs.add(Repair::FoldedHeader);
        }
        for repair in repairs.iter() {
            head.repairs.add(repair);
        }
        head.end += start;
        return head;
    }
    let mut head = Head::default();
    head.repairs.add(Repair::HttpHeadMissing);
    head
}

/// Whether a block starts with a status line.
pub(super) fn starts_with_http(block: &[u8]) -> bool {
    block.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/"))
}

/// How a head starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstLine {
    Status,
    Header,
}

fn first_line(rest: &[u8]) -> Option<FirstLine> {
    if starts_with_http(rest) || rest.starts_with(b"ICY ") {
        return Some(FirstLine::Status);
    }
    // Without a status line only headers that a robots.txt cannot start with count as a head.
    const TELLING: [&[u8]; 9] = [
        b"Date",
        b"Server",
        b"Content-Type",
        b"Content-Length",
        b"Cache-Control",
        b"Connection",
        b"Last-Modified",
        b"Location",
        b"Transfer-Encoding",
    ];
    let line = rest.get(..rest.len().min(64)).unwrap_or_default();
    let (name, _) = fields::split(line, &[])?;
    TELLING.iter().any(|telling| name.eq_ignore_ascii_case(telling)).then_some(FirstLine::Header)
}

/// Headers that the usual way takes; a head with more goes the other.
const USUAL: usize = 64;

/// Heads as the standard has them. httparse and going line by line cost about the same (0.3 to 0.5 us for 14 headers, on a busy machine), and
/// httparse vouches for the form: whatever it refuses is read line by line and told.
fn usual(rest: &[u8], first: FirstLine, cap: usize) -> Option<Head<'_>> {
    if first != FirstLine::Status {
        return None;
    }
    let mut headers = [const { MaybeUninit::uninit() }; USUAL];
    let mut response = httparse::Response::new(&mut []);
    let seen = rest.get(..cap).unwrap_or(rest);
    let config = httparse::ParserConfig::default();
    let parsed = config.parse_response_with_uninit_headers(&mut response, seen, &mut headers);
    let Ok(httparse::Status::Complete(end)) = parsed else { return None };
    if !seen.get(..end)?.ends_with(b"\r\n\r\n") {
        return None;
    }
    let mut head = Head { status: response.code.and_then(|code| i16::try_from(code).ok()), end, ..Head::default() };
    if seen.get(12) != Some(&b' ') {
        head.repairs.add(Repair::StatusLine);
    }
    for header in response.headers.iter() {
        field(header.name.as_bytes(), fields::trim(header.value), &mut head);
    }
    Some(head)
}

/// Line by line: reads heads of any form.
fn scan(rest: &[u8], first: FirstLine, cap: usize) -> (Head<'_>, bool) {
    let mut head = Head::default();
    let (mut folded, mut at) = (false, 0);
    if first == FirstLine::Header {
        head.repairs.add(Repair::StatusLine);
    }
    for newline in memchr_iter(b'\n', rest).chain(std::iter::once(rest.len())) {
        let Some(raw) = rest.get(at..newline) else { break };
        let line = fields::without_cr(raw);
        if line.len() == raw.len() && newline < rest.len() {
            head.repairs.add(Repair::LineFeedHead);
        }
        let is_first = at == 0;
        at = newline + 1;
        if line.is_empty() {
            break;
        }
        if is_first && first == FirstLine::Status {
            status_line(line, &mut head);
            continue;
        }
        if matches!(line, [b' ' | b'\t', ..]) {
            folded = true;
            continue;
        }
        if newline <= cap {
            match fields::split(line, &[8, 12, 13, 14, 16, 17]) {
                Some((name, value)) => field(name, value, &mut head),
                None => head.repairs.add(Repair::HeaderWithoutColon),
            }
        }
    }
    head.end = at.min(rest.len());
    (head, folded)
}

fn field<'a>(name: &[u8], value: &'a [u8], head: &mut Head<'a>) {
    let is = |wanted: &[u8]| name == wanted || name.eq_ignore_ascii_case(wanted);
    match name.len() {
        8 if is(b"Location") => head.location = head.location.or(Some(value)),
        12 if is(b"Content-Type") => head.content_type = head.content_type.or(Some(value)),
        13 if is(b"Cache-Control") => match &mut head.cache_control {
            None => head.cache_control = Some(Cow::Borrowed(value)),
            Some(first) => {
                let joined = first.to_mut();
                joined.extend_from_slice(b", ");
                joined.extend_from_slice(value);
            }
        },
        14 if is(b"Content-Length") => head.content_length = head.content_length.or_else(|| fields::length(value)),
        16 if is(b"Content-Encoding") => push(&mut head.content_encoding, value),
        17 if is(b"Transfer-Encoding") => push(&mut head.transfer_encoding, value),
        _ => {}
    }
}

fn push<'a>(list: &mut [&'a [u8]; LIST], value: &'a [u8]) {
    if let Some(free) = list.iter_mut().find(|slot| slot.is_empty()) {
        *free = value;
    }
}

/// `HTTP/1.1 200 OK` (RFC 9112, 4); anything else that has a number after its first blanks is read and told.
fn status_line(line: &[u8], head: &mut Head<'_>) {
    if let [b'H', b'T', b'T', b'P', b'/', major, b'.', minor, b' ', a, b, c, rest @ ..] = line
        && [major, minor, a, b, c].iter().all(|digit| digit.is_ascii_digit())
        && matches!(rest, [b' ', ..])
    {
        let digit = |d: &u8| i16::from(d - b'0');
        head.status = Some(digit(a) * 100 + digit(b) * 10 + digit(c));
        return;
    }
    head.repairs.add(Repair::StatusLine);
    let after = line.iter().position(|b| matches!(b, b' ' | b'\t')).and_then(|at| line.get(at..)).unwrap_or_default();
    let after = after.trim_ascii_start();
    let digits = after.iter().take_while(|b| b.is_ascii_digit()).count();
    head.status = after.get(..digits).and_then(fields::length).and_then(|status| i16::try_from(status).ok());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(block: &[u8]) -> (Option<i16>, usize, Vec<&'static str>) {
        let mut scratch = Vec::new();
        let head = head(block, 1 << 20, &mut scratch);
        (head.status, head.end, head.repairs.iter().map(Repair::code).collect())
    }

    #[test]
    fn status_lines() {
        for (line, status, repairs) in [
            ("HTTP/1.1 200 OK", Some(200), &[][..]),
            ("HTTP/1.0 404 ", Some(404), &[]),
            ("HTTP/1.1 200", Some(200), &["status-line"]),
            ("HTTP/1.1 000 none", Some(0), &[]),
            ("HTTP/1.1 0", Some(0), &["status-line"]),
            ("HTTP/2 200", Some(200), &["status-line"]),
            ("HTTP/1.1  301 Moved", Some(301), &["status-line"]),
            ("http/1.1 200 ok", Some(200), &["status-line"]),
            ("ICY 200 OK", Some(200), &["status-line"]),
            ("HTTP/1.1 20x OK", Some(20), &["status-line"]),
            ("HTTP/1.1 OK", None, &["status-line"]),
            ("HTTP/1.1", None, &["status-line"]),
            ("HTTP/1.1 99999999999999999999 OK", None, &["status-line"]),
            ("HTTP/1.1 -1 OK", None, &["status-line"]),
        ] {
            let block = format!("{line}\r\nServer: x\r\n\r\nbody");
            assert_eq!(read(block.as_bytes()), (status, block.len() - 4, repairs.to_vec()), "{line}");
        }
    }

    #[test]
    fn heads_that_are_none_or_half() {
        assert_eq!(read(b"User-agent: *\r\nDisallow:\r\n\r\n"), (None, 0, vec!["http-head-missing"]));
        assert_eq!(read(b""), (None, 0, vec!["http-head-missing"]));
        assert_eq!(read(b"Content-Type: text/plain\r\n\r\nx"), (None, 28, vec!["status-line"]));
        assert_eq!(read(b"\r\nHTTP/1.1 200 OK\r\n\r\nx"), (Some(200), 21, vec!["status-line"]));
        assert_eq!(read(b"HTTP/1.1 301 Moved\r\nLocation: /x"), (Some(301), 32, vec![]));
        assert_eq!(read(b"HTTP/1.1 200 OK\n\nx"), (Some(200), 17, vec!["lf-head"]));
        assert_eq!(read(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx"), (Some(200), 44, vec![]));
    }

    #[test]
    fn headers_repeat_fold_and_vary_in_case() {
        let block = b"HTTP/1.1 200 OK\r\nlocation: /a\r\nLOCATION: /b\r\ncache-control: no-store\r\nno colon\r\n\
            Cache-Control: max-age=3\r\nContent-Type:\r\n  text/plain\r\ncontent-encoding: gzip\r\n\
            Content-Encoding: br\r\nContent-Length : 5\r\n\r\nx";
        let mut scratch = Vec::new();
        let head = head(block, 1 << 20, &mut scratch);
        assert_eq!(head.location, Some(&b"/a"[..]));
        assert_eq!(head.cache_control.as_deref(), Some(&b"no-store, max-age=3"[..]));
        assert_eq!(head.content_type, Some(&b"text/plain"[..]));
        assert_eq!(head.content_encoding[..2], [&b"gzip"[..], b"br"]);
        assert_eq!(head.content_length, Some(5));
        assert_eq!(&block[head.end..], b"x");
        assert_eq!(head.repairs.iter().collect::<Vec<_>>(), [Repair::FoldedHeader, Repair::HeaderWithoutColon]);
    }

    #[test]
    fn ten_thousand_headers() {
        let mut block = b"HTTP/1.1 200 OK\r\n".to_vec();
        for number in 0..10_000 {
            block.extend_from_slice(format!("X-{number}: y\r\n").as_bytes());
        }
        block.extend_from_slice(b"Location: /end\r\n\r\nbody");
        let mut scratch = Vec::new();
        let read = head(&block, 1 << 20, &mut scratch);
        assert_eq!((read.location, &block[read.end..]), (Some(&b"/end"[..]), &b"body"[..]));
        let mut scratch = Vec::new();
        let read = head(&block, 100, &mut scratch);
        assert_eq!((read.location, &block[read.end..]), (None, &b"body"[..]));
    }
}
