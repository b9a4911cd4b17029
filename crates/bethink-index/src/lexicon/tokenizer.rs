//! The text crate's terms, as the engine wants to be fed with them.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Name under which the tokenizer is registered.
pub(crate) const TERMS: &str = "bethink-terms";

/// First character of a value that is prose, and of one that is code.
const PROSE: char = 'p';
const CODE: char = 'c';

/// Longer terms are data that nobody types; the engine would refuse them from 65,530 bytes on.
pub(crate) const LONGEST_TERM_BYTES: usize = 256;

/// The value to index for a text. Whether it is code goes with it, so that words are cut on
/// the engine's own thread and one field can hold both.
pub(crate) fn value(text: &str, code: bool) -> String {
    let mut value = String::with_capacity(text.len() + 1);
    value.push(if code { CODE } else { PROSE });
    value.push_str(text);
    value
}

/// Cuts values into terms.
#[derive(Debug, Clone, Default)]
pub(crate) struct TermTokenizer;

impl Tokenizer for TermTokenizer {
    type TokenStream<'a> = TermStream;

    fn token_stream<'a>(&'a mut self, value: &'a str) -> TermStream {
        let text = value.strip_prefix([PROSE, CODE]).unwrap_or(value);
        let mut stream = TermStream { letters: String::new(), tokens: Vec::new(), next: 0, token: Token::default() };
        bethink_text::index_terms(text, value.starts_with(CODE), &mut |term, range, position| {
            if term.len() <= LONGEST_TERM_BYTES {
                let start = stream.letters.len();
                stream.letters.push_str(term);
                stream.tokens.push((start..stream.letters.len(), range, position));
            }
        });
        stream
    }
}

/// The terms of one value.
pub(crate) struct TermStream {
    letters: String,
    /// Stretch of `letters`, place in the text, position.
    tokens: Vec<(std::ops::Range<usize>, std::ops::Range<usize>, u32)>,
    next: usize,
    token: Token,
}

impl TokenStream for TermStream {
    fn advance(&mut self) -> bool {
        let Some((letters, range, position)) = self.tokens.get(self.next) else { return false };
        self.next += 1;
        self.token.text.clear();
        self.token.text.push_str(&self.letters[letters.clone()]);
        self.token.offset_from = range.start;
        self.token.offset_to = range.end;
        self.token.position = *position as usize;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
