//! A writer that is killed in the middle of its work loses at most the batch in flight.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use bethink_store::sqlite::SqliteIndex;
use bethink_store::{Batch, IndexReader, IndexWriter};

use crate::contract::Backend;
use crate::contract::sample::{self, publish, text};
use crate::sqlite_backend::SqliteBackend;

const FILE_VARIABLE: &str = "BETHINK_STORE_CRASH_FILE";
const FIRST_VARIABLE: &str = "BETHINK_STORE_CRASH_FIRST";
const ACKNOWLEDGED: &str = "acknowledged ";
const PARTS: usize = 6;

fn path(batch: usize, part: usize) -> String {
    format!("/home/{batch:06}/{part}")
}

fn words(batch: usize, part: usize) -> String {
    (0..20).map(|line| format!("batch {batch} part {part} line {line}\n")).collect()
}

/// The writer that gets killed: adds a batch, removes the one three before it, says so, goes on.
#[test]
#[ignore = "a child process of the other test"]
fn child() {
    let Some(file) = std::env::var_os(FILE_VARIABLE) else { return };
    let first: usize = std::env::var(FIRST_VARIABLE).unwrap().parse().unwrap();
    let mut index = SqliteIndex::open(Path::new(&file)).unwrap();
    let root = sample::root(&mut index);
    for batch in first.. {
        let publications = (0..PARTS).map(|part| text(root, path(batch, part), &words(batch, part))).collect();
        let old = index.documents_under(Some(Path::new(&format!("/home/{:06}", batch.saturating_sub(3)))), None, 99);
        let removals = old.unwrap().into_iter().map(|document| document.id).collect();
        index.apply(&Batch { removals, ..publish(publications) }).unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "{ACKNOWLEDGED}{batch}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn a_killed_writer_loses_at_most_the_batch_in_flight() {
    let place = SqliteBackend::create();
    drop(place.writer());
    let mut first = 1;
    for round in 0..25_usize {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["crash::child", "--exact", "--ignored", "--nocapture"])
            .env(FILE_VARIABLE, place.file())
            .env(FIRST_VARIABLE, first.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        // The harness may put its own words before ours on a line.
        let batch_of = |line: &str| line.split_once(ACKNOWLEDGED).map(|(_, batch)| batch.parse::<usize>().unwrap());
        // After one to five batches, at whatever point of the next one the kill then meets.
        let mut acknowledged = None;
        for _ in 0..=round % 5 {
            acknowledged = lines.by_ref().find_map(|line| batch_of(&line.unwrap()));
        }
        writer.kill().unwrap();
        // What it had said before it died was said, too.
        let rest = lines.map_while(Result::ok).filter_map(|line| batch_of(&line)).last();
        writer.wait().unwrap();
        let acknowledged = rest.or(acknowledged).unwrap();

        let reader = place.reader();
        let whole = |batch: usize| {
            let folder = format!("/home/{batch:06}");
            let documents = reader.documents_under(Some(Path::new(&folder)), None, 99).unwrap();
            for (part, document) in documents.iter().enumerate() {
                assert_eq!(document.path, Path::new(&path(batch, part)));
                assert_eq!(sample::text_of(&reader, document.content.unwrap()), words(batch, part));
            }
            assert!(documents.is_empty() || documents.len() == PARTS, "part of batch {batch} is there");
            documents.len() == PARTS
        };
        assert!(whole(acknowledged), "batch {acknowledged} was acknowledged and is lost");
        assert!(!whole(acknowledged + 2));
        let in_flight = whole(acknowledged + 1);
        let live = reader.statistics(None).unwrap();
        assert_eq!((live.documents % PARTS as u64, live.documents), (0, live.contents));
        assert!(live.documents <= 4 * PARTS as u64, "a batch was added without its removals");
        first = acknowledged + 1 + usize::from(in_flight);
    }
}
