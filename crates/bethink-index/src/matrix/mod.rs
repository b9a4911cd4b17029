//! The vectors of one model, in immutable segments that a query scans whole.
//!
//! ```text
//! folder/manifest              which segments there are, which of their rows are dead, the stamp
//! folder/segment-<number>      rows as signed bytes, a scale a row, passage and content ids
//! folder/writer.lock           held by the one process that writes
//! ```
//! A commit writes its rows as a new segment, then replaces the manifest; whoever reads sees the
//! old manifest or the new one. Removing a content only marks its rows dead in the manifest; merging
//! leaves them out, and [`MatrixWriter::purge`] does so at once, so that nothing forgotten stays in
//! a file.
//!
//! The scan is exact over what is stored: the same integers whatever the processor, and ties broken
//! by passage, so that an answer never depends on the machine or on how rows were spread over
//! segments. What is stored differs from the float vectors by rounding to 8 bits (recall@10 against
//! them is above .99: see the tests).

mod kernel;
mod manifest;
mod merge;
mod quantise;
mod reader;
mod segment;
mod writer;

pub use manifest::MatrixStamp;
pub use reader::{Matrix, SemanticHit};
pub use writer::{MatrixWriter, VectorRow};
