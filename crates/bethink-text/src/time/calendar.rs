//! Days, and the moments at which they begin.

use bethink_core::UnixMillis;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::TimeWindow;

/// A stretch of local time; an absent end is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: Option<DateTime>,
    pub(super) end: Option<DateTime>,
    /// Whether the phrase named no year, so that a range may move it a year back.
    pub(super) yearless: bool,
}

impl Span {
    /// From the start of one day to the start of another.
    pub(super) fn days(first: Date, behind: Date) -> Self {
        Self { start: Some(midnight(first)), end: Some(midnight(behind)), yearless: false }
    }

    /// One whole day.
    pub(super) fn day(date: Date) -> Option<Self> {
        Some(Self::days(date, shift_days(date, 1)?))
    }

    /// The same, marked as having no year of its own.
    pub(super) fn without_year(self) -> Self {
        Self { yearless: true, ..self }
    }

    /// The same a year earlier.
    pub(super) fn a_year_earlier(self) -> Option<Self> {
        let back = |moment: DateTime| moment.checked_sub(1.year()).ok();
        Some(Self {
            start: match self.start {
                Some(moment) => Some(back(moment)?),
                None => None,
            },
            end: match self.end {
                Some(moment) => Some(back(moment)?),
                None => None,
            },
            yearless: false,
        })
    }

    /// The moments that it means in a zone. A midnight that the clocks skip is the first moment
    /// after it; one that comes twice is the first.
    pub(super) fn window(self, zone: &TimeZone) -> Option<TimeWindow> {
        let moment = |local: DateTime| {
            let found = zone.to_ambiguous_timestamp(local).compatible().ok()?;
            Some(UnixMillis(found.as_millisecond()))
        };
        let start = match self.start {
            Some(local) => moment(local)?,
            None => UnixMillis(i64::MIN),
        };
        let end = match self.end {
            Some(local) => moment(local)?,
            None => UnixMillis(i64::MAX),
        };
        (start < end).then_some(TimeWindow { start, end })
    }
}

pub(super) fn midnight(date: Date) -> DateTime {
    date.to_datetime(Time::midnight())
}

/// The local date of a moment.
pub(super) fn local_day(now: UnixMillis, zone: &TimeZone) -> Option<Date> {
    let moment = Timestamp::from_millisecond(now.0).ok()?;
    Some(zone.to_datetime(moment).date())
}

pub(super) fn shift_days(date: Date, days: i64) -> Option<Date> {
    date.checked_add(days_span(days)?).ok()
}

fn days_span(days: i64) -> Option<jiff::Span> {
    jiff::Span::new().try_days(days).ok()
}

pub(super) fn shift_months(date: Date, months: i64) -> Option<Date> {
    date.checked_add(jiff::Span::new().try_months(months).ok()?).ok()
}

/// Monday of the week that a day lies in.
pub(super) fn monday(date: Date) -> Option<Date> {
    shift_days(date, -i64::from(date.weekday().to_monday_zero_offset()))
}

/// The whole month of a day.
pub(super) fn month(date: Date) -> Option<Span> {
    let first = date.first_of_month();
    Some(Span::days(first, shift_months(first, 1)?))
}

/// A number of whole months from the first of one.
pub(super) fn months(year: i16, month: i8, count: i64) -> Option<Span> {
    let first = Date::new(year, month, 1).ok()?;
    Some(Span::days(first, shift_months(first, count)?))
}

/// The whole week of a day.
pub(super) fn week(date: Date) -> Option<Span> {
    let first = monday(date)?;
    Some(Span::days(first, shift_days(first, 7)?))
}

/// The whole quarter of a day.
pub(super) fn quarter(date: Date) -> Option<Span> {
    months(date.year(), (date.month() - 1) / 3 * 3 + 1, 3)
}

/// The whole year of a day.
pub(super) fn year(date: Date) -> Option<Span> {
    months(date.year(), 1, 12)
}

/// An hour of a day.
pub(super) fn local_hour(date: Date, hour: i8) -> Option<DateTime> {
    Some(date.to_datetime(Time::new(hour, 0, 0, 0).ok()?))
}
