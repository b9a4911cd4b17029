//! The read path: plan -> channels -> fuse -> diversify -> verify -> explain.
//!
//! Promises: one mechanism ranks everything; scope is applied inside the channels, never after the
//! top candidates were taken; every winner is confirmed by the store as current and by a
//! [`Verifier`] as matching the disk before it leaves; the same index gives the same answer, byte
//! for byte. Refuses: to open a source file, to write a document, to print.

#![forbid(unsafe_code)]

mod answer;
mod channel;
mod error;
pub mod eval;
mod fuse;
mod question;
mod searcher;
mod strength;
mod verify;

pub use answer::{Answer, Coverage, Hidden, Hit};
pub use channel::{Candidate, SemanticTier};
pub use error::{Result, SearchError};
pub use fuse::{FusionWeights, fuse};
pub use question::{Question, Shape};
pub use searcher::Searcher;
pub use strength::strength_of;
pub use verify::{TrustAll, Verdict, Verifier};
