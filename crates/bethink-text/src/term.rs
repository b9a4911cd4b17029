//! Terms: what the lexicon stores of a text.

use std::ops::Range;

use crate::stem::{StemLanguage, stem};
use crate::token::{Token, TokenKind, Tokens};

/// Hands every term of a text to `sink`, with its byte range and its word position, in order of
/// position. Words and parts are stemmed; bigrams, single graphemes, numbers and pictures stand as
/// they are. In code an apostrophe is a quotation mark and never joins letters.
pub fn index_terms(text: &str, code: bool, sink: &mut dyn FnMut(&str, Range<usize>, u32)) {
    for token in Tokens::new(text, !code) {
        let term = token_term(&token);
        sink(&term, token.range.clone(), token.position);
    }
}

/// The term that a token is stored and searched under.
pub(crate) fn token_term<'t>(token: &'t Token<'_>) -> std::borrow::Cow<'t, str> {
    match token.kind {
        TokenKind::Word | TokenKind::Part => stem(&token.text, StemLanguage::English),
        _ => std::borrow::Cow::Borrowed(token.text.as_ref()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str, code: bool) -> Vec<String> {
        let mut found = Vec::new();
        index_terms(text, code, &mut |term, _, _| found.push(term.to_owned()));
        found
    }

    #[test]
    fn words_are_stemmed_and_identifiers_kept() {
        assert_eq!(terms("parsing queries", false), ["pars", "queri"]);
        assert_eq!(terms("parseQueries", true), ["parsequeri", "pars", "queri"]);
        assert_eq!(terms("f'name'", true), ["f", "name"]);
        assert_eq!(terms("it's", false), ["it"]);
    }
}
