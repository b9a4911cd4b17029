//! The verbs of the memory. Two traits, as for the index: whoever only asks cannot change.

use bethink_core::{MemoryId, UnixMillis};

use super::{
    Access, EventFilter, Inserted, LogState, LoggedEvent, MemoryChange, MemoryEvent, MemoryResult, Note, NoteFilter,
    NoteKind, NoteWrite, Person, Revision, ScoredNote, Suggestion, Tombstone, Written,
};
use crate::StoreId;

/// Questions to the memory.
pub trait MemoryReader: Send {
    /// The identity of this memory; a copy of the file has the same.
    fn memory_id(&self) -> MemoryResult<StoreId>;

    /// The name of this device, as events carry it.
    fn device(&self) -> MemoryResult<String>;

    /// How far the log has come.
    fn log_state(&self) -> MemoryResult<LogState>;

    /// The event of that identity.
    fn find_event(&self, id: MemoryId) -> MemoryResult<Option<LoggedEvent>>;

    /// Events after a position, in the order of logging: at most `limit`, and no more once their texts have
    /// `bytes`; at least one if there is one.
    fn events_after(&self, after: u64, limit: usize, bytes: usize) -> MemoryResult<Vec<LoggedEvent>>;

    /// Up to `limit` events, the newest by their own time first, behind the place that was reached.
    fn newest_events(
        &self,
        filter: &EventFilter,
        behind: Option<(UnixMillis, u64)>,
        limit: usize,
    ) -> MemoryResult<Vec<LoggedEvent>>;

    /// Those of these positions that still hold an event, in the order asked for.
    fn events_at(&self, positions: &[u64]) -> MemoryResult<Vec<LoggedEvent>>;

    /// Up to `limit` tombstones after a sequence, oldest first.
    fn tombstones_after(&self, after: u64, limit: usize) -> MemoryResult<Vec<Tombstone>>;

    /// The note of that identity.
    fn find_note(&self, id: MemoryId) -> MemoryResult<Option<Note>>;

    /// The note of that kind with that key.
    fn note_of(&self, kind: NoteKind, identity: &str) -> MemoryResult<Option<Note>>;

    /// Up to `limit` notes. With terms: those that have one, by what their terms are worth together; without:
    /// all. The newest first where that is equal. The filter restricts before anything is counted.
    fn notes(&self, filter: &NoteFilter, terms: Option<&[String]>, limit: usize) -> MemoryResult<Vec<ScoredNote>>;

    /// Everything that a note has said, the newest first.
    fn history(&self, id: MemoryId) -> MemoryResult<Vec<Revision>>;

    /// Up to `limit` suggestions that wait for their owner's word, oldest first, each with its note.
    fn suggestions(&self, limit: usize) -> MemoryResult<Vec<(Note, Suggestion)>>;

    /// The suggestion of that number with its note, if it still waits.
    fn open_suggestion(&self, number: u64) -> MemoryResult<Option<(Note, Suggestion)>>;

    /// Everybody, by name.
    fn people(&self) -> MemoryResult<Vec<Person>>;

    /// The person of that identity.
    fn find_person(&self, id: MemoryId) -> MemoryResult<Option<Person>>;

    /// Everybody who is known by a spelling with this key.
    fn people_named(&self, key: &str) -> MemoryResult<Vec<Person>>;

    /// Up to `limit` changes of the notebook after a sequence, oldest first.
    fn memory_changes_after(&self, after: u64, limit: usize) -> MemoryResult<Vec<MemoryChange>>;

    /// Up to `limit` calls of tools, the newest first.
    fn accesses(&self, limit: usize) -> MemoryResult<Vec<Access>>;

    /// Reads every page and row; what is wrong, in the database's words. Empty means sound.
    fn check_integrity(&self) -> MemoryResult<Vec<String>>;
}

/// Changes to the memory. Each verb is one transaction, on the disk before it returns.
pub trait MemoryWriter: MemoryReader {
    /// Inserts what is not there yet and leaves what is there alone: how logs of several devices, and
    /// imports that are repeated, merge. The answers stand in the order of the events.
    fn insert_events(&mut self, events: &[MemoryEvent]) -> MemoryResult<Vec<Inserted>>;

    /// Removes these events for good and leaves tombstones; how many there were. Their bytes are gone from
    /// the database file when this returns.
    fn forget_events(&mut self, ids: &[MemoryId], at: UnixMillis) -> MemoryResult<u64>;

    /// Writes a note: makes it, changes it with a revision, leaves it alone where it says so already, or keeps
    /// a suggestion where its owner has written it and somebody else writes now.
    fn write_note(&mut self, write: &NoteWrite) -> MemoryResult<Written>;

    /// Closes a suggestion that waits, and writes what was accepted; false if it does not wait any more.
    fn decide_suggestion(&mut self, number: u64, accepted: Option<&NoteWrite>, at: UnixMillis) -> MemoryResult<bool>;

    /// Removes a note with its history for good and leaves a tombstone; false if there is none. Its bytes are
    /// gone from the database file when this returns.
    fn forget_note(&mut self, id: MemoryId, at: UnixMillis) -> MemoryResult<bool>;

    /// Makes a person known, or known by another name or by more spellings.
    fn put_person(&mut self, person: &Person, at: UnixMillis) -> MemoryResult<()>;

    /// Gives everything of one person to another, spellings and notes, and takes the first away.
    fn merge_people(&mut self, from: MemoryId, into: MemoryId, at: UnixMillis) -> MemoryResult<()>;

    /// Enters a call of a tool in the audit trail.
    fn record_access(&mut self, access: &Access) -> MemoryResult<()>;
}
