//! A model without weights: the words of a text hashed into a vector, so that texts with the same words
//! are near each other, always in the same way, in microseconds.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use bethink_core::ModelId;
use bethink_embed::{EmbedError, Embedder, ModelManifest, ModelSource, Numerics, Pooling, Tier, TokenizerSettings};

/// A deterministic embedder that counts what it is asked for.
#[derive(Debug)]
pub struct HashEmbedder {
    manifest: ModelManifest,
    embedded: AtomicU64,
    texts: Mutex<HashSet<String>>,
}

impl HashEmbedder {
    /// An embedder that says it is of this tier, with vectors of so many numbers. The same arguments
    /// give the same model.
    pub fn new(tier: Tier, dimension: usize) -> Self {
        let mut manifest = ModelManifest {
            id: ModelId(String::new()),
            name: "words-hashed".to_owned(),
            tier,
            dimension,
            sequence_limit: 256,
            pooling: Pooling::Mean,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            numerics: Numerics::Float32,
            licence: "MIT OR Apache-2.0".to_owned(),
            source: ModelSource::default(),
            vocabulary_hash: String::new(),
            tokenizer: TokenizerSettings { words: 0, longest_word_bytes: 0, unknown: 0, open: None, close: None },
            encoder: None,
        };
        manifest.id = manifest.derive_id();
        Self { manifest, embedded: AtomicU64::new(0), texts: Mutex::default() }
    }

    /// A static model of 32 numbers.
    pub fn of_words() -> Self {
        Self::new(Tier::Static, 32)
    }

    /// Passages embedded since it was made.
    pub fn embedded(&self) -> u64 {
        self.embedded.load(Ordering::Relaxed)
    }

    /// Whether it was ever asked for a passage that contains these words.
    pub fn was_asked_for(&self, words: &str) -> bool {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|text| text.contains(words))
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vector = vec![0.0f32; self.manifest.dimension];
        let lower = text.to_lowercase();
        for word in lower.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let hash = blake3::hash(word.as_bytes());
            let bytes = hash.as_bytes();
            let place = usize::from(u16::from_le_bytes([bytes[0], bytes[1]])) % vector.len();
            vector[place] += if bytes[2] & 1 == 0 { 1.0 } else { -1.0 };
        }
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        if length == 0.0 {
            return Err(EmbedError::NothingToEmbed);
        }
        vector.iter_mut().for_each(|number| *number /= length);
        Ok(vector)
    }
}

impl Embedder for HashEmbedder {
    fn spec(&self) -> &ModelManifest {
        &self.manifest
    }

    fn embed_passages(&self, texts: &[&str]) -> Vec<Result<Vec<f32>, EmbedError>> {
        self.embedded.fetch_add(texts.len() as u64, Ordering::Relaxed);
        let mut seen = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        seen.extend(texts.iter().map(|text| (*text).to_owned()));
        texts.iter().map(|text| self.embed(text)).collect()
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.embed(text)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_same_words_give_the_same_direction() {
        let model = HashEmbedder::of_words();
        let vectors = model.embed_passages(&["Tram to Lisbon", "to lisbon, TRAM", "heat sink", "..."]);
        let cosine = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
        let first = vectors[0].as_ref().unwrap();
        assert!((cosine(first, vectors[1].as_ref().unwrap()) - 1.0).abs() < 1e-6);
        assert!(cosine(first, vectors[2].as_ref().unwrap()) < 0.9);
        assert!(vectors[3].is_err());
        assert_eq!(model.embedded(), 4);
        assert!(model.was_asked_for("heat sink"));
    }
}
