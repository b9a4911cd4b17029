//! Showing text that was written by others: nothing in it may steer the terminal, hide, or turn
//! the reading direction.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::character::is_invisible;

/// The text with control, zero-width and bidirectional characters made visible: C0 controls as
/// their pictures (`␛`), all others as `\u{..}`. Line feeds and tabs stay, since they are layout.
/// Variation selectors, and joiners between two characters beyond ASCII, stay as well: emoji
/// families and Persian or Indic spelling need them.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut previous = ' ';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        push_visible(&mut shown, character, previous, characters.peek().copied());
        previous = character;
    }
    Cow::Owned(shown)
}

/// Appends the visible form of one character, given its neighbours.
pub(crate) fn push_visible(shown: &mut String, character: char, previous: char, next: Option<char>) {
    match character {
        '\n' | '\t' => shown.push(character),
        '\u{0}'..='\u{1F}' => shown.push(char::from_u32(0x2400 + character as u32).unwrap_or('\u{FFFD}')),
        '\u{7F}' => shown.push('␡'),
        '\u{FE00}'..='\u{FE0F}' => shown.push(character),
        '\u{200C}' | '\u{200D}' if joins(previous) && next.is_some_and(joins) => shown.push(character),
        '\u{80}'..='\u{9F}' | '\u{2028}' | '\u{2029}' => push_escape(shown, character),
        other if is_invisible(other) => push_escape(shown, other),
        other => shown.push(other),
    }
}

fn push_escape(shown: &mut String, character: char) {
    // Writing to a string cannot fail.
    let _ = write!(shown, "\\u{{{:x}}}", character as u32);
}

fn joins(neighbour: char) -> bool {
    !neighbour.is_ascii()
        && !neighbour.is_whitespace()
        && !neighbour.is_control()
        && (!is_invisible(neighbour) || ('\u{FE00}'..='\u{FE0F}').contains(&neighbour))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_steer_a_terminal_is_shown() {
        assert_eq!(visible("a\u{1b}[2Jb"), "a␛[2Jb");
        assert_eq!(visible("a\u{202E}b\u{85}\u{7f}"), "a\\u{202e}b\\u{85}␡");
        assert_eq!(visible("zero\u{200B}width\u{FEFF}"), "zero\\u{200b}width\\u{feff}");
        assert_eq!(visible("a\u{200D}b"), "a\\u{200d}b");
        assert_eq!(visible("one\r\ntwo\t3"), "one␍\ntwo\t3");
    }

    #[test]
    fn spelling_that_needs_joiners_is_left_alone() {
        for text in ["👨\u{200D}👩\u{200D}👧", "می\u{200C}خواهم", "❤\u{FE0F}", "plain", "naïve"] {
            assert_eq!(visible(text), text);
        }
    }
}
