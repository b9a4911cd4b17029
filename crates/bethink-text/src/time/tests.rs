//! What phrases mean, on the days that are hard.
#![allow(clippy::unwrap_used)]

use bethink_core::UnixMillis;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::{TIME_PHRASES, find_time_phrases, time_phrase};

/// The window of a phrase as local dates and hours.
fn local(phrase: &str, now: &str, zone: &str) -> Option<(String, String)> {
    let zone = TimeZone::get(zone).unwrap();
    let moment: DateTime = now.parse().unwrap();
    let now = UnixMillis(zone.to_ambiguous_timestamp(moment).compatible().unwrap().as_millisecond());
    let window = time_phrase(phrase, now, &zone).ok()?;
    let show = |moment: UnixMillis| match moment.0 {
        i64::MIN | i64::MAX => "open".to_owned(),
        millis => {
            let local = zone.to_datetime(jiff::Timestamp::from_millisecond(millis).unwrap());
            let text = local.strftime("%Y-%m-%dT%H").to_string();
            text.strip_suffix("T00").map_or(text.clone(), str::to_owned)
        }
    };
    Some((show(window.start), show(window.end)))
}

/// Tuesday, 10 March 2026, half past midnight, in Berlin.
fn check(phrase: &str, start: &str, end: &str) {
    let found = local(phrase, "2026-03-10T00:30:00", "Europe/Berlin");
    assert_eq!(found, Some((start.to_owned(), end.to_owned())), "{phrase}");
}

#[test]
fn every_example_of_the_list_is_understood() {
    for phrase in TIME_PHRASES {
        assert!(local(phrase, "2026-03-10T00:30:00", "Europe/Berlin").is_some(), "{phrase}");
    }
}

#[test]
fn days_weeks_months() {
    check("today", "2026-03-10", "2026-03-11");
    check("Yesterday", "2026-03-09", "2026-03-10");
    check("the day before yesterday", "2026-03-08", "2026-03-09");
    check("this week", "2026-03-09", "2026-03-16");
    check("last week", "2026-03-02", "2026-03-09");
    check("past week", "2026-03-03", "2026-03-11");
    check("this month", "2026-03-01", "2026-04-01");
    check("last month", "2026-02-01", "2026-03-01");
    check("last quarter", "2025-10-01", "2026-01-01");
    check("last year", "2025-01-01", "2026-01-01");
    check("last weekend", "2026-03-07", "2026-03-09");
    check("this weekend", "2026-03-14", "2026-03-16");
    check("the weekend", "2026-03-07", "2026-03-09");
    check("the week before last", "2026-02-23", "2026-03-02");
    check("this past week", "2026-03-03", "2026-03-11");
    check("earlier this month", "2026-03-01", "2026-04-01");
    check("30 minutes ago", "2026-03-09", "2026-03-11");
    check("the last few days", "2026-03-07", "2026-03-11");
    check("3 days ago", "2026-03-07", "2026-03-08");
    check("two weeks ago", "2026-02-23", "2026-03-02");
    check("a month ago", "2026-02-01", "2026-03-01");
    check("a couple of days ago", "2026-03-08", "2026-03-09");
    check("last 3 days", "2026-03-07", "2026-03-11");
    check("in the past 2 weeks", "2026-02-24", "2026-03-11");
    check("3 days", "2026-03-07", "2026-03-11");
    check("7d", "2026-03-03", "2026-03-11");
    check("last 24 hours", "2026-03-09", "2026-03-11");
}

#[test]
fn names() {
    check("monday", "2026-03-09", "2026-03-10");
    check("tuesday", "2026-03-10", "2026-03-11");
    check("last tuesday", "2026-03-03", "2026-03-04");
    check("wednesday", "2026-03-04", "2026-03-05");
    check("this friday", "2026-03-13", "2026-03-14");
    check("march", "2026-03-01", "2026-04-01");
    check("last march", "2025-03-01", "2025-04-01");
    check("in April", "2025-04-01", "2025-05-01");
    check("March 2024", "2024-03-01", "2024-04-01");
    check("late march", "2026-03-21", "2026-04-01");
    check("mid-march", "2026-03-11", "2026-03-21");
    check("end of last month", "2026-02-21", "2026-03-01");
    check("early 2025", "2025-01-01", "2025-05-01");
    check("late 2025", "2025-09-01", "2026-01-01");
    check("summer of 2024", "2024-06-01", "2024-09-01");
    check("summer", "2025-06-01", "2025-09-01");
    check("winter", "2025-12-01", "2026-03-01");
    check("last winter", "2025-12-01", "2026-03-01");
    check("summer 2024", "2024-06-01", "2024-09-01");
    check("Q1 2026", "2026-01-01", "2026-04-01");
    check("2026-Q1", "2026-01-01", "2026-04-01");
    check("q4", "2025-10-01", "2026-01-01");
    check("2025", "2025-01-01", "2026-01-01");
    check("1990s", "1990-01-01", "2000-01-01");
}

#[test]
fn dates() {
    check("2026-03", "2026-03-01", "2026-04-01");
    check("2026-03-14", "2026-03-14", "2026-03-15");
    check("14 March 2026", "2026-03-14", "2026-03-15");
    check("14th of march, 2026", "2026-03-14", "2026-03-15");
    check("March 14", "2025-03-14", "2025-03-15");
    check("March 9", "2026-03-09", "2026-03-10");
    check("Feb 29", "2024-02-29", "2024-03-01");
    check("3/2026", "2026-03-01", "2026-04-01");
    check("14.3.2026", "2026-03-14", "2026-03-15");
    check("3/14/2026", "2026-03-14", "2026-03-15");
    check("14-Mar-2026", "2026-03-14", "2026-03-15");
    check("Saturday, March 14, 2026", "2026-03-14", "2026-03-15");
}

#[test]
fn ranges() {
    check("2026-03-01..2026-03-10", "2026-03-01", "2026-03-11");
    check("2026-03-10 to 2026-03-01", "2026-03-01", "2026-03-11");
    check("from monday to today", "2026-03-09", "2026-03-11");
    check("between 2025 and march 2026", "2025-01-01", "2026-04-01");
    check("from november to february", "2025-11-01", "2026-03-01");
    check("march to may", "2025-03-01", "2025-06-01");
    check("since february", "2026-02-01", "open");
    check("2026-02..", "2026-02-01", "open");
    check("after 2026-02-03", "2026-02-04", "open");
    check("before 2025", "open", "2025-01-01");
    check("until yesterday", "open", "2026-03-10");
    check("from last week", "2026-03-02", "2026-03-09");
}

#[test]
fn parts_of_days() {
    check("yesterday morning", "2026-03-09T05", "2026-03-09T12");
    check("last night", "2026-03-09T20", "2026-03-10T05");
    check("monday evening", "2026-03-09T17", "2026-03-10");
}

#[test]
fn days_are_whole_when_the_clocks_change() {
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let length = |phrase: &str| {
        let window = time_phrase(phrase, UnixMillis(1_800_000_000_000), &zone).unwrap();
        (window.end.0 - window.start.0) / 3_600_000
    };
    assert_eq!(length("2026-03-29"), 23);
    assert_eq!(length("2026-10-25"), 25);
    assert_eq!(length("2026-03-28"), 24);
    // Midnight itself is skipped in Santiago on this day.
    let found = local("2026-09-06", "2026-09-10T12:00:00", "America/Santiago");
    assert_eq!(found, Some(("2026-09-06T01".to_owned(), "2026-09-07".to_owned())));
}

#[test]
fn what_is_not_understood_is_an_error_that_lists_what_is() {
    for phrase in [
        "",
        "soonish",
        "04/05/2026",
        "2026-02-30",
        "2026-13",
        "last",
        "from to",
        "..",
        "the",
        "99999999999 days ago",
        "sometime last",
        "between monday",
    ] {
        assert_eq!(local(phrase, "2026-03-10T00:30:00", "Europe/Berlin"), None, "{phrase}");
    }
    let error = time_phrase("when pigs fly", UnixMillis(0), &TimeZone::UTC).unwrap_err();
    assert!(error.to_string().contains("last week"));
}

#[test]
fn phrases_are_found_inside_queries() {
    let query = "budget from last week about march";
    let found = find_time_phrases(query, UnixMillis(1_773_100_000_000), &TimeZone::UTC);
    let phrases: Vec<&str> = found.iter().map(|(range, _)| &query[range.clone()]).collect();
    assert_eq!(phrases, ["from last week"]);
}
