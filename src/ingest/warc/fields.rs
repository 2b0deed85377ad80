//! Lines of the form `name: value`, as WARC and HTTP heads share them.

use memchr::memchr;

/// The line without the carriage returns at its end (a few archives double them).
pub(super) fn without_cr(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    line
}

/// The value without blanks around it.
pub(super) fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\r', rest @ ..] | [rest @ .., b' ' | b'\t' | b'\r'] = value {
        value = rest;
    }
    value
}

/// Name and value of a line; `None` when it has no colon. Blanks before the colon do not belong to the name.
///
/// `likely` are the lengths of the names that are wanted: looking there first saves most searches for the colon. A name
/// that is split at a later colon than its first is not one of those anyway.
#[inline]
pub(super) fn split<'a>(line: &'a [u8], likely: &[usize]) -> Option<(&'a [u8], &'a [u8])> {
    let at_likely = likely.iter().copied().find(|at| line.get(*at) == Some(&b':'));
    let colon = at_likely.or_else(|| memchr(b':', line))?;
    let (name, value) = line.split_at_checked(colon)?;
    Some((trim(name), trim(value.get(1..)?)))
}

/// Writes a head anew with every folded line joined to the one before it by one blank.
pub(super) fn unfold(head: &[u8], unfolded: &mut Vec<u8>) {
    unfolded.clear();
    for (number, line) in head.split_inclusive(|b| *b == b'\n').enumerate() {
        let folded = number > 0
            && matches!(line, [b' ' | b'\t', ..])
            && !trim(line.strip_suffix(b"\n").unwrap_or(line)).is_empty();
        if folded {
            while matches!(unfolded.last(), Some(b'\n' | b'\r')) {
                unfolded.pop();
            }
            unfolded.push(b' ');
            unfolded.extend_from_slice(line.trim_ascii_start());
        } else {
            unfolded.extend_from_slice(line);
        }
    }
}

/// Digits and nothing else; a number too large for 64 bits is the largest there is.
pub(super) fn length(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits
        .iter()
        .try_fold(0u64, |sum, b| b.is_ascii_digit().then(|| sum.saturating_mul(10).saturating_add(u64::from(b - b'0'))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_lines_become_one() {
        let mut unfolded = Vec::new();
        unfold(b"A: 1\r\n  2\r\n\t3\r\nB: 4\r\n\r\n", &mut unfolded);
        assert_eq!(unfolded, b"A: 1 2 3\r\nB: 4\r\n\r\n");
        unfold(b"A:\n x\n\n", &mut unfolded);
        assert_eq!(unfolded, b"A: x\n\n");
    }

    #[test]
    fn lengths() {
        assert_eq!(length(b"0"), Some(0));
        assert_eq!(length(b"9223372036854775808"), Some(1 << 63));
        assert_eq!(length(b"99999999999999999999999"), Some(u64::MAX));
        assert_eq!(length(b"-1"), None);
        assert_eq!(length(b""), None);
    }
}
