//! The layers of an encoder in single precision, as they lie in its container.

#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

use super::forward::{Encoder, Frame, Layer, Matrix};
use super::model::Role;
use super::operations::Operations;
use super::{PANEL, names};
use crate::container::{Container, Encoding, Place};
use crate::{EmbedError, EncoderShape, Kernel};

/// Where the weights and the bias of a linear layer lie.
#[derive(Clone, Copy)]
struct MatrixPlaces {
    weights: Place,
    bias: Place,
    inputs: usize,
    outputs: usize,
}

/// Where the parts of a layer lie.
struct LayerPlaces {
    projections: MatrixPlaces,
    attention_out: MatrixPlaces,
    attention_norm: Place,
    up: MatrixPlaces,
    down: MatrixPlaces,
    out_norm: Place,
}

/// The weights of a layer for the tile unit.
struct LayerTiles {
    projections: Vec<u16>,
    attention_out: Vec<u16>,
    up: Vec<u16>,
    down: Vec<u16>,
}

/// The layers, and the functions that run them.
pub(super) struct SingleLayers {
    layers: Vec<LayerPlaces>,
    operations: Operations,
    query_operations: Operations,
    /// Whether passages go through the tile unit.
    #[cfg(target_arch = "x86_64")]
    wants_tiles: bool,
    /// The weights of all layers in tiles, laid out when the first passage comes: a process that only
    /// asks queries neither waits for them nor holds them.
    #[cfg(target_arch = "x86_64")]
    tiles: OnceLock<Vec<LayerTiles>>,
}

impl SingleLayers {
    /// # Errors
    ///
    /// [`EmbedError::Damaged`] when a section is missing or has another shape.
    pub(super) fn find(
        container: &Container,
        shape: &EncoderShape,
        hidden: usize,
        kernel: Kernel,
    ) -> Result<Self, EmbedError> {
        let matrix = |layer: usize, part: &str, inputs: usize, outputs: usize| {
            let rows = inputs * outputs / PANEL;
            let weights = container.find(&names::of_layer(layer, part), Encoding::Float32, rows, PANEL)?;
            let bias = container.find(&names::of_layer(layer, &names::bias(part)), Encoding::Float32, 1, outputs)?;
            Ok::<_, EmbedError>(MatrixPlaces { weights, bias, inputs, outputs })
        };
        let norm = |layer, part| container.find(&names::of_layer(layer, part), Encoding::Float32, 2, hidden);
        let layers = (0..shape.layers)
            .map(|layer| {
                Ok(LayerPlaces {
                    projections: matrix(layer, names::PROJECTIONS, hidden, 3 * hidden)?,
                    attention_out: matrix(layer, names::ATTENTION_OUT, hidden, hidden)?,
                    attention_norm: norm(layer, names::ATTENTION_NORM)?,
                    up: matrix(layer, names::UP, hidden, shape.intermediate)?,
                    down: matrix(layer, names::DOWN, shape.intermediate, hidden)?,
                    out_norm: norm(layer, names::OUT_NORM)?,
                })
            })
            .collect::<Result<_, EmbedError>>()?;
        let wants_tiles = kernel == Kernel::Amx;
        Ok(Self {
            layers,
            operations: Operations::of(kernel),
            query_operations: Operations::of(if wants_tiles { Kernel::Avx512 } else { kernel }),
            #[cfg(target_arch = "x86_64")]
            wants_tiles,
            #[cfg(target_arch = "x86_64")]
            tiles: OnceLock::new(),
        })
    }

    /// The weights in tiles, when this kernel uses them for that role.
    #[cfg(target_arch = "x86_64")]
    fn tiles(&self, container: &Container, role: Role) -> Option<&[LayerTiles]> {
        let lay_out =
            |places: MatrixPlaces| super::amx::tiles(container.numbers(places.weights), places.inputs, places.outputs);
        (self.wants_tiles && role == Role::Passage).then(|| {
            &self.tiles.get_or_init(|| {
                self.layers
                    .iter()
                    .map(|layer| LayerTiles {
                        projections: lay_out(layer.projections),
                        attention_out: lay_out(layer.attention_out),
                        up: lay_out(layer.up),
                        down: lay_out(layer.down),
                    })
                    .collect()
            })[..]
        })
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn tiles(&self, _container: &Container, _role: Role) -> Option<&[LayerTiles]> {
        None
    }

    /// The weights as they lie in the mapping, with tiles where this kernel uses them for that role.
    pub(super) fn encoder<'a>(&'a self, container: &'a Container, frame: Frame<'a>, role: Role) -> Encoder<'a> {
        let all_tiles = self.tiles(container, role);
        let matrix = |places: MatrixPlaces, tiles: Option<&'a Vec<u16>>| Matrix {
            weights: container.numbers(places.weights),
            tiles: tiles.map(Vec::as_slice),
            bias: container.numbers(places.bias),
            inputs: places.inputs,
            outputs: places.outputs,
        };
        Encoder {
            frame,
            layers: self
                .layers
                .iter()
                .enumerate()
                .map(|(index, places)| (places, all_tiles.and_then(|tiles| tiles.get(index))))
                .map(|(places, tiles)| Layer {
                    projections: matrix(places.projections, tiles.map(|tiles| &tiles.projections)),
                    attention_out: matrix(places.attention_out, tiles.map(|tiles| &tiles.attention_out)),
                    attention_norm: container.numbers(places.attention_norm),
                    up: matrix(places.up, tiles.map(|tiles| &tiles.up)),
                    down: matrix(places.down, tiles.map(|tiles| &tiles.down)),
                    out_norm: container.numbers(places.out_norm),
                })
                .collect(),
            operations: match role {
                Role::Passage => self.operations,
                Role::Query => self.query_operations,
            },
        }
    }
}
