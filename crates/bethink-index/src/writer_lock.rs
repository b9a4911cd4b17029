//! One writer a cache.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use crate::IndexError;

/// An exclusive lock on a cache's folder. It is the operating system's, so it falls with its
/// process, and a killed writer is taken over at once.
#[derive(Debug)]
pub(crate) struct WriterLock {
    _file: File,
}

impl WriterLock {
    /// The file inside the folder that is locked. It stays when the lock is gone: removing it
    /// would let two processes lock two files of one name.
    pub(crate) const NAME: &'static str = "writer.lock";

    /// Takes the lock, making the folder if there is none.
    ///
    /// # Errors
    /// [`IndexError::Busy`] when it is taken.
    pub(crate) fn acquire(folder: &Path) -> Result<Self, IndexError> {
        fs::create_dir_all(folder).map_err(|error| IndexError::io(folder, error))?;
        let path = folder.join(Self::NAME);
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|error| IndexError::io(&path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(IndexError::Busy { path: folder.to_path_buf() }),
            Err(TryLockError::Error(error)) => Err(IndexError::io(&path, error)),
        }
    }
}
