//! Phrases that join two times, or open one to a side.

use jiff::civil::Date;

use super::calendar::Span;
use super::phrase;

/// The span of a whole phrase.
pub(super) fn window(words: &[String], today: Date) -> Option<Span> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    read(&words, today)
}

fn read(words: &[&str], today: Date) -> Option<Span> {
    let one = |words: &[&str]| phrase::span(words, today);
    let (&first, rest) = words.split_first()?;
    match first {
        "since" => return Some(Span { end: None, ..one(rest)? }),
        "after" => return Some(Span { start: one(rest)?.end, end: None, yearless: false }),
        "before" => return Some(Span { start: None, end: one(rest)?.start, yearless: false }),
        "until" | "till" | ".." => return Some(Span { start: None, ..one(rest)? }),
        "by" => return Some(Span { start: None, ..one(rest)? }),
        "between" => {
            let at = rest.iter().position(|word| matches!(*word, "and" | "to" | "-" | "&"))?;
            return join(one(&rest[..at])?, one(&rest[at + 1..])?);
        }
        "from" => {
            return match rest.iter().position(is_joint) {
                Some(at) if at + 1 < rest.len() => join(one(&rest[..at])?, one(&rest[at + 1..])?),
                Some(_) => None,
                // `from last week` means it; `from march on` is open.
                None => match rest.split_last() {
                    Some((&("on" | "onwards" | "onward"), before)) => Some(Span { end: None, ..one(before)? }),
                    _ => one(rest),
                },
            };
        }
        _ => {}
    }
    if let Some(found) = one(words) {
        return Some(found);
    }
    let at = words.iter().position(is_joint)?;
    let left = one(&words[..at])?;
    match &words[at + 1..] {
        [] => (words[at] == "..").then_some(Span { end: None, ..left }),
        right => join(left, one(right)?),
    }
}

fn is_joint(word: &&str) -> bool {
    matches!(*word, "to" | ".." | "-" | "until" | "till" | "through" | "thru")
}

/// From the start of one through the end of the other. A first month or season without a year is
/// the one before the second; two dates in the wrong order are put right.
fn join(left: Span, right: Span) -> Option<Span> {
    let spans = |from: Span, to: Span| Some(Span { start: Some(from.start?), end: Some(to.end?), yearless: false });
    if left.start? < right.end? {
        return spans(left, right);
    }
    if left.yearless {
        return spans(left.a_year_earlier()?, right);
    }
    spans(right, left)
}
