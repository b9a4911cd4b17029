//! Files by name, kind and time: `find_file`.

use std::path::PathBuf;

use bethink_core::{FileKind, UnixMillis};

use crate::opened::Opened;

/// What a kind argument means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KindFilter {
    /// A kind, as `document`.
    Kind(FileKind),
    /// An extension, lower case without its dot, as `pptx`.
    Extension(String),
}

/// A search by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FindRequest {
    /// Words of the name, apart; may be empty where a time is given.
    pub query: String,
    /// A kind (`document`, `image`, …) or an extension (`pptx`, `.pdf`).
    pub kind: Option<String>,
    /// Only what lies at or under this path.
    pub within: Option<PathBuf>,
    /// When it was last opened, as a natural phrase.
    pub opened: Option<String>,
    /// When it was last modified, as a natural phrase.
    pub modified: Option<String>,
    /// How many hits at the most; 0 means the default of 20.
    pub limit: usize,
}

/// One file or folder.
#[derive(Debug, Clone, PartialEq)]
pub struct FindHit {
    /// Position, from 1.
    pub rank: usize,
    /// 0..=1, comparable inside one answer.
    pub score: f32,
    /// Absolute path as on disk now.
    pub path: PathBuf,
    /// What a person calls it.
    pub kind: FileKind,
    /// Size in bytes; 0 for folders.
    pub size_bytes: u64,
    /// When it was last modified.
    pub modified: UnixMillis,
    /// When it was last opened and who says so, where anybody does.
    pub opened: Option<Opened>,
    /// How the name matched: `exact`, `prefix`, `words`, `substring`, `typo`, `time`.
    pub how: &'static str,
}

/// A place that was looked in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedIn {
    /// `work folders`, `home`, `other volumes`.
    pub place: &'static str,
    /// Names there.
    pub names: u64,
    /// Whether all of it was looked through within the time limit.
    pub complete: bool,
}

/// A better match that the kind filter hides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenByKind {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub kind: FileKind,
}

/// The window that a time phrase came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowUsed {
    /// `opened` or `modified`.
    pub what: &'static str,
    /// The phrase.
    pub phrase: String,
    /// First moment inside.
    pub start: UnixMillis,
    /// First moment after.
    pub end: UnixMillis,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FindAnswer {
    /// The query, as asked.
    pub query: String,
    /// The hits, best first.
    pub hits: Vec<FindHit>,
    /// Where was looked, in order.
    pub looked_in: Vec<LookedIn>,
    /// The nearest names, where nothing was found.
    pub nearest: Vec<PathBuf>,
    /// A better match of another kind.
    pub hidden_by_kind: Option<HiddenByKind>,
    /// What the time phrases came to.
    pub windows: Vec<WindowUsed>,
    /// Sentences that the reader should know.
    pub notes: Vec<String>,
}
