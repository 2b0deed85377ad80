//! Dates of the made-up crawl: from the week in its name to the texts that WARC and HTTP want.

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const DAY: i64 = 86_400;

/// When a crawl of this name began, in seconds since 1970: nine days before the Monday of the ISO week that ends a name
/// such as `CC-MAIN-2026-43`. Names without a week begin at that crawl's time.
pub(super) fn crawl_start(name: &str) -> i64 {
    let mut parts = name.rsplit('-').map(str::parse::<i64>);
    let (year, week) = match (parts.next(), parts.next()) {
        (Some(Ok(week @ 1..=53)), Some(Ok(year @ 1990..=9999))) => (year, week),
        _ => (2026, 43),
    };
    // 4 January always lies in week 1; weeks begin on Mondays, and day 4 since 1970 was one.
    let fourth = days_from_civil(year, 1, 4);
    let monday = fourth - (fourth - 4).rem_euclid(7) + (week - 1) * 7;
    (monday - 9) * DAY
}

/// The calendar date and time of day of a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    year: i64,
    month: i64,
    day: i64,
    weekday: usize,
    second: i64,
}

impl Moment {
    /// Takes seconds since 1970-01-01 UTC.
    pub(super) fn new(seconds: i64) -> Moment {
        let (days, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        let (year, month, day) = civil_from_days(days);
        Moment { year, month, day, weekday: days.rem_euclid(7) as usize, second }
    }

    fn clock(self) -> (i64, i64, i64) {
        (self.second / 3600, self.second / 60 % 60, self.second % 60)
    }

    /// As `WARC-Date` has it: `2026-10-12T00:00:00Z`.
    pub(super) fn iso(self) -> String {
        let (h, m, s) = self.clock();
        format!("{:04}-{:02}-{:02}T{h:02}:{m:02}:{s:02}Z", self.year, self.month, self.day)
    }

    /// As file names have it: `20261012000000`.
    pub(super) fn digits(self) -> String {
        let (h, m, s) = self.clock();
        format!("{:04}{:02}{:02}{h:02}{m:02}{s:02}", self.year, self.month, self.day)
    }

    /// As HTTP has it (RFC 9110, section 5.6.7): `Mon, 12 Oct 2026 00:00:00 GMT`.
    pub(super) fn http(self) -> String {
        let (h, m, s) = self.clock();
        let day = DAYS.get(self.weekday).copied().unwrap_or_default();
        let month = MONTHS.get((self.month - 1) as usize).copied().unwrap_or_default();
        format!("{day}, {:02} {month} {:04} {h:02}:{m:02}:{s:02} GMT", self.day, self.year)
    }
}

/// Days since 1970-01-01 of a date of the proleptic Gregorian calendar. Years are counted from March, so that a leap
/// day is the last of its year.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The reverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_go_there_and_back() {
        for days in (-200_000..200_000).step_by(17) {
            let (y, m, d) = civil_from_days(days);
            assert_eq!(days_from_civil(y, m, d), days);
        }
        let leap = Moment::new(951_782_400 + 3_661);
        assert_eq!(leap.iso(), "2000-02-29T01:01:01Z");
        assert_eq!(leap.http(), "Tue, 29 Feb 2000 01:01:01 GMT");
        assert_eq!(leap.digits(), "20000229010101");
    }

    #[test]
    fn a_crawl_is_dated_by_its_week() {
        // Week 43 of 2026 begins on 19 October.
        assert_eq!(Moment::new(crawl_start("CC-MAIN-2026-43")).iso(), "2026-10-10T00:00:00Z");
        assert_eq!(Moment::new(crawl_start("CC-MAIN-2021-01")).iso(), "2020-12-26T00:00:00Z");
        assert_eq!(crawl_start("mine"), crawl_start("CC-MAIN-2026-43"));
        assert_eq!(crawl_start("a-99999-99"), crawl_start("CC-MAIN-2026-43"));
    }
}
