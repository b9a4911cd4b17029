//! SQLite under the contract suite, in a folder of its own.

use std::path::PathBuf;

use bethink_store::sqlite::{SqliteIndex, SqliteIndexReader};
use tempfile::TempDir;

use crate::contract::Backend;

/// A database in a temporary folder that goes with it.
pub struct SqliteBackend {
    folder: TempDir,
}

impl SqliteBackend {
    pub fn file(&self) -> PathBuf {
        self.folder.path().join("index.db")
    }
}

impl Backend for SqliteBackend {
    type Writer = SqliteIndex;
    type Reader = SqliteIndexReader;

    fn create() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn writer(&self) -> SqliteIndex {
        SqliteIndex::open(&self.file()).unwrap()
    }

    fn reader(&self) -> SqliteIndexReader {
        SqliteIndexReader::open(&self.file()).unwrap().unwrap()
    }
}

crate::contract::contract_suite!(SqliteBackend);
