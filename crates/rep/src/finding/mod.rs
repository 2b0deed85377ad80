//! What is odd about the text of a robots.txt: findings, and lines that are no part of the protocol.
//!
//! Findings are about the text, whatever the dialect; they never change a verdict. (Something wrong with the *input* is a
//! problem, and no business of this crate.) [`inspect`] finds them; [`Remarks`] counts them.

mod code;
mod groups;
mod inspect;
mod name;
mod preference;

use crate::dialect::Dialect;
use crate::document::{Document, Robots};

pub use code::{Example, FindingCode, Severity};
pub use inspect::{Detail, Occurrence, Visitor, inspect};
pub use name::EXTENSIONS;

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
        Remarks::with(document, &document.read(&Dialect::RFC9309))
    }

    /// Looks a document over, given its reading in [`Dialect::RFC9309`].
    pub fn with(document: &Document<'a>, standard: &Robots<'a>) -> Remarks<'a> {
        let mut tally = Tally { remarks: Remarks::default(), counts: [(0, 0); FindingCode::ALL.len()] };
        inspect(document, standard, &mut tally);
        let Tally { mut remarks, counts } = tally;
        if counts.iter().any(|(count, _)| *count > 0) {
            let found = FindingCode::ALL.iter().zip(counts).filter(|(_, (count, _))| *count > 0);
            remarks.findings = found.map(|(code, (count, line))| Finding { code: *code, count, line }).collect();
        }
        remarks
    }
}

/// Counts what is found.
struct Tally<'a> {
    remarks: Remarks<'a>,
    /// How often, and the first line, at the position of the code.
    counts: [(u32, u32); FindingCode::ALL.len()],
}

impl<'a> Visitor<'a> for Tally<'a> {
    fn found(&mut self, occurrence: Occurrence) {
        let (count, first) = &mut self.counts[occurrence.code as usize];
        *first = if *count == 0 { occurrence.line } else { occurrence.line.min(*first) };
        *count = count.saturating_add(1);
    }

    fn extension(&mut self, extension: Extension<'a>) {
        if self.remarks.extensions.len() < Remarks::MOST_EXTENSIONS {
            self.remarks.extensions.push(extension);
        }
    }

    fn prose(&mut self) {
        self.remarks.prose += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn codes(body: &[u8]) -> Vec<(&'static str, u32, u32)> {
        let findings = Remarks::of(&Document::parse(body)).findings;
        findings.iter().map(|finding| (finding.code.code(), finding.count, finding.line)).collect()
    }

    #[test]
    fn every_example_shows_its_finding_where_it_says_and_no_other_that_is_no_note() {
        for code in FindingCode::ALL {
            let example = code.example();
            let body = example.body();
            let document = Document::parse(&body);
            let findings = Remarks::of(&document).findings;
            let shown = findings.iter().find(|finding| finding.code == *code);
            assert_eq!(shown.map(|finding| finding.line), Some(example.line), "{}: {findings:?}", code.code());
            for finding in &findings {
                let expected = match code {
                    // One brings the other about.
                    FindingCode::RuleBeyondLimit => finding.code == FindingCode::OverLimit,
                    FindingCode::OverLimit => finding.code == FindingCode::RuleBeyondLimit,
                    FindingCode::AgentCase => finding.code == FindingCode::DuplicateGroup,
                    _ => false,
                };
                let is_note = finding.code.severity() == Severity::Note;
                assert!(finding.code == *code || is_note || expected, "{}: {finding:?}", code.code());
            }
        }
    }

    #[test]
    fn each_kind_is_found_where_it_is() {
        type Case = (&'static [u8], &'static [(&'static str, u32, u32)]);
        #[rustfmt::skip]
        let cases: &[Case] = &[
            (b"", &[]),
            (b"# nothing\n\n", &[]),
            (b"user-agent: *\ndisallow:\n", &[]),
            (b"user-agent: *\ndisallow: /x\nsitemap: https://a.example/\n", &[]),
            // Lines.
            (b"user-agent: *\nDissalow: /x\nuseragent: b\n", &[("misspelt-field", 2, 2)]),
            (b"user-agent: *\ndisalllow: /x\nusr-agent: b\n", &[("misspelt-field", 2, 2)]),
            (b"user-agent *\nuser-agent: b\nallow /\n", &[("missing-colon", 2, 1)]),
            (b"disallow\n", &[("missing-colon", 1, 1)]),
            (b"disallow /k:/q\nsitemap https://a.example/\ndisallow this: /", &[("missing-colon", 2, 1), ("misspelt-field", 1, 3)]),
            (b"\ndisallow: /\nuser-agent: *\nallow: /", &[("rule-before-agent", 1, 2)]),
            (b"user-agent: *\nfollow: x\nx: 1\n", &[("unknown-field", 2, 2)]),
            (b"user-agent: *\nCrawl-delay: 1\nHOST: a\n", &[]),
            (b"user-agent: a disallow: /\ndisallow: /x crawl-delay: 3", &[("two-fields-in-line", 2, 1)]),
            (b"user-agent: *\ndisallow: /a\n  what is this\n<br>\n", &[("ignored-line", 2, 3)]),
            // Agents.
            (b"user-agent: a, b\nuser-agent: *bot\nuser-agent:\nallow: /", &[("nameless-agent", 2, 2), ("agent-list", 1, 1)]),
            (b"user-agent: MJ12bot\nuser-agent: a b\nuser-agent: * all\nallow: /", &[("token-outside-grammar", 3, 1)]),
            (b"user-agent: a\nallow: /a\nuser-agent: b\nuser-agent: a\nuser-agent: a\nallow: /b", &[("duplicate-group", 1, 4)]),
            (b"user-agent: a\nuser-agent: A\nallow: /a", &[]),
            (b"user-agent: a\nsitemap: https://a.example/\n\nuser-agent: b\ndisallow: /", &[("group-not-closed", 1, 4)]),
            (b"user-agent: a\n\nuser-agent: b\ndisallow: /", &[]),
            (b"user-agent: a\ncrawl-delay: 1\nuser-agent: b\ncrawl-delay: 2\nuser-agent: c\ndisallow:\n", &[]),
            (b"user-agent: a\ncrawl-delay: 1\nuser-agent: b\ncrawl-delay: 2\nuser-agent: c\nallow:\nallow: /a", &[("group-not-closed", 2, 3)]),
            (b"user-agent: a b\nallow: /a\nuser-agent: a c\nallow: /b", &[("token-outside-grammar", 2, 1)]),
            (b"user-agent: a/1\nallow: /a\nuser-agent: A\nallow: /b", &[("token-outside-grammar", 1, 1), ("duplicate-group", 1, 3), ("agent-case", 1, 3)]),
            (b"user-agent: a\ndisallow: /\nuser-agent: b\nsitemap: https://a.example/", &[("empty-group", 1, 3)]),
            // Patterns.
            (b"user-agent: *\ndisallow: *\nallow: *.php$\n", &[("disallow-star", 1, 2), ("leading-wildcard", 1, 3)]),
            (b"user-agent: *\ndisallow: /%zz\ndisallow: /%c3%a9\ndisallow: /%E\n", &[("bad-escape", 2, 2)]),
            (b"user-agent: *\ndisallow: /a$*$\ndisallow: /b$\ndisallow: /$FILE", &[("dollar-in-middle", 1, 2)]),
            (b"user-agent: *\ndisallow: /a # b\ndisallow: # c\ndisallow:/#c\ndisallow: /d# e", &[("hash-in-path", 1, 4)]),
            // Pages and the like are told as what they are, and only as that.
            (b"<p>some text: with a colon</p>\n", &[("html-body", 1, 1)]),
            (b"\n<html>\nuser-agent: *\ndisalow: /\n", &[("html-body", 1, 2)]),
            (b"<br>\nuser-agent: *\ndisallow: /\n", &[("ignored-line", 1, 1)]),
            (b"this is a sentence about robots in general: so it is\n", &[("no-directive", 1, 1)]),
            (b"{\"error\": 404}", &[("no-directive", 1, 1)]),
            (b"\0\0\0\0", &[("no-directive", 1, 1)]),
            (b"U\0s\0e\0r\0", &[("utf-16", 1, 1)]),
            // Bytes.
            (b"user-agent: *\ndisallow: /\xe9\n", &[("not-utf-8", 1, 2)]),
            (b"user-agent: *\rdisallow: /\x01\x01\r\nx: \x7f # \x01\n", &[("control-byte", 2, 2), ("unknown-field", 1, 3)]),
            ("user-agent:\u{a0}*\n\u{feff}allow: /".as_bytes(), &[("invisible-character", 2, 1)]),
        ];
        for (body, expected) in cases {
            let expected: BTreeSet<_> = expected.iter().copied().collect();
            let found: BTreeSet<_> = codes(body).into_iter().collect();
            assert_eq!(found, expected, "{}", body.escape_ascii());
        }
    }

    #[test]
    fn the_limit_is_500_kib() {
        let mut body = b"user-agent: *\nallow: /\n".to_vec();
        body.resize(512_000, b'\n');
        assert_eq!(codes(&body), []);
        body.push(b'#');
        assert_eq!(codes(&body), [("over-limit", 1, 511_980)]);
        body.truncate(511_992);
        body.extend_from_slice(b"allow: /");
        assert_eq!(codes(&body), [("duplicate-rule", 1, 511_972)]);
        body.push(b'a');
        assert_eq!(codes(&body), [("over-limit", 1, 511_972), ("rule-beyond-limit", 1, 511_972)]);
    }

    #[test]
    fn extensions_keep_their_text() {
        let document = Document::parse(b"user-agent: *\nCRAWL-Delay:  1.5 # s\nFoo: Bar\n");
        let remarks = Remarks::of(&document);
        let rows: Vec<_> = remarks.extensions.iter().map(|e| (e.field, e.known, e.value, e.line)).collect();
        assert_eq!(rows, [(&b"crawl-delay"[..], true, &b"1.5"[..], 2), (&b"Foo"[..], false, &b"Bar"[..], 3)]);
    }

    /// Keeps what it is told.
    #[derive(Default)]
    struct All(Vec<Occurrence>);

    impl<'a> Visitor<'a> for All {
        fn found(&mut self, occurrence: Occurrence) {
            self.0.push(occurrence);
        }
    }

    fn all(body: &[u8]) -> Vec<Occurrence> {
        let document = Document::parse(body);
        let mut all = All::default();
        inspect(&document, &document.read(&Dialect::RFC9309), &mut all);
        all.0
    }

    #[test]
    fn places_are_exact() {
        let cases: &[(&[u8], FindingCode, &[u8])] = &[
            (b"user-agent: *\n  Dissalow : /x\n", FindingCode::MisspeltField, b"Dissalow"),
            (b"user-agent: *\n disallow /x # y\n", FindingCode::MissingColon, b"disallow"),
            (b"\xef\xbb\xbf disallow: /x # y\n", FindingCode::RuleBeforeAgent, b"disallow: /x"),
            (b"user-agent: a/1.0\nallow: /", FindingCode::TokenOutsideGrammar, b"/1.0"),
            (b"user-agent: a\nallow: /%e9%2\n", FindingCode::BadEscape, b"%2"),
            (b"user-agent: a\nallow: /a b # c\n", FindingCode::BlankInPath, b" b"),
            (b"user-agent: a\nallow: /a#b\n", FindingCode::HashInPath, b"#b"),
            (b"user-agent: *\ncontent-signal: a=no, search=yes\nallow: /\n", FindingCode::BadContentSignal, b"a=no"),
            (b"user-agent: *\ndisallow: /a\0b\n", FindingCode::ControlByte, b"\0"),
        ];
        for (body, code, expected) in cases {
            let found = all(body);
            let at = found.iter().find(|o| o.code == *code).unwrap();
            let text = &body[at.start as usize..at.end as usize];
            assert_eq!(text, *expected, "{}", body.escape_ascii());
        }
    }

    #[test]
    fn any_bytes_give_places_inside_the_body() {
        // Made of pieces that the checks look for, in every order of a pseudo-random walk.
        let pieces: [&[u8]; 34] = [
            b"user-agent:",
            b"User-agent: *",
            b"disallow:",
            b"allow: /",
            b"sitemap: https://a/b",
            b"sitemap",
            b"crawl-delay: x",
            b"content-signal: ",
            b"content-usage: /a ",
            b"search=yes",
            b"train-ai=y,",
            b"noindex: /",
            b"\n",
            b"\r",
            b"\r\n",
            b" ",
            b"\t",
            b"#",
            b"*",
            b"$",
            b"%",
            b"%4",
            b"%41",
            b"\0",
            b"\xef\xbb\xbf",
            b"\xc2\xa0",
            b"\xe9",
            b"/a",
            b"/",
            b"?x=",
            b",",
            b":",
            b"disalow",
            b"Bot/1",
        ];
        let mut state = 1u64;
        let mut kinds = BTreeSet::new();
        for _ in 0..20_000 {
            let mut body = Vec::new();
            for _ in 0..24 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                body.extend_from_slice(pieces[(state >> 33) as usize % pieces.len()]);
            }
            let document = Document::parse(&body);
            for found in all(&body) {
                let (start, end) = (found.start as usize, found.end as usize);
                assert!(start <= end && end <= body.len(), "{found:?} in {}", body.escape_ascii());
                assert_eq!(document.line_at(start), found.line, "{found:?} in {}", body.escape_ascii());
                assert!(
                    !body[start..end].iter().any(|b| matches!(b, b'\n' | b'\r')),
                    "{found:?} in {}",
                    body.escape_ascii()
                );
                kinds.insert(found.code);
            }
        }
        assert!(kinds.len() > 25, "{kinds:?}");
    }
}
