//! The transformer tier: a BERT encoder, run where it lies.
//!
//! No padding anywhere: the sequences of a batch are one block of rows for every linear layer, and
//! attention is computed for each sequence by itself. So a short text costs what it is long, and a
//! text's vector does not depend on its neighbours.
//!
//! The rooms: `model` answers as an embedder; `single` finds the weights of single precision in the
//! container, `layer` names the parts of one, `forward` is the order of them, `plain` is the arithmetic in ordinary Rust, `vector`
//! is the same arithmetic over registers of any width (`lanes`), built once for AVX2 and once for AVX-512,
//! and `amx` has the products of matrices for the tile unit. `quantised` is the same encoder in bytes.

// Narrow copies, tiles and panels are for kernels that other processors do not build.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

#[cfg(target_arch = "x86_64")]
pub(crate) mod amx;
mod buffer;
mod forward;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod layer;
mod model;
#[cfg(test)]
mod noise;
mod operations;
mod plain;
mod quantised;
mod single;
#[cfg(target_arch = "x86_64")]
mod vector;

pub(crate) use model::TransformerModel;
pub(crate) use quantised::{ChannelWeights, SCALES_SUFFIX, TOTALS_SUFFIX, quantise_weights};

/// Outputs whose weights lie side by side. A matrix of `outputs * inputs` is stored as one block for
/// every 16 outputs, and a block as one row of 16 numbers for every input: one AVX-512 register, or two
/// of AVX2, is then one load, and a block is read from front to back.
pub(crate) const PANEL: usize = 16;
/// Widths of layers and heads are multiples of this: two panels, what the kernels work on at once.
pub(crate) const WIDTH_MULTIPLE: usize = 2 * PANEL;

/// Names of an encoder's sections.
pub(crate) mod names {
    /// Vectors of words, half precision.
    pub(crate) const WORDS: &str = "word-vectors";
    /// Vectors of positions, token type included.
    pub(crate) const POSITIONS: &str = "positions";
    /// Gain and bias of the normalisation of the embeddings.
    pub(crate) const EMBEDDING_NORM: &str = "embedding-norm";
    /// Queries, keys and values.
    pub(crate) const PROJECTIONS: &str = "projections";
    /// What follows attention.
    pub(crate) const ATTENTION_OUT: &str = "attention-out";
    /// Gain and bias behind attention.
    pub(crate) const ATTENTION_NORM: &str = "attention-norm";
    /// The widening half of the feed-forward block.
    pub(crate) const UP: &str = "up";
    /// The narrowing half.
    pub(crate) const DOWN: &str = "down";
    /// Gain and bias at the end of the layer.
    pub(crate) const OUT_NORM: &str = "out-norm";

    /// Name of the bias of a linear layer.
    pub(crate) fn bias(part: &str) -> String {
        format!("{part}-bias")
    }

    /// Name of a section of a layer.
    pub(crate) fn of_layer(layer: usize, part: &str) -> String {
        format!("{layer}/{part}")
    }
}
