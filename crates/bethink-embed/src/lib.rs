//! Text to vectors, on this machine, from one mapped file.
//!
//! A model is a container (`NAME.bethink-model`, see `container`) that is opened in microseconds and
//! never unpacked. Two kinds are run: BERT-family encoders ([`Tier::Transformer`]) by an own forward
//! pass with kernels for AVX-512, AVX2 and plain Rust, and model2vec tables ([`Tier::Static`]).
//!
//! Promises: vectors have unit length and the same direction, to rounding, whatever kernel, batch or
//! neighbour they were computed with; nothing here touches the network, prints, or logs; work is done
//! on the caller's thread. Refuses: to compare or mix models (that is what [`bethink_core::ModelId`]
//! is for) and to give a direction to a text that has no word in it.

#[cfg(target_endian = "big")]
compile_error!("model containers are read as they lie, which needs a little-endian machine");

mod container;
mod embedder;
mod error;
mod import;
mod kernel;
mod manifest;
mod passage_input;
mod static_model;
mod transformer;
mod wordpiece;

pub use embedder::{Embedder, manifest, open, open_with, verify};
pub use error::EmbedError;
pub use import::{EncoderNumerics, import, import_as};
pub use kernel::{Kernel, kernels_available};
pub use manifest::{EncoderShape, ModelManifest, ModelSource, Numerics, Pooling, Tier, TokenizerSettings};
pub use passage_input::passage_input;

/// What the name of a container's file ends with, behind a dot.
pub const FILE_EXTENSION: &str = "bethink-model";
