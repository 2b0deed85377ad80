//! Times as Parquet columns hold them, in microseconds since 1970-01-01 UTC.

/// A number without a unit: seconds, milliseconds, microseconds or nanoseconds by its size, or the digits of a date
/// (`YYYYMMDD`, `YYYYMMDDhhmmss`, with milliseconds 17 digits), which no time between 1990 and 2100 is mistaken for.
pub(super) fn from_number(number: i64) -> Option<i64> {
    let digits = |date: i64, time: i64, micros: i64| {
        civil(date / 10_000, date / 100 % 100, date % 100, time / 10_000, time / 100 % 100, time % 100)
            .map(|seconds| seconds + micros)
    };
    match number {
        19_900_101..=21_001_231 => digits(number, 0, 0),
        19_900_101_000_000..=21_001_231_235_960 => digits(number / 1_000_000, number % 1_000_000, 0),
        19_900_101_000_000_000..=21_001_231_235_960_999 => {
            let second = number / 1_000;
            digits(second / 1_000_000, second % 1_000_000, number % 1_000 * 1_000)
        }
        _ => match number.unsigned_abs() {
            0..100_000_000_000 => number.checked_mul(1_000_000),
            100_000_000_000..100_000_000_000_000 => number.checked_mul(1_000),
            100_000_000_000_000..100_000_000_000_000_000 => Some(number),
            _ => Some(number.div_euclid(1_000)),
        },
    }
}

/// A floating-point number without a unit, as [`from_number`]; a number of seconds keeps its fraction.
pub(super) fn from_float(number: f64) -> Option<i64> {
    if !number.is_finite() || number.abs() >= 9e18 {
        return None;
    }
    let whole = number.floor();
    let micros = from_number(whole as i64)?;
    let fraction = if whole.abs() < 1e11 { ((number - whole) * 1e6).round() as i64 } else { 0 };
    micros.checked_add(fraction)
}

/// A number in so many units a second.
pub(super) fn from_units(number: i64, per_second: i64) -> Option<i64> {
    if per_second <= 1_000_000 {
        number.checked_mul(1_000_000 / per_second.max(1))
    } else {
        Some(number.div_euclid(per_second / 1_000_000))
    }
}

/// Days since 1970-01-01.
pub(super) fn from_days(days: i64) -> Option<i64> {
    days.checked_mul(86_400_000_000)
}

/// The 96-bit form: nanoseconds of the day in two words, then the Julian day.
pub(super) fn from_int96(words: &[u32]) -> Option<i64> {
    let [low, high, day] = words else { return None };
    let nanos = (u64::from(*high) << 32) | u64::from(*low);
    let days = i64::from(*day) - 2_440_588;
    from_days(days)?.checked_add(i64::try_from(nanos / 1_000).ok()?)
}

/// Text: ISO 8601 (`T` or a blank between date and time, any fraction, `Z`, `UTC`, an offset or nothing for UTC; a date
/// alone), or digits as [`from_number`] takes them.
pub(super) fn from_text(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii();
    if !text.is_empty() && text.len() <= 19 && text.iter().all(u8::is_ascii_digit) {
        return from_number(std::str::from_utf8(text).ok()?.parse().ok()?);
    }
    let mut rest = text;
    let year = take_digits(&mut rest, 4)?;
    take(&mut rest, b"-")?;
    let month = take_digits(&mut rest, 2)?;
    take(&mut rest, b"-")?;
    let day = take_digits(&mut rest, 2)?;
    let (mut hour, mut minute, mut second, mut micros, mut offset) = (0, 0, 0, 0, 0);
    if take(&mut rest, b"Tt ").is_some() {
        hour = take_digits(&mut rest, 2)?;
        take(&mut rest, b":")?;
        minute = take_digits(&mut rest, 2)?;
        if take(&mut rest, b":").is_some() {
            second = take_digits(&mut rest, 2)?;
            if take(&mut rest, b".,").is_some() {
                micros = take_fraction(&mut rest)?;
            }
        }
        rest = rest.trim_ascii_start();
        offset = take_offset(&mut rest)?;
    }
    if !rest.is_empty() {
        return None;
    }
    civil(year, month, day, hour, minute, second).map(|time| time + micros - offset * 1_000_000)
}

/// Microseconds of a civil time in UTC; `None` where there is no such day or time. Second 60 is a leap second.
fn civil(year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    if !(1..=length).contains(&day)
        || !(0..24).contains(&hour)
        || !(0..60).contains(&minute)
        || !(0..=60).contains(&second)
    {
        return None;
    }
    // Years that begin in March put the leap day last, so that the months before it have fixed places.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days =
        365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * m + 2) / 5 + day - 1 - 719_468;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000)
}

fn take(rest: &mut &[u8], any_of: &[u8]) -> Option<u8> {
    let (first, after) = rest.split_first()?;
    any_of.contains(first).then(|| {
        *rest = after;
        *first
    })
}

fn take_digits(rest: &mut &[u8], count: usize) -> Option<i64> {
    let (digits, after) = rest.split_at_checked(count)?;
    let number = digits.iter().try_fold(0, |n, d| d.is_ascii_digit().then(|| n * 10 + i64::from(d - b'0')))?;
    *rest = after;
    Some(number)
}

fn take_fraction(rest: &mut &[u8]) -> Option<i64> {
    let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let (digits, after) = rest.split_at_checked(count)?;
    *rest = after;
    let mut micros = 0;
    for place in 0..6 {
        micros = micros * 10 + digits.get(place).map_or(0, |d| i64::from(d - b'0'));
    }
    (count > 0).then_some(micros)
}

/// Seconds east of UTC; nothing means UTC.
fn take_offset(rest: &mut &[u8]) -> Option<i64> {
    if rest.is_empty() || take(rest, b"Zz").is_some() {
        return Some(0);
    }
    if let Some(after) = rest.strip_prefix(b"UTC").or_else(|| rest.strip_prefix(b"GMT")) {
        *rest = after;
        return Some(0);
    }
    let sign = if take(rest, b"+-")? == b'-' { -1 } else { 1 };
    let hours = take_digits(rest, 2)?;
    take(rest, b":");
    let minutes = if rest.is_empty() { 0 } else { take_digits(rest, 2)? };
    Some(sign * (hours * 60 + minutes) * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-01-02T03:04:05Z.
    const T: i64 = 1_767_323_045_000_000;

    #[test]
    fn texts() {
        for (text, expected) in [
            ("2026-01-02T03:04:05Z", Some(T)),
            (" 2026-01-02 03:04:05 ", Some(T)),
            ("2026-01-02T03:04:05.123456789Z", Some(T + 123_456)),
            ("2026-01-02 03:04:05.5+00:00", Some(T + 500_000)),
            ("2026-01-02T05:04:05+02:00", Some(T)),
            ("2026-01-01T22:04:05-0500", Some(T)),
            ("2026-01-02 03:04:05 UTC", Some(T)),
            ("2026-01-02 03:04:05+00", Some(T)),
            ("2026-01-02T03:04Z", Some(T - 5_000_000)),
            ("2026-01-02", Some(T - 11_045_000_000)),
            ("20260102030405", Some(T)),
            ("20260102030405678", Some(T + 678_000)),
            ("1767323045", Some(T)),
            ("1767323045000", Some(T)),
            ("2024-02-29", Some(1_709_164_800_000_000)),
            ("2023-02-29", None),
            ("2026-13-02", None),
            ("2026-01-02T25:00:00Z", None),
            ("2026-01-02T03:04:05Zulu", None),
            ("2026-01-02T03:04:05.Z", None),
            ("yesterday", None),
            ("", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(from_text(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(from_number(1_767_323_045), Some(T));
        assert_eq!(from_number(T / 1_000), Some(T));
        assert_eq!(from_number(T), Some(T));
        assert_eq!(from_number(T * 1_000), Some(T));
        assert_eq!(from_number(20_260_102_030_405), Some(T));
        assert_eq!(from_number(20_260_102), Some(T - 11_045_000_000));
        assert_eq!(from_number(0), Some(0));
        assert_eq!(from_number(i64::MIN), Some(i64::MIN.div_euclid(1_000)));
        assert_eq!(from_float(1_767_323_045.25), Some(T + 250_000));
        assert_eq!(from_float(f64::NAN), None);
        assert_eq!(from_units(-1, 1_000_000_000), Some(-1));
        assert_eq!(from_units(i64::MAX, 1_000), None);
        assert_eq!(from_int96(&[0, 0, 2_440_588]), Some(0));
        assert_eq!(from_int96(&[u32::MAX, u32::MAX, u32::MAX]), None);
    }
}
