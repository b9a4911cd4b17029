//! The order of the layers: embeddings, then attention and feed-forward with their normalisations, then
//! pooling. Post-norm BERT, as in Devlin et al. 2019; what can be multiplied in beforehand was, at import.

use super::buffer::{AttentionScratch, Buffer, Scratch};
use super::layer::Layer;
use super::operations::{Attention, Finish, Linear, Normalise, Operations};
use crate::Pooling;

/// Weights of a linear layer, in panels.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    pub(super) weights: &'a [f32],
    /// The same in tiles, where the kernel wants them.
    pub(super) tiles: Option<&'a [u16]>,
    pub(super) bias: &'a [f32],
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

/// What encoders of all classes of numerics have in common: how texts go in and vectors come out.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) hidden: usize,
    pub(super) heads: usize,
    pub(super) epsilon: f32,
    pub(super) pooling: Pooling,
    /// Half precision, a row a word.
    pub(super) words: &'a [u16],
    pub(super) positions: &'a [f32],
    pub(super) embedding_norm: &'a [f32],
}

impl Frame<'_> {
    /// Word plus position (which holds the token type) for every token.
    pub(super) fn embed(&self, sequences: &[&[u32]], output: &mut [f32]) {
        let placed = sequences.iter().flat_map(|tokens| tokens.iter().enumerate());
        for ((position, token), row) in placed.zip(output.chunks_exact_mut(self.hidden)) {
            let word = &self.words[*token as usize * self.hidden..][..self.hidden];
            let place = &self.positions[position * self.hidden..][..self.hidden];
            for ((number, bits), added) in row.iter_mut().zip(word).zip(place) {
                *number = half::f16::from_bits(*bits).to_f32() + added;
            }
        }
    }

    /// Attention of every sequence by itself.
    pub(super) fn attend(
        &self,
        sequences: &[&[u32]],
        attention: fn(Attention<'_>),
        projections: &[f32],
        context: &mut [f32],
        scratch: &mut AttentionScratch,
    ) {
        let mut row = 0;
        for tokens in sequences {
            attention(Attention {
                tokens: tokens.len(),
                heads: self.heads,
                head_width: self.hidden / self.heads,
                projections: &projections[row * 3 * self.hidden..],
                context: &mut context[row * self.hidden..],
                scratch,
            });
            row += tokens.len();
        }
    }

    /// One vector, of any length, for every sequence.
    pub(super) fn pool(&self, sequences: &[&[u32]], states: &[f32]) -> Vec<Vec<f32>> {
        let mut row = 0;
        sequences
            .iter()
            .map(|tokens| {
                let states = &states[row * self.hidden..(row + tokens.len()) * self.hidden];
                row += tokens.len();
                self.pool_one(states)
            })
            .collect()
    }

    fn pool_one(&self, states: &[f32]) -> Vec<f32> {
        match self.pooling {
            Pooling::Cls => states[..self.hidden].to_vec(),
            Pooling::Mean => {
                // The sum and the mean have one direction.
                let mut sum = vec![0.0f32; self.hidden];
                for row in states.chunks_exact(self.hidden) {
                    sum.iter_mut().zip(row).for_each(|(total, number)| *total += number);
                }
                sum
            }
        }
    }
}

/// Weights of an encoder in single precision, and the functions that run it.
pub(super) struct Encoder<'a> {
    pub(super) frame: Frame<'a>,
    pub(super) layers: Vec<Layer<Matrix<'a>, &'a [f32]>>,
    pub(super) operations: Operations,
}

impl Encoder<'_> {
    /// One pooled vector, of any length, for every sequence. No sequence may be empty or longer than
    /// there are positions.
    pub(super) fn run(&self, sequences: &[&[u32]], scratch: &mut Scratch) -> Vec<Vec<f32>> {
        let rows = sequences.iter().map(|tokens| tokens.len()).sum::<usize>();
        let width = self.frame.hidden;
        let block = rows * width;
        let hidden = scratch.hidden.of(block);
        let sum = scratch.sum.of(block);
        let context = scratch.context.of(block);
        let projections = scratch.projections.of(3 * block);
        let narrow = &mut scratch.narrow;
        let wide = scratch.wide.of(rows * self.layers.first().map_or(0, |layer| layer.up.outputs));

        self.frame.embed(sequences, sum);
        self.normalise(sum, self.frame.embedding_norm, hidden);
        for layer in &self.layers {
            self.linear(rows, layer.projections, hidden, Finish::Bias, projections, narrow);
            self.frame.attend(sequences, self.operations.attention, projections, context, &mut scratch.attention);
            self.linear(rows, layer.attention_out, context, Finish::Residual(hidden), sum, narrow);
            self.normalise(sum, layer.attention_norm, hidden);
            self.linear(rows, layer.up, hidden, Finish::Gelu, wide, narrow);
            self.linear(rows, layer.down, wide, Finish::Residual(hidden), sum, narrow);
            self.normalise(sum, layer.out_norm, hidden);
        }
        self.frame.pool(sequences, hidden)
    }

    fn normalise(&self, input: &[f32], gain_and_bias: &[f32], output: &mut [f32]) {
        let (width, epsilon) = (self.frame.hidden, self.frame.epsilon);
        let job = Normalise { width, input, gain_and_bias, epsilon, output };
        (self.operations.normalise)(job);
    }

    fn linear(
        &self,
        rows: usize,
        matrix: Matrix<'_>,
        input: &[f32],
        finish: Finish<'_>,
        output: &mut [f32],
        narrow: &mut Buffer,
    ) {
        (self.operations.linear)(Linear {
            rows,
            inputs: matrix.inputs,
            outputs: matrix.outputs,
            input,
            weights: matrix.weights,
            tiles: matrix.tiles,
            bias: matrix.bias,
            finish,
            output,
            narrow,
        });
    }
}
