//! Reading what desktops recorded, and nothing but reading.

use std::fs;
use std::path::{Path, PathBuf};

use bethink_core::UnixMillis;
use bethink_store::StoreError;
use bethink_store::sqlite::activity::read_opened;
use rusqlite::Connection;

/// As KDE's activity manager makes it, in what we read of it.
const KACTIVITIES: &str = "CREATE TABLE ResourceScoreCache (usedActivity TEXT, initiatingAgent TEXT, \
     targettedResource TEXT, scoreType INTEGER, cachedScore FLOAT, firstUpdate INTEGER, lastUpdate INTEGER, \
     PRIMARY KEY (usedActivity, initiatingAgent, targettedResource))";

/// As Zeitgeist makes it, in what we read of it.
const ZEITGEIST: &str = "CREATE TABLE uri (id INTEGER PRIMARY KEY, value VARCHAR UNIQUE); \
     CREATE TABLE event (id INTEGER, timestamp INTEGER, interpretation INTEGER, subj_id INTEGER)";

fn opened(file: &Path) -> Vec<(PathBuf, UnixMillis)> {
    read_opened(file).unwrap()
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn kde_records_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("database");
    let connection = Connection::open(&file).unwrap();
    connection.execute_batch(KACTIVITIES).unwrap();
    connection
        .execute_batch(
            "INSERT INTO ResourceScoreCache VALUES \
             ('one', 'kate', '/home/me/notes.md', 0, 1.0, 5, 1700000000), \
             ('two', 'okular', '/home/me/notes.md', 0, 1.0, 5, 1700000100), \
             ('one', 'dolphin', 'file:///home/me/a%20b%C3%A9.pdf', 0, 1.0, 5, 1600000000), \
             ('one', 'firefox', 'https://example.org/x', 0, 1.0, 5, 1600000000), \
             ('one', 'kate', 'applications:org.kde.kate.desktop', 0, 1.0, 5, 1600000000), \
             ('one', 'odd', '/no/time', 0, 1.0, 5, NULL)",
        )
        .unwrap();
    drop(connection);
    let expected = [
        (PathBuf::from("/home/me/a bé.pdf"), UnixMillis(1_600_000_000_000)),
        (PathBuf::from("/home/me/notes.md"), UnixMillis(1_700_000_100_000)),
    ];
    assert_eq!(opened(&file), expected);
}

#[test]
fn zeitgeist_records_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("activity.sqlite");
    let connection = Connection::open(&file).unwrap();
    connection.execute_batch(ZEITGEIST).unwrap();
    connection
        .execute_batch(
            "INSERT INTO uri VALUES (1, 'file:///home/me/a.txt'), (2, 'file://host/home/me/b%zz'), \
             (3, 'application://gedit.desktop'), (4, 'file://host/home/me/c.txt'), (5, x'00ff'); \
             INSERT INTO event VALUES (1, 1600000000123, 1, 1), (2, 1600000000456, 1, 1), (3, 5, 1, 2), (4, 6, 1, 3), \
             (5, 7, 1, 4), (6, 8, 1, 5), (7, 9, 1, 99)",
        )
        .unwrap();
    drop(connection);
    let expected = [
        (PathBuf::from("/home/me/a.txt"), UnixMillis(1_600_000_000_456)),
        (PathBuf::from("/home/me/c.txt"), UnixMillis(7)),
    ];
    assert_eq!(opened(&file), expected);
}

#[test]
fn nothing_is_written_beside_a_desktops_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("database");
    let connection = Connection::open(&file).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    connection.execute_batch(KACTIVITIES).unwrap();
    // While its owner has it open, what is only in the log is read, too.
    connection
        .execute_batch("INSERT INTO ResourceScoreCache VALUES ('one', 'kate', '/home/me/x', 0, 1.0, 5, 7)")
        .unwrap();
    let before = files_in(folder.path());
    assert_eq!(before.len(), 3);
    let expected = [(PathBuf::from("/home/me/x"), UnixMillis(7000))];
    assert_eq!(opened(&file), expected);
    assert_eq!(files_in(folder.path()), before);
    drop(connection);
    assert_eq!(files_in(folder.path()), std::slice::from_ref(&file));
    let bytes = fs::read(&file).unwrap();
    assert_eq!(opened(&file), expected);
    assert_eq!(files_in(folder.path()), std::slice::from_ref(&file));
    assert_eq!(fs::read(&file).unwrap(), bytes);
}

#[test]
fn what_is_not_there_has_recorded_nothing() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(opened(&folder.path().join("missing")), []);
    let other = folder.path().join("other table # ?");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE event (x)").unwrap();
    assert_eq!(opened(&other), []);
    let empty = folder.path().join("empty");
    fs::write(&empty, "").unwrap();
    assert_eq!(opened(&empty), []);
}

#[test]
fn what_is_no_database_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("database");
    fs::write(&file, b"these are just some words ".repeat(100)).unwrap();
    assert!(matches!(read_opened(&file), Err(StoreError::Damaged { .. })));
}
