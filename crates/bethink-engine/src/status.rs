//! What is covered, what is pending, what failed: `index_status`.

use std::fs;
use std::path::PathBuf;

use bethink_core::UnixMillis;
use bethink_store::{IndexReader, RootState};

use crate::engine::Engine;
use crate::error::Result;
use crate::home::Home;
use crate::index::{root_state_name, tier_name};

/// One root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootStatus {
    /// Its path.
    pub path: PathBuf,
    /// `pending`, `complete`, `missing`, `unreadable`.
    pub state: &'static str,
    /// Documents under it.
    pub documents: u64,
    /// When it was last walked to the end.
    pub completed: Option<UnixMillis>,
}

/// One model's progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierStatus {
    /// The model's name.
    pub model: String,
    /// `static` or `transformer`.
    pub tier: &'static str,
    /// Passages with a vector.
    pub done: u64,
    /// Passages that wait.
    pub pending: u64,
    /// Passages that can have none.
    pub failed: u64,
}

/// The state of the index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Status {
    /// The data folder.
    pub home: PathBuf,
    /// Roots.
    pub roots: Vec<RootStatus>,
    /// Documents known.
    pub documents: u64,
    /// Documents with text.
    pub indexed: u64,
    /// Documents without text, by reason.
    pub skipped: Vec<(String, u64)>,
    /// Documents whose reading failed, by reason.
    pub failed: Vec<(String, u64)>,
    /// Passages.
    pub passages: u64,
    /// Bytes of extracted text.
    pub text_bytes: u64,
    /// Bytes on disk: database and caches.
    pub disk_bytes: u64,
    /// Models.
    pub tiers: Vec<TierStatus>,
    /// Names known to `find`.
    pub names: u64,
    /// Policy epoch.
    pub epoch: u64,
    /// Sentences that the reader should know.
    pub notes: Vec<String>,
}

impl Engine {
    /// What is covered, what is pending, what failed.
    ///
    /// # Errors
    /// When the store fails.
    pub fn status(&self) -> Result<Status> {
        let mut status = Status { home: self.home().folder().to_owned(), ..Status::default() };
        status.notes.extend(self.read_only_note());
        if let Some(names) = self.names()? {
            status.names = names.len() as u64;
        }
        let (models, troubles) = self.models()?;
        status.notes.extend(troubles);
        if models.is_empty() {
            status.notes.push(NO_MODEL.to_owned());
        }
        let Some(reader) = self.reader()? else {
            status.notes.push("nothing is indexed yet; start with: bethink index ~/Documents".to_owned());
            return Ok(status);
        };
        for root in reader.roots()? {
            let documents = reader.statistics(Some(&root.path))?.documents;
            let state = root_state_name(&root.state);
            match root.state {
                RootState::Missing => status.notes.push(format!(
                    "{} is not there; what was indexed is kept. If it is gone for good: bethink index --forget '{}'",
                    root.path.display(),
                    root.path.display()
                )),
                RootState::Unreadable(reason) => {
                    status.notes.push(format!("{} cannot be listed: {reason}", root.path.display()));
                }
                RootState::Pending | RootState::Complete => {}
            }
            status.roots.push(RootStatus { path: root.path, state, documents, completed: root.completed });
        }
        let statistics = reader.statistics(None)?;
        let by_name = |counts: Vec<(bethink_core::ProblemKind, u64)>| {
            counts.into_iter().map(|(kind, number)| (kind.name().to_owned(), number)).collect()
        };
        status.documents = statistics.documents;
        status.indexed = statistics.indexed;
        status.skipped = by_name(statistics.skipped);
        status.failed = by_name(statistics.failed);
        status.passages = statistics.passages;
        status.text_bytes = statistics.text_bytes;
        status.disk_bytes = folder_bytes(self.home());
        status.epoch = reader.epoch()?.0;
        status.tiers = reader
            .tiers()?
            .into_iter()
            .map(|progress| TierStatus {
                model: models
                    .iter()
                    .find(|model| model.id == progress.model.id.0)
                    .map_or_else(|| format!("{} (not installed)", progress.model.id), |model| model.name.clone()),
                tier: tier_name(progress.model.tier),
                done: progress.done,
                pending: progress.pending,
                failed: progress.failed,
            })
            .collect();
        Ok(status)
    }
}

/// What is said wherever a model is missed.
pub(crate) const NO_MODEL: &str =
    "no model is installed, so search goes by words alone; add one with: bethink models add FILE";

/// Bytes of the database with its write-ahead log, and of the caches; models are not the index's.
fn folder_bytes(home: &Home) -> u64 {
    let mut bytes = 0;
    for suffix in ["", "-wal", "-shm"] {
        let mut file = home.index_database().into_os_string();
        file.push(suffix);
        bytes += fs::metadata(file).map_or(0, |metadata| metadata.len());
    }
    // Caches are two levels deep; a work list instead of recursion needs no bound.
    let mut folders = vec![home.cache()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => folders.push(entry.path()),
                Ok(metadata) => bytes += metadata.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}
