//! Random batches, compared with the simple model after each.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bethink_core::{ContentId, DocumentId, ProblemKind, RootId, Sequence};
use bethink_store::{Batch, Changed, DocumentRecord, IndexReader, IndexWriter, Move, Restamp};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::Backend;
use super::model::Model;
use super::sample;

const PATHS: [&str; 7] = ["/r/a", "/r/a/b", "/r/a-b", "/r/ab", "/s/a", "/s/é", "/s"];
const LINES: [&str; 4] = ["red\n", "green\n", "blue\n", "grey"];

/// A batch in numbers: paths and documents by position, so that it shrinks well.
#[derive(Debug, Clone)]
struct Draft {
    moves: Vec<(usize, usize, i64)>,
    restamps: Vec<(usize, i64)>,
    publications: Vec<(usize, Written, i64)>,
    removals: Vec<usize>,
}

#[derive(Debug, Clone)]
enum Written {
    Text(Vec<usize>),
    Skipped,
    Failed(bool),
}

fn drafts() -> impl Strategy<Value = Draft> {
    let place = || 0..PATHS.len();
    let written = prop_oneof![
        5 => prop::collection::vec(0..LINES.len(), 0..4).prop_map(Written::Text),
        1 => Just(Written::Skipped),
        1 => any::<bool>().prop_map(Written::Failed),
    ];
    (
        prop::collection::vec((place(), place(), 1..5_i64), 0..4),
        prop::collection::vec((place(), 1..5_i64), 0..2),
        prop::collection::vec((place(), written, 1..5_i64), 0..5),
        prop::collection::vec(place(), 0..3),
    )
        .prop_map(|(moves, restamps, publications, removals)| Draft { moves, restamps, publications, removals })
}

fn batch(draft: &Draft, roots: [RootId; 2], model: &Model) -> Batch {
    let root_of = |place: usize| roots[usize::from(PATHS[place].starts_with("/s"))];
    let id_at = |place: &usize| model.entries.get(&PathBuf::from(PATHS[*place])).and_then(|entry| entry.id);
    let publications = draft.publications.iter().map(|(place, written, second)| {
        let (path, root) = (PATHS[*place], root_of(*place));
        match written {
            Written::Text(lines) => {
                let text: String = lines.iter().map(|line| LINES[*line]).collect();
                sample::text_at(root, path, &text, *second)
            }
            Written::Skipped => sample::skipped(root, path, ProblemKind::Binary),
            Written::Failed(keep_earlier) => sample::failed(root, path, *keep_earlier),
        }
    });
    Batch {
        moves: draft
            .moves
            .iter()
            .filter_map(|(from, to, second)| {
                let (path, stamp) = (PathBuf::from(PATHS[*to]), sample::stamp(*second, 3));
                Some(Move { document: id_at(from)?, root: root_of(*to), path, stamp })
            })
            .collect(),
        restamps: draft
            .restamps
            .iter()
            .filter_map(|(at, second)| Some(Restamp { document: id_at(at)?, stamp: sample::stamp(*second, 4) }))
            .collect(),
        publications: publications.collect(),
        removals: draft.removals.iter().filter_map(id_at).collect(),
    }
}

/// What a cache knows that only follows the log.
#[derive(Default)]
struct Cache {
    position: Option<Sequence>,
    contents: BTreeMap<ContentId, String>,
    documents: BTreeMap<DocumentId, (PathBuf, Option<ContentId>)>,
}

impl Cache {
    fn follow<R: IndexReader>(&mut self, reader: &R) {
        let from = self.position.unwrap_or(Sequence(0));
        for change in reader.changes_after(from, usize::MAX).unwrap() {
            assert!(change.sequence > from);
            self.position = Some(change.sequence);
            match change.changed {
                Changed::Content(id) if reader.content(id).unwrap().is_some() => {
                    self.contents.insert(id, sample::text_of(reader, id));
                }
                Changed::Content(id) => drop(self.contents.remove(&id)),
                Changed::Document(id) => match reader.find_document(id).unwrap() {
                    Some(DocumentRecord { path, content, .. }) => drop(self.documents.insert(id, (path, content))),
                    None => drop(self.documents.remove(&id)),
                },
            }
        }
    }

    fn compare<R: IndexReader>(&self, reader: &R) {
        let live = reader.contents_after(ContentId(0), usize::MAX).unwrap();
        assert_eq!(self.contents.keys().copied().collect::<Vec<_>>(), live);
        let documents = reader.documents_under(None, None, usize::MAX).unwrap();
        let found: BTreeMap<_, _> =
            documents.into_iter().map(|document| (document.id, (document.path, document.content))).collect();
        assert_eq!(self.documents, found);
    }
}

pub fn random_batches_match_the_model<B: Backend>() {
    // Each case opens databases; the number keeps the test within a few seconds.
    let mut runner = TestRunner::new(Config { cases: 96, failure_persistence: None, ..Config::default() });
    let strategy = prop::collection::vec((drafts(), 0..4_usize), 1..10);
    let outcome = runner.run(&strategy, |drafts| {
        let place = B::create();
        let mut writer = place.writer();
        let roots = ["/r", "/s"].map(|path| writer.add_root(path.as_ref()).unwrap().id);
        let model_of_vectors = sample::model("static");
        writer.register_model(&model_of_vectors).unwrap();
        let reader = place.reader();
        let (mut model, mut cache, mut newest) = (Model::default(), Cache::default(), DocumentId(0));
        for (draft, then) in &drafts {
            let batch = batch(draft, roots, &model);
            let contents_before = reader.contents_after(ContentId(0), usize::MAX).unwrap();
            let applied = writer.apply(&batch).unwrap();
            model.apply(&batch);
            model.compare(&reader, &mut newest);

            let mut contents: Vec<ContentId> = contents_before;
            contents.retain(|id| !applied.contents_removed.contains(id));
            contents.extend(&applied.contents_added);
            contents.sort();
            assert_eq!(contents, reader.contents_after(ContentId(0), usize::MAX).unwrap());
            assert_eq!(applied.sequence, reader.sequence().unwrap());

            cache.follow(&reader);
            cache.compare(&reader);

            let tier = &reader.tiers().unwrap()[0];
            assert_eq!(tier.done + tier.pending + tier.failed, reader.statistics(None).unwrap().passages);
            assert_eq!(reader.has_waiting(&tier.model.id).unwrap(), tier.pending > 0);
            match then {
                0 => drop(sample::embed_all(&mut writer, &model_of_vectors)),
                1 => writer.compact().unwrap(),
                _ => {}
            }
            for vector in reader.vectors_after(&model_of_vectors.id, Sequence(0), usize::MAX).unwrap() {
                let passages = reader.passages(&[vector.passage]).unwrap();
                assert_eq!((passages.len(), passages[0].content), (1, vector.content));
                assert_eq!(vector.vector, sample::vector(passages[0].key));
            }
        }
        // Everything goes, and nothing stays.
        for root in roots {
            writer.forget_root(root).unwrap();
        }
        let statistics = reader.statistics(None).unwrap();
        prop_assert_eq!((statistics.documents, statistics.contents, statistics.passages), (0, 0, 0));
        prop_assert_eq!(reader.tiers().unwrap()[0].done + reader.tiers().unwrap()[0].pending, 0);
        cache.follow(&reader);
        cache.compare(&reader);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
