//! Reads what an HTTP response says of itself: type, character set, how long it keeps, and why it is or is no text.

use std::borrow::Cow;

/// What a `Content-Type` says, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContentType<'a> {
    /// The media type without its parameters, as sent (`text/plain`); `None` when there is none.
    pub mime: Option<Cow<'a, str>>,
    /// The first `charset` parameter, without quotes.
    pub charset: Option<Cow<'a, str>>,
}

/// Reads a `Content-Type` value (RFC 9110, 8.3). A comma ends the media type too, since servers write it for `;`;
/// bytes that are not UTF-8 become U+FFFD.
pub fn content_type(value: &[u8]) -> ContentType<'_> {
    let mut parts = value.split(|byte| matches!(byte, b';' | b','));
    let mime = lower_case(parts.next().unwrap_or_default().trim_ascii());
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_at(memchr::memchr(b'=', part)?);
        name.trim_ascii().eq_ignore_ascii_case(b"charset").then(|| unquote(value[1..].trim_ascii()))
    });
    ContentType { mime, charset: charset.and_then(lower_case) }
}

/// Seconds that `Cache-Control` lets a copy live: its first `max-age` (RFC 9111, 5.2.2.1), quoted or not.
///
/// `None` when there is none or its value is no number of seconds; more than 2^31 counts as 2^31 (1.2.2).
pub fn cache_max_age(value: &[u8]) -> Option<i64> {
    let mut rest = value;
    loop {
        let (directive, after) = split_directive(rest);
        let name_end = memchr::memchr(b'=', directive).unwrap_or(directive.len());
        if directive[..name_end].trim_ascii().eq_ignore_ascii_case(b"max-age") {
            return delta_seconds(unquote(directive.get(name_end + 1..)?.trim_ascii()));
        }
        rest = after?;
    }
}

/// The first directive and, unless it is the last, what follows its comma. A comma inside quotes separates nothing.
fn split_directive(value: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mut quoted = false;
    let mut escaped = false;
    for (at, byte) in value.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b',' if !quoted => return (&value[..at], Some(&value[at + 1..])),
            _ => {}
        }
    }
    (value, None)
}

fn delta_seconds(digits: &[u8]) -> Option<i64> {
    const MOST: i64 = 1 << 31;
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0, |sum: i64, digit| (sum * 10 + i64::from(digit - b'0')).min(MOST)))
}

/// A value without the quotes around it; single quotes are no HTTP but are sent all the same.
fn unquote(value: &[u8]) -> &[u8] {
    match value {
        [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => inner.trim_ascii(),
        _ => value,
    }
}

/// A header value as text in ASCII lower case, `None` when empty. Costs nothing when it is lower case already.
fn lower_case(value: &[u8]) -> Option<Cow<'_, str>> {
    if value.is_empty() {
        return None;
    }
    let mut text = String::from_utf8_lossy(value);
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        text.to_mut().make_ascii_lowercase();
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types_are_read_as_sent() {
        let rows: &[(&[u8], Option<&str>, Option<&str>)] = &[
            (b"text/plain", Some("text/plain"), None),
            (b"text/plain; charset=utf-8", Some("text/plain"), Some("utf-8")),
            (b"Text/HTML;Charset=\"ISO-8859-1\"", Some("text/html"), Some("iso-8859-1")),
            (b"text/plain; x=y ; charset = 'UTF-8' ", Some("text/plain"), Some("utf-8")),
            (b"text/html, charset=utf-8", Some("text/html"), Some("utf-8")),
            (b"text/plain; charset=a; charset=b", Some("text/plain"), Some("a")),
            (b"text/plain; charset=", Some("text/plain"), None),
            (b"text/plain; charset", Some("text/plain"), None),
            (b"; charset=utf-8", None, Some("utf-8")),
            (b"text/pl\xe4in", Some("text/pl\u{fffd}in"), None),
            (b"", None, None),
        ];
        for (value, mime, charset) in rows {
            let read = content_type(value);
            assert_eq!((read.mime.as_deref(), read.charset.as_deref()), (*mime, *charset), "{value:?}");
        }
        assert!(matches!(content_type(b"text/plain").mime, Some(Cow::Borrowed(_))));
    }

    #[test]
    fn the_first_max_age_counts() {
        let rows: &[(&str, Option<i64>)] = &[
            ("max-age=3600", Some(3600)),
            ("public, Max-Age=0", Some(0)),
            ("max-age=\"60\"", Some(60)),
            ("max-age = 60", Some(60)),
            ("max-age=1, max-age=2", Some(1)),
            ("s-maxage=5, x-max-age=6", None),
            ("private=\"a, max-age=5\", max-age=7", Some(7)),
            ("x=\"\\\"\", max-age=7", Some(7)),
            ("x=\"open, max-age=7", None),
            ("max-age", None),
            ("max-age=", None),
            ("max-age=-1", None),
            ("max-age=1.5", None),
            ("max-age=soon, max-age=2", None),
            ("max-age=2147483648", Some(1 << 31)),
            ("max-age=99999999999999999999999999", Some(1 << 31)),
            ("no-store", None),
            ("", None),
        ];
        for (value, seconds) in rows {
            assert_eq!(cache_max_age(value.as_bytes()), *seconds, "{value}");
        }
    }
}
