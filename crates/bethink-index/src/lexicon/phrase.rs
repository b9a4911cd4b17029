//! Quoted phrases: what has to stand there word for word.

use bethink_text::QueryTerms;
use tantivy::Term;
use tantivy::query::{BooleanQuery, ConstScoreQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

use super::schema::WeighedField;

/// A query that matches where every phrase stands in one of the fields, and adds nothing to any
/// score; `None` when nothing is quoted.
pub(crate) fn required(query: &QueryTerms, fields: &[WeighedField]) -> Option<Box<dyn Query>> {
    let phrases: Vec<(Occur, Box<dyn Query>)> = query
        .phrases
        .iter()
        .filter(|phrase| !phrase.is_empty())
        .map(|phrase| {
            let somewhere: Vec<(Occur, Box<dyn Query>)> =
                fields.iter().map(|(field, _)| (Occur::Should, in_field(phrase, *field))).collect();
            (Occur::Must, Box::new(BooleanQuery::new(somewhere)) as Box<dyn Query>)
        })
        .collect();
    if phrases.is_empty() {
        return None;
    }
    Some(Box::new(ConstScoreQuery::new(Box::new(BooleanQuery::new(phrases)), 0.0)))
}

fn in_field(phrase: &[String], field: Field) -> Box<dyn Query> {
    let terms: Vec<Term> = phrase.iter().map(|term| Term::from_field_text(field, term)).collect();
    match <[Term; 1]>::try_from(terms) {
        Ok([term]) => Box::new(TermQuery::new(term, IndexRecordOption::Basic)),
        Err(terms) => Box::new(PhraseQuery::new(terms)),
    }
}
