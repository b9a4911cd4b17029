//! The wire surfaces over the engine: what a program, an agent or a browser sees of it.
//!
//! Promises: every type that is serialised for the wire lives in [`wire`] and nowhere else; a
//! surface only translates, so that the command line's `--json`, MCP and REST cannot disagree;
//! nothing here prints except [`mcp::serve_stdio`], which owns standard output while it runs and
//! writes protocol to it and nothing else.
//!
//! Refuses: to rank, filter or read files by itself (it asks [`Answers`]), and to read the
//! environment (the binary passes in what it needs).

#![forbid(unsafe_code)]

mod answers;
pub mod install;
mod lazy;
pub mod mcp;
pub mod rest;
pub mod text;
mod tool;
pub mod wire;

pub use answers::Answers;
pub use lazy::LazyEngine;
