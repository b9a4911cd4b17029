//! Showing text that others wrote, above all names of files, which may hold any character.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with control, zero-width and bidirectional characters made visible: C0 controls as
/// their pictures (`␛`), all others as `\u{..}`. Line feeds and tabs stay. The same forms as the
/// engine gives excerpts, so that showing a shown text changes nothing.
pub fn shown(text: &str) -> Cow<'_, str> {
    show(text, true)
}

/// The same for what must stay on one line: line feeds and tabs become pictures too.
pub fn shown_line(text: &str) -> Cow<'_, str> {
    show(text, false)
}

fn show(text: &str, layout: bool) -> Cow<'_, str> {
    let plain = |byte: u8| matches!(byte, b' '..=b'~') || (layout && matches!(byte, b'\n' | b'\t'));
    if text.bytes().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut previous = ' ';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\t' if layout => out.push(character),
            '\u{0}'..='\u{1F}' => out.push(char::from_u32(0x2400 + character as u32).unwrap_or('\u{FFFD}')),
            '\u{7F}' => out.push('␡'),
            // Emoji families and Persian or Indic spelling need joiners between two characters.
            '\u{200C}' | '\u{200D}' if joins(previous) && characters.peek().copied().is_some_and(joins) => {
                out.push(character);
            }
            other if is_hidden(other) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", other as u32);
            }
            other => out.push(other),
        }
        previous = character;
    }
    Cow::Owned(out)
}

fn joins(neighbour: char) -> bool {
    !neighbour.is_ascii() && !neighbour.is_whitespace() && !neighbour.is_control() && !is_hidden(neighbour)
}

/// Characters that take no room, steer direction, or break lines: C1 controls, soft hyphen,
/// Arabic letter mark, Hangul fillers, zero-width and bidirectional marks, separators, invisible
/// operators, byte order mark, interlinear anchors, shorthand and musical controls, tags.
fn is_hidden(character: char) -> bool {
    matches!(character as u32,
        0x80..=0x9F | 0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFEFF | 0xFFA0
        | 0xFFF0..=0xFFFB | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_could_steer_is_shown() {
        assert_eq!(shown_line("a\u{1b}[2J\nb\t\r"), "a␛[2J␊b␉␍");
        assert_eq!(shown("a\nb\tc\u{202E}"), "a\nb\tc\\u{202e}");
        assert_eq!(shown_line("می\u{200C}خواهم ❤\u{FE0F}"), "می\u{200C}خواهم ❤\u{FE0F}");
        assert_eq!(shown_line("tag\u{E0041}"), "tag\\u{e0041}");
    }

    proptest! {
        #[test]
        fn a_shown_line_is_one_line_and_showing_again_changes_nothing(text in any::<String>()) {
            let once = shown_line(&text).into_owned();
            prop_assert!(!once.chars().any(|character| character.is_control()));
            prop_assert_eq!(once.lines().count() <= 1, true);
            prop_assert_eq!(shown_line(&once).into_owned(), once.clone());
        }
    }
}
