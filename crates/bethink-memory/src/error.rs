//! What can go wrong, in terms of what was asked for.

use std::path::PathBuf;

use bethink_store::memory::MemoryStoreError;

/// A result of the memory.
pub type Result<T> = std::result::Result<T, MemoryError>;

/// Why the memory could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// There was nothing to keep.
    #[error("there is no text to keep")]
    EmptyText,
    /// A text is longer than an event or a note may be.
    #[error("the text has {bytes} bytes; the longest that is kept has {limit}")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The longest that is kept.
        limit: usize,
    },
    /// A pattern is longer than can be looked for.
    #[error("a pattern of {bytes} bytes is longer than can be looked for")]
    PatternTooLong {
        /// Its length.
        bytes: usize,
    },
    /// The mirror of the log cannot be read or written.
    #[error("cannot use the mirror of the log at {path}: {source}")]
    Mirror {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// The system gives no random numbers, so no identity can be made.
    #[error("the system gives no random numbers")]
    NoRandomness,
    /// A name may be several people's.
    #[error("{name} may be {}", people.join(", "))]
    AmbiguousPerson {
        /// The name.
        name: String,
        /// Whose it may be.
        people: Vec<String>,
    },
    /// A person cannot be merged with themselves.
    #[error("that is one person already")]
    SamePerson,
    /// No suggestion of that number waits.
    #[error("no suggestion {number} waits for your word")]
    NoSuchSuggestion {
        /// The number.
        number: u64,
    },
    /// The data plane failed.
    #[error(transparent)]
    Store(#[from] MemoryStoreError),
}
