//! The command as a person types it: real processes, real folders, an empty home.

#![allow(clippy::unwrap_used)]

mod coverage;
mod encodings;
mod evaluation;
mod finding;
mod freshness;
mod inside;
mod libraries;
mod log;
mod meaning;
mod memory_search;
mod pipes;
mod questions;
mod robustness;
mod sandbox;
mod serving;
