//! Names of fields: which are known, which look like somebody's, and which are near misses of the protocol's.

use crate::line::{self, Field};

/// Fields outside the protocol that are known by name, in lower case.
pub const EXTENSIONS: [&str; 9] = [
    CRAWL_DELAY,
    CONTENT_SIGNAL,
    CONTENT_USAGE,
    "license",
    "host",
    "clean-param",
    NOINDEX,
    "request-rate",
    "visit-time",
];

pub(super) const CRAWL_DELAY: &str = "crawl-delay";
pub(super) const CONTENT_SIGNAL: &str = "content-signal";
pub(super) const CONTENT_USAGE: &str = "content-usage";
pub(super) const NOINDEX: &str = "noindex";

/// The fields of the protocol.
const PROTOCOL: [&str; 4] = ["user-agent", "disallow", "allow", "sitemap"];

/// The longest field name that is taken for one: longer texts before a colon are prose or markup.
const LONGEST_FIELD: usize = 40;

/// The known extension of this name, in lower case.
pub(super) fn extension(name: &[u8]) -> Option<&'static str> {
    EXTENSIONS.into_iter().find(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// The field of the protocol with this name.
pub(super) fn protocol(name: &[u8]) -> Option<&'static str> {
    PROTOCOL.into_iter().find(|field| name.eq_ignore_ascii_case(field.as_bytes()))
}

/// Whether a text could be somebody's field name: letters, digits, `-`, `_` and single blanks, beginning with a letter.
pub(super) fn is_field_name(name: &[u8]) -> bool {
    (1..=LONGEST_FIELD).contains(&name.len())
        && name[0].is_ascii_alphabetic()
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b' '))
}

/// The field that a name is meant for: Google's parser takes it for that, or it is at most two edits from it.
pub(super) fn meant(name: &[u8]) -> Option<&'static str> {
    match line::google_field(name) {
        Field::UserAgent => return Some("user-agent"),
        Field::Disallow => return Some("disallow"),
        Field::Allow => return Some("allow"),
        Field::Sitemap => return Some("sitemap"),
        Field::Other | Field::None => {}
    }
    if name.len() > LONGEST_MISSPELT {
        return None;
    }
    let letters = letters(name);
    PROTOCOL.into_iter().find(|field| {
        // An edit takes at most one letter away and brings at most one: most names are told by that alone.
        (letters ^ self::letters(field.as_bytes())).count_ones() as usize <= 2 * most_edits(field)
            && is_near(name, field)
    })
}

/// Edits that make a near miss. A short name has too many neighbours for two: `allow` is two from `follow`.
const fn most_edits(field: &str) -> usize {
    if field.len() < 8 { 1 } else { 2 }
}

/// Whether a name is a near miss of a field.
pub(super) fn is_near(name: &[u8], field: &str) -> bool {
    let most = most_edits(field);
    name.len().abs_diff(field.len()) <= most && is_within(name, field.as_bytes(), most)
}

/// Which letters a name has, a bit each.
fn letters(name: &[u8]) -> u32 {
    name.iter().filter(|byte| byte.is_ascii_alphabetic()).fold(0, |set, byte| set | 1 << (byte & 31))
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

/// Characters that cannot be seen, in UTF-8: no-break and other odd spaces, soft hyphen, zero-width characters, marks of
/// direction, line separators, byte order mark. The last is a byte order mark that was read as Latin-1 and written as UTF-8.
const INVISIBLE: [&[u8]; 19] = [
    b"\xc2\xa0",
    b"\xc2\xad",
    b"\xe2\x80\x8b",
    b"\xe2\x80\x8c",
    b"\xe2\x80\x8d",
    b"\xe2\x80\x8e",
    b"\xe2\x80\x8f",
    b"\xe2\x80\xa8",
    b"\xe2\x80\xa9",
    b"\xe2\x80\xaa",
    b"\xe2\x80\xab",
    b"\xe2\x80\xac",
    b"\xe2\x80\xad",
    b"\xe2\x80\xae",
    b"\xe2\x80\xaf",
    b"\xe2\x81\xa0",
    b"\xe3\x80\x80",
    b"\xef\xbb\xbf",
    b"\xc3\xaf\xc2\xbb\xc2\xbf",
];

/// The first run of invisible characters in a text: where it begins and ends.
pub(super) fn invisible(text: &[u8]) -> Option<(usize, usize)> {
    let length_at = |at: usize| INVISIBLE.iter().find(|mark| text[at..].starts_with(mark)).map(|mark| mark.len());
    let start = (0..text.len()).find(|at| text[*at] >= 0x80 && length_at(*at).is_some())?;
    let mut end = start;
    while let Some(length) = length_at(end) {
        end += length;
    }
    Some((start, end))
}

/// Invisible characters in a value that cannot be meant: those without any width anywhere, others at its ends. Text that was
/// decoded in the wrong encoding has no-break spaces and the like behind letters with accents; those are not told.
pub(super) fn hidden(value: &[u8]) -> Option<(usize, usize)> {
    let is_wide = |text: &[u8]| text.starts_with(b"\xc2") || text.starts_with(b"\xe3");
    let mut from = 0;
    while let Some((start, end)) = value.get(from..).and_then(invisible) {
        let (start, end) = (from + start, from + end);
        let is_decoding = value[..start].ends_with(b"\xc3\x82") || value[..start].ends_with(b"\xc3\x83");
        let is_at_end = (start == 0 || end == value.len()) && !is_decoding;
        if is_at_end || !is_wide(&value[start..]) {
            return Some((start, end));
        }
        from = end;
    }
    None
}

/// A name without invisible characters and blanks at its ends.
pub(super) fn visible(mut name: &[u8]) -> &[u8] {
    loop {
        let before = name.len();
        name = name.trim_ascii();
        for mark in INVISIBLE {
            name = name.strip_prefix(mark).unwrap_or(name);
            name = name.strip_suffix(mark).unwrap_or(name);
        }
        if name.len() == before {
            return name;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_told_from_other_names() {
        let near = |name: &str| meant(name.as_bytes());
        for name in ["disallow", "Disalow", "dissallow", "idsallow", "disallwo", "dsallow", "disaloww", "DISALLOWED"] {
            assert_eq!(near(name), Some("disallow"), "{name}");
        }
        for name in ["alow", "allwo", "allows"] {
            assert_eq!(near(name), Some("allow"), "{name}");
        }
        for name in ["useragnt", "usr-agent", "user_agent", "user agent"] {
            assert_eq!(near(name), Some("user-agent"), "{name}");
        }
        for name in ["sitemaps", "site map", "stiemap", "sitmap", "site-map"] {
            assert_eq!(near(name), Some("sitemap"), "{name}");
        }
        for name in
            ["follow", "host", "crawl-delay", "noindex", "agent", "a", "sale", "dis", "map", "", "allaw-not-this"]
        {
            assert_eq!(near(name), None, "{name}");
        }
        assert!(!is_within(b"", b"allow", 1) && is_within(b"llow", b"allow", 1) && is_within(b"lalow", b"allow", 1));
    }

    #[test]
    fn the_letters_never_hide_a_near_miss() {
        // Every name at one or two edits, made by hand from the field: the shortcut by letters must let it through.
        let edits = |name: &[u8]| {
            let mut all = Vec::new();
            for at in 0..=name.len() {
                for letter in *b"aw-x" {
                    all.push([&name[..at], &[letter][..], &name[at..]].concat());
                    if at < name.len() {
                        all.push([&name[..at], &[letter][..], &name[at + 1..]].concat());
                    }
                }
                if at < name.len() {
                    all.push([&name[..at], &name[at + 1..]].concat());
                }
                if at + 1 < name.len() {
                    all.push([&name[..at], &[name[at + 1], name[at]][..], &name[at + 2..]].concat());
                }
            }
            all
        };
        for once in edits(b"disallow") {
            for twice in edits(&once) {
                let near = is_within(&twice, b"disallow", 2);
                assert!(!near || meant(&twice).is_some(), "{}", twice.escape_ascii());
            }
        }
        for once in edits(b"allow") {
            assert!(meant(&once).is_some(), "{}", once.escape_ascii());
        }
    }

    #[test]
    fn invisible_characters_are_found_in_runs() {
        assert_eq!(invisible(b"/a"), None);
        assert_eq!(invisible("/é".as_bytes()), None);
        assert_eq!(invisible("/a\u{a0}\u{200b}b".as_bytes()), Some((2, 7)));
        assert_eq!(hidden("/a\u{a0}b".as_bytes()), None);
        assert_eq!(hidden("/a\u{a0}".as_bytes()), Some((2, 4)));
        assert_eq!(hidden("/a\u{a0}b\u{200b}c".as_bytes()), Some((5, 8)));
        assert_eq!(hidden("/\u{c3}\u{a0}".as_bytes()), None);
        assert_eq!(visible("\u{feff} \u{a0}user-agent\u{a0} ".as_bytes()), b"user-agent");
        assert_eq!(visible(b"\xc3\xaf\xc2\xbb\xc2\xbfallow"), b"allow");
        assert_eq!(visible("\u{feff}".as_bytes()), b"");
    }
}
