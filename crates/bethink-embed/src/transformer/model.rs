//! An encoder in its container, as an embedder.

use std::sync::Mutex;

use super::buffer::Scratch;
use super::forward::{self, Frame};
use super::names;
use super::quantised::{self, QuantisedLayers};
use super::single::SingleLayers;
use crate::container::{Container, Encoding, Place};
use crate::embedder::{to_unit_length, with_prefix};
use crate::wordpiece::{VocabularyPlaces, WordPiece};
use crate::{EmbedError, Embedder, EncoderShape, Kernel, ModelManifest, Numerics};

/// Tokens that go through the layers together. More share each reading of the weights; fewer keep the
/// activations (14 KB a token for MiniLM) in the second- and third-level cache.
const BATCH_TOKENS: usize = 512;

/// What a text is to the model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
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
    layers: Layers,
    /// Memory of calls that are over, for the next ones: at most as many as ever ran at once.
    scratch: Mutex<Vec<Scratch>>,
}

/// The layers, in one class of numerics.
enum Layers {
    Single(SingleLayers),
    Quantised(QuantisedLayers),
}

/// An encoder that is ready to run.
enum Encoder<'a> {
    Single(forward::Encoder<'a>),
    Quantised(quantised::Encoder<'a>),
}

impl Encoder<'_> {
    fn run(&self, sequences: &[&[u32]], scratch: &mut Scratch) -> Vec<Vec<f32>> {
        match self {
            Self::Single(encoder) => encoder.run(sequences, scratch),
            Self::Quantised(encoder) => encoder.run(sequences, scratch),
        }
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
        let layers = match manifest.numerics {
            Numerics::Float32 => Layers::Single(SingleLayers::find(&container, &shape, hidden, kernel)?),
            Numerics::Int8 => Layers::Quantised(QuantisedLayers::find(&container, &shape, hidden, kernel)?),
            Numerics::Int8Rows => return Err(misfit()),
        };
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
            embedding_norm: container.find(names::EMBEDDING_NORM, Encoding::Float32, 2, hidden)?,
            layers,
            scratch: Mutex::new(Vec::new()),
            container,
        })
    }

    /// What texts go in by and vectors come out by, as it lies in the mapping.
    fn frame(&self) -> Frame<'_> {
        let manifest = self.container.manifest();
        Frame {
            hidden: manifest.dimension,
            heads: self.shape.heads,
            epsilon: self.shape.layer_norm_epsilon,
            pooling: manifest.pooling,
            words: self.container.numbers(self.words),
            positions: self.container.numbers(self.positions),
            embedding_norm: self.container.numbers(self.embedding_norm),
        }
    }

    /// The weights as they lie in the mapping.
    fn encoder(&self, role: Role) -> Encoder<'_> {
        let frame = self.frame();
        match &self.layers {
            Layers::Single(layers) => Encoder::Single(layers.encoder(&self.container, frame, role)),
            Layers::Quantised(layers) => Encoder::Quantised(layers.encoder(&self.container, frame)),
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
