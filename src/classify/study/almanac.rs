//! The Web Almanac (HTTP Archive, 2025): which names a file has lines for, and how large it is.

use super::groups::{Groups, Tally};
use super::{Class, Classifier, Sorted, Subject, lower};
use rep::AccessClass;

const STUDY: &str = "Web Almanac, chapter SEO (HTTP Archive, 2025)";

/// Counts of lines by agent.
pub(super) const AGENTS: Classifier = Classifier {
    name: "web-almanac",
    study: STUDY,
    subject: Subject::Agents,
    about: "What lines stand under a name in the file, or under `*`; nothing is evaluated.",
    classes: &[
        Class {
            word: "disallow",
            about: "At least one disallow line.",
            access: Some((AccessClass::None, AccessClass::Some)),
        },
        Class {
            word: "allow",
            about: "At least one allow line and no disallow line.",
            access: Some((AccessClass::All, AccessClass::All)),
        },
        Class { word: "mention", about: "Neither.", access: Some((AccessClass::All, AccessClass::All)) },
    ],
    defects: &[
        "lines are counted and not evaluated: an empty `Disallow:` counts as one that closes",
        "any line between user-agent lines begins another group, a sitemap or a slip too",
        "a field with blanks before it is not known",
        "a name with a version or a second word is another name",
        "agents that are not named have no class",
        "`#` begins a comment only after a blank",
    ],
};

/// The size of a file.
pub(super) const SIZE: Classifier = Classifier {
    name: "web-almanac-size",
    study: STUDY,
    subject: Subject::File,
    about: "How large the file is, in KiB.",
    classes: &[
        Class { word: "0", about: "Empty.", access: None },
        Class { word: "0-100", about: "At most 100 KiB.", access: None },
        Class { word: "100-200", about: "Over 100 KiB, at most 200.", access: None },
        Class { word: "200-300", about: "Over 200 KiB, at most 300.", access: None },
        Class { word: "300-400", about: "Over 300 KiB, at most 400.", access: None },
        Class { word: "400-500", about: "Over 400 KiB, at most 500.", access: None },
        Class { word: ">500", about: "Over 500 KiB.", access: None },
    ],
    defects: &["what is counted are UTF-16 units of the decoded text, not bytes"],
};

const DISALLOW: usize = 0;
const ALLOW: usize = 1;
const MENTION: usize = 2;

/// What the study's script makes of a file.
pub(super) fn sort(text: &str) -> Sorted {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_end_matches(is_script_blank);
    let mut is_first = true;
    let mut groups = Groups::<Rules>::default();
    let mut after_agent = false;
    for line in text.split(['\n', '\r']) {
        let line = without_comment(line);
        // What is left of the text is trimmed as a whole.
        let line = if is_first { line.trim_start_matches(is_script_blank) } else { line };
        if line.is_empty() {
            continue;
        }
        is_first = false;
        let (field, value) = record(line).unwrap_or_default();
        let is_agent = field.eq_ignore_ascii_case("user-agent");
        if is_agent {
            if !after_agent {
                groups.begin();
            }
            groups.name(&lower(value));
        } else if groups.has_names() {
            let rules = groups.rules();
            rules.allow |= field.eq_ignore_ascii_case("allow");
            rules.disallow |= field.eq_ignore_ascii_case("disallow");
        }
        after_agent = is_agent;
    }
    let named: Vec<(Box<str>, usize)> =
        groups.finish().into_iter().map(|(name, rules)| (name, rules.class())).collect();
    let star = named.iter().find(|(name, _)| &**name == "*").map(|(_, class)| *class);
    Sorted { named, star, others: None }
}

/// The class of a file's size.
pub(super) fn size(text: &str) -> usize {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let units = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
    units.div_ceil(100 * 1024).min(SIZE.classes.len() - 1)
}

/// A line up to the first `#` that begins it or follows a blank.
fn without_comment(line: &str) -> &str {
    let begins =
        |at: &usize| line.get(..*at).is_some_and(|before| before.chars().next_back().is_none_or(is_script_blank));
    match memchr::memchr_iter(b'#', line.as_bytes()).find(begins).and_then(|at| line.get(..at)) {
        Some(before) => before.trim_end_matches(is_script_blank),
        None => line,
    }
}

/// The field and value of a line; the field begins it.
fn record(line: &str) -> Option<(&str, &str)> {
    let in_field = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let length = line.bytes().take_while(in_field).count();
    let (field, rest) = line.split_at_checked(length)?;
    let value = rest.trim_start_matches(is_script_blank).strip_prefix(':')?.trim_matches(is_script_blank);
    // The script's pattern ends at these.
    (length > 0 && !value.contains(['\u{2028}', '\u{2029}'])).then_some((field, value))
}

/// What JavaScript's `trim` takes away.
fn is_script_blank(char: char) -> bool {
    (char.is_whitespace() && char != '\u{85}') || char == '\u{feff}'
}

/// The lines under a name.
#[derive(Debug, Default, Clone, Copy)]
struct Rules {
    allow: bool,
    disallow: bool,
}

impl Rules {
    fn class(self) -> usize {
        match self {
            Rules { disallow: true, .. } => DISALLOW,
            Rules { allow: true, .. } => ALLOW,
            _ => MENTION,
        }
    }
}

impl Tally for Rules {
    fn add(&mut self, later: &Rules) {
        self.allow |= later.allow;
        self.disallow |= later.disallow;
    }
}
