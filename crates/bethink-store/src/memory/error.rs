//! What can go wrong with a person's own database. A kind of its own, because the index's errors say
//! "delete it and build it again", and nobody may ever do that here.

use std::path::PathBuf;

use crate::StoreError;

/// A result of the memory's data plane.
pub type MemoryResult<T> = Result<T, MemoryStoreError>;

/// Why the memory could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum MemoryStoreError {
    /// The database file could not be opened or created.
    #[error("cannot open the memory at {path}: {source}")]
    Open {
        /// The database file.
        path: PathBuf,
        /// The database's own words.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The database was written by a newer bethink.
    #[error("the memory at {path} has schema version {found}, this bethink knows up to {known}")]
    Newer {
        /// The database file.
        path: PathBuf,
        /// Version in the file.
        found: u32,
        /// Newest version known here.
        known: u32,
    },
    /// Others wrote for longer than anybody should have to wait.
    #[error("the memory is busy: other processes have been writing without a break; nothing was written")]
    Busy,
    /// The disk is full.
    #[error("no room left on the disk that holds the memory; nothing was written")]
    DiskFull,
    /// The database file is damaged.
    #[error("the memory at {path} is damaged: {detail}")]
    Damaged {
        /// The database file.
        path: PathBuf,
        /// What the database says of it.
        detail: String,
    },
    /// Any other failure of the database.
    #[error("the memory failed: {0}")]
    Failed(Box<dyn std::error::Error + Send + Sync>),
}

impl From<StoreError> for MemoryStoreError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Open { path, source } => Self::Open { path, source },
            StoreError::Newer { path, found, known } => Self::Newer { path, found, known },
            StoreError::Busy { .. } => Self::Busy,
            StoreError::DiskFull => Self::DiskFull,
            StoreError::Damaged { path, detail } => Self::Damaged { path, detail },
            StoreError::Failed { source, .. } => Self::Failed(source),
            other => Self::Failed(Box::new(other)),
        }
    }
}
