//! The steps of the eight-bit forward pass, as a table of functions for each kernel.

use super::rows::QuantisedRows;
use super::weights::QuantisedMatrix;
use crate::Kernel;
use crate::transformer::buffer::Buffer;
use crate::transformer::operations::{Attention, Normalise};

/// What becomes of the sums of a linear layer.
pub(super) enum Finish<'a> {
    /// Numbers, a row a row.
    Numbers(&'a mut [f32]),
    /// The Gaussian error linear unit, then bytes again.
    Widened(&'a mut QuantisedRows),
    /// Added to `hidden`, normalised, and kept both as numbers and as bytes.
    Normalised {
        /// What is added and where the result goes.
        hidden: &'a mut [f32],
        gain_and_bias: &'a [f32],
        epsilon: f32,
        rows: &'a mut QuantisedRows,
    },
}

/// A linear layer over rows of bytes, and what follows it.
pub(super) struct Linear<'a> {
    pub(super) input: &'a mut QuantisedRows,
    pub(super) matrix: QuantisedMatrix<'a>,
    pub(super) finish: Finish<'a>,
    /// Memory for the outputs of a few rows.
    pub(super) block: &'a mut Buffer,
}

impl Linear<'_> {
    /// Checks all lengths and makes room for what comes out.
    ///
    /// # Panics
    ///
    /// When a block is too short, which is a fault of this crate.
    pub(super) fn check(&mut self) {
        self.matrix.check();
        assert_eq!(self.input.width(), self.matrix.inputs);
        let (rows, outputs) = (self.input.rows(), self.matrix.outputs);
        match &mut self.finish {
            Finish::Numbers(output) => assert!(output.len() >= rows * outputs),
            Finish::Widened(output) => output.take(rows, outputs),
            Finish::Normalised { hidden, gain_and_bias, rows: output, .. } => {
                assert!(hidden.len() >= rows * outputs && gain_and_bias.len() == 2 * outputs);
                output.take(rows, outputs);
            }
        }
    }
}

/// Rows of numbers into bytes.
pub(super) struct Quantise<'a> {
    pub(super) input: &'a [f32],
    pub(super) width: usize,
    pub(super) output: &'a mut QuantisedRows,
}

impl Quantise<'_> {
    /// # Panics
    ///
    /// When the input is no whole count of rows, which is a fault of this crate.
    pub(super) fn check(&mut self) {
        assert!(self.width.is_multiple_of(super::STEP) && self.input.len().is_multiple_of(self.width));
        self.output.take(self.input.len() / self.width, self.width);
    }
}

/// The two functions that a kernel adds to those of single precision.
pub(super) type LinearAndQuantise = (fn(Linear<'_>), fn(Quantise<'_>));

/// The functions of one kernel.
#[derive(Clone, Copy)]
pub(super) struct Operations {
    pub(super) linear: fn(Linear<'_>),
    pub(super) quantise: fn(Quantise<'_>),
    pub(super) normalise: fn(Normalise<'_>),
    pub(super) attention: fn(Attention<'_>),
}

impl Operations {
    /// The functions of a kernel that is available and is not [`Kernel::Auto`]; those of the plain
    /// kernel for any other.
    pub(super) fn of(kernel: Kernel) -> Self {
        let single = crate::transformer::operations::Operations::of(kernel);
        let (normalise, attention) = (single.normalise, single.attention);
        #[cfg(target_arch = "x86_64")]
        if kernel.is_available() {
            let (linear, quantise): LinearAndQuantise = match kernel {
                Kernel::Avx2 => super::vector::AVX2,
                Kernel::AvxVnni => super::vector::AVX_VNNI,
                Kernel::Avx512 => super::vector::AVX512,
                Kernel::Avx512Vnni => super::vector::AVX512_VNNI,
                Kernel::Amx => super::tiles::AMX,
                Kernel::Auto | Kernel::Plain => (super::plain::linear, super::plain::quantise),
            };
            return Self { linear, quantise, normalise, attention };
        }
        Self { linear: super::plain::linear, quantise: super::plain::quantise, normalise, attention }
    }
}

#[cfg(test)]
mod tests {
    use super::super::weights::{ChannelWeights, quantise_weights};
    use super::*;
    use crate::kernels_available;
    use crate::transformer::noise::noise;

    fn quantised(kernel: Kernel, numbers: &[f32], width: usize) -> QuantisedRows {
        let mut rows = QuantisedRows::default();
        (Operations::of(kernel).quantise)(Quantise { input: numbers, width, output: &mut rows });
        rows
    }

    /// The bytes, zeros and scales of all rows, to the bit.
    fn told(rows: &mut QuantisedRows) -> Vec<(Vec<u8>, i32, u32)> {
        (0..rows.rows())
            .map(|row| {
                let (bytes, steps) = rows.row(row);
                (bytes.to_vec(), steps.zero, steps.scale.to_bits())
            })
            .collect()
    }

    #[test]
    fn every_kernel_makes_the_same_bytes() {
        let width = 96;
        let mut numbers = noise(12 * width, 21);
        // Rows that lean to a side, that are tiny, empty, huge, or have one number that outweighs the rest.
        numbers[..width].iter_mut().for_each(|number| *number = number.abs());
        numbers[width..2 * width].iter_mut().for_each(|number| *number = -number.abs() - 3.0);
        numbers[2 * width..3 * width].iter_mut().for_each(|number| *number *= 1e-30);
        numbers[3 * width..4 * width].fill(0.0);
        numbers[4 * width..5 * width].iter_mut().for_each(|number| *number *= 1e30);
        numbers[5 * width + 7] = -40.0;
        let expected = told(&mut quantised(Kernel::Plain, &numbers, width));
        for kernel in kernels_available() {
            assert_eq!(told(&mut quantised(kernel, &numbers, width)), expected, "{kernel}");
        }
    }

    struct Layer {
        made: ChannelWeights,
        bias: Vec<f32>,
        inputs: usize,
        outputs: usize,
    }

    impl Layer {
        fn of(inputs: usize, outputs: usize) -> Self {
            let made = quantise_weights(&noise(inputs * outputs, 22), inputs);
            Self { made, bias: noise(outputs, 23), inputs, outputs }
        }

        fn matrix(&self) -> QuantisedMatrix<'_> {
            QuantisedMatrix {
                weights: &self.made.weights,
                scales: &self.made.scales,
                totals: &self.made.totals,
                bias: &self.bias,
                inputs: self.inputs,
                outputs: self.outputs,
            }
        }
    }

    fn assert_close(kernel: Kernel, expected: &[f32], found: &[f32], tolerance: f32, what: &str) {
        assert_eq!(expected.len(), found.len());
        for (place, (x, y)) in expected.iter().zip(found).enumerate() {
            assert!((x - y).abs() <= tolerance, "{kernel} {what} at {place}: {x} and {y}");
        }
    }

    /// What the bytes stand for.
    fn numbers_of(rows: &mut QuantisedRows) -> Vec<f32> {
        told(rows)
            .into_iter()
            .flat_map(|(bytes, zero, scale)| {
                bytes.into_iter().map(move |byte| (i32::from(byte) - zero) as f32 * f32::from_bits(scale))
            })
            .collect()
    }

    #[test]
    fn linear_layers_agree_for_every_count_of_rows_and_every_end() {
        let layer = Layer::of(128, 96);
        let (gain_and_bias, residual) = (noise(2 * layer.outputs, 24), noise(80 * layer.outputs, 25));
        for rows in (1..=40).chain([47, 48, 49, 63, 64, 65, 80]) {
            let input = noise(rows * layer.inputs, 26);
            let run = |kernel: Kernel| {
                let linear = Operations::of(kernel).linear;
                let (matrix, block) = (layer.matrix(), &mut Buffer::default());
                // Numbers that would show if a row were left out.
                let mut numbers = vec![f32::NAN; rows * layer.outputs];
                let mut input = quantised(Kernel::Plain, &input, layer.inputs);
                let input = &mut input;
                linear(Linear { input, matrix, finish: Finish::Numbers(&mut numbers), block });
                let mut widened = QuantisedRows::default();
                linear(Linear { input, matrix, finish: Finish::Widened(&mut widened), block });
                let mut hidden = residual[..rows * layer.outputs].to_vec();
                let mut normalised = QuantisedRows::default();
                let finish = Finish::Normalised {
                    hidden: &mut hidden,
                    gain_and_bias: &gain_and_bias,
                    epsilon: 1e-12,
                    rows: &mut normalised,
                };
                linear(Linear { input, matrix, finish, block });
                [numbers, numbers_of(&mut widened), hidden, numbers_of(&mut normalised)]
            };
            let expected = run(Kernel::Plain);
            for kernel in kernels_available() {
                let found = run(kernel);
                // What became bytes again may differ by one step, of which 255 span about 4.
                for (end, tolerance) in [1e-4, 2e-2, 1e-4, 2e-2].into_iter().enumerate() {
                    assert_close(kernel, &expected[end], &found[end], tolerance, &format!("{rows} rows, end {end}"));
                }
            }
        }
    }

    #[test]
    fn a_layer_in_bytes_is_the_layer_to_about_a_hundredth() {
        let (inputs, outputs) = (128, 64);
        let layer = Layer::of(inputs, outputs);
        let (weights, input) = (noise(inputs * outputs, 22), noise(inputs, 26));
        let mut found = vec![0.0; outputs];
        let finish = Finish::Numbers(&mut found);
        let input_bytes = &mut quantised(Kernel::Plain, &input, inputs);
        let block = &mut Buffer::default();
        (Operations::of(Kernel::Plain).linear)(Linear { input: input_bytes, matrix: layer.matrix(), finish, block });
        for (output, (found, bias)) in found.iter().zip(&layer.bias).enumerate() {
            let row = &weights[output * inputs..][..inputs];
            let exact = row.iter().zip(&input).map(|(weight, number)| weight * number).sum::<f32>() + bias;
            assert!((exact - found).abs() < 0.03, "{output}: {exact} and {found}");
        }
    }
}
