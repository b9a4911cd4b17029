//! Whole files through the public door.

#![allow(clippy::unwrap_used)]

mod expectations;
mod robustness;
mod sample_pdf;
mod shared;
mod workers;
