//! Matroska and WebM: elements in elements, named by numbers.
//!
//! An element is a number, a length and a body. The number's leading zeros tell how many bytes it has, and so do
//! the length's, whose marker bit is no part of it; a length of nothing but ones is unknown and reaches to the
//! next element of the same level. Clusters, which hold the film, are stepped over.

use super::facts::{Facts, duration_words, narrow_text};
use super::recording::chapter_lines;

const SEGMENT: u32 = 0x1853_8067;
const CLUSTER: u32 = 0x1F43_B675;
const INFO: u32 = 0x1549_A966;
const TITLE: u32 = 0x7BA9;
const DURATION: u32 = 0x4489;
const TIMECODE_SCALE: u32 = 0x002A_D7B1;
const TAGS: u32 = 0x1254_C367;
const TAG: u32 = 0x7373;
const SIMPLE_TAG: u32 = 0x67C8;
const TAG_NAME: u32 = 0x45A3;
const TAG_STRING: u32 = 0x4487;
const CHAPTERS: u32 = 0x1043_A770;
const EDITION: u32 = 0x45B9;
const CHAPTER: u32 = 0xB6;
const CHAPTER_START: u32 = 0x91;
const CHAPTER_DISPLAY: u32 = 0x80;
const CHAPTER_TITLE: u32 = 0x85;
const TRACKS: u32 = 0x1654_AE6B;
const TRACK: u32 = 0xAE;
const TRACK_NAME: u32 = 0x536E;
const ATTACHMENTS: u32 = 0x1941_A469;
const ATTACHMENT: u32 = 0x61A7;
const ATTACHMENT_NAME: u32 = 0x466E;
const ATTACHMENT_WORDS: u32 = 0x467E;

/// Elements looked at in one file: an hour of film has some thousand clusters.
const MOST_ELEMENTS: usize = 1_000_000;

/// Tags and chapters stand in each other at most so deep.
const MOST_DEPTH: usize = 8;

/// Gathers the words of a film.
pub(super) fn read(bytes: &[u8], facts: &mut Facts) {
    let mut walk = Walk::default();
    for (number, segment) in elements(bytes) {
        if number == SEGMENT {
            walk.inside(segment, 0, facts);
        }
    }
    facts.add_lines("chapters", "Chapters", &chapter_lines(std::mem::take(&mut walk.chapters).into_iter()));
    // The length counts units of so many nanoseconds, a million where nothing else is said.
    let scale = walk.scale.unwrap_or(1_000_000) as f64;
    if let Some(words) = walk.duration.and_then(|length| duration_words(length * scale / 1e9)) {
        facts.add_labelled("duration", "Duration", &words);
    }
}

#[derive(Default)]
struct Walk {
    scale: Option<u64>,
    duration: Option<f64>,
    chapters: Vec<(u64, String)>,
    chapter_start: u64,
    tag_name: String,
}

impl Walk {
    fn inside(&mut self, body: &[u8], depth: usize, facts: &mut Facts) {
        if depth > MOST_DEPTH {
            return;
        }
        for (number, body) in elements(body) {
            match number {
                INFO | TAGS | TAG | SIMPLE_TAG | CHAPTERS | EDITION | CHAPTER | CHAPTER_DISPLAY | TRACKS | TRACK
                | ATTACHMENTS | ATTACHMENT => self.inside(body, depth + 1, facts),
                TITLE => facts.add_labelled("title", "Title", &narrow_text(body)),
                TIMECODE_SCALE => self.scale = Some(unsigned(body)),
                DURATION => self.duration = float(body),
                TAG_NAME => self.tag_name = narrow_text(body),
                TAG_STRING => self.tag(&narrow_text(body), facts),
                CHAPTER_START => self.chapter_start = unsigned(body) / 1_000_000_000,
                CHAPTER_TITLE => self.chapters.push((self.chapter_start, narrow_text(body))),
                TRACK_NAME => facts.add_labelled("track", "Track", &narrow_text(body)),
                ATTACHMENT_NAME => facts.add_labelled("attachment", "Attachment", &narrow_text(body)),
                ATTACHMENT_WORDS => facts.add_labelled("attachment", "Attachment", &narrow_text(body)),
                _ => {}
            }
        }
    }

    fn tag(&mut self, value: &str, facts: &mut Facts) {
        let name = std::mem::take(&mut self.tag_name);
        // Muxers write their statistics as tags.
        if name.is_empty()
            || name.starts_with('_')
            || matches!(name.as_str(), "BPS" | "DURATION" | "ENCODER")
            || name.starts_with("NUMBER_OF_")
        {
            return;
        }
        let lower = name.to_lowercase().replace('_', " ");
        let mut letters = lower.chars();
        let label: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        facts.add_labelled(&lower, &label, value);
    }
}

/// The elements that stand one after another.
fn elements(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut at = 0usize;
    std::iter::from_fn(move || {
        let (number, number_bytes) = number(bytes.get(at..)?)?;
        let (length, length_bytes) = length(bytes.get(at + number_bytes..)?)?;
        let start = at + number_bytes + length_bytes;
        let end = match length {
            Some(length) => start.saturating_add(usize::try_from(length).ok()?).min(bytes.len()),
            // A live recording's clusters have no length; where the next one begins cannot be told without
            // reading it through. A segment of unknown length is all that there is.
            None if number == CLUSTER => return None,
            None => bytes.len(),
        };
        let body = bytes.get(start..end)?;
        at = end;
        Some((number, body))
    })
    .take(MOST_ELEMENTS)
}

/// A number with its marker bit, and its bytes.
fn number(bytes: &[u8]) -> Option<(u32, usize)> {
    let width = bytes.first()?.leading_zeros() as usize + 1;
    (width <= 4).then_some(())?;
    Some((bytes.get(..width)?.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)), width))
}

/// A length without its marker bit, and its bytes; `None` inside for an unknown one.
fn length(bytes: &[u8]) -> Option<(Option<u64>, usize)> {
    let width = bytes.first()?.leading_zeros() as usize + 1;
    (width <= 8).then_some(())?;
    let whole = bytes.get(..width)?.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let mask = (1u64 << (7 * width)) - 1;
    let value = whole & mask;
    Some(((value != mask).then_some(value), width))
}

fn unsigned(body: &[u8]) -> u64 {
    body.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn float(body: &[u8]) -> Option<f64> {
    match body.len() {
        4 => Some(f64::from(f32::from_be_bytes(body.try_into().ok()?))),
        8 => Some(f64::from_be_bytes(body.try_into().ok()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_lengths_are_as_wide_as_their_zeros_say() {
        assert_eq!(number(&[0xAE]), Some((0xAE, 1)));
        assert_eq!(number(&[0x7B, 0xA9, 9]), Some((TITLE, 2)));
        assert_eq!(number(&[0]), None);
        assert_eq!(length(&[0x82]), Some((Some(2), 1)));
        assert_eq!(length(&[0x40, 0x7F]), Some((Some(0x7F), 2)));
        assert_eq!(length(&[0xFF]), Some((None, 1)));
        assert_eq!(length(&[0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]), Some((None, 8)));
        assert_eq!(length(&[0x00]), None);
    }
}
