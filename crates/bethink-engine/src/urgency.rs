//! What is sharpened first: the files that the person used last and most.
//!
//! The store queues passages by the time that their file was changed. What the platform records about
//! openings, and our own reads, move a file forward from there: a file counts as of the moment when it
//! was last opened, and each further read with our tools counts like [`FURTHER_READ`] of freshness.
//! Access times are left out: drawing the text out of a file is what last touched them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bethink_core::{DocumentId, UnixMillis};
use bethink_store::sqlite::SqliteIndex;
use bethink_store::{IndexReader, IndexWriter};

use crate::engine::Engine;
use crate::error::Result;
use crate::opened::{OpenedTimes, OwnReads, Reads};

/// How much fresher each read after the first makes a file: one that was read every working day of a
/// week goes before one that was changed yesterday. A designed value.
const FURTHER_READ: Duration = Duration::from_secs(24 * 60 * 60);

/// Further reads that count at the most, so that no file stays in front for ever.
const FURTHER_READS_COUNTED: u32 = 30;

/// How often a watching process asks the records again.
const ASK_AGAIN: Duration = Duration::from_secs(5 * 60);

/// Remembers when the records were asked last.
#[derive(Debug, Default)]
pub(crate) struct Urgency {
    asked: Option<Instant>,
}

impl Urgency {
    /// Moves what was opened to the front of what waits, unless that was done a short while ago.
    pub(crate) fn refresh(&mut self, engine: &Engine, store: &mut SqliteIndex) -> Result<()> {
        if self.asked.is_some_and(|asked| asked.elapsed() < ASK_AGAIN) {
            return Ok(());
        }
        self.asked = Some(Instant::now());
        engine.hasten_what_was_opened(store)
    }
}

impl Engine {
    /// Moves the waiting passages of what was opened to the front.
    pub(crate) fn hasten_what_was_opened(&self, store: &mut SqliteIndex) -> Result<()> {
        let mut waits = false;
        for tier in store.tiers()? {
            waits |= store.has_waiting(&tier.model.id)?;
        }
        if !waits {
            return Ok(());
        }
        let now = self.clock().now();
        let mut urgent: HashMap<DocumentId, UnixMillis> = HashMap::new();
        let reads = OwnReads::of(&self.home().cache(), store.store_id()?).gather();
        for (document, reads) in &reads {
            urgent.insert(*document, moment_of(*reads));
        }
        if let Some(user_home) = self.user_home() {
            for (path, opened) in OpenedTimes::gather(user_home).recorded() {
                let Some(document) = store.find_document_at(path)? else { continue };
                let moment = urgent.entry(document.id).or_insert(opened.at);
                *moment = (*moment).max(opened.at);
            }
        }
        // A clock that was wrong once must not put a file before all others for years.
        let latest = UnixMillis(now.0.saturating_add(millis(FURTHER_READ * FURTHER_READS_COUNTED)));
        let mut urgent: Vec<(DocumentId, UnixMillis)> =
            urgent.into_iter().map(|(document, moment)| (document, moment.min(latest))).collect();
        urgent.sort_unstable();
        store.hasten_embeddings(&urgent)?;
        Ok(())
    }
}

/// The moment as of which a file counts that was read so often.
fn moment_of(reads: Reads) -> UnixMillis {
    let further = reads.times.saturating_sub(1).min(FURTHER_READS_COUNTED);
    UnixMillis(reads.last.0.saturating_add(millis(FURTHER_READ * further)))
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::sync::Arc;

    use bethink_core::ModelId;
    use bethink_ingest::Stop;
    use bethink_store::{ModelSpec, Tier};
    use bethink_testkit::{FixedClock, TestHome};

    use super::*;
    use crate::engine::EngineOptions;
    use crate::home::Home;
    use crate::index::IndexRequest;
    use crate::read::{ReadRequest, ReadTarget};

    #[test]
    fn what_was_opened_last_and_most_is_claimed_before_what_was_changed_last() {
        let home = TestHome::new();
        let now = jiff::Timestamp::now().as_millisecond();
        let day = millis(FURTHER_READ);
        for (name, days_ago) in
            [("newest", 1), ("changed", 2), ("opened", 900), ("read once", 901), ("read often", 902), ("old", 3)]
        {
            let path = home.write(format!("{name}.md"), format!("{name} says something of its own\n"));
            let modified = std::time::UNIX_EPOCH + Duration::from_millis((now - days_ago * day).unsigned_abs());
            fs::File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
        }
        let user_home = home.outside().join("user");
        fs::create_dir_all(user_home.join(".local/share")).unwrap();
        let visited = jiff::Timestamp::from_millisecond(now - day - day / 2).unwrap();
        let list = format!(
            "<xbel><bookmark href=\"file://{}\" visited=\"{visited}\"/></xbel>",
            home.path("opened.md").display()
        );
        if cfg!(target_os = "linux") {
            fs::write(user_home.join(".local/share/recently-used.xbel"), list).unwrap();
        }
        let engine = Engine::open(EngineOptions {
            home: Home::at(home.home()),
            user_home: Some(user_home),
            working_folder: home.files(),
            model_folders: Vec::new(),
            bundled_models: &[],
            clock: Arc::new(FixedClock::at(UnixMillis(now))),
            zone: jiff::tz::TimeZone::UTC,
            worker: None,
        })
        .unwrap();
        let request = IndexRequest { paths: vec![home.files()], ..IndexRequest::default() };
        engine.index(&request, &|_| {}, &Stop::new()).unwrap();
        let read = |name: &str| {
            let target = ReadTarget::Path(format!("{name}.md").into());
            let request =
                ReadRequest { target, line: None, column: None, context: None, whole: false, allow_unindexed: false };
            engine.read(&request).unwrap();
        };
        read("read once");
        (0..3).for_each(|_| read("read often"));
        let mut store = engine.writer().unwrap();
        let model = ModelSpec { id: ModelId("test".to_owned()), tier: Tier::Transformer, dimension: 4 };
        store.register_model(&model).unwrap();
        engine.hasten_what_was_opened(&mut store).unwrap();
        let claim = store.claim_embeddings(&model.id, 9, UnixMillis(now), Duration::from_secs(9)).unwrap();
        let order: Vec<&str> = claim.tasks.iter().filter_map(|task| task.text.split(" says").next()).collect();
        let mut expected = vec!["read often", "read once", "newest", "opened", "changed", "old"];
        if !cfg!(target_os = "linux") {
            // Other platforms keep their records where a test cannot write them.
            expected = vec!["read often", "read once", "newest", "changed", "old", "opened"];
        }
        assert_eq!(order, expected);
    }

    #[test]
    fn what_is_read_often_goes_before_what_was_read_last_within_bounds() {
        let day = millis(FURTHER_READ);
        let often = moment_of(Reads { times: 5, last: UnixMillis(0) });
        let lately = moment_of(Reads { times: 1, last: UnixMillis(3 * day) });
        assert!(often > lately);
        assert_eq!(moment_of(Reads { times: u32::MAX, last: UnixMillis(0) }), UnixMillis(30 * day));
        assert_eq!(moment_of(Reads { times: 0, last: UnixMillis(5) }), UnixMillis(5));
    }
}
