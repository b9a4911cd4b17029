//! A mailbox: messages one after another, each behind a line that begins with `From `.
//!
//! Such a line is told from a sentence by its date and by the header that follows it. Programs disagree on
//! much else: Gmail's export has its own order of the date, Thunderbird writes a dash for the sender, and lines
//! of a body that look like it are written `>From `, by some programs with one more mark at each copy.
//! Messages are taken apart one at a time. Their files are handed out in a second pass, so that the text is
//! whole whoever wants them.

use std::borrow::Cow;
use std::ops::Range;

use bethink_core::ProblemKind;

use super::letter::{Outbox, Place};
use super::mime;
use crate::extraction::problem;
use crate::family::{Outcome, Sink};
use crate::limits::Limits;

/// Reads a mailbox.
pub(super) fn read(bytes: &[u8], limits: &Limits, sink: &mut dyn Sink) -> Outcome {
    let mut with_files: Vec<(u32, Range<usize>)> = Vec::new();
    let mut number = 0u32;
    for range in Messages::of(bytes) {
        number = number.saturating_add(1);
        let mut letter = mime::letter(&unescaped(&bytes[range.clone()]));
        if !letter.enclosures.is_empty() {
            with_files.push((number, range));
        }
        if !letter.is_empty() && !letter.write_text(Place::Mailbox(number), sink) {
            break;
        }
    }
    if number == 0 {
        return Outcome::Skipped(problem(ProblemKind::Empty, "the mailbox holds no message"));
    }
    let mut outbox = Outbox::new(sink, limits);
    'messages: for (number, range) in with_files {
        let folder = format!("{number}/");
        for file in mime::letter(&unescaped(&bytes[range])).enclosures {
            if !outbox.send(&folder, file) {
                break 'messages;
            }
        }
    }
    Outcome::Read
}

/// Where the messages stand, without the lines that separate them.
struct Messages<'a> {
    bytes: &'a [u8],
    /// The start of the next message's separator.
    next: Option<usize>,
}

impl<'a> Messages<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        let next = separator_from(bytes, 0);
        Self { bytes, next }
    }
}

impl Iterator for Messages<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let separator = self.next?;
        let start = line_end(self.bytes, separator);
        self.next = separator_from(self.bytes, start);
        Some(start..self.next.unwrap_or(self.bytes.len()))
    }
}

/// The first separator at or behind the start of a line.
fn separator_from(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"From ") && is_separator(&bytes[at..]) {
            return Some(at);
        }
        at = line_end(bytes, at);
    }
    None
}

/// The start of the line behind the one that begins here.
fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end + 1)
}

/// Whether the first line separates messages, and a header follows it.
pub(crate) fn is_separator(bytes: &[u8]) -> bool {
    /// Longest line of its kind: an address and a date.
    const LONGEST: usize = 512;
    let Some(rest) = bytes.strip_prefix(b"From ") else { return false };
    let Some(end) = rest[..rest.len().min(LONGEST)].iter().position(|byte| *byte == b'\n') else { return false };
    let words: Vec<&[u8]> = rest[..end].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    const MONTHS: [&[u8]; 12] =
        [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
    let is_year = |word: &[u8]| matches!(word, [b'1' | b'2', b'9' | b'0', b'0'..=b'9', b'0'..=b'9']);
    let is_time = |word: &[u8]| {
        word.contains(&b':') && word.len() <= 8 && word.iter().all(|byte| byte.is_ascii_digit() || *byte == b':')
    };
    let is_dated = words.iter().any(|word| MONTHS.contains(word))
        && words.iter().any(|word| is_year(word))
        && words.iter().any(|word| is_time(word));
    is_dated && begins_with_header(&rest[end + 1..])
}

/// Whether a header, or one that a program hid with a mark, begins here.
fn begins_with_header(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b">").unwrap_or(bytes);
    if bytes.starts_with(b"From ") {
        return true;
    }
    let name = bytes.iter().take(80).take_while(|byte| byte.is_ascii_graphic() && **byte != b':').count();
    name > 0 && bytes.get(name) == Some(&b':')
}

/// A message with the marks before its own `From ` lines taken off.
fn unescaped(raw: &[u8]) -> Cow<'_, [u8]> {
    let is_escaped = |line: &[u8]| {
        let marks = line.iter().take_while(|byte| **byte == b'>').count();
        marks > 0 && line[marks..].starts_with(b"From ")
    };
    if !raw.split(|byte| *byte == b'\n').any(is_escaped) {
        return Cow::Borrowed(raw);
    }
    let mut clean = Vec::with_capacity(raw.len());
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        clean.extend_from_slice(if is_escaped(line) { &line[1..] } else { line });
    }
    Cow::Owned(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_told_from_sentences() {
        let separators: [&[u8]; 5] = [
            b"From ana@x.org Mon Jun 01 04:28:28 2009\nSubject: x\n",
            b"From - Tue Jan  2 00:00:00 2019\r\nX-Mozilla-Status: 0001\r\n",
            b"From 1844347792267117879@xxx Fri Sep 26 17:18:40 +0000 2025\r\nX-GM-THRID: 1\r\n",
            b"From ???@??? Mon Jan 05 10:00:00 1998\nReceived: x\n",
            b"From ana at x.org  Mon Jun  1 04:28:28 2009\nFrom: ana\n",
        ];
        for separator in separators {
            assert!(is_separator(separator), "{:?}", String::from_utf8_lossy(separator));
        }
        let sentences: [&[u8]; 4] = [
            b"From 1844347792267117879@xxx\nFrom: ana\n",
            b"From Monday on we open at 10:30, from Jan 2019\nas said\n",
            b"From here to there\n",
            b"From ana@x.org Mon Jun 01 04:28:28 2009\nno header\n",
        ];
        for sentence in sentences {
            assert!(!is_separator(sentence), "{:?}", String::from_utf8_lossy(sentence));
        }
    }

    #[test]
    fn marks_before_hidden_lines_come_off_one_at_a_time() {
        let raw = b"Subject: x\n\n>From here\n>>From there\n> From nowhere\n>Fromage\n";
        assert_eq!(
            String::from_utf8_lossy(&unescaped(raw)),
            "Subject: x\n\nFrom here\n>From there\n> From nowhere\n>Fromage\n"
        );
    }
}
