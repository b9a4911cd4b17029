//! What a search for names answers.

use std::path::PathBuf;

use bethink_core::{FileKind, UnixMillis};

/// How a name was found, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameHow {
    /// The whole name, with or without its extension, is what was asked for.
    Exact,
    /// The name begins with what was asked for.
    Prefix,
    /// Each word is a word, or the beginning of one, in the name or its folders.
    Words,
    /// Some word stands only inside a word, or across a border.
    Substring,
    /// Some word was found only by allowing for a misspelling.
    Typo,
}

impl NameHow {
    /// The word for it in output and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Prefix => "prefix",
            Self::Words => "words",
            Self::Substring => "substring",
            Self::Typo => "typo",
        }
    }
}

/// One path that matches.
#[derive(Debug, Clone, PartialEq)]
pub struct NameMatch {
    /// The path, byte for byte as it was collected.
    pub path: PathBuf,
    /// What a person would call it.
    pub kind: FileKind,
    /// Size in bytes when it was collected.
    pub size_bytes: u64,
    /// When it was last modified, as collected.
    pub modified: UnixMillis,
    /// How it was found.
    pub how: NameHow,
    /// How many of the query's words are nowhere in the path; above 0 only when no path has all.
    pub missing_words: usize,
    /// 0 to 1; comparable inside one answer.
    pub score: f32,
}

/// What a filter kept out: the best match that fails by this filter alone, and how many do.
#[derive(Debug, Clone, PartialEq)]
pub struct HiddenMatch {
    /// The best of them.
    pub best: NameMatch,
    /// How many matched the words and every other filter.
    pub count: usize,
}

/// The matches, and what was kept out of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NameAnswer {
    /// Best first.
    pub matches: Vec<NameMatch>,
    /// How many names matched in all, those beyond the limit included.
    pub found: usize,
    /// What would have matched but for the kinds and extensions asked for.
    pub hidden_by_kind: Option<HiddenMatch>,
    /// What would have matched but for the folder asked for.
    pub hidden_by_within: Option<HiddenMatch>,
    /// What would have matched but for the time asked for.
    pub hidden_by_time: Option<HiddenMatch>,
}
