//! The layers of an encoder in single precision, as they lie in its container.

#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

use super::forward::{Encoder, Frame, Matrix};
use super::layer::Layer;
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

/// The weights of a layer for the tile unit.
type LayerTiles = Layer<Vec<u16>, ()>;

/// The layers, and the functions that run them.
pub(super) struct SingleLayers {
    layers: Vec<Layer<MatrixPlaces, Place>>,
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
            Ok(MatrixPlaces { weights, bias, inputs, outputs })
        };
        let layers = Layer::find_all(container, shape, hidden, matrix)?;
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
            |places: &MatrixPlaces| super::amx::tiles(container.numbers(places.weights), places.inputs, places.outputs);
        (self.wants_tiles && role == Role::Passage).then(|| {
            &self.tiles.get_or_init(|| self.layers.iter().map(|layer| layer.map(lay_out, |_| ())).collect())[..]
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
