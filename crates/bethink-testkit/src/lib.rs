//! What tests own instead of the machine: a home folder, a clock, a model.
//!
//! Development only; nothing that ships depends on it.

#![forbid(unsafe_code)]

mod fixed_clock;
mod hash_embedder;
mod http_client;
mod shared_data;
mod test_home;
mod zip_archive;

pub use fixed_clock::FixedClock;
pub use hash_embedder::HashEmbedder;
pub use http_client::{HttpAnswer, HttpClient};
pub use shared_data::shared_data;
pub use test_home::TestHome;
pub use zip_archive::zip_of;
