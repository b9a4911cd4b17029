//! Questions by words and meaning: `semantic_grep` and `note_search`.

use std::path::PathBuf;
use std::time::Duration;

use bethink_core::{MEMORY_ROOT, MatchStrength, PassageId};
use bethink_ingest::container_on_disk;
use bethink_search::{FusionWeights, Hidden, Hit, Question, SearchError, Searcher, Shape};
use bethink_store::{IndexReader, PassageRecord, Root, RootState, Tier};

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::status::NO_MODEL;

/// What shape the answer takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AskShape {
    /// Passages (`semantic_grep`, `bethink grep`).
    #[default]
    Passages,
    /// Documents and headings, names and titles included (`note_search`, `bethink QUERY`).
    Everything,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AskRequest {
    /// The words as they were typed.
    pub query: String,
    /// Only what lies at or under this path (absolute, or relative to the engine's working folder).
    pub within: Option<PathBuf>,
    /// How many hits at the most; 0 means the default of 10.
    pub limit: usize,
    /// Hits of one file at the most; 0 means the default of 3.
    pub per_file: usize,
    /// The answer's shape.
    pub shape: AskShape,
    /// Whether hits carry their explanation.
    pub explain: bool,
}

/// Where was looked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Where {
    /// The scope, if one was given.
    pub within: Option<PathBuf>,
    /// The roots that are indexed.
    pub roots: Vec<PathBuf>,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AskAnswer {
    /// The query, as asked.
    pub query: String,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How much the answer as a whole deserves to be believed; `None` is to be read as "stop".
    pub strength: MatchStrength,
    /// Documents known.
    pub documents: u64,
    /// Documents with text, all of which were searched.
    pub searched: u64,
    /// Passages that wait for a vector of the best model.
    pub pending: u64,
    /// Documents that should have text and could not be read.
    pub unreadable: u64,
    /// Where was looked.
    pub looked_in: Where,
    /// Whether some of what was read is not searchable yet, so that a miss means little.
    pub is_partial: bool,
    /// What the scope kept back.
    pub hidden: Option<Hidden>,
    /// Sentences that the reader should know, each ending with what to do where there is something
    /// to do.
    pub notes: Vec<String>,
}

/// Hits, unless told otherwise.
const DEFAULT_LIMIT: usize = 10;

/// Hits of one file, unless told otherwise.
const DEFAULT_PER_FILE: usize = Question::DEFAULT_PER_FILE;

/// How often a question is asked again because a winner's file had changed on the disk and was read
/// afresh. A file that changes faster than that is shown as it was last read.
const ASKED_AT_MOST: usize = 3;

/// How long a question waits for caches that are behind the store. What is not caught up by then is
/// told in a note; the next question goes on from there.
const CATCH_UP: Duration = Duration::from_millis(1500);

impl Engine {
    /// Answers a question by words and meaning.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuestion`], [`EngineError::NothingIndexed`], [`EngineError::NoSuchPath`]
    /// for a scope that is neither on the disk nor in the index, or a failure of a part.
    pub fn ask(&self, request: &AskRequest) -> Result<AskAnswer> {
        if request.query.trim().is_empty() {
            return Err(EngineError::EmptyQuestion);
        }
        // Trouble with the memory is no reason to leave a question about files unanswered.
        let index = self.reader()?;
        let open = index.as_ref().map(|reader| reader as &dyn IndexReader);
        let has_followed = self.follow_before_a_question(open).unwrap_or_else(|error| {
            tracing::warn!(%error, "the memory could not be followed");
            false
        });
        // What is remembered may be the first thing that is indexed at all.
        let reader = if index.is_some() { index } else { self.reader()? };
        let Some(reader) = reader else { return Err(EngineError::NothingIndexed) };
        let roots = reader.roots()?;
        let has_memory = !reader.documents_under(Some(MEMORY_ROOT.as_ref()), None, 1)?.is_empty();
        if roots.is_empty() && !has_memory {
            return Err(EngineError::NothingIndexed);
        }
        let within = request.within.as_deref().map(|within| self.absolute(within));
        if let Some(within) = &within
            && !within.exists()
            && container_on_disk(within).is_none()
            && reader.documents_under(Some(within), None, 1)?.is_empty()
        {
            return Err(EngineError::NoSuchPath { path: within.clone() });
        }
        let question = Question {
            text: request.query.clone(),
            within: within.clone(),
            limit: if request.limit == 0 { DEFAULT_LIMIT } else { request.limit },
            per_file: if request.per_file == 0 { DEFAULT_PER_FILE } else { request.per_file },
            shape: match request.shape {
                AskShape::Passages => Shape::Passages,
                AskShape::Everything => Shape::Headings,
            },
            explain: request.explain,
        };
        let mut notes: Vec<String> = self.read_only_note().into_iter().collect();
        if !has_followed {
            notes.push("some of the memory is not searchable yet; finish with: bethink index".to_owned());
        }
        let verifier = self.verifier(&reader)?;
        // Trouble with the sweep (a full disk, a read-only home) is no reason to leave a question
        // unanswered; what the index has is still right about itself.
        if let Err(error) = self.sweep_before_a_question() {
            tracing::warn!(%error, "the sweep before a question failed");
        }
        let mut found = None;
        let mut is_partial = false;
        let (mut passages, mut progress) = (0, Vec::new());
        let mut has_swept = false;
        for attempt in 1..=ASKED_AT_MOST {
            let caches = self.caches(&reader, CATCH_UP)?;
            if attempt == 1 {
                notes.extend(caches.notes.iter().cloned());
            }
            let tiers = caches.tiers();
            let searcher = Searcher {
                reader: &reader,
                lexicon: caches.lexicon.as_ref(),
                tiers: &tiers,
                verifier: &verifier,
                weights: FusionWeights::default(),
            };
            let answer = match searcher.answer(&question) {
                Ok(answer) => answer,
                // Damage that opening a cache did not see. It is derived, so it is built again, once.
                Err(SearchError::Index(error)) if attempt < ASKED_AT_MOST => {
                    tracing::warn!(%error, "a cache is built again");
                    drop(caches);
                    self.rebuild_caches(&reader)?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            is_partial = caches.is_behind;
            (passages, progress) = (caches.passages, caches.progress.clone());
            let mut settled = answer.refreshed == 0;
            if settled && !has_swept && answer.strength == MatchStrength::None {
                has_swept = true;
                settled = !self.sweep_after_a_miss().unwrap_or(false);
            }
            found = Some(answer);
            if settled {
                break;
            }
        }
        let Some(mut found) = found else { return Err(EngineError::NothingIndexed) };
        // What nothing speaks for is no answer: a person would read ten lines for nothing, an agent
        // would go on asking.
        if found.strength == MatchStrength::None
            && let Some(nearest) = found.hits.first()
        {
            notes.push(format!("nearest, and probably not it: {}:{}", nearest.path.display(), nearest.line));
            found.hits.clear();
        }
        for hit in &mut found.hits {
            hit.column = column_of(&reader, hit)?;
        }
        let counts = reader.document_counts(within.as_deref())?;
        let pending = progress.iter().map(|(_, waiting)| *waiting).max().unwrap_or(0);
        if let Some(within) = &within
            && counts.documents == 0
        {
            notes.push(format!(
                "nothing under {} is indexed; see: bethink doctor --why '{}'",
                within.display(),
                within.display()
            ));
        }
        if found.gone > 0 {
            notes.push(format!("{} matching files are gone from the disk and were left out", found.gone));
        }
        notes.extend(self.coverage_notes(&progress, passages, &roots));
        if counts.failed > 0 {
            notes.push(format!(
                "searched {} documents; {} could not be read (see: bethink doctor)",
                counts.indexed, counts.failed
            ));
        }
        Ok(AskAnswer {
            query: request.query.clone(),
            strength: found.strength,
            documents: counts.documents,
            searched: counts.indexed,
            pending,
            unreadable: counts.failed,
            looked_in: Where {
                within,
                roots: roots
                    .into_iter()
                    .map(|root| root.path)
                    .chain(has_memory.then(|| PathBuf::from(MEMORY_ROOT)))
                    .collect(),
            },
            is_partial,
            hidden: found.hidden,
            hits: found.hits,
            notes,
        })
    }

    /// What is missing from the index while it is being built, and what would complete it.
    fn coverage_notes(&self, progress: &[(Tier, u64)], passages: u64, roots: &[Root]) -> Vec<String> {
        let mut notes = Vec::new();
        if self.open_models().is_empty() {
            notes.push(NO_MODEL.to_owned());
        }
        for (tier, waiting) in progress {
            if *waiting > 0 {
                let share = 100 * passages.saturating_sub(*waiting) / passages.max(1);
                notes.push(match tier {
                    Tier::Static => {
                        format!("{share} % of the passages can be found by meaning; finish with: bethink index")
                    }
                    Tier::Transformer => {
                        format!("{share} % of the passages are sharpened; finish with: bethink index --full")
                    }
                });
            }
        }
        for root in roots {
            if root.completed.is_none() && root.state == RootState::Pending {
                notes.push(format!("{} is still being indexed; this is what is there so far", root.path.display()));
            }
        }
        notes
    }
}

/// So many bytes of a line before a hit are read over; after more of them the hit says its column.
const READ_OVER_BYTES: usize = 1_000;

/// Columns are counted so far into a line; beyond, a hit has none, since counting would take longer than
/// answering.
const LONGEST_LINE_COUNTED_BYTES: usize = 8 * 1024 * 1024;

/// Passages that are looked at in one go when a line goes on for long.
const PASSAGES_AT_ONCE: u32 = 64;

/// The column of a hit in a long line: how many characters of its line stand before its excerpt, and one.
fn column_of(reader: &dyn IndexReader, hit: &Hit) -> Result<Option<u32>> {
    let Some(passage) = hit.passage else { return Ok(None) };
    let Some(passage) = reader.passages(&[passage])?.pop() else { return Ok(None) };
    // A line that begins inside the passage is not long, since passages are not.
    if hit.line != passage.line || passage.range.start < READ_OVER_BYTES {
        return Ok(None);
    }
    let (mut bytes, mut characters) = (0, 0);
    let mut later = passage.ordinal;
    // One first: in most texts the line before ends there.
    let mut step = 1;
    'line: while later > 0 {
        if bytes > LONGEST_LINE_COUNTED_BYTES {
            return Ok(None);
        }
        let before = passages_before(reader, &passage, later, step)?;
        // The text was replaced meanwhile.
        if before.is_empty() {
            return Ok(None);
        }
        for earlier in before {
            let of_this_line = earlier.text.rsplit('\n').next().unwrap_or_default();
            bytes += of_this_line.len();
            characters += of_this_line.chars().count();
            if of_this_line.len() < earlier.text.len() {
                break 'line;
            }
            later = earlier.ordinal;
        }
        step = PASSAGES_AT_ONCE;
    }
    if bytes < READ_OVER_BYTES {
        return Ok(None);
    }
    // Where the excerpt cannot be found in its passage (its control characters were made visible), the
    // passage's beginning is near enough.
    let core = hit.excerpt.trim_matches(|character: char| character == '…' || character.is_whitespace());
    let inside = passage.text.find(core).map_or(0, |at| passage.text[..at].chars().count());
    Ok(Some(u32::try_from(characters + inside).unwrap_or(u32::MAX).saturating_add(1)))
}

/// Up to `count` passages of the same text before the one at `ordinal`, the nearest first; none only
/// where the text is gone.
fn passages_before(
    reader: &dyn IndexReader,
    passage: &PassageRecord,
    ordinal: u32,
    count: u32,
) -> Result<Vec<PassageRecord>> {
    // The passages of a text are numbered one after another, so that a text of megabytes is not read for
    // the sake of a few neighbours.
    let number_of = |at: u32| (passage.id.0 + u64::from(at)).checked_sub(u64::from(passage.ordinal)).map(PassageId);
    let ids: Vec<PassageId> = (ordinal.saturating_sub(count)..ordinal).rev().filter_map(number_of).collect();
    let found = reader.passages(&ids)?;
    let expected = (0..ordinal).rev();
    let is_so = |(found, at): (&PassageRecord, u32)| found.content == passage.content && found.ordinal == at;
    if !found.is_empty() && found.iter().zip(expected).all(is_so) {
        return Ok(found);
    }
    let mut all = reader.passages_of(passage.content)?;
    all.truncate(ordinal as usize);
    all.reverse();
    Ok(all)
}
