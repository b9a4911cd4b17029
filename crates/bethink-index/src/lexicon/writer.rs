//! The write side.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use bethink_core::{ContentId, DocumentId, Format, PassageId, Sequence};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy};
use tantivy::schema::Schema;
use tantivy::{Index, IndexWriter, TantivyDocument, TantivyError, Term};

use super::engine;
use super::reader::{documents_folder, passages_folder};
use super::schema::{DocumentFields, PassageFields};
use super::tokenizer::value;
use crate::writer_lock::WriterLock;
use crate::{CacheStamp, IndexError};

/// Memory in which postings of passages gather before they become a segment. Chosen so that both
/// writers together stay near 50 MB; more would make fewer segments to merge, which was not measured.
const PASSAGES_HEAP_BYTES: usize = 36_000_000;
/// The same for documents; the least that the engine accepts.
const DOCUMENTS_HEAP_BYTES: usize = 15_000_000;
/// Segments with a larger share of deleted entries are written anew.
const MAX_DELETED_SHARE: f32 = 0.25;

/// One passage to be found by its words.
#[derive(Debug, Clone, Copy)]
pub struct LexicalPassage<'a> {
    /// The passage.
    pub passage: PassageId,
    /// The headings above it, outermost first.
    pub heading: &'a [String],
    /// Its text.
    pub text: &'a str,
}

/// Writes the lexicon. Nothing is seen by readers before [`LexiconWriter::commit`]; what was not
/// committed is gone when the writer is dropped or killed. Dropping waits for merges that are
/// under way.
pub struct LexiconWriter {
    folder: PathBuf,
    store: [u8; 16],
    stamp: CacheStamp,
    passages: Side,
    documents: Side,
    passage_fields: PassageFields,
    document_fields: DocumentFields,
    /// Contents whose older passages are marked for deletion since the last commit.
    replaced: HashSet<ContentId>,
    _lock: WriterLock,
}

struct Side {
    folder: PathBuf,
    index: Index,
    heap_bytes: usize,
    /// Only absent while it is being opened again.
    writer: Option<IndexWriter>,
}

impl LexiconWriter {
    /// Opens the lexicon of a folder for writing. What belongs to another store or is damaged is
    /// thrown away, and the lexicon begins empty at sequence zero.
    ///
    /// # Errors
    /// [`IndexError::Busy`] when another process writes it; otherwise when the system refuses.
    pub fn open(folder: &Path, store: [u8; 16]) -> Result<Self, IndexError> {
        let lock = WriterLock::acquire(folder)?;
        let (passage_schema, passage_fields) = PassageFields::define();
        let (document_schema, document_fields) = DocumentFields::define();
        let passages = passages_folder(folder);
        let documents = documents_folder(folder);
        let known = engine::open(&passages, &passage_schema)?.map(|index| index.stamp);
        let behind = engine::open(&documents, &document_schema)?.map(|index| index.stamp);
        let stamp = match (known, behind) {
            (Some(known), Some(behind))
                if known.store == store && behind.store == store && behind.sequence >= known.sequence =>
            {
                known
            }
            _ => {
                clear(&passages)?;
                clear(&documents)?;
                CacheStamp { store, sequence: Sequence(0) }
            }
        };
        Ok(Self {
            folder: folder.to_path_buf(),
            store,
            stamp,
            passages: Side::open(passages, passage_schema, PASSAGES_HEAP_BYTES)?,
            documents: Side::open(documents, document_schema, DOCUMENTS_HEAP_BYTES)?,
            passage_fields,
            document_fields,
            replaced: HashSet::new(),
            _lock: lock,
        })
    }

    /// What the lexicon was last committed as; from here the caller catches up.
    pub fn stamp(&self) -> CacheStamp {
        self.stamp
    }

    /// The folder that is written.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds passages of a content. What an earlier commit held of this content is replaced, so
    /// replaying is harmless; several calls for one content before a commit add up, which lets a
    /// long text be handed over piece by piece. For the same reason a content's passages must all
    /// be handed over before the commit.
    ///
    /// # Errors
    /// When the system refuses to write; then the writer is of no further use.
    pub fn add_passages(
        &mut self,
        content: ContentId,
        format: Format,
        passages: &[LexicalPassage<'_>],
    ) -> Result<(), IndexError> {
        if self.replaced.insert(content) {
            self.delete_content(content)?;
        }
        let fields = self.passage_fields;
        let code = format.is_code();
        self.passages.with(|writer| {
            for passage in passages {
                let mut entry = TantivyDocument::default();
                entry.add_u64(fields.passage, passage.passage.0);
                entry.add_u64(fields.content, content.0);
                entry.add_text(fields.body, value(passage.text, code));
                if !passage.heading.is_empty() {
                    entry.add_text(fields.heading, value(&passage.heading.join("\n"), code));
                }
                writer.add_document(entry)?;
            }
            Ok(())
        })
    }

    /// Forgets all passages of a content. Their words leave the files when segments are merged,
    /// and at once with [`LexiconWriter::purge`].
    ///
    /// # Errors
    /// As for [`LexiconWriter::add_passages`].
    pub fn remove_content(&mut self, content: ContentId) -> Result<(), IndexError> {
        self.replaced.insert(content);
        self.delete_content(content)
    }

    fn delete_content(&mut self, content: ContentId) -> Result<(), IndexError> {
        let term = Term::from_field_u64(self.passage_fields.content, content.0);
        self.passages.with(|writer| {
            writer.delete_term(term);
            Ok(())
        })
    }

    /// Adds a document's name, folders and title, or replaces them.
    ///
    /// # Errors
    /// As for [`LexiconWriter::add_passages`].
    pub fn put_document(&mut self, document: DocumentId, path: &Path, title: Option<&str>) -> Result<(), IndexError> {
        let fields = self.document_fields;
        let mut entry = TantivyDocument::default();
        entry.add_u64(fields.document, document.0);
        if let Some(name) = path.file_name() {
            entry.add_text(fields.name, value(&name.to_string_lossy(), false));
        }
        if let Some(folders) = path.parent() {
            entry.add_text(fields.folders, value(&folders.to_string_lossy(), false));
        }
        if let Some(title) = title {
            entry.add_text(fields.title, value(title, false));
        }
        self.documents.with(|writer| {
            writer.delete_term(Term::from_field_u64(fields.document, document.0));
            writer.add_document(entry)?;
            Ok(())
        })
    }

    /// Forgets a document's name, folders and title.
    ///
    /// # Errors
    /// As for [`LexiconWriter::add_passages`].
    pub fn remove_document(&mut self, document: DocumentId) -> Result<(), IndexError> {
        let term = Term::from_field_u64(self.document_fields.document, document.0);
        self.documents.with(|writer| {
            writer.delete_term(term);
            Ok(())
        })
    }

    /// Makes everything so far durable and visible, as of that sequence of the store.
    ///
    /// # Errors
    /// As for [`LexiconWriter::add_passages`].
    pub fn commit(&mut self, sequence: Sequence) -> Result<(), IndexError> {
        let stamp = CacheStamp { store: self.store, sequence };
        let payload = engine::write_stamp(stamp);
        // Documents first: see the head of this room.
        for side in [&mut self.documents, &mut self.passages] {
            side.with(|writer| {
                let mut prepared = writer.prepare_commit()?;
                prepared.set_payload(&payload);
                prepared.commit()?;
                Ok(())
            })?;
        }
        self.stamp = stamp;
        self.replaced.clear();
        Ok(())
    }

    /// Commits as of the last sequence and writes every segment that holds deleted entries anew,
    /// so that no forgotten word is left in any file of the folder. Readers that have the old
    /// files mapped keep them until they close.
    ///
    /// # Errors
    /// As for [`LexiconWriter::add_passages`].
    pub fn purge(&mut self) -> Result<(), IndexError> {
        self.commit(self.stamp.sequence)?;
        self.documents.purge()?;
        self.passages.purge()
    }
}

impl Side {
    fn open(folder: PathBuf, schema: Schema, heap_bytes: usize) -> Result<Self, IndexError> {
        fs::create_dir_all(&folder).map_err(|error| IndexError::io(&folder, error))?;
        let index = engine::guard(&folder, || {
            if folder.join("meta.json").is_file() {
                engine::open_index(&folder)
            } else {
                engine::create_index(&folder, schema)
            }
        })?;
        let mut side = Self { folder, index, heap_bytes, writer: None };
        side.reopen(true)?;
        Ok(side)
    }

    fn reopen(&mut self, merging: bool) -> Result<(), IndexError> {
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .num_merge_threads(1)
            .memory_budget_per_thread(self.heap_bytes)
            .build();
        let writer = engine::guard(&self.folder, || {
            let writer: IndexWriter = self.index.writer_with_options(options)?;
            if merging {
                let mut policy = LogMergePolicy::default();
                policy.set_del_docs_ratio_before_merge(MAX_DELETED_SHARE);
                writer.set_merge_policy(Box::new(policy));
            } else {
                writer.set_merge_policy(Box::new(NoMergePolicy));
            }
            Ok(writer)
        })?;
        self.writer = Some(writer);
        Ok(())
    }

    fn with<T>(&mut self, work: impl FnOnce(&mut IndexWriter) -> Result<T, TantivyError>) -> Result<T, IndexError> {
        let Some(writer) = self.writer.as_mut() else {
            return Err(IndexError::Lexical {
                detail: "the writer failed before and has to be opened again".to_owned(),
            });
        };
        engine::guard(&self.folder, || work(writer))
    }

    /// Waits for merges under way and lets go of the engine's writer.
    fn close(&mut self) -> Result<(), IndexError> {
        match self.writer.take() {
            Some(writer) => engine::guard(&self.folder, || writer.wait_merging_threads()),
            None => Ok(()),
        }
    }

    fn purge(&mut self) -> Result<(), IndexError> {
        // Merges that the policy has started would fight over the same segments.
        self.close()?;
        self.reopen(false)?;
        let index = self.index.clone();
        self.with(|writer| {
            for segment in index.searchable_segment_metas()? {
                if segment.num_deleted_docs() > 0 {
                    writer.merge(&[segment.id()]).wait()?;
                }
            }
            writer.garbage_collect_files().wait()?;
            Ok(())
        })?;
        self.close()?;
        self.reopen(true)
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // A failing merge loses nothing: the segments that it read are still there.
        let _ = self.close();
    }
}

fn clear(folder: &Path) -> Result<(), IndexError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(IndexError::io(folder, error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn purging_leaves_no_deleted_entry_and_no_stray_segment_file() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut writer = LexiconWriter::open(folder.path(), [1; 16]).unwrap();
        for id in 0..30 {
            let passage = LexicalPassage { passage: PassageId(id), heading: &[], text: "river" };
            writer.add_passages(ContentId(id), Format::Text, &[passage]).unwrap();
            writer.put_document(DocumentId(id), Path::new("/a/b.md"), None).unwrap();
        }
        writer.commit(Sequence(1)).unwrap();
        writer.remove_content(ContentId(3)).unwrap();
        writer.remove_document(DocumentId(4)).unwrap();
        writer.purge().unwrap();
        for side in [&writer.passages, &writer.documents] {
            let segments = side.index.searchable_segment_metas().unwrap();
            assert!(segments.iter().all(|segment| segment.num_deleted_docs() == 0));
            assert_eq!(segments.iter().map(|segment| segment.num_docs()).sum::<u32>(), 29);
            for entry in fs::read_dir(&side.folder).unwrap().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let known = segments.iter().any(|segment| name.starts_with(&segment.id().uuid_string()));
                assert!(known || name.ends_with(".json") || name.ends_with(".lock"), "{name}");
            }
        }
    }
}
