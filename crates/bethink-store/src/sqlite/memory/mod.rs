//! The memory on SQLite: one file, never derived, every commit on the disk before it is acknowledged.
//!
//! ```text
//! handle  opening, and the transaction around every verb
//! log     events and tombstones
//! ```

mod handle;
mod log;

pub use handle::{MemoryHandle, SqliteMemory, SqliteMemoryReader};

use bethink_core::{MemoryId, UnixMillis};
use rusqlite::Connection;

use super::failure::Attempt;
use super::handle::ReadWrite;
use super::reader::{one, rows};
use crate::StoreId;
use crate::memory::{
    EventFilter, Inserted, LogState, LoggedEvent, MemoryEvent, MemoryReader, MemoryResult, MemoryWriter, Tombstone,
};

impl<Access: Send> MemoryReader for MemoryHandle<Access> {
    fn memory_id(&self) -> MemoryResult<StoreId> {
        self.read("read its identity", |connection| {
            one(connection, "SELECT memory_id FROM meta", [], |row| Ok(StoreId(row.get(0)?)))
        })
    }

    fn device(&self) -> MemoryResult<String> {
        self.read("read the device", |connection| one(connection, "SELECT device FROM meta", [], |row| row.get(0)))
    }

    fn log_state(&self) -> MemoryResult<LogState> {
        self.read("counted its events", log::state)
    }

    fn find_event(&self, id: MemoryId) -> MemoryResult<Option<LoggedEvent>> {
        self.read("looked an event up", |connection| log::find_event(connection, id))
    }

    fn events_after(&self, after: u64, limit: usize, bytes: usize) -> MemoryResult<Vec<LoggedEvent>> {
        self.read("read its log", |connection| log::events_after(connection, after, limit, bytes))
    }

    fn newest_events(
        &self,
        filter: &EventFilter,
        behind: Option<(UnixMillis, u64)>,
        limit: usize,
    ) -> MemoryResult<Vec<LoggedEvent>> {
        self.read("listed events", |connection| log::newest_events(connection, filter, behind, limit))
    }

    fn events_at(&self, positions: &[u64]) -> MemoryResult<Vec<LoggedEvent>> {
        self.read("looked events up", |connection| log::events_at(connection, positions))
    }

    fn tombstones_after(&self, after: u64, limit: usize) -> MemoryResult<Vec<Tombstone>> {
        self.read("read its tombstones", |connection| log::tombstones_after(connection, after, limit))
    }

    fn check_integrity(&self) -> MemoryResult<Vec<String>> {
        self.read("checked itself", |connection| {
            let mut wrong: Vec<String> = rows(connection, "PRAGMA integrity_check", [], |row| row.get(0))?;
            wrong.retain(|line| line != "ok");
            let dangling = rows(connection, "PRAGMA foreign_key_check", [], |row| row.get::<_, String>(0))?;
            wrong.extend(dangling.into_iter().map(|table| format!("a row of {table} refers to nothing")));
            Ok(wrong)
        })
    }
}

impl MemoryWriter for MemoryHandle<ReadWrite> {
    fn insert_events(&mut self, events: &[MemoryEvent]) -> MemoryResult<Vec<Inserted>> {
        self.write("appended events", |connection| log::insert(connection, events))
    }

    fn forget_events(&mut self, ids: &[MemoryId], at: UnixMillis) -> MemoryResult<u64> {
        let forgotten = self.write("forgot events", |connection| log::forget(connection, ids, at))?;
        if forgotten > 0 {
            self.maintain("purged what was forgotten", purge)?;
        }
        Ok(forgotten)
    }
}

/// Writes the database anew and empties its log: what was deleted stands nowhere any more.
/// `secure_delete` alone leaves copies in the unused part of pages that were split.
fn purge(connection: &Connection) -> Attempt<()> {
    connection.execute_batch("VACUUM")?;
    // A reader at work keeps the log from being emptied; the next checkpoint that starts it over does.
    let _blocked: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(())
}
