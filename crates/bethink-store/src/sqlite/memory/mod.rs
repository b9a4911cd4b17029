//! The memory on SQLite: one file, never derived, every commit on the disk before it is acknowledged.
//!
//! ```text
//! handle  opening, and the transaction around every verb
//! log     events and tombstones
//! notebook  notes, revisions, suggestions, people
//! ```

mod handle;
mod log;
mod notebook;

pub use handle::{MemoryHandle, SqliteMemory, SqliteMemoryReader};

use bethink_core::{MemoryId, UnixMillis};
use rusqlite::Connection;

use super::failure::Attempt;
use super::handle::ReadWrite;
use super::reader::{one, rows};
use super::row::limit_column;
use crate::StoreId;
use crate::memory::{
    Access, EventFilter, Inserted, LogState, LoggedEvent, MemoryChange, MemoryEvent, MemoryReader, MemoryResult,
    MemoryWriter, Note, NoteFilter, NoteKind, NoteWrite, Person, Revision, ScoredNote, Suggestion, Tombstone, Written,
};

impl<Right: Send> MemoryReader for MemoryHandle<Right> {
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

    fn find_note(&self, id: MemoryId) -> MemoryResult<Option<Note>> {
        self.read("looked a note up", |connection| notebook::find_note(connection, id))
    }

    fn note_of(&self, kind: NoteKind, identity: &str) -> MemoryResult<Option<Note>> {
        self.read("looked a note up", |connection| notebook::note_of(connection, kind, identity))
    }

    fn notes(&self, filter: &NoteFilter, terms: Option<&[String]>, limit: usize) -> MemoryResult<Vec<ScoredNote>> {
        self.read("looked notes up", |connection| notebook::notes(connection, filter, terms, limit))
    }

    fn history(&self, id: MemoryId) -> MemoryResult<Vec<Revision>> {
        self.read("read a note's history", |connection| notebook::history(connection, id))
    }

    fn suggestions(&self, limit: usize) -> MemoryResult<Vec<(Note, Suggestion)>> {
        self.read("listed suggestions", |connection| notebook::suggestions(connection, limit))
    }

    fn open_suggestion(&self, number: u64) -> MemoryResult<Option<(Note, Suggestion)>> {
        self.read("looked a suggestion up", |connection| notebook::open_suggestion(connection, number))
    }

    fn people(&self) -> MemoryResult<Vec<Person>> {
        self.read("listed people", notebook::people)
    }

    fn find_person(&self, id: MemoryId) -> MemoryResult<Option<Person>> {
        self.read("looked a person up", |connection| notebook::find_person(connection, id))
    }

    fn people_named(&self, key: &str) -> MemoryResult<Vec<Person>> {
        self.read("looked a name up", |connection| notebook::people_named(connection, key))
    }

    fn memory_changes_after(&self, after: u64, limit: usize) -> MemoryResult<Vec<MemoryChange>> {
        self.read("read its changes", |connection| notebook::changes_after(connection, after, limit))
    }

    fn accesses(&self, limit: usize) -> MemoryResult<Vec<Access>> {
        self.read("read its audit trail", |connection| {
            let sql = "SELECT time, tool, arguments, answered FROM access ORDER BY sequence DESC LIMIT ?1";
            rows(connection, sql, [limit_column(limit)], |row| {
                let answered: String = row.get(3)?;
                Ok(Access {
                    time: UnixMillis(row.get(0)?),
                    tool: row.get(1)?,
                    arguments: row.get(2)?,
                    answered: answered.lines().map(str::to_owned).collect(),
                })
            })
        })
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

    fn write_note(&mut self, write: &NoteWrite) -> MemoryResult<Written> {
        self.write("wrote a note", |connection| notebook::write(connection, write))
    }

    fn decide_suggestion(&mut self, number: u64, accepted: Option<&NoteWrite>, at: UnixMillis) -> MemoryResult<bool> {
        self.write("closed a suggestion", |connection| notebook::decide(connection, number, accepted, at))
    }

    fn forget_note(&mut self, id: MemoryId, at: UnixMillis) -> MemoryResult<bool> {
        let forgotten = self.write("forgot a note", |connection| notebook::forget_note(connection, id, at))?;
        if forgotten {
            self.maintain("purged what was forgotten", purge)?;
        }
        Ok(forgotten)
    }

    fn put_person(&mut self, person: &Person, at: UnixMillis) -> MemoryResult<()> {
        self.write("made a person known", |connection| notebook::put_person(connection, person, at))
    }

    fn merge_people(&mut self, from: MemoryId, into: MemoryId, at: UnixMillis) -> MemoryResult<()> {
        self.write("merged two people", |connection| notebook::merge_people(connection, from, into, at))
    }

    fn record_access(&mut self, access: &Access) -> MemoryResult<()> {
        self.write("entered an access in its audit trail", |connection| {
            let sql = "INSERT INTO access (time, tool, arguments, answered) VALUES (?1, ?2, ?3, ?4)";
            let answered = access.answered.join("\n");
            let values = rusqlite::params![access.time.0, access.tool, access.arguments, answered];
            connection.prepare_cached(sql)?.execute(values)?;
            Ok(())
        })
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
