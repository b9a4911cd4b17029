//! What words are: tokens, stems, passages, excerpts and time phrases.
//!
//! Everything here is a pure function of its arguments. The crate promises never to fail on any
//! text (a broken query, a line of a hundred megabytes, unpaired marks), to take time linear in
//! the text, and to give the same answer for the same bytes on every machine. It refuses to touch
//! files, clocks, the environment, or anything that a person typed beyond reading it.

#![forbid(unsafe_code)]

mod character;
mod excerpt;
mod fold;
mod line;
mod measure;
mod passage;
mod query;
mod stem;
mod stopword;
mod structure;
mod term;
mod time;
mod token;
mod visible;

pub use excerpt::{Excerpt, excerpt};
pub use fold::fold;
pub use line::{Lines, lines};
pub use measure::model_tokens;
pub use passage::{CUTTER_VERSION, PASSAGE_LIMIT_TOKENS, PASSAGE_TARGET_TOKENS, cut, passage_key};
pub use query::{MAXIMUM_QUERY_TERMS, QueryTerm, QueryTerms, query_terms};
pub use stem::{StemLanguage, stem};
pub use stopword::is_stopword;
pub use structure::{HeadingTrails, first_heading, heading_within};
pub use term::index_terms;
pub use time::{TIME_PHRASES, TimeWindow, UnknownTimePhrase, find_time_phrases, time_phrase};
pub use token::{Token, TokenKind, tokens};
pub use visible::visible;
