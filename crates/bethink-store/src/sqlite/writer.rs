//! The changes: each verb one transaction.

use std::path::Path;
use std::time::Duration;

use bethink_core::{DocumentId, ModelId, RootId, UnixMillis, path_bytes};

use super::handle::SqliteIndex;
use super::reader::one;
use super::{batch, embedding, purge, row};
use crate::record::{Applied, Batch, EmbeddingClaim, Forgotten, ModelSpec, NewVector, Root, RootState};
use crate::{IndexWriter, Result, StoreError};

impl IndexWriter for SqliteIndex {
    fn add_root(&mut self, path: &Path) -> Result<Root> {
        self.write("added a root", |connection| {
            let path = path_bytes(path);
            connection.prepare_cached("INSERT OR IGNORE INTO root (path) VALUES (?1)")?.execute([&path])?;
            let sql = "SELECT id, path, state, reason, completed FROM root WHERE path = ?1";
            one(connection, sql, [&path], row::root)
        })
    }

    fn record_root_state(&mut self, root: RootId, state: RootState, at: UnixMillis) -> Result<()> {
        self.write("recorded the state of a root", |connection| {
            let (number, reason) = row::root_state_columns(&state);
            let completed = (state == RootState::Complete).then_some(at.0);
            let sql = "UPDATE root SET state = ?2, reason = ?3, completed = coalesce(?4, completed) WHERE id = ?1";
            match connection.prepare_cached(sql)?.execute((root.0.cast_signed(), number, reason, completed))? {
                0 => Err(StoreError::UnknownRoot(root).into()),
                _ => Ok(()),
            }
        })
    }

    fn forget_root(&mut self, root: RootId) -> Result<Forgotten> {
        self.write("forgot a root", |connection| batch::forget_root(connection, root))
    }

    fn apply(&mut self, batch: &Batch) -> Result<Applied> {
        batch::check(batch)?;
        let span = tracing::debug_span!("apply", publications = batch.publications.len());
        let _inside = span.enter();
        self.write("published a batch", |connection| batch::apply(connection, batch))
    }

    fn register_model(&mut self, model: &ModelSpec) -> Result<()> {
        self.write("registered a model", |connection| embedding::register(connection, model))
    }

    fn forget_model(&mut self, model: &ModelId) -> Result<()> {
        self.write("forgot a model", |connection| embedding::forget(connection, model))
    }

    fn claim_embeddings(
        &mut self,
        model: &ModelId,
        limit: usize,
        now: UnixMillis,
        lease: Duration,
    ) -> Result<EmbeddingClaim> {
        loop {
            let waits = limit > 0
                && self.read("looked for waiting passages", |connection| {
                    embedding::is_waiting(connection, model, now, lease)
                })?;
            let limit = if waits { limit } else { 0 };
            let claim = |connection: &_| embedding::claim(connection, model, limit, now, lease);
            // An empty claim changes nothing, so it needs no lock on the database.
            let claimed =
                if waits { self.write("claimed passages", claim)? } else { self.read("claimed passages", claim)? };
            // Each turn without a claim took at least one passage off the queue, so this ends.
            if let Some(claim) = claimed {
                return Ok(claim);
            }
        }
    }

    fn hasten_embeddings(&mut self, urgent: &[(DocumentId, UnixMillis)]) -> Result<u64> {
        // What would move nothing needs no lock on the database.
        if !self.read("looked for urgent passages", |connection| embedding::would_hasten(connection, urgent))? {
            return Ok(0);
        }
        self.write("made passages urgent", |connection| embedding::hasten(connection, urgent))
    }

    fn publish_vectors(&mut self, claim: &EmbeddingClaim, vectors: &[NewVector]) -> Result<u64> {
        self.write("published vectors", |connection| embedding::publish(connection, claim, vectors))
    }

    fn release_claim(&mut self, claim: &EmbeddingClaim) -> Result<()> {
        self.write("released a claim", |connection| embedding::release(connection, claim))
    }

    fn compact(&mut self) -> Result<()> {
        self.write("pruned its changes", purge::prune_changes)?;
        self.maintain("purged what was deleted", purge::purge)
    }
}
