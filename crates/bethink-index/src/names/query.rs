//! What a search for names asks.

use std::path::PathBuf;

use bethink_core::{FileKind, UnixMillis};

/// Moments from `start` up to but not including `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModifiedWindow {
    /// The first moment inside.
    pub start: UnixMillis,
    /// The first moment after it.
    pub end: UnixMillis,
}

/// A search for names. Empty lists and `None` do not filter.
#[derive(Debug, Clone, Default)]
pub struct NameQuery {
    /// The words, as typed. With no words at all, everything that passes the filters is listed,
    /// newest first.
    pub words: String,
    /// Only what lies under this folder.
    pub within: Option<PathBuf>,
    /// Only these kinds.
    pub kinds: Vec<FileKind>,
    /// Only these extensions, with or without their dot, in any case.
    pub extensions: Vec<String>,
    /// Only what was modified then.
    pub modified: Option<ModifiedWindow>,
    /// Whether folders are answers too. They are as well when `kinds` asks for them.
    pub include_folders: bool,
    /// How many matches are wanted.
    pub limit: usize,
}
