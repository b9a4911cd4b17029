//! Stems: one term for the forms of a word.

use std::borrow::Cow;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

/// The language whose endings are taken off. The lexicon uses English for words in Latin letters;
/// the seam is here so that a corpus in another language can have its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StemLanguage {
    /// Words stay as they are.
    None,
    /// Snowball English ("Porter 2").
    #[default]
    English,
}

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Words longer than this are no language but data; taking an ending off would only cost time.
const LONGEST_STEMMED_BYTES: usize = 40;

/// The stem of a folded word. Words that are not wholly of ASCII letters (identifiers, numbers,
/// other scripts) and words of one or two letters come back as they are.
pub fn stem(word: &str, language: StemLanguage) -> Cow<'_, str> {
    match language {
        StemLanguage::None => Cow::Borrowed(word),
        StemLanguage::English => {
            let plain =
                (3..=LONGEST_STEMMED_BYTES).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
            if plain { ENGLISH.stem(word) } else { Cow::Borrowed(word) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_a_stem() {
        assert_eq!(stem("running", StemLanguage::English), stem("runs", StemLanguage::English));
        assert_eq!(stem("queries", StemLanguage::English), stem("query", StemLanguage::English));
        assert_eq!(stem("running", StemLanguage::None), "running");
        assert_eq!(stem("snake_cases", StemLanguage::English), "snake_cases");
        assert_eq!(stem("котики", StemLanguage::English), "котики");
    }
}
