//! Giving passages their vectors: at once for static models, in the background for transformers.
//!
//! Work is claimed from the store under a lease, so that several processes may sharpen at once, a
//! killed one is taken over, and what was superseded meanwhile is not published. Embedding itself
//! holds neither a transaction nor a lock.

use std::time::{Duration, Instant};

use bethink_core::{Clock, ModelId};
use bethink_embed::{Embedder, passage_input};
use bethink_store::{IndexReader, IndexWriter, ModelSpec, NewVector, StoreError, Tier, TierProgress};

use crate::caches::Caches;
use crate::error::{IngestError, Result};
use crate::guest::Pace;
use crate::progress::{Event, Phase, Progress};
use crate::stop::Stop;

/// The most passages claimed at a time from a transformer.
const TRANSFORMER_CLAIM: usize = 64;

/// Passages in the first claim from a transformer, whose speed on this machine is not known yet.
const FIRST_TRANSFORMER_CLAIM: usize = 16;

/// The work that a claim from a transformer should be. A quarter of its lease, so that a machine that
/// becomes four times slower in the middle of a claim still keeps it.
const CLAIM_TIME: Duration = Duration::from_secs(5);

/// How long a claim from a transformer holds: what a killed process had claimed waits no longer. A
/// claim that outlives its lease on a very slow machine is published all the same, unless another
/// process took it over.
const TRANSFORMER_LEASE: Duration = Duration::from_secs(20);

/// How long a claim from a static model holds. A claim is some tens of milliseconds of work.
const STATIC_LEASE: Duration = Duration::from_secs(10);

/// How often a run looks whether passages that another process has claimed have come free.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A run waits so long, after the last sign of life, for passages that others have claimed. Longer than
/// any lease by a margin for clocks that stand still meanwhile, as on a machine that sleeps.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Passages claimed at a time from a static model: some tens of milliseconds of work.
const STATIC_CLAIM: usize = 1_024;

/// How much a sharpening run does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharpenOptions {
    /// Threads that embed.
    pub threads: usize,
    /// Ends the run after this long, at the next claim; `None` goes on until nothing waits.
    pub budget: Option<Duration>,
    /// The share of one processor that the run may take, in hundredths; `None` for all of it.
    pub processor_percent: Option<u32>,
}

impl Default for SharpenOptions {
    fn default() -> Self {
        // Half a core: the fan stays quiet and the battery lasts.
        Self { threads: 1, budget: None, processor_percent: Some(50) }
    }
}

/// What a sharpening run did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SharpenReport {
    /// Passages that got a vector.
    pub embedded: u64,
    /// Passages that can have none.
    pub failed: u64,
    /// Passages that still wait.
    pub pending: u64,
}

/// The store's words for an embedder.
pub fn model_spec(embedder: &dyn Embedder) -> ModelSpec {
    let manifest = embedder.spec();
    ModelSpec {
        id: manifest.id.clone(),
        tier: match manifest.tier {
            bethink_embed::Tier::Static => Tier::Static,
            bethink_embed::Tier::Transformer => Tier::Transformer,
        },
        dimension: u32::try_from(manifest.dimension).unwrap_or(u32::MAX),
    }
}

/// Embeds what waits for this model until nothing does, the budget is spent or a stop is asked for,
/// and brings the model's matrix up now and then, if nobody else is writing it. Without a budget it also
/// waits for what other processes have claimed: they publish it, or their leases run out.
///
/// # Errors
/// A failure of the data plane or of a cache.
pub fn sharpen(
    store: &mut dyn IndexWriter,
    caches: &Caches,
    embedder: &dyn Embedder,
    options: &SharpenOptions,
    clock: &dyn Clock,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<SharpenReport> {
    progress.event(Event::Phase(Phase::Sharpening));
    store.register_model(&model_spec(embedder))?;
    let report = embed(store, embedder, options, clock, Some(caches), true, progress, stop)?;
    let reader: &dyn IndexReader = &*store;
    if let Some(mut writer) = caches.writer(stop)? {
        writer.catch_up(reader, None, stop)?;
    }
    Ok(report)
}

/// Embeds what waits, on the calling thread and at full speed, without touching a cache. `waits` says
/// whether to wait for what other processes have claimed.
pub(crate) fn embed_waiting(
    store: &mut dyn IndexWriter,
    embedder: &dyn Embedder,
    clock: &dyn Clock,
    waits: bool,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<SharpenReport> {
    let options = SharpenOptions { threads: 1, budget: None, processor_percent: None };
    embed(store, embedder, &options, clock, None, waits, progress, stop)
}

#[allow(clippy::too_many_arguments)] // What the ways in differ by.
pub(crate) fn embed(
    store: &mut dyn IndexWriter,
    embedder: &dyn Embedder,
    options: &SharpenOptions,
    clock: &dyn Clock,
    caches: Option<&Caches>,
    waits: bool,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<SharpenReport> {
    /// How often the matrix follows the vectors: each time is a new segment and a commit.
    const MATRIX_INTERVAL: Duration = Duration::from_secs(10);

    let spec = model_spec(embedder);
    let began = Instant::now();
    let mut matrix_followed = Instant::now();
    let mut report = SharpenReport::default();
    let (mut claim_size, lease) = match spec.tier {
        Tier::Static => (STATIC_CLAIM, STATIC_LEASE),
        Tier::Transformer => (FIRST_TRANSFORMER_CLAIM, TRANSFORMER_LEASE),
    };
    // A run with a budget was told when to end.
    let mut others = (waits && options.budget.is_none()).then(Others::default);
    // Counting rows takes longer than embedding a claim, so it is done once and kept up here.
    let known = progress_of(store, &spec.id)?;
    let mut waiting = known.pending;
    let mut pace = Pace::new(options.processor_percent, options.threads);
    while !stop.is_requested() && options.budget.is_none_or(|budget| began.elapsed() < budget) {
        let claim = store.claim_embeddings(&spec.id, claim_size, clock.now(), lease)?;
        if claim.tasks.is_empty() {
            let goes_on = match &mut others {
                Some(others) => others.may_let_go(progress_of(store, &spec.id)?.pending),
                None => false,
            };
            if !goes_on {
                break;
            }
            wait(LOOK_AGAIN, stop);
            pace.begin();
            continue;
        }
        let claimed = Instant::now();
        let inputs: Vec<String> =
            claim.tasks.iter().map(|task| passage_input(task.title.as_deref(), &task.heading, &task.text)).collect();
        let vectors = embed_all(embedder, &inputs, options.threads)?;
        let vectors: Vec<NewVector> = claim
            .tasks
            .iter()
            .zip(vectors)
            .map(|(task, vector)| NewVector { passage: task.passage, key: task.key, vector })
            .collect();
        let failed = vectors.iter().filter(|vector| vector.vector.is_err()).count() as u64;
        match store.publish_vectors(&claim, &vectors) {
            Ok(published) => {
                report.failed += failed;
                report.embedded += published.saturating_sub(failed);
                waiting = waiting.saturating_sub(claim.tasks.len() as u64);
            }
            // Somebody else has taken the work over or the passages are gone: nothing is lost.
            Err(StoreError::Superseded) => {}
            Err(error) => return Err(error.into()),
        }
        if spec.tier == Tier::Transformer {
            claim_size = next_claim(claim.tasks.len(), claimed.elapsed());
        }
        progress.event(Event::Embedded { model: &spec.id, done: known.done + report.embedded, pending: waiting });
        if let Some(caches) = caches
            && matrix_followed.elapsed() >= MATRIX_INTERVAL
        {
            let reader: &dyn IndexReader = &*store;
            if let Some(mut writer) = caches.try_writer()? {
                writer.catch_up(reader, None, stop)?;
            }
            matrix_followed = Instant::now();
        }
        pace.rest(stop);
    }
    report.pending = progress_of(store, &spec.id)?.pending;
    Ok(report)
}

/// Passages to claim after a claim of so many took so long.
fn next_claim(passages: usize, took: Duration) -> usize {
    let milliseconds = took.as_millis().max(1);
    let fitting = (passages as u128).saturating_mul(CLAIM_TIME.as_millis()) / milliseconds;
    usize::try_from(fitting).unwrap_or(usize::MAX).clamp(1, TRANSFORMER_CLAIM)
}

/// The wait for passages that other processes have claimed.
#[derive(Debug, Default)]
struct Others {
    /// How many waited at the last look, and since when it is that many.
    seen: Option<(u64, Instant)>,
}

impl Others {
    /// Whether it is worth while to look again, now that so many passages wait and none can be claimed.
    fn may_let_go(&mut self, pending: u64) -> bool {
        if pending == 0 {
            return false;
        }
        match self.seen {
            Some((before, since)) if before == pending => since.elapsed() < LONGEST_WAIT,
            _ => {
                self.seen = Some((pending, Instant::now()));
                true
            }
        }
    }
}

/// Waits in pieces, so that a request to stop is heard.
fn wait(time: Duration, stop: &Stop) {
    const PIECE: Duration = Duration::from_millis(50);

    let until = Instant::now() + time;
    while !stop.is_requested() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        std::thread::sleep(left.min(PIECE));
    }
}

/// One vector, or the reason why there is none, for each input. The inputs are spread over threads in
/// contiguous stretches.
fn embed_all(
    embedder: &dyn Embedder,
    inputs: &[String],
    threads: usize,
) -> Result<Vec<std::result::Result<Vec<f32>, String>>> {
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let stretch = inputs.len().div_ceil(threads.max(1)).max(1);
    let embedded: Vec<_> = if threads <= 1 {
        embedder.embed_passages(&inputs)
    } else {
        std::thread::scope(|scope| {
            let workers: Vec<_> = inputs
                .chunks(stretch)
                .map(|stretch| (stretch.len(), scope.spawn(|| embedder.embed_passages(stretch))))
                .collect();
            workers.into_iter().flat_map(|(_, worker)| worker.join().unwrap_or_default()).collect()
        })
    };
    let expected = embedder.spec().dimension;
    let mut vectors = Vec::with_capacity(inputs.len());
    for vector in embedded {
        vectors.push(match vector {
            Ok(vector) if vector.len() == expected => Ok(vector),
            Ok(vector) => {
                let model = embedder.spec().id.clone();
                return Err(IngestError::Dimension { model, expected, given: vector.len() });
            }
            Err(error) => Err(error.to_string()),
        });
    }
    // A model that answered for fewer passages than it was asked for leaves the rest without a
    // vector for good, rather than asked for again for ever.
    vectors.resize(inputs.len(), Err("the model gave no answer for this passage".to_owned()));
    Ok(vectors)
}

fn progress_of(store: &dyn IndexWriter, model: &ModelId) -> Result<TierProgress> {
    store
        .tiers()?
        .into_iter()
        .find(|tier| tier.model.id == *model)
        .ok_or_else(|| IngestError::Store(StoreError::UnknownModel(model.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_as_large_as_the_machine_is_quick() {
        let seconds = Duration::from_secs;
        assert_eq!(next_claim(16, Duration::ZERO), TRANSFORMER_CLAIM);
        assert_eq!(next_claim(16, seconds(1)), TRANSFORMER_CLAIM);
        assert_eq!(next_claim(16, seconds(8)), 10);
        assert_eq!(next_claim(16, seconds(4_000)), 1, "never none");
    }

    #[test]
    fn nothing_pending_is_nothing_to_wait_for() {
        let mut others = Others::default();
        assert!(!others.may_let_go(0));
        assert!(others.may_let_go(3));
        assert!(others.may_let_go(3));
        others.seen = Instant::now().checked_sub(LONGEST_WAIT).map(|since| (3, since));
        assert!(others.seen.is_none() || !others.may_let_go(3), "nobody is at work on them");
        assert!(others.may_let_go(2), "somebody is");
    }
}
