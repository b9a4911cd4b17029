//! What can go wrong while the index is written, named for what it means to the caller.
//!
//! A file that cannot be read is no error: it is an outcome of that file, and the others go on.

use std::io;
use std::path::PathBuf;

use bethink_core::ModelId;
use bethink_index::IndexError;
use bethink_store::StoreError;

/// A result of the write path.
pub type Result<T> = std::result::Result<T, IngestError>;

/// Why the index could not be brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The disk that holds the index is full. Every batch before this one is kept.
    #[error(
        "no room left on the disk that holds the index; make some and run the same command again: it goes on where it stopped"
    )]
    DiskFull,
    /// The data plane failed.
    #[error(transparent)]
    Store(StoreError),
    /// A cache failed.
    #[error(transparent)]
    Index(IndexError),
    /// A file of the data home could not be used.
    #[error("cannot use {path}: {source}")]
    Home {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The data home was removed while it was in use; what was written since went with it.
    #[error(
        "the data folder {path} was removed while bethink was at work; run the same command again to build it anew"
    )]
    HomeRemoved {
        /// The data home.
        path: PathBuf,
    },
    /// A path that was to be indexed is not there and never was.
    #[error("{path} is not there")]
    NoSuchRoot {
        /// The path.
        path: PathBuf,
    },
    /// A path that was to be indexed never may be.
    #[error("{path} cannot be indexed: {reason}")]
    ForbiddenRoot {
        /// The path.
        path: PathBuf,
        /// Why, as the end of a sentence.
        reason: String,
    },
    /// A model gave a vector of another length than its own manifest says.
    #[error("the model {model} gave a vector of {given} numbers instead of {expected}")]
    Dimension {
        /// The model.
        model: ModelId,
        /// Numbers that its manifest promises.
        expected: usize,
        /// Numbers that it gave.
        given: usize,
    },
    /// The watcher could not be started at all.
    #[error("the system's watcher cannot be used: {detail}")]
    Watcher {
        /// What the watcher says.
        detail: String,
    },
}

impl From<StoreError> for IngestError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::DiskFull => Self::DiskFull,
            other => Self::Store(other),
        }
    }
}

impl From<IndexError> for IngestError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Io { ref source, .. } if is_disk_full(source) => Self::DiskFull,
            other => Self::Index(other),
        }
    }
}

/// Whether the system says that there is no room: on the volume, or in the user's share of it.
pub(crate) fn is_disk_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
