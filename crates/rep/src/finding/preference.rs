//! Preferences for the use of content: Content-Signal (contentsignals.org) and Content-Usage (IETF draft
//! draft-ietf-aipref-attach), as far as a line can be told right from wrong.
//!
//! ```text
//! value = [ path blanks ] name "=" word *( "," name "=" word )      blanks may stand around names and words
//! ```

use super::code::FindingCode;
use super::name;

/// What may be said in a field.
pub(super) struct Vocabulary {
    /// The finding for lines that say something else.
    pub(super) code: FindingCode,
    /// Every known name with its words.
    names: &'static [(&'static str, &'static [&'static str])],
    /// The word that grants a use.
    grant: &'static str,
    /// Whether names that are not known are wrong, and not just ignored.
    closed: bool,
    /// What to say of a wrong word.
    words: &'static str,
}

const SIGNAL: Vocabulary = Vocabulary {
    code: FindingCode::BadContentSignal,
    names: &[
        ("search", &["yes", "no"]),
        ("ai-input", &["yes", "no"]),
        ("ai-train", &["yes", "no"]),
        // In the files that one operator manages for its customers since 2026.
        ("use", &["immediate", "reference", "full"]),
    ],
    grant: "yes",
    closed: true,
    words: "the value is `yes` or `no`",
};

const USAGE: Vocabulary = Vocabulary {
    code: FindingCode::BadContentUsage,
    names: &[("train-ai", &["y", "n"]), ("search", &["y", "n"])],
    grant: "y",
    closed: false,
    words: "the value is `y` or `n`",
};

/// The vocabulary of a field, given in lower case.
pub(super) fn vocabulary(field: &[u8]) -> Option<&'static Vocabulary> {
    match field {
        _ if field == name::CONTENT_SIGNAL.as_bytes() => Some(&SIGNAL),
        _ if field == name::CONTENT_USAGE.as_bytes() => Some(&USAGE),
        _ => None,
    }
}

/// Something wrong in a value; offsets are in the value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) remark: &'static str,
}

/// A value as read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Preference<'a> {
    /// The path it is for; empty for all.
    pub(super) path: &'a [u8],
    /// Where the first grant stands.
    pub(super) grant: Option<(usize, usize)>,
    /// What is wrong, in order; at most [`MOST_PROBLEMS`].
    pub(super) problems: Vec<Problem>,
}

/// Problems that are told of one line.
const MOST_PROBLEMS: usize = 8;

pub(super) fn read<'a>(value: &'a [u8], vocabulary: &Vocabulary) -> Preference<'a> {
    let mut read = Preference::default();
    let mut at = 0;
    if value.first() == Some(&b'/') {
        at = value.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(value.len());
        read.path = &value[..at];
    }
    for item in value[at..].split(|byte| *byte == b',') {
        let start = at + item.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        at += item.len() + 1;
        let item = item.trim_ascii();
        let (start, end) = if item.is_empty() { (0, value.len()) } else { (start, start + item.len()) };
        match judge(item, vocabulary) {
            Ok(true) => read.grant = read.grant.or(Some((start, end))),
            Ok(false) => {}
            Err(remark) => {
                read.problems.push(Problem { start, end, remark });
                if read.problems.len() == MOST_PROBLEMS {
                    break;
                }
            }
        }
    }
    read
}

/// Whether an item grants its use; else what is wrong with it.
fn judge(item: &[u8], vocabulary: &Vocabulary) -> Result<bool, &'static str> {
    let Some(equals) = memchr::memchr(b'=', item) else {
        return Err(if item.is_empty() { "there is nothing between two commas, or at all" } else { "there is no `=`" });
    };
    let (name, word) = (item[..equals].trim_ascii(), item[equals + 1..].trim_ascii());
    if name.is_empty()
        || !name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'*'))
    {
        return Err("this is no name");
    }
    match vocabulary.names.iter().find(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes())) {
        Some(("use", words)) if !is_in(word, words) => Err("the value is `immediate`, `reference` or `full`"),
        Some((_, words)) if !is_in(word, words) => Err(vocabulary.words),
        Some(_) => Ok(word.eq_ignore_ascii_case(vocabulary.grant.as_bytes())),
        None if vocabulary.closed => Err("no such signal is known"),
        None if word.is_empty() => Err("there is no value"),
        None => Ok(false),
    }
}

fn is_in(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_right_or_wrong() {
        let remarks = |value: &'static str, vocabulary: &Vocabulary| -> Vec<&str> {
            read(value.as_bytes(), vocabulary).problems.iter().map(|problem| problem.remark).collect()
        };
        for right in
            ["search=yes, ai-input=no,ai-train=no", "ai-train = no", "search=yes,use=reference", "/a ai-train=no"]
        {
            assert_eq!(remarks(right, &SIGNAL), [""; 0], "{right}");
        }
        for right in ["train-ai=n, search=y", "/open/ train-ai=y", "ai=n", "bots=n"] {
            assert_eq!(remarks(right, &USAGE), [""; 0], "{right}");
        }
        assert_eq!(remarks("ai_train=no", &SIGNAL), ["no such signal is known"]);
        assert_eq!(remarks("search=y", &SIGNAL), ["the value is `yes` or `no`"]);
        assert_eq!(remarks("use=never", &SIGNAL), ["the value is `immediate`, `reference` or `full`"]);
        assert_eq!(remarks("search", &SIGNAL), ["there is no `=`"]);
        assert_eq!(remarks("", &SIGNAL).len(), 1);
        assert_eq!(remarks("train-ai=no", &USAGE), ["the value is `y` or `n`"]);
        assert_eq!(remarks("ai=", &USAGE), ["there is no value"]);
        assert_eq!(remarks("a b=n", &USAGE), ["this is no name"]);
        assert_eq!(read(",".repeat(1000).as_bytes(), &USAGE).problems.len(), MOST_PROBLEMS);
    }

    #[test]
    fn places_are_those_of_the_items() {
        let read = read(b"/p  ai=n,  search=y , train-ai=maybe", &USAGE);
        assert_eq!((read.path, read.grant), (&b"/p"[..], Some((11, 19))));
        assert_eq!(read.problems, [Problem { start: 22, end: 36, remark: "the value is `y` or `n`" }]);
    }
}
