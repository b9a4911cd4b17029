//! Applying a batch so that one bad row costs one row.

use std::time::Duration;

use bethink_core::ProblemKind;
use bethink_store::{Applied, Batch, IndexWriter, Publication, Reading, StoreError};

use crate::error::Result;

/// How often a batch is offered to a store that is busy beyond its own patience, before the run ends
/// with that error.
const OFFERS: u32 = 5;

/// Pause between two offers.
const PAUSE: Duration = Duration::from_millis(200);

/// What became of a batch.
pub(crate) struct AppliedBatch {
    /// What the store did; with several transactions, the sum.
    pub applied: Applied,
    /// Publications that the store refused, which now count as failed.
    pub refused: usize,
}

/// Applies a batch in one transaction. If the store refuses it for a reason that lies in the batch,
/// each publication is offered by itself, and what is still refused is recorded as a failure of that
/// file.
pub(crate) fn apply(store: &mut dyn IndexWriter, batch: Batch) -> Result<AppliedBatch> {
    let error = match offer(store, &batch) {
        Ok(applied) => return Ok(AppliedBatch { applied, refused: 0 }),
        Err(error) => error,
    };
    if !lies_in_batch(&error) {
        return Err(error.into());
    }
    tracing::warn!(publications = batch.publications.len(), "the store refused a batch; trying its parts");
    let Batch { moves, restamps, publications, removals } = batch;
    let mut applied = offer(store, &Batch { moves, restamps, ..Batch::default() })?;
    let mut refused = 0;
    for publication in publications {
        let failure = Publication {
            reading: Reading::Failed {
                kind: ProblemKind::Crashed,
                detail: "The index could not store what was read from this file.".to_owned(),
                keep_earlier: false,
            },
            ..clone_without_reading(&publication)
        };
        match offer(store, &Batch { publications: vec![publication], ..Batch::default() }) {
            Ok(one) => add(&mut applied, one),
            Err(error) if lies_in_batch(&error) => {
                refused += 1;
                add(&mut applied, offer(store, &Batch { publications: vec![failure], ..Batch::default() })?);
            }
            Err(error) => return Err(error.into()),
        }
    }
    add(&mut applied, offer(store, &Batch { removals, ..Batch::default() })?);
    Ok(AppliedBatch { applied, refused })
}

fn offer(store: &mut dyn IndexWriter, batch: &Batch) -> std::result::Result<Applied, StoreError> {
    let mut offers = 1;
    loop {
        match store.apply(batch) {
            Err(StoreError::Busy { .. }) if offers < OFFERS => {
                offers += 1;
                std::thread::sleep(PAUSE);
            }
            answer => return answer,
        }
    }
}

fn lies_in_batch(error: &StoreError) -> bool {
    matches!(error, StoreError::Failed { .. } | StoreError::Superseded)
}

fn clone_without_reading(publication: &Publication) -> Publication {
    let Publication { root, path, stamp, hash, reading: _ } = publication;
    let reading = Reading::Skipped { kind: ProblemKind::Crashed, detail: String::new() };
    Publication { root: *root, path: path.clone(), stamp: *stamp, hash: *hash, reading }
}

fn add(sum: &mut Applied, one: Applied) {
    sum.sequence = one.sequence;
    sum.contents_added.extend(one.contents_added);
    sum.contents_removed.extend(one.contents_removed);
    sum.vectors_reused += one.vectors_reused;
}
