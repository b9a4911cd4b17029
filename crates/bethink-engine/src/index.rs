//! Bringing the index up to date with the disk, and sharpening it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bethink_core::{ModelId, ProblemKind};
use bethink_embed::Embedder;
pub use bethink_ingest::Stop;
use bethink_ingest::{
    Caches, Event, IndexOptions, Indexer, IndexerParts, PassedOver, SharpenOptions, Silent, model_spec,
};
use bethink_store::sqlite::SqliteIndex;
use bethink_store::{IndexReader, IndexWriter, RootState, Tier};

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::status::NO_MODEL;

/// What to index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexRequest {
    /// Roots to remember and index; empty means every remembered root.
    pub paths: Vec<PathBuf>,
    /// Wait for the transformer tier as well.
    pub full: bool,
    /// Use both cores instead of being a quiet guest.
    pub fast: bool,
}

/// Something that happened while indexing.
#[derive(Debug, Clone, PartialEq)]
pub enum IndexEvent {
    /// Another process is indexing; this one waits for it.
    Waiting,
    /// Files seen so far by the walk; `done` when the count is final.
    Walked {
        /// Files.
        files: u64,
        /// Whether the walk has ended.
        done: bool,
    },
    /// A file is being read.
    File {
        /// Its path.
        path: PathBuf,
    },
    /// A batch was committed and can be searched.
    Committed {
        /// Files looked at so far.
        files: u64,
        /// Passages so far.
        passages: u64,
        /// Bytes read so far.
        bytes: u64,
    },
    /// Passages were embedded.
    Embedded {
        /// `static` or `transformer`.
        tier: &'static str,
        /// Passages done.
        done: u64,
        /// Passages that wait.
        pending: u64,
    },
}

/// Receives events. Called from worker threads; must be quick.
pub trait Progress: Sync {
    /// Something happened.
    fn report(&self, event: IndexEvent);
}

impl<F: Fn(IndexEvent) + Sync> Progress for F {
    fn report(&self, event: IndexEvent) {
        self(event);
    }
}

/// How a root was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootOutcome {
    /// Its path.
    pub path: PathBuf,
    /// `complete`, `missing`, `unreadable`, or `pending` where the run was stopped before its end.
    pub state: &'static str,
    /// Files under it that were looked at.
    pub files: u64,
    /// A sentence where there is something to know.
    pub note: Option<String>,
}

/// What indexing did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexSummary {
    /// Roots.
    pub roots: Vec<RootOutcome>,
    /// Files whose text was read and published.
    pub indexed: u64,
    /// Files whose bytes are as they were.
    pub unchanged: u64,
    /// Files that were found at a new path.
    pub moved: u64,
    /// Files that are gone.
    pub removed: u64,
    /// Files without text, and paths left out, by reason.
    pub skipped: Vec<(String, u64)>,
    /// Files whose reading failed, by reason.
    pub failed: Vec<(String, u64)>,
    /// Passages published.
    pub passages: u64,
    /// Passages embedded, static and transformer.
    pub embedded: u64,
    /// Passages that still wait for the transformer.
    pub pending: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// Wall time.
    pub elapsed: Duration,
    /// Sentences that the reader should know.
    pub notes: Vec<String>,
}

/// How to sharpen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SharpenRequest {
    /// Stop after this long; `None` goes on to the end.
    pub budget: Option<Duration>,
    /// Use both cores.
    pub fast: bool,
}

/// What sharpening did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SharpenSummary {
    /// Passages embedded.
    pub embedded: u64,
    /// Passages that still wait.
    pub pending: u64,
}

/// What forgetting a root removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForgetSummary {
    /// The root.
    pub path: PathBuf,
    /// Documents that went.
    pub documents: u64,
}

/// Threads at full speed: these machines and most laptops share two performance cores between
/// everything; the kernels use one each.
const FAST_THREADS: usize = 2;

impl Engine {
    /// Remembers the paths as roots and brings the index up to date with the disk: words and static
    /// vectors for everything, and with `full` the transformer's as well.
    ///
    /// # Errors
    /// [`EngineError::NoSuchPath`] for a path that is not there, or a failure of a part. What was
    /// committed before a failure stays searchable.
    pub fn index(&self, request: &IndexRequest, progress: &dyn Progress, stop: &Stop) -> Result<IndexSummary> {
        match self.index_once(request, progress, stop) {
            // The database is derived: what is damaged is set aside and built again from the disk.
            Err(error) if error.is_damaged_index() => {
                let aside = self.home().set_damaged_index_aside()?;
                let mut summary = self.index_once(request, progress, stop)?;
                summary.notes.push(format!(
                    "the index was damaged and has been built again; the damaged one may be deleted: {}",
                    aside.display()
                ));
                Ok(summary)
            }
            outcome => outcome,
        }
    }

    fn index_once(&self, request: &IndexRequest, progress: &dyn Progress, stop: &Stop) -> Result<IndexSummary> {
        let started = Instant::now();
        let mut store = self.writer()?;
        let caches = Caches::open(&self.home().cache())?;
        let mut roots: Vec<PathBuf> = request.paths.iter().map(|path| self.working_folder().join(path)).collect();
        let recalled = self.recall_roots(&mut store)?;
        if !roots.is_empty() {
            roots.extend(recalled);
        }
        let at_once = self.register_models(&mut store)?;
        if !request.fast {
            bethink_ingest::be_a_good_guest();
        }
        let listener = Listener { engine: self, progress };
        let summary = Indexer::new(self.indexer_parts(&mut store, &caches, &at_once)).index(
            &roots,
            &IndexOptions::default(),
            &listener,
            stop,
        )?;
        let mut summary = IndexSummary::from(summary);
        if !summary.interrupted && summary.indexed == 0 {
            self.record_sweep(started.elapsed());
        }
        let roots = store.roots()?;
        self.home().remember_roots(roots.iter().map(|root| root.path.as_path()))?;
        if !stop.is_requested() {
            self.follow_memory(None)?;
        }
        if request.full && !stop.is_requested() {
            self.hasten_what_was_opened(&mut store)?;
            let sharpened = self.sharpen_with(
                &mut store,
                &SharpenOptions {
                    threads: if request.fast { FAST_THREADS } else { 1 },
                    budget: None,
                    // Somebody waits for the end of this run, so it takes what its priority lets it have.
                    processor_percent: None,
                },
                progress,
                stop,
            )?;
            summary.embedded += sharpened.embedded;
        }
        if !stop.is_requested() && self.is_purge_worth_it(&store, summary.removed)? {
            // A reader at work keeps the log from being emptied; the next run does it.
            if let Err(error) = bethink_ingest::purge(&mut self.indexer_parts(&mut store, &caches, &[]), stop) {
                tracing::warn!(%error, "what was deleted is not purged yet");
            }
        }
        summary.pending = self.waiting_for_transformer(&store)?;
        summary.interrupted |= stop.is_requested();
        if !stop.is_requested() {
            self.collect_names(NAMES_AFTER_INDEXING)?;
        }
        if self.open_models().is_empty() {
            summary.notes.push(NO_MODEL.to_owned());
        }
        summary.elapsed = started.elapsed();
        Ok(summary)
    }

    /// Tells the store of the roots that are remembered beside it: one that was deleted or built anew
    /// learns of them so. Gives those that it did not know.
    pub(crate) fn recall_roots(&self, store: &mut SqliteIndex) -> Result<Vec<PathBuf>> {
        let known: Vec<PathBuf> = store.roots()?.into_iter().map(|root| root.path).collect();
        let recalled: Vec<PathBuf> = self.home().roots().into_iter().filter(|root| !known.contains(root)).collect();
        for root in &recalled {
            store.add_root(root)?;
        }
        Ok(recalled)
    }

    /// Forgets a root and everything that is known of what lies under it, physically.
    ///
    /// # Errors
    /// [`EngineError::NotIndexed`] where there is no such root, or a failure of a part.
    pub fn forget(&self, path: &Path) -> Result<ForgetSummary> {
        let absolute = self.absolute(path);
        let mut store = self.writer()?;
        let caches = Caches::open(&self.home().cache())?;
        let mut parts = self.indexer_parts(&mut store, &caches, &[]);
        let forgotten = bethink_ingest::forget(&mut parts, &absolute, &Silent, &Stop::new())?;
        match forgotten {
            Some(forgotten) => {
                let roots = store.roots()?;
                self.home().remember_roots(roots.iter().map(|root| root.path.as_path()))?;
                self.collect_names(NAMES_AFTER_INDEXING)?;
                Ok(ForgetSummary { path: absolute, documents: forgotten.documents })
            }
            None => Err(EngineError::NotIndexed {
                path: absolute,
                reason: "it is not one of the remembered folders (see: bethink status)".to_owned(),
            }),
        }
    }

    /// Gives passages their transformer vectors, those of the files that were changed or opened last first.
    ///
    /// # Errors
    /// When the store or a cache fails.
    pub fn sharpen(&self, request: &SharpenRequest, progress: &dyn Progress, stop: &Stop) -> Result<SharpenSummary> {
        let mut store = self.writer()?;
        self.hasten_what_was_opened(&mut store)?;
        let options = SharpenOptions {
            threads: if request.fast { FAST_THREADS } else { 1 },
            budget: request.budget,
            processor_percent: if request.fast { None } else { SharpenOptions::default().processor_percent },
        };
        self.sharpen_with(&mut store, &options, progress, stop)
    }

    pub(crate) fn sharpen_with(
        &self,
        store: &mut SqliteIndex,
        options: &SharpenOptions,
        progress: &dyn Progress,
        stop: &Stop,
    ) -> Result<SharpenSummary> {
        let caches = Caches::open(&self.home().cache())?;
        let listener = Listener { engine: self, progress };
        let mut summary = SharpenSummary::default();
        for model in self.open_models().iter().filter(|model| model.tier == Tier::Transformer) {
            let report = bethink_ingest::sharpen(
                store,
                &caches,
                model.embedder.as_ref(),
                options,
                self.clock(),
                &listener,
                stop,
            )?;
            summary.embedded += report.embedded;
            summary.pending += report.pending;
        }
        Ok(summary)
    }

    /// Tells the store of the models that are here, and gives those that embed each batch at once.
    pub(crate) fn register_models(&self, store: &mut SqliteIndex) -> Result<Vec<&dyn Embedder>> {
        let models = self.open_models();
        for model in models {
            store.register_model(&model_spec(model.embedder.as_ref()))?;
        }
        Ok(models.iter().filter(|model| model.tier == Tier::Static).map(|model| model.embedder.as_ref()).collect())
    }

    /// What the write path works with.
    pub(crate) fn indexer_parts<'p>(
        &'p self,
        store: &'p mut SqliteIndex,
        caches: &'p Caches,
        embedders: &'p [&'p dyn Embedder],
    ) -> IndexerParts<'p> {
        IndexerParts {
            store,
            caches,
            home: self.home().folder(),
            extracting: self.extractor(),
            embedders,
            clock: self.clock(),
        }
    }

    /// Whether what was deleted, in this run or before it, is made unreadable right now. That rewrites
    /// the database, so a large one waits until enough has gone; `forget` never waits. Where nothing was
    /// deleted it costs nothing.
    fn is_purge_worth_it(&self, reader: &dyn IndexReader, removed: u64) -> Result<bool> {
        let statistics = reader.statistics(None)?;
        Ok(statistics.database_bytes < PURGED_AT_ONCE_BYTES || removed * 20 > statistics.documents)
    }

    fn waiting_for_transformer(&self, reader: &dyn IndexReader) -> Result<u64> {
        let installed: Vec<ModelId> =
            self.open_models().iter().map(|model| model_spec(model.embedder.as_ref()).id).collect();
        Ok(reader
            .tiers()?
            .iter()
            .filter(|progress| progress.model.tier == Tier::Transformer && installed.contains(&progress.model.id))
            .map(|progress| progress.pending)
            .sum())
    }

    /// Whether any root is remembered, be it only beside a database that is gone or damaged.
    pub fn has_roots(&self) -> bool {
        let in_store = self.reader().ok().flatten().and_then(|reader| reader.roots().ok());
        in_store.is_some_and(|roots| !roots.is_empty()) || !self.home().roots().is_empty()
    }

    /// Folders that most people keep their own things in, of those that are here.
    pub fn suggested_roots(&self) -> Vec<PathBuf> {
        const USUAL: [&str; 8] = ["Documents", "Desktop", "Downloads", "Notes", "notes", "Obsidian", "Projects", "src"];
        let Some(home) = self.user_home() else { return Vec::new() };
        USUAL.iter().map(|name| home.join(name)).filter(|folder| folder.is_dir()).collect()
    }
}

/// A database up to this size is rewritten after every run that removed something: it takes about a
/// second.
const PURGED_AT_ONCE_BYTES: u64 = 128 * 1024 * 1024;

/// How long names are collected after an index run; what is not reached by then is collected by the
/// next `find` that misses.
const NAMES_AFTER_INDEXING: Duration = Duration::from_secs(20);

/// Translates the write path's events into ours.
pub(crate) struct Listener<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) progress: &'a dyn Progress,
}

impl bethink_ingest::Progress for Listener<'_> {
    fn event(&self, event: Event<'_>) {
        let event = match event {
            Event::Phase(_) => return,
            Event::WaitingForOther => IndexEvent::Waiting,
            Event::Walked { files, .. } => IndexEvent::Walked { files, done: false },
            Event::WalkEnded { to_read, .. } => IndexEvent::Walked { files: to_read, done: true },
            Event::FileStarted { path } => IndexEvent::File { path: path.to_owned() },
            Event::Committed { files, passages, bytes } => IndexEvent::Committed { files, passages, bytes },
            Event::Embedded { model, done, pending } => {
                let tier = self
                    .engine
                    .open_models()
                    .iter()
                    .find(|open| open.embedder.spec().id == *model)
                    .map_or("static", |open| tier_name(open.tier));
                IndexEvent::Embedded { tier, done, pending }
            }
        };
        self.progress.report(event);
    }
}

/// The word for a tier in output and JSON.
pub(crate) fn tier_name(tier: Tier) -> &'static str {
    match tier {
        Tier::Static => "static",
        Tier::Transformer => "transformer",
    }
}

/// The word for a root's state in output and JSON.
pub(crate) fn root_state_name(state: &RootState) -> &'static str {
    match state {
        RootState::Pending => "pending",
        RootState::Complete => "complete",
        RootState::Missing => "missing",
        RootState::Unreadable(_) => "unreadable",
    }
}

impl From<bethink_ingest::Summary> for IndexSummary {
    fn from(summary: bethink_ingest::Summary) -> Self {
        let by_reason = |counts: BTreeMap<ProblemKind, u64>| -> Vec<(String, u64)> {
            counts.into_iter().map(|(kind, number)| (kind.name().to_owned(), number)).collect()
        };
        let mut skipped = by_reason(summary.skipped);
        let mut passed_over: BTreeMap<PassedOver, u64> = BTreeMap::new();
        for root in &summary.roots {
            for (reason, number) in &root.passed_over {
                *passed_over.entry(*reason).or_insert(0) += number;
            }
        }
        skipped.extend(passed_over.into_iter().map(|(reason, number)| (reason.name().to_owned(), number)));
        Self {
            roots: summary.roots.into_iter().map(RootOutcome::from).collect(),
            indexed: summary.indexed,
            unchanged: summary.unchanged,
            moved: summary.moved,
            removed: summary.removed,
            skipped,
            failed: by_reason(summary.failed),
            passages: summary.passages,
            embedded: summary.embedded,
            pending: 0,
            bytes: summary.bytes,
            interrupted: summary.stopped,
            elapsed: summary.elapsed,
            notes: Vec::new(),
        }
    }
}

impl From<bethink_ingest::RootReport> for RootOutcome {
    fn from(root: bethink_ingest::RootReport) -> Self {
        let note = match &root.state {
            RootState::Missing => {
                Some("(not there; what was indexed is kept. If it is gone for good: bethink index --forget)".to_owned())
            }
            RootState::Unreadable(reason) => Some(format!("({reason}; what was indexed is kept)")),
            RootState::Complete if root.files == 0 => {
                let reasons: Vec<String> =
                    root.passed_over.iter().map(|(reason, number)| format!("{number} {}", reason.name())).collect();
                let why = if reasons.is_empty() { "it is empty".to_owned() } else { reasons.join(", ") };
                Some(format!("(0 files: {why})"))
            }
            RootState::Complete if root.kept > 0 => {
                Some(format!("({} documents are kept although they cannot be seen at the moment)", root.kept))
            }
            RootState::Complete | RootState::Pending => None,
        };
        Self { path: root.path, state: root_state_name(&root.state), files: root.files, note }
    }
}
