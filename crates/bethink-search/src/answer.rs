//! What is answered.

use std::ops::Range;
use std::path::PathBuf;

use bethink_core::{DocumentId, Explanation, Format, Locator, MatchStrength, PassageId, Score, UnixMillis};

/// A place to start reading from.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Position in the answer, from 1.
    pub rank: usize,
    /// Fused score in 0..=1, comparable inside this answer.
    pub score: Score,
    /// How much this hit deserves to be believed.
    pub strength: MatchStrength,
    /// The file, where it stands now.
    pub path: PathBuf,
    /// Where the index knew it, if it has moved since.
    pub moved_from: Option<PathBuf>,
    /// The line of the extracted text that answers best, from 1.
    pub line: u32,
    /// The column, in characters from 1, where the line is so long that who reads it from its beginning
    /// would not come upon the hit. The engine fills it in.
    pub column: Option<u32>,
    /// Where that is in the source.
    pub locator: Locator,
    /// Headings above it, outermost first.
    pub heading: Vec<String>,
    /// The source's own title.
    pub title: Option<String>,
    /// How the file was read; `None` where only its name is known.
    pub format: Option<Format>,
    /// The line's text, on one line, cut on grapheme borders.
    pub excerpt: String,
    /// Byte ranges of the excerpt that match the question's words.
    pub matched: Vec<Range<usize>>,
    /// When the file was last modified.
    pub modified: UnixMillis,
    /// The document.
    pub document: DocumentId,
    /// The passage; `None` where only the name speaks for it.
    pub passage: Option<PassageId>,
    /// Other files in which the same words stand.
    pub copies: Vec<PathBuf>,
    /// Something to know about it: stale, unreachable.
    pub caveat: Option<&'static str>,
    /// Why, where asked for.
    pub explanation: Option<Explanation>,
}

/// What a scope kept from the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Hidden {
    /// Candidates outside the scope that score at least as well as the best inside.
    pub better: usize,
    /// The best score outside, on the same scale as the hits.
    pub best_score: Score,
    /// Where it stands.
    pub best_path: PathBuf,
}

/// How far the index reaches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coverage {
    /// Passages in the lexical index.
    pub passages: u64,
    /// Passages with a static vector.
    pub covered: u64,
    /// Passages with a transformer vector.
    pub sharpened: u64,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How much the answer as a whole deserves to be believed.
    pub strength: MatchStrength,
    /// What the scope kept back, where a scope was given.
    pub hidden: Option<Hidden>,
    /// How far the channels reach.
    pub coverage: Coverage,
    /// Candidates that were dropped because their file is gone.
    pub gone: usize,
    /// Documents whose bytes changed under the index and that were read again while answering.
    pub refreshed: usize,
    /// Channels that answered, for the trace.
    pub channels: Vec<&'static str>,
}
