//! What a query maps into memory: words, meanings and names, each as a cache that may be lost.
//!
//! * [`Lexicon`]: BM25 over passages, and over the names and titles of documents.
//! * [`Matrix`]: the vectors of one model, scanned whole, exact to the declared tolerance.
//! * [`Names`]: every path with its kind and times, searched without touching the disk it speaks of.
//!
//! Promises: everything here is derived. Each cache names the store and the sequence that it was
//! built from, is replaced atomically, and is checked when it is opened; what is missing, foreign or
//! damaged opens as `Ok(None)`, and the caller builds it again. Killing a writer at any moment
//! leaves the last committed state. Deleting a cache's folder is always allowed.
//!
//! Refuses: to be the last word (winners are looked up in the store before they leave), to hold a
//! document's text, to read configuration, and to log what it holds.

mod best;
mod content_set;
mod error;
mod lexicon;
mod matrix;
mod names;
mod section_file;
mod stamp;
mod writer_lock;

pub use content_set::ContentSet;
pub use error::IndexError;
pub use lexicon::{
    LexicalHit, LexicalPassage, Lexicon, LexiconWriter, NameHit, TermMask, TermStatistic, TogetherScore,
};
pub use matrix::{Matrix, MatrixStamp, MatrixWriter, SemanticHit, VectorRow};
pub use names::{
    HiddenMatch, ModifiedWindow, NameAnswer, NameEntry, NameHow, NameMatch, NameQuery, Names, NamesBuilder,
};
pub use stamp::CacheStamp;
