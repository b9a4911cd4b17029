//! What can go wrong while a cache is read or written.

use std::io;
use std::path::{Path, PathBuf};

/// A failure that the caller can act on. Missing and damaged caches are no errors when they are
/// opened (`Ok(None)`): they are built again.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The operating system refused or failed an operation on a cache file.
    #[error("cannot use the cache at {}: {source}", path.display())]
    Io {
        /// The file or folder concerned.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process is writing this cache; let it finish the work.
    #[error("the cache at {} is being written by another process", path.display())]
    Busy {
        /// The cache's folder.
        path: PathBuf,
    },
    /// The cache opened but turned out to be damaged while it was used; delete and rebuild it.
    #[error("the cache at {} is damaged and has to be built again: {detail}", path.display())]
    Damaged {
        /// The cache's folder or file.
        path: PathBuf,
        /// Where the damage showed, without content.
        detail: String,
    },
    /// A vector of another length than the model's was handed in.
    #[error("a vector of {given} numbers cannot be compared with vectors of {expected}")]
    Dimension {
        /// The model's dimension.
        expected: usize,
        /// What was handed in.
        given: usize,
    },
    /// A vector holds something that is no finite number, or is all zero.
    #[error("a vector without direction cannot be stored or searched for")]
    NoDirection,
    /// The lexical engine failed in a way that is neither damage nor the system's fault.
    #[error("the lexical index failed: {detail}")]
    Lexical {
        /// What the engine reported.
        detail: String,
    },
    /// The names do not fit the format (more than four billion entries or bytes).
    #[error("too many names for one index of names")]
    TooLarge,
}

impl IndexError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_path_buf(), source }
    }
}
