//! Giving passages their vectors: at once for static models, in the background for transformers.
//!
//! Work is claimed from the store under a lease, so that several processes may sharpen at once, a
//! killed one is taken over, and what was superseded meanwhile is not published. Embedding itself
//! holds neither a transaction nor a lock.

use std::time::{Duration, Instant};

use bethink_core::{Clock, ModelId};
use bethink_embed::{Embedder, passage_input};
use bethink_store::{DEFAULT_LEASE, IndexReader, IndexWriter, ModelSpec, NewVector, StoreError, Tier, TierProgress};

use crate::caches::Caches;
use crate::error::{IngestError, Result};
use crate::guest::Pace;
use crate::progress::{Event, Phase, Progress};
use crate::stop::Stop;

/// Passages claimed at a time from a transformer: some seconds of work, well inside the lease.
const TRANSFORMER_CLAIM: usize = 64;

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
/// and brings the model's matrix up after each claim, if nobody else is writing it.
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
    let report = embed(store, embedder, options, clock, Some(caches), progress, stop)?;
    let reader: &dyn IndexReader = &*store;
    if let Some(mut writer) = caches.writer(stop)? {
        writer.catch_up(reader, None, stop)?;
    }
    Ok(report)
}

/// Embeds what waits, on the calling thread and at full speed, without touching a cache.
pub(crate) fn embed_waiting(
    store: &mut dyn IndexWriter,
    embedder: &dyn Embedder,
    clock: &dyn Clock,
    budget: Option<Duration>,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<SharpenReport> {
    let options = SharpenOptions { threads: 1, budget, processor_percent: None };
    embed(store, embedder, &options, clock, None, progress, stop)
}

fn embed(
    store: &mut dyn IndexWriter,
    embedder: &dyn Embedder,
    options: &SharpenOptions,
    clock: &dyn Clock,
    caches: Option<&Caches>,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<SharpenReport> {
    /// How often the matrix follows the vectors: each time is a new segment and a commit.
    const MATRIX_INTERVAL: Duration = Duration::from_secs(10);

    let spec = model_spec(embedder);
    let began = Instant::now();
    let mut matrix_followed = Instant::now();
    let mut report = SharpenReport::default();
    let claim_size = match spec.tier {
        Tier::Static => STATIC_CLAIM,
        Tier::Transformer => TRANSFORMER_CLAIM,
    };
    // Counting rows takes longer than embedding a claim, so it is done once and kept up here.
    let known = progress_of(store, &spec.id)?;
    let mut waiting = known.pending;
    let mut pace = Pace::new(options.processor_percent, options.threads);
    while !stop.is_requested() && options.budget.is_none_or(|budget| began.elapsed() < budget) {
        let claim = store.claim_embeddings(&spec.id, claim_size, clock.now(), DEFAULT_LEASE)?;
        if claim.tasks.is_empty() {
            break;
        }
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
