//! The parts of one layer, whatever stands for them: where they lie in a container, the weights themselves, or
//! the same laid out for a kernel.

use super::names;
use crate::container::{Container, Encoding, Place};
use crate::{EmbedError, EncoderShape};

/// A layer whose linear parts are `Linear` and whose normalisations are `Norm`.
pub(super) struct Layer<Linear, Norm> {
    pub(super) projections: Linear,
    pub(super) attention_out: Linear,
    pub(super) attention_norm: Norm,
    pub(super) up: Linear,
    pub(super) down: Linear,
    pub(super) out_norm: Norm,
}

impl<Linear> Layer<Linear, Place> {
    /// All layers of an encoder of that shape in a container. `linear` finds a linear part: of which layer, its
    /// name, its inputs, its outputs.
    ///
    /// # Errors
    ///
    /// [`EmbedError::Damaged`] when a section is missing or has another shape.
    pub(super) fn find_all(
        container: &Container,
        shape: &EncoderShape,
        hidden: usize,
        linear: impl Fn(usize, &str, usize, usize) -> Result<Linear, EmbedError>,
    ) -> Result<Vec<Self>, EmbedError> {
        let norm = |layer, part| container.find(&names::of_layer(layer, part), Encoding::Float32, 2, hidden);
        (0..shape.layers)
            .map(|layer| {
                Ok(Self {
                    projections: linear(layer, names::PROJECTIONS, hidden, 3 * hidden)?,
                    attention_out: linear(layer, names::ATTENTION_OUT, hidden, hidden)?,
                    attention_norm: norm(layer, names::ATTENTION_NORM)?,
                    up: linear(layer, names::UP, hidden, shape.intermediate)?,
                    down: linear(layer, names::DOWN, shape.intermediate, hidden)?,
                    out_norm: norm(layer, names::OUT_NORM)?,
                })
            })
            .collect()
    }
}

impl<Linear, Norm> Layer<Linear, Norm> {
    /// The same layer with other things for its parts.
    pub(super) fn map<'a, OtherLinear, OtherNorm>(
        &'a self,
        linear: impl Fn(&'a Linear) -> OtherLinear,
        norm: impl Fn(&'a Norm) -> OtherNorm,
    ) -> Layer<OtherLinear, OtherNorm> {
        Layer {
            projections: linear(&self.projections),
            attention_out: linear(&self.attention_out),
            attention_norm: norm(&self.attention_norm),
            up: linear(&self.up),
            down: linear(&self.down),
            out_norm: norm(&self.out_norm),
        }
    }
}
