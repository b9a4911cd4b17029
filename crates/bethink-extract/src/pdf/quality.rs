//! Whether a page's text is text.
//!
//! A font without a map from its glyphs to characters yields replacement characters or the font's
//! private numbers; a reader that misses the gaps yields words that never end. Such a page is worth a
//! look by the other reader.

/// Visible characters that a page must have to be judged: a page number in a symbol font is no verdict.
const JUDGED_CHARACTERS: usize = 20;

/// One in so many characters that stand for nothing makes garbage; pages of formulas stay well below.
const NOTHING_SHARE: usize = 3;

/// Letters in a row that no language with blanks between its words has, compounds of chemistry included.
const ENDLESS_WORD: usize = 60;

/// Whether the text tells nothing although the page has some.
pub(super) fn is_garbage(text: &str) -> bool {
    let visible = text.chars().filter(|character| !character.is_whitespace()).count();
    if visible < JUDGED_CHARACTERS {
        return false;
    }
    let nothing = text.chars().filter(|character| stands_for_nothing(*character)).count();
    let endless: usize = text
        .split(|character| !is_spaced_letter(character))
        .map(|word| word.chars().count())
        .filter(|letters| *letters > ENDLESS_WORD)
        .sum();
    nothing * NOTHING_SHARE > visible || endless * 2 > visible
}

fn stands_for_nothing(character: char) -> bool {
    matches!(character, '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..)
}

/// A letter of a script that parts its words by blanks: those before Thai, and what extends them.
fn is_spaced_letter(character: char) -> bool {
    character.is_alphabetic() && matches!(character, '\0'..'\u{e00}' | '\u{1e00}'..'\u{2000}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_garbage() {
        let page = |piece: &str| piece.repeat(30);
        assert!(!is_garbage(&page("The tram climbs. ")));
        assert!(!is_garbage(&page("電車は坂を登る。")));
        assert!(!is_garbage(&page("รถรางขึ้นเขา")));
        assert!(!is_garbage(&page("∑ x² \u{f8f1} y = 4, ")));
        assert!(!is_garbage("\u{f8f1}\u{f8f2}"));
        assert!(!is_garbage(&page("GATTACA-")));
        assert!(is_garbage(&page("\u{f041}\u{f042} ")));
        assert!(is_garbage(&page("a\u{fffd}b\u{fffd} ")));
        assert!(is_garbage(&page("Thetramclimbs")));
    }
}
