//! Locks between processes.
//!
//! An operating-system lock on an open file: it falls with its process, however that ends, so that
//! a killed indexer is taken over at once and no stale lock is ever cleaned up by guessing.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{IngestError, Result};
use crate::stop::Stop;

/// How often a waiting process looks again. Short enough that a takeover feels immediate, long
/// enough to cost nothing.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Walking and publishing: one process at a time.
pub const INDEX_LOCK: &str = "index.lock";

/// Writing under `cache/`: one process at a time.
pub const CACHE_LOCK: &str = "writer.lock";

/// An exclusive lock, held until dropped.
#[derive(Debug)]
pub struct ExclusiveLock {
    /// Held for its lock, which the system releases when the file is closed.
    handle: File,
    path: PathBuf,
}

impl ExclusiveLock {
    /// Takes the lock if it is free.
    ///
    /// # Errors
    /// The lock file cannot be created or locked.
    pub fn try_take(file: &Path) -> Result<Option<Self>> {
        let handle = open(file)?;
        match handle.try_lock() {
            Ok(()) => Ok(Some(Self { handle, path: file.to_path_buf() })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(failed(file, source)),
        }
    }

    /// Whether the locked file is still the one at its path. If not, its folder was removed meanwhile,
    /// or another process may hold a lock of the same name by now.
    #[cfg(unix)]
    pub fn is_intact(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        match (self.handle.metadata(), self.path.symlink_metadata()) {
            (Ok(held), Ok(standing)) => identity(held) == identity(standing),
            (Ok(_), Err(error)) => {
                !matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
            }
            // The system does not say; that is no sign of a removal.
            (Err(_), _) => true,
        }
    }

    /// Whether the locked file is still the one at its path: an open file cannot be removed here.
    #[cfg(not(unix))]
    pub fn is_intact(&self) -> bool {
        let _ = &self.handle;
        self.path.exists()
    }

    /// Takes the lock, waiting for whoever holds it; `waiting` is called once if there is a wait.
    /// `None` if asked to stop meanwhile.
    ///
    /// # Errors
    /// The lock file cannot be created or locked.
    pub fn take(file: &Path, stop: &Stop, waiting: impl FnOnce()) -> Result<Option<Self>> {
        if let Some(lock) = Self::try_take(file)? {
            return Ok(Some(lock));
        }
        waiting();
        while !stop.is_requested() {
            // A blocking lock could not be interrupted by a request to stop.
            std::thread::sleep(LOOK_AGAIN);
            if let Some(lock) = Self::try_take(file)? {
                return Ok(Some(lock));
            }
        }
        Ok(None)
    }
}

fn open(file: &Path) -> Result<File> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
    }
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(file)
        .map_err(|source| failed(file, source))
}

fn failed(path: &Path, source: std::io::Error) -> IngestError {
    IngestError::Home { path: PathBuf::from(path), source }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_second_taker_waits_until_the_first_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep").join(INDEX_LOCK);
        let first = ExclusiveLock::try_take(&file).unwrap().expect("a fresh lock is free");
        assert!(ExclusiveLock::try_take(&file).unwrap().is_none());
        let (told, hears) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let second =
                scope.spawn(|| ExclusiveLock::take(&file, &Stop::new(), || told.send(()).unwrap()).unwrap().is_some());
            hears.recv().unwrap();
            drop(first);
            assert!(second.join().unwrap());
        });
    }

    #[test]
    fn a_lock_knows_when_its_folder_was_removed() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let file = home.join(INDEX_LOCK);
        let lock = ExclusiveLock::try_take(&file).unwrap().expect("a fresh lock is free");
        assert!(lock.is_intact());
        std::fs::remove_dir_all(&home).unwrap();
        assert!(!lock.is_intact());
        let other = ExclusiveLock::try_take(&file).unwrap().expect("a new file is another lock");
        assert!(!lock.is_intact() && other.is_intact());
    }

    #[test]
    fn a_request_to_stop_ends_the_wait() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(INDEX_LOCK);
        let _first = ExclusiveLock::try_take(&file).unwrap().expect("a fresh lock is free");
        let stop = Stop::new();
        stop.request();
        assert!(ExclusiveLock::take(&file, &stop, || {}).unwrap().is_none());
    }
}
