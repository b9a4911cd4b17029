//! Keeping up with the disk: changes as they happen, sharpening in the pauses.

use std::path::PathBuf;
use std::time::Duration;

use bethink_ingest::{Caches, IndexOptions, Indexer, IngestError, SharpenOptions, WatchNotice, Watcher};
use bethink_store::IndexReader;

use crate::engine::Engine;
use crate::error::Result;
use crate::index::{Listener, Progress, Stop};
use crate::urgency::Urgency;

/// How long the watcher waits for news before it sharpens a little, and how long a little is: a change
/// that comes meanwhile waits no longer than this.
const SLICE: Duration = Duration::from_secs(2);

/// How long the watcher waits when nothing is left to sharpen.
const REST: Duration = Duration::from_secs(30);

/// How long names are collected after a sweep.
const NAMES_AFTER_SWEEP: Duration = Duration::from_secs(20);

impl Engine {
    /// Brings the index up to date, then keeps it so and sharpens it in the pauses, at the lowest
    /// priority, until a stop is asked for. Safe to run in several processes: one walks at a time.
    ///
    /// # Errors
    /// A failure of the data plane, or of the system's watcher.
    pub fn watch(&self, progress: &dyn Progress, stop: &Stop) -> Result<()> {
        bethink_ingest::be_a_good_guest();
        // The database may be deleted at any time; then it is built again, as by an index run.
        while !stop.is_requested() {
            self.watch_while_intact(progress, stop)?;
            // A home that is gone as a whole was meant to go.
            if !stop.is_requested() && !self.home().folder().exists() {
                return Err(IngestError::HomeRemoved { path: self.home().folder().to_owned() }.into());
            }
        }
        Ok(())
    }

    /// Watches until a stop is asked for, or the database is not the one any more that was opened.
    fn watch_while_intact(&self, progress: &dyn Progress, stop: &Stop) -> Result<()> {
        let mut store = self.writer()?;
        self.recall_roots(&mut store)?;
        let caches = Caches::open(&self.home().cache())?;
        let at_once = self.register_models(&mut store)?;
        let listener = Listener { engine: self, progress };
        // Watching begins before the first sweep, so that nothing that happens during it is missed.
        let mut roots = roots_of(&store)?;
        let mut watcher = Watcher::start(&roots, self.rules(), stop)?;
        let mut urgency = Urgency::default();
        let mut notice = WatchNotice::Sweep { reason: "watching begins".to_owned() };
        while !stop.is_requested() && store.is_intact() {
            let mut is_quiet = false;
            {
                let mut indexer = Indexer::new(self.indexer_parts(&mut store, &caches, &at_once));
                match &notice {
                    WatchNotice::Settled(paths) => {
                        indexer.reconcile(paths, &IndexOptions::default(), &listener, stop)?;
                    }
                    WatchNotice::Sweep { .. } => {
                        indexer.index(&[], &IndexOptions::default(), &listener, stop)?;
                        self.collect_names(NAMES_AFTER_SWEEP)?;
                    }
                    WatchNotice::Quiet => is_quiet = true,
                }
            }
            let mut pause = SLICE;
            if is_quiet && !stop.is_requested() {
                urgency.refresh(self, &mut store)?;
                let options = SharpenOptions { budget: Some(SLICE), ..SharpenOptions::default() };
                let sharpened = self.sharpen_with(&mut store, &options, progress, stop)?;
                pause = if sharpened.pending > 0 { Duration::ZERO } else { REST };
                // Roots that another process has added meanwhile are watched as well.
                let now = roots_of(&store)?;
                if now != roots {
                    roots = now;
                    watcher = Watcher::start(&roots, self.rules(), stop)?;
                }
            }
            notice = watcher.wait(pause, stop)?;
        }
        Ok(())
    }
}

fn roots_of(reader: &dyn IndexReader) -> Result<Vec<PathBuf>> {
    Ok(reader.roots()?.into_iter().map(|root| root.path).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use bethink_core::UnixMillis;
    use bethink_testkit::{FixedClock, TestHome};

    use super::*;
    use crate::engine::EngineOptions;
    use crate::home::Home;
    use crate::index::{IndexEvent, IndexRequest};

    #[test]
    fn a_database_that_is_deleted_while_it_is_written_is_built_again() {
        let home = TestHome::new();
        home.write("old.md", "A heron at the pond.\n");
        let engine = Engine::open(EngineOptions {
            home: Home::at(home.home()),
            user_home: None,
            working_folder: home.files(),
            model_folders: Vec::new(),
            bundled_models: &[],
            clock: Arc::new(FixedClock::at(UnixMillis(jiff::Timestamp::now().as_millisecond()))),
            zone: jiff::tz::TimeZone::UTC,
            worker: None,
        })
        .unwrap();
        let request = IndexRequest { paths: vec![home.files()], ..IndexRequest::default() };
        engine.index(&request, &|_| {}, &Stop::new()).unwrap();
        home.write("new.md", "A whimbrel on the mud.\n");
        let stop = Stop::new();
        let is_deleted = AtomicBool::new(false);
        let progress = |event: IndexEvent| match event {
            // The sweep that watching begins with has the new file in hand and has not committed it.
            IndexEvent::File { .. } if !is_deleted.swap(true, Ordering::SeqCst) => {
                for suffix in ["", "-wal", "-shm"] {
                    let _ = fs::remove_file(home.home().join(format!("index.db{suffix}")));
                }
            }
            IndexEvent::Committed { files: 2, .. } => stop.request(),
            _ => {}
        };
        engine.watch(&progress, &stop).unwrap();
        let store = engine.reader().unwrap().unwrap();
        assert_eq!(store.statistics(None).unwrap().documents, 2);
    }
}
