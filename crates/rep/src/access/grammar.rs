//! What a path looks like, byte by byte: RFC 3986's path and query, as a dialect's spelling leaves them.

use crate::dialect::Spelling;

/// The paths that rules are held against: path and query of a URL (RFC 3986, 3.3 and 3.4; no fragment) in a dialect's normal form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    /// As the URL has them: escapes in either case, of any byte.
    Given,
    /// Made equal: escapes in upper case, none of an unreserved character, of `*` or of `$`.
    Equal,
}

/// How far a path has been read: [`START`], or a place inside an escape (0: between characters, 1: after its `%`,
/// from 2 on: after its first digit).
pub(super) type State = u16;

/// Nothing was read.
pub(super) const START: State = State::MAX;

/// Between two characters.
const BETWEEN: State = 0;
/// After the `%` of an escape.
const IN_ESCAPE: State = 1;
/// After the first digit of an escape, plus what matters of that digit.
const AFTER_DIGIT: State = 2;

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
/// RFC 3986, 2.3, and the two characters that rules use: in a path made equal they are never escaped.
const NEVER_ESCAPED: u128 = mask(b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~*$");

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
            Spelling::RuleEscaped => Grammar::Given,
        }
    }

    /// The state after one more byte; `None` where no path goes on with it.
    pub(super) fn step(self, state: State, byte: u8) -> Option<State> {
        match state {
            START => (byte == b'/').then_some(BETWEEN),
            BETWEEN if byte == b'%' => Some(IN_ESCAPE),
            BETWEEN => has(PLAIN_MASK, byte).then_some(BETWEEN),
            _ => {
                let digit = self.digit(byte)?;
                match (self, state) {
                    (Grammar::Given, IN_ESCAPE) => Some(AFTER_DIGIT),
                    // Only from 2 to 7 the first digit limits the second.
                    (Grammar::Equal, IN_ESCAPE) => Some(AFTER_DIGIT + if digit < 8 { State::from(digit) } else { 0 }),
                    (Grammar::Given, _) => Some(BETWEEN),
                    (Grammar::Equal, _) => {
                        let value = ((state - AFTER_DIGIT) as u8) << 4 | digit;
                        (!has(NEVER_ESCAPED, value)).then_some(BETWEEN)
                    }
                }
            }
        }
    }

    fn digit(self, byte: u8) -> Option<u8> {
        if self != Grammar::Given && byte.is_ascii_lowercase() {
            return None;
        }
        (byte as char).to_digit(16).map(|digit| digit as u8)
    }

    /// Whether a path may end here.
    pub(super) fn may_end(self, state: State) -> bool {
        state == BETWEEN
    }

    /// Whether the state lies inside an escape: only [`DIGITS`] lead on.
    pub(super) fn in_escape(state: State) -> bool {
        state != START && state != BETWEEN
    }

    /// Whether a text is a path.
    pub(super) fn holds(self, text: &[u8]) -> bool {
        text.iter().try_fold(START, |state, byte| self.step(state, *byte)).is_some_and(|state| self.may_end(state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path;

    #[test]
    fn a_path_made_equal_stays_as_it_is_and_every_other_becomes_one() {
        let mut paths = 0;
        let mut changed = 0;
        for one in 0..=255_u8 {
            for two in 0..=255_u8 {
                for text in [vec![b'/', one, two], vec![b'/', b'%', one, two], vec![b'/', b'%', b'3', one, two]] {
                    let mut equal = Vec::new();
                    path::push_equal(&text, b'*', &mut equal);
                    if Grammar::Given.holds(&text) {
                        paths += 1;
                        changed += usize::from(equal != text);
                        assert!(Grammar::Equal.holds(&equal), "{text:?}");
                        assert_eq!(Grammar::Equal.holds(&text), equal == text, "{text:?}");
                    } else {
                        assert!(!Grammar::Equal.holds(&text), "{text:?}");
                    }
                }
            }
        }
        assert!(paths > 6_000 && changed > 200, "{paths} {changed}");
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
