//! The caches that follow the store: the lexicon, and a matrix for each model.
//!
//! Each names the store and the sequence that it was built from. Catching up means asking the store
//! for the changes after that sequence and looking the present state up, so that replaying is
//! harmless and being killed costs the work since the last commit. A cache that is missing, damaged,
//! of another store, or older than the store's memory of changes is thrown away and built again from
//! what is live.
//!
//! One process at a time writes, under a lock in the folder; whoever does not get it lets the other do
//! the work.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bethink_core::{ContentId, DocumentId, ModelId, Sequence};
use bethink_index::{IndexError, LexicalPassage, LexiconWriter, MatrixWriter, VectorRow};
use bethink_store::{Changed, IndexReader, ModelSpec};

use crate::error::{IngestError, Result};
use crate::lock::{CACHE_LOCK, ExclusiveLock};
use crate::stop::Stop;

/// Changes, contents or documents asked for at a time.
const PAGE: usize = 500;

/// Bytes of text that go into a lexicon in a second, at the least: a rebuild that cannot end within a
/// budget is not begun. Measured at 29 MB/s on one core of 2026 with another core for merging.
const LEXICON_BYTES_A_SECOND: u64 = 15_000_000;

/// Vectors asked for at a time: 4096 of 384 numbers are 6 MB.
const VECTOR_PAGE: usize = 4_096;

/// The caches of one data home.
#[derive(Debug, Clone)]
pub struct Caches {
    folder: PathBuf,
}

/// How far a catch-up came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CaughtUp {
    /// Whether everything was brought up; if not, time ran out and the rest is for the next time.
    pub complete: bool,
    /// Texts that were added to the lexicon.
    pub contents: u64,
    /// Documents whose name or title was brought up.
    pub documents: u64,
    /// Vectors that were added to matrices.
    pub vectors: u64,
    /// Caches that were built again from nothing.
    pub rebuilt: u64,
}

impl Caches {
    /// The caches in this folder, which is made if it is not there.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|source| IngestError::Home { path: folder.to_path_buf(), source })?;
        Ok(Self { folder: folder.to_path_buf() })
    }

    /// The folder of all caches.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of the lexicon.
    pub fn lexicon(&self) -> PathBuf {
        self.folder.join("lexicon")
    }

    /// The folder of a model's matrix.
    pub fn matrix(&self, model: &ModelId) -> PathBuf {
        // An identity is made of letters, digits and hyphens; anything else must not become a path.
        let safe: String = model
            .0
            .chars()
            .map(
                |character| if character.is_ascii_alphanumeric() || "-_".contains(character) { character } else { '_' },
            )
            .collect();
        self.folder.join(format!("{MATRIX_PREFIX}{safe}"))
    }

    /// The file of names.
    pub fn names(&self) -> PathBuf {
        self.folder.join("names")
    }

    /// Caches that were deleted are built again; in a home that was deleted there is nothing to build
    /// them from, and making the folder would leave half a home behind.
    fn refuse_removed_home(&self) -> Result<()> {
        match self.folder.parent() {
            Some(home) if !self.folder.exists() && !home.exists() => {
                Err(IngestError::HomeRemoved { path: home.to_path_buf() })
            }
            _ => Ok(()),
        }
    }

    /// The right to write, if nobody has it.
    ///
    /// # Errors
    /// The lock file cannot be used.
    pub fn try_writer(&self) -> Result<Option<CacheWriter>> {
        self.refuse_removed_home()?;
        let lock = ExclusiveLock::try_take(&self.folder.join(CACHE_LOCK))?;
        Ok(lock.map(|lock| CacheWriter::new(self.clone(), lock)))
    }

    /// The right to write, waiting for whoever has it; `None` if asked to stop meanwhile.
    ///
    /// # Errors
    /// The lock file cannot be used.
    pub fn writer(&self, stop: &Stop) -> Result<Option<CacheWriter>> {
        self.refuse_removed_home()?;
        let lock = ExclusiveLock::take(&self.folder.join(CACHE_LOCK), stop, || {})?;
        Ok(lock.map(|lock| CacheWriter::new(self.clone(), lock)))
    }

    /// Brings every cache up within a budget; `None` if another process is writing, which then does
    /// this work too.
    ///
    /// # Errors
    /// A failure of the data plane or of a cache.
    pub fn catch_up(
        &self,
        reader: &dyn IndexReader,
        budget: Option<Duration>,
        stop: &Stop,
    ) -> Result<Option<CaughtUp>> {
        match self.try_writer()? {
            Some(mut writer) => writer.catch_up(reader, budget, stop).map(Some),
            None => Ok(None),
        }
    }
}

const MATRIX_PREFIX: &str = "matrix-";

/// The right to write the caches, with the writers that are open.
pub struct CacheWriter {
    caches: Caches,
    // Declared before the lock, so that the writers are closed before it falls.
    lexicon: Option<LexiconWriter>,
    matrices: BTreeMap<ModelId, MatrixWriter>,
    _lock: ExclusiveLock,
}

/// When a catch-up has to end.
struct Until<'until> {
    deadline: Option<Instant>,
    stop: &'until Stop,
}

impl Until<'_> {
    fn is_over(&self) -> bool {
        self.stop.is_requested() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether so much text can be put into a lexicon before the end.
    fn leaves_time_for(&self, text_bytes: u64) -> bool {
        self.deadline.is_none_or(|deadline| {
            let needed = Duration::from_millis(text_bytes.saturating_mul(1_000) / LEXICON_BYTES_A_SECOND);
            deadline.saturating_duration_since(Instant::now()) >= needed
        })
    }
}

impl CacheWriter {
    fn new(caches: Caches, lock: ExclusiveLock) -> Self {
        Self { caches, lexicon: None, matrices: BTreeMap::new(), _lock: lock }
    }

    /// Brings every cache up, the lexicon first. What is damaged is thrown away and built again.
    ///
    /// # Errors
    /// A failure of the data plane or of the system; damage is none.
    pub fn catch_up(&mut self, reader: &dyn IndexReader, budget: Option<Duration>, stop: &Stop) -> Result<CaughtUp> {
        let until = Until { deadline: budget.map(|budget| Instant::now() + budget), stop };
        let mut done = CaughtUp { complete: true, ..CaughtUp::default() };
        if let Err(error) = self.lexicon_up(reader, &until, &mut done) {
            self.lexicon = None;
            throw_away(&self.caches.lexicon(), error)?;
            done.rebuilt += 1;
            self.lexicon_up(reader, &until, &mut done)?;
        }
        let models: Vec<ModelSpec> = reader.tiers()?.into_iter().map(|tier| tier.model).collect();
        for model in &models {
            if let Err(error) = self.matrix_up(reader, model, &until, &mut done) {
                self.matrices.remove(&model.id);
                throw_away(&self.caches.matrix(&model.id), error)?;
                done.rebuilt += 1;
                self.matrix_up(reader, model, &until, &mut done)?;
            }
        }
        self.drop_strangers(&models)?;
        Ok(done)
    }

    /// Rewrites what still holds forgotten words or vectors, after a catch-up.
    ///
    /// # Errors
    /// A failure of a cache.
    pub fn purge(&mut self, reader: &dyn IndexReader) -> Result<()> {
        let store = reader.store_id()?.0;
        let mut lexicon = match self.lexicon.take() {
            Some(lexicon) => lexicon,
            None => LexiconWriter::open(&self.caches.lexicon(), store)?,
        };
        lexicon.purge()?;
        self.lexicon = Some(lexicon);
        for tier in reader.tiers()? {
            self.open_matrix(store, &tier.model)?.purge()?;
        }
        Ok(())
    }

    fn lexicon_up(&mut self, reader: &dyn IndexReader, until: &Until<'_>, done: &mut CaughtUp) -> Result<()> {
        let store = reader.store_id()?.0;
        if self.lexicon.as_ref().is_some_and(|lexicon| lexicon.stamp().store != store) {
            self.lexicon = None;
        }
        let mut lexicon = match self.lexicon.take() {
            Some(lexicon) => lexicon,
            None => LexiconWriter::open(&self.caches.lexicon(), store)?,
        };
        let built_from = lexicon.stamp().sequence;
        if built_from < reader.oldest_change()? {
            // A half-built lexicon is of no use to anybody, so one that will not be ready in time is
            // left to whoever has the time.
            if !until.leaves_time_for(reader.statistics(None)?.text_bytes) {
                done.complete = false;
                self.lexicon = Some(lexicon);
                return Ok(());
            }
            drop(lexicon);
            remove_folder(&self.caches.lexicon())?;
            lexicon = LexiconWriter::open(&self.caches.lexicon(), store)?;
            done.rebuilt += 1;
            build_lexicon(&mut lexicon, reader, until, done)?;
        } else {
            follow_lexicon(&mut lexicon, reader, until, done)?;
        }
        self.lexicon = Some(lexicon);
        Ok(())
    }

    fn open_matrix(&mut self, store: [u8; 16], model: &ModelSpec) -> Result<&mut MatrixWriter> {
        if !self.matrices.contains_key(&model.id) {
            let folder = self.caches.matrix(&model.id);
            let writer = MatrixWriter::open(&folder, store, &model.id, model.dimension as usize)?;
            self.matrices.insert(model.id.clone(), writer);
        }
        self.matrices.get_mut(&model.id).ok_or_else(|| {
            IngestError::Index(IndexError::Damaged {
                path: self.caches.folder.clone(),
                detail: "a writer was lost".to_owned(),
            })
        })
    }

    fn matrix_up(
        &mut self,
        reader: &dyn IndexReader,
        model: &ModelSpec,
        until: &Until<'_>,
        done: &mut CaughtUp,
    ) -> Result<()> {
        let store = reader.store_id()?.0;
        let oldest = reader.oldest_change()?;
        let stamp = self.open_matrix(store, model)?.stamp();
        let is_empty = stamp.vector == Sequence(0);
        if stamp.cache.store != store || (stamp.cache.sequence < oldest && !is_empty) {
            self.matrices.remove(&model.id);
            remove_folder(&self.caches.matrix(&model.id))?;
            done.rebuilt += 1;
        }
        let newest = reader.sequence()?;
        let matrix = self.open_matrix(store, model)?;
        let stamp = matrix.stamp();
        let (mut change, mut vector) = (stamp.cache.sequence, stamp.vector);
        let mut moved = false;
        if vector == Sequence(0) {
            // An empty matrix has nothing to forget.
            moved |= change != newest;
            change = newest;
        }
        loop {
            let page = reader.changes_after(change, PAGE)?;
            let Some(last) = page.last() else { break };
            change = last.sequence;
            moved = true;
            for content in contents_of(&page) {
                if reader.content(content)?.is_none() {
                    matrix.remove_content(content);
                }
            }
        }
        loop {
            let page = reader.vectors_after(&model.id, vector, VECTOR_PAGE)?;
            let Some(last) = page.last() else { break };
            vector = last.sequence;
            moved = true;
            done.vectors += page.len() as u64;
            let rows: Vec<VectorRow<'_>> = page
                .iter()
                .map(|record| VectorRow { passage: record.passage, content: record.content, vector: &record.vector })
                .collect();
            for row in &rows {
                match matrix.append(std::slice::from_ref(row)) {
                    // One vector without direction is one passage that is not found by meaning.
                    Ok(()) | Err(IndexError::NoDirection) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            if until.is_over() {
                done.complete = false;
                break;
            }
        }
        if moved {
            matrix.commit(change, vector)?;
        }
        Ok(())
    }

    /// Removes matrices of models that the store does not know any more.
    fn drop_strangers(&mut self, models: &[ModelSpec]) -> Result<()> {
        self.matrices.retain(|id, _| models.iter().any(|model| model.id == *id));
        let wanted: BTreeSet<PathBuf> = models.iter().map(|model| self.caches.matrix(&model.id)).collect();
        let folder = &self.caches.folder;
        let entries = fs::read_dir(folder).map_err(|source| IngestError::Home { path: folder.clone(), source })?;
        for entry in entries.flatten() {
            let path = entry.path();
            let is_matrix = entry.file_name().to_string_lossy().starts_with(MATRIX_PREFIX);
            if is_matrix && !wanted.contains(&path) {
                remove_folder(&path)?;
            }
        }
        Ok(())
    }
}

/// Builds an empty lexicon from everything that is live.
fn build_lexicon(
    lexicon: &mut LexiconWriter,
    reader: &dyn IndexReader,
    until: &Until<'_>,
    done: &mut CaughtUp,
) -> Result<()> {
    // Whatever changes while this runs is replayed from here on the next time.
    let sequence = reader.sequence()?;
    let mut after = ContentId(0);
    loop {
        let page = reader.contents_after(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = *last;
        for content in page {
            add_content(lexicon, reader, content, done)?;
        }
        // Once begun, only a stop ends it, never the clock.
        if until.stop.is_requested() {
            done.complete = false;
            return Ok(());
        }
    }
    let mut after: Option<PathBuf> = None;
    loop {
        let page = reader.documents_under(None, after.as_deref(), PAGE)?;
        let Some(last) = page.last() else { break };
        after = Some(last.path.clone());
        for document in page {
            put_document(lexicon, reader, document.id, done)?;
        }
        if until.stop.is_requested() {
            done.complete = false;
            return Ok(());
        }
    }
    Ok(lexicon.commit(sequence)?)
}

/// Replays the changes since the lexicon's last commit.
fn follow_lexicon(
    lexicon: &mut LexiconWriter,
    reader: &dyn IndexReader,
    until: &Until<'_>,
    done: &mut CaughtUp,
) -> Result<()> {
    let mut sequence = lexicon.stamp().sequence;
    let mut moved = false;
    loop {
        let page = reader.changes_after(sequence, PAGE)?;
        let Some(last) = page.last() else { break };
        sequence = last.sequence;
        moved = true;
        for content in contents_of(&page) {
            lexicon.remove_content(content)?;
            add_content(lexicon, reader, content, done)?;
        }
        let documents: BTreeSet<DocumentId> = page
            .iter()
            .filter_map(|change| match change.changed {
                Changed::Document(id) => Some(id),
                Changed::Content(_) => None,
            })
            .collect();
        for document in documents {
            put_document(lexicon, reader, document, done)?;
        }
        if until.is_over() {
            done.complete = false;
            break;
        }
    }
    if moved {
        lexicon.commit(sequence)?;
    }
    Ok(())
}

fn contents_of(page: &[bethink_store::Change]) -> BTreeSet<ContentId> {
    page.iter()
        .filter_map(|change| match change.changed {
            Changed::Content(id) => Some(id),
            Changed::Document(_) => None,
        })
        .collect()
}

fn add_content(
    lexicon: &mut LexiconWriter,
    reader: &dyn IndexReader,
    content: ContentId,
    done: &mut CaughtUp,
) -> Result<()> {
    let Some(record) = reader.content(content)? else { return Ok(()) };
    let passages = reader.passages_of(content)?;
    let lexical: Vec<LexicalPassage<'_>> = passages
        .iter()
        .map(|passage| LexicalPassage { passage: passage.id, heading: &passage.heading, text: &passage.text })
        .collect();
    lexicon.add_passages(content, record.format, &lexical)?;
    done.contents += 1;
    Ok(())
}

fn put_document(
    lexicon: &mut LexiconWriter,
    reader: &dyn IndexReader,
    document: DocumentId,
    done: &mut CaughtUp,
) -> Result<()> {
    done.documents += 1;
    let Some(record) = reader.find_document(document)? else {
        lexicon.remove_document(document)?;
        return Ok(());
    };
    let title = match record.content {
        Some(content) => reader.content(content)?.and_then(|content| content.title),
        None => None,
    };
    lexicon.put_document(document, &record.path, title.as_deref())?;
    Ok(())
}

/// Throws a damaged cache away; what is not damage is handed back.
fn throw_away(folder: &Path, error: IngestError) -> Result<()> {
    match error {
        IngestError::Index(IndexError::Damaged { .. } | IndexError::Lexical { .. } | IndexError::Dimension { .. }) => {
            tracing::warn!("a cache is damaged and is built again");
            remove_folder(folder)
        }
        other => Err(other),
    }
}

fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(IngestError::Home { path: folder.to_path_buf(), source })
        }
        _ => Ok(()),
    }
}
