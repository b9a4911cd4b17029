//! The data home: where each file of ours lies.
//!
//! ```text
//! index.db          derived: documents, passages, vectors, queue
//! index.lock        held while a root is walked
//! cache/            disposable: lexicon/, matrix-<model>/, names, writer.lock
//! models/           weight containers
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{EngineError, Result};

/// One data folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    folder: PathBuf,
}

impl Home {
    /// A home at this folder, which need not exist yet.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Makes the folders, readable by their owner alone: what is indexed is private.
    ///
    /// # Errors
    /// [`EngineError::Home`] where a folder cannot be made.
    pub fn create(&self) -> Result<()> {
        for folder in [self.folder.clone(), self.cache(), self.models()] {
            if folder.is_dir() {
                continue;
            }
            fs::create_dir_all(&folder).map_err(|source| EngineError::Home { path: folder.clone(), source })?;
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))
                    .map_err(|source| EngineError::Home { path: folder.clone(), source })?;
            }
        }
        Ok(())
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The derived database.
    pub fn index_database(&self) -> PathBuf {
        self.folder.join("index.db")
    }

    /// The folder of caches.
    pub fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    /// The arena of file names.
    pub fn names(&self) -> PathBuf {
        self.cache().join("names")
    }

    /// The folder of models.
    pub fn models(&self) -> PathBuf {
        self.folder.join("models")
    }
}
