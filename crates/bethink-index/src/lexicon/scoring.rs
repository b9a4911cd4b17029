//! Scores of given entries, without searching for them.

use bethink_core::ContentId;
use tantivy::query::{EnableScoring, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Searcher, TERMINATED, TantivyError, Term};

use super::expand::Clause;
use super::schema::ID;

/// Entries by segment: the engine's number of the entry, ascending, and the caller's place for it.
pub(crate) struct Located {
    segments: Vec<Vec<(DocId, usize)>>,
}

impl Located {
    pub(crate) fn new(searcher: &Searcher) -> Self {
        Self { segments: vec![Vec::new(); searcher.segment_readers().len()] }
    }

    pub(crate) fn push(&mut self, segment: usize, document: DocId, place: usize) {
        self.segments[segment].push((document, place));
    }

    fn sorted(mut self) -> Self {
        self.segments.iter_mut().for_each(|entries| entries.sort_unstable());
        self
    }
}

/// Where the entries of those ids stand. Segments whose range of ids does not reach an id are not
/// asked for it, so that it is usually one look into one dictionary.
pub(crate) fn locate(searcher: &Searcher, field: Field, ids: &[u64]) -> Result<Located, TantivyError> {
    let mut located = Located::new(searcher);
    let mut ordered: Vec<(u64, usize)> = ids.iter().copied().zip(0..).collect();
    ordered.sort_unstable();
    for (segment, reader) in searcher.segment_readers().iter().enumerate() {
        let column = reader.fast_fields().u64(ID)?;
        let (least, most) = (column.min_value(), column.max_value());
        let from = ordered.partition_point(|(id, _)| *id < least);
        let to = ordered.partition_point(|(id, _)| *id <= most);
        if from >= to {
            continue;
        }
        let inverted = reader.inverted_index(field)?;
        for (id, place) in &ordered[from..to] {
            for_each_of(&inverted, &Term::from_field_u64(field, *id), |document| {
                if !reader.is_deleted(document) {
                    located.push(segment, document, *place);
                }
            })?;
        }
    }
    Ok(located.sorted())
}

/// All entries of those contents, each with a place of its own from 0, and how many there are.
pub(crate) fn locate_contents(
    searcher: &Searcher,
    field: Field,
    contents: impl Iterator<Item = ContentId>,
) -> Result<(Located, Vec<(usize, DocId)>), TantivyError> {
    let mut located = Located::new(searcher);
    let mut entries = Vec::new();
    let contents: Vec<ContentId> = contents.collect();
    for (segment, reader) in searcher.segment_readers().iter().enumerate() {
        let inverted = reader.inverted_index(field)?;
        for content in &contents {
            for_each_of(&inverted, &Term::from_field_u64(field, content.0), |document| {
                if !reader.is_deleted(document) {
                    located.push(segment, document, entries.len());
                    entries.push((segment, document));
                }
            })?;
        }
    }
    Ok((located.sorted(), entries))
}

fn for_each_of(
    inverted: &tantivy::InvertedIndexReader,
    term: &Term,
    mut sink: impl FnMut(DocId),
) -> Result<(), TantivyError> {
    if let Some(mut postings) = inverted.read_postings(term, IndexRecordOption::Basic)? {
        let mut document = postings.doc();
        while document != TERMINATED {
            sink(document);
            document = postings.advance();
        }
    }
    Ok(())
}

/// Adds up each entry's score, clause by clause in their order. `matched` hears of each clause that
/// matches an entry: clause, place, and what the clause adds there.
pub(crate) fn add_scores(
    searcher: &Searcher,
    clauses: &[Clause],
    located: &Located,
    scores: &mut [f32],
    mut matched: impl FnMut(usize, usize, f32),
) -> Result<(), TantivyError> {
    for (number, clause) in clauses.iter().enumerate() {
        let query = TermQuery::new(clause.term.clone(), IndexRecordOption::WithFreqs);
        let weight = query.weight(EnableScoring::enabled_from_searcher(searcher))?;
        for (reader, entries) in searcher.segment_readers().iter().zip(&located.segments) {
            if entries.is_empty() {
                continue;
            }
            let mut scorer = weight.scorer(reader, clause.worth)?;
            for (document, place) in entries {
                if scorer.doc() < *document {
                    scorer.seek(*document);
                }
                if scorer.doc() == *document {
                    let added = scorer.score();
                    scores[*place] += added;
                    matched(number, *place, added);
                } else if scorer.doc() == TERMINATED {
                    break;
                }
            }
        }
    }
    Ok(())
}

/// Marks the entries that a query matches.
pub(crate) fn mark_matches(
    searcher: &Searcher,
    query: &dyn Query,
    located: &Located,
    marks: &mut [bool],
) -> Result<(), TantivyError> {
    let weight = query.weight(EnableScoring::disabled_from_searcher(searcher))?;
    for (reader, entries) in searcher.segment_readers().iter().zip(&located.segments) {
        if entries.is_empty() {
            continue;
        }
        let mut scorer = weight.scorer(reader, 1.0)?;
        for (document, place) in entries {
            if scorer.doc() < *document {
                scorer.seek(*document);
            }
            marks[*place] |= scorer.doc() == *document;
        }
    }
    Ok(())
}

/// How many entries hold a term, those not yet merged away included.
pub(crate) fn frequency(searcher: &Searcher, field: Field, text: &str) -> Result<u64, TantivyError> {
    searcher.doc_freq(&Term::from_field_text(field, text))
}
