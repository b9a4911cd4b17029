//! What is asked.

use std::path::PathBuf;

/// The shape that an answer takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Passages by meaning and words: what `semantic_grep` answers. Several passages of one heading
    /// may stand side by side.
    Passages,
    /// Documents and headings: what `note_search` answers. At most one hit a heading, and documents
    /// whose name or title matches take part even where no passage does.
    Headings,
}

/// A question to the index.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The words as they were typed.
    pub text: String,
    /// Only documents at or under this absolute path.
    pub within: Option<PathBuf>,
    /// How many hits at the most.
    pub limit: usize,
    /// How many hits of one file at the most; lifted when the scope is that one file.
    pub per_file: usize,
    /// The shape of the answer.
    pub shape: Shape,
    /// Whether each hit carries its explanation.
    pub explain: bool,
}

impl Question {
    /// Hits of one file at the most. Uncapped, five to nine of the top ten repeat one file on sets of
    /// long files (measured on qmsum-val and covidqa-dev); three still shows that a file matches in
    /// several places.
    pub const DEFAULT_PER_FILE: usize = 3;

    /// A question for passages with the default limits.
    pub fn passages(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            within: None,
            limit: 10,
            per_file: Self::DEFAULT_PER_FILE,
            shape: Shape::Passages,
            explain: false,
        }
    }
}
