//! The two kinds of handle on a memory, and its schema.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::memory::MemoryResult;
use crate::sqlite::failure::Attempt;
use crate::sqlite::handle::{Handle, ReadOnly, ReadWrite};
use crate::sqlite::migration::Schema;

/// How long a write waits for others, busy timeouts included. Writes take milliseconds, so who has waited
/// for this long waits for a process that hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A person's own, "btmm". FULL: what was acknowledged survives a power cut.
pub(super) const MEMORY: Schema = Schema {
    application_id: 0x6274_6D6D,
    synchronous: "FULL",
    patience: PATIENCE,
    migrations: &[
        include_str!("migrations/001-log.sql"),
        include_str!("migrations/002-notebook.sql"),
        include_str!("migrations/003-access.sql"),
    ],
};

/// A handle on a memory's file. What it may do stands in its type, as for the index.
#[derive(Debug)]
pub struct MemoryHandle<Access> {
    handle: Handle<Access>,
}

/// A handle that asks and changes.
pub type SqliteMemory = MemoryHandle<ReadWrite>;

/// A handle that only asks, opened read-only.
pub type SqliteMemoryReader = MemoryHandle<ReadOnly>;

impl MemoryHandle<ReadWrite> {
    /// Opens the memory, creating its folder and file and migrating it as needed.
    ///
    /// # Errors
    /// [`Newer`](crate::memory::MemoryStoreError::Newer) for a memory of a later bethink,
    /// [`Damaged`](crate::memory::MemoryStoreError::Damaged) for a file that is none,
    /// [`Open`](crate::memory::MemoryStoreError::Open) where the file cannot be made or read.
    pub fn open(path: &Path) -> MemoryResult<Self> {
        Ok(Self { handle: Handle::<ReadWrite>::open_as(&MEMORY, path)? })
    }

    pub(super) fn write<T>(
        &mut self,
        doing: &'static str,
        change: impl FnOnce(&Connection) -> Attempt<T>,
    ) -> MemoryResult<T> {
        Ok(self.handle.write(doing, change)?)
    }

    pub(super) fn maintain<T>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&Connection) -> Attempt<T>,
    ) -> MemoryResult<T> {
        Ok(self.handle.maintain(doing, work)?)
    }
}

impl MemoryHandle<ReadOnly> {
    /// Opens the memory for questions; `None` where there is none yet.
    ///
    /// # Errors
    /// As for [`SqliteMemory::open`].
    pub fn open(path: &Path) -> MemoryResult<Option<Self>> {
        Ok(Handle::<ReadOnly>::open_as(&MEMORY, path)?.map(|handle| Self { handle }))
    }
}

impl<Access> MemoryHandle<Access> {
    /// The database file.
    pub fn path(&self) -> &Path {
        self.handle.path()
    }

    pub(super) fn read<T>(
        &self,
        doing: &'static str,
        question: impl FnOnce(&Connection) -> Attempt<T>,
    ) -> MemoryResult<T> {
        Ok(self.handle.read(doing, question)?)
    }
}
