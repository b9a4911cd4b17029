//! What a character is to the tokenizer.

use std::sync::OnceLock;

use super::character_ranges::{DROPPED, PUNCTUATION};

/// What the tokenizer does with a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum CharacterClass {
    /// Part of a word.
    Letter,
    /// Removed; the word goes on behind it.
    Dropped,
    /// Ends a word.
    Space,
    /// Ends a word and is one: Chinese characters, and punctuation within ASCII.
    Alone,
}

/// Blocks that the reference holds for Chinese: the CJK unified ideographs with extensions A to E and
/// the compatibility ideographs. Kana and Hangul are not among them.
const CHINESE: [(u32, u32); 8] = [
    (0x3400, 0x4dbf),
    (0x4e00, 0x9fff),
    (0xf900, 0xfaff),
    (0x20000, 0x2a6df),
    (0x2a700, 0x2b73f),
    (0x2b740, 0x2b81f),
    (0x2b920, 0x2ceaf),
    (0x2f800, 0x2fa1f),
];

/// Code points of the basic plane, which are looked up in a table instead of searched.
const BASIC_PLANE: usize = 0x1_0000;

pub(super) fn of_ascii(byte: u8) -> CharacterClass {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => CharacterClass::Letter,
        b' ' | b'\t' | b'\n' | b'\r' => CharacterClass::Space,
        0..0x20 | 0x7f => CharacterClass::Dropped,
        _ => CharacterClass::Alone,
    }
}

/// The class of a character beyond ASCII. Punctuation counts as a letter here, because the reference
/// looks for it only after decomposition: see [`is_punctuation`].
pub(super) fn of(character: char) -> CharacterClass {
    match basic_plane().get(character as usize) {
        Some(class) => *class,
        None => search(character),
    }
}

pub(super) fn is_punctuation(character: char) -> bool {
    character.is_ascii_punctuation() || (!character.is_ascii() && within(&PUNCTUATION, character as u32))
}

fn search(character: char) -> CharacterClass {
    let code = character as u32;
    if within(&DROPPED, code) {
        CharacterClass::Dropped
    } else if character.is_whitespace() {
        CharacterClass::Space
    } else if within(&CHINESE, code) {
        CharacterClass::Alone
    } else {
        CharacterClass::Letter
    }
}

fn within(ranges: &[(u32, u32)], code: u32) -> bool {
    let after = ranges.partition_point(|(first, _)| *first <= code);
    after > 0 && code <= ranges[after - 1].1
}

fn basic_plane() -> &'static [CharacterClass] {
    static TABLE: OnceLock<Vec<CharacterClass>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = vec![CharacterClass::Letter; BASIC_PLANE];
        let mut fill = |ranges: &[(u32, u32)], class: CharacterClass| {
            for (first, last) in ranges {
                let (first, last) = (*first as usize, (*last as usize).min(BASIC_PLANE - 1));
                if first <= last {
                    table[first..=last].fill(class);
                }
            }
        };
        fill(&CHINESE, CharacterClass::Alone);
        // All white space lies below U+3001.
        for code in 0..=0x3000 {
            if char::from_u32(code).is_some_and(char::is_whitespace) {
                fill(&[(code, code)], CharacterClass::Space);
            }
        }
        fill(&DROPPED, CharacterClass::Dropped);
        table
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_and_search_agree() {
        for character in ('\u{80}'..=char::MAX).filter(|character| (*character as usize) < BASIC_PLANE) {
            assert_eq!(of(character), search(character), "U+{:04X}", character as u32);
        }
    }

    #[test]
    fn ranges_are_in_order() {
        for ranges in [&DROPPED[..], &PUNCTUATION, &CHINESE] {
            assert!(ranges.iter().all(|(first, last)| first <= last));
            assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }
}
