//! The vocabulary as it lies in a container: the words, and a hash table over them that needs no building.
//!
//! Three sections: `words` (the bytes of all words, one after the other), `word-ends` (for every word
//! the offset behind its last byte) and `word-slots` (open addressing: pairs of fingerprint and token
//! plus one, zero for an empty slot). A piece that continues a word is stored with its mark `##` in
//! `words` and hashed without it, from another seed.
//!
//! The hash is FNV-1a, because it grows a byte at a time: one pass over a word gives the hashes of all
//! its prefixes, and the longest match then costs one probe a length.

use crate::EmbedError;
use crate::container::Place;
use crate::container::{Container, Encoding, Section};

/// Start of the hash of a piece that begins a word: the offset basis of 64-bit FNV.
const WORD_SEED: u64 = 0xcbf2_9ce4_8422_2325;
/// Start of the hash of a piece that continues a word: any other odd number does.
const CONTINUATION_SEED: u64 = 0x9e37_79b9_7f4a_7c15;
/// The prime of 64-bit FNV.
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;
/// Multiplier that spreads the hash over its upper bits (2^64 divided by the golden ratio).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Mark of a piece that continues a word.
const CONTINUATION_MARK: &[u8] = b"##";
/// Bytes of the longest piece that is looked for. A word has at most 100 characters of four bytes.
const MAX_PIECE_BYTES: usize = 400;
/// Bytes of a piece for which the short array of hashes is enough; BERT's longest English piece has 18.
const USUAL_PIECE_BYTES: usize = 24;

const WORDS: &str = "words";
const ENDS: &str = "word-ends";
const SLOTS: &str = "word-slots";

/// Where the vocabulary's sections lie in their container.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VocabularyPlaces {
    words: Place,
    ends: Place,
    slots: Place,
}

impl VocabularyPlaces {
    /// # Errors
    ///
    /// [`EmbedError::Damaged`] when a section is missing or misshapen.
    pub(crate) fn find(container: &Container, count: usize) -> Result<Self, EmbedError> {
        let places = Self {
            words: container.find_any_rows(WORDS, Encoding::Bytes, 1)?,
            ends: container.find(ENDS, Encoding::Unsigned32, count, 1)?,
            slots: container.find_any_rows(SLOTS, Encoding::Unsigned32, 2)?,
        };
        if places.slots.rows.is_power_of_two() {
            Ok(places)
        } else {
            Err(EmbedError::damaged(container.path(), "its table of words has an odd size"))
        }
    }

    pub(crate) fn of<'a>(&self, container: &'a Container, longest_word_bytes: usize) -> Vocabulary<'a> {
        Vocabulary {
            words: container.bytes(self.words),
            ends: container.numbers(self.ends),
            slots: container.numbers(self.slots),
            longest: longest_word_bytes.min(MAX_PIECE_BYTES),
        }
    }
}

/// A vocabulary that is ready to be asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vocabulary<'a> {
    words: &'a [u8],
    ends: &'a [u32],
    slots: &'a [u32],
    longest: usize,
}

impl Vocabulary<'_> {
    /// The longest piece that `text` begins with, as its token and its length in bytes.
    pub(crate) fn longest_prefix(&self, text: &[u8], continues: bool) -> Option<(u32, usize)> {
        let reach = text.len().min(self.longest);
        // Clearing the long array costs more than everything else, and real pieces are short.
        if reach <= USUAL_PIECE_BYTES {
            self.longest_within::<USUAL_PIECE_BYTES>(&text[..reach], continues)
        } else {
            self.longest_within::<MAX_PIECE_BYTES>(&text[..reach], continues)
        }
    }

    fn longest_within<const REACH: usize>(&self, text: &[u8], continues: bool) -> Option<(u32, usize)> {
        let mut hashes = [0u64; REACH];
        let mut hash = if continues { CONTINUATION_SEED } else { WORD_SEED };
        for (slot, byte) in hashes.iter_mut().zip(text) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME);
            *slot = hash;
        }
        // A piece is whole characters, so one that ends within a character is simply not found.
        (1..=text.len().min(REACH))
            .rev()
            .find_map(|length| self.find(hashes[length - 1], &text[..length], continues).map(|token| (token, length)))
    }

    fn find(&self, hash: u64, piece: &[u8], continues: bool) -> Option<u32> {
        let count = self.slots.len() / 2;
        let (mut slot, fingerprint) = slot_and_fingerprint(hash, count)?;
        for _ in 0..count {
            let (found, token) = (*self.slots.get(2 * slot)?, *self.slots.get(2 * slot + 1)?);
            let token = token.checked_sub(1)?;
            if found == fingerprint && self.is(token, piece, continues) {
                return Some(token);
            }
            slot = (slot + 1) & (count - 1);
        }
        None
    }

    fn is(&self, token: u32, piece: &[u8], continues: bool) -> bool {
        self.word(token).is_some_and(|word| match continues {
            true => word.strip_prefix(CONTINUATION_MARK) == Some(piece),
            false => word == piece,
        })
    }

    fn word(&self, token: u32) -> Option<&[u8]> {
        let token = token as usize;
        let start = if token == 0 { 0 } else { *self.ends.get(token - 1)? as usize };
        self.words.get(start..*self.ends.get(token)? as usize)
    }
}

/// The sections of a vocabulary, and the bytes of its longest word without mark.
pub(crate) fn vocabulary_sections(words: &[String]) -> (Vec<Section>, usize) {
    let mut bytes = Vec::new();
    let mut ends = Vec::with_capacity(words.len());
    // At most half full, so that a word that is not there is missed after one or two probes.
    let count = (words.len() * 2).next_power_of_two();
    let mut slots = vec![0u32; 2 * count];
    let mut longest = 0;
    for (token, word) in words.iter().enumerate() {
        bytes.extend_from_slice(word.as_bytes());
        ends.push(bytes.len() as u32);
        let (piece, seed) = match word.as_bytes().strip_prefix(CONTINUATION_MARK) {
            Some(piece) => (piece, CONTINUATION_SEED),
            None => (word.as_bytes(), WORD_SEED),
        };
        if piece.is_empty() {
            continue;
        }
        longest = longest.max(piece.len());
        let hash = piece.iter().fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME));
        let Some((mut slot, fingerprint)) = slot_and_fingerprint(hash, count) else { continue };
        // Of a word that is listed twice the later token counts, as in the reference.
        while slots[2 * slot + 1] != 0 && words[slots[2 * slot + 1] as usize - 1] != *word {
            slot = (slot + 1) & (count - 1);
        }
        slots[2 * slot] = fingerprint;
        slots[2 * slot + 1] = token as u32 + 1;
    }
    let sections = vec![
        Section::from_bytes(WORDS, Encoding::Bytes, 1, bytes),
        Section::new(ENDS, Encoding::Unsigned32, 1, &ends),
        Section::new(SLOTS, Encoding::Unsigned32, 2, &slots),
    ];
    (sections, longest)
}

/// Lower-case hexadecimal BLAKE3 over the words in order, each with a zero behind it, and the special tokens.
pub(crate) fn vocabulary_hash(words: &[String], unknown: u32, open: Option<u32>, close: Option<u32>) -> String {
    let mut hasher = blake3::Hasher::new();
    for word in words {
        hasher.update(word.as_bytes());
        hasher.update(&[0]);
    }
    hasher.update(format!("{unknown} {open:?} {close:?}").as_bytes());
    hasher.finalize().to_hex().to_string()
}

/// `count` is a power of two; `None` for an empty table.
fn slot_and_fingerprint(hash: u64, count: usize) -> Option<(usize, u32)> {
    let spread = (hash ^ (hash >> 32)).wrapping_mul(SPREAD);
    let bits = count.checked_ilog2()?;
    let slot = if bits == 0 { 0 } else { (spread >> (64 - bits)) as usize };
    Some((slot, spread as u32))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;
    use crate::container::write_container;
    use crate::manifest::tests::sample;

    /// Writes the words into a container of its own and hands the vocabulary that is mapped from it.
    pub(crate) fn with_vocabulary<R>(words: &[&str], use_it: impl FnOnce(Vocabulary<'_>) -> R) -> R {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let (sections, longest) = vocabulary_sections(&words);
        let folder = tempfile::tempdir().unwrap();
        let path = write_container(folder.path(), &sample(), &sections).unwrap();
        let container = Container::open(&path).unwrap();
        let places = VocabularyPlaces::find(&container, words.len()).unwrap();
        use_it(places.of(&container, longest))
    }

    #[test]
    fn every_word_finds_itself() {
        let words: Vec<String> =
            (0..5_000).map(|n| if n % 3 == 0 { format!("##{n:x}") } else { format!("w{n:x}") }).collect();
        let names: Vec<&str> = words.iter().map(String::as_str).collect();
        with_vocabulary(&names, |vocabulary| {
            for (token, word) in words.iter().enumerate() {
                let (piece, continues) = word.strip_prefix("##").map_or((word.as_str(), false), |piece| (piece, true));
                assert_eq!(vocabulary.longest_prefix(piece.as_bytes(), continues), Some((token as u32, piece.len())));
                assert_eq!(vocabulary.longest_prefix(format!("{piece}!").as_bytes(), !continues), None);
            }
        });
    }

    #[test]
    fn the_later_of_two_equal_words_counts() {
        with_vocabulary(&["a", "b", "a"], |vocabulary| {
            assert_eq!(vocabulary.longest_prefix(b"ab", false), Some((2, 1)));
        });
    }
}
