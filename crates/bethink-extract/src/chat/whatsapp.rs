//! WhatsApp's exports: plain lines that open with a date and a time in the phone's own form.
//!
//! The text is the file's own, so that its line numbers are the file's; each line that opens a message is
//! marked. What is understood is the shape, not the locale: three numbers of a date, two or three of a
//! time, a word for the half of the day, in brackets (iOS) or before a dash (Android).

use bethink_core::{Locator, ProblemKind};

use crate::extraction::problem;
use crate::family::{Outcome, Sink};
use crate::text::without_controls;

/// Lines that are looked at.
const LINES: usize = 60;

/// Characters within which a date and a time end.
const HEAD_CHARACTERS: usize = 40;

/// Reads the messages.
pub(super) fn read(text: &str, sink: &mut dyn Sink) -> Outcome {
    let mut messages = 0_u32;
    let mut waiting = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if opening(line).is_some() {
            if at > waiting && !sink.text(without_controls(text[waiting..at].to_owned())) {
                return Outcome::Read;
            }
            waiting = at;
            messages = messages.saturating_add(1);
            sink.mark(Locator::Message(messages));
        }
        at += line.len();
    }
    sink.text(without_controls(text[waiting..].to_owned()));
    if messages == 0 {
        return Outcome::Skipped(problem(ProblemKind::Empty, "the export holds no messages"));
    }
    Outcome::Read
}

/// Whether a text is such an export: it opens with a message, and more than one line or all of them do.
pub(super) fn is_chat(head: &str) -> bool {
    let mut lines = head.lines().filter(|line| !line.trim().is_empty()).take(LINES).peekable();
    let Some(first) = lines.peek().and_then(|line| opening(line)) else { return false };
    let mut openings = 0;
    let mut named = 0;
    let mut all = 0;
    for line in lines {
        all += 1;
        if let Some(opening) = opening(line) {
            openings += 1;
            named += u32::from(opening.is_named);
        }
    }
    // Logs open like this as well, with dates from the year down; chats with such dates say whose they are.
    let sure = !first.is_log_like || head.contains('\u{200e}') || head.contains("WhatsApp");
    sure && named > 0 && (openings >= 2 || openings == all)
}

/// How a line opens a message.
struct Opening {
    /// Whether a speaker is named behind the time.
    is_named: bool,
    /// Whether a log might open its lines so.
    is_log_like: bool,
}

fn opening(line: &str) -> Option<Opening> {
    let line = line.trim_start_matches(['\u{200e}', '\u{200f}', '\u{feff}']);
    let (time, message, bracketed) = match line.strip_prefix('[') {
        Some(rest) => {
            let (time, message) = rest.split_once(']')?;
            (time, message, true)
        }
        None => {
            let (time, message) = line.split_once(" - ")?;
            (time, message, false)
        }
    };
    let time = Time::of(time)?;
    if time.has_seconds && !bracketed {
        return None;
    }
    Some(Opening { is_named: message.contains(": "), is_log_like: time.year_first && !time.has_comma })
}

/// The shape of a date and a time.
struct Time {
    has_seconds: bool,
    has_comma: bool,
    year_first: bool,
}

impl Time {
    fn of(text: &str) -> Option<Self> {
        if text.chars().nth(HEAD_CHARACTERS).is_some() || !text.starts_with(char::is_numeric) {
            return None;
        }
        // The lengths of the groups of digits, and what stands before each.
        let mut groups: Vec<usize> = Vec::new();
        let mut separators: Vec<char> = Vec::new();
        let mut separator = ' ';
        let mut in_group = false;
        let mut letters = 0;
        for character in text.chars() {
            if character.is_numeric() {
                if !in_group {
                    groups.push(0);
                    separators.push(separator);
                    separator = ' ';
                }
                *groups.last_mut()? += 1;
                in_group = true;
                continue;
            }
            in_group = false;
            match character {
                '/' | '.' | '-' | ':' => separator = character,
                ',' | ' ' | '\u{a0}' | '\u{202f}' | '\u{200e}' | '\u{200f}' | '،' => {}
                letter if letter.is_alphabetic() => letters += 1,
                _ => return None,
            }
        }
        let has_seconds = groups.len() == 6;
        let date = groups.get(..3)?;
        let is_date = date.iter().all(|length| matches!(length, 1 | 2 | 4))
            && date.iter().filter(|length| **length == 4).count() <= 1;
        let date_marks = separators.get(1..3)?;
        let same = date_marks[0] == date_marks[1] && matches!(date_marks[0], '/' | '.' | '-');
        let clock = groups.get(3..)?;
        let is_clock = matches!(clock.len(), 2 | 3) && clock[0] <= 2 && clock[1..].iter().all(|length| *length == 2);
        let clock_marks = separators.get(4..)?.iter().all(|mark| matches!(mark, ':' | '.'));
        (is_date && same && is_clock && clock_marks && letters <= 8).then(|| Self {
            has_seconds,
            has_comma: text.contains([',', '،']),
            year_first: date[0] == 4,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_open_as_phones_of_many_countries_write_them() {
        let opened = [
            "12/31/23, 9:41\u{202f}PM - Ana: hello",
            "31.12.23, 21:41 - Ana: hallo",
            "31/12/2023 21:41 - Ana: olá",
            "2023-12-31 21:41 - Ana: hej",
            "2023/12/31 下午9:41 - Ana: 你好",
            "2023. 12. 31. 오후 9:41 - Ana: 안녕",
            "31/12/23, 9:41 p. m. - Ana: hola",
            "[31.12.23, 21:41:05] Ana: hallo",
            "\u{200e}[12/31/23, 9:41:05 PM] Ana: \u{200e}image omitted",
            "31-12-2023 21.41 - Ana: hoi",
            "٣١/١٢/٢٠٢٣، ٩:٤١ م - Ana: مرحبا",
        ];
        for line in opened {
            assert!(opening(line).is_some_and(|opening| opening.is_named), "{line}");
        }
        let others = [
            "2024-05-01 12:30:15 - INFO: started",
            "1. first - Ana: x",
            "10 - 12 - 2020",
            "[INFO] Ana: x",
            "[1] 2: 3",
            "192.168.1.10 - - [x]: y",
            "12:30 - lunch: soup",
        ];
        for line in others {
            assert!(opening(line).is_none(), "{line}");
        }
    }

    #[test]
    fn a_log_is_no_chat() {
        let log = "[2024-05-01 12:30:15] local.ERROR: broken\n[2024-05-01 12:30:16] local.INFO: whole\n";
        assert!(!is_chat(log));
        assert!(is_chat("31.12.23, 21:41 - Ana: hallo\nzweite Zeile\n31.12.23, 21:42 - Bo: ja\n"));
        assert!(!is_chat("31.12.23, 21:41 - wrote the letter\nand more\n"));
    }
}
