//! Dates as spreadsheets count them: days since an epoch, the time of day as a fraction.

use jiff::civil::Date;

use super::number_format::DateShape;

/// Where a workbook's days begin to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Epoch {
    /// Day 1 is the first of January 1900, and 1900 is held to be a leap year, as Lotus 1-2-3 held it.
    #[default]
    Windows,
    /// Day 0 is the first of January 1904.
    Macintosh,
}

/// The last day that Excel knows, 31 December 9999.
const LAST_DAY: f64 = 2_958_465.0;

const SECONDS_A_DAY: i64 = 86_400;

/// The date, time or span that a number stands for; `None` if it stands for none.
pub(super) fn show(value: f64, shape: DateShape, epoch: Epoch) -> Option<String> {
    if !(0.0..=LAST_DAY + 1.0).contains(&value) {
        // A span of time may be negative; a date may not.
        let span = shape.elapsed && value.abs() <= LAST_DAY;
        return span.then(|| format!("-{}", elapsed((value.abs() * 86_400.0).round() as i64, shape)));
    }
    // Whole seconds: an hour is no exact fraction of a day, and 16:43:29.9999 is 16:43:30.
    let seconds = (value * 86_400.0).round() as i64;
    if shape.elapsed {
        return Some(elapsed(seconds, shape));
    }
    let (day, second) = (seconds / SECONDS_A_DAY, seconds % SECONDS_A_DAY);
    let has_date = shape.year || shape.month || shape.day;
    if shape.weekday || shape.month_name {
        let name = if shape.weekday { "%A" } else { "%B" };
        return Some(date(day, epoch)?.strftime(name).to_string());
    }
    if !has_date {
        return Some(clock(second, shape));
    }
    let date = date(day, epoch)?;
    let mut shown = match (shape.year, shape.month, shape.day) {
        (true, false, false) => format!("{:04}", date.year()),
        (true, true, false) => format!("{:04}-{:02}", date.year(), date.month()),
        _ => format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day()),
    };
    if shape.hours || shape.minutes {
        shown.push(' ');
        shown.push_str(&clock(second, DateShape { hours: true, minutes: true, ..shape }));
    }
    Some(shown)
}

/// The day of that number.
fn date(day: i64, epoch: Epoch) -> Option<Date> {
    let (base, days) = match epoch {
        Epoch::Macintosh => (Date::constant(1904, 1, 1), day),
        // The day that never was, 29 February 1900, is day 60.
        Epoch::Windows if day < 60 => (Date::constant(1899, 12, 31), day),
        Epoch::Windows => (Date::constant(1899, 12, 30), day),
    };
    base.checked_add(jiff::Span::new().try_days(days).ok()?).ok()
}

/// A time of day; minutes and seconds alone stand as they are.
fn clock(second: i64, shape: DateShape) -> String {
    let (hours, minutes, seconds) = (second / 3600, second / 60 % 60, second % 60);
    match (shape.hours, shape.minutes, shape.seconds) {
        (true, _, true) => format!("{hours:02}:{minutes:02}:{seconds:02}"),
        (true, _, false) => format!("{hours:02}:{minutes:02}"),
        (false, true, true) => format!("{minutes:02}:{seconds:02}"),
        (false, true, false) => format!("{minutes:02}"),
        (false, false, _) => format!("{seconds:02}"),
    }
}

/// A span of time, whose first part counts on.
fn elapsed(seconds: i64, shape: DateShape) -> String {
    match (shape.hours, shape.minutes, shape.seconds) {
        (true, true, true) => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
        (true, true, false) => format!("{}:{:02}", seconds / 3600, seconds / 60 % 60),
        (true, ..) => format!("{}", seconds / 3600),
        (false, true, true) => format!("{}:{:02}", seconds / 60, seconds % 60),
        (false, true, false) => format!("{}", seconds / 60),
        (false, false, _) => format!("{seconds}"),
    }
}

/// An ISO date-time as a person writes it: `2012-02-19T16:43:29.000Z` as `2012-02-19 16:43:29`, and without the
/// time where that is midnight.
pub(super) fn readable_iso(stamp: &str) -> String {
    let Some((date, time)) = stamp.trim().split_once('T') else { return stamp.trim().to_owned() };
    let time = time.split(['.', ',', 'Z', '+']).next().unwrap_or_default();
    match time {
        "" | "00:00:00" | "00:00" => date.to_owned(),
        time => format!("{date} {time}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_stamps_lose_their_letters() {
        assert_eq!(readable_iso("2012-02-19T16:43:29.000Z"), "2012-02-19 16:43:29");
        assert_eq!(readable_iso("2012-02-19T00:00:00"), "2012-02-19");
        assert_eq!(readable_iso("2012-02-19"), "2012-02-19");
    }
}
