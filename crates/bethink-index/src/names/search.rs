//! Scanning the names and ranking what matches.
//!
//! A first scan asks for every word by its own letters. If nothing passes, a second one allows for
//! words across borders and misspellings. Then words may be missing: a third scan takes the others
//! by their own letters, and only a fourth forgives both, since it has to look at nearly every name.
//! Most names fall out by their letters alone, sixteen bytes a name.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;

use bethink_core::{FileKind, UnixMillis};
use bethink_text::fold;
use memchr::memmem::Finder;

use super::answer::{HiddenMatch, NameAnswer, NameHow, NameMatch};
use super::builder::NO_PARENT;
use super::file::{Names, Table};
use super::quality::{INSIDE, Points, SUBSTRING_FROM, Tolerance, WHOLE, WORDS_FROM, Word};
use super::query::NameQuery;
use super::words::spaced;
use crate::best::Best;

/// More words than this say nothing more about a name.
const MAX_WORDS: usize = 16;
/// From this many names on, two threads share a scan.
const TWO_THREADS_NAMES: usize = 100_000;
/// What a word in the folders above is worth beside the same word in the name, in hundredths.
const FOLDER_WORTH: u32 = 55;
/// What an optional word is worth beside another one.
const OPTIONAL_WORTH: f32 = 0.2;
/// Factor on the score when some word stands only in the folders, so that a name with all words
/// in it, even inside longer ones, comes first.
const FOLDER_FACTOR: f32 = 0.9;
/// The parts of a score: how well the words stand there; how much of the name they are; whether
/// they stand in the order typed; whether the very characters typed stand there.
const WORDS_SHARE: f32 = 0.80;
const COVERAGE_SHARE: f32 = 0.10;
const ORDER_SHARE: f32 = 0.05;
const LITERAL_SHARE: f32 = 0.05;

impl Names {
    /// The names that match, best first: all words before some, then by score, the shorter name,
    /// the newer file, the path.
    pub fn search(&self, query: &NameQuery) -> NameAnswer {
        let filter = Filter::new(self, query);
        let asked = Asked::new(&query.words);
        if asked.is_nothing() {
            return self.answer(self.scan_all(&filter, query.limit, &Listing), query.limit);
        }
        if asked.words.is_empty() {
            let literal = Literal { text: query.words.trim().to_owned() };
            return self.answer(self.scan_all(&filter, query.limit, &literal), query.limit);
        }
        let mut found = Found::default();
        let passes = [
            (Tolerance::Strict, 0),
            (Tolerance::Relaxed, 0),
            (Tolerance::Strict, asked.may_miss()),
            (Tolerance::Relaxed, asked.may_miss()),
        ];
        for (tolerance, may_miss) in passes {
            let matcher = WordMatcher::new(self, &asked, tolerance, may_miss);
            let next = self.scan_all(&filter, query.limit, &matcher);
            let hidden = std::mem::take(&mut found.hidden);
            found = next;
            for (kept, earlier) in found.hidden.iter_mut().zip(hidden) {
                // What the stricter scan saw is the better reason to mention it.
                if earlier.count > 0 {
                    *kept = earlier;
                }
            }
            if found.count > 0 {
                break;
            }
        }
        self.answer(found, query.limit)
    }

    /// Names like what was asked for, whatever their kind and place: for "did you mean".
    pub fn nearest(&self, words: &str, limit: usize) -> Vec<NameMatch> {
        let asked = Asked::new(words);
        if asked.words.is_empty() {
            return Vec::new();
        }
        let everything = NameQuery { include_folders: true, ..NameQuery::default() };
        let filter = Filter::new(self, &everything);
        let matcher = WordMatcher::new(self, &asked, Tolerance::Wide, asked.may_miss());
        self.answer(self.scan_all(&filter, limit, &matcher), limit).matches
    }

    fn scan_all(&self, filter: &Filter<'_>, limit: usize, matcher: &dyn Matcher) -> Found {
        let count = self.len();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        if count < TWO_THREADS_NAMES || threads < 2 {
            return self.scan(filter, limit, matcher, 0..count);
        }
        let (first, second) = std::thread::scope(|threads| {
            let other = threads.spawn(|| self.scan(filter, limit, matcher, count / 2..count));
            let first = self.scan(filter, limit, matcher, 0..count / 2);
            (first, other.join())
        });
        match second {
            Ok(second) => first.join(second),
            // A panic of the helper is this thread's panic.
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    fn scan(&self, filter: &Filter<'_>, limit: usize, matcher: &dyn Matcher, range: Range<usize>) -> Found {
        let order = |a: &Candidate, b: &Candidate| self.order(a, b);
        let mut best = Best::new(limit, order);
        let mut found = Found::default();
        let mut hidden: [Best<Candidate, _>; 3] = std::array::from_fn(|_| Best::new(1, order));
        matcher.each(self, range, &mut |candidate| match filter.check(self, candidate.entry) {
            Verdict::Passes => {
                found.count += 1;
                best.push(candidate);
            }
            Verdict::FailsOnly(reason) => {
                found.hidden[reason].count += 1;
                hidden[reason].push(candidate);
            }
            Verdict::Fails => {}
        });
        found.best = best.into_sorted();
        for (kept, best) in found.hidden.iter_mut().zip(hidden) {
            kept.best = best.into_sorted();
        }
        found
    }

    fn order(&self, a: &Candidate, b: &Candidate) -> Ordering {
        a.missing
            .cmp(&b.missing)
            .then_with(|| b.score.total_cmp(&a.score))
            .then_with(|| a.length.cmp(&b.length))
            .then_with(|| self.modified(b.entry).cmp(&self.modified(a.entry)))
            .then_with(|| self.entries().name(a.entry).cmp(self.entries().name(b.entry)))
            .then_with(|| {
                // Whole paths are put together only for twins in different folders.
                if a.entry == b.entry { Ordering::Equal } else { self.path(a.entry).cmp(&self.path(b.entry)) }
            })
            .then_with(|| a.entry.cmp(&b.entry))
    }

    fn answer(&self, mut found: Found, limit: usize) -> NameAnswer {
        found.best.sort_unstable_by(|a, b| self.order(a, b));
        found.best.truncate(limit);
        let [by_kind, by_within, by_time] = found.hidden.map(|mut hidden| {
            hidden.best.sort_unstable_by(|a, b| self.order(a, b));
            let best = hidden.best.first().map(|best| self.describe(best))?;
            Some(HiddenMatch { best, count: hidden.count })
        });
        NameAnswer {
            matches: found.best.iter().map(|candidate| self.describe(candidate)).collect(),
            found: found.count,
            hidden_by_kind: by_kind,
            hidden_by_within: by_within,
            hidden_by_time: by_time,
        }
    }

    fn describe(&self, candidate: &Candidate) -> NameMatch {
        NameMatch {
            path: self.path(candidate.entry),
            kind: self.kind(candidate.entry),
            size_bytes: self.size_bytes(candidate.entry),
            modified: self.modified(candidate.entry),
            how: candidate.how,
            missing_words: candidate.missing,
            score: candidate.score,
        }
    }
}

/// A name that matches the words.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    entry: usize,
    missing: usize,
    score: f32,
    /// Bytes of the spaced name.
    length: usize,
    how: NameHow,
}

#[derive(Debug, Default)]
struct Found {
    best: Vec<Candidate>,
    count: usize,
    hidden: [Hidden; 3],
}

#[derive(Debug, Default)]
struct Hidden {
    best: Vec<Candidate>,
    count: usize,
}

impl Found {
    fn join(mut self, other: Self) -> Self {
        self.best.extend(other.best);
        self.count += other.count;
        for (hidden, other) in self.hidden.iter_mut().zip(other.hidden) {
            hidden.best.extend(other.best);
            hidden.count += other.count;
        }
        self
    }
}

/// Places in `Found::hidden`.
const BY_KIND: usize = 0;
const BY_WITHIN: usize = 1;
const BY_TIME: usize = 2;

enum Verdict {
    Passes,
    FailsOnly(usize),
    Fails,
}

/// What a name has to be, apart from its words.
struct Filter<'a> {
    query: &'a NameQuery,
    extensions: Vec<String>,
    folders_too: bool,
    /// Which folders lie within the one asked for.
    inside: Option<Vec<bool>>,
}

impl<'a> Filter<'a> {
    fn new(names: &Names, query: &'a NameQuery) -> Self {
        Self {
            query,
            extensions: query.extensions.iter().map(|text| text.trim_start_matches('.').to_lowercase()).collect(),
            folders_too: query.include_folders || query.kinds.contains(&FileKind::Folder),
            inside: query.within.as_deref().map(|within| inside(names, within)),
        }
    }

    fn check(&self, names: &Names, entry: usize) -> Verdict {
        let mut failed = None;
        let passes = [
            (BY_KIND, self.kind_passes(names, entry)),
            (BY_WITHIN, self.within_passes(names, entry)),
            (BY_TIME, self.time_passes(names.modified(entry))),
        ];
        for (reason, passes) in passes {
            if !passes && failed.replace(reason).is_some() {
                return Verdict::Fails;
            }
        }
        failed.map_or(Verdict::Passes, Verdict::FailsOnly)
    }

    fn kind_passes(&self, names: &Names, entry: usize) -> bool {
        let kind = names.kind(entry);
        if kind == FileKind::Folder && !self.folders_too {
            return false;
        }
        if !self.query.kinds.is_empty() && !self.query.kinds.contains(&kind) {
            return false;
        }
        if self.extensions.is_empty() {
            return true;
        }
        let name = String::from_utf8_lossy(names.entries().name(entry)).to_lowercase();
        // `tar.gz` is an extension too, which the platform's own idea of one does not know.
        self.extensions.iter().any(|extension| {
            name.strip_suffix(extension.as_str()).is_some_and(|stem| stem.len() > 1 && stem.ends_with('.'))
        })
    }

    fn within_passes(&self, names: &Names, entry: usize) -> bool {
        let Some(inside) = &self.inside else { return true };
        inside.get(names.entries().parent(entry) as usize).copied().unwrap_or(false)
    }

    fn time_passes(&self, modified: UnixMillis) -> bool {
        self.query.modified.is_none_or(|window| window.start <= modified && modified < window.end)
    }
}

fn inside(names: &Names, within: &Path) -> Vec<bool> {
    // Trailing separators and `.` are gone once the path is put together from its parts.
    let within: std::path::PathBuf = within.components().collect();
    let last = within.components().next_back().map(|part| bethink_core::path_bytes(Path::new(part.as_os_str())));
    let folders = names.folders();
    let mut inside = vec![false; folders.count];
    for folder in 0..folders.count {
        let parent = folders.parent(folder) as usize;
        inside[folder] = (parent < folder && inside[parent])
            || last.as_deref() == Some(folders.name(folder)) && names.folder_path(folder as u32) == within;
    }
    inside
}

/// What was asked for, as words.
struct Asked {
    /// The words as typed, trimmed.
    typed: String,
    /// All words, each once, with single spaces.
    joined: String,
    words: Vec<Word>,
}

impl Asked {
    fn new(typed: &str) -> Self {
        let joined = spaced(typed);
        let mut words: Vec<Word> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for word in joined.split(' ').filter(|word| !word.is_empty()) {
            if !seen.contains(&word) && words.len() < MAX_WORDS {
                seen.push(word);
                words.push(Word::new(word));
            }
        }
        // Words that say nothing have to carry the query when there are no others.
        if words.iter().all(|word| word.optional) {
            words.iter_mut().for_each(|word| word.optional = false);
        }
        Self { typed: typed.trim().to_owned(), joined, words }
    }

    fn is_nothing(&self) -> bool {
        self.typed.is_empty()
    }

    /// How many words may be missing when nothing has all: all but one.
    fn may_miss(&self) -> usize {
        self.words.iter().filter(|word| !word.optional).count().saturating_sub(1)
    }
}

/// Finds the names that match, without filters.
trait Matcher: Sync {
    fn each(&self, names: &Names, range: Range<usize>, sink: &mut dyn FnMut(Candidate));
}

/// Everything matches, and newer is better.
struct Listing;

impl Matcher for Listing {
    fn each(&self, _: &Names, range: Range<usize>, sink: &mut dyn FnMut(Candidate)) {
        for entry in range {
            // Equal in everything but time and path, by which ties are broken.
            sink(Candidate { entry, missing: 0, score: 1.0, length: 0, how: NameHow::Exact });
        }
    }
}

/// Characters that make no word (`{`, `----`), looked for as they are.
struct Literal {
    text: String,
}

impl Matcher for Literal {
    fn each(&self, names: &Names, range: Range<usize>, sink: &mut dyn FnMut(Candidate)) {
        let finder = Finder::new(&self.text);
        let entries = names.entries();
        for entry in range {
            let name = entries.name(entry);
            let Some(at) = finder.find(name) else { continue };
            let how = if stem(name) == self.text.as_bytes() || name == self.text.as_bytes() {
                NameHow::Exact
            } else if at == 0 {
                NameHow::Prefix
            } else {
                NameHow::Substring
            };
            let score = match how {
                NameHow::Exact => 1.0,
                NameHow::Prefix => 0.9,
                _ => f32::from(INSIDE) / f32::from(WHOLE),
            };
            sink(Candidate { entry, missing: 0, score, length: name.len(), how });
        }
    }
}

/// A file name without its last extension.
fn stem(name: &[u8]) -> &[u8] {
    match name.iter().rposition(|byte| *byte == b'.') {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    }
}

/// Every word is looked for in the name and in the folders above it.
struct WordMatcher<'a> {
    asked: &'a Asked,
    tolerance: Tolerance,
    may_miss: usize,
    order: Finder<'a>,
    literal: Option<String>,
    /// For each folder, the points of each word in it or above it.
    folder_points: Vec<Points>,
    weight: f32,
}

impl<'a> WordMatcher<'a> {
    fn new(names: &Names, asked: &'a Asked, tolerance: Tolerance, may_miss: usize) -> Self {
        let punctuated = asked.typed.bytes().any(|byte| byte.is_ascii_punctuation());
        Self {
            asked,
            tolerance,
            may_miss,
            order: Finder::new(&asked.joined),
            literal: punctuated.then(|| fold(&asked.typed)),
            folder_points: folder_points(&names.folders(), &asked.words, tolerance),
            weight: asked.words.iter().map(worth).sum(),
        }
    }

    fn above(&self, folder: u32) -> &[Points] {
        let count = self.asked.words.len();
        let start = folder as usize * count;
        if folder == NO_PARENT { &[] } else { self.folder_points.get(start..start + count).unwrap_or(&[]) }
    }

    /// Whether enough words can be there at all, by letters and folders.
    #[inline]
    fn possible(&self, letters: u64, above: &[Points]) -> bool {
        let mut missing = 0;
        for (place, word) in self.asked.words.iter().enumerate() {
            if !word.optional && !word.possible(letters, self.tolerance) && above.get(place).copied().unwrap_or(0) == 0
            {
                missing += 1;
                if missing > self.may_miss {
                    return false;
                }
            }
        }
        true
    }

    fn candidate(&self, entries: &Table<'_>, entry: usize, letters: u64, above: &[Points]) -> Option<Candidate> {
        let spaced = entries.spaced(entry);
        let mut missing = 0;
        let mut sum = 0f32;
        let mut worst = WHOLE;
        let mut folders_needed = false;
        let mut letters_matched = 0;
        for (place, word) in self.asked.words.iter().enumerate() {
            let in_name = if word.possible(letters, self.tolerance) { word.points(spaced, self.tolerance) } else { 0 };
            let in_folder = above.get(place).copied().unwrap_or(0);
            let folder_worth = u32::from(in_folder) * FOLDER_WORTH / 100;
            if in_name == 0 && in_folder == 0 {
                if !word.optional {
                    missing += 1;
                    if missing > self.may_miss {
                        return None;
                    }
                }
                continue;
            }
            let points = if u32::from(in_name) >= folder_worth {
                letters_matched += word.len();
                worst = worst.min(in_name);
                u32::from(in_name)
            } else {
                folders_needed |= !word.optional;
                worst = worst.min(in_folder);
                folder_worth
            };
            sum += worth(word) * points as f32 / f32::from(WHOLE);
        }
        let (how, covers) = self.how(entries.name(entry), spaced, worst);
        let length = covers.max(1);
        let coverage = (letters_matched as f32 / length as f32).min(1.0);
        let in_order = self.order.find(spaced).is_some();
        let literal = match &self.literal {
            Some(literal) => fold(&String::from_utf8_lossy(entries.name(entry))).contains(literal.as_str()),
            // A query of plain words has no characters beside them to look for.
            None => true,
        };
        let mut score = WORDS_SHARE * sum / self.weight
            + COVERAGE_SHARE * coverage
            + ORDER_SHARE * f32::from(u8::from(in_order))
            + LITERAL_SHARE * f32::from(u8::from(literal));
        if folders_needed {
            score *= FOLDER_FACTOR;
        }
        if how == NameHow::Exact {
            score = score.max(WORDS_SHARE + COVERAGE_SHARE + ORDER_SHARE);
        }
        Some(Candidate { entry, missing, score, length: spaced.len(), how })
    }

    /// How the name was found, and how many characters of it there were to cover: those of the
    /// extension do not count unless they were asked for.
    fn how(&self, name: &[u8], spaced: &[u8], worst: Points) -> (NameHow, usize) {
        let text = std::str::from_utf8(spaced).unwrap_or_default();
        let extension = name.len() - stem(name).len();
        let last = text.rfind(' ').unwrap_or(0);
        let without = if extension > 1 { &text[..last] } else { text };
        let joined = self.asked.joined.as_str();
        let asks_extension = extension > 1 && joined.rsplit(' ').next() == text.rsplit(' ').next();
        let letters_of = |text: &str| {
            if text.is_ascii() {
                text.bytes().filter(|byte| *byte != b' ').count()
            } else {
                text.chars().filter(|character| *character != ' ').count()
            }
        };
        let covers = letters_of(if asks_extension || without.is_empty() { text } else { without });
        let how = if text == joined || (without == joined && !without.is_empty()) {
            NameHow::Exact
        } else if worst < SUBSTRING_FROM {
            NameHow::Typo
        } else if text.starts_with(joined) {
            NameHow::Prefix
        } else if worst < WORDS_FROM {
            NameHow::Substring
        } else {
            NameHow::Words
        };
        (how, covers)
    }
}

impl Matcher for WordMatcher<'_> {
    fn each(&self, names: &Names, range: Range<usize>, sink: &mut dyn FnMut(Candidate)) {
        let entries = names.entries();
        for entry in range {
            let letters = entries.letters(entry);
            let above = self.above(entries.parent(entry));
            if self.possible(letters, above)
                && let Some(candidate) = self.candidate(&entries, entry, letters, above)
            {
                sink(candidate);
            }
        }
    }
}

fn worth(word: &Word) -> f32 {
    if word.optional { OPTIONAL_WORTH } else { 1.0 }
}

/// The points of each word in each folder or above it.
fn folder_points(folders: &Table<'_>, words: &[Word], tolerance: Tolerance) -> Vec<Points> {
    let count = words.len();
    let mut points = vec![0; folders.count * count];
    for folder in 0..folders.count {
        let letters = folders.letters(folder);
        let parent = folders.parent(folder) as usize;
        for (place, word) in words.iter().enumerate() {
            let inherited = if parent < folder { points[parent * count + place] } else { 0 };
            let own = if inherited < WHOLE && word.possible(letters, tolerance) {
                word.points(folders.spaced(folder), tolerance)
            } else {
                0
            };
            points[folder * count + place] = inherited.max(own);
        }
    }
    points
}
