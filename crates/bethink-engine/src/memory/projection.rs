//! The memory as documents of the index: what was written is found within a second, what was forgotten is
//! gone with the forgetting.
//!
//! The index is derived, so it is the index's side that remembers how far it has followed the memory, in
//! a file of its caches that names both databases. Where that is missing or speaks of others, everything is
//! published again, which changes nothing that is there already. One process at a time follows, so that
//! nobody publishes an older state over a newer one.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bethink_core::{MEMORY_ROOT, MemoryItem};
use bethink_ingest::{Caches, ExclusiveLock, GivenText, Stop, embed_at_once, publish_given};
use bethink_memory::{DOCUMENT_VERSION, MemoryDocument, memory_document};
use bethink_store::memory::{MemoryChanged, MemoryReader, NoteFilter};
use bethink_store::sqlite::{SqliteIndex, SqliteMemoryReader};
use bethink_store::{IndexReader, IndexWriter, Tier};
use bethink_text::CUTTER_VERSION;

use crate::engine::Engine;
use crate::error::{EngineError, Result};

/// Beside the caches: how far the index has followed the memory.
const FOLLOWED: &str = "memory-followed";

/// Held while following.
const FOLLOW_LOCK: &str = "memory.lock";

/// Items of one transaction.
const BATCH: usize = 256;

/// Bytes of text of one transaction.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// How long a write or a question follows at the most; an import of a million messages takes longer, and
/// `bethink index` goes on to the end.
const FOLLOWING: Duration = Duration::from_secs(1);

/// How far the index has followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Followed {
    event: u64,
    tombstone: u64,
    change: u64,
}

impl Engine {
    /// Brings the index up to the memory before a question, within a budget. Whether it came to the end.
    /// `index` is the index as it is open already; most questions have nothing to follow.
    pub(crate) fn follow_before_a_question(&self, index: Option<&dyn IndexReader>) -> Result<bool> {
        let Some(memory) = self.memory_reader()? else { return Ok(true) };
        match index {
            Some(index) if self.has_followed(&memory, index)? => Ok(true),
            _ => self.follow(&memory, Some(FOLLOWING)),
        }
    }

    /// Brings the index up to the memory within a budget. Whether it came to the end.
    pub(crate) fn follow_memory(&self, budget: Option<Duration>) -> Result<bool> {
        self.memory_reader()?.map_or(Ok(true), |memory| self.follow(&memory, budget))
    }

    fn follow(&self, memory: &SqliteMemoryReader, budget: Option<Duration>) -> Result<bool> {
        let deadline = budget.map(|budget| Instant::now() + budget);
        self.home().create()?;
        let lock = self.home().cache().join(FOLLOW_LOCK);
        // Whoever has the lock does this work; it is waited for as long as we would have taken.
        let _lock = loop {
            if let Some(lock) = ExclusiveLock::try_take(&lock)? {
                break lock;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let mut store = self.writer()?;
        self.register_models(&mut store)?;
        let complete = self.publish_memory(memory, &mut store, deadline)?;
        for model in self.open_models().iter().filter(|model| model.tier == Tier::Static) {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            embed_at_once(&mut store, model.embedder.as_ref(), left, self.clock())?;
        }
        Ok(complete)
    }

    /// The same after a write: what was written is safe, so trouble with the index is only logged; the next
    /// question tries again.
    pub(crate) fn follow_a_write(&self) {
        if let Err(error) = self.follow_memory(Some(FOLLOWING)) {
            tracing::warn!(%error, "what was just written is not searchable yet");
        }
    }

    /// After something was forgotten: nothing of it may be left in any derived byte.
    pub(crate) fn follow_a_forgetting(&self) -> Result<()> {
        self.follow_memory(None)?;
        if self.reader()?.is_none() {
            return Ok(());
        }
        let mut store = self.writer()?;
        let caches = Caches::open(&self.home().cache())?;
        Ok(bethink_ingest::purge(&mut self.indexer_parts(&mut store, &caches, &[]), &Stop::new())?)
    }

    fn publish_memory(
        &self,
        memory: &SqliteMemoryReader,
        store: &mut SqliteIndex,
        deadline: Option<Instant>,
    ) -> Result<bool> {
        let root = store.add_root(MEMORY_ROOT.as_ref())?.id;
        let mut followed = self.followed(memory, store)?;
        loop {
            // Deletions first: what is forgotten must not wait for what is new.
            let mut items: Vec<MemoryItem> = Vec::new();
            for tombstone in memory.tombstones_after(followed.tombstone, BATCH)? {
                items.push(MemoryItem::Event(tombstone.id));
                followed.tombstone = tombstone.sequence;
            }
            for change in memory.memory_changes_after(followed.change, BATCH)? {
                match change.changed {
                    MemoryChanged::Note(id) => items.push(MemoryItem::Note(id)),
                    MemoryChanged::Person(id) => {
                        items.push(MemoryItem::Person(id));
                        // Their name stands in every note about them.
                        let about = NoteFilter { people: vec![id], ..NoteFilter::default() };
                        let notes = memory.notes(&about, None, usize::MAX)?;
                        items.extend(notes.into_iter().map(|scored| MemoryItem::Note(scored.note.id)));
                    }
                }
                followed.change = change.sequence;
            }
            for event in memory.events_after(followed.event, BATCH, BATCH_BYTES)? {
                items.push(MemoryItem::Event(event.event.id));
                followed.event = event.position;
            }
            if items.is_empty() {
                return Ok(true);
            }
            items.sort_unstable();
            items.dedup();
            let mut given = Vec::with_capacity(items.len());
            for item in &items {
                given.extend(memory_document(memory, *item)?.map(given_text));
            }
            let folders: Vec<PathBuf> = items.iter().map(|item| item.folder()).collect();
            publish_given(store, root, given, &folders)?;
            self.record_followed(memory, store, followed)?;
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(false);
            }
        }
    }

    fn followed_file(&self) -> PathBuf {
        self.home().cache().join(FOLLOWED)
    }

    /// Which two databases a record speaks of, and made by which versions.
    fn following(&self, memory: &SqliteMemoryReader, store: &dyn IndexReader) -> Result<Vec<u8>> {
        let mut name = store.store_id()?.0.to_vec();
        name.extend(memory.memory_id()?.0);
        name.extend(DOCUMENT_VERSION.to_le_bytes());
        name.extend(CUTTER_VERSION.to_le_bytes());
        Ok(name)
    }

    fn followed(&self, memory: &SqliteMemoryReader, store: &dyn IndexReader) -> Result<Followed> {
        let name = self.following(memory, store)?;
        let record = fs::read(self.followed_file()).unwrap_or_default();
        let Some(numbers) = record.strip_prefix(&name[..]).filter(|numbers| numbers.len() == 24) else {
            return Ok(Followed::default());
        };
        let number = |at: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&numbers[at..at + 8]);
            u64::from_le_bytes(bytes)
        };
        Ok(Followed { event: number(0), tombstone: number(8), change: number(16) })
    }

    fn record_followed(&self, memory: &SqliteMemoryReader, store: &dyn IndexReader, followed: Followed) -> Result<()> {
        let mut record = self.following(memory, store)?;
        for number in [followed.event, followed.tombstone, followed.change] {
            record.extend(number.to_le_bytes());
        }
        let file = self.followed_file();
        let unfinished = file.with_extension("new");
        fs::write(&unfinished, record)
            .and_then(|()| fs::rename(&unfinished, &file))
            .map_err(|source| EngineError::Home { path: file, source })
    }

    /// Whether there is nothing to follow: a few reads by key.
    fn has_followed(&self, memory: &SqliteMemoryReader, index: &dyn IndexReader) -> Result<bool> {
        let followed = self.followed(memory, index)?;
        Ok(memory.tombstones_after(followed.tombstone, 1)?.is_empty()
            && memory.memory_changes_after(followed.change, 1)?.is_empty()
            && memory.events_after(followed.event, 1, 1)?.is_empty())
    }
}

fn given_text(document: MemoryDocument) -> GivenText {
    let MemoryDocument { path, modified, hash, text } = document;
    GivenText { path, modified, hash, extracted: text, version: DOCUMENT_VERSION }
}
