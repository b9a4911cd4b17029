//! The arithmetic that a forward pass consists of, as a table of functions for each kernel.

use super::buffer::{AttentionScratch, Buffer};
use super::plain;
use crate::Kernel;

/// What happens to each number of a linear layer's result.
#[derive(Clone, Copy)]
pub(super) enum Finish<'a> {
    /// Bias added.
    Bias,
    /// Bias added, then the Gaussian error linear unit, `x/2 * (1 + erf(x / sqrt 2))`.
    Gelu,
    /// Bias added, then the number at the same place of this block.
    Residual(&'a [f32]),
}

/// `output = finish(input * weights)`: `rows * inputs` numbers in, `rows * outputs` out.
pub(super) struct Linear<'a> {
    pub(super) rows: usize,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) input: &'a [f32],
    /// In panels: see [`super::PANEL`].
    pub(super) weights: &'a [f32],
    /// The same in tiles, where the kernel has laid them out: see `amx`.
    pub(super) tiles: Option<&'a [u16]>,
    pub(super) bias: &'a [f32],
    pub(super) finish: Finish<'a>,
    pub(super) output: &'a mut [f32],
    /// Memory for the input in a narrower type.
    pub(super) narrow: &'a mut Buffer,
}

impl Linear<'_> {
    /// The kernels read by pointer, so every length is checked once at the door.
    ///
    /// # Panics
    ///
    /// When a block is too short, which is a fault of this crate.
    pub(super) fn check(&self) {
        assert!(self.outputs.is_multiple_of(super::WIDTH_MULTIPLE) && self.inputs > 0);
        assert!(self.input.len() >= self.rows * self.inputs);
        assert!(self.weights.len() >= self.inputs * self.outputs);
        assert!(self.bias.len() >= self.outputs);
        assert!(self.output.len() >= self.rows * self.outputs);
        if let Finish::Residual(residual) = self.finish {
            assert!(residual.len() >= self.rows * self.outputs);
        }
    }
}

/// Layer normalisation of each row: `(x - mean) / sqrt(variance + epsilon) * gain + bias`.
pub(super) struct Normalise<'a> {
    pub(super) width: usize,
    pub(super) input: &'a [f32],
    /// `width` gains, then `width` biases.
    pub(super) gain_and_bias: &'a [f32],
    pub(super) epsilon: f32,
    pub(super) output: &'a mut [f32],
}

impl Normalise<'_> {
    /// # Panics
    ///
    /// When a block is too short, which is a fault of this crate.
    pub(super) fn check(&self) {
        assert!(self.width.is_multiple_of(super::WIDTH_MULTIPLE) && self.width > 0);
        assert!(self.gain_and_bias.len() == 2 * self.width);
        assert!(self.input.len().is_multiple_of(self.width) && self.input.len() == self.output.len());
    }
}

/// Attention of one sequence, all heads: softmax(queries * keys) * values.
pub(super) struct Attention<'a> {
    /// Tokens of the sequence.
    pub(super) tokens: usize,
    pub(super) heads: usize,
    /// Numbers a head.
    pub(super) head_width: usize,
    /// A row a token: all heads' queries (scaled), then all keys, then all values.
    pub(super) projections: &'a [f32],
    /// A row a token: the heads side by side.
    pub(super) context: &'a mut [f32],
    pub(super) scratch: &'a mut AttentionScratch,
}

impl Attention<'_> {
    /// # Panics
    ///
    /// When a block is too short, which is a fault of this crate.
    pub(super) fn check(&self) {
        assert!(self.head_width.is_multiple_of(super::WIDTH_MULTIPLE) && self.tokens > 0);
        let hidden = self.heads * self.head_width;
        assert!(self.projections.len() >= self.tokens * 3 * hidden);
        assert!(self.context.len() >= self.tokens * hidden);
    }
}

/// The functions of one kernel.
#[derive(Clone, Copy)]
pub(super) struct Operations {
    pub(super) linear: fn(Linear<'_>),
    pub(super) normalise: fn(Normalise<'_>),
    pub(super) attention: fn(Attention<'_>),
}

impl Operations {
    /// The functions of a kernel that is available and is not [`Kernel::Auto`]; those of the plain
    /// kernel for any other.
    pub(super) fn of(kernel: Kernel) -> Self {
        #[cfg(target_arch = "x86_64")]
        if kernel.is_available() {
            match kernel {
                Kernel::Avx2 | Kernel::AvxVnni => return super::vector::AVX2,
                Kernel::Avx512 | Kernel::Avx512Vnni => return super::vector::AVX512,
                Kernel::Amx => {
                    let (linear, attention) = (super::amx::linear, super::amx::attention);
                    return Self { linear, attention, ..super::vector::AVX512 };
                }
                Kernel::Auto | Kernel::Plain => {}
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _only_plain = kernel;
        Self { linear: plain::linear, normalise: plain::normalise, attention: plain::attention }
    }
}

#[cfg(test)]
mod tests {
    use super::super::noise::noise;
    use super::*;
    use crate::kernels_available;

    /// Single precision in another order; bfloat16 has eight bits, and sums here are of order one.
    fn tolerance(kernel: Kernel) -> f32 {
        if kernel == Kernel::Amx { 3e-2 } else { 1e-4 }
    }

    fn assert_close(kernel: Kernel, expected: &[f32], found: &[f32], what: &str) {
        for (place, (x, y)) in expected.iter().zip(found).enumerate() {
            assert!((x - y).abs() < tolerance(kernel), "{kernel} {what} at {place}: {x} and {y}");
        }
    }

    fn run_linear(operations: Operations, rows: usize, finish: Finish<'_>, tiled: bool) -> Vec<f32> {
        let (inputs, outputs) = (96, 64);
        let (input, weights, bias) = (noise(rows * inputs, 1), noise(inputs * outputs, 2), noise(outputs, 3));
        #[cfg(target_arch = "x86_64")]
        let tiles = tiled.then(|| super::super::amx::tiles(&weights, inputs, outputs));
        #[cfg(not(target_arch = "x86_64"))]
        let tiles = tiled.then(Vec::new);
        let mut output = vec![f32::NAN; rows * outputs];
        (operations.linear)(Linear {
            rows,
            inputs,
            outputs,
            input: &input,
            weights: &weights,
            tiles: tiles.as_deref(),
            bias: &bias,
            finish,
            output: &mut output,
            narrow: &mut Buffer::default(),
        });
        output
    }

    #[test]
    fn linear_layers_agree_for_every_count_of_rows() {
        let residual = noise(70 * 64, 4);
        for rows in (1..=40).chain([63, 64, 65, 70]) {
            for (finish, name) in
                [(Finish::Bias, "bias"), (Finish::Gelu, "gelu"), (Finish::Residual(&residual), "residual")]
            {
                let expected = run_linear(Operations::of(Kernel::Plain), rows, finish, false);
                for kernel in kernels_available() {
                    let found = run_linear(Operations::of(kernel), rows, finish, kernel == Kernel::Amx);
                    assert_close(kernel, &expected, &found, &format!("{name}, {rows} rows"));
                }
            }
        }
    }

    #[test]
    fn attention_agrees_for_every_length_and_width() {
        for head_width in [32, 64, 96] {
            // One scratch for all, so that what an earlier sequence left behind would show.
            let mut scratch = AttentionScratch::default();
            for tokens in (1..=40).rev().chain([63, 64, 65, 130]) {
                let heads = 2;
                let projections: Vec<f32> =
                    noise(tokens * 3 * heads * head_width, 5).into_iter().map(|number| 2.0 * number).collect();
                let mut run = |kernel: Kernel| {
                    let mut context = vec![f32::NAN; tokens * heads * head_width];
                    (Operations::of(kernel).attention)(Attention {
                        tokens,
                        heads,
                        head_width,
                        projections: &projections,
                        context: &mut context,
                        scratch: &mut scratch,
                    });
                    context
                };
                let expected = run(Kernel::Plain);
                for kernel in kernels_available() {
                    let found = run(kernel);
                    assert_close(kernel, &expected, &found, &format!("{tokens} tokens of {head_width}"));
                }
            }
        }
    }

    #[test]
    fn normalisation_agrees() {
        let (width, rows) = (96, 5);
        let (input, gain_and_bias) = (noise(width * rows, 6), noise(2 * width, 7));
        let run = |kernel: Kernel| {
            let mut output = vec![f32::NAN; width * rows];
            let job =
                Normalise { width, input: &input, gain_and_bias: &gain_and_bias, epsilon: 1e-12, output: &mut output };
            (Operations::of(kernel).normalise)(job);
            output
        };
        for kernel in kernels_available() {
            assert_close(kernel, &run(Kernel::Plain), &run(kernel), "normalisation");
        }
    }
}
