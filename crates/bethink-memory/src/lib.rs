//! What a person and their agents remember: the log of events, and the way through it by pattern.
//!
//! Promises: what was logged is kept as it was told; an answer about an empty memory says so in words
//! that end the search; whatever is derived from the memory (the mirror that patterns are searched in)
//! may be deleted at any time and costs nothing but the time to build it again. Refuses: to hold SQL, to
//! know a surface, and to let a pattern take more than linear time or a bounded amount of memory.

#![forbid(unsafe_code)]

mod error;
mod event;
pub mod grep;
mod name;

pub use error::{MemoryError, Result};
pub use event::{EventDraft, MAXIMUM_TEXT_BYTES, event_id, fresh_id, log_event};
pub use name::name_key;
