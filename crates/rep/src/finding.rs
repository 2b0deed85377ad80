//! What is odd about the text of a robots.txt: findings, and lines that are no part of the protocol.
//!
//! Findings are about the text, whatever the dialect; they never change a verdict. (Something wrong with the *input* is a
//! problem, and no business of this crate.)

use crate::dialect::Dialect;
use crate::document::Document;
use crate::line::{self, Field, Line};

macro_rules! codes {
    ($($variant:ident => $code:literal, $clause:literal, $about:literal;)*) => {
        /// A kind of finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FindingCode { $(#[doc = $about] $variant,)* }

        impl FindingCode {
            /// Every kind, in the order of the list.
            pub const ALL: &[FindingCode] = &[$(FindingCode::$variant,)*];

            /// The stable code that tables carry.
            pub const fn code(self) -> &'static str {
                match self { $(FindingCode::$variant => $code,)* }
            }

            /// The clause it rests on.
            pub const fn clause(self) -> &'static str {
                match self { $(FindingCode::$variant => $clause,)* }
            }

            /// What it means, in a sentence.
            pub const fn about(self) -> &'static str {
                match self { $(FindingCode::$variant => $about,)* }
            }
        }
    };
}

codes! {
    MisspeltField => "misspelt-field", "RFC 9309, 2.2", "a field name is a near miss of user-agent, allow, disallow or sitemap; only some parsers take it as that";
    MissingColon => "missing-colon", "RFC 9309, 2.2", "a line begins with a field name but has no colon; only some parsers read it";
    RuleBeforeAgent => "rule-before-agent", "RFC 9309, 2.2.1", "a rule stands before any user-agent line and is ignored";
    ByteOrderMark => "byte-order-mark", "spec 3.3", "the file begins with a byte order mark, which some parsers take for part of the first line";
    NotUtf8 => "not-utf-8", "RFC 9309, 2.2", "the file holds bytes that are not UTF-8";
    OverLimit => "over-limit", "RFC 9309, 2.5", "the file is longer than 500 KiB; crawlers need not read what is beyond";
    UnknownField => "unknown-field", "RFC 9309, 2.2.4", "a line's field is none that is known here";
}

/// A finding of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// Its kind.
    pub code: FindingCode,
    /// How often it occurs.
    pub count: u32,
    /// The first line, from 1.
    pub line: u32,
}

/// Fields outside the protocol that are known by name, in lower case.
pub const EXTENSIONS: [&str; 9] = [
    "crawl-delay",
    "content-signal",
    "content-usage",
    "license",
    "host",
    "clean-param",
    "noindex",
    "request-rate",
    "visit-time",
];

/// A line whose field is outside the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extension<'a> {
    /// The field as written, or as in [`EXTENSIONS`] where it is one of those.
    pub field: &'a [u8],
    /// Whether it is one of those.
    pub known: bool,
    /// The value as written, blanks trimmed.
    pub value: &'a [u8],
    /// Its line, from 1.
    pub line: u32,
}

/// The longest field name that is taken for one: longer texts before a colon are prose or markup.
const LONGEST_FIELD: usize = 40;

/// Whether a text could be somebody's field name: letters, digits, `-`, `_` and single blanks, beginning with a letter.
fn is_field_name(name: &[u8]) -> bool {
    (1..=LONGEST_FIELD).contains(&name.len())
        && name[0].is_ascii_alphabetic()
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b' '))
}

/// What a line of an unknown field, or of none, is.
enum Odd<'a> {
    Extension(Extension<'a>),
    Misspelt,
    MissingColon,
    Prose,
}

fn odd<'a>(document: &Document<'a>, line: &Line) -> Odd<'a> {
    match line.field {
        Field::Other => {
            let name = document.field_name(line);
            let value = document.value(line);
            if let Some(known) = EXTENSIONS.iter().find(|known| name.eq_ignore_ascii_case(known.as_bytes())) {
                return Odd::Extension(Extension { field: known.as_bytes(), known: true, value, line: line.number });
            }
            if !is_field_name(name) {
                return Odd::Prose;
            }
            if is_misspelt(name) {
                return Odd::Misspelt;
            }
            Odd::Extension(Extension { field: name, known: false, value, line: line.number })
        }
        Field::None => {
            let text = document.text(line);
            let word = line::trim_ascii_space(&text[..memchr::memchr(b'#', text).unwrap_or(text.len())]);
            let word = &word[..word.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(word.len())];
            if PROTOCOL_FIELDS.iter().any(|field| word.eq_ignore_ascii_case(field)) {
                Odd::MissingColon
            } else {
                Odd::Prose
            }
        }
        _ => Odd::Prose,
    }
}

const PROTOCOL_FIELDS: [&[u8]; 4] = [b"user-agent", b"disallow", b"allow", b"sitemap"];

/// Whether a name is one that Google's parser takes for a field of the protocol, or is at most two edits from one.
fn is_misspelt(name: &[u8]) -> bool {
    if line::google_field(name) != Field::Other {
        return true;
    }
    PROTOCOL_FIELDS.iter().any(|field| {
        // A short name has too many neighbours for two edits: `allow` is two from `follow`.
        let most = if field.len() < 8 { 1 } else { 2 };
        name.len().abs_diff(field.len()) <= most && is_within(name, field, most)
    })
}

/// Longest name whose distance is looked at: two more than `user-agent` has.
const LONGEST_MISSPELT: usize = 12;

/// Whether a name becomes the field, which is in lower case, by at most so many edits: insert, delete, replace, swap of neighbours.
///
/// On the stack and row by row, because a hostile file has a hundred thousand such names.
fn is_within(name: &[u8], field: &[u8], most: usize) -> bool {
    let mut rows = [[0u8; LONGEST_MISSPELT + 1]; 3];
    if name.is_empty() || name.len() > LONGEST_MISSPELT || field.len() > LONGEST_MISSPELT {
        return false;
    }
    let lower = |at: usize| name[at].to_ascii_lowercase();
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j as u8;
    }
    for i in 1..=name.len() {
        let [before_last, last, row] = &mut rows;
        // The rows take turns: what was the row before is the last one now.
        if i > 1 {
            std::mem::swap(before_last, last);
            std::mem::swap(last, row);
        } else {
            *last = *before_last;
        }
        row[0] = i as u8;
        for j in 1..=field.len() {
            let replace = last[j - 1] + u8::from(lower(i - 1) != field[j - 1]);
            let mut least = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && lower(i - 1) == field[j - 2] && lower(i - 2) == field[j - 1] {
                least = least.min(before_last[j - 2] + 1);
            }
            row[j] = least;
        }
        if row[..=field.len()].iter().all(|cell| usize::from(*cell) > most) {
            return false;
        }
    }
    usize::from(rows[2][field.len()]) <= most
}

/// Findings and extension lines of one body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remarks<'a> {
    /// Findings, in the order of [`FindingCode::ALL`], each kind once.
    pub findings: Vec<Finding>,
    /// Lines outside the protocol, in order; at most [`Remarks::MOST_EXTENSIONS`].
    pub extensions: Vec<Extension<'a>>,
    /// Lines with text that are neither of the protocol nor an extension.
    pub prose: u32,
}

impl<'a> Remarks<'a> {
    /// Extension lines that are kept of one body: a bound for hostile files. The findings count all of them.
    pub const MOST_EXTENSIONS: usize = 65_536;

    /// Looks a document over.
    pub fn of(document: &Document<'a>) -> Remarks<'a> {
        let mut counts = [(0u32, 0u32); FindingCode::ALL.len()];
        let mut count = |code: FindingCode, line: u32| {
            let (count, first) = &mut counts[code as usize];
            if *count == 0 {
                *first = line;
            }
            *count += 1;
        };
        let mut remarks = Remarks::default();
        let mut in_group = false;
        for line in document.lines() {
            match line.field {
                Field::UserAgent => in_group = true,
                Field::Allow | Field::Disallow if !in_group => count(FindingCode::RuleBeforeAgent, line.number),
                Field::Other | Field::None => match odd(document, line) {
                    Odd::Extension(extension) => {
                        if !extension.known {
                            count(FindingCode::UnknownField, line.number);
                        }
                        if remarks.extensions.len() < Remarks::MOST_EXTENSIONS {
                            remarks.extensions.push(extension);
                        }
                    }
                    Odd::Misspelt => count(FindingCode::MisspeltField, line.number),
                    Odd::MissingColon => count(FindingCode::MissingColon, line.number),
                    Odd::Prose => remarks.prose += 1,
                },
                _ => {}
            }
        }
        if document.has_bom() {
            count(FindingCode::ByteOrderMark, 1);
        }
        let body = document.body();
        // Nearly every body is ASCII, and that is told faster.
        if !body.is_ascii()
            && let Err(error) = std::str::from_utf8(body)
        {
            count(FindingCode::NotUtf8, document.line_at(error.valid_up_to()));
        }
        let limit = Dialect::RFC9309.body_limit.map_or(usize::MAX, |limit| limit as usize);
        if body.len() > limit {
            count(FindingCode::OverLimit, document.line_at(limit));
        }
        remarks.findings = FindingCode::ALL
            .iter()
            .zip(counts)
            .filter(|(_, (count, _))| *count > 0)
            .map(|(code, (count, line))| Finding { code: *code, count, line })
            .collect();
        remarks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(body: &[u8]) -> Vec<(&'static str, u32, u32)> {
        let findings = Remarks::of(&Document::parse(body)).findings;
        findings.iter().map(|finding| (finding.code.code(), finding.count, finding.line)).collect()
    }

    #[test]
    fn each_kind_is_found_where_it_is() {
        type Case = (&'static [u8], &'static [(&'static str, u32, u32)]);
        let cases: [Case; 12] = [
            (b"user-agent: *\ndisallow: /x\nsitemap: https://a.example/\n", &[]),
            (b"user-agent: *\nDissalow: /x\nuseragent: b\n", &[("misspelt-field", 2, 2)]),
            (b"user-agent: *\ndisalllow: /x\nusr-agent: b\n", &[("misspelt-field", 2, 2)]),
            (b"user-agent *\nuser-agent: b\nallow /\n", &[("missing-colon", 2, 1)]),
            (b"\ndisallow: /\nuser-agent: *\n", &[("rule-before-agent", 1, 2)]),
            (b"\xef\xbb\xbfuser-agent: *\n", &[("byte-order-mark", 1, 1)]),
            (b"user-agent: *\ndisallow: /\xe9\n", &[("not-utf-8", 1, 2)]),
            (b"user-agent: *\nfollow: x\nx: 1\n", &[("unknown-field", 2, 2)]),
            (b"user-agent: *\nCrawl-delay: 1\nHOST: a\n", &[]),
            (b"<p>some text: with a colon</p>\n", &[]),
            (b"this is a sentence about robots and crawlers in general: so it is\n", &[]),
            (b"disallow\n", &[("missing-colon", 1, 1)]),
        ];
        for (body, expected) in cases {
            assert_eq!(codes(body), expected, "{}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn near_misses_are_told_from_other_names() {
        let near = |name: &str| is_misspelt(name.as_bytes());
        for name in [
            "disallow",
            "Disalow",
            "dissallow",
            "idsallow",
            "disallwo",
            "dsallow",
            "disaloww",
            "alow",
            "allwo",
            "allows",
        ] {
            assert!(near(name), "{name}");
        }
        for name in ["useragnt", "usr-agent", "user_agent", "sitemaps", "site map", "stiemap", "sitmap"] {
            assert!(near(name), "{name}");
        }
        for name in ["follow", "host", "crawl-delay", "noindex", "allowance-not", "agent", "a", "sale", "dis", "map"] {
            assert!(!near(name) || line::google_field(name.as_bytes()) != Field::Other, "{name}");
        }
        assert!(!is_within(b"", b"allow", 1) && is_within(b"llow", b"allow", 1) && is_within(b"lalow", b"allow", 1));
    }

    #[test]
    fn the_limit_is_500_kib() {
        let mut body = b"user-agent: *\n".to_vec();
        body.resize(512_000, b'\n');
        assert_eq!(codes(&body), []);
        body.push(b'#');
        assert_eq!(codes(&body), [("over-limit", 1, 511_988)]);
    }

    #[test]
    fn extensions_keep_their_text() {
        let document = Document::parse(b"user-agent: *\nCRAWL-Delay:  1.5 # s\nFoo: Bar\n");
        let remarks = Remarks::of(&document);
        let rows: Vec<_> = remarks.extensions.iter().map(|e| (e.field, e.known, e.value, e.line)).collect();
        assert_eq!(rows, [(&b"crawl-delay"[..], true, &b"1.5"[..], 2), (&b"Foo"[..], false, &b"Bar"[..], 3)]);
    }
}
