//! The best entries of a query, with whole blocks skipped that cannot hold any.

use std::cmp::Ordering;

use tantivy::query::{BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, Searcher, SegmentReader, TantivyError};

use super::expand::Clause;
use crate::best::Best;

/// The engine adds up an entry's score in an order that depends on where it stands, so equal
/// entries may differ in the last bits. While the best are gathered, scores count as equal when
/// they agree but for this many last bits (one part in 32,768), and the id decides.
const NOISE_BITS: u32 = 8;

/// An entry that was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) segment: usize,
    pub(crate) document: DocId,
    /// The passage or document.
    pub(crate) id: u64,
    /// The score without its noisy bits.
    rough: f32,
}

/// The union of the clauses, with what is required beside them.
pub(crate) fn union(clauses: &[Clause], required: Option<Box<dyn Query>>) -> Box<dyn Query> {
    let mut parts: Vec<(Occur, Box<dyn Query>)> = clauses
        .iter()
        .map(|clause| {
            let term = TermQuery::new(clause.term.clone(), IndexRecordOption::WithFreqs);
            (Occur::Should, Box::new(BoostQuery::new(Box::new(term), clause.worth)) as Box<dyn Query>)
        })
        .collect();
    if let Some(required) = required {
        parts.push((Occur::Must, required));
    }
    Box::new(BooleanQuery::new(parts))
}

/// What a segment says about its entries.
pub(crate) trait Accept {
    /// The id of an entry that may be answered with.
    fn accept(&self, document: DocId) -> Option<u64>;
}

/// The `limit` best entries that are accepted: by score, then id. A little more than `limit` comes
/// back, so that the caller's exact scores have the last word on who is in.
pub(crate) fn best<'a, A: Accept + 'a>(
    searcher: &'a Searcher,
    query: &dyn Query,
    limit: usize,
    accept: impl Fn(&'a SegmentReader) -> Result<A, TantivyError>,
) -> Result<Vec<Entry>, TantivyError> {
    let weight = query.weight(EnableScoring::enabled_from_searcher(searcher))?;
    let gathered = limit.saturating_add(limit / 8).saturating_add(8).min(searcher.num_docs() as usize);
    let mut best = Best::new(gathered, better);
    let mut threshold = f32::MIN;
    for (segment, reader) in searcher.segment_readers().iter().enumerate() {
        let accept = accept(reader)?;
        weight.for_each_pruning(threshold, reader, &mut |document, score| {
            if !reader.is_deleted(document)
                && let Some(id) = accept.accept(document)
            {
                let rough = f32::from_bits(score.max(0.0).to_bits() >> NOISE_BITS << NOISE_BITS);
                if best.push(Entry { segment, document, id, rough })
                    && let Some(bound) = best.bound()
                {
                    // Strictly below the bound, so that its equals are still seen.
                    threshold = bound.rough.next_down();
                }
            }
            threshold
        })?;
    }
    Ok(best.into_sorted())
}

fn better(a: &Entry, b: &Entry) -> Ordering {
    b.rough.total_cmp(&a.rough).then(a.id.cmp(&b.id)).then(a.segment.cmp(&b.segment)).then(a.document.cmp(&b.document))
}
