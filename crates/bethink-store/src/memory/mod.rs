//! What a person owns: the log of events, and everything that was made of it.
//!
//! Promises: the only source of truth for what is in it; a write that was acknowledged survives the
//! process, the system and the power; the log only grows, which the database itself sees to; what is
//! forgotten leaves a tombstone without content. Refuses: to derive anything, to compare words (keys
//! come from above), and to hold what belongs to the sealed zone.

mod access;
mod contract;
mod error;
mod event;
mod note;

pub use access::Access;
pub use contract::{MemoryReader, MemoryWriter};
pub use error::{MemoryResult, MemoryStoreError};
pub use event::{EventFilter, EventKind, Inserted, LogState, LoggedEvent, MemoryEvent, Tombstone};
pub use note::{
    Author, MemoryChange, MemoryChanged, Note, NoteContent, NoteFilter, NoteKind, NoteWrite, Person, Revision,
    ScoredNote, Spelling, Suggestion, Written,
};
