//! What becomes of changed, moved, copied and deleted files (cases F18, F20, F21, L7, L8, L14).

use std::fs;

use bethink_core::Format;
use bethink_index::Lexicon;
use bethink_ingest::{Silent, Stop, forget, purge};
use bethink_store::IndexReader;

use crate::bench::{Bench, word};

fn prose(topic: &str, paragraphs: usize) -> String {
    (0..paragraphs)
        .map(|number| {
            let sentence = format!("In part {number} the {topic} meets matter {number} of {topic}{number}. ");
            format!("## Part {number} of {topic}\n\n{}\n\n", sentence.repeat(12))
        })
        .collect()
}

#[test]
fn an_edit_reads_one_file_and_embeds_only_what_changed() {
    let mut bench = Bench::new();
    for name in ["a", "b", "c", "d", "e"] {
        bench.write(format!("{name}.md"), prose(name, 10));
    }
    bench.index();
    bench.assert_vectors_are_those_of_live_passages();
    let id = bench.document("c.md").id;
    let (extracted, embedded) = (bench.extracted(), bench.model.embedded());
    let passages = bench.store.statistics(None).unwrap().passages;
    bench.write("c.md", prose("c", 10).replace("## Part 5 of c", "## Part five, about zanzibar"));
    let summary = bench.index();
    assert_eq!((summary.indexed, summary.unchanged, summary.removed), (1, 4, 0));
    assert_eq!(bench.extracted() - extracted, 1);
    let newly = bench.model.embedded() - embedded;
    assert!(newly >= 1 && newly <= passages / 20, "{newly} of {passages} embedded");
    assert!(summary.vectors_reused > 0);
    assert_eq!(bench.document("c.md").id, id);
    assert_eq!(bench.found("zanzibar"), ["c.md"]);
    bench.assert_vectors_are_those_of_live_passages();
}

#[test]
fn a_moved_file_keeps_its_identity_and_nothing_is_embedded() {
    let mut bench = Bench::new();
    for number in 0..60 {
        bench.write(format!("old/{number}.md"), format!("note {number} about {}", word(number)));
    }
    bench.index();
    let id = bench.document("old/7.md").id;
    let before = (bench.extracted(), bench.model.embedded());
    fs::rename(bench.home.path("old"), bench.home.path("new")).unwrap();
    fs::rename(bench.home.path("new/8.md"), bench.home.path("eight.md")).unwrap();
    let summary = bench.index();
    assert_eq!((summary.moved, summary.indexed, summary.removed), (60, 0, 0));
    assert_eq!((bench.extracted(), bench.model.embedded()), before);
    assert_eq!(bench.document("new/7.md").id, id);
    assert_eq!(bench.found(&word(8)), ["eight.md"]);
    bench.assert_vectors_are_those_of_live_passages();
    assert_eq!(bench.index().unchanged, 60);
}

#[test]
fn a_move_between_roots_is_a_move() {
    let mut bench = Bench::new();
    bench.write("one/a.md", "alpha");
    bench.write("two/b.md", "beta");
    let roots = [bench.home.path("one"), bench.home.path("two")];
    bench.index_roots(&roots);
    let id = bench.document("one/a.md").id;
    fs::rename(bench.home.path("one/a.md"), bench.home.path("two/a.md")).unwrap();
    let summary = bench.index_roots(&roots);
    assert_eq!((summary.moved, summary.removed), (1, 0));
    assert_eq!(bench.document("two/a.md").id, id);
}

#[test]
fn a_move_that_changes_the_format_is_read_anew_under_the_same_identity() {
    let mut bench = Bench::new();
    bench.write("a.txt", "# Heading\n\nalpha\n");
    bench.index();
    let id = bench.document("a.txt").id;
    fs::rename(bench.home.path("a.txt"), bench.home.path("a.md")).unwrap();
    let summary = bench.index();
    assert_eq!(summary.moved, 1);
    let document = bench.document("a.md");
    assert_eq!(document.id, id);
    let content = bench.store.content(document.content.unwrap()).unwrap().unwrap();
    assert_eq!(content.format, Format::Markdown);
    assert_eq!(bench.documents(), ["a.md"]);
}

#[test]
fn files_that_change_places_keep_their_vectors() {
    let mut bench = Bench::new();
    for number in 0..5 {
        bench.write(format!("log.{number}"), format!("entry {} of the log\n", word(number)));
    }
    bench.index();
    let embedded = bench.model.embedded();
    // As logs are rotated.
    for number in (0..5).rev() {
        fs::rename(bench.home.path(format!("log.{number}")), bench.home.path(format!("log.{}", number + 1))).unwrap();
    }
    bench.write("log.0", "entry fresh of the log\n");
    bench.index();
    assert_eq!(bench.model.embedded() - embedded, 1, "only the new log");
    assert_eq!(bench.found(&word(2)), ["log.3"]);
    bench.assert_vectors_are_those_of_live_passages();
}

#[test]
fn copies_share_one_text_and_outlive_each_other() {
    let mut bench = Bench::new();
    bench.write("a.md", "the same words");
    bench.index();
    let embedded = bench.model.embedded();
    bench.write("b.md", "the same words");
    let summary = bench.index();
    assert_eq!((summary.indexed, summary.moved), (1, 0));
    assert_eq!(bench.model.embedded(), embedded);
    assert_eq!(bench.document("a.md").content, bench.document("b.md").content);
    fs::remove_file(bench.home.path("a.md")).unwrap();
    assert_eq!(bench.index().removed, 1);
    assert_eq!(bench.found("same"), ["b.md"]);
}

#[test]
fn a_touched_file_is_unchanged() {
    let mut bench = Bench::new();
    let path = bench.write("a.md", "alpha");
    bench.index();
    let sequence = bench.store.sequence().unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000)).unwrap();
    let summary = bench.index();
    assert_eq!((summary.unchanged, summary.indexed), (1, 0));
    assert_eq!(bench.store.sequence().unwrap(), sequence);
    assert_eq!(bench.document("a.md").stamp.modified_ns, 1_000_000_000_000_000);
}

#[test]
fn an_edit_that_keeps_size_and_time_is_seen() {
    let mut bench = Bench::new();
    let path = bench.write("a.md", "alpha");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    bench.index();
    bench.write("a.md", "gamma");
    fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    assert_eq!(bench.index().indexed, 1);
    assert_eq!(bench.found("gamma"), ["a.md"]);
}

#[test]
fn what_was_deleted_is_gone_from_everywhere() {
    let mut bench = Bench::new();
    for number in 0..40 {
        bench.write(format!("{number}.md"), format!("{} quarterly review", word(number)));
    }
    bench.index();
    for number in 0..20 {
        fs::remove_file(bench.home.path(format!("{number}.md"))).unwrap();
    }
    assert_eq!(bench.index().removed, 20);
    assert!(bench.found(&word(7)).is_empty());
    assert_eq!(bench.found(&word(27)), ["27.md"]);
    let statistics = bench.store.statistics(None).unwrap();
    assert_eq!((statistics.documents, statistics.contents), (20, 20));
    bench.assert_vectors_are_those_of_live_passages();
    bench.with_parts(|mut parts| purge(&mut parts, &Stop::new())).unwrap();
    assert_no_byte_of(&bench, word(7).as_bytes());
    bench.assert_vectors_are_those_of_live_passages();
}

/// No file of the data home holds these bytes.
fn assert_no_byte_of(bench: &Bench, wanted: &[u8]) {
    let mut folders = vec![bench.home.home()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).unwrap();
            assert!(!bytes.windows(wanted.len()).any(|window| window == wanted), "{} remembers", path.display());
        }
    }
}

#[test]
fn a_forgotten_root_leaves_nothing() {
    let mut bench = Bench::new();
    bench.write("a.md", "zanzibar7 is here");
    bench.index();
    fs::remove_dir_all(bench.home.files()).unwrap();
    let root = bench.home.files();
    let summary = bench.index_roots(&[]);
    assert_eq!(summary.roots[0].state, bethink_store::RootState::Missing);
    assert_eq!(summary.removed, 0, "a root that is not there may come back");
    let forgotten = bench.with_parts(|mut parts| forget(&mut parts, &root, &Silent, &Stop::new())).unwrap();
    assert_eq!(forgotten.unwrap().documents, 1);
    assert!(bench.store.roots().unwrap().is_empty());
    assert!(bench.documents().is_empty());
    assert_no_byte_of(&bench, b"zanzibar7");
    let lexicon = Lexicon::open(&bench.caches.lexicon()).unwrap().unwrap();
    assert!(lexicon.documents(&bethink_text::query_terms("a"), 10).unwrap().is_empty());
}

#[test]
fn forty_rounds_of_edits_leave_no_orphan_and_no_growth() {
    let mut bench = Bench::new();
    for number in 0..10 {
        bench.write(format!("{number}.md"), prose(&format!("topic{number}"), 6));
    }
    bench.index();
    let passages = bench.store.statistics(None).unwrap().passages;
    for round in 0..40 {
        let number = round % 10;
        bench.write(
            format!("{number}.md"),
            prose(&format!("topic{number}"), 6).replace("Part 3", &format!("Part three, {}", word(round))),
        );
        bench.index();
    }
    bench.assert_vectors_are_those_of_live_passages();
    assert_eq!(bench.store.statistics(None).unwrap().passages, passages);
    assert_eq!(bench.found(&word(39)), ["9.md"]);
    assert!(bench.found(&word(9)).is_empty());
}

#[test]
fn what_an_ignore_file_leaves_out_later_goes_and_comes_back() {
    let mut bench = Bench::new();
    bench.write("a.md", "alpha");
    bench.write("drafts/b.md", "beta");
    bench.index();
    bench.write(".bethinkignore", "drafts/\n");
    assert_eq!(bench.index().removed, 1);
    assert_eq!(bench.documents(), ["a.md"]);
    fs::remove_file(bench.home.path(".bethinkignore")).unwrap();
    assert_eq!(bench.index().indexed, 1);
}

#[test]
fn a_folder_that_moved_and_left_a_link_keeps_its_documents() {
    let mut bench = Bench::new();
    bench.write("was/deep/a.md", "alpha words");
    bench.index();
    let (id, embedded) = (bench.document("was/deep/a.md").id, bench.model.embedded());
    fs::rename(bench.home.path("was"), bench.home.path("is")).unwrap();
    std::os::unix::fs::symlink("is", bench.home.path("was")).unwrap();
    let summary = bench.index();
    assert_eq!((summary.moved, summary.removed), (1, 0));
    assert_eq!(bench.document("is/deep/a.md").id, id);
    assert_eq!(bench.found("alpha"), ["is/deep/a.md"]);
    assert_eq!(bench.model.embedded(), embedded);
}
