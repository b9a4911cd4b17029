//! An encoder in its container, as an embedder.

use std::sync::{Mutex, OnceLock};

use super::PANEL;
use super::buffer::Scratch;
use super::forward::{Encoder, Layer, Matrix};
use super::names;
use super::operations::Operations;
use crate::container::{Container, Encoding, Place};
use crate::embedder::{to_unit_length, with_prefix};
use crate::wordpiece::{VocabularyPlaces, WordPiece};
use crate::{EmbedError, Embedder, EncoderShape, Kernel, ModelManifest};

/// Tokens that go through the layers together. More share each reading of the weights; fewer keep the
/// activations (14 KB a token for MiniLM) in the second- and third-level cache.
const BATCH_TOKENS: usize = 512;

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

/// What a text is to the model.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Many at once: the fastest arithmetic.
    Passage,
    /// One at a time: what answers soonest, with no preparation.
    Query,
}

/// A BERT encoder that is ready to embed.
pub(crate) struct TransformerModel {
    container: Container,
    shape: EncoderShape,
    open: u32,
    close: u32,
    vocabulary: VocabularyPlaces,
    words: Place,
    positions: Place,
    embedding_norm: Place,
    layers: Vec<LayerPlaces>,
    operations: Operations,
    query_operations: Operations,
    /// Whether passages go through the tile unit.
    wants_tiles: bool,
    /// The weights of all layers in tiles, laid out when the first passage comes: a process that only
    /// asks queries neither waits for them nor holds them.
    tiles: OnceLock<Vec<LayerTiles>>,
    /// Memory of calls that are over, for the next ones: at most as many as ever ran at once.
    scratch: Mutex<Vec<Scratch>>,
}

/// Finds sections and says what is wrong with them.
struct Finder<'a> {
    container: &'a Container,
}

impl Finder<'_> {
    fn matrix(&self, layer: usize, part: &str, inputs: usize, outputs: usize) -> Result<MatrixPlaces, EmbedError> {
        let rows = inputs * outputs / PANEL;
        let weights = self.container.find(&names::of_layer(layer, part), Encoding::Float32, rows, PANEL)?;
        let bias =
            self.container.find(&names::of_layer(layer, &format!("{part}-bias")), Encoding::Float32, 1, outputs)?;
        Ok(MatrixPlaces { weights, bias, inputs, outputs })
    }

    fn norm(&self, name: &str, hidden: usize) -> Result<Place, EmbedError> {
        self.container.find(name, Encoding::Float32, 2, hidden)
    }
}

impl TransformerModel {
    /// # Errors
    ///
    /// [`EmbedError::Damaged`] when the manifest and the sections do not fit each other.
    pub(crate) fn new(container: Container, kernel: Kernel) -> Result<Self, EmbedError> {
        let manifest = container.manifest();
        let misfit =
            || EmbedError::damaged(container.path(), "its manifest does not describe an encoder that can be run");
        let shape = manifest.encoder.ok_or_else(misfit)?;
        let (hidden, words) = (manifest.dimension, manifest.tokenizer.words);
        let (Some(open), Some(close)) = (manifest.tokenizer.open, manifest.tokenizer.close) else {
            return Err(misfit());
        };
        let known = |token: u32| (token as usize) < words;
        let runs = [hidden, shape.intermediate]
            .iter()
            .all(|width| (1..=1 << 16).contains(width) && width.is_multiple_of(super::WIDTH_MULTIPLE))
            && shape.heads > 0
            && hidden.is_multiple_of(shape.heads)
            && (hidden / shape.heads).is_multiple_of(super::WIDTH_MULTIPLE)
            && [open, close, manifest.tokenizer.unknown].into_iter().all(known);
        if !runs {
            return Err(misfit());
        }
        let wants_tiles = kernel == Kernel::Amx;
        let finder = Finder { container: &container };
        let layers = (0..shape.layers)
            .map(|layer| {
                Ok(LayerPlaces {
                    projections: finder.matrix(layer, names::PROJECTIONS, hidden, 3 * hidden)?,
                    attention_out: finder.matrix(layer, names::ATTENTION_OUT, hidden, hidden)?,
                    attention_norm: finder.norm(&names::of_layer(layer, names::ATTENTION_NORM), hidden)?,
                    up: finder.matrix(layer, names::UP, hidden, shape.intermediate)?,
                    down: finder.matrix(layer, names::DOWN, shape.intermediate, hidden)?,
                    out_norm: finder.norm(&names::of_layer(layer, names::OUT_NORM), hidden)?,
                })
            })
            .collect::<Result<_, EmbedError>>()?;
        let positions = container.find_any_rows(names::POSITIONS, Encoding::Float32, hidden)?;
        if !(3..=positions.rows).contains(&manifest.sequence_limit) {
            return Err(misfit());
        }
        Ok(Self {
            shape,
            open,
            close,
            vocabulary: VocabularyPlaces::find(&container, words)?,
            words: container.find(names::WORDS, Encoding::Float16, words, hidden)?,
            positions,
            embedding_norm: finder.norm(names::EMBEDDING_NORM, hidden)?,
            layers,
            operations: Operations::of(kernel),
            query_operations: Operations::of(if wants_tiles { Kernel::Avx512 } else { kernel }),
            wants_tiles,
            tiles: OnceLock::new(),
            scratch: Mutex::new(Vec::new()),
            container,
        })
    }

    /// The weights in tiles, when this kernel uses them for that role.
    #[cfg(target_arch = "x86_64")]
    fn tiles(&self, role: Role) -> Option<&[LayerTiles]> {
        let lay_out = |places: MatrixPlaces| {
            super::amx::tiles(self.container.numbers(places.weights), places.inputs, places.outputs)
        };
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
    fn tiles(&self, _role: Role) -> Option<&[LayerTiles]> {
        None
    }

    /// The weights as they lie in the mapping, with tiles where this kernel uses them for that role.
    fn encoder<'a>(&'a self, role: Role) -> Encoder<'a> {
        let all_tiles = self.tiles(role);
        let matrix = |places: MatrixPlaces, tiles: Option<&'a Vec<u16>>| Matrix {
            weights: self.container.numbers(places.weights),
            tiles: tiles.map(Vec::as_slice),
            bias: self.container.numbers(places.bias),
            inputs: places.inputs,
            outputs: places.outputs,
        };
        Encoder {
            hidden: self.container.manifest().dimension,
            heads: self.shape.heads,
            epsilon: self.shape.layer_norm_epsilon,
            pooling: self.container.manifest().pooling,
            words: self.container.numbers(self.words),
            positions: self.container.numbers(self.positions),
            embedding_norm: self.container.numbers(self.embedding_norm),
            layers: self
                .layers
                .iter()
                .enumerate()
                .map(|(index, places)| (places, all_tiles.and_then(|tiles| tiles.get(index))))
                .map(|(places, tiles)| Layer {
                    projections: matrix(places.projections, tiles.map(|tiles| &tiles.projections)),
                    attention_out: matrix(places.attention_out, tiles.map(|tiles| &tiles.attention_out)),
                    attention_norm: self.container.numbers(places.attention_norm),
                    up: matrix(places.up, tiles.map(|tiles| &tiles.up)),
                    down: matrix(places.down, tiles.map(|tiles| &tiles.down)),
                    out_norm: self.container.numbers(places.out_norm),
                })
                .collect(),
            operations: match role {
                Role::Passage => self.operations,
                Role::Query => self.query_operations,
            },
        }
    }

    fn embed(&self, role: Role, prefix: &str, texts: &[&str]) -> Vec<Result<Vec<f32>, EmbedError>> {
        let manifest = self.container.manifest();
        let vocabulary = self.vocabulary.of(&self.container, manifest.tokenizer.longest_word_bytes);
        let tokenizer = WordPiece::new(vocabulary, manifest.tokenizer.unknown);
        let mut results: Vec<Result<Vec<f32>, EmbedError>> = Vec::with_capacity(texts.len());
        results.resize_with(texts.len(), || Err(EmbedError::NothingToEmbed));
        // All sequences end to end, and where each begins and ends: no allocation a text.
        let mut tokens = Vec::new();
        let mut sequences = Vec::with_capacity(texts.len());
        for (index, text) in texts.iter().enumerate() {
            let start = tokens.len();
            tokens.push(self.open);
            tokenizer.encode(&with_prefix(prefix, text), manifest.sequence_limit - 2, &mut tokens);
            // A prefix alone is no text either.
            if tokens.len() == start + 1 || text.trim().is_empty() {
                tokens.truncate(start);
                continue;
            }
            tokens.push(self.close);
            sequences.push((index, start..tokens.len()));
        }
        sequences.sort_by_key(|(_, range)| range.len());

        let encoder = self.encoder(role);
        let mut scratch = self.scratch.lock().map(|mut kept| kept.pop()).ok().flatten().unwrap_or_default();
        let mut rest = &sequences[..];
        while !rest.is_empty() {
            let mut total = 0;
            let fitting = rest.iter().take_while(|(_, range)| {
                total += range.len();
                total <= BATCH_TOKENS
            });
            let (batch, later) = rest.split_at(fitting.count().max(1));
            let batch_tokens: Vec<&[u32]> = batch.iter().map(|(_, range)| &tokens[range.clone()]).collect();
            for ((index, _), vector) in batch.iter().zip(encoder.run(&batch_tokens, &mut scratch)) {
                results[*index] = to_unit_length(vector)
                    .ok_or_else(|| EmbedError::damaged(self.container.path(), "its weights lead to no finite vector"));
            }
            rest = later;
        }
        if let Ok(mut kept) = self.scratch.lock() {
            kept.push(scratch);
        }
        results
    }
}

impl Embedder for TransformerModel {
    fn spec(&self) -> &ModelManifest {
        self.container.manifest()
    }

    fn embed_passages(&self, texts: &[&str]) -> Vec<Result<Vec<f32>, EmbedError>> {
        self.embed(Role::Passage, &self.spec().passage_prefix, texts)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.embed(Role::Query, &self.spec().query_prefix, &[text]).pop().unwrap_or(Err(EmbedError::NothingToEmbed))
    }
}
