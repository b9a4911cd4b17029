//! Files by name, kind and time: `find_file`.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use bethink_core::{FileKind, UnixMillis, split_member_path};
use bethink_index::{ModifiedWindow, NameAnswer, NameMatch, NameQuery, Names};
use bethink_ingest::container_on_disk;
use bethink_text::TimeWindow;

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::opened::{Opened, OpenedTimes};

/// What a kind argument means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KindFilter {
    /// A kind, as `document`.
    Kind(FileKind),
    /// An extension, lower case without its dot, as `pptx`.
    Extension(String),
}

/// A search by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FindRequest {
    /// Words of the name, apart; may be empty where a time is given.
    pub query: String,
    /// A kind (`document`, `image`, …) or an extension (`pptx`, `.pdf`).
    pub kind: Option<String>,
    /// Only what lies at or under this path.
    pub within: Option<PathBuf>,
    /// When it was last opened, as a natural phrase.
    pub opened: Option<String>,
    /// When it was last modified, as a natural phrase.
    pub modified: Option<String>,
    /// How many hits at the most; 0 means the default of 20.
    pub limit: usize,
}

/// One file or folder.
#[derive(Debug, Clone, PartialEq)]
pub struct FindHit {
    /// Position, from 1.
    pub rank: usize,
    /// 0..=1, comparable inside one answer.
    pub score: f32,
    /// Absolute path as on disk now.
    pub path: PathBuf,
    /// What a person calls it.
    pub kind: FileKind,
    /// Size in bytes; 0 for folders.
    pub size_bytes: u64,
    /// When it was last modified.
    pub modified: UnixMillis,
    /// When it was last opened and who says so, where anybody does.
    pub opened: Option<Opened>,
    /// How the name matched: `exact`, `prefix`, `words`, `substring`, `typo`, `time`.
    pub how: &'static str,
}

/// A place that was looked in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedIn {
    /// `work folders`, `home`, `other volumes`.
    pub place: &'static str,
    /// Names there.
    pub names: u64,
    /// Whether all of it was looked through within the time limit.
    pub complete: bool,
}

/// A better match that the kind filter hides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenByKind {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub kind: FileKind,
}

/// The window that a time phrase came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowUsed {
    /// `opened` or `modified`.
    pub what: &'static str,
    /// The phrase.
    pub phrase: String,
    /// First moment inside.
    pub start: UnixMillis,
    /// First moment after.
    pub end: UnixMillis,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FindAnswer {
    /// The query, as asked.
    pub query: String,
    /// The hits, best first.
    pub hits: Vec<FindHit>,
    /// Where was looked, in order.
    pub looked_in: Vec<LookedIn>,
    /// The nearest names, where nothing was found.
    pub nearest: Vec<PathBuf>,
    /// A better match of another kind.
    pub hidden_by_kind: Option<HiddenByKind>,
    /// What the time phrases came to.
    pub windows: Vec<WindowUsed>,
    /// Sentences that the reader should know.
    pub notes: Vec<String>,
}

/// Hits, unless told otherwise.
const DEFAULT_LIMIT: usize = 20;

/// Names that are looked at on the disk for one answer at the most. A look costs about two
/// microseconds on a warm disk, so that the bound is felt only where a time window leaves few.
const LOOKED_AT: usize = 20_000;

/// "Did you mean" names.
const NEAREST: usize = 3;

/// A request whose words are understood.
struct Understood {
    query: NameQuery,
    opened: Option<TimeWindow>,
    modified: Option<TimeWindow>,
    limit: usize,
}

impl Engine {
    /// Finds files and folders by name, kind and time. Every hit was on the disk a moment ago.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuestion`] where neither words, kind nor time are given;
    /// [`EngineError::TimePhrase`] and [`EngineError::UnknownKind`] for words that are not understood.
    pub fn find(&self, request: &FindRequest) -> Result<FindAnswer> {
        let mut answer = FindAnswer { query: request.query.clone(), ..FindAnswer::default() };
        let understood = self.understand(request, &mut answer)?;
        let times = self.user_home().map(OpenedTimes::gather).unwrap_or_default();
        let mut names = self.names()?;
        if names.as_ref().is_none_or(|names| is_behind(names, &understood))
            && let Some(collected) = self.collect_names_on_a_miss(names.as_ref())?
        {
            names = Some(collected);
        }
        self.fill(&mut answer, names.as_ref(), &understood, &times)?;
        if answer.hits.is_empty()
            && let Some(collected) = self.collect_names_on_a_miss(names.as_ref())?
        {
            names = Some(collected);
            self.fill(&mut answer, names.as_ref(), &understood, &times)?;
        }
        answer.looked_in = self.name_places();
        answer.notes.extend(self.read_only_note());
        if let (true, [extension]) = (answer.hits.is_empty(), &understood.query.extensions[..]) {
            answer.notes.push(format!(
                "{extension} was taken for an extension; kinds are {}",
                FileKind::ALL.map(|(_, name)| name).join(", ")
            ));
        }
        if let Some(within) = &understood.query.within {
            answer.notes.push(format!("looked only under {}", within.display()));
        }
        if answer.hits.is_empty()
            && let Some(names) = &names
        {
            answer.nearest = names
                .nearest(&understood.query.words, NEAREST)
                .into_iter()
                .map(|found| found.path)
                .filter(|path| metadata_of(path).is_some())
                .collect();
        }
        Ok(answer)
    }

    fn understand(&self, request: &FindRequest, answer: &mut FindAnswer) -> Result<Understood> {
        let mut window = |what: &'static str, phrase: &Option<String>| -> Result<Option<TimeWindow>> {
            let Some(phrase) = phrase else { return Ok(None) };
            let window = bethink_text::time_phrase(phrase, self.clock().now(), self.zone())?;
            answer.windows.push(WindowUsed { what, phrase: phrase.clone(), start: window.start, end: window.end });
            Ok(Some(window))
        };
        let opened = window("opened", &request.opened)?;
        let modified = window("modified", &request.modified)?;
        let mut query = NameQuery {
            words: request.query.clone(),
            within: request.within.as_deref().map(|within| self.absolute(within)),
            include_folders: opened.is_none(),
            modified: modified.map(|window| ModifiedWindow { start: window.start, end: window.end }),
            limit: LOOKED_AT,
            ..NameQuery::default()
        };
        if let Some(within) = &query.within
            && !within.exists()
        {
            return Err(EngineError::NoSuchPath { path: within.clone() });
        }
        match request.kind.as_deref().map(str::trim).filter(|kind| !kind.is_empty()) {
            None => {}
            Some(word) => match kind_filter(word) {
                Some(KindFilter::Kind(kind)) => query.kinds.push(kind),
                Some(KindFilter::Extension(extension)) => query.extensions.push(extension),
                None => return Err(EngineError::UnknownKind { word: word.to_owned() }),
            },
        }
        let says_something = !request.query.trim().is_empty()
            || opened.is_some()
            || modified.is_some()
            || !query.kinds.is_empty()
            || !query.extensions.is_empty();
        if !says_something {
            return Err(EngineError::EmptyQuestion);
        }
        let limit = if request.limit == 0 { DEFAULT_LIMIT } else { request.limit };
        Ok(Understood { query, opened, modified, limit })
    }

    /// Looks the words up and every candidate on the disk, best first, until there are enough.
    fn fill(
        &self,
        answer: &mut FindAnswer,
        names: Option<&Names>,
        understood: &Understood,
        times: &OpenedTimes,
    ) -> Result<()> {
        answer.hits.clear();
        let found = match names {
            Some(names) => names.search(&understood.query),
            None => NameAnswer::default(),
        };
        let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
        for candidate in found.matches {
            // With a window over openings the order is by opening, so that all have to be looked at.
            if understood.opened.is_none() && answer.hits.len() >= understood.limit {
                break;
            }
            if let Some(hit) = look_at(&candidate, understood, times) {
                seen.insert(hit.path.clone());
                answer.hits.push(hit);
            }
        }
        if let Some(window) = understood.opened {
            self.add_recorded(answer, understood, window, times, &seen);
            if understood.query.words.trim().is_empty() {
                answer.hits.sort_by_key(|hit| std::cmp::Reverse(hit.opened.map(|opened| opened.at)));
            }
            answer.hits.truncate(understood.limit);
        }
        for (index, hit) in answer.hits.iter_mut().enumerate() {
            hit.rank = index + 1;
        }
        let best = answer.hits.first().map_or(0.0, |hit| hit.score);
        let asks_for_a_kind = !understood.query.kinds.is_empty() || !understood.query.extensions.is_empty();
        answer.hidden_by_kind = found
            .hidden_by_kind
            .filter(|hidden| asks_for_a_kind && hidden.best.score > best && metadata_of(&hidden.best.path).is_some())
            .map(|hidden| HiddenByKind { path: hidden.best.path, kind: hidden.best.kind });
        Ok(())
    }

    /// Files that the platform's records say were opened in the window, although their names are in
    /// no folder that we collect.
    fn add_recorded(
        &self,
        answer: &mut FindAnswer,
        understood: &Understood,
        window: TimeWindow,
        times: &OpenedTimes,
        seen: &BTreeSet<PathBuf>,
    ) {
        let words = bethink_text::fold(&understood.query.words);
        for (path, opened) in times.recorded() {
            let folded = bethink_text::fold(&path.to_string_lossy());
            let extension = extension_of(path);
            let kind = FileKind::from_extension(&extension);
            let wanted = !seen.contains(path)
                && opened.at >= window.start
                && opened.at < window.end
                && understood.query.within.as_deref().is_none_or(|within| path.starts_with(within))
                && (understood.query.kinds.is_empty() || understood.query.kinds.contains(&kind))
                && (understood.query.extensions.is_empty() || understood.query.extensions.contains(&extension))
                && words.split_whitespace().all(|word| folded.contains(word));
            if !wanted {
                continue;
            }
            let Ok(metadata) = fs::metadata(path) else { continue };
            let hit = hit(path, kind, &metadata, Some(opened), "time", 0.5);
            if understood.modified.is_none_or(|window| hit.modified >= window.start && hit.modified < window.end) {
                answer.hits.push(hit);
            }
        }
    }
}

/// Whether a window reaches into the time since the names were collected, so that a file that belongs
/// in it may be missing.
fn is_behind(names: &Names, understood: &Understood) -> bool {
    [understood.modified, understood.opened].into_iter().flatten().any(|window| window.end > names.built())
}

/// What a kind argument means: the name of a kind first, then any extension.
fn kind_filter(word: &str) -> Option<KindFilter> {
    if let Some(extension) = word.strip_prefix('.') {
        return (!extension.is_empty()).then(|| KindFilter::Extension(extension.to_lowercase()));
    }
    if let Some(kind) = FileKind::from_name(word) {
        return Some(KindFilter::Kind(kind));
    }
    let looks_like_one = word.len() <= 12 && word.chars().all(|letter| letter.is_ascii_alphanumeric());
    let known = FileKind::from_extension(&word.to_lowercase()) != FileKind::Other;
    // Short unknown words are extensions that we have no kind for (`.blend`); long ones are mistakes.
    (looks_like_one && (known || word.len() <= 5)).then(|| KindFilter::Extension(word.to_lowercase()))
}

fn extension_of(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// What the disk says of a path, or of the container that it is inside of.
fn metadata_of(path: &Path) -> Option<Metadata> {
    fs::symlink_metadata(path).ok().or_else(|| fs::symlink_metadata(container_on_disk(path)?.0).ok())
}

/// The candidate as it is on the disk now, if it still is and the windows let it in.
fn look_at(candidate: &NameMatch, understood: &Understood, times: &OpenedTimes) -> Option<FindHit> {
    let metadata = metadata_of(&candidate.path)?;
    let opened = times.of(&candidate.path, &metadata);
    let hit = hit(&candidate.path, candidate.kind, &metadata, opened, candidate.how.name(), candidate.score);
    let within = |window: Option<TimeWindow>, moment: Option<UnixMillis>| {
        window.is_none_or(|window| moment.is_some_and(|moment| moment >= window.start && moment < window.end))
    };
    (within(understood.modified, Some(hit.modified)) && within(understood.opened, opened.map(|opened| opened.at)))
        .then_some(hit)
}

fn hit(
    path: &Path,
    kind: FileKind,
    metadata: &Metadata,
    opened: Option<Opened>,
    how: &'static str,
    score: f32,
) -> FindHit {
    FindHit {
        rank: 0,
        score,
        path: path.to_owned(),
        kind,
        // A container's size says nothing about what is inside.
        size_bytes: if metadata.is_file() && split_member_path(path).is_none() { metadata.len() } else { 0 },
        modified: metadata.modified().map(UnixMillis::from_system_time).unwrap_or_default(),
        opened,
        how,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_extensions_are_told_apart() {
        assert_eq!(kind_filter("images"), Some(KindFilter::Kind(FileKind::Image)));
        assert_eq!(kind_filter(".PDF"), Some(KindFilter::Extension("pdf".to_owned())));
        assert_eq!(kind_filter("pptx"), Some(KindFilter::Extension("pptx".to_owned())));
        assert_eq!(kind_filter("blend"), Some(KindFilter::Extension("blend".to_owned())));
        assert_eq!(kind_filter("something else"), None);
        assert_eq!(kind_filter("spreadsheety"), None);
    }
}
