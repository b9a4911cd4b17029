//! The layers of an eight-bit encoder, as they lie in its container.

use super::forward::Encoder;
use super::operations::Operations;
use super::weights::{ChannelWeights, QuantisedMatrix, SCALES_SUFFIX, TOTALS_SUFFIX};
use crate::container::{Container, Encoding, Place};
use crate::transformer::forward::Frame;
use crate::transformer::layer::Layer;
use crate::transformer::names;
use crate::{EmbedError, EncoderShape, Kernel};

/// Where the parts of a linear layer lie.
struct MatrixPlaces {
    weights: Place,
    scales: Place,
    totals: Place,
    bias: Place,
    inputs: usize,
    outputs: usize,
}

/// The layers, and the functions that run them.
pub(in crate::transformer) struct QuantisedLayers {
    layers: Vec<Layer<MatrixPlaces, Place>>,
    operations: Operations,
}

impl QuantisedLayers {
    /// # Errors
    ///
    /// [`EmbedError::Damaged`] when a section is missing or has another shape.
    pub(in crate::transformer) fn find(
        container: &Container,
        shape: &EncoderShape,
        hidden: usize,
        kernel: Kernel,
    ) -> Result<Self, EmbedError> {
        let matrix = |layer: usize, part: &str, inputs: usize, outputs: usize| {
            let find = |name: &str, encoding, rows, columns| {
                container.find(&names::of_layer(layer, name), encoding, rows, columns)
            };
            let lines = inputs * outputs / ChannelWeights::COLUMNS;
            Ok(MatrixPlaces {
                weights: find(part, Encoding::Int8, lines, ChannelWeights::COLUMNS)?,
                scales: find(&format!("{part}{SCALES_SUFFIX}"), Encoding::Float32, 1, outputs)?,
                totals: find(&format!("{part}{TOTALS_SUFFIX}"), Encoding::Signed32, 1, outputs)?,
                bias: find(&names::bias(part), Encoding::Float32, 1, outputs)?,
                inputs,
                outputs,
            })
        };
        let layers = Layer::find_all(container, shape, hidden, matrix)?;
        Ok(Self { layers, operations: Operations::of(fitting(kernel, hidden, shape.intermediate)) })
    }

    /// The weights as they lie in the mapping.
    pub(in crate::transformer) fn encoder<'a>(&'a self, container: &'a Container, frame: Frame<'a>) -> Encoder<'a> {
        let matrix = |places: &MatrixPlaces| QuantisedMatrix {
            weights: container.numbers(places.weights),
            scales: container.numbers(places.scales),
            totals: container.numbers(places.totals),
            bias: container.numbers(places.bias),
            inputs: places.inputs,
            outputs: places.outputs,
        };
        let layers = self.layers.iter().map(|places| places.map(matrix, |norm| container.numbers(*norm)));
        Encoder { frame, layers: layers.collect(), operations: self.operations }
    }
}

/// The tile unit reads 64 inputs at a time; a model of other widths is run as well without it.
#[cfg(target_arch = "x86_64")]
fn fitting(kernel: Kernel, hidden: usize, intermediate: usize) -> Kernel {
    let fits = [hidden, intermediate].iter().all(|width| width.is_multiple_of(super::tiles::DEPTH));
    match kernel {
        Kernel::Amx if !fits && Kernel::Avx512Vnni.is_available() => Kernel::Avx512Vnni,
        Kernel::Amx if !fits => Kernel::Avx512,
        fitting => fitting,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn fitting(kernel: Kernel, _hidden: usize, _intermediate: usize) -> Kernel {
    kernel
}
