//! What a body is before it is read as lines: markup, or text in a wide encoding.

/// What kind of markup a text opens with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Markup {
    /// None.
    None,
    /// That of a whole HTML page: a doctype, or an element that opens nothing else.
    Page,
    /// An XML declaration, or the doctype of something that is not HTML.
    XmlDeclaration,
    /// A single HTML tag or a comment.
    Html,
    /// A tag that HTML does not know.
    Xml,
}

/// What a text opens with; blanks and a byte order mark before it are the caller's to take off.
pub fn leading_markup(text: &[u8]) -> Markup {
    let [b'<', rest @ ..] = text else { return Markup::None };
    if rest.starts_with(b"!--") {
        return Markup::Html;
    }
    if starts_with_word(rest, b"!doctype") {
        let of = rest["!doctype".len()..].trim_ascii_start();
        return if starts_with_word(of, b"html") { Markup::Page } else { Markup::XmlDeclaration };
    }
    if starts_with_word(rest, b"?xml") {
        let head = rest[..rest.len().min(HEAD)].to_ascii_lowercase();
        let is_page =
            [b"<!doctype html".as_slice(), b"<html"].iter().any(|mark| memchr::memmem::find(&head, mark).is_some());
        return if is_page { Markup::Page } else { Markup::XmlDeclaration };
    }
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    let (name, after) = rest.split_at(length);
    let closes = matches!(after.first(), Some(b'>' | b'/' | b':' | b' ' | b'\t' | b'\r' | b'\n'));
    let is_in = |tags: &[&[u8]]| tags.iter().any(|tag| name.eq_ignore_ascii_case(tag));
    match name.first() {
        Some(first) if first.is_ascii_alphabetic() && closes => {
            if is_in(&PAGE_TAGS) {
                Markup::Page
            } else if is_in(&HTML_TAGS) {
                Markup::Html
            } else {
                Markup::Xml
            }
        }
        _ => Markup::None,
    }
}

fn starts_with_word(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// How far the look for a page behind an XML declaration goes, in bytes.
const HEAD: usize = 1024;

/// Elements that only ever open a whole HTML page.
const PAGE_TAGS: [&[u8]; 5] = [b"html", b"head", b"body", b"title", b"meta"];

/// Other elements of HTML that documents are seen to open with.
const HTML_TAGS: [&[u8]; 54] = [
    b"a",
    b"article",
    b"aside",
    b"b",
    b"base",
    b"big",
    b"blockquote",
    b"br",
    b"button",
    b"center",
    b"code",
    b"dd",
    b"div",
    b"dl",
    b"em",
    b"fieldset",
    b"figure",
    b"font",
    b"footer",
    b"form",
    b"frameset",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"h5",
    b"header",
    b"hr",
    b"i",
    b"iframe",
    b"img",
    b"input",
    b"label",
    b"li",
    b"link",
    b"main",
    b"nav",
    b"noscript",
    b"object",
    b"ol",
    b"p",
    b"pre",
    b"script",
    b"section",
    b"select",
    b"small",
    b"span",
    b"strong",
    b"style",
    b"table",
    b"td",
    b"tr",
    b"u",
    b"ul",
];

/// An encoding in units of more than a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wide {
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// UTF-32, low byte first.
    Utf32Le,
    /// UTF-32, high byte first.
    Utf32Be,
}

impl Wide {
    /// Bytes of a unit.
    pub const fn unit(self) -> usize {
        match self {
            Wide::Utf16Le | Wide::Utf16Be => 2,
            Wide::Utf32Le | Wide::Utf32Be => 4,
        }
    }

    /// Where in a unit an ASCII character stands.
    pub const fn low(self) -> usize {
        match self {
            Wide::Utf16Le | Wide::Utf32Le => 0,
            Wide::Utf16Be => 1,
            Wide::Utf32Be => 3,
        }
    }
}

/// The wide encoding of a body, by its byte order mark or else by its first bytes. Crawlers find no line in such a body.
pub fn wide(body: &[u8]) -> Option<Wide> {
    // Without a mark, two printable characters give a wide encoding away; text in bytes has no NUL among the first.
    const TAB: u8 = b'\t';
    let of_fours = body.len().is_multiple_of(4);
    match body {
        [0xff, 0xfe, 0, 0, ..] | [TAB..=b'~', 0, 0, 0, ..] if of_fours => Some(Wide::Utf32Le),
        [0, 0, 0xfe, 0xff, ..] | [0, 0, 0, TAB..=b'~', ..] if of_fours => Some(Wide::Utf32Be),
        [0xff, 0xfe, ..] | [TAB..=b'~', 0, TAB..=b'~', 0, ..] => Some(Wide::Utf16Le),
        [0xfe, 0xff, ..] | [0, TAB..=b'~', 0, TAB..=b'~', ..] => Some(Wide::Utf16Be),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_told_apart() {
        let rows: [(&[u8], Markup); 9] = [
            (b"", Markup::None),
            (b"user-agent: *", Markup::None),
            (b"<!DOCTYPE html>", Markup::Page),
            (b"<HEAD>", Markup::Page),
            (b"<?xml version='1.0'?><html>", Markup::Page),
            (b"<?xml version='1.0'?><a/>", Markup::XmlDeclaration),
            (b"<br>", Markup::Html),
            (b"<error>", Markup::Xml),
            (b"<broken", Markup::None),
        ];
        for (text, expected) in rows {
            assert_eq!(leading_markup(text), expected, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn wide_encodings_show_at_the_start() {
        assert_eq!(wide(b"\xff\xfea\0"), Some(Wide::Utf16Le));
        assert_eq!(wide(b"\0a\0b"), Some(Wide::Utf16Be));
        assert_eq!(wide(b"a\0\0\0"), Some(Wide::Utf32Le));
        assert_eq!(wide(b"abc"), None);
    }
}
