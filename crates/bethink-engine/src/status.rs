//! What is covered, what is pending, what failed: `index_status`.

use std::path::PathBuf;

use bethink_core::UnixMillis;

/// One root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootStatus {
    /// Its path.
    pub path: PathBuf,
    /// `pending`, `complete`, `missing`, `unreadable`.
    pub state: &'static str,
    /// Documents under it.
    pub documents: u64,
    /// When it was last walked to the end.
    pub completed: Option<UnixMillis>,
}

/// One model's progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierStatus {
    /// The model's name.
    pub model: String,
    /// `static` or `transformer`.
    pub tier: &'static str,
    /// Passages with a vector.
    pub done: u64,
    /// Passages that wait.
    pub pending: u64,
    /// Passages that can have none.
    pub failed: u64,
}

/// The state of the index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Status {
    /// The data folder.
    pub home: PathBuf,
    /// Roots.
    pub roots: Vec<RootStatus>,
    /// Documents known.
    pub documents: u64,
    /// Documents with text.
    pub indexed: u64,
    /// Documents without text, by reason.
    pub skipped: Vec<(String, u64)>,
    /// Documents whose reading failed, by reason.
    pub failed: Vec<(String, u64)>,
    /// Passages.
    pub passages: u64,
    /// Bytes of extracted text.
    pub text_bytes: u64,
    /// Bytes on disk: database and caches.
    pub disk_bytes: u64,
    /// Models.
    pub tiers: Vec<TierStatus>,
    /// Names known to `find`.
    pub names: u64,
    /// Policy epoch.
    pub epoch: u64,
    /// Sentences that the reader should know.
    pub notes: Vec<String>,
}
