//! Whole files through the public door.

#![allow(clippy::unwrap_used)]

mod bombs;
mod books;
mod chats;
mod containers;
mod expectations;
mod fuzz_targets;
mod mail;
mod media;
mod members;
mod mutants;
mod mutation;
mod pdf_library;
mod records;
mod robustness;
mod sample_pdf;
mod shared;
mod sheets;
mod worker_program;
mod workers;
