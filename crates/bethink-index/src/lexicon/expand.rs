//! The clauses of a query: which terms in which fields, and what each is worth.

use std::collections::BTreeMap;

use bethink_text::QueryTerms;
use tantivy::schema::Field;
use tantivy::{Searcher, TantivyError, Term};

use super::schema::WeighedField;
use super::tokenizer::LONGEST_TERM_BYTES;

/// A word that is being typed is completed to at most this many terms, the most frequent ones.
const COMPLETIONS: usize = 8;
/// So many terms of a segment's dictionary are looked at for completions.
const COMPLETIONS_SEEN: usize = 512;
/// What a completion is worth beside a word that was typed whole.
const COMPLETION_WORTH: f32 = 0.5;

/// One term in one field. The order of clauses is the order in which scores are added up, which
/// makes sums comparable to the last bit.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub(crate) term: Term,
    pub(crate) worth: f32,
}

/// The terms that count, each with how often it stands in the query: without stopwords that other words
/// make superfluous.
fn searched(query: &QueryTerms) -> Vec<(&str, u16)> {
    let mut terms: Vec<(&str, u16)> = Vec::with_capacity(query.terms.len());
    for term in &query.terms {
        let text = term.term.as_str();
        let counts = !term.stopword && !text.is_empty() && text.len() <= LONGEST_TERM_BYTES;
        if counts && terms.iter().all(|(known, _)| *known != text) {
            terms.push((text, term.count));
        }
    }
    terms
}

/// What a term is worth that stands in the query so often. A long question says its subject again and
/// again. By plain BM25 over whole documents (nDCG@10 on cisi, scifact-train, cranfield, aeslc-dev):
/// counted once .334, .699, .529, .852; by its count .400, .695, .528, .853; by the root of its count
/// .384, .699, .530, .853, which costs on none.
fn worth_of(count: u16) -> f32 {
    f32::from(count).sqrt()
}

/// The clauses of a query over the given fields. The last word counts as unfinished when the
/// first of the fields does not have it as it stands: then its commonest completions count too.
pub(crate) fn clauses(
    searcher: &Searcher,
    query: &QueryTerms,
    fields: &[WeighedField],
) -> Result<Vec<Clause>, TantivyError> {
    let mut clauses = Vec::new();
    let mut add = |text: &str, worth: f32| {
        for (field, field_worth) in fields {
            clauses.push(Clause { term: Term::from_field_text(*field, text), worth: worth * field_worth });
        }
    };
    let terms = searched(query);
    for (text, count) in &terms {
        add(text, worth_of(*count));
    }
    if let Some(prefix) = query.prefix.as_deref().filter(|prefix| !prefix.is_empty())
        && let Some((field, _)) = fields.first()
        && let Some(last) = query.terms.last()
        && searcher.doc_freq(&Term::from_field_text(*field, &last.term))? == 0
    {
        for completion in completions(searcher, *field, prefix)? {
            if terms.iter().all(|(known, _)| *known != completion) {
                add(&completion, COMPLETION_WORTH);
            }
        }
    }
    Ok(clauses)
}

fn completions(searcher: &Searcher, field: Field, prefix: &str) -> Result<Vec<String>, TantivyError> {
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(field)?;
        let mut stream = inverted.terms().range().ge(prefix.as_bytes()).into_stream()?;
        for _ in 0..COMPLETIONS_SEEN {
            if !stream.advance() || !stream.key().starts_with(prefix.as_bytes()) {
                break;
            }
            if let Ok(text) = std::str::from_utf8(stream.key()) {
                *found.entry(text.to_owned()).or_default() += u64::from(stream.value().doc_freq);
            }
        }
    }
    let mut found: Vec<(String, u64)> = found.into_iter().collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.truncate(COMPLETIONS);
    Ok(found.into_iter().map(|(text, _)| text).collect())
}
