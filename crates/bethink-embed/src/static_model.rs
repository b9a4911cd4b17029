//! The static tier: a text's vector is the mean of its words' vectors.
//!
//! What model2vec does: tokens without opening and closing one, unknown words left out, the mean,
//! unit length. A text of which no word is known has no vector.

use crate::container::{Container, Encoding, Place};
use crate::embedder::{to_unit_length, with_prefix};
use crate::wordpiece::{VocabularyPlaces, WordPiece};
use crate::{EmbedError, Embedder, ModelManifest};

/// Section of the table: a row of signed bytes for every token.
pub(crate) const ROWS: &str = "rows";
/// Section of the numbers that the rows are multiplied by.
pub(crate) const SCALES: &str = "scales";

pub(crate) struct StaticModel {
    container: Container,
    vocabulary: VocabularyPlaces,
    rows: Place,
    scales: Place,
}

impl StaticModel {
    pub(crate) fn new(container: Container) -> Result<Self, EmbedError> {
        let manifest = container.manifest();
        let words = manifest.tokenizer.words;
        if manifest.dimension == 0 {
            return Err(EmbedError::damaged(container.path(), "its vectors have no numbers"));
        }
        Ok(Self {
            vocabulary: VocabularyPlaces::find(&container, words)?,
            rows: container.find(ROWS, Encoding::Int8, words, manifest.dimension)?,
            scales: container.find(SCALES, Encoding::Float32, words, 1)?,
            container,
        })
    }

    fn embed(&self, prefix: &str, text: &str, tokens: &mut Vec<u32>) -> Result<Vec<f32>, EmbedError> {
        let manifest = self.container.manifest();
        let unknown = manifest.tokenizer.unknown;
        let vocabulary = self.vocabulary.of(&self.container, manifest.tokenizer.longest_word_bytes);
        tokens.clear();
        WordPiece::new(vocabulary, unknown).encode(&with_prefix(prefix, text), manifest.sequence_limit, tokens);
        let rows: &[i8] = self.container.numbers(self.rows);
        let scales: &[f32] = self.container.numbers(self.scales);
        // The mean and the sum have one direction.
        let mut sum = vec![0.0f32; manifest.dimension];
        for token in tokens.iter().filter(|token| **token != unknown) {
            let token = *token as usize;
            let (Some(row), Some(scale)) = (rows.get(token * sum.len()..(token + 1) * sum.len()), scales.get(token))
            else {
                continue;
            };
            add_row(&mut sum, row, *scale);
        }
        to_unit_length(sum).ok_or(EmbedError::NothingToEmbed)
    }
}

fn add_row(sum: &mut [f32], row: &[i8], scale: f32) {
    for (number, quantum) in sum.iter_mut().zip(row) {
        *number += f32::from(*quantum) * scale;
    }
}

impl Embedder for StaticModel {
    fn spec(&self) -> &ModelManifest {
        self.container.manifest()
    }

    fn embed_passages(&self, texts: &[&str]) -> Vec<Result<Vec<f32>, EmbedError>> {
        let prefix = &self.spec().passage_prefix;
        let mut tokens = Vec::new();
        texts.iter().map(|text| self.embed(prefix, text, &mut tokens)).collect()
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.embed(&self.spec().query_prefix, text, &mut Vec::new())
    }
}
