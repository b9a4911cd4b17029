//! Tests of the crate through its public face.

#![allow(clippy::unwrap_used)]

mod containers;
mod imports;
mod kernels;
mod reference;
mod tiny;
