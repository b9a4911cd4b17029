//! Several handles on one database at once: nobody fails, nobody sees half a batch.

use std::collections::HashSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use bethink_core::{PassageId, UnixMillis};
use bethink_store::sqlite::{SqliteIndex, SqliteIndexReader};
use bethink_store::{DEFAULT_LEASE, IndexReader, IndexWriter, NewVector};

use crate::contract::Backend;
use crate::contract::sample::{self, publish, text};
use crate::sqlite_backend::SqliteBackend;

#[test]
fn many_open_one_new_database_at_once() {
    for _ in 0..10 {
        let place = SqliteBackend::create();
        let (file, start) = (place.file(), Barrier::new(6));
        let identities: HashSet<_> = thread::scope(|scope| {
            let openers: Vec<_> = (0..6)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        SqliteIndex::open(&file).unwrap().store_id().unwrap()
                    })
                })
                .collect();
            openers.into_iter().map(|opener| opener.join().unwrap()).collect()
        });
        assert_eq!(identities.len(), 1);
    }
}

#[test]
fn a_reader_beside_the_first_writer_sees_nothing_or_everything() {
    for _ in 0..10 {
        let place = SqliteBackend::create();
        let (file, start) = (place.file(), Barrier::new(2));
        thread::scope(|scope| {
            scope.spawn(|| {
                start.wait();
                SqliteIndex::open(&file).unwrap();
            });
            start.wait();
            while SqliteIndexReader::open(&file).unwrap().is_none() {
                thread::yield_now();
            }
            let reader = SqliteIndexReader::open(&file).unwrap().unwrap();
            assert_eq!(reader.sequence().unwrap().0, 0);
        });
    }
}

#[test]
fn four_writers_and_four_readers_end_well() {
    const BATCHES: usize = 25;
    let place = SqliteBackend::create();
    let root = sample::root(&mut place.writer());
    let (file, done) = (place.file(), AtomicBool::new(false));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    // A new process for each query, as far as the database can tell.
                    let reader = SqliteIndexReader::open(&file).unwrap().unwrap();
                    for document in reader.documents_under(None, None, 8).unwrap() {
                        assert_eq!(sample::text_of(&reader, document.content.unwrap()).lines().count(), 2);
                    }
                    // A batch is four documents: never a part of them.
                    assert_eq!(reader.statistics(None).unwrap().documents % 4, 0);
                }
            });
        }
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let file = &file;
                scope.spawn(move || {
                    let mut index = SqliteIndex::open(file).unwrap();
                    for batch in 0..BATCHES {
                        let publications = (0..4).map(|part| {
                            let name = format!("{writer}/{batch}/{part}");
                            text(root, format!("/home/{name}"), &format!("{name}\nof writer {writer}\n"))
                        });
                        index.apply(&publish(publications.collect())).unwrap();
                    }
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(place.reader().statistics(None).unwrap().documents, 4 * 4 * BATCHES as u64);
}

#[test]
fn workers_share_the_queue_without_doubling() {
    let place = SqliteBackend::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    let model = sample::model("static");
    writer.register_model(&model).unwrap();
    let lines: String = (0..300).map(|line| format!("line {line}\n")).collect();
    writer.apply(&publish(vec![text(root, "/home/long", &lines)])).unwrap();
    let file = place.file();
    let claimed: Vec<PassageId> = thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut index = SqliteIndex::open(&file).unwrap();
                    let mut claimed = Vec::new();
                    loop {
                        let claim = index.claim_embeddings(&model.id, 7, UnixMillis(5), DEFAULT_LEASE).unwrap();
                        if claim.tasks.is_empty() {
                            return claimed;
                        }
                        let vectors: Vec<NewVector> = claim
                            .tasks
                            .iter()
                            .map(|task| NewVector {
                                passage: task.passage,
                                key: task.key,
                                vector: Ok(sample::vector(task.key)),
                            })
                            .collect();
                        claimed.extend(claim.tasks.iter().map(|task| task.passage));
                        assert_eq!(index.publish_vectors(&claim, &vectors).unwrap(), vectors.len() as u64);
                    }
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert_eq!((claimed.len(), claimed.iter().collect::<HashSet<_>>().len()), (300, 300));
    assert_eq!(writer.tiers().unwrap()[0].done, 300);
}

#[test]
fn purging_beside_readers_and_a_writer_ends_well() {
    let place = SqliteBackend::create();
    let root = sample::root(&mut place.writer());
    let (file, done) = (place.file(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let reader = SqliteIndexReader::open(&file).unwrap().unwrap();
                reader.statistics(None).unwrap();
            }
        });
        let writer = scope.spawn(|| {
            let mut index = SqliteIndex::open(&file).unwrap();
            for round in 0..40 {
                index.apply(&publish(vec![text(root, "/home/a", &format!("round {round}\n"))])).unwrap();
            }
        });
        let mut index = SqliteIndex::open(&file).unwrap();
        for _ in 0..10 {
            index.compact().unwrap();
        }
        writer.join().unwrap();
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(place.reader().statistics(None).unwrap().contents, 1);
}

const FILE_VARIABLE: &str = "BETHINK_STORE_WRITER_FILE";
const NUMBER_VARIABLE: &str = "BETHINK_STORE_WRITER_NUMBER";
const BATCHES_OF_A_PROCESS: usize = 30;

/// One of several processes that write at once: each opens, publishes, edits, removes and embeds.
#[test]
#[ignore = "a child process of the other test"]
fn child() {
    let Some(file) = std::env::var_os(FILE_VARIABLE) else { return };
    let number = std::env::var(NUMBER_VARIABLE).unwrap();
    let mut index = SqliteIndex::open(file.as_ref()).unwrap();
    let root = sample::root(&mut index);
    let model = sample::model("static");
    index.register_model(&model).unwrap();
    for batch in 0..BATCHES_OF_A_PROCESS {
        let publications = (0..3).map(|part| {
            let name = format!("{batch} {part}\nshared by all\n");
            text(root, format!("/home/{number}/{batch}/{part}"), &name)
        });
        index.apply(&publish(publications.collect())).unwrap();
        let document = sample::document(&index, format!("/home/{number}/{batch}/0"));
        index.apply(&bethink_store::Batch { removals: vec![document], ..Default::default() }).unwrap();
        let claim = index.claim_embeddings(&model.id, 4, UnixMillis(7), DEFAULT_LEASE).unwrap();
        let vectors: Vec<NewVector> = claim
            .tasks
            .iter()
            .map(|task| NewVector { passage: task.passage, key: task.key, vector: Ok(sample::vector(task.key)) })
            .collect();
        match index.publish_vectors(&claim, &vectors) {
            // Another process may have removed every passage of the claim.
            Ok(_) | Err(bethink_store::StoreError::Superseded) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn four_processes_make_and_fill_one_index() {
    let place = SqliteBackend::create();
    let writers: Vec<_> = (0..4)
        .map(|number: usize| {
            std::process::Command::new(std::env::current_exe().unwrap())
                .args(["concurrency::child", "--exact", "--ignored", "--nocapture"])
                .env(FILE_VARIABLE, place.file())
                .env(NUMBER_VARIABLE, number.to_string())
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let mut writer = place.writer();
    let model = sample::model("static");
    let statistics = writer.statistics(None).unwrap();
    assert_eq!(statistics.documents, (4 * 2 * BATCHES_OF_A_PROCESS) as u64);
    // All processes write the same texts, so they share their contents.
    assert_eq!(statistics.contents, (2 * BATCHES_OF_A_PROCESS) as u64);
    let late = UnixMillis(1_000_000);
    let rest = writer.claim_embeddings(&model.id, 1000, late, DEFAULT_LEASE).unwrap();
    writer.release_claim(&rest).unwrap();
    sample::embed_all(&mut writer, &model);
    assert_eq!(writer.tiers().unwrap()[0].done, statistics.passages);
}
