//! What can go wrong in the data plane, named for what it means to the caller.

use std::path::PathBuf;

/// A result of the data plane.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database file could not be opened or created.
    #[error("cannot open the index at {path}: {source}")]
    Open {
        /// The database file.
        path: PathBuf,
        /// The database's own words.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The database was written by a newer bethink.
    #[error("the index at {path} has schema version {found}, this bethink knows up to {known}")]
    Newer {
        /// The database file.
        path: PathBuf,
        /// Version in the file.
        found: u32,
        /// Newest version known here.
        known: u32,
    },
    /// Another process held the database for longer than the busy timeout.
    #[error("the index is busy: another process has been writing for more than {waited_secs} seconds")]
    Busy {
        /// How long was waited, in seconds.
        waited_secs: u64,
    },
    /// The disk is full.
    #[error("no room left on the disk that holds the index")]
    DiskFull,
    /// The database file is damaged. It is derived, so it can be deleted and rebuilt.
    #[error("the index at {path} is damaged: {detail}")]
    Damaged {
        /// The database file.
        path: PathBuf,
        /// What the database says of it.
        detail: String,
    },
    /// A claim was superseded, or what it was for has changed; nothing was published.
    #[error("the claim was superseded; nothing was published")]
    Superseded,
    /// Any other failure of the database.
    #[error("the index failed while it {doing}: {source}")]
    Failed {
        /// What was being done, as "published a batch".
        doing: &'static str,
        /// The database's own words.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
