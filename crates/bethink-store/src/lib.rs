//! The durable data plane of the index: documents, passages and their text, vectors, the embedding
//! queue, and the log of changes from which every cache catches up. And, in [`memory`], of what a person
//! owns, which is derived from nothing and has rules of its own.
//!
//! Promises: everything above this crate speaks the verbs of [`IndexReader`] and [`IndexWriter`],
//! never SQL; one batch is one transaction; a row that is answered is current. Refuses: to open a
//! source file, to extract, to rank.
//!
//! What is kept here is derived. The database may be deleted at any moment and is rebuilt from the
//! disk by indexing again. It names itself by a random [`StoreId`], so that a cache built from a
//! deleted database is never mistaken for a cache of its successor.
//!
//! ```text
//! root ──< document >── content ──< passage ──< vector (one a model)
//!          a path       a text      a stretch      └ queue: what still lacks one
//! ```
//!
//! A document is a path; a content is what its bytes say. Copies of a file are several documents
//! with one content, so they share passages and vectors; a moved file is a changed document with
//! the same content, so nothing is embedded again. A content without a document is removed in the
//! same transaction, together with its passages and vectors.

#![forbid(unsafe_code)]

mod contract;
mod error;
pub mod memory;
mod record;
pub mod sqlite;

pub use contract::{IndexReader, IndexWriter};
pub use error::{Result, StoreError};
pub use record::{
    Applied, Batch, Change, Changed, ContentRecord, DEFAULT_LEASE, DocumentRecord, EmbeddingClaim, EmbeddingTask,
    FileStamp, Forgotten, ModelSpec, Move, NewContent, NewVector, Outcome, PassageRecord, Publication, Reading,
    Restamp, Root, RootState, Statistics, StoreId, Tier, TierProgress, VectorRecord,
};
