//! Questions by words and meaning: `semantic_grep` and `note_search`.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use bethink_search::{FusionWeights, Question, Searcher, Shape};
use bethink_store::{IndexReader, Root, RootState, Tier, TierProgress};

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::status::NO_MODEL;
use bethink_core::{DocumentId, Explanation, Format, Locator, MatchStrength, Score, UnixMillis};

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

/// One hit.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Position, from 1.
    pub rank: usize,
    /// 0..=1, comparable inside one answer.
    pub score: Score,
    /// How much it deserves to be believed.
    pub strength: MatchStrength,
    /// Absolute path as on disk now.
    pub path: PathBuf,
    /// Where the index knew it, if it has moved since.
    pub moved_from: Option<PathBuf>,
    /// Line of the extracted text, from 1.
    pub line: u32,
    /// Page, slide, …
    pub locator: Locator,
    /// Headings above it.
    pub heading: Vec<String>,
    /// The source's own title, or its first heading.
    pub title: Option<String>,
    /// How the file was read; `None` where only its name is known.
    pub format: Option<Format>,
    /// One line of text.
    pub excerpt: String,
    /// Byte ranges of `excerpt` that match.
    pub matched: Vec<Range<usize>>,
    /// When the file was last modified.
    pub modified: UnixMillis,
    /// The document's id, for `read`.
    pub document: DocumentId,
    /// Other files in which the same words stand.
    pub copies: Vec<PathBuf>,
    /// Something to know about it: stale, unreachable.
    pub caveat: Option<&'static str>,
    /// Why, where asked for.
    pub explanation: Option<Explanation>,
}

/// What a scope kept from the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Hidden {
    /// Files outside the scope that score at least as well as the best inside.
    pub better: usize,
    /// The best score outside, on the hits' scale.
    pub best_score: Score,
    /// Where it stands.
    pub best_path: PathBuf,
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
        let Some(reader) = self.reader()? else { return Err(EngineError::NothingIndexed) };
        let roots = reader.roots()?;
        if roots.is_empty() {
            return Err(EngineError::NothingIndexed);
        }
        let within = request.within.as_deref().map(|within| self.absolute(within));
        if let Some(within) = &within
            && !within.exists()
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
        let mut notes = Vec::new();
        let verifier = self.verifier(&reader)?;
        let mut found = None;
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
            let answer = searcher.answer(&question)?;
            let settled = answer.refreshed == 0;
            found = Some(answer);
            if settled {
                break;
            }
        }
        let Some(found) = found else { return Err(EngineError::NothingIndexed) };
        let statistics = reader.statistics(None)?;
        let tiers = reader.tiers()?;
        let pending = tiers.iter().map(|progress| progress.pending).max().unwrap_or(0);
        if found.gone > 0 {
            notes.push(format!("{} matching files are gone from the disk and were left out", found.gone));
        }
        notes.extend(self.coverage_notes(&tiers, &roots));
        let unreadable = statistics.failed.iter().map(|(_, number)| number).sum();
        if unreadable > 0 {
            notes.push(format!(
                "searched {} documents; {unreadable} could not be read (see: bethink doctor)",
                statistics.indexed
            ));
        }
        Ok(AskAnswer {
            query: request.query.clone(),
            strength: found.strength,
            documents: statistics.documents,
            searched: statistics.indexed,
            pending,
            unreadable,
            looked_in: Where { within, roots: roots.into_iter().map(|root| root.path).collect() },
            hidden: found.hidden.map(|hidden| Hidden {
                better: hidden.better,
                best_score: hidden.best_score,
                best_path: hidden.best_path,
            }),
            hits: found.hits.into_iter().map(Hit::from).collect(),
            notes,
        })
    }

    /// What is missing from the index while it is being built, and what would complete it.
    fn coverage_notes(&self, tiers: &[TierProgress], roots: &[Root]) -> Vec<String> {
        let mut notes = Vec::new();
        if self.open_models().is_empty() {
            notes.push(NO_MODEL.to_owned());
        }
        for progress in tiers {
            let all = progress.done + progress.pending;
            if progress.pending > 0 && all > 0 {
                let share = 100 * progress.done / all;
                notes.push(match progress.model.tier {
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

impl From<bethink_search::Hit> for Hit {
    fn from(hit: bethink_search::Hit) -> Self {
        Self {
            rank: hit.rank,
            score: hit.score,
            strength: hit.strength,
            path: hit.path,
            moved_from: hit.moved_from,
            line: hit.line,
            locator: hit.locator,
            heading: hit.heading,
            title: hit.title,
            format: hit.format,
            excerpt: hit.excerpt,
            matched: hit.matched,
            modified: hit.modified,
            document: hit.document,
            copies: hit.copies,
            caveat: hit.caveat,
            explanation: hit.explanation,
        }
    }
}
