//! After a purge no deleted word is left in any byte of the index.

use std::fs;
use std::path::{Path, PathBuf};

use bethink_store::sqlite::SqliteIndex;
use bethink_store::{Batch, IndexReader, IndexWriter, Move};

use crate::contract::Backend;
use crate::contract::sample::{self, publish, text};
use crate::sqlite_backend::SqliteBackend;

const CANARY: &str = "canary7Q";

/// How often the canary stands in the files of the index.
fn canaries(file: &Path) -> usize {
    let needle = CANARY.as_bytes();
    fs::read_dir(file.parent().unwrap())
        .unwrap()
        .map(|entry| {
            let bytes = fs::read(entry.unwrap().path()).unwrap();
            bytes.windows(needle.len()).filter(|window| *window == needle).count()
        })
        .sum()
}

/// Words of many lengths, so that pages split and merge and long rows overflow.
fn words(file: usize) -> String {
    let long = format!("{CANARY} ").repeat(file * 37 % 900);
    format!("heading {file}\n{CANARY} in file {file}\n{long}\nlast {file}\n")
}

fn index_with_canaries(place: &SqliteBackend) -> SqliteIndex {
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    let model = sample::model("static");
    writer.register_model(&model).unwrap();
    for batch in 0..15 {
        let publications = (0..20).map(|part| {
            let file = batch * 20 + part;
            if file % 2 == 0 {
                text(root, format!("/home/{CANARY}/{file}"), &words(file))
            } else {
                text(root, format!("/home/kept/{file}"), &format!("kept {file}\n").repeat(file % 50 + 1))
            }
        });
        writer.apply(&publish(publications.collect())).unwrap();
    }
    writer
}

fn remove_canaries(writer: &mut SqliteIndex) {
    let folder = PathBuf::from(format!("/home/{CANARY}"));
    let documents = writer.documents_under(Some(&folder), None, 1000).unwrap();
    assert_eq!(documents.len(), 150);
    for some in documents.chunks(7) {
        let removals = some.iter().map(|document| document.id).collect();
        writer.apply(&Batch { removals, ..Batch::default() }).unwrap();
    }
}

#[test]
fn deleted_words_are_in_no_byte_of_the_files() {
    let place = SqliteBackend::create();
    let mut writer = index_with_canaries(&place);
    assert!(canaries(&place.file()) > 1000);
    let bytes_before = writer.statistics(None).unwrap().database_bytes;
    remove_canaries(&mut writer);
    let reader = place.reader();
    writer.compact().unwrap();
    assert_eq!(canaries(&place.file()), 0);
    let statistics = reader.statistics(None).unwrap();
    assert_eq!(statistics.documents, 150);
    assert!(statistics.database_bytes < bytes_before / 2);
    // And what stays is as it was.
    for document in reader.documents_under(None, None, 1000).unwrap() {
        assert!(sample::text_of(&reader, document.content.unwrap()).starts_with("kept "));
    }
}

#[test]
fn an_edited_and_a_moved_file_leave_nothing_either() {
    let place = SqliteBackend::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    writer.apply(&publish(vec![text(root, format!("/home/{CANARY}"), &words(8))])).unwrap();
    writer.apply(&publish(vec![text(root, format!("/home/{CANARY}"), "clean\n")])).unwrap();
    let document = sample::document(&writer, format!("/home/{CANARY}"));
    let moved = Move { document, root, path: PathBuf::from("/home/clean"), stamp: sample::stamp(1, 1) };
    writer.apply(&Batch { moves: vec![moved], ..Batch::default() }).unwrap();
    writer.compact().unwrap();
    assert_eq!(canaries(&place.file()), 0);
    assert_eq!(sample::text_of(&writer, sample::content(&writer, "/home/clean")), "clean\n");
}

/// Names in an order that splits pages in their middle, so that rows are copied from page to page;
/// zeroing a deleted row does not reach the copies.
#[test]
fn copies_of_rows_that_moved_between_pages_go_too() {
    const NAMES: usize = 9000;
    // Prime, so that every name comes once, far from the one before it.
    const STRIDE: usize = 7919;
    let place = SqliteBackend::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    let numbers: Vec<usize> = (0..NAMES).map(|number| number * STRIDE % NAMES).collect();
    for some in numbers.chunks(20) {
        let publications = some.iter().map(|number| {
            let word = if number % 3 == 0 { CANARY } else { "keptword" };
            let path = format!("/home/{number:05}{}/{word}", "-".repeat(number % 40));
            sample::skipped(root, path, bethink_core::ProblemKind::Empty)
        });
        writer.apply(&publish(publications.collect())).unwrap();
    }
    let documents = writer.documents_under(None, None, NAMES).unwrap();
    let unwanted = documents.iter().filter(|document| document.path.ends_with(CANARY));
    let unwanted: Vec<_> = unwanted.map(|document| document.id).collect();
    assert_eq!(unwanted.len(), NAMES / 3);
    for some in unwanted.chunks(50) {
        writer.apply(&Batch { removals: some.to_vec(), ..Batch::default() }).unwrap();
    }
    // All is deleted and the log is empty, and still the word is there: that is what the purge is for.
    let raw = rusqlite::Connection::open(place.file()).unwrap();
    raw.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(raw);
    assert!(canaries(&place.file()) > 0);
    writer.compact().unwrap();
    assert_eq!(canaries(&place.file()), 0);
    assert_eq!(writer.statistics(None).unwrap().documents, (NAMES - NAMES / 3) as u64);
}

#[test]
fn a_forgotten_root_leaves_nothing() {
    let place = SqliteBackend::create();
    let mut writer = place.writer();
    let root = writer.add_root(Path::new(&format!("/{CANARY}"))).unwrap().id;
    let kept = writer.add_root(Path::new("/kept")).unwrap().id;
    let publications = (0..30).map(|file| text(root, format!("/{CANARY}/{file}"), &words(file)));
    writer.apply(&publish(publications.collect())).unwrap();
    writer.apply(&publish(vec![text(kept, "/kept/a", "kept\n")])).unwrap();
    writer.forget_root(root).unwrap();
    writer.compact().unwrap();
    assert_eq!(canaries(&place.file()), 0);
    assert_eq!(writer.statistics(None).unwrap().documents, 1);
}

#[test]
fn the_log_stays_bounded_while_writing() {
    const LOG_LIMIT_BYTES: u64 = 32 << 20;
    let place = SqliteBackend::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    let log = place.file().with_file_name("index.db-wal");
    for round in 0..60 {
        let publications = (0..20).map(|file| {
            let line = format!("round {round} file {file} some words that fill a line of text up\n");
            text(root, format!("/home/{round}/{file}"), &line.repeat(500))
        });
        writer.apply(&publish(publications.collect())).unwrap();
        assert!(fs::metadata(&log).map_or(0, |metadata| metadata.len()) < LOG_LIMIT_BYTES);
    }
    writer.compact().unwrap();
    assert_eq!(fs::metadata(&log).map_or(0, |metadata| metadata.len()), 0);
}
