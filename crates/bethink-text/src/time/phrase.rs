//! Phrases for one time.

use jiff::civil::{Date, Weekday};

use super::calendar::{Span, local_hour, monday, month, months, quarter, shift_days, shift_months, week, year};

/// Numbers people write as words.
const NUMBERS: [&str; 13] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Longest count of units; ten thousand days are 27 years.
const LARGEST_COUNT: i64 = 100_000;

/// The span of a phrase without joints.
pub(super) fn span(words: &[&str], today: Date) -> Option<Span> {
    let words = strip(words);
    if words.is_empty() {
        return None;
    }
    relative(words, today)
        .or_else(|| part_of_unit(words, today))
        .or_else(|| counted(words, today))
        .or_else(|| named(words, today))
        .or_else(|| dated(words, today))
        .or_else(|| part_of_day(words, today))
}

/// Takes off small words that carry no meaning of their own.
fn strip<'w, 's>(mut words: &'w [&'s str]) -> &'w [&'s str] {
    // `this past week` is the past week.
    if let ["this", rest @ ..] = words
        && matches!(rest.first(), Some(&("past" | "last")))
    {
        words = rest;
    }
    while let Some((
        &("earlier" | "sometime" | "in" | "on" | "during" | "the" | "at" | "of" | "around" | "about"),
        rest,
    )) = words.split_first()
    {
        if rest.is_empty() {
            break;
        }
        words = rest;
    }
    words
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    Decade,
}

fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "minute" | "minutes" | "min" | "mins" => Unit::Minute,
        "hour" | "hours" | "h" | "hrs" => Unit::Hour,
        "day" | "days" | "d" => Unit::Day,
        "week" | "weeks" | "w" | "wk" | "wks" | "fortnight" => Unit::Week,
        "month" | "months" => Unit::Month,
        "quarter" | "quarters" => Unit::Quarter,
        "year" | "years" | "y" | "yr" | "yrs" => Unit::Year,
        "decade" | "decades" => Unit::Decade,
        _ => return None,
    })
}

fn whole(unit: Unit, date: Date) -> Option<Span> {
    match unit {
        Unit::Minute | Unit::Hour | Unit::Day => Span::day(date),
        Unit::Week => week(date),
        Unit::Month => month(date),
        Unit::Quarter => quarter(date),
        Unit::Year => year(date),
        Unit::Decade => months(date.year() - date.year().rem_euclid(10), 1, 120),
    }
}

fn back(unit: Unit, count: i64, date: Date) -> Option<Date> {
    match unit {
        // Hours are shown by the days that they touch: a day more than the full days in them.
        Unit::Minute => shift_days(date, -(count.saturating_add(1439) / 1440)),
        Unit::Hour => shift_days(date, -(count.saturating_add(23) / 24)),
        Unit::Day => shift_days(date, -count),
        Unit::Week => shift_days(date, -count * 7),
        Unit::Month => shift_months(date, -count),
        Unit::Quarter => shift_months(date, -count * 3),
        Unit::Year => shift_months(date, -count * 12),
        Unit::Decade => shift_months(date, -count * 120),
    }
}

/// From so many units back up to and including today.
fn up_to_today(unit: Unit, count: i64, today: Date) -> Option<Span> {
    Some(Span::days(back(unit, count, today)?, shift_days(today, 1)?))
}

/// Today, yesterday, this week, last month, past year, weekends.
fn relative(words: &[&str], today: Date) -> Option<Span> {
    match words {
        ["today" | "now" | "tonight"] => Span::day(today),
        ["yesterday"] => Span::day(shift_days(today, -1)?),
        ["day", "before", "yesterday"] => Span::day(shift_days(today, -2)?),
        ["other", "day"] => up_to_today(Unit::Day, 7, today),
        ["this", "weekend"] => weekend(monday(today)?),
        ["weekend"] => weekend(monday(shift_days(today, -5)?)?),
        [word, "before", "last"] => {
            let unit = unit(word)?;
            whole(unit, back(unit, 2, anchor(unit, today))?)
        }
        ["last" | "previous" | "past", "weekend"] => {
            let this = monday(today)?;
            weekend(shift_days(this, -7)?)
        }
        ["last" | "previous", word] => {
            let unit = unit(word).filter(|unit| !matches!(unit, Unit::Minute | Unit::Hour))?;
            whole(unit, back(unit, 1, anchor(unit, today))?)
        }
        ["this" | "current", word] => whole(unit(word)?, today),
        ["past", word] => up_to_today(unit(word)?, 1, today),
        ["year", "to", "date"] | ["ytd"] => {
            Some(Span::days(Date::new(today.year(), 1, 1).ok()?, shift_days(today, 1)?))
        }
        _ => None,
    }
}

/// The day that a step back starts from: the first of a month, since the 31st has no counterpart
/// in most months.
fn anchor(unit: Unit, today: Date) -> Date {
    match unit {
        Unit::Month | Unit::Quarter | Unit::Year | Unit::Decade => today.first_of_month(),
        Unit::Minute | Unit::Hour | Unit::Day | Unit::Week => today,
    }
}

fn weekend(monday: Date) -> Option<Span> {
    Some(Span::days(shift_days(monday, 5)?, shift_days(monday, 7)?))
}

fn number(word: &str) -> Option<i64> {
    let value = match word {
        "a" | "an" => 1,
        "couple" => 2,
        "few" => 3,
        _ => match NUMBERS.iter().position(|name| *name == word) {
            Some(value) => i64::try_from(value).ok()?,
            None if word.bytes().all(|byte| byte.is_ascii_digit()) => word.parse().ok()?,
            None => return None,
        },
    };
    (0..=LARGEST_COUNT).contains(&value).then_some(value)
}

/// A count with its unit: `3 days`, `a couple of weeks`, `3d`, `two-week`.
fn count(words: &[&str]) -> Option<(i64, Unit)> {
    match words {
        [joined] => {
            let digits = joined.bytes().take_while(u8::is_ascii_digit).count();
            (digits > 0).then_some(())?;
            Some((number(&joined[..digits])?, unit(&joined[digits..])?))
        }
        [amount, word] => {
            let fortnight = if *word == "fortnight" { 2 } else { 1 };
            Some((number(amount)? * fortnight, unit(word)?))
        }
        ["a", amount @ ("couple" | "few"), rest @ ..] => count(&[&[*amount][..], rest].concat()),
        ["couple", "of", word] => Some((2, unit(word)?)),
        _ => None,
    }
}

/// `3 days ago`, `last 3 days`, `3 days`.
fn counted(words: &[&str], today: Date) -> Option<Span> {
    if let [before @ .., "ago" | "back"] = words {
        let (amount, unit) = count(before)?;
        if matches!(unit, Unit::Minute | Unit::Hour) {
            return up_to_today(unit, amount, today);
        }
        return whole(unit, back(unit, amount, anchor(unit, today))?);
    }
    let counted = match words {
        ["last" | "past" | "previous" | "within" | "these", rest @ ..] => match rest {
            ["last" | "past" | "the", rest @ ..] => rest,
            _ => rest,
        },
        _ => words,
    };
    let (amount, unit) = count(counted)?;
    up_to_today(unit, amount, today)
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

fn month_number(word: &str) -> Option<i8> {
    let word = word.trim_end_matches('.');
    let at = MONTHS.iter().position(|name| {
        *name == word || (word.len() == 3 && name.starts_with(word)) || (word == "sept" && *name == "september")
    })?;
    i8::try_from(at + 1).ok()
}

fn weekday(word: &str) -> Option<Weekday> {
    Some(match word.trim_end_matches('.') {
        "monday" | "mon" => Weekday::Monday,
        "tuesday" | "tue" | "tues" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" | "thur" | "thurs" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

/// The first month of a northern season.
fn season(word: &str) -> Option<i8> {
    Some(match word {
        "spring" => 3,
        "summer" => 6,
        "autumn" | "fall" => 9,
        "winter" => 12,
        _ => return None,
    })
}

fn quarter_number(word: &str) -> Option<i8> {
    let digit = word.strip_prefix('q')?;
    matches!(digit, "1" | "2" | "3" | "4").then(|| digit.parse().ok()).flatten()
}

fn year_number(word: &str) -> Option<i16> {
    let plain = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| word.parse().ok()).flatten().filter(|year| (1900..=2199).contains(year))
}

/// Which of the yearly ones is meant.
#[derive(Clone, Copy)]
enum Which {
    /// The latest that has begun.
    Latest,
    /// The latest that is over.
    Over,
    /// The one of this year.
    This,
}

/// Weekdays, months, seasons, quarters, years, decades by name.
fn named(words: &[&str], today: Date) -> Option<Span> {
    let (which, words) = match words {
        ["last" | "previous" | "past", rest @ ..] => (Which::Over, rest),
        ["this", rest @ ..] => (Which::This, rest),
        _ => (Which::Latest, words),
    };
    let explicit = !matches!(which, Which::Latest);
    if let [word] = words
        && let Some(weekday) = weekday(word)
    {
        return Span::day(latest_weekday(weekday, which, today)?);
    }
    let (first_month, length, year) = match words {
        [word] => {
            if let Some(found) = bare_year(word) {
                return (!explicit).then_some(found);
            }
            let (first, length, year) = yearly(word)?;
            (first, length, year)
        }
        [word, "of", year] | [word, year] => {
            let (first, length, _) = yearly(word).or_else(|| yearly(year))?;
            (first, length, Some(year_number(year).or_else(|| year_number(word))?))
        }
        _ => return None,
    };
    if let Some(year) = year {
        return (!explicit).then(|| months(year, first_month, length)).flatten();
    }
    // Start in the coming year and go back until the rule is met.
    let tomorrow = shift_days(today, 1)?;
    for offset in 0..3 {
        let found = months(today.year() + 1 - offset, first_month, length)?;
        let meets = match which {
            Which::Latest => found.start <= Span::day(today)?.start,
            Which::Over => found.end < Some(super::calendar::midnight(tomorrow)),
            Which::This => offset == 1,
        };
        if meets {
            return Some(found.without_year());
        }
    }
    None
}

/// The first month and the number of months of a name that comes every year.
fn yearly(word: &str) -> Option<(i8, i64, Option<i16>)> {
    if let Some(first) = month_number(word) {
        return Some((first, 1, None));
    }
    if let Some(first) = season(word) {
        return Some((first, 3, None));
    }
    if let Some(number) = quarter_number(word) {
        return Some((number * 3 - 2, 3, None));
    }
    // `2026-q1`, `q1-2026`, `q1/2026`.
    let (left, right) = word.split_once(['-', '/'])?;
    let (number, year) = match (quarter_number(left), quarter_number(right)) {
        (Some(number), _) => (number, year_number(right)?),
        (_, Some(number)) => (number, year_number(left)?),
        _ => return None,
    };
    Some((number * 3 - 2, 3, Some(year)))
}

fn bare_year(word: &str) -> Option<Span> {
    if let Some(year) = year_number(word) {
        return months(year, 1, 12);
    }
    let decade = word.strip_suffix('s')?.trim_end_matches('\'');
    let first = year_number(decade).filter(|year| year % 10 == 0)?;
    months(first, 1, 120)
}

/// `early march`, `mid-2025`, `end of last month`: the first, middle or last third of a month (ten
/// days, the rest in the last) or of a year (four months).
fn part_of_unit(words: &[&str], today: Date) -> Option<Span> {
    let (&first, mut rest) = words.split_first()?;
    let joined;
    let part = match first.split_once('-') {
        Some((part, word)) if !word.is_empty() => {
            joined = [&[word][..], rest].concat();
            rest = &joined;
            part
        }
        _ => first,
    };
    let third = match part {
        "early" | "beginning" | "start" => 0,
        "mid" | "middle" => 1,
        "late" | "end" => 2,
        _ => return None,
    };
    let outer =
        named(strip(rest), today).or_else(|| relative(strip(rest), today)).or_else(|| dated(strip(rest), today))?;
    let (from, behind) = (outer.start?.date(), outer.end?.date());
    let at = |step: i64| match (step, shift_months(from, 1) == Some(behind), shift_months(from, 12) == Some(behind)) {
        (3, true, _) | (3, _, true) => Some(behind),
        (_, true, _) => shift_days(from, step * 10),
        (_, _, true) => shift_months(from, step * 4),
        _ => None,
    };
    Some(Span { yearless: outer.yearless, ..Span::days(at(third)?, at(third + 1)?) })
}

fn latest_weekday(weekday: Weekday, which: Which, today: Date) -> Option<Date> {
    let this = shift_days(monday(today)?, i64::from(weekday.to_monday_zero_offset()))?;
    match which {
        Which::This => Some(this),
        Which::Latest if this <= today => Some(this),
        Which::Over if this < today => Some(this),
        _ => shift_days(this, -7),
    }
}

/// Dates in figures and words.
fn dated(words: &[&str], today: Date) -> Option<Span> {
    if let [weekday_name, rest @ ..] = words
        && !rest.is_empty()
        && weekday(weekday_name).is_some()
    {
        return dated(rest, today);
    }
    match words {
        [word] => in_figures(word, today),
        [day, "of", month] | [day, month] if month_number(month).is_some() => day_of(day, month, None, today),
        [month, day] if month_number(month).is_some() => day_of(day, month, None, today),
        [month, "the", day] if month_number(month).is_some() => day_of(day, month, None, today),
        [day, month, year] if month_number(month).is_some() => day_of(day, month, Some(year), today),
        [month, day, year] if month_number(month).is_some() => day_of(day, month, Some(year), today),
        [day, "of", month, year] if month_number(month).is_some() => day_of(day, month, Some(year), today),
        [year, month, day] if month_number(month).is_some() => day_of(day, month, Some(year), today),
        _ => None,
    }
}

fn day_of(day: &str, month: &str, year: Option<&&str>, today: Date) -> Option<Span> {
    let digits = day.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h', '.']);
    let short = !digits.is_empty() && digits.len() <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let day: i8 = short.then(|| digits.parse().ok()).flatten()?;
    let month = month_number(month)?;
    if let Some(year) = year {
        return Span::day(Date::new(year_number(year)?, month, day).ok()?);
    }
    // The 29th of February has come at most eight years ago.
    (0..=8)
        .filter_map(|offset| Date::new(today.year() - offset, month, day).ok())
        .find(|date| *date <= today)
        .and_then(Span::day)
        .map(Span::without_year)
}

/// `2026-03-14`, `2026-03`, `20260314`, `3/2026`, `14.3.2026`, `3/14/2026`.
fn in_figures(word: &str, today: Date) -> Option<Span> {
    let figures: Vec<&str> = word.trim_end_matches('.').split(['-', '/', '.']).collect();
    let all_digits = figures
        .iter()
        .all(|figure| !figure.is_empty() && figure.len() <= 8 && figure.bytes().all(|byte| byte.is_ascii_digit()));
    if !all_digits {
        // `14-mar-2026`
        let words: Vec<&str> = word.split(['-', '/', '.']).filter(|part| !part.is_empty()).collect();
        let spelled = words.len() > 1 && words.iter().any(|part| month_number(part).is_some());
        return if spelled { dated(&words, today).or_else(|| named(&words, today)) } else { None };
    }
    let small = |figure: &str| -> Option<i8> { (figure.len() <= 2).then(|| figure.parse().ok()).flatten() };
    match figures.as_slice() {
        [joined] if joined.len() == 8 => {
            let year = year_number(&joined[..4])?;
            Span::day(Date::new(year, small(&joined[4..6])?, small(&joined[6..])?).ok()?)
        }
        [first, second] => {
            if let Some(year) = year_number(first) {
                return months(year, small(second)?, 1);
            }
            months(year_number(second)?, small(first)?, 1)
        }
        [first, second, third] => {
            if let Some(year) = year_number(first) {
                return Span::day(Date::new(year, small(second)?, small(third)?).ok()?);
            }
            let year = year_number(third)?;
            let (left, right) = (small(first)?, small(second)?);
            // With full stops the day comes first; with strokes and hyphens only a figure over 12
            // tells, and a date that could be two days is refused.
            let day_first = word.contains('.') || left > 12 || left == right;
            let month_first = right > 12;
            match (day_first, month_first) {
                (true, false) => Span::day(Date::new(year, right, left).ok()?),
                (false, true) => Span::day(Date::new(year, left, right).ok()?),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `yesterday morning`, `monday night`, `this morning`, `last night`.
fn part_of_day(words: &[&str], today: Date) -> Option<Span> {
    let (part, before) = words.split_last()?;
    let (from, hours) = match *part {
        "morning" => (5, 7),
        "afternoon" => (12, 6),
        "evening" => (17, 7),
        "night" => (20, 9),
        _ => return None,
    };
    let day = match before {
        ["this"] => today,
        ["last"] if matches!(*part, "night" | "evening") => shift_days(today, -1)?,
        [] | ["last"] => return None,
        _ => {
            let found = span(before, today)?;
            let date = found.start?.date();
            (found == Span { yearless: found.yearless, ..Span::day(date)? }).then_some(date)?
        }
    };
    let start = local_hour(day, from)?;
    Some(Span {
        start: Some(start),
        end: start.checked_add(jiff::Span::new().try_hours(hours).ok()?).ok(),
        yearless: false,
    })
}
