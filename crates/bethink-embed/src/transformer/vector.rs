//! The arithmetic over registers, written once over [`Lanes`] and built for AVX2 and for AVX-512.
//!
//! The heart is [`tile`]: a few rows of the input times two registers of outputs, all sums in
//! registers, each load of weights used by every row. Everything else is arranged so that the heart is
//! fed from the nearest cache.

use std::arch::x86_64::{__m256, __m512};

use super::PANEL;
use super::lanes::Lanes;
use super::operations::{Attention, Finish, Linear, Normalise, Operations};

/// Bytes of input rows that are worked through for all outputs before the next rows: what stays in the
/// second-level cache (256 KiB and more since 2008, 1–2 MiB today) beside a panel of weights.
const INPUT_BLOCK_BYTES: usize = 384 << 10;
/// Rows of a tile: as many as registers hold sums for (two a row, of 16 with AVX2, of 32 with AVX-512).
const AVX2_ROWS: usize = 6;
const AVX512_ROWS: usize = 12;
/// A score that no softmax sees: far below every real one, and finite.
const NO_SCORE: f32 = -1e30;

macro_rules! build {
    ($table:ident, $features:literal, $lanes:ty, $rows:expr, $linear:ident, $normalise:ident, $attention:ident) => {
        #[doc = concat!("For processors with ", $features, ". Handed out only after detection: see [`Operations::of`].")]
        pub(super) const $table: Operations = Operations {
            // SAFETY: `Operations::of` hands this table out only where the instructions are.
            linear: |job| unsafe { $linear(job) },
            // SAFETY: as above.
            normalise: |job| unsafe { $normalise(job) },
            // SAFETY: as above.
            attention: |job| unsafe { $attention(job) },
        };

        #[target_feature(enable = $features)]
        fn $linear(job: Linear<'_>) {
            // SAFETY: the instructions are enabled here, and `linear` checks all lengths.
            unsafe { linear::<$lanes, $rows>(job) }
        }

        #[target_feature(enable = $features)]
        fn $normalise(job: Normalise<'_>) {
            // SAFETY: the instructions are enabled here, and `normalise` checks all lengths.
            unsafe { normalise::<$lanes>(job) }
        }

        #[target_feature(enable = $features)]
        fn $attention(job: Attention<'_>) {
            // SAFETY: the instructions are enabled here, and `attention` checks all lengths.
            unsafe { attention::<$lanes, $rows>(job) }
        }
    };
}

build!(AVX2, "avx2,fma", __m256, AVX2_ROWS, linear_avx2, normalise_avx2, attention_avx2);
build!(AVX512, "avx512f,avx2,fma", __m512, AVX512_ROWS, linear_avx512, normalise_avx512, attention_avx512);

/// Sums of `ROWS` rows times two registers of outputs.
///
/// # Safety
///
/// The lanes' instructions must be enabled. `input` must have `ROWS` rows of `depth` numbers, `stride`
/// apart; `weights` must have `depth` rows, `weight_stride` apart, of which [`Lanes::COUNT`] numbers are
/// readable at 0 and at `second`.
#[inline(always)]
unsafe fn tile<L: Lanes, const ROWS: usize>(
    input: *const f32,
    stride: usize,
    weights: *const f32,
    weight_stride: usize,
    second: usize,
    depth: usize,
) -> [[L; 2]; ROWS] {
    // SAFETY: every pointer below is within what the caller vouches for.
    unsafe {
        let mut sums = [[L::all(0.0); 2]; ROWS];
        let mut weights = weights;
        for index in 0..depth {
            let (left, right) = (L::load(weights), L::load(weights.add(second)));
            let mut row = 0;
            while row < ROWS {
                let factor = L::all(*input.add(row * stride + index));
                sums[row][0] = factor.multiply_add(left, sums[row][0]);
                sums[row][1] = factor.multiply_add(right, sums[row][1]);
                row += 1;
            }
            weights = weights.add(weight_stride);
        }
        sums
    }
}

/// Runs `$body` with a constant `$count` equal to `$rows`, which is at most twelve.
macro_rules! with_row_count {
    ($rows:expr, $limit:expr, $count:ident => $body:expr) => {
        match $rows {
            1 => {
                const $count: usize = 1;
                $body
            }
            2 => {
                const $count: usize = 2;
                $body
            }
            3 => {
                const $count: usize = 3;
                $body
            }
            4 => {
                const $count: usize = 4;
                $body
            }
            5 => {
                const $count: usize = 5;
                $body
            }
            6 => {
                const $count: usize = 6;
                $body
            }
            // The larger tiles would spill where registers are few, and are never asked for there.
            7 if $limit > 6 => {
                const $count: usize = 7;
                $body
            }
            8 if $limit > 6 => {
                const $count: usize = 8;
                $body
            }
            9 if $limit > 6 => {
                const $count: usize = 9;
                $body
            }
            10 if $limit > 6 => {
                const $count: usize = 10;
                $body
            }
            11 if $limit > 6 => {
                const $count: usize = 11;
                $body
            }
            12 if $limit > 6 => {
                const $count: usize = 12;
                $body
            }
            _ => unreachable!("a tile has between one row and the limit"),
        }
    };
}
pub(super) use with_row_count;

/// # Safety
///
/// The lanes' instructions must be enabled.
#[inline(always)]
unsafe fn linear<L: Lanes, const LIMIT: usize>(mut job: Linear<'_>) {
    job.check();
    let outputs_a_step = 2 * L::COUNT;
    let second = second_register::<L>(PANEL * job.inputs);
    let block = (INPUT_BLOCK_BYTES / (4 * job.inputs) / LIMIT).max(1) * LIMIT;
    let mut block_start = 0;
    while block_start < job.rows {
        let block_end = (block_start + block).min(job.rows);
        let mut column = 0;
        while column < job.outputs {
            let mut row = block_start;
            while row < block_end {
                let rows = LIMIT.min(block_end - row);
                // SAFETY: `check` has compared all blocks with rows, inputs and outputs; outputs are a
                // multiple of two panels, and so of two registers.
                unsafe {
                    let input = job.input.as_ptr().add(row * job.inputs);
                    let weights = job.weights.as_ptr().add(column * job.inputs);
                    with_row_count!(rows, LIMIT, COUNT => {
                        let sums = tile::<L, COUNT>(input, job.inputs, weights, PANEL, second, job.inputs);
                        finish::<L, COUNT>(&sums, &mut job, row, column);
                    });
                }
                row += rows;
            }
            column += outputs_a_step;
        }
        block_start = block_end;
    }
}

/// Where the second register of a tile lies behind the first: in the same panel when a panel is two
/// registers, else in the next panel.
#[inline(always)]
fn second_register<L: Lanes>(panel_length: usize) -> usize {
    if L::COUNT < PANEL { L::COUNT } else { panel_length }
}

/// # Safety
///
/// As [`linear`]; rows `row..row + ROWS` and two registers of outputs from `column` must be within the job.
#[inline(always)]
unsafe fn finish<L: Lanes, const ROWS: usize>(sums: &[[L; 2]; ROWS], job: &mut Linear<'_>, row: usize, column: usize) {
    for (offset, sums) in sums.iter().enumerate() {
        // SAFETY: see above.
        unsafe { finish_row(*sums, job, row + offset, column) };
    }
}

/// Stores two registers of one row's sums.
///
/// # Safety
///
/// As [`linear`]; the row and two registers of outputs from `column` must be within the job.
#[inline(always)]
pub(super) unsafe fn finish_row<L: Lanes>(sums: [L; 2], job: &mut Linear<'_>, row: usize, column: usize) {
    let output = job.output.as_mut_ptr();
    for (half, sum) in sums.into_iter().enumerate() {
        let column = column + half * L::COUNT;
        let place = row * job.outputs + column;
        // SAFETY: see above.
        unsafe {
            let value = sum.add(L::load(job.bias.as_ptr().add(column)));
            let value = match job.finish {
                Finish::Bias => value,
                Finish::Gelu => gelu(value),
                Finish::Residual(residual) => value.add(L::load(residual.as_ptr().add(place))),
            };
            value.store(output.add(place));
        }
    }
}

/// The Gaussian error linear unit, with the error function of Abramowitz and Stegun, 7.1.26 (absolute
/// error 1.5e-7).
///
/// # Safety
///
/// The lanes' instructions must be enabled.
#[inline(always)]
pub(super) unsafe fn gelu<L: Lanes>(x: L) -> L {
    // SAFETY: only register arithmetic.
    unsafe {
        let scaled = x.multiply(L::all(std::f32::consts::FRAC_1_SQRT_2));
        let size = scaled.absolute();
        let t = size.multiply_add(L::all(0.327_591_1), L::all(1.0)).reciprocal();
        let mut polynomial = L::all(1.061_405_4);
        for coefficient in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
            polynomial = polynomial.multiply_add(t, L::all(coefficient));
        }
        let tail = L::all(0.0).subtract(size.multiply(size)).exponential();
        let error_function = L::all(1.0).subtract(polynomial.multiply(t).multiply(tail)).with_signs_of(scaled);
        let half = x.multiply(L::all(0.5));
        half.multiply_add(error_function, half)
    }
}

/// # Safety
///
/// The lanes' instructions must be enabled.
#[inline(always)]
unsafe fn normalise<L: Lanes>(job: Normalise<'_>) {
    job.check();
    for (input, output) in job.input.chunks_exact(job.width).zip(job.output.chunks_exact_mut(job.width)) {
        // SAFETY: `check` has seen that the width is a multiple of two panels.
        unsafe { normalise_row::<L>(input, job.gain_and_bias, job.epsilon, output) };
    }
}

/// Layer normalisation of one row: see [`Normalise`].
///
/// # Safety
///
/// The lanes' instructions must be enabled; the row's width must be a multiple of two panels.
///
/// # Panics
///
/// When the lengths do not fit each other.
#[inline(always)]
pub(super) unsafe fn normalise_row<L: Lanes>(input: &[f32], gain_and_bias: &[f32], epsilon: f32, output: &mut [f32]) {
    let width = input.len();
    assert!(output.len() == width && gain_and_bias.len() == 2 * width);
    let count = width as f32;
    // SAFETY: the row, gains and biases have `width` numbers, a multiple of the register's.
    unsafe {
        let (input, output) = (input.as_ptr(), output.as_mut_ptr());
        let gains = gain_and_bias.as_ptr();
        let biases = gains.add(width);
        let mut sum = L::all(0.0);
        let mut index = 0;
        while index < width {
            sum = sum.add(L::load(input.add(index)));
            index += L::COUNT;
        }
        let mean = L::all(sum.sum() / count);
        let mut squares = L::all(0.0);
        index = 0;
        while index < width {
            let distance = L::load(input.add(index)).subtract(mean);
            squares = distance.multiply_add(distance, squares);
            index += L::COUNT;
        }
        let factor = L::all(1.0 / (squares.sum() / count + epsilon).sqrt());
        index = 0;
        while index < width {
            let value = L::load(input.add(index)).subtract(mean).multiply(factor);
            value.multiply_add(L::load(gains.add(index)), L::load(biases.add(index))).store(output.add(index));
            index += L::COUNT;
        }
    }
}

/// # Safety
///
/// The lanes' instructions must be enabled.
#[inline(always)]
unsafe fn attention<L: Lanes, const LIMIT: usize>(job: Attention<'_>) {
    job.check();
    let (tokens, width) = (job.tokens, job.head_width);
    let hidden = job.heads * width;
    let stride = 3 * hidden;
    let padded = tokens.next_multiple_of(2 * PANEL);
    let keys = job.scratch.keys.of(padded * width);
    let values = job.scratch.values.of(tokens * width);
    let scores = job.scratch.scores.of(LIMIT * padded);
    let key_second = second_register::<L>(PANEL * width);
    // A row of values is contiguous, so its second register lies right behind its first.
    let value_second = L::COUNT;
    for head in 0..job.heads {
        let head_start = head * width;
        gather_keys(&job.projections[hidden + head_start..], stride, tokens, width, keys);
        for (token, row) in values.chunks_exact_mut(width).enumerate() {
            row.copy_from_slice(&job.projections[token * stride + 2 * hidden + head_start..][..width]);
        }
        let mut row = 0;
        while row < tokens {
            let rows = LIMIT.min(tokens - row);
            // SAFETY: `check` has compared projections and context with tokens and heads; keys hold
            // `padded` tokens, a multiple of two panels; values hold `tokens` rows; scores hold `LIMIT`
            // rows of `padded` numbers.
            unsafe {
                let queries = job.projections.as_ptr().add(row * stride + head_start);
                with_row_count!(rows, LIMIT, COUNT => {
                    let mut key = 0;
                    while key < padded {
                        let panel = keys.as_ptr().add(key * width);
                        let sums = tile::<L, COUNT>(queries, stride, panel, PANEL, key_second, width);
                        for (offset, sums) in sums.iter().enumerate() {
                            let to = scores.as_mut_ptr().add(offset * padded + key);
                            sums[0].store(to);
                            sums[1].store(to.add(L::COUNT));
                        }
                        key += 2 * L::COUNT;
                    }
                    let mut shares = [0.0f32; COUNT];
                    for (offset, share) in shares.iter_mut().enumerate() {
                        *share = 1.0 / soften::<L>(&mut scores[offset * padded..][..padded], tokens);
                    }
                    let mut column = 0;
                    while column < width {
                        let from = values.as_ptr().add(column);
                        let sums = tile::<L, COUNT>(scores.as_ptr(), padded, from, width, value_second, tokens);
                        for (offset, sums) in sums.iter().enumerate() {
                            let to = job.context.as_mut_ptr().add((row + offset) * hidden + head_start + column);
                            let share = L::all(shares[offset]);
                            sums[0].multiply(share).store(to);
                            sums[1].multiply(share).store(to.add(L::COUNT));
                        }
                        column += 2 * L::COUNT;
                    }
                });
            }
            row += rows;
        }
    }
}

/// Lays the keys of one head into panels of 16 tokens, zeros behind the last token.
#[inline(always)]
fn gather_keys(projections: &[f32], stride: usize, tokens: usize, width: usize, keys: &mut [f32]) {
    for (panel, block) in keys.chunks_exact_mut(PANEL * width).enumerate() {
        for lane in 0..PANEL {
            let token = panel * PANEL + lane;
            if token < tokens {
                let key = &projections[token * stride..][..width];
                for (row, number) in block.chunks_exact_mut(PANEL).zip(key) {
                    row[lane] = *number;
                }
            } else {
                for row in block.chunks_exact_mut(PANEL) {
                    row[lane] = 0.0;
                }
            }
        }
    }
}

/// The exponentials of scores less their largest, in place; what lies behind `tokens` vanishes.
/// Gives their sum.
///
/// # Safety
///
/// The lanes' instructions must be enabled; the length must be a multiple of the register's.
#[inline(always)]
pub(super) unsafe fn soften<L: Lanes>(scores: &mut [f32], tokens: usize) -> f32 {
    scores[tokens..].fill(NO_SCORE);
    let length = scores.len();
    let scores = scores.as_mut_ptr();
    // SAFETY: every load and store is within the slice, whose length is a multiple of the register's.
    unsafe {
        let mut largest = L::all(NO_SCORE);
        let mut index = 0;
        while index < length {
            largest = largest.larger(L::load(scores.add(index)));
            index += L::COUNT;
        }
        let peak = L::all(largest.largest());
        let mut sum = L::all(0.0);
        index = 0;
        while index < length {
            let power = L::load(scores.add(index)).subtract(peak).exponential();
            sum = sum.add(power);
            power.store(scores.add(index));
            index += L::COUNT;
        }
        sum.sum()
    }
}
