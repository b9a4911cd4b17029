//! Words: BM25 over passages, and over the names and titles of documents.
//!
//! ```text
//! folder/passages     one entry a passage: its words, the words of the headings above it
//! folder/documents    one entry a document: the words of its name, its title, its folders
//! folder/writer.lock  held by the one process that writes
//! ```
//! Two indexes rather than one, because BM25 weighs a word by how many entries have it: counting
//! names among passages would skew both. The documents are committed first, and the lexicon's stamp
//! is the passages' stamp: a writer that is killed in between leaves documents that are ahead, and
//! replaying a change is harmless.
//!
//! What a word is, the text crate says. No word is mandatory; a quoted phrase is. The scope is
//! tested inside the search, not after it, so that a small folder beside a large one is searched to
//! the bottom. Ties are broken by id, and a hit's score is the same number that scoring the passage
//! by itself gives.
//!
//! The engine checks the structure of its files when it opens them, and their checksums only when
//! asked ([`Lexicon::verify`]). What it panics on is reported as [`crate::IndexError::Damaged`]. Its
//! list of segments, `meta.json`, has no checksum at all; it is replaced atomically, so a crash
//! leaves the old or the new one, but a rotten bit in it could go unnoticed.
//!
//! BM25's constants are the engine's own, k1 = 1.2 and b = .75 (Robertson and Zaragoza 2009); the
//! idf is ln(1 + (N − n + ½) / (n + ½)).

mod engine;
mod expand;
mod folder;
mod phrase;
mod reader;
mod schema;
mod scoring;
mod tokenizer;
mod top;
mod writer;

pub use reader::{LexicalHit, Lexicon, NameHit, TermMask, TermStatistic, TogetherScore};
pub use writer::{LexicalPassage, LexiconWriter};
