//! Time phrases: what people say for a stretch of days, as a half-open window of whole local days.
//!
//! | phrase | window |
//! |---|---|
//! | `today`, `yesterday`, `the day before yesterday` | that day |
//! | `yesterday morning` | 05–12 of that day; afternoon 12–18, evening 17–24, night 20–05 of the next |
//! | `this week`, `this month`, `this quarter`, `this year` | the calendar unit that today lies in; weeks begin on Monday |
//! | `last week`, `last month`, `last year` | the calendar unit before it |
//! | `past week`, `past month`, `past year` | from as long ago up to and including today |
//! | `the week before last` | the calendar unit before the last one |
//! | `this weekend` | Saturday and Sunday of the present week |
//! | `weekend` | the latest Saturday and Sunday of which one day has come |
//! | `last weekend` | the last Saturday and Sunday that are wholly over |
//! | `3 days ago` | that day; `2 weeks ago`, `5 months ago`, `a year ago`: the calendar unit that lies so far back |
//! | `last 3 days`, `past 2 weeks`, `3 days`, `within 3 days` | from that many back up to and including today |
//! | `last 24 hours`, `2 hours ago`, `30 minutes ago` | the local days that they may touch, today included |
//! | `monday`, `on monday` | the latest one, today included; `last monday`: before today; `this monday`: of this week |
//! | `march`, `in march` | the latest one that has begun; `last march`: that is over; `this march`: of this year |
//! | `march 2026`, `2026-03`, `3/2026` | that month |
//! | `early march`, `mid-march`, `end of last month` | days 1–10, 11–20, 21 to the end; of a year: four months each |
//! | `spring`, `summer`, `autumn`, `fall`, `winter` | northern seasons of whole months; winter 2025 is December 2025 to February 2026 |
//! | `q1`, `q1 2026`, `2026-q1`, `2026`, `1990s` | that quarter, year, decade |
//! | `2026-03-14`, `14 march 2026`, `march 14`, `14.3.2026` | that day; without a year the latest one that has come |
//! | `2026-03-01..2026-03-10`, `from X to Y`, `between X and Y`, `X to Y` | from the start of X through the end of Y |
//! | `since X`, `from X`, `X..` | from the start of X without end |
//! | `after X` | from the end of X without end |
//! | `before X`, `..X` | everything up to the start of X (`..X` and `until X`: through its end) |
//!
//! Whatever is not understood is an error, never "no filter". `04/05/2026` is refused since it
//! names two days.

mod calendar;
mod find;
mod phrase;
mod range;

use bethink_core::UnixMillis;
use jiff::tz::TimeZone;
use thiserror::Error;

pub use find::find_time_phrases;

/// A half-open stretch of time: `start` belongs to it, `end` does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeWindow {
    /// First moment inside; [`i64::MIN`] where the window has no beginning.
    pub start: UnixMillis,
    /// First moment behind it; [`i64::MAX`] where the window has no end.
    pub end: UnixMillis,
}

impl TimeWindow {
    /// Whether a moment lies inside.
    pub fn contains(&self, moment: UnixMillis) -> bool {
        self.start <= moment && moment < self.end
    }
}

/// A phrase that names no time.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("\"{phrase}\" names no time that is understood; try one like: {}", TIME_PHRASES.join(", "))]
pub struct UnknownTimePhrase {
    /// What was said, shortened and with hidden characters made visible.
    pub phrase: String,
}

/// Examples of everything that is understood, as the error lists them.
pub const TIME_PHRASES: &[&str] = &[
    "today",
    "yesterday",
    "the day before yesterday",
    "yesterday morning",
    "this week",
    "last week",
    "past month",
    "last weekend",
    "3 days ago",
    "last 2 weeks",
    "monday",
    "last friday",
    "march",
    "last march",
    "march 2026",
    "late march",
    "summer 2025",
    "2026",
    "2026-03",
    "2026-03-14",
    "14 March 2026",
    "March 14",
    "3/2026",
    "Q1 2026",
    "2026-03-01..2026-03-10",
    "from march to may",
    "between monday and friday",
    "since march",
    "before 2025",
    "after 2026-03-14",
];

/// Phrases longer than this are no phrases.
const LONGEST_PHRASE_BYTES: usize = 120;

/// The window that a phrase means at `now` in `zone`. Days run from local midnight to local
/// midnight, whatever the clocks do in between.
///
/// # Errors
/// [`UnknownTimePhrase`] for everything that the table at the top does not hold.
pub fn time_phrase(phrase: &str, now: UnixMillis, zone: &TimeZone) -> Result<TimeWindow, UnknownTimePhrase> {
    let unknown = || {
        let short = &phrase[..phrase.floor_char_boundary(LONGEST_PHRASE_BYTES)];
        let line: String = short.split_whitespace().collect::<Vec<_>>().join(" ");
        UnknownTimePhrase { phrase: crate::visible(&line).into_owned() }
    };
    if phrase.len() > LONGEST_PHRASE_BYTES {
        return Err(unknown());
    }
    let today = calendar::local_day(now, zone).ok_or_else(unknown)?;
    range::window(&words(phrase), today).and_then(|span| span.window(zone)).ok_or_else(unknown)
}

/// The words of a phrase: folded, without commas and a final full stop.
fn words(phrase: &str) -> Vec<String> {
    let folded = crate::fold(phrase).replace(['–', '—'], " - ").replace("..", " .. ").replace('…', " .. ");
    let found = folded.split(|character: char| character.is_whitespace() || character == ',');
    found
        .map(|word| word.trim_matches(['"', '\'', '?', '!']))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests;
