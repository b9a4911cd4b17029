//! How many tokens an embedding model will make of a text, without its vocabulary.
//!
//! WordPiece and its relatives keep frequent words whole, cut long ones, and give every punctuation
//! mark, every CJK character and about every second letter of other alphabets a token of its own.

use crate::character::{CharacterClass, classify};

/// Costs are counted in halves of a token, so that letters beyond ASCII can cost one half.
const HALF: usize = 2;

/// Letters of an ASCII word that one token covers.
const LETTERS_A_TOKEN: usize = 7;

/// Words longer than this are not in any vocabulary and fall into short pieces.
const LONGEST_ORDINARY_WORD: usize = 21;

/// Letters that one token covers in such a word.
const LETTERS_A_PIECE: usize = 3;

/// Blanks cost nothing to a model, but a passage of a million blanks is no passage: this many
/// cost as much as a token. Indentation and a few empty lines stay free in effect.
const BLANKS_A_TOKEN: usize = 64;

/// An estimate of the tokens a text costs an embedding model. The estimate of a concatenation is
/// at most one token a seam away from the sum of the estimates.
pub fn model_tokens(text: &str) -> usize {
    let mut meter = Meter::default();
    meter.add(text);
    meter.tokens()
}

/// Counts tokens of a text that comes in stretches.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Meter {
    halves: usize,
    /// Length of the ASCII word that the text ends in.
    word: usize,
    /// Blanks that follow a blank; the one between two words is free.
    blanks: usize,
    after_blank: bool,
    /// The last byte of that word; 0 when there is none.
    last: u8,
}

impl Meter {
    /// Counts a further stretch.
    pub(crate) fn add(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if byte < 0x80 {
                self.add_ascii(byte);
                at += 1;
            } else {
                let Some(character) = text[at..].chars().next() else { break };
                self.add_character(character);
                at += character.len_utf8();
            }
        }
    }

    /// Counts one character.
    pub(crate) fn add_character(&mut self, character: char) {
        if let Ok(byte) = u8::try_from(character)
            && byte < 0x80
        {
            self.add_ascii(byte);
            return;
        }
        self.end_word();
        let after_blank = std::mem::replace(&mut self.after_blank, character.is_whitespace());
        self.halves += match classify(character) {
            CharacterClass::Dense | CharacterClass::Picture => HALF,
            CharacterClass::Word => 1,
            CharacterClass::Invisible => 1,
            CharacterClass::Other if character.is_whitespace() => {
                self.blanks += usize::from(after_blank);
                0
            }
            CharacterClass::Other => HALF,
        };
    }

    fn add_ascii(&mut self, byte: u8) {
        if byte.is_ascii_alphanumeric() {
            // Vocabularies know words, not identifiers: `getUserName2` falls into its parts.
            let border = (self.last.is_ascii_lowercase() && byte.is_ascii_uppercase())
                || (self.word > 0 && self.last.is_ascii_digit() != byte.is_ascii_digit());
            if border && self.word < LONGEST_ORDINARY_WORD {
                self.end_word();
            }
            self.word += 1;
            self.last = byte;
            self.after_blank = false;
            return;
        }
        self.end_word();
        let blank = byte.is_ascii_whitespace();
        self.blanks += usize::from(blank && self.after_blank);
        self.halves += if blank { 0 } else { HALF };
        self.after_blank = blank;
    }

    fn end_word(&mut self) {
        self.halves += word_halves(self.word);
        self.word = 0;
        self.last = 0;
    }

    /// The tokens of what was counted, rounded up.
    pub(crate) fn tokens(&self) -> usize {
        (self.halves + word_halves(self.word)).div_ceil(HALF) + self.blanks / BLANKS_A_TOKEN
    }
}

fn word_halves(letters: usize) -> usize {
    if letters <= LONGEST_ORDINARY_WORD {
        letters.div_ceil(LETTERS_A_TOKEN) * HALF
    } else {
        letters.div_ceil(LETTERS_A_PIECE) * HALF
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_follow_what_models_do() {
        assert_eq!(model_tokens(""), 0);
        assert_eq!(model_tokens("the cat sat"), 3);
        assert_eq!(model_tokens("understanding"), 2);
        assert_eq!(model_tokens("foo(bar, baz)"), 6);
        assert_eq!(model_tokens("getUserName2"), 4);
        assert_eq!(model_tokens("東京都"), 3);
        assert_eq!(model_tokens("привет"), 3);
        assert_eq!(model_tokens(&"a".repeat(300)), 100);
        assert_eq!(model_tokens("    \n\n   "), 0);
    }
}
