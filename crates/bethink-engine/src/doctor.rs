//! Why a file is in the index, or not, and what is wrong.

use std::path::PathBuf;

/// A file that could not be read, or has no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The file.
    pub path: PathBuf,
    /// `skipped` or `failed`.
    pub outcome: &'static str,
    /// The reason's kind.
    pub reason: &'static str,
    /// One sentence.
    pub detail: String,
}

/// Why one path is in or out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyPath {
    /// The path.
    pub path: PathBuf,
    /// Whether its text is searchable now.
    pub searchable: bool,
    /// One sentence: the rule, the root, or the reason.
    pub because: String,
    /// The file and line that hold the rule, where one does.
    pub rule: Option<String>,
    /// How it was read, where it was.
    pub details: Vec<(String, String)>,
}

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// What was checked.
    pub what: String,
    /// Whether it is well.
    pub well: bool,
    /// What was found, and the next command where there is one.
    pub finding: String,
}
