//! The arena of file names: opening it, and collecting it anew.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bethink_index::Names;
use bethink_ingest::{Caches, NameSource, NameSourceKind, NamesOptions, NamesReport, Stop, build_names, volumes};
use bethink_store::IndexReader;

use crate::engine::Engine;
use crate::error::Result;
use crate::find::LookedIn;

/// Beside the arena: what was collected from where, a line a place.
const SOURCES: &str = "names-sources";

/// First word of the line that tells how many milliseconds collecting on a miss took.
const TOOK: &str = "took";

/// Names are never older than this after a miss.
const FRESH_AT_MOST: Duration = Duration::from_secs(30);

/// How long each place is walked for names that the index does not know, where something was missed.
const WALK_ON_A_MISS: Duration = Duration::from_secs(3);

impl Engine {
    /// The names as they were last collected.
    pub(crate) fn names(&self) -> Result<Option<Names>> {
        Ok(Names::open(&self.home().names())?)
    }

    /// Collects the names because something was missed, unless that was done a moment ago; `None` then.
    pub(crate) fn collect_names_on_a_miss(&self, names: Option<&Names>) -> Result<Option<Names>> {
        if self.home().is_read_only() {
            return Ok(None);
        }
        let is_fresh = names.is_some_and(|names| names.built().age(self.clock().now()) <= self.names_stay_fresh());
        if is_fresh { Ok(None) } else { self.collect(WALK_ON_A_MISS, true) }
    }

    /// Collects the names of the roots, the home folder and other volumes, each for at most so long.
    pub(crate) fn collect_names(&self, time_a_source: Duration) -> Result<Option<Names>> {
        self.collect(time_a_source, false)
    }

    fn collect(&self, time_a_source: Duration, is_after_a_miss: bool) -> Result<Option<Names>> {
        let store = self.writer()?;
        let caches = Caches::open(&self.home().cache())?;
        let source = |kind: NameSourceKind| move |path: PathBuf| NameSource { kind, path };
        let mut sources: Vec<NameSource> =
            store.roots()?.into_iter().map(|root| root.path).map(source(NameSourceKind::Work)).collect();
        sources.extend(self.user_home().and_then(|home| home.canonicalize().ok()).map(source(NameSourceKind::Home)));
        sources.extend(volumes().into_iter().map(|volume| volume.path).map(source(NameSourceKind::Volume)));
        let options = NamesOptions { time_a_source, ..NamesOptions::default() };
        let began = Instant::now();
        let report = build_names(&caches, &store, self.rules(), &sources, &options, self.clock(), &Stop::new())?;
        // Losing this file costs a sentence about where was looked, nothing else.
        let took = if is_after_a_miss { format!("{TOOK}\t{}\n", began.elapsed().as_millis()) } else { String::new() };
        let _ = fs::write(self.home().cache().join(SOURCES), took + &lines_of(&report));
        self.names()
    }

    /// How long names that were collected on a miss count as fresh: ten times what that took, so that
    /// the second question for something that is not there is quick. Names that an index run collected
    /// never do, since a file may have been made right after it.
    fn names_stay_fresh(&self) -> Duration {
        let text = fs::read_to_string(self.home().cache().join(SOURCES)).unwrap_or_default();
        let took = text.lines().find_map(|line| line.strip_prefix(TOOK)?.trim().parse().ok()).unwrap_or(0);
        Duration::from_millis(took).saturating_mul(10).min(FRESH_AT_MOST)
    }

    /// Where the names were collected from.
    pub(crate) fn name_places(&self) -> Vec<LookedIn> {
        let text = fs::read_to_string(self.home().cache().join(SOURCES)).unwrap_or_default();
        text.lines().filter_map(place_of).collect()
    }
}

fn word(kind: NameSourceKind) -> &'static str {
    match kind {
        NameSourceKind::Work => WORK_FOLDERS,
        NameSourceKind::Home => HOME,
        NameSourceKind::Volume => OTHER_VOLUMES,
    }
}

const WORK_FOLDERS: &str = "work folders";
const HOME: &str = "home";
const OTHER_VOLUMES: &str = "other volumes";

fn lines_of(report: &NamesReport) -> String {
    let mut places: Vec<LookedIn> = Vec::new();
    for source in &report.sources {
        let place = word(source.source.kind);
        match places.iter_mut().find(|known| known.place == place) {
            Some(known) => {
                known.names += source.names;
                known.complete &= source.complete;
            }
            None => places.push(LookedIn { place, names: source.names, complete: source.complete }),
        }
    }
    places.iter().map(|place| format!("{}\t{}\t{}\n", place.place, place.names, place.complete)).collect()
}

fn place_of(line: &str) -> Option<LookedIn> {
    let mut fields = line.split('\t');
    let place = fields.next()?;
    let place = [WORK_FOLDERS, HOME, OTHER_VOLUMES].into_iter().find(|known| *known == place)?;
    Some(LookedIn { place, names: fields.next()?.parse().ok()?, complete: fields.next()?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_apart_and_summed() {
        let report = |kind, names, complete| bethink_ingest::SourceReport {
            source: NameSource { kind, path: PathBuf::from("/x") },
            names,
            complete,
        };
        let text = lines_of(&NamesReport {
            sources: vec![
                report(NameSourceKind::Work, 3, true),
                report(NameSourceKind::Work, 4, false),
                report(NameSourceKind::Home, 9, true),
            ],
        });
        let places: Vec<LookedIn> = text.lines().filter_map(place_of).collect();
        assert_eq!(places.len(), 2);
        assert_eq!((places[0].place, places[0].names, places[0].complete), (WORK_FOLDERS, 7, false));
        assert_eq!(place_of("nonsense"), None);
    }
}
