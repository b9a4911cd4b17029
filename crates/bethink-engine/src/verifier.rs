//! What the disk says of a winner, and bringing the index up to it on the spot.

use std::cell::{OnceCell, RefCell};
use std::time::{Duration, Instant};

use bethink_core::{MemoryItem, is_memory_path};
use bethink_ingest::{DiskVerifier, FileVerdict, Refreshed, refresh};
use bethink_memory::{MemoryDocument, memory_document};
use bethink_search::{Verdict, Verifier};
use bethink_store::sqlite::{SqliteIndex, SqliteIndexReader, SqliteMemoryReader};
use bethink_store::{DocumentRecord, IndexReader};

use crate::engine::Engine;
use crate::error::Result;

/// How long one answer may spend on reading changed files again. What is not reached is shown as
/// stale, which the next sweep or question mends.
const REFRESH_TIME: Duration = Duration::from_millis(1500);

/// Files larger than this are not read again while somebody waits: text of this size is extracted and
/// cut in about a fifth of a second.
const REFRESH_BYTES: u64 = 8 * 1024 * 1024;

/// Asks the disk about winners and refreshes what changed.
pub(crate) struct EngineVerifier<'e> {
    engine: &'e Engine,
    disk: DiskVerifier<'e>,
    deadline: Instant,
    /// What documents without a file are asked of.
    /// Opened when the first of them is met.
    memory: OnceCell<Option<SqliteMemoryReader>>,
    /// Opened when the first change is met; most answers meet none.
    writer: RefCell<Option<SqliteIndex>>,
}

impl Engine {
    pub(crate) fn verifier<'e>(&'e self, reader: &'e SqliteIndexReader) -> Result<EngineVerifier<'e>> {
        let deadline = Instant::now() + REFRESH_TIME;
        let disk = DiskVerifier::new(reader as &dyn IndexReader, self.rules(), self.clock(), Some(deadline))?;
        Ok(EngineVerifier { engine: self, disk, deadline, memory: OnceCell::new(), writer: RefCell::new(None) })
    }
}

impl EngineVerifier<'_> {
    /// What the memory says of one of its documents now.
    fn verify_item(&self, document: &DocumentRecord) -> Verdict {
        let Some(item) = MemoryItem::of(&document.path) else { return Verdict::Gone };
        match self.item(item) {
            Ok(Some(now)) if Some(now.hash) == document.hash => Verdict::Current,
            // Written since the index followed; the next question shows it.
            Ok(Some(_)) => Verdict::Stale,
            Ok(None) => Verdict::Gone,
            Err(error) => {
                tracing::warn!(%error, "the memory cannot be asked");
                Verdict::Unreachable
            }
        }
    }

    fn item(&self, item: MemoryItem) -> Result<Option<MemoryDocument>> {
        if self.memory.get().is_none() {
            // A second opening cannot have come between: nobody else has this verifier.
            let _ = self.memory.set(self.engine.memory_reader()?);
        }
        match self.memory.get() {
            Some(Some(memory)) => Ok(memory_document(memory, item)?),
            _ => Ok(None),
        }
    }

    /// Brings one document up to the disk; `None` where that has to wait.
    fn refresh(&self, document: &DocumentRecord, verdict: &FileVerdict) -> Option<Refreshed> {
        if Instant::now() >= self.deadline {
            return None;
        }
        let mut slot = self.writer.borrow_mut();
        if slot.is_none() {
            *slot = self.engine.writer().ok();
        }
        let store = slot.as_mut()?;
        // A store that is busy or full leaves the answer as it is: stale, and said so.
        refresh(store, self.engine.extractor(), self.engine.clock(), document, verdict, REFRESH_BYTES).ok()
    }
}

impl Verifier for EngineVerifier<'_> {
    fn verify(&self, document: &DocumentRecord) -> Verdict {
        if is_memory_path(&document.path) {
            return self.verify_item(document);
        }
        let verdict = self.disk.verify(document);
        match &verdict {
            FileVerdict::Current => Verdict::Current,
            FileVerdict::Gone => Verdict::Gone,
            FileVerdict::Unreachable => Verdict::Unreachable,
            FileVerdict::Moved(path) => {
                // Bound to its new path for the next question; this one shows it there either way.
                self.refresh(document, &verdict);
                Verdict::Moved(path.clone())
            }
            FileVerdict::Changed => match self.refresh(document, &verdict) {
                Some(Refreshed::Published | Refreshed::Rebound) => Verdict::Refreshed,
                Some(Refreshed::Unchanged) => Verdict::Current,
                Some(Refreshed::LeftAsIs) | None => Verdict::Stale,
            },
        }
    }
}
