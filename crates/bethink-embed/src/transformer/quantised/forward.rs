//! The order of the layers in eight bits.

use super::operations::{Finish, Linear, Operations, Quantise};
use super::weights::QuantisedMatrix;
use crate::transformer::buffer::Scratch;
use crate::transformer::forward::Frame;
use crate::transformer::layer::Layer;
use crate::transformer::operations::Normalise;

/// Weights of an encoder in eight bits, and the functions that run it.
pub(in crate::transformer) struct Encoder<'a> {
    pub(super) frame: Frame<'a>,
    pub(super) layers: Vec<Layer<QuantisedMatrix<'a>, &'a [f32]>>,
    pub(super) operations: Operations,
}

impl Encoder<'_> {
    /// One pooled vector, of any length, for every sequence. No sequence may be empty or longer than
    /// there are positions.
    pub(in crate::transformer) fn run(&self, sequences: &[&[u32]], scratch: &mut Scratch) -> Vec<Vec<f32>> {
        let rows = sequences.iter().map(|tokens| tokens.len()).sum::<usize>();
        let Frame { hidden: width, epsilon, .. } = self.frame;
        let hidden = scratch.hidden.of(rows * width);
        let context = scratch.context.of(rows * width);
        let projections = scratch.projections.of(3 * rows * width);
        let (quantised, wide, block) = (&mut scratch.quantised, &mut scratch.quantised_wide, &mut scratch.wide);
        let Operations { linear, quantise, normalise, attention } = self.operations;

        self.frame.embed(sequences, context);
        let gain_and_bias = self.frame.embedding_norm;
        normalise(Normalise { width, input: context, gain_and_bias, epsilon, output: hidden });
        quantise(Quantise { input: hidden, width, output: quantised });
        for layer in &self.layers {
            linear(Linear { input: quantised, matrix: layer.projections, finish: Finish::Numbers(projections), block });
            self.frame.attend(sequences, attention, projections, context, &mut scratch.attention);
            // The context takes the place of the hidden states' bytes, which live on as numbers.
            quantise(Quantise { input: context, width, output: wide });
            let gain_and_bias = layer.attention_norm;
            let finish = Finish::Normalised { hidden, gain_and_bias, epsilon, rows: quantised };
            linear(Linear { input: wide, matrix: layer.attention_out, finish, block });
            linear(Linear { input: quantised, matrix: layer.up, finish: Finish::Widened(wide), block });
            let finish = Finish::Normalised { hidden, gain_and_bias: layer.out_norm, epsilon, rows: quantised };
            linear(Linear { input: wide, matrix: layer.down, finish, block });
        }
        self.frame.pool(sequences, hidden)
    }
}
