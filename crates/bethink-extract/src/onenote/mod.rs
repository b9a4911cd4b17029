//! OneNote sections: the texts in them, without the pages that they stand on.
//!
//! A section is a store of revisions in a format of its own. Its properties hold text as a length in bytes
//! and that many bytes of UTF-16, or of Latin letters, so text is found where a length fits what follows
//! it, wherever that is. What was written once and changed later may be found too.

use std::collections::HashSet;

use bethink_core::{Format, ProblemKind};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::flow::{Flow, Style};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;

/// Reads OneNote sections.
pub(crate) struct OneNoteFamily;

/// Longest text that is believed, in bytes; a paragraph of more is a length that is none.
const LONGEST_BYTES: usize = 256 << 10;

/// Shortest text of Latin letters that is believed, in bytes: three printable bytes behind a three are an
/// accident.
const SHORTEST_LATIN: usize = 6;

/// Texts that are remembered, so that each revision does not repeat them.
const REMEMBERED: usize = 1 << 20;

impl Family for OneNoteFamily {
    fn reads(&self, format: Format) -> bool {
        format == Format::OneNote
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, _: &Limits, sink: &mut dyn Sink) -> Outcome {
        let mut flow = Flow::new(sink);
        let mut seen = HashSet::new();
        let mut at = 0;
        while at + 4 < source.bytes.len() && !flow.is_full() {
            match text_at(&source.bytes[at..]) {
                Some((text, length)) => {
                    if seen.len() < REMEMBERED && !is_identifier(&text) && seen.insert(text.clone()) {
                        flow.paragraph(&text, &Style::Plain);
                    }
                    at += 4 + length;
                }
                None => at += 1,
            }
        }
        let any = flow.has_text();
        flow.finish();
        if any { Outcome::Read } else { Outcome::Skipped(problem(ProblemKind::Empty, "the section holds no text")) }
    }

    fn entries(&self) -> Vec<FormatEntry> {
        vec![FormatEntry {
            name: "one",
            detected_by: "signature of a section",
            locator: "line of the extracted text",
            lost: "pages and their order, layout, pictures, ink; former revisions may be among the text",
            limits: "192 MiB of the file, 64 MiB of text",
        }]
    }
}

/// The text behind a length, and that length in bytes.
fn text_at(bytes: &[u8]) -> Option<(String, usize)> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length =
        usize::try_from(u32::from_le_bytes(*length)).ok().filter(|length| (2..=LONGEST_BYTES).contains(length))?;
    let body = rest.get(..length)?;
    wide(body).or_else(|| latin(body)).map(|text| (text, length))
}

/// A text of UTF-16, perhaps with a zero at its end.
fn wide(body: &[u8]) -> Option<String> {
    let (units, rest) = body.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let units = units.iter().map(|unit| u16::from_le_bytes(*unit));
    let mut text = String::new();
    let mut ended = false;
    for character in char::decode_utf16(units) {
        let character = character.ok()?;
        if ended {
            return None;
        }
        match character {
            '\0' => ended = true,
            '\t' | '\n' | '\r' | '\u{b}' => text.push(character),
            control if control.is_control() || !is_written(control) => return None,
            character => text.push(character),
        }
    }
    let letters = text.chars().filter(|character| character.is_alphanumeric()).count();
    // Two bytes behind a two are an accident, unless they are a letter of the first kilobyte of Unicode.
    let short = text.chars().count() < 3 && text.chars().any(|character| u32::from(character) > 0x400);
    (letters > 0 && letters * 3 >= text.chars().count() && !short).then_some(text)
}

/// Whether people write with the character: no private signs, no halves, nothing unassigned at the end.
fn is_written(character: char) -> bool {
    !matches!(u32::from(character), 0xE000..=0xF8FF | 0xFFF0..=0xFFFF | 0xF0000..)
}

/// A text of Latin letters, a byte each.
fn latin(body: &[u8]) -> Option<String> {
    let body = body.strip_suffix(&[0]).unwrap_or(body);
    let printable = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r' | 0xA0..);
    // Nearly every length is none, so the first byte that is no letter ends the matter before any are counted.
    if body.len() < SHORTEST_LATIN || !body.iter().all(printable) {
        return None;
    }
    let plain = body.iter().filter(|byte| byte.is_ascii_alphabetic() || **byte == b' ').count();
    (plain * 2 >= body.len()).then(|| body.iter().map(|byte| char::from(*byte)).collect())
}

/// Whether a text names an object for the program: `{8A7F…}`, `<resolutionId …`.
fn is_identifier(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('{') && text.ends_with('}') && !text.contains(' ') || text.starts_with('<') && text.contains("Id ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_behind_its_length() {
        let mut bytes = vec![9, 0, 0];
        for text in ["会议 notes", "{8A7F}", "会议 notes"] {
            let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            bytes.extend(u32::try_from(units.len()).unwrap_or(0).to_le_bytes());
            bytes.extend(units);
        }
        bytes.extend(11u32.to_le_bytes());
        bytes.extend(b"plain text.\xFF\xFF\xFF\xFF");
        let source = Source { bytes: &bytes, format: Format::OneNote, name: "" };
        let mut gathered = crate::flow::Gathered::default();
        assert_eq!(OneNoteFamily.read(&source, &Limits::default(), &mut gathered), Outcome::Read);
        assert_eq!(gathered.0, "会议 notes\n\nplain text.\n");
    }
}
