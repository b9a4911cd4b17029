//! The caches as their callers meet them.
#![allow(clippy::unwrap_used, missing_docs)]

mod damage;
mod lexicon;
mod matrix;
mod names;
mod random;
