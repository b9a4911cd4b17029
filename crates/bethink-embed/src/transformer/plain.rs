//! The arithmetic in ordinary Rust: runs on every processor, and is what the kernels are checked against.
//!
//! Sums that are long are kept in the order that lets the compiler use whatever registers there are;
//! the error function and the exponential are those of double precision, so this is the most exact of
//! the kernels and not only the simplest.

use super::PANEL;
use super::operations::{Attention, Finish, Linear, Normalise};

/// Rows that share each load of weights.
const ROWS: usize = 4;

pub(super) fn linear(mut job: Linear<'_>) {
    job.check();
    for panel in 0..job.outputs / PANEL {
        let weights = &job.weights[panel * PANEL * job.inputs..][..PANEL * job.inputs];
        let mut row = 0;
        while row < job.rows {
            let rows = ROWS.min(job.rows - row);
            let sums = multiply(&job.input[row * job.inputs..], job.inputs, rows, weights);
            for (offset, sums) in sums.iter().enumerate().take(rows) {
                store(&mut job, row + offset, panel, sums);
            }
            row += rows;
        }
    }
}

/// The products of up to [`ROWS`] rows with one panel.
fn multiply(input: &[f32], inputs: usize, rows: usize, weights: &[f32]) -> [[f32; PANEL]; ROWS] {
    let mut sums = [[0.0f32; PANEL]; ROWS];
    for (index, weights) in weights.chunks_exact(PANEL).enumerate() {
        for (row, sums) in sums.iter_mut().enumerate().take(rows) {
            let factor = input[row * inputs + index];
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += factor * weight;
            }
        }
    }
    sums
}

fn store(job: &mut Linear<'_>, row: usize, panel: usize, sums: &[f32; PANEL]) {
    for (offset, sum) in sums.iter().enumerate() {
        let column = panel * PANEL + offset;
        let value = sum + job.bias[column];
        let place = row * job.outputs + column;
        job.output[place] = match job.finish {
            Finish::Bias => value,
            Finish::Gelu => gelu(value),
            Finish::Residual(residual) => value + residual[place],
        };
    }
}

pub(super) fn gelu(x: f32) -> f32 {
    let x = f64::from(x);
    (0.5 * x * (1.0 + error_function(x * std::f64::consts::FRAC_1_SQRT_2))) as f32
}

/// The error function to 1.2e-7: the Chebyshev fit of its complement in Press et al., Numerical
/// Recipes, 2nd edition, section 6.2.
fn error_function(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.5 * x.abs());
    let polynomial = [
        0.170_872_77,
        -0.822_152_23,
        1.488_515_87,
        -1.135_203_98,
        0.278_868_07,
        -0.186_288_06,
        0.096_784_18,
        0.374_091_96,
        1.000_023_68,
        -1.265_512_23,
    ]
    .into_iter()
    .fold(0.0, |sum, coefficient| sum * t + coefficient);
    let complement = t * (-x * x + polynomial).exp();
    if x >= 0.0 { 1.0 - complement } else { complement - 1.0 }
}

pub(super) fn normalise(job: Normalise<'_>) {
    job.check();
    let (gains, biases) = job.gain_and_bias.split_at(job.width);
    for (input, output) in job.input.chunks_exact(job.width).zip(job.output.chunks_exact_mut(job.width)) {
        let count = job.width as f64;
        let mean = input.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
        let variance = input.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / count;
        let factor = 1.0 / (variance + f64::from(job.epsilon)).sqrt();
        for (((x, y), gain), bias) in input.iter().zip(output).zip(gains).zip(biases) {
            *y = ((f64::from(*x) - mean) * factor) as f32 * gain + bias;
        }
    }
}

pub(super) fn attention(job: Attention<'_>) {
    job.check();
    let hidden = job.heads * job.head_width;
    let stride = 3 * hidden;
    let scores = job.scratch.scores.of(job.tokens);
    for head in 0..job.heads {
        let part = |token: usize, which: usize| {
            &job.projections[token * stride + which * hidden + head * job.head_width..][..job.head_width]
        };
        for token in 0..job.tokens {
            let query = part(token, 0);
            for (other, score) in scores.iter_mut().enumerate() {
                *score = query.iter().zip(part(other, 1)).map(|(q, k)| q * k).sum();
            }
            let peak = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let mut total = 0.0;
            for score in scores.iter_mut() {
                *score = (*score - peak).exp();
                total += *score;
            }
            let context = &mut job.context[token * hidden + head * job.head_width..][..job.head_width];
            context.fill(0.0);
            for (other, score) in scores.iter().enumerate() {
                let share = score / total;
                for (sum, value) in context.iter_mut().zip(part(other, 2)) {
                    *sum += share * value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_function_has_its_known_values() {
        // Abramowitz and Stegun, table 7.1.
        for (x, value) in
            [(0.0, 0.0), (0.5, 0.520_499_877_8), (1.0, 0.842_700_792_9), (2.0, 0.995_322_265_0), (6.0, 1.0)]
        {
            assert!((error_function(x) - value).abs() < 2e-7);
            assert!((error_function(-x) + value).abs() < 2e-7);
        }
    }
}
