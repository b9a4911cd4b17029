//! Files that fail, for a moment or for good (cases F13, F19, L3, L6, L10).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bethink_core::ProblemKind;
use bethink_index::Lexicon;
use bethink_ingest::{Event, Indexer, IngestError, Progress, Stop};
use bethink_store::{IndexReader, Outcome};

use crate::bench::{Bench, word};

#[test]
fn a_poisoned_file_costs_itself_only_and_is_not_tried_for_ever() {
    let mut bench = Bench::new();
    for number in 0..30 {
        bench.write(format!("{number}.md"), format!("note{number}"));
    }
    bench.write("poison.md", "this one crashes the reader");
    let summary = bench.index();
    assert_eq!(summary.indexed, 30);
    assert_eq!(summary.failed[&ProblemKind::Crashed], 1);
    let tried = bench.extracted();
    assert_eq!(bench.index().unchanged, 31);
    fs::File::options()
        .write(true)
        .open(bench.home.path("poison.md"))
        .unwrap()
        .set_modified(std::time::UNIX_EPOCH)
        .unwrap();
    bench.index();
    assert_eq!(bench.extracted(), tried, "the same bytes, whatever their time");
    bench.write("poison.md", "other bytes that crash the reader");
    bench.index();
    assert_eq!(bench.extracted(), tried + 1, "other bytes get their chance");
    bench.extractor.version.fetch_add(1, Ordering::Relaxed);
    bench.index();
    assert_eq!(bench.extracted(), tried + 1 + 31, "and a better extractor reads everything anew");
    let tried = bench.extracted();
    assert_eq!(bench.index().unchanged, 31);
    assert_eq!(bench.extracted(), tried);
}

#[test]
fn a_run_that_was_told_to_try_again_does() {
    let mut bench = Bench::new();
    bench.write("poison.md", "this one crashes the reader");
    bench.write("good.md", "this one does not");
    bench.index();
    let tried = bench.extracted();
    bench.options.retry = true;
    bench.index();
    assert_eq!(bench.extracted(), tried + 1);
}

#[test]
fn new_bytes_that_fail_take_the_old_text_away() {
    let mut bench = Bench::new();
    bench.write("a.md", "alpha");
    bench.index();
    bench.write("a.md", (0..=255u8).cycle().take(5_000).collect::<Vec<u8>>());
    bench.index();
    assert!(bench.found("alpha").is_empty());
    assert!(matches!(bench.document("a.md").outcome, Outcome::Skipped { .. }));
}

/// Whether permissions stop this user; they do not stop root.
fn permissions_hold(path: &std::path::Path) -> bool {
    let holds = fs::read(path).is_err() && fs::read_dir(path).is_err();
    if !holds {
        println!("skipped: this user reads what nobody may read");
    }
    holds
}

#[test]
fn a_file_that_is_unreadable_for_a_moment_keeps_its_text_and_vectors() {
    let mut bench = Bench::new();
    let path = bench.write("a.md", "alpha");
    bench.index();
    let embedded = bench.model.embedded();
    bench.write("a.md", "alpha and beta");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if !permissions_hold(&path) {
        return;
    }
    let summary = bench.index();
    assert_eq!(summary.failed[&ProblemKind::Unreadable], 1);
    assert_eq!(bench.found("alpha"), ["a.md"]);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    bench.write("a.md", "alpha");
    bench.index();
    assert_eq!(bench.document("a.md").outcome, Outcome::Indexed);
    assert_eq!(bench.model.embedded(), embedded);
}

#[test]
fn an_unreadable_folder_keeps_what_is_under_it() {
    let mut bench = Bench::new();
    bench.write("locked/a.md", "alpha");
    bench.write("open/b.md", "beta");
    bench.index();
    let folder = bench.home.path("locked");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).unwrap();
    if !permissions_hold(&folder) {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        return;
    }
    let summary = bench.index();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!((summary.removed, summary.roots[0].kept), (0, 1));
    assert_eq!(bench.found("alpha"), ["locked/a.md"]);
}

#[test]
fn giants_are_found_by_name_only() {
    let mut bench = Bench::new();
    bench.options.file_limit_bytes = 1_000;
    bench.write("big.txt", "x".repeat(1_001));
    bench.write("small.txt", "x".repeat(1_000));
    let sparse = bench.write("disk.img", "");
    fs::File::options().write(true).open(sparse).unwrap().set_len(100 << 30).unwrap();
    let summary = bench.index();
    assert_eq!(summary.skipped[&ProblemKind::Limit], 2);
    assert!(summary.bytes <= 1_000);
    let Outcome::Skipped { detail, .. } = bench.document("disk.img").outcome else { panic!("it is skipped") };
    assert!(detail.contains("sparse"), "{detail}");
    let lexicon = Lexicon::open(&bench.caches.lexicon()).unwrap().unwrap();
    assert_eq!(lexicon.documents(&bethink_text::query_terms("disk"), 10).unwrap().len(), 1);
    assert_eq!(bench.index().unchanged, 3);
    bench.options.file_limit_bytes = 2_000;
    bench.index();
    assert_eq!(bench.document("big.txt").outcome, Outcome::Indexed, "a higher limit is heard");
}

#[test]
fn a_file_larger_than_what_may_be_in_flight_goes_alone() {
    let mut bench = Bench::new();
    bench.options.bytes_in_flight = 100;
    for number in 0..10 {
        bench.write(format!("{number}.txt"), format!("number{number} {}", "word ".repeat(100)));
    }
    assert_eq!(bench.index().indexed, 10);
}

#[test]
fn damaged_and_deleted_caches_are_built_again() {
    let mut bench = Bench::new();
    for number in 0..10 {
        bench.write(format!("{number}.md"), word(number));
    }
    bench.index();
    let embedded = bench.model.embedded();
    fs::remove_dir_all(bench.caches.folder()).unwrap();
    bench.caches = bethink_ingest::Caches::open(bench.caches.folder()).unwrap();
    let done = bench.caches.catch_up(&bench.store, None, &Stop::new()).unwrap().unwrap();
    assert!(done.complete);
    assert_eq!(bench.found(&word(7)), ["7.md"]);
    bench.assert_vectors_are_those_of_live_passages();
    let mut folders: Vec<PathBuf> = vec![bench.caches.lexicon()];
    for tier in bench.store.tiers().unwrap() {
        folders.push(bench.caches.matrix(&tier.model.id));
    }
    for folder in folders {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                fs::write(&path, b"damaged").unwrap();
            }
        }
    }
    bench.index();
    assert_eq!(bench.found(&word(7)), ["7.md"]);
    bench.assert_vectors_are_those_of_live_passages();
    assert_eq!(bench.model.embedded(), embedded, "caches come from the store, not from the model");
}

#[test]
fn caches_of_another_store_are_never_believed() {
    let mut bench = Bench::new();
    bench.write("a.md", "alpha");
    bench.index();
    let database = bench.home.home().join("index.db");
    bench.store = bethink_store::sqlite::SqliteIndex::open(&bench.home.home().join("other.db")).unwrap();
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{ending}", database.display()));
    }
    bench.store = bethink_store::sqlite::SqliteIndex::open(&database).unwrap();
    bench.write("b.md", "beta");
    fs::remove_file(bench.home.path("a.md")).unwrap();
    bench.index();
    assert!(bench.found("alpha").is_empty());
    assert_eq!(bench.found("beta"), ["b.md"]);
    bench.assert_vectors_are_those_of_live_passages();
}

/// Holds the indexer's thread up until the walk has gone as far ahead as it may, then asks for a stop.
struct StopsBehindTheWalk(Stop);

impl Progress for StopsBehindTheWalk {
    fn event(&self, event: Event<'_>) {
        if matches!(event, Event::Walked { .. }) && !self.0.is_requested() {
            // Nobody outside can see that the walk waits. Too short a pause on a slow machine would only
            // make this test easier to pass.
            std::thread::sleep(Duration::from_secs(2));
            self.0.request();
        }
    }
}

#[test]
fn a_stop_ends_a_run_whose_walk_is_far_ahead() {
    /// So long that only a run that hangs takes longer, on any machine.
    const LONGEST: Duration = Duration::from_secs(300);

    let mut bench = Bench::new();
    // More than the walk may be ahead, and what is read before the first news of it.
    for number in 0..4_800 {
        bench.write(format!("{}/{number}.md", number % 50), "a note");
    }
    let (say, hear) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let stop = Stop::new();
        let roots = [bench.home.files()];
        let summary = bench.index_watched(&roots, &StopsBehindTheWalk(stop.clone()), &stop);
        let _ = say.send(summary);
    });
    let summary = hear.recv_timeout(LONGEST).expect("a run that is asked to stop ends");
    assert!(summary.stopped);
    assert!(summary.indexed < 4_800, "{}", summary.indexed);
}

/// Removes a folder as soon as the walk has ended.
struct Removes(PathBuf);

impl Progress for Removes {
    fn event(&self, event: Event<'_>) {
        if matches!(event, Event::WalkEnded { .. }) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }
}

#[test]
fn a_home_that_is_removed_meanwhile_is_named_as_the_trouble() {
    let mut bench = Bench::new();
    for number in 0..50 {
        bench.write(format!("{number}.md"), word(number));
    }
    let (home, roots, options) = (bench.home.home(), [bench.home.files()], bench.options.clone());
    let answer =
        bench.with_parts(|parts| Indexer::new(parts).index(&roots, &options, &Removes(home.clone()), &Stop::new()));
    let Err(error @ IngestError::HomeRemoved { .. }) = answer else { panic!("it is said: {answer:?}") };
    assert!(error.to_string().contains("was removed while"), "{error}");
    let answer = bench.caches.catch_up(&bench.store, None, &Stop::new());
    assert!(matches!(answer, Err(IngestError::HomeRemoved { .. })), "{answer:?}");
    assert!(!home.exists(), "no half a home is left behind");
}

#[test]
fn caches_that_are_removed_meanwhile_are_built_again() {
    let mut bench = Bench::new();
    for number in 0..50 {
        bench.write(format!("{number}.md"), word(number));
    }
    let removes = Removes(bench.caches.folder().to_path_buf());
    let roots = [bench.home.files()];
    bench.index_watched(&roots, &removes, &Stop::new());
    bench.write("more.md", word(70));
    bench.index();
    assert_eq!(bench.found(&word(7)), ["7.md"]);
    assert_eq!(bench.found(&word(70)), ["more.md"]);
    bench.assert_vectors_are_those_of_live_passages();
}
