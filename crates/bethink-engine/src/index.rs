//! Bringing the index up to date with the disk, and sharpening it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What to index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexRequest {
    /// Roots to remember and index; empty means every remembered root.
    pub paths: Vec<PathBuf>,
    /// Wait for the transformer tier as well.
    pub full: bool,
    /// Use both cores instead of being a quiet guest.
    pub fast: bool,
}

/// A request to stop, shared with whoever may ask for it (a signal handler).
#[derive(Debug, Clone, Default)]
pub struct Stop(pub Arc<AtomicBool>);

impl Stop {
    /// Asks for the end after the batch in hand.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Something that happened while indexing.
#[derive(Debug, Clone, PartialEq)]
pub enum IndexEvent {
    /// Another process is indexing; this one waits for it.
    Waiting,
    /// Files seen so far by the walk; `done` when the count is final.
    Walked {
        /// Files.
        files: u64,
        /// Whether the walk has ended.
        done: bool,
    },
    /// A file is being read.
    File {
        /// Its path.
        path: PathBuf,
    },
    /// A batch was committed and can be searched.
    Committed {
        /// Files looked at so far.
        files: u64,
        /// Passages so far.
        passages: u64,
        /// Bytes read so far.
        bytes: u64,
    },
    /// Passages were embedded.
    Embedded {
        /// `static` or `transformer`.
        tier: &'static str,
        /// Passages done.
        done: u64,
        /// Passages that wait.
        pending: u64,
    },
}

/// Receives events. Called from worker threads; must be quick.
pub trait Progress: Sync {
    /// Something happened.
    fn report(&self, event: IndexEvent);
}

impl<F: Fn(IndexEvent) + Sync> Progress for F {
    fn report(&self, event: IndexEvent) {
        self(event);
    }
}

/// How a root was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootOutcome {
    /// Its path.
    pub path: PathBuf,
    /// `complete`, `missing`, `unreadable`, `interrupted`.
    pub state: &'static str,
    /// Files under it that were looked at.
    pub files: u64,
    /// A sentence where there is something to know.
    pub note: Option<String>,
}

/// What indexing did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexSummary {
    /// Roots.
    pub roots: Vec<RootOutcome>,
    /// Files whose text was read and published.
    pub indexed: u64,
    /// Files whose bytes are as they were.
    pub unchanged: u64,
    /// Files that were found at a new path.
    pub moved: u64,
    /// Files that are gone.
    pub removed: u64,
    /// Files without text, and paths left out, by reason.
    pub skipped: Vec<(String, u64)>,
    /// Files whose reading failed, by reason.
    pub failed: Vec<(String, u64)>,
    /// Passages published.
    pub passages: u64,
    /// Passages embedded, static and transformer.
    pub embedded: u64,
    /// Passages that still wait for the transformer.
    pub pending: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// Wall time.
    pub elapsed: Duration,
    /// Sentences that the reader should know.
    pub notes: Vec<String>,
}

/// How to sharpen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SharpenRequest {
    /// Stop after this long; `None` goes on to the end.
    pub budget: Option<Duration>,
    /// Use both cores.
    pub fast: bool,
}

/// What sharpening did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SharpenSummary {
    /// Passages embedded.
    pub embedded: u64,
    /// Passages that still wait.
    pub pending: u64,
}

/// What forgetting a root removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForgetSummary {
    /// The root.
    pub path: PathBuf,
    /// Documents that went.
    pub documents: u64,
}
