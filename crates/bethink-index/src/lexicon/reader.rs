//! The read side.

use std::path::{Path, PathBuf};

use bethink_core::{ContentId, DocumentId, PassageId};
use bethink_text::QueryTerms;
use tantivy::columnar::Column;
use tantivy::query::Query;
use tantivy::{DocId, Searcher, SegmentReader, TantivyError, Term};

use super::engine::{self, OpenIndex};
use super::expand::{Clause, clauses};
use super::phrase::required;
use super::schema::{CONTENT, DocumentFields, ID, PassageFields, WeighedField};
use super::scoring::{Located, add_scores, frequency, locate, locate_contents, mark_matches};
use super::top::{Accept, Entry, best, union};
use crate::{CacheStamp, ContentSet, IndexError};

/// Scopes of up to this many contents are scored entry by entry: there are so few of them that
/// walking all postings of the query's words would cost more.
const SMALL_SCOPE: usize = 64;

/// A passage that holds words of the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LexicalHit {
    /// The passage.
    pub passage: PassageId,
    /// The content that it belongs to.
    pub content: ContentId,
    /// BM25 over the passage and its headings; 0 or more, comparable for one query.
    pub score: f32,
}

/// What a passage says of the query, and what its text says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TogetherScore {
    /// BM25 of the passage, as [`Lexicon::score`] gives it.
    pub own: f32,
    /// The sum of every clause's best score among the given passages of the same content: at least `own`.
    pub together: f32,
}

/// A document whose name, title or folders hold words of the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NameHit {
    /// The document.
    pub document: DocumentId,
    /// BM25 over name, title and folders; 0 or more, comparable for one query.
    pub score: f32,
}

/// How common a word is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermStatistic {
    /// The term as the query has it.
    pub term: String,
    /// In how many passages it stands; of those deleted lately some may still be counted.
    pub passages: u64,
}

/// Which terms of a query stand in a passage or its headings: bit `n` for `QueryTerms::terms[n]`,
/// stopwords included. Terms from the 65th on have no bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TermMask(pub u64);

impl TermMask {
    /// Whether the query's `n`th term stands there.
    pub fn contains(self, term: usize) -> bool {
        term < 64 && self.0 >> term & 1 == 1
    }
}

/// Passages and documents by their words, as one commit left them.
pub struct Lexicon {
    passages: OpenIndex,
    documents: OpenIndex,
    passage_fields: PassageFields,
    document_fields: DocumentFields,
}

impl Lexicon {
    /// Opens the lexicon of a folder; `None` when there is none, or it is damaged or of another
    /// format, so that it has to be built again.
    ///
    /// # Errors
    /// When the system refuses a file that is there.
    pub fn open(folder: &Path) -> Result<Option<Self>, IndexError> {
        let (passage_schema, passage_fields) = PassageFields::define();
        let (document_schema, document_fields) = DocumentFields::define();
        let Some(passages) = engine::open(&passages_folder(folder), &passage_schema)? else { return Ok(None) };
        let Some(documents) = engine::open(&documents_folder(folder), &document_schema)? else { return Ok(None) };
        // Documents are committed first; being behind means that one of the two was exchanged.
        let consistent =
            documents.stamp.store == passages.stamp.store && documents.stamp.sequence >= passages.stamp.sequence;
        Ok(consistent.then_some(Self { passages, documents, passage_fields, document_fields }))
    }

    /// What the lexicon was built from.
    pub fn stamp(&self) -> CacheStamp {
        self.passages.stamp
    }

    /// How many passages can be answered with.
    pub fn passage_count(&self) -> u64 {
        self.passages.searcher.num_docs()
    }

    /// How many documents can be answered with.
    pub fn document_count(&self) -> u64 {
        self.documents.searcher.num_docs()
    }

    /// Reads every byte and compares it with its checksum; `doctor` does so, a query does not.
    ///
    /// # Errors
    /// When the system refuses a file.
    pub fn verify(&self) -> Result<bool, IndexError> {
        for side in [&self.passages, &self.documents] {
            match engine::guard(&side.folder, || side.searcher.index().validate_checksum()) {
                Ok(broken) if broken.is_empty() => {}
                Ok(_) | Err(IndexError::Damaged { .. }) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// The `limit` best passages that hold any of the query's words, every quoted phrase, and lie
    /// in the scope; by score, then id.
    ///
    /// # Errors
    /// [`IndexError::Damaged`] when the index turns out to be, otherwise when the system refuses.
    pub fn passages(
        &self,
        query: &QueryTerms,
        scope: Option<&ContentSet>,
        limit: usize,
    ) -> Result<Vec<LexicalHit>, IndexError> {
        if limit == 0 || scope.is_some_and(ContentSet::is_empty) {
            return Ok(Vec::new());
        }
        engine::guard(&self.passages.folder, || {
            let searcher = &self.passages.searcher;
            let fields = self.passage_fields.weighed();
            let clauses = clauses(searcher, query, &fields)?;
            let required = required(query, &fields);
            if clauses.is_empty() && required.is_none() {
                return Ok(Vec::new());
            }
            let mut hits = match scope.filter(|scope| scope.len() <= SMALL_SCOPE) {
                Some(scope) => self.passages_of(scope, &clauses, required.as_deref())?,
                None => {
                    let query = union(&clauses, required);
                    let entries = best(searcher, &*query, limit, |reader| ScopedPassages::new(reader, scope))?;
                    let scores = exact_scores(searcher, &clauses, &entries)?;
                    let columns = columns(searcher, CONTENT)?;
                    entries
                        .iter()
                        .zip(scores)
                        .map(|(entry, score)| LexicalHit {
                            passage: PassageId(entry.id),
                            content: ContentId(value(&columns[entry.segment], entry.document)),
                            score,
                        })
                        .collect()
                }
            };
            hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
            hits.truncate(limit);
            Ok(hits)
        })
    }

    fn passages_of(
        &self,
        scope: &ContentSet,
        clauses: &[Clause],
        required: Option<&dyn Query>,
    ) -> Result<Vec<LexicalHit>, TantivyError> {
        let searcher = &self.passages.searcher;
        let (located, entries) = locate_contents(searcher, self.passage_fields.content, scope.iter())?;
        let mut scores = vec![0f32; entries.len()];
        let mut matches = vec![false; entries.len()];
        add_scores(searcher, clauses, &located, &mut scores, |_, place, _| matches[place] = true)?;
        if let Some(required) = required {
            matches = vec![false; entries.len()];
            mark_matches(searcher, required, &located, &mut matches)?;
        }
        let (ids, contents) = (columns(searcher, ID)?, columns(searcher, CONTENT)?);
        Ok(entries
            .iter()
            .enumerate()
            .filter(|(place, _)| matches[*place])
            .map(|(place, (segment, document))| LexicalHit {
                passage: PassageId(value(&ids[*segment], *document)),
                content: ContentId(value(&contents[*segment], *document)),
                score: scores[place],
            })
            .collect())
    }

    /// The BM25 score of each of the given passages, in their order: the number that
    /// [`Lexicon::passages`] gives it, and 0 for a passage that holds none of the words or is not
    /// there. Quoted phrases are not asked for here: see [`Lexicon::holds_phrases`].
    ///
    /// # Errors
    /// As for [`Lexicon::passages`].
    pub fn score(&self, query: &QueryTerms, passages: &[PassageId]) -> Result<Vec<f32>, IndexError> {
        let ids: Vec<u64> = passages.iter().map(|passage| passage.0).collect();
        score_ids(&self.passages, self.passage_fields.passage, &self.passage_fields.weighed(), query, &ids)
    }

    /// What each of the given passages says, and what the given passages of its content say together, in their
    /// order: more than its own where the words of the query are spread over several passages of one
    /// text. `contents` names each passage's content.
    ///
    /// # Errors
    /// As for [`Lexicon::passages`].
    pub fn score_together(
        &self,
        query: &QueryTerms,
        passages: &[PassageId],
        contents: &[ContentId],
    ) -> Result<Vec<TogetherScore>, IndexError> {
        let mut distinct: Vec<ContentId> = contents.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let groups: Vec<usize> =
            contents.iter().map(|content| distinct.partition_point(|known| known < content)).collect();
        engine::guard(&self.passages.folder, || {
            let searcher = &self.passages.searcher;
            let clauses = clauses(searcher, query, &self.passage_fields.weighed())?;
            let located = locate(searcher, self.passage_fields.passage, &ids_of(passages))?;
            let mut scores = vec![0f32; passages.len()];
            let mut together = vec![0f32; distinct.len()];
            let mut best = vec![0f32; distinct.len()];
            let mut current = 0;
            let mut settle = |best: &mut Vec<f32>| {
                for (sum, best) in together.iter_mut().zip(best.iter_mut()) {
                    *sum += std::mem::take(best);
                }
            };
            add_scores(searcher, &clauses, &located, &mut scores, |clause, place, added| {
                // Clauses come one after the other: with a new one, the best of the last are added up.
                if clause != current {
                    settle(&mut best);
                    current = clause;
                }
                if let Some(known) = groups.get(place).and_then(|&group| best.get_mut(group)) {
                    *known = known.max(added);
                }
            })?;
            settle(&mut best);
            let of_group = |group: &usize| together.get(*group).copied().unwrap_or(0.0);
            // Adding up in another order may round below the passage's own sum.
            let scored = |(own, group): (f32, &usize)| TogetherScore { own, together: of_group(group).max(own) };
            Ok(scores.into_iter().zip(&groups).map(scored).collect())
        })
    }

    /// Which terms of the query each of the given passages holds, in their order.
    ///
    /// # Errors
    /// As for [`Lexicon::passages`].
    pub fn matched_terms(&self, query: &QueryTerms, passages: &[PassageId]) -> Result<Vec<TermMask>, IndexError> {
        engine::guard(&self.passages.folder, || {
            let searcher = &self.passages.searcher;
            let located = locate(searcher, self.passage_fields.passage, &ids_of(passages))?;
            let fields = self.passage_fields.weighed();
            let clauses: Vec<Clause> = query
                .terms
                .iter()
                .take(64)
                .flat_map(|term| {
                    fields
                        .iter()
                        .map(|(field, worth)| Clause { term: Term::from_field_text(*field, &term.term), worth: *worth })
                })
                .collect();
            let mut masks = vec![TermMask::default(); passages.len()];
            let mut scores = vec![0f32; passages.len()];
            add_scores(searcher, &clauses, &located, &mut scores, |clause, place, _| {
                masks[place].0 |= 1 << (clause / fields.len());
            })?;
            Ok(masks)
        })
    }

    /// Whether each of the given passages holds every quoted phrase of the query, in their order;
    /// true for all when nothing is quoted.
    ///
    /// # Errors
    /// As for [`Lexicon::passages`].
    pub fn holds_phrases(&self, query: &QueryTerms, passages: &[PassageId]) -> Result<Vec<bool>, IndexError> {
        let Some(required) = required(query, &self.passage_fields.weighed()) else {
            return Ok(vec![true; passages.len()]);
        };
        engine::guard(&self.passages.folder, || {
            let searcher = &self.passages.searcher;
            let located = locate(searcher, self.passage_fields.passage, &ids_of(passages))?;
            let mut marks = vec![false; passages.len()];
            mark_matches(searcher, &*required, &located, &mut marks)?;
            Ok(marks)
        })
    }

    /// How common each term of the query is among the passages' own words, in the query's order.
    ///
    /// # Errors
    /// As for [`Lexicon::passages`].
    pub fn term_statistics(&self, query: &QueryTerms) -> Result<Vec<TermStatistic>, IndexError> {
        engine::guard(&self.passages.folder, || {
            query
                .terms
                .iter()
                .map(|term| {
                    let passages = frequency(&self.passages.searcher, self.passage_fields.body, &term.term)?;
                    Ok(TermStatistic { term: term.term.clone(), passages })
                })
                .collect()
        })
    }

    /// The `limit` best documents whose name, title or folders hold any of the query's words; by
    /// score, then id.
    ///
    /// # Errors
    /// As for [`Lexicon::passages`].
    pub fn documents(&self, query: &QueryTerms, limit: usize) -> Result<Vec<NameHit>, IndexError> {
        self.documents_where(query, limit, &|_| true)
    }

    /// [`Lexicon::documents`] among those that pass the test, which is made inside the search.
    ///
    /// # Errors
    /// As for [`Lexicon::passages`].
    pub fn documents_where(
        &self,
        query: &QueryTerms,
        limit: usize,
        test: &dyn Fn(DocumentId) -> bool,
    ) -> Result<Vec<NameHit>, IndexError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        engine::guard(&self.documents.folder, || {
            let searcher = &self.documents.searcher;
            let clauses = clauses(searcher, query, &self.document_fields.weighed())?;
            if clauses.is_empty() {
                return Ok(Vec::new());
            }
            let query = union(&clauses, None);
            let entries = best(searcher, &*query, limit, |reader| {
                Ok(TestedDocuments { ids: reader.fast_fields().u64(ID)?, test })
            })?;
            let scores = exact_scores(searcher, &clauses, &entries)?;
            let mut hits: Vec<NameHit> = entries
                .iter()
                .zip(scores)
                .map(|(entry, score)| NameHit { document: DocumentId(entry.id), score })
                .collect();
            hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.document.cmp(&b.document)));
            hits.truncate(limit);
            Ok(hits)
        })
    }

    /// The score of each of the given documents, in their order, as [`Lexicon::documents`] gives it.
    ///
    /// # Errors
    /// As for [`Lexicon::passages`].
    pub fn score_documents(&self, query: &QueryTerms, documents: &[DocumentId]) -> Result<Vec<f32>, IndexError> {
        let ids: Vec<u64> = documents.iter().map(|document| document.0).collect();
        score_ids(&self.documents, self.document_fields.document, &self.document_fields.weighed(), query, &ids)
    }
}

pub(crate) fn passages_folder(folder: &Path) -> PathBuf {
    folder.join("passages")
}

pub(crate) fn documents_folder(folder: &Path) -> PathBuf {
    folder.join("documents")
}

fn ids_of(passages: &[PassageId]) -> Vec<u64> {
    passages.iter().map(|passage| passage.0).collect()
}

fn score_ids(
    side: &OpenIndex,
    id_field: tantivy::schema::Field,
    fields: &[WeighedField],
    query: &QueryTerms,
    ids: &[u64],
) -> Result<Vec<f32>, IndexError> {
    engine::guard(&side.folder, || {
        let clauses = clauses(&side.searcher, query, fields)?;
        let located = locate(&side.searcher, id_field, ids)?;
        let mut scores = vec![0f32; ids.len()];
        add_scores(&side.searcher, &clauses, &located, &mut scores, |_, _, _| {})?;
        Ok(scores)
    })
}

/// The scores of entries, added up in the order of the clauses.
fn exact_scores(searcher: &Searcher, clauses: &[Clause], entries: &[Entry]) -> Result<Vec<f32>, TantivyError> {
    let mut located = Located::new(searcher);
    let mut ordered: Vec<usize> = (0..entries.len()).collect();
    ordered.sort_unstable_by_key(|place| (entries[*place].segment, entries[*place].document));
    for place in ordered {
        located.push(entries[place].segment, entries[place].document, place);
    }
    let mut scores = vec![0f32; entries.len()];
    add_scores(searcher, clauses, &located, &mut scores, |_, _, _| {})?;
    Ok(scores)
}

fn columns(searcher: &Searcher, name: &str) -> Result<Vec<Column<u64>>, TantivyError> {
    searcher.segment_readers().iter().map(|reader| reader.fast_fields().u64(name)).collect()
}

fn value(column: &Column<u64>, document: DocId) -> u64 {
    column.first(document).unwrap_or(u64::MAX)
}

/// The passages of one segment that lie in the scope.
struct ScopedPassages<'s> {
    ids: Column<u64>,
    scope: Option<(Column<u64>, &'s ContentSet)>,
}

impl<'s> ScopedPassages<'s> {
    fn new(reader: &SegmentReader, scope: Option<&'s ContentSet>) -> Result<Self, TantivyError> {
        let scope = match scope {
            Some(scope) => Some((reader.fast_fields().u64(CONTENT)?, scope)),
            None => None,
        };
        Ok(Self { ids: reader.fast_fields().u64(ID)?, scope })
    }
}

impl Accept for ScopedPassages<'_> {
    fn accept(&self, document: DocId) -> Option<u64> {
        if let Some((contents, scope)) = &self.scope
            && !scope.contains(ContentId(contents.first(document)?))
        {
            return None;
        }
        self.ids.first(document)
    }
}

/// The documents of one segment that pass the caller's test.
struct TestedDocuments<'t> {
    ids: Column<u64>,
    test: &'t dyn Fn(DocumentId) -> bool,
}

impl Accept for TestedDocuments<'_> {
    fn accept(&self, document: DocId) -> Option<u64> {
        self.ids.first(document).filter(|id| (self.test)(DocumentId(*id)))
    }
}
