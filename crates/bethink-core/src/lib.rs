//! The vocabulary of bethink: what every other crate means by document, passage, locator, hit.
//!
//! This crate holds plain data types and two small traits. It promises to do no I/O: nothing here
//! opens a file, reads the environment, prints, or knows a wire format. Everything else may use it.

#![forbid(unsafe_code)]

mod caught;
mod clock;
mod extracted;
mod format;
mod hit;
mod id;
mod locator;
mod member;
mod memory_path;
mod passage;
mod path;

pub use caught::{Panicked, catch, is_catching};
pub use clock::{Clock, SystemClock, UnixMillis};
pub use extracted::{Extracted, Mark, Problem, ProblemKind, locator_at};
pub use format::{FileKind, Format, Language};
pub use hit::{Explanation, MatchStrength, Score};
pub use id::{
    ContentHash, ContentId, DocumentId, Epoch, Fence, MemoryId, ModelId, PassageId, PassageKey, RootId, Sequence,
};
pub use locator::Locator;
pub use member::{MEMBER_SEPARATOR, member_path, split_member_path};
pub use memory_path::{MEMORY_ROOT, MemoryItem, is_memory_path};
pub use passage::Passage;
pub use path::{path_bytes, path_from_bytes};
