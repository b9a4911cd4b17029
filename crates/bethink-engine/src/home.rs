//! The data home: where each file of ours lies.
//!
//! ```text
//! memory.db         the person's own: the log of events; derived from nothing, never deleted by us
//! index.db          derived: documents, passages, vectors, queue
//! roots             the folders that the user asked for, so that index.db may be deleted at any time
//! index.lock        held while a root is walked
//! token             what a program must show to be answered over HTTP; 0600
//! serve.lock        held by the process that serves; serve.address says where
//! cache/            disposable: lexicon/, matrix-<model>/, names, reads, log-mirror, writer.lock
//! models/           weight containers
//! engines/          the pdfium library, where the user has added one
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use bethink_core::{path_bytes, path_from_bytes};

use crate::error::{EngineError, Result};

/// The remembered roots: absolute paths, byte for byte, each ended by NUL.
const ROOTS: &str = "roots";

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

    /// Whether the home is there and this process may only read it: on a backup medium, or another
    /// user's.
    pub fn is_read_only(&self) -> bool {
        [self.folder.clone(), self.cache()].iter().any(|folder| folder.is_dir() && !is_writable(folder))
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The person's own database.
    pub fn memory_database(&self) -> PathBuf {
        self.folder.join("memory.db")
    }

    /// The mirror of the log, which patterns are searched in.
    pub fn log_mirror(&self) -> PathBuf {
        self.cache().join("log-mirror")
    }

    /// The derived database.
    pub fn index_database(&self) -> PathBuf {
        self.folder.join("index.db")
    }

    /// The remembered roots, as they are kept beside the derived database.
    pub fn roots(&self) -> Vec<PathBuf> {
        let bytes = fs::read(self.folder.join(ROOTS)).unwrap_or_default();
        bytes.split(|&byte| byte == 0).filter(|path| !path.is_empty()).map(path_from_bytes).collect()
    }

    /// Keeps the roots beside the derived database.
    ///
    /// # Errors
    /// [`EngineError::Home`] where the file cannot be written.
    pub fn remember_roots<'p>(&self, roots: impl IntoIterator<Item = &'p Path>) -> Result<()> {
        let mut bytes = Vec::new();
        for root in roots {
            bytes.extend_from_slice(&path_bytes(root));
            bytes.push(0);
        }
        let file = self.folder.join(ROOTS);
        if fs::read(&file).is_ok_and(|known| known == bytes) {
            return Ok(());
        }
        let unfinished = self.folder.join(format!("{ROOTS}.new-{}", std::process::id()));
        fs::write(&unfinished, &bytes)
            .and_then(|()| fs::rename(&unfinished, &file))
            .map_err(|source| EngineError::Home { path: file, source })
    }

    /// Moves a damaged database out of the way, with the caches that were built from it; the path that
    /// it has now.
    ///
    /// # Errors
    /// [`EngineError::Home`] where it cannot be moved.
    pub fn set_damaged_index_aside(&self) -> Result<PathBuf> {
        let database = self.index_database();
        let aside = self.folder.join("index.db.damaged");
        fs::rename(&database, &aside).map_err(|source| EngineError::Home { path: database, source })?;
        for suffix in ["-wal", "-shm"] {
            let mut file = self.index_database().into_os_string();
            file.push(suffix);
            // A log without its database is of no use, and may not be there.
            let _ = fs::remove_file(file);
        }
        Ok(aside)
    }

    /// The folder of caches.
    pub fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    /// The arena of file names.
    pub fn names(&self) -> PathBuf {
        self.cache().join("names")
    }

    /// The folder of libraries that extraction workers load.
    pub fn engines(&self) -> PathBuf {
        self.folder.join("engines")
    }

    /// The folder of models.
    pub fn models(&self) -> PathBuf {
        self.folder.join("models")
    }
}

#[cfg(unix)]
fn is_writable(folder: &Path) -> bool {
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn is_writable(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|metadata| !metadata.permissions().readonly())
}
