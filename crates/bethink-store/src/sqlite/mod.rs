//! The store on SQLite: one file, one writer at a time, any number of readers beside it.
//!
//! Promises: write-ahead logging, so readers never wait for the writer; every write is one
//! immediate transaction, so two writers queue up instead of failing; deleted bytes are zeroed, and
//! after [`compact`](crate::IndexWriter::compact) none is left anywhere; identities are never reused;
//! a damaged file gives [`StoreError::Damaged`](crate::StoreError::Damaged) and never a panic.
//!
//! ```text
//! handle      the two kinds of handle, and the transaction around every verb
//! connection  opening: permissions, locks, memory
//! migration   schema versions
//! reader      IndexReader · scope: paths as ranges · row: decoding · packed: small blobs
//! writer      IndexWriter · batch: what a batch does · embedding: models, claims, vectors · purge
//! memory      the person's own database, with its own schema
//! activity    what desktops recorded about opened files, in databases of theirs
//! ```

pub mod activity;
mod batch;
mod connection;
mod embedding;
mod failure;
mod handle;
mod memory;
mod migration;
mod packed;
mod purge;
mod reader;
mod row;
mod scope;
mod writer;

pub use handle::{Handle, ReadOnly, ReadWrite, SqliteIndex, SqliteIndexReader};
pub use memory::{MemoryHandle, SqliteMemory, SqliteMemoryReader};
