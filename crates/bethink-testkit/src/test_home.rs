//! A data home and a tree of files beside it, gone when the test ends.

use std::fs;
use std::path::{Path, PathBuf};

/// A temporary folder with two folders in it: `home`, the data home, and `files`, the user's files.
#[derive(Debug)]
pub struct TestHome {
    folder: tempfile::TempDir,
    base: PathBuf,
}

impl TestHome {
    /// A fresh home and no files.
    ///
    /// # Panics
    /// The system has no room for a temporary folder.
    #[allow(clippy::expect_used, clippy::new_without_default)]
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        // Temporary folders are reached through links on some systems; paths in the index never are.
        let base = folder.path().canonicalize().expect("a folder that was just made is there");
        for name in ["home", "files"] {
            fs::create_dir(base.join(name)).expect("a folder can be made in a fresh one");
        }
        Self { folder, base }
    }

    /// The data home.
    pub fn home(&self) -> PathBuf {
        self.base.join("home")
    }

    /// The folder of the user's files.
    pub fn files(&self) -> PathBuf {
        self.base.join("files")
    }

    /// The absolute path of one of the user's files.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.files().join(name)
    }

    /// Writes one of the user's files, making its folders.
    ///
    /// # Panics
    /// The system refuses.
    #[allow(clippy::expect_used)]
    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("folders of a test file can be made");
        }
        fs::write(&path, bytes).expect("a test file can be written");
        path
    }

    /// The folder that holds both, for what a test keeps elsewhere.
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }
}
