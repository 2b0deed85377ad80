//! The Passau study of content control (Dinzinger and Granitzer 2024): which named agents are shut out by one rule.

use super::groups::{Groups, Tally};
use super::{Class, Classifier, Sorted, Subject, after};
use rep::AccessClass;
use std::borrow::Cow;

/// The study's classifier.
pub(super) const CLASSIFIER: Classifier = Classifier {
    name: "passau",
    study: "A Longitudinal Study of Content Control Mechanisms (Dinzinger, Granitzer 2024)",
    subject: Subject::Agents,
    about: "Whether a name in the file, or `*`, has a single rule with a path, and that shuts it out.",
    classes: &[
        Class {
            word: "disallow-all",
            about: "The rules of the name are one disallow rule with a path, which matches `/42`.",
            access: Some((AccessClass::None, AccessClass::None)),
        },
        Class {
            word: "other",
            about: "The file names it and does not shut it out in this way.",
            access: Some((AccessClass::Some, AccessClass::All)),
        },
    ],
    defects: &[
        "it is disallow-all only if there is one disallow rule and neither an allow rule nor an empty disallow rule: a rule stated twice is none",
        "a rule such as `/4` shuts out, because the one path that is asked about is `/42`",
        "a name that a list of agents holds twice has its rules twice, so it is never shut out",
        "a name with a version or a second word is another name",
        "agents that are not named have no class: the general rules are counted for `*` alone",
    ],
};

const DISALLOW_ALL: usize = 0;
const OTHER: usize = 1;

/// What the study's reader makes of a file.
pub(super) fn sort(body: &[u8]) -> Sorted {
    let text = decode(body);
    let mut groups = Groups::<Rules>::default();
    let mut after_agent = false;
    for line in text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        let line = line.split('#').next().unwrap_or_default().trim_matches(is_java_blank);
        match directive(line) {
            Some((Field::UserAgent, name)) => {
                if !after_agent {
                    groups.begin();
                }
                groups.name(&name.to_lowercase());
                after_agent = true;
            }
            Some((Field::Allow, value)) => {
                // An allow rule without a path counts for nothing.
                let rules = groups.rules();
                rules.others += u64::from(!value.is_empty());
                after_agent = false;
            }
            Some((Field::Disallow, value)) => {
                let rules = groups.rules();
                if value.is_empty() {
                    rules.others += 1;
                } else {
                    rules.disallows += 1;
                    rules.closes |= matches(value, "/42");
                }
                after_agent = false;
            }
            None => {}
        }
        if !groups.has_names() {
            *groups.rules() = Rules::default();
        }
    }
    let named: Vec<(Box<str>, usize)> =
        groups.finish().into_iter().map(|(name, rules)| (name, rules.class())).collect();
    let star = named.iter().find(|(name, _)| &**name == "*").map(|(_, class)| *class);
    Sorted { named, star, others: None }
}

/// The rules of a name.
#[derive(Debug, Default, Clone, Copy)]
struct Rules {
    disallows: u64,
    /// Allow rules with a path, and disallow rules without.
    others: u64,
    closes: bool,
}

impl Rules {
    fn class(self) -> usize {
        if self.disallows == 1 && self.others == 0 && self.closes { DISALLOW_ALL } else { OTHER }
    }
}

impl Tally for Rules {
    fn add(&mut self, later: &Rules) {
        self.disallows += later.disallows;
        self.others += later.others;
        self.closes |= later.closes;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    UserAgent,
    Allow,
    Disallow,
}

/// The spellings that the study takes for each field: it also reads a good many slips.
const SPELLINGS: [(Field, &[&str]); 3] = [
    (
        Field::UserAgent,
        &[
            "user-agent",
            "user agent",
            "useragent",
            "user-agents",
            "users-agent",
            "user-agnet",
            "useg-agent",
            "ser-agent",
        ],
    ),
    (Field::Allow, &["allow"]),
    (
        Field::Disallow,
        &[
            "disallow",
            "disallows",
            "disallaw",
            "disalow",
            "disllow",
            "dissallow",
            "dissalow",
            "diallow",
            "diasllow",
            "desallow",
            "dsallow",
            "dssalow",
        ],
    ),
];

/// The field and value of a line; a blank may stand for the colon.
fn directive(line: &str) -> Option<(Field, &str)> {
    SPELLINGS.iter().find_map(|(field, spellings)| {
        spellings.iter().find_map(|spelling| {
            let rest = after(line, spelling)?;
            let value = rest.trim_start_matches([' ', '\t']);
            let value = match value.strip_prefix(':') {
                Some(value) => value,
                None if value.len() < rest.len() => value,
                None => return None,
            };
            Some((*field, value.trim_matches(is_java_blank)))
        })
    })
}

/// Whether a pattern matches a path: `*` is any text, `$` at the end is the end.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, anchored) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            match rest.split_once(part) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
    }
    match (last, anchored) {
        (None, anchored) => !anchored || rest.is_empty(),
        (Some(part), true) => rest.ends_with(part),
        (Some(part), false) => rest.contains(part),
    }
}

/// What Java's `trim` takes away.
fn is_java_blank(char: char) -> bool {
    char <= ' '
}

/// The text of a body: UTF-16 where it is marked so, else UTF-8.
fn decode(body: &[u8]) -> Cow<'_, str> {
    let wide = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.chunks_exact(2).filter_map(|pair| Some(unit(pair.try_into().ok()?)));
        Cow::Owned(char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
    };
    match body {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        _ => String::from_utf8_lossy(body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_texts_with_stars() {
        let cases = [
            ("/", true),
            ("/*", true),
            ("*", true),
            ("/4", true),
            ("/42", true),
            ("/42$", true),
            ("/4$", false),
            ("/*2$", true),
            ("/*4$", false),
            ("/$", false),
            ("/43", false),
            ("42", false),
            ("*4*2*", true),
            ("*2*4", false),
            ("$", false),
            ("**$", true),
        ];
        for (pattern, expected) in cases {
            assert_eq!(matches(pattern, "/42"), expected, "{pattern}");
        }
    }
}
