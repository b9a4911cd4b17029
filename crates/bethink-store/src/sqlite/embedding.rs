//! Models, the queue of passages that lack a vector, claims on it, and the vectors themselves.
//!
//! Every passage has, for every model, either a vector or one row in the queue: waiting, leased, or
//! failed for good. A claim is a lease with a fence: the rows carry the claim's fence, every claim
//! raises it, and a vector is taken only while its row still carries the claim's. So a worker that was
//! paused, superseded or left behind by an edit publishes nothing.

use std::collections::HashSet;
use std::time::Duration;

use bethink_core::{ContentId, DocumentId, Fence, ModelId, PassageId, PassageKey, UnixMillis};
use rusqlite::{Connection, params};

use super::batch::note_residue;
use super::failure::Attempt;
use super::reader::{find, model_number, one, rows};
use super::row;
use crate::StoreError;
use crate::record::{EmbeddingClaim, EmbeddingTask, ModelSpec, NewVector};

/// A lease that ends later than its own length and this from now was given by a clock that has been
/// set back since; it is taken for run out, in milliseconds. An hour covers what time services
/// correct by themselves.
const CLOCK_SLACK_MILLIS: i64 = 3_600_000;

/// The models that new passages need vectors of.
pub(super) struct Embedding {
    models: Vec<i64>,
}

impl Embedding {
    /// Reads the registered models.
    pub(super) fn begin(connection: &Connection) -> Attempt<Self> {
        Ok(Self { models: rows(connection, "SELECT number FROM model ORDER BY number", [], |row| row.get(0))? })
    }

    /// Gives a new passage the vectors of an equal one, and queues it for the models without.
    /// Returns the number of vectors taken over.
    pub(super) fn enrol(
        &self,
        connection: &Connection,
        passage: i64,
        content: i64,
        key: PassageKey,
        modified_ns: i64,
    ) -> Attempt<u64> {
        let mut reused = 0;
        for model in &self.models {
            if take_over(connection, *model, passage, content, key)? {
                reused += 1;
                continue;
            }
            let sql = "INSERT INTO embedding_queue (passage, model, priority) VALUES (?1, ?2, ?3)";
            connection.prepare_cached(sql)?.execute((passage, *model, modified_ns))?;
        }
        Ok(reused)
    }
}

/// Copies the vector of an equal passage, if there is one.
fn take_over(connection: &Connection, model: i64, passage: i64, content: i64, key: PassageKey) -> Attempt<bool> {
    let sql = "INSERT INTO vector (model, passage, content, key, data) \
               SELECT model, ?2, ?3, key, data FROM vector WHERE model = ?1 AND key = ?4 LIMIT 1";
    Ok(connection.prepare_cached(sql)?.execute(params![model, passage, content, key.0])? > 0)
}

/// Gives the waiting passages of a content the urgency of its newest document.
pub(super) fn retime(connection: &Connection, content: ContentId) -> Attempt<()> {
    let content = content.0.cast_signed();
    let sql = "SELECT max(modified_ns) FROM document WHERE content = ?1";
    let Some(newest) = one(connection, sql, [content], |row| row.get::<_, Option<i64>>(0))? else { return Ok(()) };
    let sql = "UPDATE embedding_queue SET priority = ?2 \
               WHERE passage IN (SELECT id FROM passage WHERE content = ?1) AND priority <> ?2";
    connection.prepare_cached(sql)?.execute((content, newest))?;
    Ok(())
}

/// The rows of the queue that would move, for a document and a moment in nanoseconds.
const LESS_URGENT: &str = "passage IN (SELECT passage.id FROM passage CROSS JOIN document \
                           ON document.content = passage.content WHERE document.id = ?1) \
                           AND failure IS NULL AND priority < ?2";

fn nanoseconds(moment: UnixMillis) -> i64 {
    moment.0.saturating_mul(1_000_000)
}

/// Whether any waiting passage would become more urgent.
pub(super) fn would_hasten(connection: &Connection, urgent: &[(DocumentId, UnixMillis)]) -> Attempt<bool> {
    let sql = format!("SELECT 1 FROM embedding_queue WHERE {LESS_URGENT} LIMIT 1");
    for (document, moment) in urgent {
        let parameters = (document.0.cast_signed(), nanoseconds(*moment));
        if find(connection, &sql, parameters, |_| Ok(()))?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Raises the urgency of the waiting passages of documents to these moments, and counts those that moved.
pub(super) fn hasten(connection: &Connection, urgent: &[(DocumentId, UnixMillis)]) -> Attempt<u64> {
    let sql = format!("UPDATE embedding_queue SET priority = ?2 WHERE {LESS_URGENT}");
    let mut raise = connection.prepare_cached(&sql)?;
    let mut moved = 0;
    for (document, moment) in urgent {
        moved += raise.execute((document.0.cast_signed(), nanoseconds(*moment)))? as u64;
    }
    Ok(moved)
}

/// Registers a model and queues what lacks a vector of it.
pub(super) fn register(connection: &Connection, model: &ModelSpec) -> Attempt<()> {
    match model_number(connection, &model.id)? {
        Some((_, known)) if known != model.dimension => {
            let mismatch = StoreError::Dimension { model: model.id.clone(), known, found: model.dimension };
            return Err(mismatch.into());
        }
        Some((number, _)) => {
            let sql = "UPDATE model SET tier = ?2 WHERE number = ?1 AND tier <> ?2";
            connection.prepare_cached(sql)?.execute((number, row::tier_column(model.tier)))?;
        }
        None => {
            let sql = "INSERT INTO model (id, tier, dimension) VALUES (?1, ?2, ?3)";
            connection.prepare_cached(sql)?.execute((&model.id.0, row::tier_column(model.tier), model.dimension))?;
        }
    }
    let sql = "INSERT OR IGNORE INTO embedding_queue (passage, model, priority) \
               SELECT passage.id, model.number, \
                      coalesce((SELECT max(modified_ns) FROM document WHERE document.content = passage.content), 0) \
               FROM model CROSS JOIN passage WHERE model.id = ?1 \
               AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.passage = passage.id AND vector.model = model.number)";
    connection.prepare_cached(sql)?.execute([&model.id.0])?;
    Ok(())
}

/// Drops a model with its vectors and queue.
pub(super) fn forget(connection: &Connection, model: &ModelId) -> Attempt<()> {
    let Some((number, _)) = model_number(connection, model)? else { return Ok(()) };
    for table in ["embedding_queue", "vector"] {
        connection.execute(&format!("DELETE FROM {table} WHERE model = ?1"), [number])?;
    }
    connection.execute("DELETE FROM model WHERE number = ?1", [number])?;
    note_residue(connection)
}

/// Whether anything waits: a question that takes no lock, for workers that poll.
pub(super) fn is_waiting(connection: &Connection, model: &ModelId, now: UnixMillis, lease: Duration) -> Attempt<bool> {
    let number = require(connection, model)?;
    let sql = "SELECT 1 FROM embedding_queue WHERE model = ?1 AND failure IS NULL \
               AND (expires IS NULL OR expires <= ?2 OR expires > ?3) LIMIT 1";
    let found = find(connection, sql, (number, now.0, latest_lease(now, lease)), |_| Ok(()))?;
    Ok(found.is_some())
}

/// One attempt at a claim. Passages that have an equal one with a vector by now take it over on the
/// way, so the claim may come out empty while more still waits: then `None`.
pub(super) fn claim(
    connection: &Connection,
    model: &ModelId,
    limit: usize,
    now: UnixMillis,
    lease: Duration,
) -> Attempt<Option<EmbeddingClaim>> {
    let number = require(connection, model)?;
    let fence: i64 = one(connection, "SELECT fence FROM meta", [], |row| row.get(0))?;
    let expires = UnixMillis(lease_end(now, lease));
    let mut claim =
        EmbeddingClaim { model: model.clone(), fence: Fence(fence.cast_unsigned() + 1), expires, tasks: Vec::new() };
    let sql = "SELECT passage.id, passage.key, content.title, passage.heading, passage.text, passage.content \
               FROM embedding_queue AS waiting \
               CROSS JOIN passage ON passage.id = waiting.passage CROSS JOIN content ON content.id = passage.content \
               WHERE waiting.model = ?1 AND waiting.failure IS NULL \
               AND (waiting.expires IS NULL OR waiting.expires <= ?2 OR waiting.expires > ?3) \
               ORDER BY waiting.priority DESC, waiting.passage LIMIT ?4";
    let parameters = (number, now.0, latest_lease(now, lease), row::limit_column(limit));
    let waiting = rows(connection, sql, parameters, |row| {
        let task = EmbeddingTask {
            passage: PassageId(row::identity(row, 0)?),
            key: PassageKey(row.get(1)?),
            title: row.get(2)?,
            heading: row::heading(row, 3)?,
            text: row.get(4)?,
        };
        Ok((task, row.get::<_, i64>(5)?))
    })?;
    let found = !waiting.is_empty();
    let mut claimed_keys = HashSet::new();
    let sql = "UPDATE embedding_queue SET fence = ?3, expires = ?4 WHERE passage = ?1 AND model = ?2";
    let mut lease_row = connection.prepare_cached(sql)?;
    for (task, content) in waiting {
        let passage = task.passage.0.cast_signed();
        if take_over(connection, number, passage, content, task.key)? {
            dequeue(connection, number, passage)?;
        } else if claimed_keys.insert(task.key) {
            lease_row.execute((passage, number, fence + 1, expires.0))?;
            claim.tasks.push(task);
        }
        // An equal passage of this very claim waits on and takes the vector over at the next claim.
    }
    if claim.tasks.is_empty() && found {
        return Ok(None);
    }
    if found {
        connection.prepare_cached("UPDATE meta SET fence = ?1")?.execute([fence + 1])?;
    }
    Ok(Some(claim))
}

fn lease_end(now: UnixMillis, lease: Duration) -> i64 {
    now.0.saturating_add(i64::try_from(lease.as_millis()).unwrap_or(i64::MAX))
}

fn latest_lease(now: UnixMillis, lease: Duration) -> i64 {
    lease_end(now, lease).saturating_add(CLOCK_SLACK_MILLIS)
}

fn require(connection: &Connection, model: &ModelId) -> Attempt<i64> {
    match model_number(connection, model)? {
        Some((number, _)) => Ok(number),
        None => Err(StoreError::UnknownModel(model.clone()).into()),
    }
}

fn dequeue(connection: &Connection, model: i64, passage: i64) -> Attempt<()> {
    let sql = "DELETE FROM embedding_queue WHERE passage = ?1 AND model = ?2";
    connection.prepare_cached(sql)?.execute((passage, model))?;
    Ok(())
}

/// Publishes the vectors of a claim that are still wanted, and counts them.
pub(super) fn publish(connection: &Connection, claim: &EmbeddingClaim, vectors: &[NewVector]) -> Attempt<u64> {
    // A model that was forgotten meanwhile took its queue along.
    let Some((number, dimension)) = model_number(connection, &claim.model)? else {
        return Err(StoreError::Superseded.into());
    };
    let mut published = 0;
    let mut settled = 0;
    for new in vectors {
        let passage = new.passage.0.cast_signed();
        let sql = "SELECT passage.content FROM embedding_queue AS waiting \
                   CROSS JOIN passage ON passage.id = waiting.passage \
                   WHERE waiting.passage = ?1 AND waiting.model = ?2 AND waiting.fence = ?3 \
                   AND waiting.failure IS NULL AND passage.key = ?4";
        let parameters = params![passage, number, claim.fence.0.cast_signed(), new.key.0];
        let Some(content) = find(connection, sql, parameters, |row| row.get::<_, i64>(0))? else { continue };
        let data = match &new.vector {
            Ok(vector) if vector.len() as u64 != u64::from(dimension) => {
                let found = u32::try_from(vector.len()).unwrap_or(u32::MAX);
                return Err(StoreError::Dimension { model: claim.model.clone(), known: dimension, found }.into());
            }
            // A vector that is no direction would win or lose every comparison.
            Ok(vector) => row::vector_column(vector).ok_or("the model gave numbers that are not finite"),
            Err(reason) => Err(reason.as_str()),
        };
        match data {
            Ok(data) => {
                let sql = "INSERT INTO vector (model, passage, content, key, data) VALUES (?1, ?2, ?3, ?4, ?5)";
                connection.prepare_cached(sql)?.execute(params![number, passage, content, new.key.0, data])?;
                dequeue(connection, number, passage)?;
                published += 1;
            }
            Err(reason) => {
                let sql = "UPDATE embedding_queue SET failure = ?3, fence = NULL, expires = NULL \
                           WHERE passage = ?1 AND model = ?2";
                connection.prepare_cached(sql)?.execute(params![passage, number, reason])?;
            }
        }
        settled += 1;
    }
    if settled == 0 && !vectors.is_empty() {
        return Err(StoreError::Superseded.into());
    }
    Ok(published)
}

/// Gives the rows that a claim still holds back.
pub(super) fn release(connection: &Connection, claim: &EmbeddingClaim) -> Attempt<()> {
    let Some((number, _)) = model_number(connection, &claim.model)? else { return Ok(()) };
    let sql = "UPDATE embedding_queue SET fence = NULL, expires = NULL \
               WHERE passage = ?1 AND model = ?2 AND fence = ?3";
    let mut release_row = connection.prepare_cached(sql)?;
    for task in &claim.tasks {
        release_row.execute((task.passage.0.cast_signed(), number, claim.fence.0.cast_signed()))?;
    }
    Ok(())
}
