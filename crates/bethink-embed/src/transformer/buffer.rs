//! Memory for activations: numbers that begin on a cache line, kept between calls.

use super::quantised::QuantisedRows;

/// One cache line of numbers.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([f32; 16]);

/// A growing block of numbers whose first one begins a cache line.
#[derive(Default)]
pub(super) struct Buffer {
    lines: Vec<Line>,
}

impl Buffer {
    /// The first `length` numbers, of any value; grows when there are fewer.
    pub(super) fn of(&mut self, length: usize) -> &mut [f32] {
        let lines = length.div_ceil(16);
        if self.lines.len() < lines {
            // Freed first, so that the old block and the new are never held together.
            self.lines = Vec::new();
            self.lines = vec![Line([0.0; 16]); lines];
        }
        // SAFETY: a `Line` is 16 numbers without padding, so the lines are one block of that many numbers.
        let numbers =
            unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast::<f32>(), self.lines.len() * 16) };
        &mut numbers[..length]
    }
}

impl Buffer {
    /// The first `length` bytes, of any value; grows when there are fewer.
    pub(super) fn bytes_of(&mut self, length: usize) -> &mut [u8] {
        let numbers = self.of(length.div_ceil(4));
        // SAFETY: numbers have no padding, bytes need no alignment, and there are at least as many.
        unsafe { std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast::<u8>(), length) }
    }
}

/// All blocks that a forward pass needs.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) hidden: Buffer,
    pub(super) sum: Buffer,
    pub(super) projections: Buffer,
    pub(super) context: Buffer,
    pub(super) wide: Buffer,
    pub(super) narrow: Buffer,
    /// Bytes of the hidden states.
    pub(super) quantised: QuantisedRows,
    /// Bytes of what is wider, and of the context.
    pub(super) quantised_wide: QuantisedRows,
    pub(super) attention: AttentionScratch,
}

/// Blocks for one head of one sequence.
#[derive(Default)]
pub(super) struct AttentionScratch {
    /// Keys, as the kernel wants them.
    pub(super) keys: Buffer,
    /// Values, as the kernel wants them.
    pub(super) values: Buffer,
    /// Scores of a few tokens against all.
    pub(super) scores: Buffer,
    /// Queries, where a kernel wants them in a narrower type.
    pub(super) queries: Buffer,
    /// Exponentials of scores, where a kernel wants them in a narrower type.
    pub(super) shares: Buffer,
}
