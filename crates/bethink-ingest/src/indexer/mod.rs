//! The indexer: brings what the index says about its roots up to what is on the disk.
//!
//! ```text
//! walk (2 threads) ──found──▶ indexer's thread ──jobs──▶ reading threads
//!   bounded by permits          │  ▲                       read, hash, extract, cut
//!                               │  └──────────heard──────────┘
//!                               ▼
//!                       batch → store → caches → static vectors
//! ```
//!
//! Promises: a batch is one transaction and is searchable at once; what was committed survives any
//! kill, and the next run goes on from there; a file whose bytes are known is never extracted again, a
//! moved file keeps its identity and its vectors; nothing is removed that could not be seen. Memory is
//! bounded by bytes in flight, not by the size of the corpus. Refuses: to let one file end the run of
//! the others.

mod known;
mod pass;
mod piecewise;
pub(crate) mod presence;
mod reading;
mod removal;
pub(crate) mod versions;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bethink_core::Clock;
use bethink_embed::Embedder;
use bethink_store::{IndexReader, IndexWriter, Root, RootState};

use self::pass::Scope;
use crate::caches::Caches;
use crate::error::{IngestError, Result};
use crate::extracting::Extracting;
use crate::lock::{ExclusiveLock, INDEX_LOCK};
use crate::progress::{Event, Phase, Progress};
use crate::rules::{Exclusion, Rules};
use crate::stop::Stop;
use crate::summary::Summary;

/// Files larger than this are found by name only, in bytes. Text of this size is some hundred
/// thousand pages; beyond it stand disk images, dumps and recordings.
pub const FILE_LIMIT_BYTES: u64 = 256 * 1024 * 1024;

/// What an indexer works with.
pub struct IndexerParts<'parts> {
    /// The data plane.
    pub store: &'parts mut dyn IndexWriter,
    /// The caches beside it.
    pub caches: &'parts Caches,
    /// The data home, which is never indexed and holds the lock.
    pub home: &'parts Path,
    /// Bytes to text.
    pub extracting: &'parts dyn Extracting,
    /// Models that embed each batch at once; transformers are left to [`crate::sharpen`].
    pub embedders: &'parts [&'parts dyn Embedder],
    /// The time.
    pub clock: &'parts dyn Clock,
}

/// How a run is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexOptions {
    /// Threads that read and extract.
    pub threads: usize,
    /// Threads that walk.
    pub walk_threads: usize,
    /// Files larger than this are found by name only, in bytes.
    pub file_limit_bytes: u64,
    /// A batch is committed when it holds so many files,
    pub batch_files: usize,
    /// or when its first file has waited so long,
    pub batch_interval: Duration,
    /// or when its texts take so many bytes.
    pub batch_bytes: u64,
    /// Bytes of files that may be in memory between reading and committing. A larger file is read
    /// when nothing else is in memory.
    pub bytes_in_flight: u64,
    /// The caches are brought up when the last time was so long ago, and at the end.
    pub cache_interval: Duration,
    /// Whether files that were skipped or failed are tried again though their bytes are the same.
    pub retry: bool,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self {
            threads: 2,
            walk_threads: 2,
            file_limit_bytes: FILE_LIMIT_BYTES,
            batch_files: 20,
            batch_interval: Duration::from_secs(2),
            batch_bytes: 16 * 1024 * 1024,
            bytes_in_flight: 64 * 1024 * 1024,
            // A commit of the lexical index costs some 10 ms whatever it holds, so it follows the
            // clock and not the batches.
            cache_interval: Duration::from_secs(2),
            retry: false,
        }
    }
}

/// Brings the index up to what is on the disk.
pub struct Indexer<'parts> {
    parts: IndexerParts<'parts>,
}

impl<'parts> Indexer<'parts> {
    /// An indexer over these parts.
    pub fn new(parts: IndexerParts<'parts>) -> Self {
        Self { parts }
    }

    /// Remembers the roots that are new and brings every one of them up to date; without any, all
    /// remembered roots. Waits for another process that is indexing. A root may be a single file; roots
    /// may lie inside one another.
    ///
    /// # Errors
    /// A root that never was there or may never be indexed; a failure of the data plane; a full disk; the
    /// removal of the data home meanwhile.
    /// What was committed before stays.
    pub fn index(
        &mut self,
        roots: &[PathBuf],
        options: &IndexOptions,
        progress: &dyn Progress,
        stop: &Stop,
    ) -> Result<Summary> {
        let started = Instant::now();
        let rules = Rules::new(self.parts.home);
        let wanted = roots.iter().map(|root| self.resolve(&rules, root)).collect::<Result<Vec<_>>>()?;
        let lock = ExclusiveLock::take(&self.parts.home.join(INDEX_LOCK), stop, || {
            progress.event(Event::Phase(Phase::Waiting));
            progress.event(Event::WaitingForOther);
        })?;
        let Some(lock) = lock else {
            return Ok(Summary { stopped: true, elapsed: started.elapsed(), ..Summary::default() });
        };
        let scopes: Vec<Scope> = self.remembered(&wanted)?.into_iter().map(Scope::whole).collect();
        let ran = pass::run(&mut self.parts, &rules, &scopes, options, progress, stop);
        let mut summary = unless_removed(ran, &lock, self.parts.home)?;
        summary.elapsed = started.elapsed();
        summary.stopped = stop.is_requested();
        Ok(summary)
    }

    /// Brings what lies at and under these paths up to date, for instance where the watcher saw
    /// something happen. What is under no root is left alone; a path that is gone, or left out by the
    /// rules, loses its documents.
    ///
    /// # Errors
    /// As for [`Self::index`].
    pub fn reconcile(
        &mut self,
        paths: &[PathBuf],
        options: &IndexOptions,
        progress: &dyn Progress,
        stop: &Stop,
    ) -> Result<Summary> {
        let started = Instant::now();
        let rules = Rules::new(self.parts.home);
        let lock = ExclusiveLock::take(&self.parts.home.join(INDEX_LOCK), stop, || {
            progress.event(Event::WaitingForOther);
        })?;
        let Some(lock) = lock else {
            return Ok(Summary { stopped: true, elapsed: started.elapsed(), ..Summary::default() });
        };
        let roots = self.parts.store.roots()?;
        let mut starts: Vec<&PathBuf> = paths.iter().collect();
        starts.sort();
        // A path under another one of these is walked with it.
        starts.dedup_by(|later, earlier| later.starts_with(earlier));
        let mut scopes = Vec::new();
        for start in starts {
            let mut over: Vec<&Root> = roots.iter().filter(|root| start.starts_with(&root.path)).collect();
            // Every root that covers it has a say, the outer one first, as in a whole pass.
            over.sort_by(|one, other| one.path.cmp(&other.path));
            scopes.extend(over.into_iter().map(|root| Scope { root: root.clone(), start: start.clone() }));
        }
        let ran = pass::run(&mut self.parts, &rules, &scopes, options, progress, stop);
        let mut summary = unless_removed(ran, &lock, self.parts.home)?;
        summary.elapsed = started.elapsed();
        summary.stopped = stop.is_requested();
        Ok(summary)
    }

    /// The absolute path of a root that was asked for, links in it resolved. A known root that is not
    /// there at the moment is kept as it was named.
    fn resolve(&self, rules: &Rules, asked: &Path) -> Result<PathBuf> {
        let absolute =
            std::path::absolute(asked).map_err(|source| IngestError::Home { path: asked.to_path_buf(), source })?;
        let root = absolute.canonicalize().unwrap_or_else(|_| absolute.clone());
        for path in [&absolute, &root] {
            if let Some(exclusion) = rules.forbids_root(path) {
                let reason = match exclusion {
                    Exclusion::Secret(reason) => format!("it {reason}"),
                    _ => "it is bethink's own data".to_owned(),
                };
                return Err(IngestError::ForbiddenRoot { path: asked.to_path_buf(), reason });
            }
        }
        if root.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            let known = self.parts.store.roots()?.into_iter().any(|known| known.path == root);
            if !known {
                return Err(IngestError::NoSuchRoot { path: asked.to_path_buf() });
            }
        }
        Ok(root)
    }

    /// The roots to walk, outer ones first, so that an inner one only adds what the outer left out.
    fn remembered(&mut self, wanted: &[PathBuf]) -> Result<Vec<Root>> {
        let mut roots = if wanted.is_empty() {
            self.parts.store.roots()?
        } else {
            wanted.iter().map(|path| Ok(self.parts.store.add_root(path)?)).collect::<Result<Vec<_>>>()?
        };
        roots.sort_by(|one, other| one.path.cmp(&other.path));
        roots.dedup_by_key(|root| root.id);
        Ok(roots)
    }
}

/// What a run came to, unless the data home was removed under it: whatever it came to is gone with that,
/// and any error says less than the removal does.
fn unless_removed<T>(ran: Result<T>, lock: &ExclusiveLock, home: &Path) -> Result<T> {
    if lock.is_intact() { ran } else { Err(IngestError::HomeRemoved { path: home.to_path_buf() }) }
}

/// Forgets a root with everything under it, in the store and in the caches; `None` if there is no
/// such root. What an outer root covers as well comes back with that root's next walk.
///
/// # Errors
/// A failure of the data plane or of a cache.
pub fn forget(
    parts: &mut IndexerParts<'_>,
    root: &Path,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Option<bethink_store::Forgotten>> {
    let absolute = std::path::absolute(root).unwrap_or_else(|_| root.to_path_buf());
    let resolved = absolute.canonicalize().unwrap_or_else(|_| absolute.clone());
    let lock = ExclusiveLock::take(&parts.home.join(INDEX_LOCK), stop, || progress.event(Event::WaitingForOther))?;
    let Some(_lock) = lock else { return Ok(None) };
    let roots = parts.store.roots()?;
    let Some(known) = roots.into_iter().find(|known| known.path == resolved || known.path == absolute) else {
        return Ok(None);
    };
    let forgotten = parts.store.forget_root(known.id)?;
    purge(parts, stop)?;
    Ok(Some(forgotten))
}

/// Makes what was deleted unreadable: in the database's file, and in every cache.
///
/// # Errors
/// A failure of the data plane or of a cache.
pub fn purge(parts: &mut IndexerParts<'_>, stop: &Stop) -> Result<()> {
    let reader: &dyn IndexReader = &*parts.store;
    if let Some(mut writer) = parts.caches.writer(stop)? {
        writer.catch_up(reader, None, stop)?;
        writer.purge(reader)?;
    }
    parts.store.compact()?;
    Ok(())
}

/// How a root counts as found when its walk saw the end but documents under it had to be kept.
fn state_with_kept(state: RootState, files: u64, kept: u64) -> RootState {
    match state {
        // Nothing is there and something should be: an empty mount point.
        RootState::Complete if files == 0 && kept > 0 => RootState::Missing,
        state => state,
    }
}
