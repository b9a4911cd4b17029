//! What a long run tells while it goes on.

use std::path::Path;

use bethink_core::ModelId;

/// Which part of a run is going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Waiting for another process that is indexing.
    Waiting,
    /// Walking the roots and reading what changed.
    Indexing,
    /// Removing what is gone from the disk.
    Removing,
    /// Bringing the caches up.
    CatchingUp,
    /// Embedding what waits for a vector.
    Sharpening,
}

/// One thing that happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<'a> {
    /// Another part of the run begins.
    Phase(Phase),
    /// Another process holds the index; this one waits for it to end.
    WaitingForOther,
    /// So many files have been seen by the walk. Sent now and then, not for each file.
    Walked {
        /// Files seen since the run began.
        files: u64,
        /// Of these, files that have to be read.
        to_read: u64,
    },
    /// Every root has been walked: the counts of the last [`Event::Walked`] are final.
    WalkEnded {
        /// Files seen.
        files: u64,
        /// Of these, files that have to be read.
        to_read: u64,
    },
    /// A file is being read.
    FileStarted {
        /// The file.
        path: &'a Path,
    },
    /// A batch is durable and searchable by words.
    Committed {
        /// Files read since the run began, whatever became of them.
        files: u64,
        /// Passages stored since the run began.
        passages: u64,
        /// Bytes read since the run began.
        bytes: u64,
    },
    /// Passages got their vectors.
    Embedded {
        /// The model.
        model: &'a ModelId,
        /// Passages that have a vector of this model.
        done: u64,
        /// Passages that wait for one.
        pending: u64,
    },
}

/// A listener. Called from the thread that runs the indexer, never concurrently.
pub trait Progress {
    /// Something happened.
    fn event(&self, event: Event<'_>);
}

/// A listener that does not listen.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn event(&self, _event: Event<'_>) {}
}
