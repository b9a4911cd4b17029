//! Vectors in the background, beside processes that were killed (case L9).

use std::time::Duration;

use bethink_core::{Clock, UnixMillis};
use bethink_embed::Tier;
use bethink_ingest::{IndexOptions, Indexer, IndexerParts, SharpenOptions, Silent, Stop, model_spec, sharpen};
use bethink_store::IndexWriter;
use bethink_testkit::{FixedClock, HashEmbedder};

use crate::bench::{Bench, word};

/// Moves on by some seconds each time that it is asked, so that a lease runs out without a long wait.
struct HastyClock<'clock>(&'clock FixedClock);

impl Clock for HastyClock<'_> {
    fn now(&self) -> UnixMillis {
        self.0.advance(Duration::from_secs(9));
        self.0.now()
    }
}

/// A bench with files that wait for a transformer, half of them claimed by a process that is dead.
fn after_a_kill(model: &HashEmbedder) -> Bench {
    let mut bench = Bench::new();
    for number in 0..20 {
        bench.write(format!("{number}.md"), word(number));
    }
    let home = bench.home.home();
    let roots = [bench.home.files()];
    let parts = IndexerParts {
        store: &mut bench.store,
        caches: &bench.caches,
        home: &home,
        extracting: &bench.extractor,
        embedders: &[],
        clock: &bench.clock,
    };
    Indexer::new(parts).index(&roots, &IndexOptions::default(), &Silent, &Stop::new()).unwrap();
    let spec = model_spec(model);
    bench.store.register_model(&spec).unwrap();
    let lost = bench.store.claim_embeddings(&spec.id, 10, bench.clock.now(), Duration::from_secs(20)).unwrap();
    assert_eq!(lost.tasks.len(), 10);
    bench
}

#[test]
fn a_full_run_waits_for_what_a_killed_process_had_claimed() {
    let model = HashEmbedder::new(Tier::Transformer, 32);
    let mut bench = after_a_kill(&model);
    let options = SharpenOptions { processor_percent: None, ..SharpenOptions::default() };
    let clock = HastyClock(&bench.clock);
    let report = sharpen(&mut bench.store, &bench.caches, &model, &options, &clock, &Silent, &Stop::new()).unwrap();
    assert_eq!((report.embedded, report.pending), (20, 0));
}

#[test]
fn a_run_with_a_budget_or_a_stop_does_not_wait() {
    let model = HashEmbedder::new(Tier::Transformer, 32);
    let mut bench = after_a_kill(&model);
    let budget = Some(Duration::from_secs(3_600));
    let options = SharpenOptions { processor_percent: None, budget, ..SharpenOptions::default() };
    let stop = Stop::new();
    let report = sharpen(&mut bench.store, &bench.caches, &model, &options, &bench.clock, &Silent, &stop).unwrap();
    assert_eq!((report.embedded, report.pending), (10, 10));
    stop.request();
    let options = SharpenOptions { budget: None, ..options };
    let report = sharpen(&mut bench.store, &bench.caches, &model, &options, &bench.clock, &Silent, &stop).unwrap();
    assert_eq!((report.embedded, report.pending), (0, 10));
}
