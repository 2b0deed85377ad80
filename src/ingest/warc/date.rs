//! `WARC-Date`, as the standard has it and as archives have it.

/// A date as written, and whether it has the standard's usual form `YYYY-MM-DDThh:mm:ss[.f]Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Date {
    /// Microseconds since 1970-01-01 UTC; a date without a time means its first moment. `None`: no date in it.
    pub(super) micros: Option<i64>,
    pub(super) standard: bool,
}

/// Reads a date (ISO 28500, WARC-Date). Lower precision, offsets, 14 digits in a row, a blank instead of `T` and the
/// day-of-the-year form of one old collection (`2008-10-294T...`) are read too, as not standard.
pub(super) fn parse(text: &[u8]) -> Date {
    if let Some(date) = standard(text) {
        return date;
    }
    Date { micros: lenient(text), standard: false }
}

fn standard(text: &[u8]) -> Option<Date> {
    let [head @ .., b'Z'] = text else { return None };
    let (head, fraction) = match head.get(19..) {
        Some([]) => (head, 0),
        Some([b'.', digits @ ..]) if !digits.is_empty() && digits.len() <= 9 => {
            (head.get(..19)?, fraction_micros(digits)?)
        }
        _ => return None,
    };
    for (at, separator) in [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')] {
        if head.get(at) != Some(&separator) {
            return None;
        }
    }
    let field = |from: usize, to: usize| number(head.get(from..to)?);
    let day = days(field(0, 4)?, field(5, 7)?, field(8, 10)?)?;
    let seconds = clock(field(11, 13)?, field(14, 16)?, field(17, 19)?)?;
    Some(Date { micros: Some((day * 86_400 + seconds) * 1_000_000 + fraction), standard: true })
}

fn lenient(text: &[u8]) -> Option<i64> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits >= 8 {
        // 20160102, 20160102030405 and what lies between.
        let field =
            |from: usize, to: usize| text.get(from..to.min(digits)).filter(|t| t.len() == to - from).and_then(number);
        let day = days(field(0, 4)?, field(4, 6)?, field(6, 8)?)?;
        let seconds = clock(field(8, 10).unwrap_or(0), field(10, 12).unwrap_or(0), field(12, 14).unwrap_or(0))?;
        return Some((day * 86_400 + seconds) * 1_000_000);
    }
    if digits != 4 {
        return None;
    }
    let (date, time) = match text.iter().position(|b| matches!(b, b'T' | b't' | b' ')) {
        Some(at) => (text.get(..at)?, text.get(at + 1..)?),
        None => (text.strip_suffix(b"Z").unwrap_or(text), &[][..]),
    };
    let mut parts = date.split(|b| *b == b'-');
    let year = number(parts.next()?)?;
    let month = parts.next().map_or(Some(1), number)?;
    let day = match parts.next() {
        Some(of_year) if of_year.len() == 3 => {
            days(year, 1, 1)? + number(of_year).filter(|d| (1..=366).contains(d))? - 1
        }
        Some(of_month) => days(year, month, number(of_month)?)?,
        None => days(year, month, 1)?,
    };
    if parts.next().is_some() {
        return None;
    }
    let (time, offset) = match time.iter().position(|b| matches!(b, b'Z' | b'z' | b'+' | b'-')) {
        Some(at) => (time.get(..at)?, offset_seconds(time.get(at..)?)?),
        None => (time, 0),
    };
    let (time, fraction) = match time.iter().position(|b| matches!(b, b'.' | b',')) {
        Some(at) => (time.get(..at)?, fraction_micros(time.get(at + 1..)?).unwrap_or(0)),
        None => (time, 0),
    };
    let mut fields = [0i64; 3];
    if !time.is_empty() {
        let mut parts = time.split(|b| *b == b':');
        for (field, part) in fields.iter_mut().zip(parts.by_ref()) {
            *field = number(part)?;
        }
        if parts.next().is_some() {
            return None;
        }
    }
    let [hours, minutes, seconds] = fields;
    Some((day * 86_400 + clock(hours, minutes, seconds)? - offset) * 1_000_000 + fraction)
}

/// `Z`, `+01:00`, `-0700` or `+01` in seconds.
fn offset_seconds(text: &[u8]) -> Option<i64> {
    let (sign, rest) = match text {
        [b'Z' | b'z'] => return Some(0),
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = match rest {
        [a, b] => (number(&[*a, *b])?, 0),
        [a, b, c, d] | [a, b, b':', c, d] => (number(&[*a, *b])?, number(&[*c, *d])?),
        _ => return None,
    };
    (hours <= 14 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// At most nine digits; more would not fit and mean nothing.
fn number(digits: &[u8]) -> Option<i64> {
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    digits.iter().try_fold(0i64, |sum, b| b.is_ascii_digit().then(|| sum * 10 + i64::from(b - b'0')))
}

/// The digits after the point, cut to microseconds.
fn fraction_micros(digits: &[u8]) -> Option<i64> {
    let kept = digits.get(..6).unwrap_or(digits);
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    number(kept).map(|value| value * 10i64.pow(6 - kept.len() as u32))
}

fn clock(hours: i64, minutes: i64, seconds: i64) -> Option<i64> {
    // A leap second counts as the second before it: the next one belongs to the next minute.
    (hours < 24 && minutes < 60 && seconds <= 60).then_some(hours * 3600 + minutes * 60 + seconds.min(59))
}

/// Days from 1970-01-01 to a date of the Gregorian calendar; `None` for a day that does not exist.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = usize::try_from(month - 1).ok().and_then(|m| lengths.get(m))?;
    if !(1..=*length).contains(&day) || !(0..=9999).contains(&year) {
        return None;
    }
    // Years begin in March here, so that the leap day is the last of its year.
    let shifted = if month > 2 { year } else { year - 1 };
    let leap_days = shifted.div_euclid(4) - shifted.div_euclid(100) + shifted.div_euclid(400);
    let in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(365 * shifted + leap_days + in_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_form() {
        for (text, micros) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-10-14T20:41:15Z", 1_792_010_475_000_000),
            ("2000-02-29T23:59:59Z", 951_868_799_000_000),
            ("2016-12-31T23:59:60Z", 1_483_228_799_000_000),
            ("2020-01-01T00:00:00.5Z", 1_577_836_800_500_000),
            ("2020-01-01T00:00:00.123456789Z", 1_577_836_800_123_456),
            ("1969-12-31T23:59:59Z", -1_000_000),
        ] {
            assert_eq!(parse(text.as_bytes()), Date { micros: Some(micros), standard: true }, "{text}");
        }
    }

    #[test]
    fn other_forms_are_read_and_told() {
        for (text, micros) in [
            ("2016", Some(1_451_606_400)),
            ("2016-01", Some(1_451_606_400)),
            ("2016-01-02", Some(1_451_692_800)),
            ("2016-01-02T03:04Z", Some(1_451_703_840)),
            ("2016-01-02T03:04:05", Some(1_451_703_845)),
            ("2016-01-02 03:04:05Z", Some(1_451_703_845)),
            ("2016-01-02T03:04:05+01:00", Some(1_451_700_245)),
            ("20160102030405", Some(1_451_703_845)),
            ("20160102", Some(1_451_692_800)),
            ("2008-10-294T05:21:46-0700", Some(1_224_505_306)),
            ("2016-13-01T00:00:00Z", None),
            ("2015-02-29T00:00:00Z", None),
            ("2016-01-01T24:00:00Z", None),
            ("yesterday", None),
            ("", None),
            ("99999999999999999999", None),
            ("2016-01-01T00:00:00.Zx", None),
        ] {
            let date = parse(text.as_bytes());
            assert!(!date.standard, "{text}");
            assert_eq!(date.micros, micros.map(|s: i64| s * 1_000_000), "{text}");
        }
    }
}
