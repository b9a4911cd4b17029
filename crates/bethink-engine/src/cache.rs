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

impl Engine {
    /// Opens the caches. One that is behind the store is caught up first, if nobody else is doing so,
    /// within the budget; what is missing then is told.
    pub(crate) fn caches(&self, reader: &dyn IndexReader, budget: Duration) -> Result<OpenCaches<'_>> {
        let caches = Caches::open(&self.home().cache())?;
        let mut notes = Vec::new();
        let is_behind = self.bring_up(&caches, reader, budget, &mut notes)?;
        let lexicon = Lexicon::open(&caches.lexicon())?;
        let mut matrices = Vec::new();
        // Without vectors in the store there is nothing to compare with, and the model stays closed.
        let tiers = reader.tiers()?;
        for model in self.open_models() {
            let spec = model_spec(model.embedder.as_ref());
            let is_started = tiers.iter().any(|progress| progress.model.id == spec.id && progress.done > 0);
            // When the transformer has seen everything, the static model has nothing to add.
            let is_superseded = model.tier == Tier::Static
                && tiers.iter().any(|progress| {
                    progress.model.tier == Tier::Transformer
                        && progress.pending == 0
                        && progress.failed == 0
                        && progress.done > 0
                        && self.open_models().iter().any(|other| other.embedder.spec().id == progress.model.id)
                });
            if !is_started || is_superseded {
                continue;
            }
            if let Some(matrix) = Matrix::open(&caches.matrix(&spec.id))?
                && matrix.rows() > 0
            {
                matrices.push((model, matrix));
            }
        }
        Ok(OpenCaches { lexicon, matrices, notes, is_behind })
    }

    /// Brings the caches up to what the store holds now, or waits for whoever is doing so. Whether
    /// something is missing from them when the budget is spent.
    fn bring_up(
        &self,
        caches: &Caches,
        reader: &dyn IndexReader,
        budget: Duration,
        notes: &mut Vec<String>,
    ) -> Result<bool> {
        let deadline = Instant::now() + budget;
        // What is published while we wait is for the next question, or waiting might never end.
        let wanted = reader.sequence()?;
        while !self.are_current(caches, reader, wanted)? {
            let left = deadline.saturating_duration_since(Instant::now());
            match caches.catch_up(reader, Some(left), &Stop::new()) {
                Ok(Some(done)) if done.complete => return Ok(false),
                Ok(Some(_)) => {}
                Ok(None) if !left.is_zero() => {
                    std::thread::sleep(LOOK_AGAIN.min(left));
                    continue;
                }
                Ok(None) => {}
                // A cache that cannot be written (a full disk, a read-only medium) still answers from
                // what it has, and the store confirms each hit.
                Err(error) => {
                    notes.push(format!("the caches could not be brought up to date: {error}"));
                    return Ok(true);
                }
            }
            notes.push("some of what was read is not searchable yet; ask again in a moment".to_owned());
            return Ok(true);
        }
        Ok(false)
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

    /// Whether every cache is built from this store up to this change.
    fn are_current(&self, caches: &Caches, reader: &dyn IndexReader, newest: Sequence) -> Result<bool> {
        let store = reader.store_id()?.0;
        let lexicon = Lexicon::open(&caches.lexicon())?.map(|lexicon| lexicon.stamp());
        if lexicon.is_none_or(|stamp| stamp.store != store || stamp.sequence < newest) {
            return Ok(false);
        }
        for progress in reader.tiers()? {
            if progress.done == 0 {
                continue;
            }
            let Some(matrix) = Matrix::open(&caches.matrix(&progress.model.id))? else { return Ok(false) };
            let stamp = matrix.stamp();
            let is_behind = stamp.cache.store != store
                || stamp.cache.sequence < newest
                || !reader.vectors_after(&progress.model.id, stamp.vector, 1)?.is_empty();
            if is_behind {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
