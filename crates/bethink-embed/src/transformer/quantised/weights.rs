//! Weights of a linear layer in signed bytes, and how they are made.

use super::{GROUP, LINE_BYTES};
use crate::transformer::PANEL;

/// Largest magnitude of a weight. The value -128 is left out, so that a matrix and its negative are alike.
const LIMIT: f32 = 127.0;
/// What the name of a matrix ends with, where its channels' scales lie.
pub(crate) const SCALES_SUFFIX: &str = "-scales";
/// What the name of a matrix ends with, where the sums of its channels' weights lie.
pub(crate) const TOTALS_SUFFIX: &str = "-totals";

/// Weights of a linear layer.
#[derive(Clone, Copy)]
pub(in crate::transformer) struct QuantisedMatrix<'a> {
    /// In lines: see [`super`].
    pub(super) weights: &'a [i8],
    /// One for each output.
    pub(super) scales: &'a [f32],
    /// Sum of each output's weights.
    pub(super) totals: &'a [i32],
    pub(super) bias: &'a [f32],
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

impl QuantisedMatrix<'_> {
    /// The kernels read by pointer, so every length is checked once at the door.
    ///
    /// # Panics
    ///
    /// When a block is too short, which is a fault of this crate.
    pub(super) fn check(&self) {
        assert!(self.outputs.is_multiple_of(super::STEP) && self.inputs.is_multiple_of(GROUP) && self.inputs > 0);
        assert!(self.weights.len() >= self.inputs * self.outputs);
        assert!([self.scales.len(), self.totals.len(), self.bias.len()].iter().all(|length| *length >= self.outputs));
    }
}

/// A matrix in signed bytes, as it is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChannelWeights {
    /// In lines of [`LINE_BYTES`].
    pub(crate) weights: Vec<i8>,
    pub(crate) scales: Vec<f32>,
    pub(crate) totals: Vec<i32>,
}

impl ChannelWeights {
    /// Columns of the matrix as it is written: one line.
    pub(crate) const COLUMNS: usize = LINE_BYTES;
}

/// `matrix` has a row of `inputs` numbers for every output; both counts are multiples of [`PANEL`].
pub(crate) fn quantise_weights(matrix: &[f32], inputs: usize) -> ChannelWeights {
    let outputs = matrix.len() / inputs;
    let mut result = ChannelWeights {
        weights: vec![0; matrix.len()],
        scales: Vec::with_capacity(outputs),
        totals: Vec::with_capacity(outputs),
    };
    for (output, row) in matrix.chunks_exact(inputs).enumerate() {
        let peak = row.iter().fold(0.0f32, |peak, weight| peak.max(weight.abs()));
        let scale = if peak > 0.0 { peak / LIMIT } else { 1.0 };
        let mut total = 0;
        for (input, weight) in row.iter().enumerate() {
            let quantum = (weight / scale).round().clamp(-LIMIT, LIMIT) as i8;
            total += i32::from(quantum);
            result.weights[place(input, output, inputs)] = quantum;
        }
        result.scales.push(scale);
        result.totals.push(total);
    }
    result
}

/// Where the weight of an input and an output lies.
fn place(input: usize, output: usize, inputs: usize) -> usize {
    output / PANEL * PANEL * inputs + input / GROUP * LINE_BYTES + output % PANEL * GROUP + input % GROUP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_inputs_of_an_output_lie_side_by_side() {
        let (inputs, outputs) = (32, 32);
        let matrix: Vec<f32> = (0..inputs * outputs).map(|index| (index % 251) as f32 - 125.0).collect();
        let made = quantise_weights(&matrix, inputs);
        for (input, output) in [(0, 0), (1, 0), (3, 15), (4, 15), (0, 16), (31, 31)] {
            let place = output / 16 * 512 + input / 4 * 64 + output % 16 * 4 + input % 4;
            let value = f32::from(made.weights[place]) * made.scales[output];
            assert!((value - matrix[output * inputs + input]).abs() <= made.scales[output] / 2.0, "{input} {output}");
        }
        let total: i32 =
            made.weights[..512].chunks_exact(64).flat_map(|line| &line[8..12]).map(|w| i32::from(*w)).sum();
        assert_eq!(made.totals[2], total);
    }

    #[test]
    fn the_largest_weight_is_exact_and_an_empty_channel_stays_empty() {
        let mut matrix = vec![0.0; 16 * 16];
        matrix[3] = -2.5;
        matrix[4] = 1.25;
        let made = quantise_weights(&matrix, 16);
        assert_eq!(made.weights[3], -127);
        assert_eq!(made.weights[64], 64);
        assert_eq!(made.totals[..2], [-63, 0]);
        assert_eq!(made.scales[1], 1.0);
    }
}
