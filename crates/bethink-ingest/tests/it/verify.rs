//! What the disk says before a hit is shown (case F17).

use std::fs;

use bethink_ingest::{DiskVerifier, FILE_LIMIT_BYTES, FileVerdict, Refreshed, Rules, Stop, refresh};
use bethink_store::{DocumentRecord, Outcome};

use crate::bench::Bench;

fn verdict(bench: &Bench, document: &DocumentRecord) -> FileVerdict {
    let rules = Rules::new(&bench.home.home());
    DiskVerifier::new(&bench.store, &rules, &bench.clock, None).unwrap().verify(document)
}

fn refreshed(bench: &mut Bench, document: &DocumentRecord, verdict: &FileVerdict) -> Refreshed {
    let answer =
        refresh(&mut bench.store, &bench.extractor, &bench.clock, document, verdict, FILE_LIMIT_BYTES).unwrap();
    bench.caches.catch_up(&bench.store, None, &Stop::new()).unwrap().unwrap();
    answer
}

#[test]
fn each_fate_of_a_file_is_told() {
    let mut bench = Bench::new();
    for name in ["same", "edited", "touched", "renamed", "deleted", "wasted"] {
        bench.write(format!("folder/{name}.md"), format!("{name} words"));
    }
    bench.write("was/deep/inside.md", "inside words");
    bench.write("copied.md", "copied words");
    bench.write("copy.md", "copied words");
    bench.index();
    let known = |bench: &Bench, name: &str| bench.document(&format!("folder/{name}.md"));

    let same = known(&bench, "same");
    assert_eq!(verdict(&bench, &same), FileVerdict::Current);

    let touched = known(&bench, "touched");
    let file = fs::File::options().write(true).open(&touched.path).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(verdict(&bench, &touched), FileVerdict::Current, "the bytes decide");

    let edited = known(&bench, "edited");
    bench.write("folder/edited.md", "other words");
    assert_eq!(verdict(&bench, &edited), FileVerdict::Changed);

    let renamed = known(&bench, "renamed");
    let renamed_to = bench.home.path("folder/a new name.md");
    fs::rename(&renamed.path, &renamed_to).unwrap();
    assert_eq!(verdict(&bench, &renamed), FileVerdict::Moved(renamed_to));

    let deleted = known(&bench, "deleted");
    fs::remove_file(&deleted.path).unwrap();
    assert_eq!(verdict(&bench, &deleted), FileVerdict::Gone);

    let wasted = known(&bench, "wasted");
    fs::create_dir(bench.home.path(".Trash-1000")).unwrap();
    fs::rename(&wasted.path, bench.home.path(".Trash-1000/wasted.md")).unwrap();
    assert_eq!(verdict(&bench, &wasted), FileVerdict::Gone, "what is in the wastebasket is gone");

    let inside = bench.document("was/deep/inside.md");
    fs::rename(bench.home.path("was"), bench.home.path("is")).unwrap();
    assert_eq!(verdict(&bench, &inside), FileVerdict::Moved(bench.home.path("is/deep/inside.md")));

    let copied = bench.document("copied.md");
    fs::remove_file(&copied.path).unwrap();
    assert_eq!(verdict(&bench, &copied), FileVerdict::Gone, "its copy is a document of its own");
}

#[test]
fn a_moved_file_is_bound_to_its_new_path_and_nothing_is_read_or_embedded() {
    let mut bench = Bench::new();
    bench.write("a/b/old.md", "alpha words");
    bench.index();
    let before = (bench.extracted(), bench.model.embedded());
    let document = bench.document("a/b/old.md");
    fs::create_dir(bench.home.path("elsewhere")).unwrap();
    fs::rename(&document.path, bench.home.path("elsewhere/new.md")).unwrap();
    let verdict = verdict(&bench, &document);
    assert_eq!(refreshed(&mut bench, &document, &verdict), Refreshed::Rebound);
    assert_eq!(bench.document("elsewhere/new.md").id, document.id);
    assert_eq!(bench.found("alpha"), ["elsewhere/new.md"]);
    assert_eq!(bench.index().unchanged, 1);
    assert_eq!((bench.extracted(), bench.model.embedded()), before);
}

#[test]
fn an_edited_file_is_read_on_the_spot() {
    let mut bench = Bench::new();
    bench.write("a.md", "alpha");
    bench.index();
    let document = bench.document("a.md");
    bench.write("a.md", "gamma");
    assert_eq!(refreshed(&mut bench, &document, &FileVerdict::Changed), Refreshed::Published);
    assert_eq!(bench.found("gamma"), ["a.md"]);
    assert!(bench.found("alpha").is_empty());
    assert_eq!(bench.document("a.md").outcome, Outcome::Indexed);
    let document = bench.document("a.md");
    bench.write("a.md", "gamma");
    assert_eq!(refreshed(&mut bench, &document, &FileVerdict::Changed), Refreshed::Unchanged);
}

#[test]
fn a_file_that_cannot_be_seen_is_unreachable() {
    let mut bench = Bench::new();
    bench.write("a.md", "alpha");
    bench.index();
    let mut document = bench.document("a.md");
    fs::remove_file(&document.path).unwrap();
    document.stamp.device += 1_000;
    assert_eq!(verdict(&bench, &document), FileVerdict::Unreachable);
}
