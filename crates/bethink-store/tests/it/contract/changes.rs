//! The log of changes, and the caches that live by it.

use std::collections::BTreeSet;

use bethink_core::{ContentId, Sequence};
use bethink_store::{Batch, Changed, IndexReader, IndexWriter};

use super::Backend;
use super::sample::{self, publish, text};

pub fn the_log_names_each_entity_once_a_batch<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    writer
        .apply(&publish(vec![
            text(root, "/a", "one\n"),
            text(root, "/b", "one\n"),
            text(root, "/a", "two\n"),
            text(root, "/a", "three\n"),
        ]))
        .unwrap();
    let changes = place.reader().changes_after(Sequence(0), 10).unwrap();
    let changed: BTreeSet<(u8, u64)> = changes
        .iter()
        .map(|change| match change.changed {
            Changed::Content(id) => (0, id.0),
            Changed::Document(id) => (1, id.0),
        })
        .collect();
    // Two documents, and two contents that outlived the batch.
    assert_eq!((changes.len(), changed.len()), (4, 4));
    assert!(changes.iter().map(|change| change.sequence).is_sorted());
    assert_eq!(changes.last().unwrap().sequence, writer.sequence().unwrap());
    assert_eq!(writer.changes_after(changes[1].sequence, 1).unwrap(), [changes[2]]);
    assert_eq!(writer.changes_after(writer.sequence().unwrap(), 10).unwrap(), []);
}

pub fn identities_are_never_reused<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    let mut seen = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for _ in 0..4 {
        writer.apply(&publish(vec![text(root, "/a", "same words\n")])).unwrap();
        let (document, content) = (sample::document(&writer, "/a"), sample::content(&writer, "/a"));
        let passage = writer.passages_of(content).unwrap()[0].id;
        assert!(seen.0.insert(document) && seen.1.insert(content) && seen.2.insert(passage));
        writer.apply(&Batch { removals: vec![document], ..Batch::default() }).unwrap();
        writer.compact().unwrap();
    }
}

/// A cache of live contents that starts from nothing and follows the log in small steps.
pub fn a_cache_that_follows_the_changes_is_right<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    let reader = place.reader();
    let mut cache: BTreeSet<ContentId> = BTreeSet::new();
    let mut position = Sequence(0);
    for round in 0..6 {
        let publications =
            (0..5).map(|file| text(root, format!("/d/{file}"), &format!("words {}\n", (file * round) % 4)));
        let mut batch = publish(publications.collect());
        if round == 4 {
            batch.removals = reader.documents_under(None, None, 2).unwrap().into_iter().map(|found| found.id).collect();
        }
        writer.apply(&batch).unwrap();
        loop {
            let changes = reader.changes_after(position, 2).unwrap();
            let Some(last) = changes.last() else { break };
            position = last.sequence;
            for change in changes {
                if let Changed::Content(id) = change.changed {
                    match reader.content(id).unwrap() {
                        Some(_) => cache.insert(id),
                        None => cache.remove(&id),
                    };
                }
            }
        }
        let live: BTreeSet<ContentId> = reader.contents_after(ContentId(0), 100).unwrap().into_iter().collect();
        assert_eq!(cache, live);
    }
}

/// More changes than any backend keeps, in a few large batches.
pub fn a_log_is_pruned_and_says_so<B: Backend>() {
    const FILES: usize = 40_000;
    let place = B::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    let kinds = [bethink_core::ProblemKind::Empty, bethink_core::ProblemKind::Binary];
    for round in 0..4 {
        let kind = kinds[round % 2];
        let publications = (0..FILES).map(|file| sample::skipped(root, format!("/d/{file}"), kind)).collect();
        writer.apply(&publish(publications)).unwrap();
    }
    let newest = writer.sequence().unwrap();
    assert_eq!(newest.0, 4 * FILES as u64);
    assert_eq!(writer.oldest_change().unwrap(), Sequence(0));
    writer.compact().unwrap();
    let oldest = place.reader().oldest_change().unwrap();
    assert!(oldest > Sequence(0) && oldest < newest);
    // From the oldest on nothing is missing, and the newest is what it was.
    let rest = writer.changes_after(oldest, usize::MAX).unwrap();
    assert_eq!(rest.len() as u64, newest.0 - oldest.0);
    assert_eq!(rest[0].sequence.0, oldest.0 + 1);
    assert_eq!(writer.sequence().unwrap(), newest);
    writer.apply(&publish(vec![text(root, "/a", "words\n")])).unwrap();
    assert_eq!(writer.sequence().unwrap().0, newest.0 + 2);
}
