//! How well one word of a query stands in one name.

use bethink_text::is_stopword;
use memchr::memmem::Finder;

use super::letters::{lacking, letters};
use super::typo;
use super::words::is_dense;

/// Points from 0 (not there) to 100. The classes are far enough apart that a word in the name's
/// own words beats one inside a word, and that one a misspelling, whatever else happens.
pub(crate) type Points = u8;

/// A whole word of the name.
pub(crate) const WHOLE: Points = 100;
/// The beginning of a word, or the whole of a stretch between letters and digits (`IMG2024`).
pub(crate) const BEGINNING: Points = 90;
/// Inside a word.
pub(crate) const INSIDE: Points = 75;
/// Across a border: `onepage` in `one page`.
pub(crate) const ACROSS: Points = 60;
/// One edit away; each further edit and another first letter cost [`EDIT_COST`].
const TYPO: Points = 45;
const EDIT_COST: Points = 8;

/// From here on a word counts as found by its own letters at a border.
pub(crate) const WORDS_FROM: Points = BEGINNING;
/// From here on a word counts as found by its own letters.
pub(crate) const SUBSTRING_FROM: Points = ACROSS;

/// Shorter words than this, in bytes, are only looked for at the beginning of words: `hr` stands
/// inside every `thread`.
const INSIDE_FROM_BYTES: usize = 3;
/// Shorter words than this, in bytes, are not looked for across borders.
const ACROSS_FROM_BYTES: usize = 4;

/// So many bytes of a name are joined up to look across its borders.
const LONGEST_JOINED_BYTES: usize = 512;

/// How far a word may be from what stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tolerance {
    /// Its own letters, in a stretch.
    Strict,
    /// Across borders, and misspelt.
    Relaxed,
    /// Misspelt by up to a third of its letters: for suggestions.
    Wide,
}

/// One word of a query, prepared.
pub(crate) struct Word {
    text: String,
    characters: Vec<char>,
    finder: Finder<'static>,
    letters: u64,
    dense: bool,
    /// Whether it may be missing without counting: `the`, `of`.
    pub(crate) optional: bool,
}

impl Word {
    /// Prepares a word as [`super::words::spaced`] gives it.
    pub(crate) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            characters: text.chars().collect(),
            finder: Finder::new(text).into_owned(),
            letters: letters(text),
            dense: is_dense(text),
            optional: is_stopword(text),
        }
    }

    /// How many characters it has.
    pub(crate) fn len(&self) -> usize {
        self.characters.len()
    }

    fn allowed_edits(&self, tolerance: Tolerance) -> usize {
        match tolerance {
            Tolerance::Strict => 0,
            Tolerance::Relaxed => typo::allowed(self.len()),
            Tolerance::Wide if self.len() > 2 => typo::allowed(self.len()).max(self.len().div_ceil(3)),
            Tolerance::Wide => 0,
        }
    }

    /// Whether a name of those letters can hold the word at all.
    #[inline]
    pub(crate) fn possible(&self, there: u64, tolerance: Tolerance) -> bool {
        match tolerance {
            Tolerance::Strict => self.letters & !there == 0,
            _ => lacking(self.letters, there) as usize <= self.allowed_edits(tolerance),
        }
    }

    /// How well the word stands in a spaced name.
    pub(crate) fn points(&self, spaced: &[u8], tolerance: Tolerance) -> Points {
        let strict = self.strict(spaced);
        if strict > 0 || tolerance == Tolerance::Strict {
            return strict;
        }
        if self.stands_across(spaced) {
            return ACROSS;
        }
        self.misspelt(spaced, self.allowed_edits(tolerance))
    }

    fn strict(&self, spaced: &[u8]) -> Points {
        let mut best = 0;
        for start in self.finder.find_iter(spaced) {
            let end = start + self.text.len();
            let begins = start == 0 || spaced[start - 1] == b' ';
            let ends = end == spaced.len() || spaced[end] == b' ';
            let points = if begins && ends {
                return WHOLE;
            } else if begins || self.dense || (changes(spaced, start) && (ends || changes(spaced, end))) {
                BEGINNING
            } else if self.text.len() >= INSIDE_FROM_BYTES {
                INSIDE
            } else {
                0
            };
            best = best.max(points);
        }
        best
    }

    fn stands_across(&self, spaced: &[u8]) -> bool {
        if self.text.len() < ACROSS_FROM_BYTES || !spaced.contains(&b' ') {
            return false;
        }
        // Names are at most 255 bytes on most systems; a longer one is compared by its head.
        let mut joined = [0u8; LONGEST_JOINED_BYTES];
        let mut length = 0;
        for byte in spaced.iter().filter(|byte| **byte != b' ').take(LONGEST_JOINED_BYTES) {
            joined[length] = *byte;
            length += 1;
        }
        self.finder.find(&joined[..length]).is_some()
    }

    fn misspelt(&self, spaced: &[u8], allowed: usize) -> Points {
        if allowed == 0 || self.dense {
            return 0;
        }
        let mut buffer = ['\0'; typo::LONGEST];
        let mut best = 0;
        for token in spaced.split(|byte| *byte == b' ') {
            // Bytes bound characters from above, and a character has at most four.
            if token.len() + allowed < self.characters.len() || token.len() > 4 * typo::LONGEST {
                continue;
            }
            let Ok(token) = std::str::from_utf8(token) else { continue };
            // An edit brings in or takes away one letter at most; nearly all tokens end here.
            let there = letters(token);
            if lacking(self.letters, there) as usize > allowed || lacking(there, self.letters) as usize > allowed {
                continue;
            }
            let mut length = 0;
            for character in token.chars() {
                if length < buffer.len() {
                    buffer[length] = character;
                }
                length += 1;
            }
            let Some(token) = buffer.get(..length) else { continue };
            if let Some(edits) = typo::distance(&self.characters, token, allowed) {
                let first = usize::from(token.first() != self.characters.first());
                let cost = (edits.saturating_sub(1) + first) * usize::from(EDIT_COST);
                best = best.max(TYPO.saturating_sub(cost as Points).max(1));
            }
        }
        best
    }
}

/// Whether letters end and digits begin at this place, or the other way round (ASCII).
fn changes(spaced: &[u8], at: usize) -> bool {
    let (Some(before), Some(after)) = (at.checked_sub(1).and_then(|at| spaced.get(at)), spaced.get(at)) else {
        return false;
    };
    before.is_ascii_digit() && after.is_ascii_lowercase() || before.is_ascii_lowercase() && after.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_counts_more_the_more_of_a_word_it_is() {
        for (word, name, expected) in [
            ("memo", "one page memo pptx", WHOLE),
            ("mem", "one page memo pptx", BEGINNING),
            ("emo", "one page memo pptx", INSIDE),
            ("2024", "img2024 jpg", BEGINNING),
            ("合約", "中文合約轉換 md", BEGINNING),
            ("hr", "thread md", 0),
            ("zebra", "one page memo", 0),
        ] {
            assert_eq!(Word::new(word).points(name.as_bytes(), Tolerance::Strict), expected, "{word} in {name}");
        }
        assert_eq!(Word::new("onepage").points(b"one page memo", Tolerance::Relaxed), ACROSS);
        assert_eq!(Word::new("onepage").points(b"one page memo", Tolerance::Strict), 0);
        let typo = Word::new("finacial").points(b"acme financial", Tolerance::Relaxed);
        assert!(typo > 0 && typo < ACROSS);
        assert_eq!(Word::new("cat").points(b"cut md", Tolerance::Relaxed), 0);
    }

    #[test]
    fn the_letters_never_rule_out_what_would_match() {
        for (word, name) in [("finacial", "financial"), ("recieve", "receive"), ("memos", "memo"), ("memo", "memo")] {
            let word = Word::new(word);
            for tolerance in [Tolerance::Strict, Tolerance::Relaxed, Tolerance::Wide] {
                if word.points(name.as_bytes(), tolerance) > 0 {
                    assert!(word.possible(letters(name), tolerance));
                }
            }
        }
    }
}
