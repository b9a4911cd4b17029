//! The laws of the crate, over texts that nobody would write by hand.
#![allow(missing_docs, clippy::unwrap_used)]

mod corpus;
mod laws;
