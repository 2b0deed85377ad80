//! Common Crawl's own study (robotstxt-experiments, 2016-2025): which rule sets are exactly one of six texts.

use super::groups::{Groups, Tally};
use super::{Class, Classifier, Sorted, Subject, lower};
use rep::{AccessClass, Basis};

/// The study's classifier.
pub(super) const CLASSIFIER: Classifier = Classifier {
    name: "cc-2025",
    study: "Common Crawl robotstxt-experiments (2016-2025)",
    subject: Subject::Agents,
    about: "Whether the rules of a name, else those of `*`, are one single rule that closes or opens all.",
    classes: &[
        Class {
            word: "disallow-all",
            about: "There is one rule, and it is `Disallow: /`.",
            access: Some((AccessClass::None, AccessClass::None)),
        },
        Class { word: "allow-part", about: "Any other rules.", access: Some((AccessClass::Some, AccessClass::Some)) },
        Class {
            word: "allow-all",
            about: "There is one rule: an empty disallow rule, or an allow rule that is empty, `/`, `*` or `/*`.",
            access: Some((AccessClass::All, AccessClass::All)),
        },
    ],
    defects: &[
        "after the first rule of a file each user-agent line begins a group of its own: of stacked agents only the last gets the rules",
        "it is disallow-all only if the sole rule is exactly `/`: `/*`, a rule stated twice or a needless second rule make it allow-part",
        "an agent whose group has no rules vanishes, and is counted as if only `*` were there",
        "agents that no group names have no class where `*` has no rules, though all is open to them",
        "names longer than 32 bytes are left out unless they are letters, `-` and `_` alone",
        "a name with a version or a second word is another name",
        "lines end at LF alone, so a file that ends them with CR has one line",
    ],
};

const DISALLOW_ALL: usize = 0;
const ALLOW_PART: usize = 1;
const ALLOW_ALL: usize = 2;

/// Longest name that need not be a product token.
const LONGEST_NAME: usize = 32;

/// What the study's reader makes of a file.
pub(super) fn sort(body: &[u8]) -> Sorted {
    let mut groups = Groups::<Rules>::default();
    let mut seen = false;
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let lines = if opens_as_page(body) { &[][..] } else { body };
    for line in lines.split(|byte| *byte == b'\n') {
        let Some((field, value)) = directive(line) else { continue };
        match field {
            Field::UserAgent => {
                if seen {
                    groups.begin();
                }
                groups.name_once(&value);
            }
            Field::Allow | Field::Disallow => {
                seen = true;
                groups.rules().count(field == Field::Allow, &value);
                if !groups.has_names() {
                    *groups.rules() = Rules::default();
                }
            }
        }
    }
    let with_rules = groups.finish().into_iter().filter(|(_, rules)| rules.count > 0);
    let named: Vec<(Box<str>, usize)> = with_rules
        .filter(|(name, _)| name.chars().count() <= LONGEST_NAME || is_token(name))
        .map(|(name, rules)| (lower(&name).into(), rules.class()))
        .collect();
    let star = named.iter().find(|(name, _)| &**name == "*").map(|(_, class)| *class);
    Sorted { named, star, others: star.map(|star| (star, Basis::Wildcard)) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    UserAgent,
    Allow,
    Disallow,
}

const FIELDS: [(&[u8], Field); 3] =
    [(b"user-agent", Field::UserAgent), (b"disallow", Field::Disallow), (b"allow", Field::Allow)];

/// The field and value of a line that begins with one of the three, blanks before it aside.
fn directive(line: &[u8]) -> Option<(Field, String)> {
    let line = trim_start(line);
    let (name, field) =
        FIELDS.iter().find(|(name, _)| line.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name)))?;
    let rest = trim_start(line.get(name.len()..)?);
    // Blanks after the colon may be carriage returns; the value ends at the next one.
    let value = trim_start(rest.strip_prefix(b":")?);
    let end = memchr::memchr2(b'\r', b'#', value).unwrap_or(value.len());
    let value = String::from_utf8_lossy(value.get(..end)?);
    let words: Vec<&str> = value.split(super::is_python_blank).filter(|word| !word.is_empty()).collect();
    Some((*field, words.join(" ")))
}

fn trim_start(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | 0x09..=0x0d)).count();
    text.get(blanks..).unwrap_or_default()
}

/// Whether a body opens as an HTML page: the study passes over those.
fn opens_as_page(body: &[u8]) -> bool {
    [&b"<html"[..], b"<!doctype html"].iter().any(|opening| {
        let ends = |next: Option<&u8>| next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        body.get(..opening.len()).is_some_and(|head| head.eq_ignore_ascii_case(opening))
            && ends(body.get(opening.len()))
    })
}

fn is_token(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'))
}

/// The rules of a name: how many, and what the first one alone would be.
#[derive(Debug, Default, Clone, Copy)]
struct Rules {
    count: u64,
    alone: usize,
}

impl Rules {
    fn count(&mut self, allow: bool, value: &str) {
        let alone = match (allow, value) {
            (false, "/") => DISALLOW_ALL,
            (false, "") | (true, "" | "/" | "*" | "/*") => ALLOW_ALL,
            _ => ALLOW_PART,
        };
        self.add(&Rules { count: 1, alone });
    }

    fn class(self) -> usize {
        if self.count == 1 { self.alone } else { ALLOW_PART }
    }
}

impl Tally for Rules {
    fn add(&mut self, later: &Rules) {
        if self.count == 0 {
            self.alone = later.alone;
        }
        self.count += later.count;
    }
}
