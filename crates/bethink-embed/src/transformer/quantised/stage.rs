//! A linear layer and what follows it, over registers of any width and products of any kind.
//!
//! A few rows go through all outputs before the next rows: the weights stream from the second-level
//! cache, and the rows' results are finished (normalised, or made bytes again) while they are near.

use super::STEP;
use super::operations::{Finish, Linear, Quantise};
use super::rows::{QuantisedRows, RowSteps};
use super::weights::QuantisedMatrix;
use crate::transformer::lanes::Lanes;
use crate::transformer::vector::{gelu, normalise_row};

/// Most rows of a block.
pub(super) const MOST_ROWS: usize = 32;

/// Sums of a block.
#[repr(C, align(64))]
pub(super) struct Sums(pub(super) [i32; MOST_ROWS * STEP]);

/// How bytes are multiplied.
pub(super) trait Product {
    /// Rows of a block, at most [`MOST_ROWS`].
    const ROWS: usize;

    /// What must be done before the first product on a thread.
    ///
    /// # Safety
    ///
    /// The instructions must be there, and [`Product::end`] must follow.
    unsafe fn begin() {}

    /// Undoes [`Product::begin`].
    ///
    /// # Safety
    ///
    /// As [`Product::begin`], which must have come before.
    unsafe fn end() {}

    /// The sums of `count` rows and two panels of weights, in rows of [`STEP`].
    ///
    /// # Safety
    ///
    /// The instructions must be there. `rows` must have [`Product::ROWS`] rows of `inputs` bytes, of which
    /// `count` matter; `weights` two panels of `inputs`.
    unsafe fn multiply(rows: *const u8, count: usize, inputs: usize, weights: *const i8, sums: &mut Sums);
}

/// # Safety
///
/// The instructions of the lanes and of the product must be enabled.
#[inline(always)]
pub(super) unsafe fn linear<L: Lanes, P: Product>(mut job: Linear<'_>) {
    job.check();
    let (rows, matrix) = (job.input.rows(), job.matrix);
    let mut sums = Sums([0; MOST_ROWS * STEP]);
    let results = job.block.of(P::ROWS * matrix.outputs);
    // SAFETY: ended below on this thread; nothing between can unwind, all blocks were checked before.
    unsafe { P::begin() };
    for first in (0..rows).step_by(P::ROWS) {
        let count = P::ROWS.min(rows - first);
        let bytes = job.input.bytes()[first * matrix.inputs..].as_ptr();
        let steps = &job.input.steps()[first..first + count];
        // SAFETY: `check` has compared all blocks with rows, inputs and outputs; outputs are a multiple of
        // two panels, and behind the last row there is room for a block; `results` holds a block's rows.
        unsafe {
            for column in (0..matrix.outputs).step_by(STEP) {
                let weights = matrix.weights.as_ptr().add(column * matrix.inputs);
                P::multiply(bytes, count, matrix.inputs, weights, &mut sums);
                match &mut job.finish {
                    Finish::Numbers(output) => {
                        let to = output.as_mut_ptr().add(first * matrix.outputs + column);
                        finish_columns::<L>(&sums, steps, matrix, column, to, |value, _| value);
                    }
                    Finish::Widened(_) => {
                        let to = results.as_mut_ptr().add(column);
                        finish_columns::<L>(&sums, steps, matrix, column, to, |value, _| gelu(value));
                    }
                    Finish::Normalised { hidden, .. } => {
                        let to = results.as_mut_ptr().add(column);
                        let hidden = hidden.as_ptr().add(first * matrix.outputs + column);
                        finish_columns::<L>(&sums, steps, matrix, column, to, |value, offset| {
                            value.add(L::load(hidden.add(offset)))
                        });
                    }
                }
            }
            finish_rows::<L>(&mut job.finish, &results[..count * matrix.outputs], matrix.outputs, first);
        }
    }
    // SAFETY: begun above.
    unsafe { P::end() };
}

/// Turns the sums of two panels into numbers, and writes what `then` makes of them. `then` is told the
/// offset from `to`.
///
/// # Safety
///
/// The lanes' instructions must be enabled; two panels of the matrix from `column`, and of every row that
/// has steps from `to`, must be within their blocks.
#[inline(always)]
unsafe fn finish_columns<L: Lanes>(
    sums: &Sums,
    steps: &[RowSteps],
    matrix: QuantisedMatrix<'_>,
    column: usize,
    to: *mut f32,
    then: impl Fn(L, usize) -> L,
) {
    for part in (0..STEP).step_by(L::COUNT) {
        // SAFETY: see above.
        unsafe {
            let totals = matrix.totals.as_ptr().add(column + part);
            let scales = L::load(matrix.scales.as_ptr().add(column + part));
            let bias = L::load(matrix.bias.as_ptr().add(column + part));
            for (row, steps) in steps.iter().enumerate() {
                let exact = L::from_sums(sums.0.as_ptr().add(row * STEP + part), steps.zero, totals);
                let value = exact.multiply_add(scales.multiply(L::all(steps.scale)), bias);
                let offset = row * matrix.outputs + part;
                then(value, offset).store(to.add(offset));
            }
        }
    }
}

/// What needs a whole row.
///
/// # Safety
///
/// The lanes' instructions must be enabled; rows from `first` must be within what `finish` holds.
#[inline(always)]
unsafe fn finish_rows<L: Lanes>(finish: &mut Finish<'_>, results: &[f32], width: usize, first: usize) {
    match finish {
        Finish::Numbers(_) => {}
        Finish::Widened(rows) => {
            for (row, numbers) in results.chunks_exact(width).enumerate() {
                // SAFETY: the width is a multiple of two panels.
                unsafe { quantise_row::<L>(numbers, rows, first + row) };
            }
        }
        Finish::Normalised { hidden, gain_and_bias, epsilon, rows } => {
            for (row, numbers) in results.chunks_exact(width).enumerate() {
                let hidden = &mut hidden[(first + row) * width..][..width];
                // SAFETY: the width is a multiple of two panels.
                unsafe {
                    normalise_row::<L>(numbers, gain_and_bias, *epsilon, hidden);
                    quantise_row::<L>(hidden, rows, first + row);
                }
            }
        }
    }
}

/// # Safety
///
/// The lanes' instructions must be enabled.
#[inline(always)]
pub(super) unsafe fn quantise<L: Lanes>(mut job: Quantise<'_>) {
    job.check();
    for (row, numbers) in job.input.chunks_exact(job.width).enumerate() {
        // SAFETY: `check` has seen that the width is a multiple of two panels.
        unsafe { quantise_row::<L>(numbers, job.output, row) };
    }
}

/// # Safety
///
/// The lanes' instructions must be enabled; the count of numbers must be a multiple of two panels.
#[inline(always)]
unsafe fn quantise_row<L: Lanes>(numbers: &[f32], output: &mut QuantisedRows, row: usize) {
    let (bytes, kept) = output.row(row);
    assert_eq!(bytes.len(), numbers.len());
    let (from, to) = (numbers.as_ptr(), bytes.as_mut_ptr());
    // SAFETY: every load and store is within the two rows, whose length is a multiple of the register's.
    unsafe {
        let mut smallest = [L::all(0.0); 2];
        let mut largest = [L::all(0.0); 2];
        for index in (0..numbers.len()).step_by(2 * L::COUNT) {
            let pair = [L::load(from.add(index)), L::load(from.add(index + L::COUNT))];
            smallest = [smallest[0].smaller(pair[0]), smallest[1].smaller(pair[1])];
            largest = [largest[0].larger(pair[0]), largest[1].larger(pair[1])];
        }
        let steps =
            RowSteps::between(smallest[0].smaller(smallest[1]).smallest(), largest[0].larger(largest[1]).largest());
        let per_unit = L::all(steps.per_unit());
        for index in (0..numbers.len()).step_by(L::COUNT) {
            L::load(from.add(index)).multiply(per_unit).store_bytes(steps.zero, to.add(index));
        }
        *kept = steps;
    }
}
