//! A stretch of text around a match.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Characters of an excerpt, the marks of what was cut off included.
pub const EXCERPT_CHARACTERS: usize = 300;

/// Stands where something was cut off.
const CUT: char = '…';

/// Up to so many characters of a text on one line, with the match in it and about a third of the rest
/// before it, cut between graphemes; and where the match stands in that.
pub(super) fn around(text: &str, matched: Range<usize>, characters: usize) -> (String, Range<usize>) {
    // A pattern of bytes may match inside a character.
    let start = text.floor_char_boundary(matched.start.min(text.len()));
    let end = text.ceil_char_boundary(matched.end.min(text.len()).max(start));
    // Room for a mark on either side.
    let room = characters.saturating_sub(2);
    let inside = characters_of(&text[start..end], room);
    let mut left = room - inside;
    let mut from = start;
    let mut before_left = left / 3;
    // What follows may need less than its share; what precedes gets the rest.
    let after_length = characters_of(&text[end..], left);
    before_left = before_left.max(left - after_length.min(left));
    for (at, grapheme) in text[..start].grapheme_indices(true).rev() {
        let length = grapheme.chars().count();
        if length > before_left {
            break;
        }
        before_left -= length;
        left -= length;
        from = at;
    }
    let mut to = start;
    let mut room = inside + left;
    for (at, grapheme) in text[start..].grapheme_indices(true) {
        let length = grapheme.chars().count();
        if length > room {
            // A letter under a thousand accents is cut like anything else, or nothing would be shown.
            if at == 0 {
                to = start + grapheme.char_indices().nth(room).map_or(0, |(at, _)| at);
            }
            break;
        }
        room -= length;
        to = start + at + grapheme.len();
    }
    let mut excerpt = String::new();
    if !text[..from].trim().is_empty() {
        excerpt.push(CUT);
    }
    let mut place = 0..0;
    for (at, character) in text[from..to].char_indices() {
        let at = from + at;
        if at == start {
            place.start = excerpt.len();
        }
        excerpt.push(if matches!(character, '\n' | '\r' | '\t') { ' ' } else { character });
        if at < end {
            place.end = excerpt.len();
        }
    }
    if start >= to {
        place = excerpt.len()..excerpt.len();
    }
    if place.end < place.start {
        place.end = place.start;
    }
    if !text[to..].trim().is_empty() {
        excerpt.push(CUT);
    }
    (excerpt, place)
}

/// How many characters a text has, counted up to a limit.
fn characters_of(text: &str, limit: usize) -> usize {
    text.chars().take(limit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_stands_whole() {
        assert_eq!(around("a tram\nride", 2..6, 300), ("a tram ride".to_owned(), 2..6));
        assert_eq!(around("", 0..0, 300), (String::new(), 0..0));
    }

    #[test]
    fn a_long_text_is_cut_on_both_sides() {
        let text = format!("{}needle{}", "before ".repeat(100), " after".repeat(100));
        let (excerpt, place) = around(&text, 700..706, 300);
        assert_eq!(excerpt.chars().count(), 300);
        assert_eq!(&excerpt[place], "needle");
        assert!(excerpt.starts_with('…') && excerpt.ends_with('…'));
        // At the very end everything before it is shown.
        let (excerpt, place) = around(&text[..706], 700..706, 300);
        assert_eq!((&excerpt[place], excerpt.chars().count()), ("needle", 299));
    }

    #[test]
    fn no_grapheme_is_torn() {
        let family = "👨\u{200D}👩\u{200D}👧";
        let text = format!("{}x{}", family.repeat(90), family.repeat(90));
        let at = text.find('x').unwrap_or(0);
        let (excerpt, place) = around(&text, at..at + 1, 300);
        assert_eq!(&excerpt[place.clone()], "x");
        assert!(excerpt.chars().count() <= 300);
        let inner = excerpt.trim_matches('…');
        assert_eq!(inner.replace(family, ""), "x");
        let accents = format!("e{}", "\u{301}".repeat(5_000));
        let (excerpt, _) = around(&accents, 0..1, 300);
        assert!((2..=300).contains(&excerpt.chars().count()));
        // A match of bytes inside a character.
        let (excerpt, place) = around("äöü", 3..4, 300);
        assert_eq!((excerpt.as_str(), &excerpt[place]), ("äöü", "ö"));
    }

    #[test]
    fn a_match_longer_than_the_excerpt_is_cut() {
        let text = "y".repeat(1_000);
        let (excerpt, place) = around(&text, 100..900, 300);
        assert_eq!(excerpt.chars().count(), 300);
        assert_eq!(place, 3..301);
    }
}
