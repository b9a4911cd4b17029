//! Files that are not what we wrote: told in an error, never in a panic, never in a wrong answer's place.

use std::fs;
use std::path::Path;

use bethink_core::{ContentId, Sequence};
use bethink_store::sqlite::{SqliteIndex, SqliteIndexReader};
use bethink_store::{IndexReader, IndexWriter, StoreError};
use proptest::prelude::*;
use rusqlite::Connection;

use crate::contract::Backend;
use crate::contract::sample::{self, publish, text};
use crate::sqlite_backend::SqliteBackend;

fn filled() -> SqliteBackend {
    let place = SqliteBackend::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    let model = sample::model("static");
    writer.register_model(&model).unwrap();
    let publications = (0..60).map(|file| {
        let words: String = (0..20).map(|line| format!("file {file} line {line} with some words in it\n")).collect();
        text(root, format!("/home/{file}"), &words)
    });
    writer.apply(&publish(publications.collect())).unwrap();
    sample::embed_all(&mut writer, &model);
    writer.compact().unwrap();
    drop(writer);
    place
}

#[test]
fn nothing_is_there_yet() {
    let place = SqliteBackend::create();
    assert!(SqliteIndexReader::open(&place.file()).unwrap().is_none());
    assert!(!place.file().exists());
    fs::write(place.file(), "").unwrap();
    assert!(SqliteIndexReader::open(&place.file()).unwrap().is_none());
    // An empty file is as good as none.
    SqliteIndex::open(&place.file()).unwrap();
    assert!(SqliteIndexReader::open(&place.file()).unwrap().is_some());
}

#[test]
fn what_is_no_database_is_damaged() {
    let place = SqliteBackend::create();
    for bytes in [&b"not a database, but long enough to be looked at as one: ".repeat(40)[..], b"short", &[0; 5000]] {
        fs::write(place.file(), bytes).unwrap();
        for error in
            [SqliteIndex::open(&place.file()).err().unwrap(), SqliteIndexReader::open(&place.file()).err().unwrap()]
        {
            assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
        }
        assert_eq!(fs::read(place.file()).unwrap(), bytes, "a file that is not ours was changed");
    }
}

#[test]
fn another_programs_database_is_left_alone() {
    let place = SqliteBackend::create();
    Connection::open(place.file()).unwrap().execute_batch("CREATE TABLE theirs (words TEXT)").unwrap();
    let bytes = fs::read(place.file()).unwrap();
    assert!(matches!(SqliteIndex::open(&place.file()), Err(StoreError::Damaged { .. })));
    assert!(matches!(SqliteIndexReader::open(&place.file()), Err(StoreError::Damaged { .. })));
    assert_eq!(fs::read(place.file()).unwrap(), bytes);
}

#[test]
fn a_newer_database_is_left_alone() {
    let place = filled();
    Connection::open(place.file()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let newer = |error| matches!(error, Some(StoreError::Newer { found: 99, .. }));
    assert!(newer(SqliteIndex::open(&place.file()).err()));
    assert!(newer(SqliteIndexReader::open(&place.file()).err()));
}

#[test]
fn a_folder_in_the_way_is_an_error() {
    let place = SqliteBackend::create();
    fs::create_dir(place.file()).unwrap();
    assert!(matches!(SqliteIndex::open(&place.file()), Err(StoreError::Open { .. })));
    assert!(SqliteIndexReader::open(&place.file()).is_err());
}

/// Asks everything, and comes back whatever the answers are.
fn ask_everything(file: &Path) -> Result<(), StoreError> {
    let Some(reader) = SqliteIndexReader::open(file)? else { return Ok(()) };
    reader.store_id()?;
    reader.roots()?;
    reader.tiers()?;
    reader.changes_after(Sequence(0), 1000)?;
    for content in reader.contents_after(ContentId(0), 1000)? {
        reader.content(content)?;
        let passages: Vec<_> = reader.passages_of(content)?.iter().map(|passage| passage.id).collect();
        reader.passages(&passages)?;
        reader.vectors_of(&sample::model("static").id, &passages)?;
    }
    for document in reader.documents_under(None, None, 1000)? {
        reader.find_document_at(&document.path)?;
    }
    reader.documents_with_trouble(None, 10)?;
    reader.vectors_after(&sample::model("static").id, Sequence(0), 1000)?;
    reader.statistics(None)?;
    drop(reader);
    let mut writer = SqliteIndex::open(file)?;
    let root = writer.add_root(Path::new("/home"))?.id;
    writer.apply(&publish(vec![text(root, "/home/3", "new words\n"), text(root, "/home/x", "more\n")]))?;
    writer.forget_root(root)?;
    writer.compact()
}

#[test]
fn damage_anywhere_ends_in_an_error_or_an_answer() {
    let place = filled();
    let whole = fs::read(place.file()).unwrap();
    ask_everything(&place.file()).unwrap();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let strategy = prop::collection::vec((0..whole.len(), any::<u8>(), 1..200_usize), 1..6);
    let damaged = std::cell::Cell::new(0_usize);
    let outcome = runner.run(&(strategy, any::<bool>(), 0..whole.len()), |(spots, cut, length)| {
        let case = SqliteBackend::create();
        let mut bytes = whole.clone();
        for (at, byte, run) in spots {
            let end = (at + run).min(bytes.len());
            bytes[at..end].fill(byte);
        }
        if cut {
            bytes.truncate(length);
        }
        fs::write(case.file(), bytes).unwrap();
        if let Err(error) = ask_everything(&case.file()) {
            damaged.set(damaged.get() + usize::from(matches!(error, StoreError::Damaged { .. })));
            let told = error.to_string();
            prop_assert!(!told.contains("some words"), "an error quotes content: {told}");
        }
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    assert!(damaged.get() > 0, "no damage was found in any of the damaged files");
}

#[test]
fn rows_that_decode_to_nothing_are_damage() {
    for sql in [
        "UPDATE document SET outcome = 7",
        "UPDATE document SET outcome = 1, kind = 'unheard of'",
        "UPDATE root SET state = 9",
        "UPDATE content SET format = 'tape'",
        "UPDATE content SET problems = x'ff'",
        "UPDATE content SET lines = -1",
        "UPDATE passage SET heading = x'05'",
        "UPDATE passage SET locator = x'63'",
        "UPDATE passage SET start_byte = -4",
        "UPDATE vector SET data = x'00'",
        "UPDATE model SET tier = 5",
        "UPDATE change SET kind = 5",
        "DELETE FROM meta",
        "DROP TABLE vector",
    ] {
        let place = filled();
        let connection = Connection::open(place.file()).unwrap();
        connection.execute_batch(sql).unwrap();
        drop(connection);
        let error = ask_everything(&place.file()).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{sql}: {error:?}");
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let place = SqliteBackend::create();
    let file = place.file().with_file_name("new folder").join("index.db");
    let mut writer = SqliteIndex::open(&file).unwrap();
    writer.add_root(Path::new("/home")).unwrap();
    let folder = file.parent().unwrap();
    assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
    let names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()).collect();
    assert!(names.len() >= 2, "the log is not beside the database");
    for entry in names {
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o077, 0, "{:?}", entry.file_name());
    }
}

#[test]
fn a_log_left_of_a_deleted_database_is_no_data() {
    let place = SqliteBackend::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    writer.apply(&publish(vec![text(root, "/home/a", "old words\n")])).unwrap();
    let old = writer.store_id().unwrap();
    // As a killed process leaves it, and then somebody deletes the database, but not the log.
    let other = SqliteBackend::create();
    for name in ["index.db-wal", "index.db-shm"] {
        fs::copy(place.file().with_file_name(name), other.file().with_file_name(name)).unwrap();
    }
    assert!(SqliteIndexReader::open(&other.file()).unwrap().is_none());
    let fresh = SqliteIndex::open(&other.file()).unwrap();
    assert_ne!(fresh.store_id().unwrap(), old);
    assert_eq!(fresh.statistics(None).unwrap().documents, 0);
}

#[test]
fn a_database_copied_with_its_log_is_whole() {
    let place = SqliteBackend::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    writer.apply(&publish(vec![text(root, "/home/a", "words\n")])).unwrap();
    let other = SqliteBackend::create();
    for name in ["index.db", "index.db-wal"] {
        fs::copy(place.file().with_file_name(name), other.file().with_file_name(name)).unwrap();
    }
    let reader = other.reader();
    assert_eq!(sample::text_of(&reader, sample::content(&reader, "/home/a")), "words\n");
}
