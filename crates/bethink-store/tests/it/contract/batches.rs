//! What a batch does.

use std::path::{Path, PathBuf};

use bethink_core::{ContentId, DocumentId, Format, Locator, Mark, Passage, RootId};
use bethink_store::{
    Batch, IndexReader, IndexWriter, Move, NewContent, Outcome, PassageRecord, Publication, Reading, Restamp,
    StoreError,
};

use super::Backend;
use super::sample::{self, publish, text};

fn moved(document: DocumentId, root: RootId, path: &str) -> Move {
    Move { document, root, path: PathBuf::from(path), stamp: sample::stamp(200, 5) }
}

fn start<B: Backend>(files: &[(&str, &str)]) -> (B, B::Writer, RootId) {
    let place = B::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    writer.apply(&publish(files.iter().map(|(path, words)| text(root, path, words)).collect())).unwrap();
    (place, writer, root)
}

pub fn passages_come_back_whole<B: Backend>() {
    let (place, mut writer, root) = start::<B>(&[]);
    let words = "première ligne\nsecond\u{0} line\r\n\u{1f980} last";
    let mut content = sample::new_content(words);
    content.format = Format::Pdf;
    content.title = Some("A title".to_owned());
    content.problems = vec![sample::damaged_problem()];
    content.passages[1].locator = Locator::Sheet { name: "Übersicht".to_owned(), row: 12 };
    content.passages[1].marks = [(3, 13), (7, 15)]
        .map(|(offset, row)| Mark { offset, locator: Locator::Sheet { name: "Übersicht".to_owned(), row } })
        .into();
    content.passages[2].locator = Locator::Chapter { number: 3, title: String::new() };
    let publication = Publication {
        hash: Some(sample::hash(words)),
        ..sample::with_reading(root, "/home/a.pdf", Reading::Text(content.clone()))
    };
    let applied = writer.apply(&publish(vec![publication])).unwrap();
    let id = sample::content(&writer, "/home/a.pdf");
    assert_eq!(applied.contents_added, [id]);
    assert_eq!(applied.sequence, writer.sequence().unwrap());

    let reader = place.reader();
    let record = reader.content(id).unwrap().unwrap();
    assert_eq!((record.id, record.hash, record.format), (id, sample::hash(words), Format::Pdf));
    assert_eq!(
        (record.title.as_deref(), record.lines, record.text_bytes, record.passages),
        (Some("A title"), 3, words.len() as u64, 3)
    );
    assert_eq!(record.problems, content.problems);
    let passages = reader.passages_of(id).unwrap();
    assert_eq!(sample::text_of(&reader, id), words);
    for (ordinal, (found, given)) in passages.iter().zip(&content.passages).enumerate() {
        let Passage { key, range, line, heading, locator, marks } = given.clone();
        let text = words[range.clone()].to_owned();
        let ordinal = ordinal as u32;
        let expected =
            PassageRecord { id: found.id, content: id, ordinal, key, range, line, heading, locator, marks, text };
        assert_eq!(*found, expected);
    }
    // In the order asked for, twice if asked twice, without what is not there.
    let asked = [passages[2].id, bethink_core::PassageId(9999), passages[0].id, passages[2].id];
    let answered: Vec<u32> = reader.passages(&asked).unwrap().into_iter().map(|passage| passage.ordinal).collect();
    assert_eq!(answered, [2, 0, 2]);
}

pub fn publishing_again_changes_nothing<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[]);
    let batch = publish(vec![
        text(root, "/home/a", "words\n"),
        sample::skipped(root, "/home/b", bethink_core::ProblemKind::Empty),
        sample::failed(root, "/home/c", false),
    ]);
    let first = writer.apply(&batch).unwrap();
    let documents = writer.documents_under(None, None, 10).unwrap();
    let again = writer.apply(&batch).unwrap();
    assert_eq!(again.sequence, first.sequence);
    assert_eq!((again.contents_added.len(), again.contents_removed.len()), (0, 0));
    assert_eq!(writer.documents_under(None, None, 10).unwrap(), documents);
    // With another stamp, too, the bytes are the same.
    let later = writer.apply(&publish(vec![sample::text_at(root, "/home/a", "words\n", 777)])).unwrap();
    assert_eq!(later.sequence, first.sequence);
    let stamp = writer.find_document_at(Path::new("/home/a")).unwrap().unwrap().stamp;
    assert_eq!(stamp.modified_ns, 777_000_000_000);
    assert_eq!(writer.apply(&Batch::default()).unwrap().sequence, first.sequence);
}

pub fn an_edit_keeps_the_identity<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[("/home/a", "before\n")]);
    let (document, old) = (sample::document(&writer, "/home/a"), sample::content(&writer, "/home/a"));
    let applied = writer.apply(&publish(vec![text(root, "/home/a", "after\n")])).unwrap();
    let new = sample::content(&writer, "/home/a");
    assert_eq!(sample::document(&writer, "/home/a"), document);
    assert_eq!((applied.contents_added, applied.contents_removed), (vec![new], vec![old]));
    assert_eq!(writer.content(old).unwrap(), None);
    assert_eq!(writer.passages_of(old).unwrap(), []);
    assert_eq!(sample::text_of(&writer, new), "after\n");
}

pub fn a_copy_shares_its_content<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[("/home/a", "words\n")]);
    let content = sample::content(&writer, "/home/a");
    let applied = writer.apply(&publish(vec![text(root, "/home/b", "words\n")])).unwrap();
    assert_eq!(applied.contents_added, []);
    assert_eq!(sample::content(&writer, "/home/b"), content);
    let first = writer.apply(&Batch { removals: vec![sample::document(&writer, "/home/a")], ..Batch::default() });
    assert_eq!(first.unwrap().contents_removed, []);
    assert_eq!(sample::text_of(&writer, content), "words\n");
    let last = writer.apply(&Batch { removals: vec![sample::document(&writer, "/home/b")], ..Batch::default() });
    assert_eq!(last.unwrap().contents_removed, [content]);
}

pub fn known_bytes_need_no_text<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[("/home/a", "words\n")]);
    let content = sample::content(&writer, "/home/a");
    let known = Publication {
        hash: Some(sample::hash("words\n")),
        ..sample::with_reading(root, "/home/b", Reading::Known(content))
    };
    // The source of the bytes goes in the same batch; the content stays with its new document.
    let removals = vec![sample::document(&writer, "/home/a")];
    let applied = writer.apply(&Batch { removals, ..publish(vec![known]) }).unwrap();
    assert_eq!(applied.contents_removed, []);
    let document = writer.find_document_at(Path::new("/home/b")).unwrap().unwrap();
    assert_eq!((document.content, document.outcome), (Some(content), Outcome::Indexed));
    assert_eq!(document.hash, Some(sample::hash("words\n")));
}

pub fn a_new_version_of_the_cutter_makes_a_new_content<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[("/home/a", "words\n")]);
    let old = sample::content(&writer, "/home/a");
    let mut publication = text(root, "/home/a", "words\n");
    let Reading::Text(content) = &mut publication.reading else { unreachable!("it was made as text") };
    content.cutter_version = 2;
    let applied = writer.apply(&publish(vec![publication])).unwrap();
    assert_eq!(applied.contents_removed, [old]);
    let hash = sample::hash("words\n");
    assert_eq!(writer.find_content(hash, Format::Text, 1, 1).unwrap(), None);
    assert_eq!(writer.find_content(hash, Format::Text, 1, 2).unwrap(), Some(sample::content(&writer, "/home/a")));
}

pub fn an_empty_text_is_a_text<B: Backend>() {
    let (place, writer, _root) = start::<B>(&[("/home/empty", "")]);
    let content = sample::content(&writer, "/home/empty");
    let record = place.reader().content(content).unwrap().unwrap();
    assert_eq!((record.lines, record.text_bytes, record.passages), (0, 0, 0));
    assert_eq!(place.reader().passages_of(content).unwrap(), []);
}

pub fn a_path_published_twice_says_what_came_last<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[]);
    let batch = publish(vec![text(root, "/home/a", "first\n"), text(root, "/home/a", "second\n")]);
    let applied = writer.apply(&batch).unwrap();
    let content = sample::content(&writer, "/home/a");
    assert_eq!(sample::text_of(&writer, content), "second\n");
    assert_eq!((applied.contents_added, applied.contents_removed), (vec![content], vec![]));
    assert_eq!(writer.contents_after(ContentId(0), 10).unwrap(), [content]);
}

pub fn a_failure_keeps_or_drops_earlier_text<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[("/home/a", "words\n")]);
    let content = sample::content(&writer, "/home/a");
    writer.apply(&publish(vec![sample::failed(root, "/home/a", true)])).unwrap();
    let kept = writer.find_document_at(Path::new("/home/a")).unwrap().unwrap();
    assert!(matches!(kept.outcome, Outcome::Failed { .. }));
    assert_eq!((kept.content, kept.hash), (Some(content), Some(sample::hash("words\n"))));
    let applied = writer.apply(&publish(vec![sample::failed(root, "/home/a", false)])).unwrap();
    let dropped = writer.find_document_at(Path::new("/home/a")).unwrap().unwrap();
    assert_eq!((dropped.content, dropped.hash), (None, None));
    assert_eq!(applied.contents_removed, [content]);
    writer.apply(&publish(vec![sample::failed(root, "/home/new", true)])).unwrap();
    assert_eq!(writer.find_document_at(Path::new("/home/new")).unwrap().unwrap().content, None);
}

pub fn a_removal_takes_text_and_vectors_along<B: Backend>() {
    let (place, mut writer, _root) = start::<B>(&[("/home/a", "one\ntwo\n"), ("/home/b", "three\n")]);
    let model = sample::model("static");
    writer.register_model(&model).unwrap();
    sample::embed_all(&mut writer, &model);
    let content = sample::content(&writer, "/home/a");
    let passages: Vec<_> = writer.passages_of(content).unwrap().into_iter().map(|passage| passage.id).collect();
    let document = sample::document(&writer, "/home/a");
    let applied = writer.apply(&Batch { removals: vec![document], ..Batch::default() }).unwrap();
    assert_eq!(applied.contents_removed, [content]);
    let reader = place.reader();
    assert_eq!(reader.find_document(document).unwrap(), None);
    assert_eq!(reader.passages(&passages).unwrap(), []);
    assert_eq!(reader.vectors_of(&model.id, &passages).unwrap(), []);
    assert_eq!(reader.tiers().unwrap()[0].done, 1);
}

pub fn a_move_keeps_identity_content_and_vectors<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[("/home/a", "one\ntwo\n")]);
    let model = sample::model("static");
    writer.register_model(&model).unwrap();
    sample::embed_all(&mut writer, &model);
    let (document, content) = (sample::document(&writer, "/home/a"), sample::content(&writer, "/home/a"));
    let other = writer.add_root(Path::new("/other")).unwrap().id;
    let before = writer.sequence().unwrap();
    let batch = Batch { moves: vec![moved(document, other, "/other/b")], ..Batch::default() };
    let applied = writer.apply(&batch).unwrap();
    assert_eq!((applied.contents_added.len(), applied.contents_removed.len()), (0, 0));
    assert_eq!(writer.find_document_at(Path::new("/home/a")).unwrap(), None);
    let found = writer.find_document_at(Path::new("/other/b")).unwrap().unwrap();
    assert_eq!((found.id, found.content, found.root), (document, Some(content), other));
    assert_eq!(found.stamp, sample::stamp(200, 5));
    assert_eq!(writer.tiers().unwrap()[0].done, 2);
    assert_eq!(writer.changes_after(before, 10).unwrap().len(), 1);
    // To where it is already: nothing.
    assert_eq!(writer.apply(&batch).unwrap().sequence, applied.sequence);
    let unknown = Batch { moves: vec![moved(document, RootId(99), "/x")], ..Batch::default() };
    assert!(matches!(writer.apply(&unknown), Err(StoreError::UnknownRoot(RootId(99)))));
    let _ = root;
}

pub fn a_move_onto_a_document_replaces_it<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[("/home/draft", "new words\n"), ("/home/final", "old words\n")]);
    let (draft, replaced) = (sample::document(&writer, "/home/draft"), sample::document(&writer, "/home/final"));
    let old = sample::content(&writer, "/home/final");
    let batch = Batch { moves: vec![moved(draft, root, "/home/final")], ..Batch::default() };
    assert_eq!(writer.apply(&batch).unwrap().contents_removed, [old]);
    assert_eq!(sample::document(&writer, "/home/final"), draft);
    assert_eq!(writer.find_document(replaced).unwrap(), None);
    assert_eq!(writer.statistics(None).unwrap().documents, 1);
}

pub fn two_files_change_places<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[("/home/a", "words of a\n"), ("/home/b", "words of b\n")]);
    let (a, b) = (sample::document(&writer, "/home/a"), sample::document(&writer, "/home/b"));
    let batch = Batch { moves: vec![moved(a, root, "/home/b"), moved(b, root, "/home/a")], ..Batch::default() };
    let applied = writer.apply(&batch).unwrap();
    assert_eq!(applied.contents_removed, []);
    assert_eq!((sample::document(&writer, "/home/a"), sample::document(&writer, "/home/b")), (b, a));
    assert_eq!(sample::text_of(&writer, sample::content(&writer, "/home/a")), "words of b\n");
}

pub fn a_ring_of_moves_changes_places<B: Backend>() {
    let (_place, mut writer, root) =
        start::<B>(&[("/1", "one\n"), ("/2", "two\n"), ("/3", "three\n"), ("/4", "four\n")]);
    let ids: Vec<DocumentId> = ["/1", "/2", "/3", "/4"].map(|path| sample::document(&writer, path)).into();
    // One to two, two to three, three to one; and one is said to move twice, the last word counts.
    let moves = vec![
        moved(ids[0], root, "/nowhere"),
        moved(ids[1], root, "/3"),
        moved(ids[0], root, "/2"),
        moved(ids[2], root, "/1"),
    ];
    writer.apply(&Batch { moves, ..Batch::default() }).unwrap();
    let now: Vec<DocumentId> = ["/1", "/2", "/3", "/4"].map(|path| sample::document(&writer, path)).into();
    assert_eq!(now, [ids[2], ids[0], ids[1], ids[3]]);
    // Two to one place: the later one is there, the other is gone.
    let moves = vec![moved(ids[0], root, "/5"), moved(ids[3], root, "/5")];
    writer.apply(&Batch { moves, ..Batch::default() }).unwrap();
    assert_eq!(sample::document(&writer, "/5"), ids[3]);
    assert_eq!(writer.find_document(ids[0]).unwrap(), None);
}

pub fn a_moved_document_may_be_published_and_removed<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[("/home/a", "words\n"), ("/home/b", "other\n")]);
    let (a, b) = (sample::document(&writer, "/home/a"), sample::document(&writer, "/home/b"));
    // Moved and edited; a new file at the old path; the other moved, then removed.
    let batch = Batch {
        moves: vec![moved(a, root, "/home/c"), moved(b, root, "/home/d")],
        restamps: vec![Restamp { document: b, stamp: sample::stamp(5, 5) }],
        publications: vec![text(root, "/home/c", "edited\n"), text(root, "/home/a", "new file\n")],
        removals: vec![b],
    };
    writer.apply(&batch).unwrap();
    assert_eq!(sample::document(&writer, "/home/c"), a);
    assert_eq!(sample::text_of(&writer, sample::content(&writer, "/home/c")), "edited\n");
    assert!(sample::document(&writer, "/home/a") > b);
    assert_eq!(sample::paths(&writer, None), ["/home/a", "/home/c"].map(PathBuf::from));
}

pub fn nobody_minds_documents_that_are_gone<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[("/home/a", "words\n")]);
    let before = writer.sequence().unwrap();
    let batch = Batch {
        moves: vec![moved(DocumentId(77), root, "/home/x")],
        restamps: vec![Restamp { document: DocumentId(78), stamp: sample::stamp(1, 1) }],
        removals: vec![DocumentId(79), DocumentId(u64::MAX)],
        ..Batch::default()
    };
    assert_eq!(writer.apply(&batch).unwrap().sequence, before);
    assert_eq!(sample::paths(&writer, None), [PathBuf::from("/home/a")]);
}

fn tampered(root: RootId, words: &str, tamper: impl FnOnce(&mut NewContent)) -> Batch {
    let mut publication = text(root, "/home/bad", words);
    if let Reading::Text(content) = &mut publication.reading {
        tamper(content);
    }
    publish(vec![text(root, "/home/good", "good\n"), publication])
}

pub fn passages_that_do_not_tile_are_refused<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[]);
    let words = "één\ntwee\n";
    let bad = [
        tampered(root, words, |content| content.passages.clear()),
        tampered(root, words, |content| drop(content.passages.pop())),
        tampered(root, words, |content| drop(content.passages.remove(0))),
        tampered(root, words, |content| content.passages.swap(0, 1)),
        tampered(root, words, |content| content.passages[1].range.end += 1),
        tampered(root, words, |content| content.passages[1].range = 5..usize::MAX),
        tampered(root, words, |content| content.passages[0].range.start = 1),
        // On the border of bytes, off the border of characters.
        tampered(root, words, |content| {
            content.passages[0].range.end = 1;
            content.passages[1].range.start = 1;
        }),
        tampered(root, words, |content| {
            let twice = content.passages[0].clone();
            content.passages.insert(0, twice);
        }),
    ];
    for batch in bad {
        let refused = writer.apply(&batch);
        assert!(matches!(&refused, Err(StoreError::Untiled { path, .. }) if path == Path::new("/home/bad")));
        assert!(!refused.unwrap_err().to_string().contains("twee"));
        assert_eq!(writer.statistics(None).unwrap().documents, 0);
    }
}

pub fn what_cannot_be_stored_is_refused<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[]);
    let unhashed = Publication { hash: None, ..text(root, "/home/a", "words\n") };
    let relative = text(root, "home/a", "words\n");
    for publication in [unhashed, relative] {
        assert!(matches!(writer.apply(&publish(vec![publication])), Err(StoreError::Unstorable { .. })));
    }
    let other = tampered(root, "words\n", |content| content.format = Format::Other("tape"));
    assert!(matches!(writer.apply(&other), Err(StoreError::Unstorable { .. })));
    assert_eq!(writer.statistics(None).unwrap().documents, 0);
}

pub fn what_is_gone_is_named<B: Backend>() {
    let (_place, mut writer, root) = start::<B>(&[]);
    let good = text(root, "/home/good", "good\n");
    let known = sample::with_reading(root, "/home/a", Reading::Known(ContentId(55)));
    let refused = writer.apply(&publish(vec![good.clone(), known]));
    assert!(matches!(refused, Err(StoreError::UnknownContent(ContentId(55)))));
    let refused = writer.apply(&publish(vec![good, text(RootId(55), "/home/a", "words\n")]));
    assert!(matches!(refused, Err(StoreError::UnknownRoot(RootId(55)))));
    assert_eq!(writer.statistics(None).unwrap().documents, 0);
}

pub fn a_batch_is_applied_whole_or_not_at_all<B: Backend>() {
    let (place, mut writer, root) = start::<B>(&[("/home/a", "words\n"), ("/home/b", "other\n")]);
    let before = (writer.documents_under(None, None, 10).unwrap(), writer.sequence().unwrap());
    let batch = Batch {
        moves: vec![moved(sample::document(&writer, "/home/a"), root, "/home/b")],
        publications: vec![
            text(root, "/home/c", "new\n"),
            sample::with_reading(root, "/home/d", Reading::Known(ContentId(55))),
        ],
        ..Batch::default()
    };
    assert!(writer.apply(&batch).is_err());
    assert_eq!((writer.documents_under(None, None, 10).unwrap(), writer.sequence().unwrap()), before);
    assert_eq!(place.reader().contents_after(ContentId(0), 10).unwrap().len(), 2);
    // The handle goes on working.
    writer.apply(&publish(vec![text(root, "/home/c", "new\n")])).unwrap();
}
