//! UTF-16 and UTF-32 without a byte-order mark.
//!
//! Both are told by what the units would mean: nearly all must be characters that texts are made
//! of, and some must be the commonplace ones (spaces, line ends, ASCII letters, CJK punctuation)
//! that arise from no other reading of the bytes. ASCII pairs read as UTF-16 look like rare
//! ideographs ("bush hid the facts"); the second condition is what refuses them.

use encoding_rs::{UTF_16BE, UTF_16LE};

use super::charset::Charset;

/// Bytes looked at. Text does not change its width midway.
const SAMPLE_BYTES: usize = 64 << 10;

/// The wide charset that the bytes are in, if they are.
pub(super) fn charset_without_mark(bytes: &[u8]) -> Option<Charset> {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    if is_utf32(sample, u32::from_le_bytes) {
        return Some(Charset::Utf32Little);
    }
    if is_utf32(sample, u32::from_be_bytes) {
        return Some(Charset::Utf32Big);
    }
    let little = Evidence::of(sample, u16::from_le_bytes);
    let big = Evidence::of(sample, u16::from_be_bytes);
    let has_zero = sample.contains(&0);
    match (little.convinces(has_zero), big.convinces(has_zero)) {
        (true, true) if big.commonplace > little.commonplace => Some(Charset::Web(UTF_16BE)),
        (true, _) => Some(Charset::Web(UTF_16LE)),
        (false, true) => Some(Charset::Web(UTF_16BE)),
        (false, false) => None,
    }
}

/// Whether the sample reads as at least two characters of four bytes, nine in ten of them printable.
fn is_utf32(sample: &[u8], unit: fn([u8; 4]) -> u32) -> bool {
    let (units, rest) = sample.as_chunks::<4>();
    if units.len() < 2 || (sample.len() < SAMPLE_BYTES && !rest.is_empty()) {
        return false;
    }
    let mut printable = 0usize;
    for bytes in units {
        let Some(character) = char::from_u32(unit(*bytes)) else { return false };
        printable += usize::from(!character.is_control() || matches!(character, '\t' | '\n' | '\r'));
    }
    printable * 10 >= units.len() * 9
}

/// What the sample's units would be as UTF-16 of one byte order.
struct Evidence {
    units: usize,
    plausible: usize,
    commonplace: usize,
    east_asian: usize,
}

impl Evidence {
    fn of(sample: &[u8], unit: fn([u8; 2]) -> u16) -> Self {
        let mut evidence = Self { units: 0, plausible: 0, commonplace: 0, east_asian: 0 };
        let mut high_surrogate = false;
        for bytes in sample.as_chunks::<2>().0 {
            let value = unit(*bytes);
            evidence.units += 1;
            evidence.commonplace += usize::from(is_commonplace(value));
            evidence.east_asian += usize::from(matches!(value, 0x3001..=0x3011 | 0x3041..=0x30FE | 0xFF01..=0xFF5E));
            evidence.plausible += match value {
                0xDC00..=0xDFFF if high_surrogate => 2,
                _ => usize::from(is_plausible(value)),
            };
            high_surrogate = matches!(value, 0xD800..=0xDBFF);
        }
        evidence
    }

    /// With zero bytes in the sample, no charset of one byte a unit is left to compete with. Without,
    /// only East Asian text is possible, and its punctuation and kana must show.
    fn convinces(&self, has_zero: bool) -> bool {
        if has_zero {
            self.units >= 2 && self.plausible * 20 >= self.units * 19 && self.commonplace * 20 >= self.units
        } else {
            self.units >= 8 && self.plausible * 50 >= self.units * 49 && self.east_asian * 20 >= self.units
        }
    }
}

/// Units that most texts are full of.
fn is_commonplace(unit: u16) -> bool {
    matches!(unit, 0x09 | 0x0A | 0x0D | 0x20..=0x7E | 0x3001 | 0x3002 | 0x3041..=0x30FE | 0xFF01..=0xFF5E)
}

/// Units that texts in living scripts are made of.
fn is_plausible(unit: u16) -> bool {
    matches!(unit,
        0x09 | 0x0A | 0x0D | 0x20..=0x7E | 0xA0..=0x52F | 0x531..=0x6FF | 0x900..=0x109F | 0x1E00..=0x1FFF
        | 0x200B..=0x206F | 0x20A0..=0x20BF | 0x2100..=0x22FF | 0x2500..=0x27BF | 0x3000..=0x30FF
        | 0x3105..=0x318E | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3 | 0xFE0F | 0xFEFF | 0xFF01..=0xFFEE)
}

/// Decodes units of four bytes; what is no character becomes U+FFFD.
pub(super) fn decode_utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> String {
    let (units, rest) = bytes.as_chunks::<4>();
    let mut text = String::with_capacity(units.len());
    text.extend(units.iter().map(|bytes| char::from_u32(unit(*bytes)).unwrap_or(char::REPLACEMENT_CHARACTER)));
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}
