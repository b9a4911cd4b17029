//! The verbs of the memory. Two traits, as for the index: whoever only asks cannot change.

use bethink_core::{MemoryId, UnixMillis};

use super::{EventFilter, Inserted, LogState, LoggedEvent, MemoryEvent, MemoryResult, Tombstone};
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
}
