//! The eight-bit pass in ordinary Rust: runs on every processor, and is what the kernels are checked against.

use std::ops::Range;

use super::operations::{Finish, Linear, Quantise};
use super::rows::{QuantisedRows, RowSteps};
use super::weights::QuantisedMatrix;
use super::{GROUP, LINE_BYTES};
use crate::transformer::PANEL;
use crate::transformer::operations::Normalise;
use crate::transformer::plain;

/// Rows that share the expansion of a panel's weights.
const ROWS: usize = 32;
/// Inputs whose sum of products is exact in single precision: 512 * 255 * 127 is below 2^24.
const EXACT_INPUTS: usize = 512;

pub(super) fn quantise(mut job: Quantise<'_>) {
    job.check();
    for (row, numbers) in job.input.chunks_exact(job.width).enumerate() {
        quantise_row(numbers, job.output, row);
    }
}

fn quantise_row(numbers: &[f32], output: &mut QuantisedRows, row: usize) {
    let (bytes, kept) = output.row(row);
    let smallest = numbers.iter().copied().fold(f32::INFINITY, f32::min);
    let largest = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let steps = RowSteps::between(smallest, largest);
    bytes.iter_mut().zip(numbers).for_each(|(byte, number)| *byte = steps.byte(*number));
    *kept = steps;
}

pub(super) fn linear(mut job: Linear<'_>) {
    job.check();
    let (rows, matrix) = (job.input.rows(), job.matrix);
    let values = job.block.of(ROWS * matrix.outputs);
    for first in (0..rows).step_by(ROWS) {
        let count = ROWS.min(rows - first);
        multiply(job.input, first..first + count, matrix, values);
        let rows = values.chunks_exact_mut(matrix.outputs).take(count);
        for (row, values) in (first..).zip(rows) {
            finish(&mut job.finish, values, row);
        }
    }
}

/// What becomes of one row of results.
fn finish(finish: &mut Finish<'_>, values: &mut [f32], row: usize) {
    let width = values.len();
    match finish {
        Finish::Numbers(output) => output[row * width..][..width].copy_from_slice(values),
        Finish::Widened(output) => {
            values.iter_mut().for_each(|value| *value = plain::gelu(*value));
            quantise_row(values, output, row);
        }
        Finish::Normalised { hidden, gain_and_bias, epsilon, rows } => {
            let hidden = &mut hidden[row * width..][..width];
            values.iter_mut().zip(hidden.iter()).for_each(|(value, added)| *value += added);
            let (gain_and_bias, epsilon) = (*gain_and_bias, *epsilon);
            plain::normalise(Normalise { width, input: values, gain_and_bias, epsilon, output: hidden });
            quantise_row(hidden, rows, row);
        }
    }
}

/// Rows through a linear layer, one panel of outputs after the other.
fn multiply(input: &mut QuantisedRows, rows: Range<usize>, matrix: QuantisedMatrix<'_>, values: &mut [f32]) {
    let mut sums = vec![[0i32; PANEL]; rows.len()];
    for (panel, weights) in matrix.weights.chunks_exact(PANEL * matrix.inputs).take(matrix.outputs / PANEL).enumerate()
    {
        let bytes = &input.bytes()[rows.start * matrix.inputs..rows.end * matrix.inputs];
        panel_sums(bytes, matrix.inputs, weights, &mut sums);
        let channels = panel * PANEL..(panel + 1) * PANEL;
        let (totals, scales) = (&matrix.totals[channels.clone()], &matrix.scales[channels.clone()]);
        let steps = &input.steps()[rows.clone()];
        for ((sums, steps), values) in sums.iter().zip(steps).zip(values.chunks_exact_mut(matrix.outputs)) {
            let values = &mut values[channels.clone()];
            for (lane, (value, bias)) in values.iter_mut().zip(&matrix.bias[channels.clone()]).enumerate() {
                let exact = sums[lane] - steps.zero * totals[lane];
                *value = exact as f32 * (steps.scale * scales[lane]) + bias;
            }
        }
    }
}

/// The sums of rows of `inputs` bytes and one panel.
///
/// Baseline processors multiply single precision in registers and whole numbers hardly: so products and
/// sums are taken as floats for as many inputs as leave every sum below 2^24, where floats are exact.
pub(super) fn panel_sums(bytes: &[u8], inputs: usize, weights: &[i8], sums: &mut [[i32; PANEL]]) {
    sums.fill([0; PANEL]);
    let mut expanded = [[0.0f32; PANEL]; EXACT_INPUTS];
    for (block, lines) in weights.chunks(PANEL * EXACT_INPUTS).enumerate() {
        for (group, line) in expanded.chunks_exact_mut(GROUP).zip(lines.chunks_exact(LINE_BYTES)) {
            for (lane, weights) in line.chunks_exact(GROUP).enumerate() {
                group.iter_mut().zip(weights).for_each(|(row, weight)| row[lane] = f32::from(*weight));
            }
        }
        let width = lines.len() / PANEL;
        let expanded = &expanded[..width];
        let bytes = bytes.chunks_exact(inputs).map(|row| &row[block * EXACT_INPUTS..][..width]);
        for (sums, bytes) in sums.iter_mut().zip(bytes) {
            let mut exact = [0.0f32; PANEL];
            for (byte, weights) in bytes.iter().zip(expanded) {
                let factor = f32::from(*byte);
                exact.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += factor * weight);
            }
            sums.iter_mut().zip(exact).for_each(|(sum, part)| *sum += part as i32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_whole_numbers_even_at_the_extremes() {
        for (inputs, byte, weight) in [(64, 255u8, -127i8), (512, 255, 127), (1536, 255, -127), (1536, 3, 5)] {
            let (bytes, weights) = (vec![byte; 2 * inputs], vec![weight; PANEL * inputs]);
            let mut sums = [[1; PANEL]; 2];
            panel_sums(&bytes, inputs, &weights, &mut sums);
            assert_eq!(sums, [[i32::from(byte) * i32::from(weight) * inputs as i32; PANEL]; 2]);
        }
        // Every weight meets its own input.
        let inputs = 544;
        let bytes: Vec<u8> = (0..inputs).map(|input| (input * 37 % 256) as u8).collect();
        let weights: Vec<i8> = (0..PANEL * inputs).map(|place| ((place * 101) % 255) as i8).collect();
        let mut sums = [[0; PANEL]];
        panel_sums(&bytes, inputs, &weights, &mut sums);
        for (lane, sum) in sums[0].iter().enumerate() {
            let expected: i32 = (0..inputs)
                .map(|input| {
                    let weight = weights[input / GROUP * LINE_BYTES + lane * GROUP + input % GROUP];
                    i32::from(bytes[input]) * i32::from(weight)
                })
                .sum();
            assert_eq!(*sum, expected, "{lane}");
        }
    }
}
