//! What a path looks like, byte by byte: RFC 3986's path and query, as a dialect's spelling leaves them.

use crate::dialect::Spelling;

/// The paths that rules are held against: path and query of a URL (RFC 3986, 3.3 and 3.4; no fragment) in a dialect's normal form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    /// As the URL has them: escapes in either case, of any byte.
    Given,
    /// Made equal: escapes in upper case, none of an unreserved character, of `*` or of `$`.
    Equal,
    /// As CPython quotes them: escapes in upper case, of every character that is not unreserved and no slash; UTF-8; no tab and no
    /// line end; and after the mark that begins parameters, a query or a fragment there is one.
    Requoted,
}

/// How far a path has been read: [`START`], or a place inside an escape (0: between characters, 1: after its `%`, from 2 on:
/// after its first digit), and for [`Grammar::Requoted`] above that a [part] and what UTF-8 still expects.
pub(super) type State = u16;

/// Nothing was read.
pub(super) const START: State = State::MAX;

/// Between two characters.
const BETWEEN: State = 0;
/// After the `%` of an escape.
const IN_ESCAPE: State = 1;
/// After the first digit of an escape, plus what matters of that digit.
const AFTER_DIGIT: State = 2;
/// The bits of the place.
const PLACE: State = 0x1f;
const PART_SHIFT: u32 = 5;
const EXPECTED_SHIFT: u32 = 8;

/// Parts of an address as CPython takes it apart, as far as they limit what may follow.
mod part {
    /// A segment of the path.
    pub(super) const SEGMENT: u16 = 0;
    /// Right after the first `;` of a segment: of the last one the mark would vanish.
    pub(super) const SEMICOLON: u16 = 1;
    pub(super) const PARAMETERS: u16 = 2;
    /// Right after the first `?`, and after the first `#`.
    pub(super) const QUESTION: u16 = 3;
    pub(super) const QUERY: u16 = 4;
    pub(super) const HASH: u16 = 5;
    pub(super) const FRAGMENT: u16 = 6;
}

/// Bytes between characters, in the order in which a path that is free to choose takes them: the readable ones first.
pub(super) const PLAIN: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~/?=&+,;:!@'()*$";
/// Digits of escapes.
pub(super) const DIGITS: &[u8] = b"0123456789ABCDEFabcdef";

const fn mask(bytes: &[u8]) -> u128 {
    let mut mask = 0;
    let mut at = 0;
    while at < bytes.len() {
        mask |= 1 << bytes[at];
        at += 1;
    }
    mask
}

const PLAIN_MASK: u128 = mask(PLAIN);
/// RFC 3986, 2.3.
const UNRESERVED: u128 = mask(b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~");

fn has(mask: u128, byte: u8) -> bool {
    byte < 128 && mask >> byte & 1 == 1
}

/// Whether some path holds this byte.
pub(super) fn in_paths(byte: u8) -> bool {
    byte == b'%' || has(PLAIN_MASK, byte)
}

impl Grammar {
    /// The grammar of the paths that a dialect's spelling leaves.
    pub(super) fn of(spelling: Spelling) -> Grammar {
        match spelling {
            Spelling::MadeEqual => Grammar::Equal,
            Spelling::RuleEscaped | Spelling::AsWritten => Grammar::Given,
            Spelling::Requoted => Grammar::Requoted,
        }
    }

    /// The state after one more byte; `None` where no path goes on with it.
    pub(super) fn step(self, state: State, byte: u8) -> Option<State> {
        if state == START {
            return (byte == b'/').then_some(BETWEEN);
        }
        let place = state & PLACE;
        if place == BETWEEN {
            if byte == b'%' {
                return Some(state | IN_ESCAPE);
            }
            return match self {
                Grammar::Requoted if has(UNRESERVED, byte) || byte == b'/' => self.after_character(state, byte),
                Grammar::Requoted => None,
                Grammar::Given | Grammar::Equal => has(PLAIN_MASK, byte).then_some(BETWEEN),
            };
        }
        if self != Grammar::Given && byte.is_ascii_lowercase() {
            return None;
        }
        let digit = (byte as char).to_digit(16)? as u8;
        if place == IN_ESCAPE {
            // All that the first digit means for the second.
            let matters = match self {
                Grammar::Given => 0,
                Grammar::Equal if digit >= 8 => 0,
                Grammar::Equal | Grammar::Requoted => digit,
            };
            return Some(state - IN_ESCAPE + AFTER_DIGIT + State::from(matters));
        }
        let value = ((place - AFTER_DIGIT) as u8) << 4 | digit;
        let is_escaped = match self {
            Grammar::Given => true,
            Grammar::Equal => !has(UNRESERVED, value) && !matches!(value, b'*' | b'$'),
            Grammar::Requoted => !has(UNRESERVED, value) && !matches!(value, b'/' | b'\t' | b'\n' | b'\r'),
        };
        if !is_escaped {
            return None;
        }
        match self {
            Grammar::Given | Grammar::Equal => Some(BETWEEN),
            Grammar::Requoted => self.after_character(state - place, value),
        }
    }

    /// Between characters, after a byte of one: what CPython makes of it.
    fn after_character(self, state: State, byte: u8) -> Option<State> {
        /// What UTF-8 expects: that many more bytes of 0x80 to 0xBF, or first a byte of a narrower range.
        const AFTER_E0: u16 = 4;
        const AFTER_ED: u16 = 5;
        const AFTER_F0: u16 = 6;
        const AFTER_F4: u16 = 7;
        let expected = match (state >> EXPECTED_SHIFT, byte) {
            (0, ..0x80) => 0,
            (0, 0xc2..=0xdf) => 1,
            (0, 0xe0) => AFTER_E0,
            (0, 0xed) => AFTER_ED,
            (0, 0xe1..=0xef) => 2,
            (0, 0xf0) => AFTER_F0,
            (0, 0xf1..=0xf3) => 3,
            (0, 0xf4) => AFTER_F4,
            (left @ 1..=3, 0x80..=0xbf) => left - 1,
            (AFTER_E0, 0xa0..=0xbf) | (AFTER_ED, 0x80..=0x9f) => 1,
            (AFTER_F0, 0x90..=0xbf) | (AFTER_F4, 0x80..=0x8f) => 2,
            _ => return None,
        };
        let part = match (state >> PART_SHIFT & 7, byte) {
            (part::SEMICOLON, b'?' | b'#') | (part::QUESTION, b'#') => return None,
            (part::SEGMENT, b';') => part::SEMICOLON,
            (part::SEGMENT | part::PARAMETERS, b'?') => part::QUESTION,
            (part::SEGMENT | part::PARAMETERS | part::QUERY, b'#') => part::HASH,
            (part::SEGMENT, _) | (part::SEMICOLON | part::PARAMETERS, b'/') => part::SEGMENT,
            (part::SEMICOLON | part::PARAMETERS, _) => part::PARAMETERS,
            (part::QUESTION | part::QUERY, _) => part::QUERY,
            _ => part::FRAGMENT,
        };
        Some(part << PART_SHIFT | expected << EXPECTED_SHIFT)
    }

    /// Whether a path may end here.
    pub(super) fn may_end(self, state: State) -> bool {
        let is_whole = state != START && state & PLACE == BETWEEN && state >> EXPECTED_SHIFT == 0;
        is_whole && !matches!(state >> PART_SHIFT & 7, part::SEMICOLON | part::QUESTION | part::HASH)
    }

    /// Whether the state lies inside an escape: only [`DIGITS`] lead on.
    pub(super) fn in_escape(state: State) -> bool {
        state != START && state & PLACE != BETWEEN
    }

    /// Whether a text is a path.
    pub(super) fn holds(self, text: &[u8]) -> bool {
        text.iter().try_fold(START, |state, byte| self.step(state, *byte)).is_some_and(|state| self.may_end(state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::evaluate::Paths;

    /// Of every path there is a normal form, which is a path of the dialect's grammar; and nothing else is.
    #[test]
    fn grammars_hold_normal_forms_and_nothing_else() {
        let mut paths = 0;
        let mut changed = 0;
        let mut check = |text: &[u8]| {
            let is_path = Grammar::Given.holds(text);
            paths += usize::from(is_path);
            let url = [b"http://a", text].concat();
            for dialect in [&Dialect::RFC9309, &Dialect::PYTHON] {
                let grammar = Grammar::of(dialect.spelling);
                let shown = String::from_utf8_lossy(text);
                if is_path {
                    let normal = Paths::new([url.as_slice()], dialect);
                    let normal = normal.text(0);
                    assert!(grammar.holds(normal), "{shown} in {}", dialect.name);
                    assert_eq!(grammar.holds(text), normal == text, "{shown} in {}", dialect.name);
                    changed += usize::from(normal != text);
                } else {
                    assert!(!grammar.holds(text), "{shown} in {}", dialect.name);
                }
            }
        };
        for one in 0..=255 {
            for two in 0..=255 {
                for text in [&[b'/', one, two][..], &[b'/', b'%', one, two], &[b'/', b'%', b'3', one, two]] {
                    check(text);
                }
            }
        }
        // Escapes beside each other: all that UTF-8 tells apart, and the marks of CPython's parts.
        let bytes: [u8; 20] = [
            0x41, 0x2f, 0x3b, 0x3f, 0x23, 0x09, 0x0d, 0x20, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc2, 0xe0, 0xed, 0xef,
            0xf0, 0xf4,
        ];
        let escaped = |bytes: &[u8]| bytes.iter().fold(String::from("/"), |text, byte| format!("{text}%{byte:02X}"));
        for one in bytes {
            for two in bytes {
                check(escaped(&[one, two]).as_bytes());
                for three in bytes {
                    check(escaped(&[one, two, three]).as_bytes());
                    for four in bytes {
                        check(escaped(&[one, two, three, four]).as_bytes());
                    }
                }
            }
        }
        assert!(paths > 170_000 && changed > 170_000, "{paths} {changed}");
    }

    #[test]
    fn what_a_url_can_carry() {
        for (text, expected) in [
            ("/", true),
            ("//a/?b?/c", true),
            ("/%2f%C3", true),
            ("", false),
            ("a", false),
            ("*", false),
            ("/%2", false),
            ("/%", false),
            ("/%zz", false),
            ("/a b", false),
            ("/a#b", false),
            ("/a|b", false),
            ("/[", false),
            ("/\"", false),
            ("/é", false),
        ] {
            assert_eq!(Grammar::Given.holds(text.as_bytes()), expected, "{text}");
        }
    }
}
