//! The memory over a real store, in a home of its own.

#![allow(clippy::unwrap_used)]

mod grep;
mod notebook;
mod place;
