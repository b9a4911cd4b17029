//! The sweep on use: where nobody watches, a question looks itself whether the disk has moved on.
//!
//! A sweep compares stamps and reads only what changed; a tree of ten thousand files takes some twenty
//! milliseconds. It is made before a question when the last one is a while ago and was cheap, and after
//! a question that found nothing, since then the answer may stand in a file that is new. How long the
//! last one took is kept beside the caches, so that a tree of a million files is not walked at every
//! question.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use bethink_core::UnixMillis;
use bethink_ingest::{Caches, ExclusiveLock, INDEX_LOCK, IndexOptions, Indexer, Silent, Stop};

use crate::engine::Engine;
use crate::error::Result;

/// Beside the caches: how many milliseconds the last sweep took; its time stamp says when.
const SWEPT: &str = "swept";

/// A sweep that took no longer than this may be made before a question.
const CHEAP: Duration = Duration::from_millis(100);

/// So long a sweep before a question counts.
const BEFORE_A_QUESTION: Duration = Duration::from_secs(60);

/// How long somebody who got no answer waits for a sweep at the most.
const AFTER_A_MISS: Duration = Duration::from_secs(2);

impl Engine {
    /// Sweeps before a question, where that is due and cheap.
    pub(crate) fn sweep_before_a_question(&self) -> Result<()> {
        if let Some((age, took)) = self.last_sweep()
            && took <= CHEAP
            && age > BEFORE_A_QUESTION
        {
            self.sweep(CHEAP * 4)?;
        }
        Ok(())
    }

    /// Sweeps after a question that found nothing, unless that was done a moment ago. Whether the index
    /// has changed, so that asking again is worth it.
    pub(crate) fn sweep_after_a_miss(&self) -> Result<bool> {
        let is_fresh = self.last_sweep().is_some_and(|(age, took)| age <= took.saturating_mul(10));
        if is_fresh { Ok(false) } else { self.sweep(AFTER_A_MISS) }
    }

    /// Remembers that the disk has just been compared with the index.
    pub(crate) fn record_sweep(&self, took: Duration) {
        // Losing this costs one sweep too many.
        let _ = fs::write(self.swept_file(), took.as_millis().to_string());
    }

    fn swept_file(&self) -> PathBuf {
        self.home().cache().join(SWEPT)
    }

    /// How long ago the last sweep was, and how long it took.
    fn last_sweep(&self) -> Option<(Duration, Duration)> {
        let file = self.swept_file();
        let took = fs::read_to_string(&file).ok()?.trim().parse().ok()?;
        let at = fs::metadata(&file).ok()?.modified().ok()?;
        let age = UnixMillis::from_system_time(at).age(self.clock().now());
        Some((age, Duration::from_millis(took)))
    }

    fn sweep(&self, budget: Duration) -> Result<bool> {
        if self.home().is_read_only() {
            return Ok(false);
        }
        // Whoever holds the lock is bringing the index up to date already.
        if ExclusiveLock::try_take(&self.home().folder().join(INDEX_LOCK))?.is_none() {
            return Ok(false);
        }
        let began = Instant::now();
        let mut store = self.writer()?;
        let caches = Caches::open(&self.home().cache())?;
        let at_once = self.register_models(&mut store)?;
        let stop = Stop::new();
        // Dropping the sender at the end of the sweep ends the thread.
        let (done, waiting) = mpsc::channel::<()>();
        let clock = stop.clone();
        std::thread::spawn(move || {
            if waiting.recv_timeout(budget) == Err(mpsc::RecvTimeoutError::Timeout) {
                clock.request();
            }
        });
        let mut indexer = Indexer::new(self.indexer_parts(&mut store, &caches, &at_once));
        let summary = indexer.index(&[], &IndexOptions::default(), &Silent, &stop)?;
        drop(done);
        self.record_sweep(began.elapsed());
        Ok(summary.indexed + summary.moved + summary.removed > 0)
    }
}
