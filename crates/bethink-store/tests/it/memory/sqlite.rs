//! SQLite under the memory's contract, and what only it can promise.

use std::fs;
use std::path::PathBuf;

use bethink_core::{MemoryId, UnixMillis};
use bethink_store::memory::{MemoryReader, MemoryStoreError, MemoryWriter};
use bethink_store::sqlite::{SqliteIndex, SqliteMemory, SqliteMemoryReader};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{MemoryBackend, event};

/// A memory in a temporary folder that goes with it.
pub struct SqliteMemoryBackend {
    folder: TempDir,
}

impl SqliteMemoryBackend {
    fn file(&self) -> PathBuf {
        self.folder.path().join("memory.db")
    }
}

impl MemoryBackend for SqliteMemoryBackend {
    type Writer = SqliteMemory;
    type Reader = SqliteMemoryReader;

    fn create() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn writer(&self) -> SqliteMemory {
        SqliteMemory::open(&self.file()).unwrap()
    }

    fn reader(&self) -> SqliteMemoryReader {
        SqliteMemoryReader::open(&self.file()).unwrap().unwrap()
    }
}

super::memory_suite!(SqliteMemoryBackend);

#[test]
fn the_database_itself_keeps_the_log_append_only() {
    let place = SqliteMemoryBackend::create();
    let mut writer = place.writer();
    writer.insert_events(&[event(1, 10, "one"), event(2, 20, "two")]).unwrap();
    writer.forget_events(&[MemoryId([2; 16])], UnixMillis(5)).unwrap();
    let stranger = Connection::open(place.file()).unwrap();
    for sql in [
        "UPDATE event SET text = 'x'",
        "UPDATE event SET time = 0 WHERE position = 1",
        "DELETE FROM event",
        "INSERT OR REPLACE INTO event (id, time, kind, device, text) SELECT id, 0, 'other', 'd', 'x' FROM event",
        "INSERT OR REPLACE INTO event (position, id, time, kind, device, text) VALUES (1, zeroblob(16), 0, 'other', 'd', 'x')",
        "REPLACE INTO event (id, time, kind, device, text) SELECT id, 0, 'other', 'd', 'x' FROM tombstone",
        "UPDATE tombstone SET forgotten = 0",
        "DELETE FROM tombstone",
        "REPLACE INTO tombstone SELECT sequence, id, 0 FROM tombstone",
    ] {
        assert!(stranger.execute_batch(sql).is_err(), "{sql}");
    }
    assert_eq!(place.reader().events_after(0, 9, 99).unwrap()[0].event.text, "one");
}

#[test]
fn what_was_forgotten_stands_in_no_byte() {
    let place = SqliteMemoryBackend::create();
    let mut writer = place.writer();
    let events: Vec<_> =
        (1..=200).map(|number| event(number, 1, &format!("{} walnut-{number:03} ", "padding ".repeat(40)))).collect();
    events.chunks(7).for_each(|chunk| drop(writer.insert_events(chunk).unwrap()));
    let odd: Vec<MemoryId> = events.iter().step_by(2).map(|event| event.id).collect();
    assert_eq!(writer.forget_events(&odd, UnixMillis(1)).unwrap(), 100);
    drop(writer);
    let holds = |needle: &str| {
        fs::read_dir(place.folder.path()).unwrap().any(|entry| {
            let bytes = fs::read(entry.unwrap().path()).unwrap();
            bytes.windows(needle.len()).any(|window| window == needle.as_bytes())
        })
    };
    for number in 1..=200 {
        assert_eq!(holds(&format!("walnut-{number:03}")), number % 2 == 0, "{number}");
    }
}

#[test]
fn a_file_that_is_no_memory_is_refused_and_left_alone() {
    let place = SqliteMemoryBackend::create();
    fs::write(place.file(), b"these are my words, not a database, and nobody may delete them").unwrap();
    assert!(matches!(SqliteMemory::open(&place.file()), Err(MemoryStoreError::Damaged { .. })));
    assert!(fs::read(place.file()).unwrap().starts_with(b"these are my words"));
    let other = place.folder.path().join("index.db");
    drop(SqliteIndex::open(&other).unwrap());
    let told = SqliteMemory::open(&other).unwrap_err().to_string();
    assert!(told.contains("another program"), "{told}");
    Connection::open(&other)
        .unwrap()
        .execute_batch("PRAGMA application_id = 1651797357; PRAGMA user_version = 9999")
        .unwrap();
    assert!(matches!(SqliteMemory::open(&other), Err(MemoryStoreError::Newer { found: 9999, .. })));
}

#[test]
fn a_memory_is_readable_by_its_owner_only() {
    let place = SqliteMemoryBackend::create();
    assert!(SqliteMemoryReader::open(&place.file()).unwrap().is_none());
    drop(place.writer());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(place.file()).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn writers_in_many_threads_lose_nothing() {
    let place = SqliteMemoryBackend::create();
    drop(place.writer());
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let mut writer = place.writer();
            scope.spawn(move || {
                for number in 0..20 {
                    let event = event(1 + thread * 20 + number, 1, "one of many");
                    writer.insert_events(&[event]).unwrap();
                }
            });
        }
    });
    assert_eq!(place.reader().log_state().unwrap().events, 80);
}
