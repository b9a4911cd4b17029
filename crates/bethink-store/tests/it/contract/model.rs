//! A store so simple that it is obviously right: what random batches are compared with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use bethink_core::{ContentHash, DocumentId, RootId};
use bethink_store::{Batch, FileStamp, IndexReader, Outcome, Reading};

/// One document: everything that the store says of it, its content by its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub root: RootId,
    pub stamp: FileStamp,
    pub hash: Option<ContentHash>,
    pub text: Option<String>,
    pub outcome: Outcome,
    /// `None` until the store has given it an identity.
    pub id: Option<DocumentId>,
}

/// Documents by path.
#[derive(Debug, Default)]
pub struct Model {
    pub entries: BTreeMap<PathBuf, Entry>,
}

impl Model {
    fn take(&mut self, id: DocumentId) -> Option<(PathBuf, Entry)> {
        let path = self.entries.iter().find(|(_, entry)| entry.id == Some(id))?.0.clone();
        self.entries.remove_entry(&path)
    }

    pub fn apply(&mut self, batch: &Batch) {
        let mut last_word: BTreeMap<DocumentId, usize> = BTreeMap::new();
        for (position, moved) in batch.moves.iter().enumerate() {
            last_word.insert(moved.document, position);
        }
        let mut on_the_way = Vec::new();
        for (position, moved) in batch.moves.iter().enumerate() {
            if last_word[&moved.document] == position
                && let Some((_, entry)) = self.take(moved.document)
            {
                on_the_way.push((moved, entry));
            }
        }
        for (moved, entry) in on_the_way {
            self.entries.insert(moved.path.clone(), Entry { root: moved.root, stamp: moved.stamp, ..entry });
        }
        for restamp in &batch.restamps {
            if let Some((path, entry)) = self.take(restamp.document) {
                self.entries.insert(path, Entry { stamp: restamp.stamp, ..entry });
            }
        }
        for publication in &batch.publications {
            let earlier = self.entries.remove(&publication.path);
            let id = earlier.as_ref().and_then(|entry| entry.id);
            let mut hash = publication.hash;
            let (text, outcome) = match &publication.reading {
                Reading::Text(content) => (Some(content.text.clone()), Outcome::Indexed),
                Reading::Known(_) => unreachable!("the strategy makes none"),
                Reading::Skipped { kind, detail } => (None, Outcome::Skipped { kind: *kind, detail: detail.clone() }),
                Reading::Failed { kind, detail, keep_earlier } => {
                    let kept = earlier.filter(|_| *keep_earlier);
                    hash = hash.or(kept.as_ref().and_then(|entry| entry.hash));
                    let outcome = Outcome::Failed { kind: *kind, detail: detail.clone() };
                    (kept.and_then(|entry| entry.text), outcome)
                }
            };
            let entry = Entry { root: publication.root, stamp: publication.stamp, hash, text, outcome, id };
            self.entries.insert(publication.path.clone(), entry);
        }
        for id in &batch.removals {
            self.take(*id);
        }
    }

    /// Compares everything with the store and learns the identities that it gave.
    pub fn compare<R: IndexReader>(&mut self, reader: &R, newest_id: &mut DocumentId) {
        let documents = reader.documents_under(None, None, usize::MAX).unwrap();
        let paths: Vec<_> = documents.iter().map(|document| &document.path).collect();
        // `Path` compares by components; the store promises the order of bytes.
        let mut expected: Vec<&PathBuf> = self.entries.keys().collect();
        expected.sort_by_key(|path| path.as_os_str());
        assert_eq!(paths, expected);
        let mut newest = *newest_id;
        for document in &documents {
            let entry = self.entries.get_mut(&document.path).unwrap();
            match entry.id {
                Some(id) => assert_eq!(document.id, id, "an identity has changed"),
                None => assert!(document.id > *newest_id, "an identity was used again"),
            }
            entry.id = Some(document.id);
            newest = newest.max(document.id);
            let text = document.content.map(|content| super::sample::text_of(reader, content));
            let found = Entry {
                root: document.root,
                stamp: document.stamp,
                hash: document.hash,
                text,
                outcome: document.outcome.clone(),
                id: Some(document.id),
            };
            assert_eq!(found, *entry);
            assert_eq!(reader.find_document(document.id).unwrap().as_ref(), Some(document));
        }
        *newest_id = newest;
        // A text is there once, and only as long as a document has it.
        let live = reader.contents_after(bethink_core::ContentId(0), usize::MAX).unwrap();
        let texts: BTreeSet<&str> = self.entries.values().filter_map(|entry| entry.text.as_deref()).collect();
        assert_eq!(live.len(), texts.len());
        let statistics = reader.statistics(None).unwrap();
        assert_eq!(statistics.documents, self.entries.len() as u64);
        assert_eq!(statistics.contents, texts.len() as u64);
        assert_eq!(statistics.text_bytes, texts.iter().map(|text| text.len() as u64).sum::<u64>());
    }
}
