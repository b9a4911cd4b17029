//! The caches as a question finds them: brought up to the store within a budget, then opened.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use bethink_core::Sequence;
use bethink_index::{Lexicon, Matrix};
use bethink_ingest::{Caches, Stop, model_spec};
use bethink_search::SemanticTier;
use bethink_store::{IndexReader, Tier};

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::model::OpenModel;

/// How often a question looks whether the process that writes the caches has come far enough.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// What a question maps into memory.
pub(crate) struct OpenCaches<'e> {
    pub(crate) lexicon: Option<Lexicon>,
    matrices: Vec<(&'e OpenModel, Matrix)>,
    pub(crate) notes: Vec<String>,
    /// Passages that can be found by words.
    pub(crate) passages: u64,
    /// For each installed model's tier, the passages that wait for it.
    pub(crate) progress: Vec<(Tier, u64)>,
    /// Whether the store holds more than the caches do, so that a miss means little.
    pub(crate) is_behind: bool,
}

impl OpenCaches<'_> {
    /// The semantic tiers, static first.
    pub(crate) fn tiers(&self) -> Vec<SemanticTier<'_>> {
        self.matrices
            .iter()
            .map(|(model, matrix)| SemanticTier { tier: model.tier, matrix, embedder: model.embedder.as_ref() })
            .collect()
    }
}

/// The caches as they are on the disk; what is missing or damaged is `None`.
struct Opened<'e> {
    lexicon: Option<Lexicon>,
    matrices: Vec<(&'e OpenModel, Option<Matrix>)>,
}

impl Engine {
    /// Opens the caches. One that is behind the store is caught up first, if nobody else is doing so,
    /// within the budget; what is missing then is told.
    pub(crate) fn caches(&self, reader: &dyn IndexReader, budget: Duration) -> Result<OpenCaches<'_>> {
        let caches = Caches::open(&self.home().cache())?;
        let mut notes = Vec::new();
        let (Opened { lexicon, matrices }, is_behind) = self.bring_up(&caches, reader, budget, &mut notes)?;
        // Counting rows in the store costs more than answering, so the caches say themselves how far
        // each model has come; a model that has seen nothing stays closed.
        let passages = lexicon.as_ref().map_or(0, Lexicon::passage_count);
        let mut matrices: Vec<(&OpenModel, Matrix)> = matrices
            .into_iter()
            .filter_map(|(model, matrix)| Some((model, matrix.filter(|matrix| matrix.rows() > 0)?)))
            .collect();
        let mut progress = Vec::new();
        for model in self.open_models() {
            let seen =
                matrices.iter().find(|(open, _)| open.tier == model.tier).map_or(0, |(_, matrix)| matrix.rows() as u64);
            let waiting =
                if reader.has_waiting(&model.embedder.spec().id)? { passages.saturating_sub(seen) } else { 0 };
            progress.push((model.tier, waiting));
        }
        // When the transformer has seen everything, the static model has nothing to add.
        let is_sharp = progress.contains(&(Tier::Transformer, 0));
        if is_sharp && matrices.iter().any(|(model, _)| model.tier == Tier::Transformer) {
            matrices.retain(|(model, _)| model.tier == Tier::Transformer);
        }
        Ok(OpenCaches { lexicon, matrices, notes, is_behind, passages, progress })
    }

    /// Brings the caches up to what the store holds now, or waits for whoever is doing so, and opens them.
    /// Whether something is missing from them when the budget is spent.
    fn bring_up(
        &self,
        caches: &Caches,
        reader: &dyn IndexReader,
        budget: Duration,
        notes: &mut Vec<String>,
    ) -> Result<(Opened<'_>, bool)> {
        let deadline = Instant::now() + budget;
        // What is published while we wait is for the next question, or waiting might never end.
        let wanted = reader.sequence()?;
        loop {
            let opened = self.as_they_are(caches)?;
            if is_current(&opened, reader, wanted)? {
                return Ok((opened, false));
            }
            if self.home().is_read_only() {
                notes.push("some of what was read is not searchable, since the caches cannot be brought up".to_owned());
                return Ok((opened, true));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match caches.catch_up(reader, Some(left), &Stop::new()) {
                Ok(Some(done)) if done.complete => return Ok((self.as_they_are(caches)?, false)),
                Ok(None) if !left.is_zero() => {
                    std::thread::sleep(LOOK_AGAIN.min(left));
                    continue;
                }
                Ok(_) => {
                    notes.push("some of what was read is not searchable yet; ask again in a moment".to_owned());
                }
                // A cache that cannot be written (a full disk, a read-only medium) still answers from
                // what it has, and the store confirms each hit.
                Err(error) => notes.push(format!("the caches could not be brought up to date: {error}")),
            }
            return Ok((self.as_they_are(caches)?, true));
        }
    }

    fn as_they_are(&self, caches: &Caches) -> Result<Opened<'_>> {
        let mut matrices = Vec::new();
        for model in self.open_models() {
            let spec = model_spec(model.embedder.as_ref());
            matrices.push((model, Matrix::open(&caches.matrix(&spec.id))?));
        }
        Ok(Opened { lexicon: Lexicon::open(&caches.lexicon())?, matrices })
    }

    /// Throws the caches away and builds them again, because one of them turned out to be damaged.
    pub(crate) fn rebuild_caches(&self, reader: &dyn IndexReader) -> Result<()> {
        let caches = Caches::open(&self.home().cache())?;
        let stop = Stop::new();
        if let Some(mut writer) = caches.writer(&stop)? {
            let mut folders = vec![caches.lexicon()];
            folders.extend(reader.tiers()?.iter().map(|progress| caches.matrix(&progress.model.id)));
            for folder in folders {
                match fs::remove_dir_all(&folder) {
                    Ok(()) => {}
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(source) => return Err(EngineError::Home { path: folder, source }),
                }
            }
            writer.catch_up(reader, None, &stop)?;
        }
        Ok(())
    }
}

/// Whether every cache is built from this store up to this change.
fn is_current(opened: &Opened<'_>, reader: &dyn IndexReader, newest: Sequence) -> Result<bool> {
    let store = reader.store_id()?.0;
    let lexicon = opened.lexicon.as_ref().map(Lexicon::stamp);
    if lexicon.is_none_or(|stamp| stamp.store != store || stamp.sequence < newest) {
        return Ok(false);
    }
    for (model, matrix) in &opened.matrices {
        let stamp = matrix.as_ref().map(Matrix::stamp);
        let seen = stamp.as_ref().map_or(Sequence(0), |stamp| stamp.vector);
        let is_stale =
            stamp.is_some_and(|stamp| stamp.cache.store != store || stamp.cache.sequence < newest && seen.0 > 0);
        if is_stale || !reader.vectors_after(&model.embedder.spec().id, seen, 1)?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}
