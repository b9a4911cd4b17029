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
    fs::remove_file(&document.path).unwrap();
    assert_eq!(refreshed(&mut bench, &document, &FileVerdict::Changed), Refreshed::LeftAsIs);
    assert_eq!(bench.document("a.md").outcome, Outcome::Indexed, "a file that is gone has not failed");
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

#[test]
fn a_folder_that_became_a_link_leads_nowhere() {
    let mut bench = Bench::new();
    let original = bench.write("d/sub/f.md", "alpha words");
    bench.write("kept.md", "kept words");
    bench.index();
    let document = bench.document("d/sub/f.md");
    let outside = bench.home.outside().join("elsewhere");
    fs::create_dir_all(outside.join("sub")).unwrap();
    for bytes in ["canary words of another length", "canary word", "alpha words"] {
        fs::write(outside.join("sub/f.md"), bytes).unwrap();
        let _ = fs::remove_file(bench.home.path("d"));
        let _ = fs::remove_dir_all(bench.home.path("d"));
        std::os::unix::fs::symlink(&outside, bench.home.path("d")).unwrap();
        assert_eq!(verdict(&bench, &document), FileVerdict::Gone, "{bytes}");
        // Whoever has an older verdict reads nothing either.
        for verdict in [FileVerdict::Changed, FileVerdict::Moved(original.clone())] {
            assert_eq!(refreshed(&mut bench, &document, &verdict), Refreshed::LeftAsIs);
        }
        assert!(bench.found("canary").is_empty());
    }
    fs::remove_file(outside.join("sub/f.md")).unwrap();
    assert_eq!(verdict(&bench, &document), FileVerdict::Gone, "and what is not there either is gone");
    fs::write(outside.join("sub/f.md"), "canary").unwrap();
    assert_eq!(bench.index().removed, 1);
    assert_eq!(bench.documents(), ["kept.md"]);
    assert!(bench.found("canary").is_empty());
}

#[test]
fn a_folder_that_moved_and_left_a_link_is_found_at_its_new_place() {
    let mut bench = Bench::new();
    bench.write("d/f.md", "alpha words");
    bench.index();
    let document = bench.document("d/f.md");
    fs::rename(bench.home.path("d"), bench.home.path("e")).unwrap();
    std::os::unix::fs::symlink("e", bench.home.path("d")).unwrap();
    assert_eq!(verdict(&bench, &document), FileVerdict::Moved(bench.home.path("e/f.md")));
}

#[test]
fn a_nested_root_is_no_way_around_the_outer_ones_border() {
    let mut bench = Bench::new();
    bench.write("d/inner/f.md", "alpha words");
    bench.index_roots(&[bench.home.files(), bench.home.path("d/inner")]);
    let document = bench.document("d/inner/f.md");
    let outside = bench.home.outside().join("elsewhere");
    fs::create_dir_all(outside.join("inner")).unwrap();
    fs::write(outside.join("inner/f.md"), "canary words").unwrap();
    fs::remove_dir_all(bench.home.path("d")).unwrap();
    std::os::unix::fs::symlink(&outside, bench.home.path("d")).unwrap();
    assert_eq!(verdict(&bench, &document), FileVerdict::Gone);
    bench.index_roots(&[]);
    assert!(bench.documents().is_empty());
    assert!(bench.found("canary").is_empty());
}

#[test]
fn what_the_rules_leave_out_by_now_is_gone() {
    let mut bench = Bench::new();
    bench.write("notes/a.md", "alpha words");
    bench.write("notes/b.md", "beta words");
    bench.write("drafts/c.md", "gamma words");
    bench.index();
    let [first, second, third] = ["notes/a.md", "notes/b.md", "drafts/c.md"].map(|name| bench.document(name));
    bench.write("notes/.ignore", "a.md\n");
    bench.write(".gitignore", "drafts/\n");
    bench.write("notes/a.md", "canary words");
    assert_eq!(verdict(&bench, &first), FileVerdict::Gone);
    assert_eq!(verdict(&bench, &second), FileVerdict::Current);
    assert_eq!(verdict(&bench, &third), FileVerdict::Gone, "a folder on the way counts");
    assert_eq!(refreshed(&mut bench, &first, &FileVerdict::Changed), Refreshed::LeftAsIs);
    assert!(bench.found("canary").is_empty());
}

#[test]
fn a_key_that_was_pasted_into_a_note_is_not_read_on_the_spot_either() {
    let mut bench = Bench::new();
    bench.write("a.md", "alpha words");
    bench.index();
    let document = bench.document("a.md");
    bench.write("a.md", "alpha words\n-----BEGIN PRIVATE KEY-----\ncanary\n");
    assert_eq!(verdict(&bench, &document), FileVerdict::Changed);
    assert_eq!(refreshed(&mut bench, &document, &FileVerdict::Changed), Refreshed::Published);
    assert!(bench.found("canary alpha").is_empty());
    assert!(matches!(bench.document("a.md").outcome, Outcome::Skipped { .. }));
}
