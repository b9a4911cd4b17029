//! Time phrases inside a query.

use std::ops::Range;

use bethink_core::UnixMillis;
use jiff::tz::TimeZone;

use super::{TimeWindow, time_phrase};

/// A phrase has at most this many words (`between the 14th of march 2026 and yesterday`).
const LONGEST_PHRASE_WORDS: usize = 10;

/// Only so many words of a query are looked at.
const MOST_WORDS: usize = 64;

/// The time phrases in a query, with their byte ranges; the longest at each place, left to right.
/// Words that may mean something else (`may`, `march`, `fall`, `2026` and other bare names and
/// numbers) count only with a word of time before them (`in march`, `last fall`).
pub fn find_time_phrases(query: &str, now: UnixMillis, zone: &TimeZone) -> Vec<(Range<usize>, TimeWindow)> {
    let words: Vec<Range<usize>> = query
        .split_whitespace()
        .take(MOST_WORDS)
        .map(|word| {
            // Splitting gives slices of the query, so the distance of the pointers is the offset.
            let start = word.as_ptr() as usize - query.as_ptr() as usize;
            start..start + word.len()
        })
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let longest = (at + LONGEST_PHRASE_WORDS).min(words.len());
        let hit = (at + 1..=longest).rev().find_map(|end| {
            let range = words[at].start..words[end - 1].end;
            let phrase = query[range.clone()].trim_end_matches(['.', ',', ';', ':', '?', '!']);
            if !is_unmistakable(phrase) {
                return None;
            }
            let window = time_phrase(phrase, now, zone).ok()?;
            Some((range.start..range.start + phrase.len(), window, end))
        });
        match hit {
            Some((range, window, end)) => {
                found.push((range, window));
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// Whether a phrase is about time wherever it stands.
fn is_unmistakable(phrase: &str) -> bool {
    let folded = crate::fold(phrase);
    let mut words = folded.split_whitespace();
    let first = words.next().unwrap_or_default();
    let several = words.next().is_some();
    let plain_number = folded.bytes().all(|byte| byte.is_ascii_digit());
    match first {
        "today" | "yesterday" => true,
        "on" | "the" | "of" | "at" | "about" | "around" | "a" => {
            let last_words = ["ago", "yesterday", "today", "day", "weekend", "morning", "night"];
            let dated = folded.bytes().any(|byte| byte.is_ascii_digit());
            several && (dated || last_words.iter().any(|word| folded.ends_with(word)))
        }
        _ if several => !folded.bytes().all(|byte| byte.is_ascii_digit() || byte == b' '),
        // A single word: a full date, or the name of a weekday.
        _ => !plain_number && (folded.matches('-').count() == 2 || folded.contains("..") || folded.ends_with("day")),
    }
}
