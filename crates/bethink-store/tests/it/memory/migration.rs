//! A memory that an earlier bethink left is brought up with everything that is in it.

use std::path::Path;

use bethink_core::{MemoryId, UnixMillis};
use bethink_store::memory::{Access, EventFilter, MemoryReader, MemoryWriter, NoteFilter};
use bethink_store::sqlite::{SqliteMemory, SqliteMemoryReader};
use rusqlite::Connection;

/// The migrations as they were released. One that was released never changes.
const MIGRATIONS: [&str; 3] = [
    include_str!("../../../src/sqlite/memory/migrations/001-log.sql"),
    include_str!("../../../src/sqlite/memory/migrations/002-notebook.sql"),
    include_str!("../../../src/sqlite/memory/migrations/003-access.sql"),
];

/// A memory as the bethink of that version left it.
fn memory_of_version(file: &Path, version: usize) {
    let connection = Connection::open(file).unwrap();
    connection.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    MIGRATIONS[..version].iter().for_each(|migration| connection.execute_batch(migration).unwrap());
    connection.pragma_update(None, "user_version", version as i64).unwrap();
    connection
        .execute_batch(
            "INSERT INTO event (position, id, time, kind, device, text) VALUES \
                 (3, zeroblob(16), 500, 'journal', 'old', 'kept'), \
                 (4, CAST('0123456789abcdef' AS BLOB), 600, 'call', 'old', 'also kept'); \
             INSERT INTO tombstone (id, forgotten) VALUES (CAST('fedcba9876543210' AS BLOB), 9);",
        )
        .unwrap();
    if version >= 2 {
        connection
            .execute_batch(
                "INSERT INTO person VALUES (CAST('person0000000001' AS BLOB), 'Anna', 1, 1); \
                 INSERT INTO person_name VALUES ('anna', CAST('person0000000001' AS BLOB), 'Anna'); \
                 INSERT INTO note (id, kind, identity, person, noted, created, updated, version, user_edited, title, tags, body) \
                     VALUES (CAST('note000000000001' AS BLOB), 'person', 'anna', CAST('person0000000001' AS BLOB), 5, 5, 5, 1, 1, \
                     'Anna', 'friend', 'likes trams'); \
                 INSERT INTO revision (note, version, recorded, author, title, tags, body) \
                     VALUES (1, 1, 5, 'owner', 'Anna', 'friend', 'likes trams'); \
                 INSERT INTO note_term VALUES ('tram', 1, 1);",
            )
            .unwrap();
    }
    if version >= 3 {
        connection
            .execute_batch("INSERT INTO access (time, tool, arguments, answered) VALUES (7, 'pin', '{}', 'x')")
            .unwrap();
    }
}

fn check(memory: &impl MemoryReader, version: usize) {
    let events = memory.newest_events(&EventFilter::default(), None, 9).unwrap();
    let texts: Vec<&str> = events.iter().map(|event| event.event.text.as_str()).collect();
    assert_eq!(texts, ["also kept", "kept"], "version {version}");
    assert_eq!(memory.tombstones_after(0, 9).unwrap()[0].id, MemoryId(*b"fedcba9876543210"));
    let notes = memory.notes(&NoteFilter::default(), Some(&["tram".to_owned()]), 9).unwrap();
    assert_eq!(notes.len(), usize::from(version >= 2));
    if let Some(found) = notes.first() {
        assert_eq!((found.note.content.body.as_str(), found.note.user_edited), ("likes trams", true));
        assert_eq!(memory.history(found.note.id).unwrap().len(), 1);
        assert_eq!(memory.people_named("anna").unwrap()[0].name, "Anna");
    }
    assert_eq!(memory.accesses(9).unwrap().len(), usize::from(version >= 3));
    assert_eq!(memory.check_integrity().unwrap(), Vec::<String>::new());
}

#[test]
fn every_earlier_version_is_brought_up_with_its_data() {
    for version in 1..=MIGRATIONS.len() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("memory.db");
        memory_of_version(&file, version);
        // A question brings it up just as a write does.
        check(&SqliteMemoryReader::open(&file).unwrap().unwrap(), version);
        let mut memory = SqliteMemory::open(&file).unwrap();
        check(&memory, version);
        let access =
            Access { time: UnixMillis(8), tool: "remember".to_owned(), arguments: String::new(), answered: Vec::new() };
        memory.record_access(&access).unwrap();
        assert_eq!(memory.accesses(1).unwrap(), [access]);
    }
}
