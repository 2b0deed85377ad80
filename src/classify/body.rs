//! Names what a body is, how it is encoded and how its lines end: one cheap look each.

use super::words;
use rep::form::{Markup, Wide, leading_markup, wide};

words! {
    /// What a body is, whatever its content type claims.
    BodyKind {
        Robots => "robots", "a robots.txt: it has at least one line that a crawler would understand";
        Empty => "empty", "nothing, or only blanks and a byte order mark";
        CommentsOnly => "comments_only", "nothing but comments and blanks";
        Html => "html", "an HTML page";
        Xml => "xml", "an XML document";
        Json => "json", "a JSON document";
        Binary => "binary", "no text";
        OtherText => "other_text", "some other text";
    }
}

words! {
    /// How the bytes of a body stand for characters.
    Encoding {
        Ascii => "ascii", "ASCII only, so valid in nearly every encoding";
        Utf8 => "utf-8", "valid UTF-8 with characters beyond ASCII";
        Utf8Bom => "utf-8-bom", "valid UTF-8 behind a byte order mark";
        Utf16Le => "utf-16le", "UTF-16, low byte first";
        Utf16Be => "utf-16be", "UTF-16, high byte first";
        Utf32Le => "utf-32le", "UTF-32, low byte first";
        Utf32Be => "utf-32be", "UTF-32, high byte first";
        Unknown8Bit => "unknown-8bit", "bytes beyond ASCII that are not UTF-8, such as Latin-1";
    }
}

words! {
    /// How the lines of a body end, byte for byte (robots-spec 3.1).
    LineEnding {
        None => "none", "no line end at all";
        Lf => "lf", "LF";
        CrLf => "crlf", "CR LF";
        Cr => "cr", "CR alone";
        Mixed => "mixed", "more than one of them";
    }
}

/// How many lines of a body are what, as its parser counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineFacts {
    /// `allow` and `disallow` lines, with or without a path, in a group or not.
    pub rules: u32,
    /// `user-agent` lines.
    pub agents: u32,
    /// `sitemap` lines.
    pub sitemaps: u32,
    /// Lines of other fields with a known meaning (Crawl-delay, Host and their like); unknown fields are other lines.
    pub extensions: u32,
    /// Lines that hold only a comment.
    pub comments: u32,
    /// Lines that are neither blank nor any of these.
    pub other_lines: u32,
}

/// What `body` is. The first that holds counts:
///
/// 1. only blanks and a byte order mark: `empty`;
/// 2. it opens with the markup of a whole page (doctype, `html`, `head`, `body`, `title`, `meta`): `html`, even when
///    the parser found valid lines in it; with an XML declaration: `xml` (XHTML: `html`);
/// 3. it opens with the signature of a binary format: `binary`;
/// 4. it has `user-agent`, rule or sitemap lines, or known extensions and no more other lines than those: `robots`,
///    so a file behind a stray tag, an HTML comment or a PHP warning stays one, if it names an agent;
/// 5. it opens with any other tag: `html` when HTML knows it, else `xml`;
/// 6. control characters: `binary`; braces or brackets around it: `json`; only comments: `comments_only`;
///    else `other_text`.
///
/// NUL bytes that pad the end are overlooked. UTF-16 and UTF-32 are looked at as such; crawlers find no line in them.
pub fn kind(body: &[u8], facts: LineFacts) -> BodyKind {
    let wide = wide(body);
    let narrowed: Vec<u8>;
    let text = match wide {
        Some(wide) => {
            let low = wide.low();
            narrowed = body
                .chunks_exact(wide.unit())
                .take(LOOK)
                .map(|unit| if is_narrow(unit, low) { unit[low] } else { b'?' })
                .collect();
            narrowed.strip_prefix(b"?").unwrap_or(&narrowed)
        }
        None => body,
    };
    let text = trim(text);
    if text.is_empty() {
        return BodyKind::Empty;
    }
    let markup = leading_markup(text);
    match markup {
        Markup::Page => return BodyKind::Html,
        Markup::XmlDeclaration => return BodyKind::Xml,
        _ => {}
    }
    if wide.is_none() && SIGNATURES.iter().any(|signature| text.starts_with(signature)) {
        return BodyKind::Binary;
    }
    let named = facts.agents > 0;
    if named || (markup == Markup::None && is_robots(facts)) {
        return BodyKind::Robots;
    }
    match markup {
        Markup::Html => return BodyKind::Html,
        Markup::Xml => return BodyKind::Xml,
        _ => {}
    }
    if text.iter().take(LOOK).any(|byte| is_control(*byte)) {
        BodyKind::Binary
    } else if is_json(text) {
        BodyKind::Json
    } else if facts.comments > 0 && facts.other_lines == 0 {
        BodyKind::CommentsOnly
    } else {
        BodyKind::OtherText
    }
}

/// How `body` is encoded: by its byte order mark, else by its first bytes (UTF-16 and UTF-32), else by all of them.
///
/// A body of 500 KiB or more may end inside a character: archives and crawlers cut there.
pub fn encoding(body: &[u8]) -> Encoding {
    match wide(body) {
        Some(Wide::Utf16Le) => return Encoding::Utf16Le,
        Some(Wide::Utf16Be) => return Encoding::Utf16Be,
        Some(Wide::Utf32Le) => return Encoding::Utf32Le,
        Some(Wide::Utf32Be) => return Encoding::Utf32Be,
        None => {}
    }
    if body.is_ascii() {
        return Encoding::Ascii;
    }
    match std::str::from_utf8(body) {
        Err(error) if error.error_len().is_some() || body.len() < CUT => Encoding::Unknown8Bit,
        _ if body.starts_with(UTF8_MARK) => Encoding::Utf8Bom,
        _ => Encoding::Utf8,
    }
}

/// How the lines of `body` end. Bytes are looked at as they stand: UTF-16 shows as `mixed` or `lf`.
pub fn line_ending(body: &[u8]) -> LineEnding {
    let line_feeds = memchr::memchr_iter(b'\n', body).count();
    let returns = memchr::memchr_iter(b'\r', body).count();
    match (returns, line_feeds) {
        (0, 0) => LineEnding::None,
        (0, _) => LineEnding::Lf,
        (_, 0) => LineEnding::Cr,
        _ if returns != line_feeds => LineEnding::Mixed,
        _ => {
            let pairs =
                body.iter().zip(&body[1..]).filter(|&(first, second)| *first == b'\r' && *second == b'\n').count();
            if pairs == returns { LineEnding::CrLf } else { LineEnding::Mixed }
        }
    }
}

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// How far the look into a body goes for its kind, in characters.
const LOOK: usize = 1024;

/// From this length on a body may have been cut anywhere.
const CUT: usize = 500 << 10;

/// How files begin that are no text: archives, images, fonts, documents, programs.
const SIGNATURES: [&[u8]; 22] = [
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"%PDF-",
    b"\x89PNG",
    b"GIF87a",
    b"GIF89a",
    b"\xff\xd8\xff",
    b"RIFF",
    b"\x00\x00\x01\x00",
    b"BZh",
    b"\xfd7zXZ\x00",
    b"7z\xbc\xaf\x27\x1c",
    b"\x28\xb5\x2f\xfd",
    b"\x04\x22\x4d\x18",
    b"\x7fELF",
    b"wOFF",
    b"wOF2",
    b"OggS",
    b"ID3",
    b"\x00asm",
    b"\xca\xfe\xba\xbe",
];

const fn is_robots(facts: LineFacts) -> bool {
    facts.agents > 0
        || facts.rules > 0
        || facts.sitemaps > 0
        || (facts.extensions > 0 && facts.extensions >= facts.other_lines)
}

/// Whether the text is one JSON object or array, by its two ends.
fn is_json(text: &[u8]) -> bool {
    match text {
        [b'{', inner @ .., b'}'] => matches!(inner.trim_ascii_start().first(), None | Some(b'"')),
        [b'[', inner @ .., b']'] => match inner.trim_ascii_start().first() {
            None | Some(b'"' | b'{' | b'[' | b'-' | b'0'..=b'9') => true,
            Some(_) => {
                ["true", "false", "null"].iter().any(|word| inner.trim_ascii_start().starts_with(word.as_bytes()))
            }
        },
        _ => false,
    }
}

/// Bytes that no text has.
const fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)
}

/// Whether a unit is one ASCII character, which stands in its byte `low`.
fn is_narrow(unit: &[u8], low: usize) -> bool {
    unit.iter().enumerate().all(|(at, byte)| if at == low { byte.is_ascii() } else { *byte == 0 })
}

/// The text without byte order mark, the blanks around it and NUL bytes behind it.
fn trim(text: &[u8]) -> &[u8] {
    let mut text = text.trim_ascii_start();
    text = text.strip_prefix(UTF8_MARK).unwrap_or(text).trim_ascii_start();
    while let [rest @ .., 0 | b' ' | b'\t' | b'\r' | b'\n' | 0x0c] = text {
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: LineFacts = LineFacts { rules: 0, agents: 0, sitemaps: 0, extensions: 0, comments: 0, other_lines: 0 };
    const GROUP: LineFacts = LineFacts { rules: 1, agents: 1, ..NONE };
    const RULE: LineFacts = LineFacts { rules: 1, ..NONE };
    const OTHER: LineFacts = LineFacts { other_lines: 3, ..NONE };

    #[test]
    #[rustfmt::skip]
    fn kinds_follow_the_rule() {
        use BodyKind::*;
        let rows: &[(&[u8], LineFacts, BodyKind)] = &[
            (b"", NONE, Empty),
            (b"\xef\xbb\xbf \r\n\t", NONE, Empty),
            (b"\0\0\0", NONE, Empty),
            (b"\xff\xfe", NONE, Empty),
            (b"User-agent: *\nDisallow:\n", GROUP, Robots),
            (b"Sitemap: https://example.com/s.xml", LineFacts { sitemaps: 1, ..NONE }, Robots),
            (b"Crawl-delay: 5", LineFacts { extensions: 1, ..NONE }, Robots),
            (b"An error occurred.\nHost: a\nmore\n", LineFacts { extensions: 1, other_lines: 2, ..NONE }, OtherText),
            (b"# nothing here\n\n", LineFacts { comments: 1, ..NONE }, CommentsOnly),
            (b"# nothing here\nhello\n", LineFacts { comments: 1, other_lines: 1, ..NONE }, OtherText),
            (b"Not Found", OTHER, OtherText),
            (b"Not Found\0\0\0\0\0", OTHER, OtherText),
            (b"<!DOCTYPE html><p>", OTHER, Html),
            (b"<!doctypehtml>", OTHER, Html),
            (b"\xef\xbb\xbf\n<HTML>\nUser-agent: *\nDisallow: /\n", GROUP, Html),
            (b"<head><title>x", GROUP, Html),
            (b"<div>404</div>", OTHER, Html),
            (b"<br />\n<b>Warning</b>: x\nUser-agent: *\nDisallow: /\n", GROUP, Robots),
            (b"<!-- robots -->\nUser-agent: *\n", GROUP, Robots),
            (b"<!-- page -->", OTHER, Html),
            (b"<!-- page -->\nDisallow: /\n", RULE, Html),
            (b"<User-agent: *\nUser-agent: *", GROUP, Robots),
            (b"<< not markup", OTHER, OtherText),
            (b"<?xml version='1.0'?><Error/>", OTHER, Xml),
            (b"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC ''>", OTHER, Html),
            (b"<!DOCTYPE rss><rss/>", OTHER, Xml),
            (b"<Error><Code>AccessDenied</Code></Error>", OTHER, Xml),
            (b"<?php echo 1; ?>", OTHER, OtherText),
            (b"{\"error\": 404}", OTHER, Json),
            (b" {}\n", OTHER, Json),
            (b"[]", OTHER, Json),
            (b"[ null ]", OTHER, Json),
            (b"[robots]", OTHER, OtherText),
            (b"{not json}", OTHER, OtherText),
            (b"\x1f\x8b\x08\0\0", OTHER, Binary),
            (b"\x89PNG\r\n\x1a\n", RULE, Binary),
            (b"a\x01b", OTHER, Binary),
            (b"a\x01b\nUser-agent: *\n", GROUP, Robots),
            (b"\xff\xfeU\0s\0e\0r\0", OTHER, OtherText),
            (b"\xff\xfe<\0h\0t\0m\0l\0>\0", OTHER, Html),
            (b"\0<\0h\0t\0m\0l\0>", OTHER, Html),
            (b"\0\0\x01\0\x01\0", OTHER, Binary),
            (b"\x01\0\x02\0\x03\0", OTHER, Binary),
        ];
        for (body, facts, expected) in rows {
            assert_eq!(kind(body, *facts), *expected, "{:?}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn encodings_are_told_apart() {
        use Encoding::*;
        let rows: &[(&[u8], Encoding)] = &[
            (b"", Ascii),
            (b"User-agent: *", Ascii),
            ("Disallow: /café".as_bytes(), Utf8),
            (b"\xef\xbb\xbfUser-agent: *", Utf8Bom),
            (b"\xef\xbb\xbfDisallow: /caf\xe9\n", Unknown8Bit),
            (b"Disallow: /caf\xe9\n", Unknown8Bit),
            (b"Disallow: /caf\xe9", Unknown8Bit),
            (b"\xef\xbb", Unknown8Bit),
            (b"\xff\xfeU\0s\0", Utf16Le),
            (b"\xfe\xff\0U\0s", Utf16Be),
            (b"U\0s\0e\0r\0", Utf16Le),
            (b"\0U\0s\0e\0r", Utf16Be),
            (b"\xff\xfe\0\0U\0\0\0", Utf32Le),
            (b"\0\0\xfe\xff\0\0\0U", Utf32Be),
            (b"U\0\0\0s\0\0\0", Utf32Le),
            (b"\0\0\0U\0\0\0s", Utf32Be),
        ];
        for (body, expected) in rows {
            assert_eq!(encoding(body), *expected, "{body:?}");
        }
        let mut cut = vec![b'a'; CUT];
        cut.extend(b"\xc3\xa9\xc3");
        assert_eq!(encoding(&cut), Utf8);
        cut.push(b'a');
        assert_eq!(encoding(&cut), Unknown8Bit);
    }

    #[test]
    fn line_endings_are_told_apart() {
        use LineEnding::*;
        let rows: &[(&[u8], LineEnding)] = &[
            (b"", None),
            (b"a", None),
            (b"a\nb\n", Lf),
            (b"a\r\nb\r\n", CrLf),
            (b"a\rb\r", Cr),
            (b"a\rb\n", Mixed),
            (b"a\nb\r", Mixed),
            (b"a\n\rb", Mixed),
            (b"a\r\nb\n", Mixed),
            (b"a\r\r\nb", Mixed),
            (b"\r\n", CrLf),
            (b"\r", Cr),
            (b"\n", Lf),
        ];
        for (body, expected) in rows {
            assert_eq!(line_ending(body), *expected, "{body:?}");
        }
    }

    #[test]
    fn no_start_of_a_body_is_too_odd() {
        let bytes =
            [0, 1, b'\n', b'\r', b' ', b'<', b'!', b'-', b'?', b'h', b'[', b'{', b'}', 0xef, 0xbb, 0xbf, 0xfe, 0xff];
        let mut body = Vec::new();
        for a in bytes {
            for b in bytes {
                for c in bytes {
                    for d in bytes {
                        body.clear();
                        body.extend([a, b, c, d]);
                        for end in 0..=4 {
                            kind(&body[..end], NONE);
                            encoding(&body[..end]);
                            line_ending(&body[..end]);
                        }
                    }
                }
            }
        }
    }
}
