//! Questions by words and meaning: `semantic_grep` and `note_search`.

use std::ops::Range;
use std::path::PathBuf;

use bethink_core::{DocumentId, Explanation, Format, Locator, MatchStrength, Score, UnixMillis};

/// What shape the answer takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AskShape {
    /// Passages (`semantic_grep`, `bethink grep`).
    #[default]
    Passages,
    /// Documents and headings, names and titles included (`note_search`, `bethink QUERY`).
    Everything,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AskRequest {
    /// The words as they were typed.
    pub query: String,
    /// Only what lies at or under this path (absolute, or relative to the engine's working folder).
    pub within: Option<PathBuf>,
    /// How many hits at the most; 0 means the default of 10.
    pub limit: usize,
    /// Hits of one file at the most; 0 means the default of 3.
    pub per_file: usize,
    /// The answer's shape.
    pub shape: AskShape,
    /// Whether hits carry their explanation.
    pub explain: bool,
}

/// One hit.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Position, from 1.
    pub rank: usize,
    /// 0..=1, comparable inside one answer.
    pub score: Score,
    /// How much it deserves to be believed.
    pub strength: MatchStrength,
    /// Absolute path as on disk now.
    pub path: PathBuf,
    /// Where the index knew it, if it has moved since.
    pub moved_from: Option<PathBuf>,
    /// Line of the extracted text, from 1.
    pub line: u32,
    /// Page, slide, …
    pub locator: Locator,
    /// Headings above it.
    pub heading: Vec<String>,
    /// The source's own title, or its first heading.
    pub title: Option<String>,
    /// How the file was read; `None` where only its name is known.
    pub format: Option<Format>,
    /// One line of text.
    pub excerpt: String,
    /// Byte ranges of `excerpt` that match.
    pub matched: Vec<Range<usize>>,
    /// When the file was last modified.
    pub modified: UnixMillis,
    /// The document's id, for `read`.
    pub document: DocumentId,
    /// Other paths with the same bytes.
    pub copies: Vec<PathBuf>,
    /// Something to know about it: stale, unreachable.
    pub caveat: Option<&'static str>,
    /// Why, where asked for.
    pub explanation: Option<Explanation>,
}

/// What a scope kept from the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Hidden {
    /// Files outside the scope that score at least as well as the best inside.
    pub better: usize,
    /// The best score outside, on the hits' scale.
    pub best_score: Score,
    /// Where it stands.
    pub best_path: PathBuf,
}

/// Where was looked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Where {
    /// The scope, if one was given.
    pub within: Option<PathBuf>,
    /// The roots that are indexed.
    pub roots: Vec<PathBuf>,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AskAnswer {
    /// The query, as asked.
    pub query: String,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How much the answer as a whole deserves to be believed; `None` is to be read as "stop".
    pub strength: MatchStrength,
    /// Documents known.
    pub documents: u64,
    /// Documents with text, all of which were searched.
    pub searched: u64,
    /// Passages that wait for a vector of the best model.
    pub pending: u64,
    /// Documents that should have text and could not be read.
    pub unreadable: u64,
    /// Where was looked.
    pub looked_in: Where,
    /// What the scope kept back.
    pub hidden: Option<Hidden>,
    /// Sentences that the reader should know, each ending with what to do where there is something
    /// to do.
    pub notes: Vec<String>,
}
