//! What a person and their agents remember: the log of events and the way through it by pattern, the
//! notebook, people and pins.
//!
//! Promises: what was logged is kept as it was told; an answer about an empty memory says so in words
//! that end the search; whatever is derived from the memory (the mirror that patterns are searched in)
//! may be deleted at any time and costs nothing but the time to build it again. Refuses: to hold SQL, to
//! know a surface, and to let a pattern take more than linear time or a bounded amount of memory.

#![forbid(unsafe_code)]

mod diff;
mod document;
mod error;
mod event;
pub mod grep;
mod name;
mod notebook;
mod person;
mod pin;

pub use diff::suggestion_diff;
pub use document::{DOCUMENT_VERSION, MemoryDocument, memory_document};
pub use error::{MemoryError, Result};
pub use event::{EventDraft, MAXIMUM_TEXT_BYTES, event_id, fresh_id, log_event};
pub use name::name_key;
pub use notebook::{
    CHECKED_NOTES, NoteDraft, NotebookAnswer, NotebookQuestion, check_notebook, decide_suggestion, identity_key,
    write_note,
};
pub use person::{Resolution, add_person, merge_people, person_for, resolve_person};
pub use pin::{PinDraft, pin};
