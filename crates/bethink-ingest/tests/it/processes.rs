//! Several processes on one home (cases F6, L9): this test program, run again as a child.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bethink_core::SystemClock;
use bethink_extract::{Extractor, ExtractorSettings};
use bethink_ingest::{Caches, Event, IndexOptions, Indexer, IndexerParts, Progress, Stop};
use bethink_store::IndexReader;
use bethink_store::sqlite::{SqliteIndex, SqliteIndexReader};
use bethink_testkit::HashEmbedder;

use crate::bench::{Bench, word};

/// The environment in which the child finds its home and its files, one path a line.
const CHILD: &str = "BETHINK_TEST_CHILD";

/// Starts a process that indexes and prints a line for each batch.
pub fn index_in_child(home: &Path, files: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "processes::child", "--ignored", "--nocapture", "--test-threads=1"])
        .env(CHILD, format!("{}\n{}", home.display(), files.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The lines that a child says of its progress.
pub fn lines(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let stdout = child.stdout.take().unwrap();
    BufReader::new(stdout).lines().map_while(Result::ok).filter(|line| line.starts_with("child "))
}

struct Told;

impl Progress for Told {
    fn event(&self, event: Event<'_>) {
        let line = match event {
            Event::Committed { files, .. } => format!("child committed {files}"),
            Event::WaitingForOther => "child waiting".to_owned(),
            Event::Embedded { done, .. } => format!("child embedded {done}"),
            Event::Phase(phase) => format!("child {phase:?}"),
            _ => return,
        };
        // The parent may have heard enough.
        let _ = writeln!(std::io::stdout(), "{line}");
    }
}

#[test]
#[ignore = "is run as a child process by other tests"]
fn child() {
    let places = std::env::var(CHILD).expect("only other tests run this one");
    let (home, files) = places.split_once('\n').unwrap();
    let (home, files) = (PathBuf::from(home), PathBuf::from(files));
    let mut store = SqliteIndex::open(&home.join("index.db")).unwrap();
    let caches = Caches::open(&home.join("cache")).unwrap();
    let extractor = Extractor::new(ExtractorSettings::default());
    let model = HashEmbedder::of_words();
    let parts = IndexerParts {
        store: &mut store,
        caches: &caches,
        home: &home,
        extracting: &extractor,
        embedders: &[&model],
        clock: &SystemClock,
    };
    let options = IndexOptions { cache_interval: Duration::ZERO, batch_files: 5, ..IndexOptions::default() };
    let summary = Indexer::new(parts).index(&[files], &options, &Told, &Stop::new()).unwrap();
    println!("child done {} {}", summary.indexed, summary.unchanged);
}

fn write_notes(bench: &Bench, count: usize) {
    for number in 0..count {
        bench.write(format!("{}/{number}.md", number % 7), format!("# Note {number}\n\n{} of many\n", word(number)));
    }
}

#[test]
fn two_indexers_and_readers_at_once_all_end_well() {
    let mut bench = Bench::new();
    write_notes(&bench, 120);
    let (home, files) = (bench.home.home(), bench.home.files());
    let mut children = [index_in_child(&home, &files), index_in_child(&home, &files)];
    let mut heard = Vec::new();
    for child in &mut children {
        for line in lines(child) {
            // A reader beside two writers sees one consistent state and no lock.
            let reader = SqliteIndexReader::open(&home.join("index.db")).unwrap().expect("the store is there");
            let statistics = reader.statistics(None).unwrap();
            assert_eq!(statistics.indexed, statistics.documents);
            bethink_index::Lexicon::open(&bench.caches.lexicon()).unwrap();
            heard.push(line);
        }
    }
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let done: Vec<&String> = heard.iter().filter(|line| line.starts_with("child done")).collect();
    assert_eq!(done.len(), 2);
    assert!(done.iter().any(|line| *line == "child done 120 0"), "{done:?}");
    assert!(done.iter().any(|line| *line == "child done 0 120"), "{done:?}");
    assert_eq!(bench.index().unchanged, 120);
    assert_eq!(bench.found(&word(77)), ["0/77.md"]);
    bench.assert_vectors_are_those_of_live_passages();
}
