//! From a URL to the path that rules are held against, and the ways dialects make two spellings equal.

use std::borrow::Cow;

/// Path, parameters and query of a URL as Google's parser takes them (`reference/parsers.md`, section 1): scheme and
/// authority dropped, the fragment cut at the first `#`, a `/` put before a bare `?` or `;`, nothing else touched.
///
/// A text that is only a path is its own path.
pub(crate) fn of_url(url: &[u8]) -> Cow<'_, [u8]> {
    let start = if url.starts_with(b"//") { 2 } else { 0 };
    let first_stop =
        |from: usize| url[from..].iter().position(|byte| matches!(byte, b'/' | b'?' | b';')).map(|at| from + at);
    let early = first_stop(start);
    let scheme = memchr::memmem::find(&url[start..], b"://").map(|at| start + at);
    let authority = match (scheme, early) {
        // A path before `://` means that `://` is not the scheme's.
        (Some(scheme), Some(early)) if early < scheme => start,
        (Some(scheme), _) => scheme + 3,
        (None, _) => start,
    };
    let Some(path) = first_stop(authority) else { return Cow::Borrowed(b"/") };
    let end = match memchr::memchr(b'#', &url[start..]) {
        Some(hash) if start + hash < path => return Cow::Borrowed(b"/"),
        Some(hash) => start + hash,
        None => url.len(),
    };
    if url[path] == b'/' {
        Cow::Borrowed(&url[path..end])
    } else {
        let mut with_slash = vec![b'/'];
        with_slash.extend_from_slice(&url[path..end]);
        Cow::Owned(with_slash)
    }
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

fn hex_value(digit: u8) -> Option<u8> {
    (digit as char).to_digit(16).map(|value| value as u8)
}

/// The byte that `%xx` at the start of the text stands for.
pub(crate) fn escape(text: &[u8]) -> Option<u8> {
    match text {
        [b'%', high, low, ..] => Some(hex_value(*high)? << 4 | hex_value(*low)?),
        _ => None,
    }
}

pub(crate) fn push_escaped(byte: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(&[b'%', HEX[(byte >> 4) as usize], HEX[(byte & 15) as usize]]);
}

/// RFC 3986, 2.3: characters whose escapes mean the same as themselves.
pub(crate) const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Appends a text "made equal" (spec, section 9; RFC 9309, 2.2.2): bytes outside 0x21-0x7E encoded, hex digits raised, escapes of
/// unreserved characters decoded, and `%2A` and `%24` decoded too, since they stand for the plain characters. A `%` that
/// starts no escape stays. Each wildcard of a rule, a raw `*`, becomes `star`; a path passes `*` itself.
pub(crate) fn push_equal(text: &[u8], star: u8, out: &mut Vec<u8>) {
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        at += 1;
        match byte {
            b'*' => out.push(star),
            b'%' => match escape(&text[at - 1..]) {
                Some(value) => {
                    at += 2;
                    if is_unreserved(value) || matches!(value, b'*' | b'$') {
                        out.push(value);
                    } else {
                        push_escaped(value, out);
                    }
                }
                None => out.push(b'%'),
            },
            0x21..=0x7e => out.push(byte),
            _ => push_escaped(byte, out),
        }
    }
}

/// Appends a rule's text as Google's parser escapes it: hex digits of valid escapes raised, bytes from 0x80 on encoded.
pub(crate) fn push_google_escaped(text: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        at += 1;
        if byte == b'%' && escape(&text[at - 1..]).is_some() {
            out.extend_from_slice(&[b'%', text[at].to_ascii_uppercase(), text[at + 1].to_ascii_uppercase()]);
            at += 2;
        } else if byte >= 0x80 {
            push_escaped(byte, out);
        } else {
            out.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_give_their_path_and_query() {
        let cases: [(&str, &str); 18] = [
            ("http://example.com/a?b#c", "/a?b"),
            ("http://example.com", "/"),
            ("http://example.com?x", "/?x"),
            ("http://example.com;x", "/;x"),
            ("http://example.com#/x", "/"),
            ("http://example.com/a/b?c=http://d/", "/a/b?c=http://d/"),
            ("example.com/a://b", "/a://b"),
            ("a/b", "/b"),
            ("//a/b", "/b"),
            ("/a/b", "/a/b"),
            ("/", "/"),
            ("", "/"),
            ("mailto:x", "/"),
            ("http:/a/b", "/a/b"),
            ("?x", "/?x"),
            ("http://example.com/%2f#", "/%2f"),
            ("HTTP://EXAMPLE.com/A", "/A"),
            ("http://user@example.com:80/x", "/x"),
        ];
        for (url, path) in cases {
            assert_eq!(of_url(url.as_bytes()).as_ref(), path.as_bytes(), "{url}");
        }
    }

    #[test]
    fn spellings_are_made_equal() {
        let equal = |text: &str| {
            let mut out = Vec::new();
            push_equal(text.as_bytes(), b'*', &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(equal("/a b"), "/a%20b");
        assert_eq!(equal("/é"), "/%C3%A9");
        assert_eq!(equal("/%c3%a9"), "/%C3%A9");
        assert_eq!(equal("/%62%61%7A"), "/baz");
        assert_eq!(equal("/%2A%24%2f%zz%4"), "/*$%2F%zz%4");
        assert_eq!(equal("/\u{7f}"), "/%7F");
    }

    #[test]
    fn google_escapes_rules_only_where_it_must() {
        let escaped = |text: &[u8]| {
            let mut out = Vec::new();
            push_google_escaped(text, &mut out);
            out
        };
        assert_eq!(escaped(b"/%c3%a9 %zz %6"), b"/%C3%A9 %zz %6");
        assert_eq!(escaped("/é".as_bytes()), b"/%C3%A9");
        assert_eq!(escaped(b"/%%41"), b"/%%41");
    }
}
