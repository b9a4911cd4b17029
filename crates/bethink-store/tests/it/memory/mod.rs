//! The memory's contract, written against its traits alone, and what is SQLite's own about it.

mod crash;
pub mod log;
mod migration;
mod sqlite;

use bethink_core::{MemoryId, UnixMillis};
use bethink_store::memory::{EventKind, MemoryEvent, MemoryReader, MemoryWriter};

/// A place for one memory, empty at first.
pub trait MemoryBackend: Sized {
    /// Its writing handle.
    type Writer: MemoryWriter;
    /// Its reading handle.
    type Reader: MemoryReader;

    /// A new place, shared with nobody.
    fn create() -> Self;
    /// A new writing handle on it; makes the memory where there is none.
    fn writer(&self) -> Self::Writer;
    /// A new reading handle on it; the memory is there.
    fn reader(&self) -> Self::Reader;
}

/// Makes one test of every law for a backend.
macro_rules! memory_suite {
    ($backend:ty) => {
        $crate::memory::memory_suite! { $backend:
            log { a_filter_restricts_before_it_counts, a_forgotten_event_never_comes_back, a_page_is_bounded,
                an_event_comes_back_whole, an_insertion_is_if_absent, positions_only_grow, readers_see_what_is_written,
                the_newest_come_by_their_own_time }
        }
    };
    ($backend:ty: $($group:ident { $($law:ident),* $(,)? })*) => {
        $(mod $group {
            use super::*;
            $(#[test]
            fn $law() {
                $crate::memory::$group::$law::<$backend>();
            })*
        })*
    };
}
pub(crate) use memory_suite;

/// An event with an identity of its own.
pub fn event(number: u8, time: i64, text: &str) -> MemoryEvent {
    MemoryEvent {
        id: MemoryId([number; 16]),
        device: "here".to_owned(),
        kind: EventKind::Message,
        time: UnixMillis(time),
        zone: None,
        source: None,
        thread: None,
        person: None,
        person_key: None,
        text: text.to_owned(),
    }
}
