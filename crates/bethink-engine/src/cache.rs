//! The caches as a question finds them: brought up to the store within a budget, then opened.

use std::time::Duration;

use bethink_index::{Lexicon, Matrix};
use bethink_ingest::{Caches, Stop, model_spec};
use bethink_search::SemanticTier;
use bethink_store::{IndexReader, Tier};

use crate::engine::Engine;
use crate::error::Result;
use crate::model::OpenModel;

/// What a question maps into memory.
pub(crate) struct OpenCaches<'e> {
    pub(crate) lexicon: Option<Lexicon>,
    matrices: Vec<(&'e OpenModel, Matrix)>,
    pub(crate) notes: Vec<String>,
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
        if !self.are_current(&caches, reader)? {
            match caches.catch_up(reader, Some(budget), &Stop::new()) {
                Ok(Some(done)) if !done.complete => {
                    notes.push("the index is still being brought up to date; ask again for the rest".to_owned());
                }
                // Another process is writing the caches right now; its last commit answers.
                Ok(_) => {}
                // A cache that cannot be written (a full disk, a read-only medium) still answers from
                // what it has, and the store confirms each hit.
                Err(error) => notes.push(format!("the caches could not be brought up to date: {error}")),
            }
        }
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
        Ok(OpenCaches { lexicon, matrices, notes })
    }

    /// Whether every cache is built from this store up to its newest change.
    fn are_current(&self, caches: &Caches, reader: &dyn IndexReader) -> Result<bool> {
        let store = reader.store_id()?.0;
        let newest = reader.sequence()?;
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
