//! Addresses as CPython's `urllib.parse` (3.11) takes them apart and puts them together, for the dialect `python`.
//!
//! A rule and a URL are compared in the form `quote(urlunparse(urlparse(unquote(text))))`; of a URL, scheme and host are left out
//! and the fragment is kept. So an empty query, parameter or fragment vanishes with its mark, and `*` becomes `%2A`.
//! Text is UTF-8 with U+FFFD for what is not.
//!
//! CPython raises where we give an answer: for a rule or URL whose host, escapes undone, has brackets that enclose no IP address or
//! characters that normalise to `/?#@:`, and for a delay of digits that are no decimal ones (`\u{b2}`). A rule of that kind is lost here, alone; the
//! delay ends the list of agents like any other; the URL is compared as a text. `scripts/robotparser_answers.py` asks CPython itself.

use crate::line::class;
use crate::path::{escape, push_escaped};
use memchr::memchr;
use std::borrow::Cow;
use std::net::Ipv6Addr;

/// Schemes whose last path segment may have parameters after `;`. Ascending.
const WITH_PARAMETERS: [&str; 16] = [
    "", "ftp", "hdl", "http", "https", "imap", "mms", "prospero", "rtsp", "rtsps", "rtspu", "sftp", "shttp", "sip",
    "sips", "tel",
];

/// Schemes that are written with `//` even where the host is empty. Ascending; without the empty scheme, which is not.
const WITH_HOST: [&str; 25] = [
    "file", "ftp", "git", "git+ssh", "gopher", "http", "https", "imap", "mms", "nfs", "nntp", "prospero", "rsync",
    "rtsp", "rtsps", "rtspu", "sftp", "shttp", "snews", "svn", "svn+ssh", "telnet", "wais", "ws", "wss",
];

/// Characters that a host may not hold, because their compatibility form (NFKC) has one of `/?#@:`.
const SPLITTING: [char; 19] = [
    '\u{2047}', '\u{2048}', '\u{2049}', '\u{2100}', '\u{2101}', '\u{2105}', '\u{2106}', '\u{2a74}', '\u{fe13}',
    '\u{fe16}', '\u{fe55}', '\u{fe56}', '\u{fe5f}', '\u{fe6b}', '\u{ff03}', '\u{ff0f}', '\u{ff1a}', '\u{ff1f}',
    '\u{ff20}',
];

/// Appends the path of a rule; `false` where CPython raises.
pub(crate) fn push_rule(value: &[u8], classes: u8, out: &mut Vec<u8>) -> bool {
    if is_plain(value, classes) {
        // Of the marks that stand before parts of an address only `?` is here, and it vanishes when nothing follows it.
        let mark = memchr(b'?', value);
        let end = value.len() - usize::from(mark == Some(value.len() - 1));
        push_quoted(&value[..end], out);
        return true;
    }
    match Address::parse(&cleaned(&unquoted(value))) {
        Some(address) => {
            push_quoted(address.written(true).as_bytes(), out);
            true
        }
        None => false,
    }
}

/// Whether the value of a rule, which has no `#`, is nothing but a path and maybe a query: most are, and need not be taken apart.
fn is_plain(text: &[u8], classes: u8) -> bool {
    // A letter may begin a scheme, two slashes a host.
    !matches!(text, [] | [b'/', b'/', ..])
        && !text[0].is_ascii_alphabetic()
        && classes & (class::PERCENT | class::OUTSIDE | class::HIGH) == 0
        && memchr(b';', text).is_none()
}

/// What a URL is compared as. One that CPython raises for is quoted as a whole.
pub(crate) fn url(url: &[u8]) -> Vec<u8> {
    let text = unquoted(url);
    let cleaned = cleaned(&text);
    let written = Address::parse(&cleaned).map_or_else(|| text.clone().into_owned(), |address| address.written(false));
    let mut path = Vec::with_capacity(written.len());
    push_quoted(written.as_bytes(), &mut path);
    if path.is_empty() { b"/".to_vec() } else { path }
}

/// A text with its escapes undone, each run of ASCII by itself (`urllib.parse.unquote`).
pub(crate) fn unquoted(text: &[u8]) -> Cow<'_, str> {
    let lossy = String::from_utf8_lossy(text);
    if !lossy.contains('%') {
        return lossy;
    }
    let mut out = String::with_capacity(lossy.len());
    let mut run = Vec::new();
    let bytes = lossy.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let ascii = bytes[at..].iter().take_while(|byte| byte.is_ascii()).count();
        run.clear();
        unescape(&bytes[at..at + ascii], &mut run);
        out.push_str(&String::from_utf8_lossy(&run));
        at += ascii;
        let other = bytes[at..].iter().take_while(|byte| !byte.is_ascii()).count();
        out.push_str(&lossy[at..at + other]);
        at += other;
    }
    Cow::Owned(out)
}

fn unescape(text: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while at < text.len() {
        match escape(&text[at..]) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(text[at]);
                at += 1;
            }
        }
    }
}

/// `urllib.parse.quote`: all but unreserved characters and `/` escaped.
fn push_quoted(mut text: &[u8], out: &mut Vec<u8>) {
    loop {
        let kept = text.iter().take_while(|byte| class::OF[**byte as usize] == 0).count();
        out.extend_from_slice(&text[..kept]);
        let Some(byte) = text.get(kept) else { return };
        push_escaped(*byte, out);
        text = &text[kept + 1..];
    }
}

/// The six parts of an address (`urllib.parse.urlparse`).
struct Address<'t> {
    scheme: String,
    host: &'t str,
    path: &'t str,
    parameters: &'t str,
    query: &'t str,
    fragment: &'t str,
}

/// A text as CPython takes it apart: without control characters and blanks at its start, and without line ends and tabs.
fn cleaned(text: &str) -> Cow<'_, str> {
    let text = text.trim_start_matches(|c| c <= ' ');
    let unsafe_bytes = ['\t', '\r', '\n'];
    if text.contains(unsafe_bytes) { Cow::Owned(text.replace(unsafe_bytes, "")) } else { Cow::Borrowed(text) }
}

impl<'t> Address<'t> {
    /// Takes a cleaned text apart; `None` where CPython raises.
    fn parse(text: &'t str) -> Option<Address<'t>> {
        let mut rest = text;
        let mut scheme = String::new();
        if let Some((before, after)) = rest.split_once(':')
            && before.starts_with(|c: char| c.is_ascii_alphabetic())
            && before.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        {
            scheme = before.to_ascii_lowercase();
            rest = after;
        }
        let mut host = "";
        if let Some(after) = rest.strip_prefix("//") {
            let end = after.find(['/', '?', '#']).unwrap_or(after.len());
            (host, rest) = after.split_at(end);
            if !is_host(host) {
                return None;
            }
        }
        let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let (mut path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut parameters = "";
        if scheme.is_empty() || WITH_PARAMETERS.binary_search(&scheme.as_str()).is_ok() {
            let last = path.rfind('/').unwrap_or(0);
            if let Some(mark) = path[last..].find(';') {
                (path, parameters) = (&path[..last + mark], &path[last + mark + 1..]);
            }
        }
        Some(Address { scheme, host, path, parameters, query, fragment })
    }

    /// Put together again (`urllib.parse.urlunparse`), with scheme and host or without.
    fn written(&self, whole: bool) -> String {
        let mut out = self.path.to_owned();
        if !self.parameters.is_empty() {
            out.push(';');
            out.push_str(self.parameters);
        }
        if whole {
            let always = !self.scheme.is_empty()
                && WITH_HOST.binary_search(&self.scheme.as_str()).is_ok()
                && !out.starts_with("//");
            if !self.host.is_empty() || always {
                let slash = if out.is_empty() || out.starts_with('/') { "" } else { "/" };
                out = format!("//{}{slash}{out}", self.host);
            }
            if !self.scheme.is_empty() {
                out = format!("{}:{out}", self.scheme);
            }
        }
        for (mark, part) in [('?', self.query), ('#', self.fragment)] {
            if !part.is_empty() {
                out.push(mark);
                out.push_str(part);
            }
        }
        out
    }
}

/// Whether CPython takes a text for a host: brackets in pairs around an IPv6 address, nothing that splits it once normalised.
fn is_host(host: &str) -> bool {
    if host.contains('[') != host.contains(']') {
        return false;
    }
    if let Some((_, after)) = host.split_once('[') {
        let inner = after.split_once(']').map_or(after, |(inner, _)| inner);
        let future = inner.strip_prefix('v').map(|rest| {
            rest.split_once('.').is_some_and(|(version, text)| {
                !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_hexdigit()) && !text.is_empty()
            })
        });
        let address = || {
            let (address, scope) = inner.split_once('%').unwrap_or((inner, "-"));
            !scope.is_empty() && !scope.contains('%') && address.parse::<Ipv6Addr>().is_ok()
        };
        if !future.unwrap_or_else(address) {
            return false;
        }
    }
    !host.contains(SPLITTING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::classes;

    #[test]
    fn rules_and_urls_are_quoted_as_cpython_quotes_them() {
        // Made by CPython 3.11.7.
        let rules: [(&str, Option<&str>); 16] = [
            ("/a b", Some("/a%20b")),
            ("/a%2fb", Some("/a/b")),
            ("/*?", Some("/%2A")),
            ("/a;", Some("/a")),
            ("/a;b/c;d", Some("/a%3Bb/c%3Bd")),
            ("/x?a=b&c", Some("/x%3Fa%3Db%26c")),
            ("//", Some("")),
            ("///x", Some("/x")),
            ("//x/y", Some("//x/y")),
            ("http://x/y", Some("http%3A//x/y")),
            ("http:y", Some("http%3A///y")),
            ("/%e9", Some("/%EF%BF%BD")),
            ("é%c3%a9", Some("%C3%A9%C3%A9")),
            ("//[x", None),
            ("*", Some("%2A")),
            ("//[::1]/x", Some("//%5B%3A%3A1%5D/x")),
        ];
        for (text, expected) in rules {
            let mut out = Vec::new();
            let path =
                push_rule(text.as_bytes(), classes(text.as_bytes()), &mut out).then(|| String::from_utf8(out).unwrap());
            assert_eq!(path.as_deref(), expected, "{text}");
        }
        let urls = [
            ("http://example.com", "/"),
            ("http://example.com?x", "%3Fx"),
            ("http://example.com/a?#b", "/a%23b"),
            ("http://example.com//a", "//a"),
            ("//a/b", "/b"),
            ("mailto:x", "x"),
            ("/a%3F", "/a"),
        ];
        for (text, expected) in urls {
            assert_eq!(String::from_utf8(url(text.as_bytes())).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn the_lists_are_in_order() {
        assert!(WITH_PARAMETERS.is_sorted() && WITH_HOST.is_sorted() && SPLITTING.is_sorted());
    }
}
