//! Path patterns: what they are, and matching them in linear time.

use memchr::{memchr, memmem};

/// A compiled path pattern: literal pieces with wildcards between them, maybe pinned to the end of the path.
///
/// The text lies elsewhere (in the body, or in an arena where it had to be rewritten); this says how to read it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pattern {
    /// The first up to eight bytes of the literal part before any wildcard, little-endian.
    pub(crate) head: u64,
    /// Ones over those bytes of `head` that count.
    pub(crate) mask: u64,
    /// Where the text begins.
    pub(crate) start: u32,
    /// Bytes of the text, without a final `$` and without trailing wildcards of an unpinned pattern.
    pub(crate) length: u32,
    /// The byte that stands for the wildcard: `*`, or 0 in a text that holds `*` as a plain character.
    pub(crate) star: u8,
    /// Whether the text holds a wildcard.
    pub(crate) wild: bool,
    /// Whether `$` pins it to the end of the path.
    pub(crate) pinned: bool,
    /// Whether the text lies in the arena and not in the body.
    pub(crate) in_arena: bool,
}

/// The first eight bytes of a path, for comparing with [`Pattern::head`].
pub(crate) fn head(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = text.len().min(8);
    bytes[..length].copy_from_slice(&text[..length]);
    u64::from_le_bytes(bytes)
}

/// Longest piece, and longest path, for which comparing at every place beats setting up a search: both bound the work by a constant.
const SHORT_PIECE: usize = 8;
const SHORT_PATH: usize = 128;

/// Where a piece first occurs. Linear; what is short on both sides is compared place by place, which costs less than the
/// searcher's preparation. That matters because a hostile file has a hundred thousand rules for it.
fn find(path: &[u8], piece: &[u8]) -> Option<usize> {
    match piece {
        [] => Some(0),
        [byte] => memchr(*byte, path),
        [first, rest @ ..] if piece.len() <= SHORT_PIECE && path.len() <= SHORT_PATH => {
            let mut from = 0;
            while let Some(at) = path.get(from..).and_then(|tail| memchr(*first, tail)) {
                if path[from + at + 1..].starts_with(rest) {
                    return Some(from + at);
                }
                from += at + 1;
            }
            None
        }
        _ => memmem::find(path, piece),
    }
}

impl Pattern {
    /// Compiles a text whose wildcards are `star`, and whose final `$`, if `pinned`, is cut off already.
    pub(crate) fn new(mut text: &[u8], star: u8, pinned: bool, start: u32, in_arena: bool) -> Pattern {
        if !pinned {
            // A trailing wildcard changes nothing (spec 6.4).
            while let [rest @ .., last] = text {
                if *last != star {
                    break;
                }
                text = rest;
            }
        }
        let wildcard = memchr(star, text);
        let literal = wildcard.unwrap_or(text.len()).min(8);
        Pattern {
            head: head(&text[..literal]),
            mask: if literal == 0 { 0 } else { u64::MAX >> (64 - 8 * literal) },
            start,
            length: text.len() as u32,
            star,
            wild: wildcard.is_some(),
            pinned,
            in_arena,
        }
    }

    /// A text without wildcards, whatever bytes it holds: it matches what begins with it, or is it where it is pinned.
    pub(crate) fn plain(text: &[u8], pinned: bool, start: u32, in_arena: bool) -> Pattern {
        let literal = text.len().min(8);
        Pattern {
            head: head(text),
            mask: if literal == 0 { 0 } else { u64::MAX >> (64 - 8 * literal) },
            start,
            length: text.len() as u32,
            star: b'*',
            wild: false,
            pinned,
            in_arena,
        }
    }

    /// Whether comparing heads is all there is to matching. Not with a NUL in it (only the convention of 1994 keeps one): the head of a
    /// short path is filled up with those.
    pub(crate) fn is_head(&self) -> bool {
        let zero_bytes =
            (self.head.wrapping_sub(0x0101_0101_0101_0101) & !self.head & 0x8080_8080_8080_8080) & self.mask;
        !self.wild && !self.pinned && self.length <= 8 && zero_bytes == 0
    }

    /// Whether it matches a path, given both texts; the caller has compared the heads.
    ///
    /// Linear in pattern and path together: pieces between wildcards are found leftmost, one after the other, so
    /// that the search never goes back. Leftmost is enough: whatever a later piece could match after a
    /// later occurrence, it can match after the first one too. Hostile files make this matter: both texts are strangers'.
    pub(crate) fn matches(&self, text: &[u8], path: &[u8]) -> bool {
        if !self.wild {
            return if self.pinned { path == text } else { path.starts_with(text) };
        }
        let mut pieces = text;
        let mut rest = path;
        // Invariant: `pieces` begins with the piece that must come next, `rest` is what of the path is not yet used;
        // `first` says that the piece has to stand at the very start.
        let mut first = true;
        loop {
            let Some(wildcard) = memchr(self.star, pieces) else {
                // The last piece. Unpinned it may stand anywhere, pinned it must end the path.
                return if self.pinned { rest.ends_with(pieces) } else { find(rest, pieces).is_some() };
            };
            let piece = &pieces[..wildcard];
            pieces = &pieces[wildcard + 1..];
            if first {
                first = false;
                match rest.strip_prefix(piece) {
                    Some(after) => rest = after,
                    None => return false,
                }
            } else if !piece.is_empty() {
                match find(rest, piece) {
                    Some(at) => rest = &rest[at + piece.len()..],
                    None => return false,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, path: &str) -> bool {
        let pinned = pattern.ends_with('$');
        let text = pattern.strip_suffix('$').unwrap_or(pattern).as_bytes();
        let compiled = Pattern::new(text, b'*', pinned, 0, false);
        (head(path.as_bytes()) ^ compiled.head) & compiled.mask == 0
            && compiled.matches(&text[..compiled.length as usize], path.as_bytes())
    }

    /// The published matcher's idea, as the oracle: the set of positions reached after each byte of the pattern.
    fn positions(pattern: &str, path: &str) -> bool {
        let path = path.as_bytes();
        let mut reached = vec![0];
        for (at, byte) in pattern.bytes().enumerate() {
            if byte == b'$' && at + 1 == pattern.len() {
                return reached.contains(&path.len());
            }
            reached = if byte == b'*' {
                reached.first().map_or(Vec::new(), |first| (*first..=path.len()).collect())
            } else {
                reached.iter().filter(|at| path.get(**at) == Some(&byte)).map(|at| at + 1).collect()
            };
        }
        !reached.is_empty()
    }

    #[test]
    fn agrees_with_the_position_set_on_all_short_texts() {
        let words = |letters: &[u8], longest: usize| {
            let mut all = vec![String::new()];
            let mut from = 0;
            for _ in 0..longest {
                let to = all.len();
                for at in from..to {
                    for letter in letters {
                        all.push(format!("{}{}", all[at], *letter as char));
                    }
                }
                from = to;
            }
            all
        };
        let mut compared = 0;
        for pattern in words(b"/a*$", 5) {
            for path in words(b"/a$", 4) {
                let path = format!("/{path}");
                assert_eq!(check(&pattern, &path), positions(&pattern, &path), "{pattern} on {path}");
                compared += 1;
            }
        }
        assert!(compared > 100_000);
    }

    #[test]
    fn a_short_path_does_not_end_in_nul() {
        let pattern = Pattern::plain(b"/\0", false, 0, false);
        assert!((head(b"/") ^ pattern.head) & pattern.mask == 0 && !pattern.is_head());
        assert!(!pattern.matches(b"/\0", b"/") && pattern.matches(b"/\0", b"/\0x"));
        assert!(Pattern::plain(b"/abcdefg", false, 0, false).is_head());
        assert!(!Pattern::plain(b"/abcdefgh", false, 0, false).is_head());
    }

    #[test]
    fn many_wildcards_stay_linear() {
        let pattern = format!("/{}$", "*a".repeat(8_000));
        let path = format!("/{}b", "a".repeat(2_047));
        assert!(!check(&pattern, &path));
        assert!(check(&format!("/{}", "*a".repeat(2_000)), &path));
    }
}
