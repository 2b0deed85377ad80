//! From a response record to a [`Capture`].

use super::decode::Decoder;
use super::{date, fields, http, record};
use crate::capture::{Capture, Place, Problem, ProblemCode, Repair, Repairs};
use crate::ingest::{Limits, Sink};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// 2018-10-01: the writer that put a second blank line after the HTTP head was mended the month before.
const EXTRA_LINE_MENDED: i64 = 1_538_352_000_000_000;

/// Makes captures; owns what decoding needs.
pub(super) struct Responses {
    limits: Limits,
    decoder: Decoder,
    unfolded: Vec<u8>,
}

/// The block of a response record.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    /// Its bytes, as many as were kept.
    pub(super) bytes: &'a [u8],
    /// How many it has.
    pub(super) total: u64,
    /// Where the record lies.
    pub(super) place: Place,
    /// Where a problem with it would be.
    pub(super) offset: u64,
    /// What was mended to find its end.
    pub(super) repairs: Repairs,
}

impl Responses {
    pub(super) fn new(limits: Limits) -> Responses {
        Responses { limits, decoder: Decoder::new(), unfolded: Vec::new() }
    }

    /// Hands a response over if it is one of HTTP: by its content type, by its URI when it holds no other type's block.
    /// Returns whether it was one; `Break` when the sink ends the reading.
    pub(super) fn hand_over(
        &mut self,
        head: &record::Head<'_>,
        block: Block<'_>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<(), bool> {
        let declared = head.content_type.is_some_and(is_http_type);
        let uri = head.target_uri.map(without_brackets);
        if !declared && !uri.is_some_and(|(uri, _)| is_http_uri(uri)) {
            return ControlFlow::Continue(false);
        }
        let mut repairs = head.repairs;
        merge(&mut repairs, block.repairs);
        let Some((uri, bracketed)) = uri.filter(|(uri, _)| !uri.is_empty()) else {
            sink.problem(Problem {
                code: ProblemCode::UrlMissing,
                offset: Some(block.offset),
                detail: "a response record without WARC-Target-URI".to_owned(),
                action: "the record was passed over",
            });
            return ControlFlow::Continue(false);
        };
        if bracketed {
            repairs.add(Repair::BracketedUri);
        }
        if memchr::memchr2(b' ', b'\t', uri).is_some() {
            repairs.add(Repair::SpaceInUri);
        }
        let url = text(uri);
        if matches!(url, Cow::Owned(_)) {
            repairs.add(Repair::UrlNotUtf8);
        }
        let date = date::parse(head.date.unwrap_or_default());
        if !date.standard {
            repairs.add(Repair::DateOdd);
        }
        let http = http::head(block.bytes, self.limits.head_cap, &mut self.unfolded);
        merge(&mut repairs, http.repairs);
        let mut wire = block.bytes.get(http.end..).unwrap_or_default();
        let mut wire_total = block.total.saturating_sub(http.end as u64);
        if has_extra_line(wire, wire_total, &http, date.micros) {
            wire = wire.get(2..).unwrap_or_default();
            wire_total = wire_total.saturating_sub(2);
            repairs.add(Repair::ExtraBlankLine);
        }
        let body = self.decoder.decode(wire, wire_total, &http, self.limits.body_cap);
        merge(&mut repairs, body.repairs);
        let capture = Capture {
            place: block.place,
            url,
            fetch_time: date.micros,
            status: http.status,
            location: http.location,
            content_type: http.content_type,
            cache_control: http.cache_control,
            digest: head.payload_digest.map(|digest| text(without_sha1(digest))),
            truncated: head.truncated.map(text),
            body: body.bytes,
            body_total_bytes: body.total,
            repaired: repairs,
        };
        match sink.capture(&capture) {
            ControlFlow::Continue(()) => ControlFlow::Continue(true),
            ControlFlow::Break(()) => ControlFlow::Break(()),
        }
    }
}

/// Whether the body starts with the line end that old crawls wrote after the head's blank line.
///
/// The server's own Content-Length decides: it is two less than the bytes that are there. Where there is none, a byte
/// order mark right after the line end decides, in captures of the years concerned: nothing comes before one in a file
/// as a server sends it. Everything else is left alone, since a robots.txt may well start with an empty line.
fn has_extra_line(wire: &[u8], total: u64, http: &http::Head<'_>, time: Option<i64>) -> bool {
    let Some(rest) = wire.strip_prefix(b"\r\n") else { return false };
    match http.content_length {
        Some(length) => length.checked_add(2) == Some(total),
        None => rest.starts_with(b"\xef\xbb\xbf") && time.is_some_and(|time| time < EXTRA_LINE_MENDED),
    }
}

/// Bytes as text; checking first is faster than replacing where nothing has to be replaced.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

fn merge(all: &mut Repairs, more: Repairs) {
    if !more.is_empty() {
        more.iter().for_each(|repair| all.add(repair));
    }
}

fn is_http_type(content_type: &[u8]) -> bool {
    const TYPE: &[u8] = b"application/http";
    let (Some(start), rest) = (content_type.get(..TYPE.len()), content_type.get(TYPE.len())) else { return false };
    start.eq_ignore_ascii_case(TYPE) && matches!(rest, None | Some(b';' | b' ' | b'\t'))
}

fn is_http_uri(uri: &[u8]) -> bool {
    let starts = |scheme: &[u8]| uri.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    starts(b"http://") || starts(b"https://")
}

/// Some writers put the URI in angle brackets, as an early draft of the standard had it.
fn without_brackets(uri: &[u8]) -> (&[u8], bool) {
    match uri {
        [b'<', inner @ .., b'>'] => (fields::trim(inner), true),
        _ => (uri, false),
    }
}

fn without_sha1(digest: &[u8]) -> &[u8] {
    match digest.split_at_checked(5) {
        Some((label, rest)) if label.eq_ignore_ascii_case(b"sha1:") => rest,
        _ => digest,
    }
}
