//! Text to tokens: the uncased WordPiece tokenizer of BERT, over a vocabulary that lies in a container.
//!
//! Promises: the same numbers as the reference tokenizer for every text (the text's own characters
//! only: a literal `[SEP]` in a text is five characters there as here when special tokens are not
//! parsed, so no text can smuggle in a control token); time linear in the bytes that are read, even
//! for a single word of megabytes; reading stops as soon as the limit is reached. Refuses: cased
//! models and other kinds of tokenizer, at import.

mod character;
mod character_ranges;
mod vocabulary;

use unicode_normalization::char::decompose_canonical;

use character::CharacterClass;
pub(crate) use vocabulary::{Vocabulary, VocabularyPlaces, vocabulary_hash, vocabulary_sections};

/// Words with more characters than this are unknown as a whole. The reference's value.
const MAX_WORD_CHARACTERS: usize = 100;

/// A tokenizer over a vocabulary that is mapped from a container.
pub(crate) struct WordPiece<'a> {
    vocabulary: Vocabulary<'a>,
    unknown: u32,
}

/// The word that is being gathered.
#[derive(Default)]
struct Word {
    bytes: Vec<u8>,
    characters: usize,
}

impl Word {
    fn push(&mut self, character: char) {
        // A word that is unknown for its length alone is counted and not kept.
        if self.characters < MAX_WORD_CHARACTERS {
            let mut buffer = [0u8; 4];
            self.bytes.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
        }
        self.characters += 1;
    }
}

impl<'a> WordPiece<'a> {
    pub(crate) fn new(vocabulary: Vocabulary<'a>, unknown: u32) -> Self {
        Self { vocabulary, unknown }
    }

    /// Appends the text's first tokens, at most `limit` of them, without opening and closing token.
    pub(crate) fn encode(&self, text: &str, limit: usize, tokens: &mut Vec<u32>) {
        let enough = tokens.len().saturating_add(limit);
        let mut word = Word::default();
        for character in text.chars() {
            if tokens.len() >= enough {
                break;
            }
            if character.is_ascii() {
                self.read_ascii(character as u8, &mut word, tokens);
            } else {
                self.read_beyond_ascii(character, &mut word, tokens);
            }
        }
        self.finish(&mut word, tokens);
        tokens.truncate(enough);
    }

    fn read_ascii(&self, byte: u8, word: &mut Word, tokens: &mut Vec<u32>) {
        match character::of_ascii(byte) {
            CharacterClass::Letter => {
                if word.characters < MAX_WORD_CHARACTERS {
                    word.bytes.push(byte.to_ascii_lowercase());
                }
                word.characters += 1;
            }
            CharacterClass::Dropped => {}
            CharacterClass::Space => self.finish(word, tokens),
            CharacterClass::Alone => {
                self.finish(word, tokens);
                self.split(&[byte], tokens);
            }
        }
    }

    fn read_beyond_ascii(&self, character: char, word: &mut Word, tokens: &mut Vec<u32>) {
        match character::of(character) {
            CharacterClass::Dropped => {}
            CharacterClass::Space => self.finish(word, tokens),
            CharacterClass::Letter => self.read_decomposed(character, word, tokens),
            CharacterClass::Alone => {
                // A compatibility ideograph still has to become the one that it stands for.
                self.finish(word, tokens);
                self.read_decomposed(character, word, tokens);
                self.finish(word, tokens);
            }
        }
    }

    /// Canonical decomposition, then marks fall away, then lower case, then punctuation splits: the
    /// reference's order, a character at a time.
    fn read_decomposed(&self, character: char, word: &mut Word, tokens: &mut Vec<u32>) {
        decompose_canonical(character, |part| {
            if !part.is_ascii() && character::of(part) == CharacterClass::Dropped {
                return;
            }
            for lower in part.to_lowercase() {
                if character::is_punctuation(lower) {
                    self.finish(word, tokens);
                    let mut buffer = [0u8; 4];
                    self.split(lower.encode_utf8(&mut buffer).as_bytes(), tokens);
                } else {
                    word.push(lower);
                }
            }
        });
    }

    fn finish(&self, word: &mut Word, tokens: &mut Vec<u32>) {
        if word.characters > MAX_WORD_CHARACTERS {
            tokens.push(self.unknown);
        } else if word.characters > 0 {
            self.split(&word.bytes, tokens);
        }
        word.bytes.clear();
        word.characters = 0;
    }

    /// Greedy longest match; a word of which any stretch is unknown is unknown as a whole.
    fn split(&self, word: &[u8], tokens: &mut Vec<u32>) {
        let before = tokens.len();
        let mut start = 0;
        while start < word.len() {
            match self.vocabulary.longest_prefix(&word[start..], start > 0) {
                Some((token, length)) => {
                    tokens.push(token);
                    start += length;
                }
                None => {
                    tokens.truncate(before);
                    tokens.push(self.unknown);
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::vocabulary::tests::with_vocabulary;
    use super::*;

    const WORDS: &[&str] = &[
        "[PAD]", "[UNK]", "un", "##aff", "##able", "aff", "cafe", ",", "i", "##s", "豈", "人", "=", "z", "##z",
        "strasse", "ß",
    ];

    fn encode(text: &str) -> Vec<u32> {
        encode_at_most(text, usize::MAX)
    }

    fn encode_at_most(text: &str, limit: usize) -> Vec<u32> {
        with_vocabulary(WORDS, |vocabulary| {
            let mut tokens = Vec::new();
            WordPiece::new(vocabulary, 1).encode(text, limit, &mut tokens);
            tokens
        })
    }

    #[test]
    fn takes_the_longest_piece_first() {
        assert_eq!(encode("Unaffable"), [2, 3, 4]);
        assert_eq!(encode("aff unaffx"), [5, 1]);
    }

    #[test]
    fn folds_case_and_accents_and_splits_punctuation() {
        assert_eq!(encode("CAFÉ,cafe\u{301}"), [6, 7, 6]);
        assert_eq!(encode("İs"), [8, 9]);
        // A sign that decomposes to an ASCII one and a mark is that sign.
        assert_eq!(encode("z\u{2260}z"), [13, 12, 13]);
    }

    #[test]
    fn chinese_stands_alone_and_compatibility_forms_unite() {
        assert_eq!(encode("人\u{f900}z人"), [11, 10, 13, 11]);
    }

    #[test]
    fn drops_what_has_no_width() {
        assert_eq!(encode("ca\u{200b}f\u{ad}e\u{0}\u{fffd}\u{e000}"), [6]);
        assert_eq!(encode("\u{feff}"), [0u32; 0]);
    }

    #[test]
    fn long_words_are_unknown_and_cost_no_memory() {
        let hundred = "z".repeat(100);
        assert_eq!(encode(&hundred).len(), 100);
        assert_eq!(encode(&(hundred.clone() + "z")), [1]);
        assert_eq!(encode(&"ż".repeat(3_000_000)), [1]);
    }

    #[test]
    fn stops_at_the_limit() {
        assert_eq!(encode_at_most(&"z ".repeat(50), 3), [13, 13, 13]);
        assert_eq!(encode_at_most("unaffable", 2), [2, 3]);
        assert_eq!(encode_at_most("z", 0), [0u32; 0]);
    }

    /// The vocabulary and texts are made up; the tokens are those that the reference, `tokenizers`
    /// 0.23 with BertNormalizer, BertPreTokenizer and WordPiece, gives for them.
    #[test]
    fn gives_the_reference_tokens() {
        #[derive(serde::Deserialize)]
        struct Words {
            words: Vec<String>,
        }
        #[derive(serde::Deserialize)]
        struct Case {
            text: String,
            tokens: Vec<u32>,
        }
        let mut lines = include_str!("../../tests/data/wordpiece.jsonl").lines();
        let words = serde_json::from_str::<Words>(lines.next().unwrap()).unwrap().words;
        let names: Vec<&str> = words.iter().map(String::as_str).collect();
        let unknown = names.iter().position(|word| *word == "[UNK]").unwrap() as u32;
        with_vocabulary(&names, |vocabulary| {
            let tokenizer = WordPiece::new(vocabulary, unknown);
            let mut checked = 0;
            for line in lines {
                let case: Case = serde_json::from_str(line).unwrap();
                let mut tokens = Vec::new();
                tokenizer.encode(&case.text, usize::MAX, &mut tokens);
                assert_eq!(tokens, case.tokens, "{:?}", case.text);
                checked += 1;
            }
            assert!(checked > 400);
        });
    }

    proptest::proptest! {
        #[test]
        fn a_limit_gives_a_prefix(text in ".{0,60}", limit in 0usize..20) {
            let all = encode(&text);
            proptest::prop_assert_eq!(encode_at_most(&text, limit), &all[..limit.min(all.len())]);
        }

        #[test]
        fn spaces_part_what_they_part(left in ".{0,30}", right in ".{0,30}") {
            let mut apart = encode(&left);
            apart.extend(encode(&right));
            proptest::prop_assert_eq!(encode(&format!("{left} {right}")), apart);
        }
    }
}
