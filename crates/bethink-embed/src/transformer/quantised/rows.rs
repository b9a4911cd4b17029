//! Activations in unsigned bytes, with a scale and a zero for each row.

use crate::transformer::buffer::Buffer;

/// Rows are multiplied in blocks of up to this many; behind the last row there is room for a whole block.
pub(super) const ROW_MULTIPLE: usize = 32;
/// Steps between the smallest and the largest number of a row.
const STEPS: f32 = 255.0;
/// The least span of a row that has one. A row of equal numbers would ask for steps of no width.
const LEAST_SPAN: f32 = 1e-20;

/// Rows of unsigned bytes.
#[derive(Default)]
pub(in crate::transformer) struct QuantisedRows {
    bytes: Buffer,
    steps: Vec<RowSteps>,
    width: usize,
    rows: usize,
}

/// What a byte of a row stands for: `(byte - zero) * scale`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct RowSteps {
    pub(super) scale: f32,
    /// From 0 to 255: the byte that stands for nothing.
    pub(super) zero: i32,
}

impl RowSteps {
    /// The steps of a row whose numbers lie between these two. Zero itself is always a step, so that what
    /// is nothing stays nothing.
    pub(super) fn between(smallest: f32, largest: f32) -> Self {
        let (smallest, largest) = (smallest.min(0.0), largest.max(0.0));
        let scale = (largest - smallest).max(LEAST_SPAN) / STEPS;
        Self { scale, zero: (-smallest / scale).round_ties_even() as i32 }
    }

    /// How many steps a number of one is.
    pub(super) fn per_unit(self) -> f32 {
        1.0 / self.scale
    }

    /// The byte of a number.
    pub(super) fn byte(self, number: f32) -> u8 {
        // The product is rounded before the zero is added, as in the kernels: all have the same byte.
        ((number * self.per_unit()).round_ties_even() as i32).saturating_add(self.zero).clamp(0, 255) as u8
    }
}

impl QuantisedRows {
    /// Makes room for rows of that width; what is in them is what was there before.
    pub(super) fn take(&mut self, rows: usize, width: usize) {
        let _room = self.bytes.bytes_of(rows.next_multiple_of(ROW_MULTIPLE) * width);
        if self.steps.len() < rows {
            self.steps.resize(rows, RowSteps::default());
        }
        (self.rows, self.width) = (rows, width);
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The bytes of all rows, with room for a whole block behind the last.
    pub(super) fn bytes(&mut self) -> &mut [u8] {
        self.bytes.bytes_of(self.rows.next_multiple_of(ROW_MULTIPLE) * self.width)
    }

    /// The steps of all rows.
    pub(super) fn steps(&self) -> &[RowSteps] {
        &self.steps[..self.rows]
    }

    /// The bytes of one row, and its steps.
    pub(super) fn row(&mut self, row: usize) -> (&mut [u8], &mut RowSteps) {
        (&mut self.bytes.bytes_of((row + 1) * self.width)[row * self.width..], &mut self.steps[row])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_a_row_is_within_half_a_step() {
        for (smallest, largest) in [(-1.0, 1.0), (-0.17, 3.4), (2.0, 5.0), (-9.0, -3.0), (0.0, 0.0), (-1e-30, 1e-30)] {
            let steps = RowSteps::between(smallest, largest);
            assert!((0..=255).contains(&steps.zero));
            assert_eq!(steps.byte(0.0), steps.zero as u8);
            for part in 0..=100 {
                let number = smallest + (largest - smallest) * part as f32 / 100.0;
                let back = (f32::from(steps.byte(number)) - steps.zero as f32) * steps.scale;
                // The ends may be rounded off by the half step that the zero was moved.
                assert!((back - number).abs() <= steps.scale * 1.001, "{smallest} {largest} {number} {back}");
            }
        }
    }

    #[test]
    fn numbers_beyond_all_measure_do_no_harm() {
        for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
            let steps = RowSteps::between(-number, number);
            let _any = steps.byte(number);
            assert!(steps.scale > 0.0 || steps.scale.is_nan());
        }
    }
}
