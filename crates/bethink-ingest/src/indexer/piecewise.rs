//! Applying a batch so that one bad row costs one row.

use std::time::Duration;

use bethink_core::ProblemKind;
use bethink_store::{Applied, Batch, IndexWriter, Publication, Reading, StoreError};

use crate::error::Result;
use crate::fingerprint::doubtful;

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
        let failure = failure_of(&publication);
        match offer(store, &Batch { publications: vec![publication], ..Batch::default() }) {
            Ok(one) => add(&mut applied, one),
            Err(error) if lies_in_batch(&error) => {
                refused += 1;
                match offer(store, &Batch { publications: vec![failure], ..Batch::default() }) {
                    Ok(one) => add(&mut applied, one),
                    // Its root was forgotten meanwhile, so the file is nobody's concern any more.
                    Err(error) if lies_in_batch(&error) => {}
                    Err(error) => return Err(error.into()),
                }
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

/// Whether another batch may fare better: everything but the state of the store and its disk.
fn lies_in_batch(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Failed { .. }
            | StoreError::Superseded
            | StoreError::Untiled { .. }
            | StoreError::Unstorable { .. }
            | StoreError::UnknownContent(_)
            | StoreError::UnknownRoot(_)
    )
}

/// What is recorded of a file that the store refused.
fn failure_of(publication: &Publication) -> Publication {
    let Publication { root, path, stamp, hash, reading } = publication;
    let (kind, detail, stamp) = match reading {
        // The known text went between looking it up and publishing. The doubtful stamp makes the next
        // sweep read the file anew.
        Reading::Known(_) => {
            (ProblemKind::Unreadable, "Its known text went while it was being published.", doubtful(*stamp))
        }
        _ => (ProblemKind::Crashed, "The index could not store what was read from this file.", *stamp),
    };
    let reading = Reading::Failed { kind, detail: detail.to_owned(), keep_earlier: false };
    Publication { root: *root, path: path.clone(), stamp, hash: *hash, reading }
}

fn add(sum: &mut Applied, one: Applied) {
    sum.sequence = one.sequence;
    sum.contents_added.extend(one.contents_added);
    sum.contents_removed.extend(one.contents_removed);
    sum.vectors_reused += one.vectors_reused;
}
