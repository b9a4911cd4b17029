//! One memory in a folder that goes with it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use bethink_core::{Clock, UnixMillis};
use bethink_memory::{EventDraft, fresh_id};
use bethink_store::memory::{EventKind, MemoryWriter};
use bethink_store::sqlite::SqliteMemory;
use tempfile::TempDir;

/// A clock that only moves when it is told to. The testkit's own would bring the whole of extraction into
/// these tests.
pub struct HandClock(AtomicI64);

impl HandClock {
    pub fn at(moment: UnixMillis) -> Self {
        Self(AtomicI64::new(moment.0))
    }

    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(by.as_millis() as i64, Ordering::Relaxed);
    }
}

impl Clock for HandClock {
    fn now(&self) -> UnixMillis {
        UnixMillis(self.0.load(Ordering::Relaxed))
    }
}

pub struct Place {
    pub folder: TempDir,
    pub store: SqliteMemory,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteMemory::open(&folder.path().join("memory.db")).unwrap();
        Self { folder, store }
    }

    pub fn mirror(&self) -> PathBuf {
        self.folder.path().join("log-mirror")
    }

    /// Logs texts, one a second from `from` on.
    pub fn log(&mut self, kind: EventKind, from: i64, texts: impl IntoIterator<Item = impl Into<String>>) {
        let events: Vec<_> = texts
            .into_iter()
            .enumerate()
            .map(|(number, text)| {
                let time = UnixMillis(from + number as i64 * 1000);
                let draft = EventDraft { time: Some(time), ..EventDraft::new(kind, text) };
                draft.into_event(fresh_id(time).unwrap(), "test", time).unwrap()
            })
            .collect();
        self.store.insert_events(&events).unwrap();
    }
}
