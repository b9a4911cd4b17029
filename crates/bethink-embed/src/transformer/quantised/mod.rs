//! The forward pass in eight-bit integers: a quarter of the memory, and several times the speed, of single precision.
//!
//! # Numbers
//!
//! A weight is a signed byte from -127 to 127 times the scale of its output (a *channel*); a number of a
//! row of activations is an unsigned byte less the row's zero, times the row's scale. A row's scale and
//! zero are found when the row is there, so no text is cut off by limits that were measured on others.
//! A linear layer is then
//!
//! ```text
//! sum    = Σ byte * weight                                 exact, in 32 bits
//! output = (sum - zero * total) * (row scale * channel scale) + bias
//! ```
//!
//! where `total` is the sum of the channel's weights, known beforehand. A byte has 255 steps between the
//! smallest and the largest number of its row; with a zero of its own a row that leans to one side, as
//! all do that come from the error linear unit, loses nothing to values that it never takes.
//!
//! Promises: every kernel has the same integers, bit for bit, for the same rows. What is between the
//! linear layers (attention, normalisation, the error linear unit) is floating point and agrees to rounding.
//!
//! # Layout of the weights
//!
//! For every 16 outputs (a *panel*) a line of 64 bytes for every four inputs: the first output's four
//! weights, then the second's, to the sixteenth's. One line is a register of AVX-512 and two of AVX2, as
//! the instructions want it that multiply four bytes and add; and 16 lines on end are a right operand of
//! the tile unit. So one copy serves all kernels, and is used where it lies in the mapped file.

mod forward;
mod layers;
mod operations;
mod plain;
mod rows;
#[cfg(target_arch = "x86_64")]
mod stage;
#[cfg(target_arch = "x86_64")]
mod tiles;
#[cfg(target_arch = "x86_64")]
mod vector;
mod weights;

pub(super) use forward::Encoder;
pub(super) use layers::QuantisedLayers;
pub(super) use rows::QuantisedRows;
pub(crate) use weights::{ChannelWeights, SCALES_SUFFIX, TOTALS_SUFFIX, quantise_weights};

/// Inputs whose weights lie side by side.
const GROUP: usize = 4;
/// Bytes of a line: four weights of sixteen outputs.
const LINE_BYTES: usize = super::PANEL * GROUP;
/// Outputs that are multiplied at once: two panels.
const STEP: usize = 2 * super::PANEL;
