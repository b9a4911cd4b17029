//! What a model says about itself, and the identity that follows from it.
//!
//! Vectors of two models are never compared. What makes two models the same is everything that
//! moves a vector: the weights, the vocabulary, the dimension, the pooling, the sequence limit, the
//! prefixes and the class of numerics. [`ModelManifest::derive_id`] hashes exactly these, so the
//! same model fetched from two packages under two names has one identity, and a model that is
//! re-imported with another sequence limit has a new one.

use bethink_core::ModelId;
use serde::{Deserialize, Serialize};

/// How much work a vector costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// A table of word vectors, averaged: microseconds a passage, coarse.
    Static,
    /// A transformer encoder: tens of milliseconds a passage, fine.
    Transformer,
}

/// How the vectors of a text's tokens become the vector of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pooling {
    /// The mean over all tokens.
    Mean,
    /// The vector of the first token.
    Cls,
}

/// Which vectors may be mixed. Kernels of one class agree to rounding (cosine at least 0.9999), so
/// an index built with one can be queried with another; classes do not mix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Numerics {
    /// Single-precision arithmetic over weights of at least half precision.
    Float32,
    /// Linear layers in integers: weights in eight bits with a scale for each channel, activations in
    /// eight bits with a scale and a zero for each row; single precision between them.
    Int8,
    /// Single-precision arithmetic over rows stored in eight bits with a scale each.
    Int8Rows,
}

impl Numerics {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Float32 => "f32",
            Self::Int8 => "int8",
            Self::Int8Rows => "int8-rows",
        }
    }
}

/// Where the weights came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct ModelSource {
    /// Name of the package, or of the folder or file where there was no package.
    pub package: String,
    /// Version of the package; empty where there was none.
    pub version: String,
    /// Lower-case hexadecimal SHA-256 of the original weights file, byte for byte.
    pub weights_sha256: String,
}

/// How text becomes tokens: the settings of an uncased WordPiece tokenizer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TokenizerSettings {
    /// Number of words in the vocabulary.
    pub words: usize,
    /// Bytes of the longest word, without the mark of a continuation.
    pub longest_word_bytes: usize,
    /// Token of a word that the vocabulary does not know.
    pub unknown: u32,
    /// Token that opens a sequence; unused by static models.
    pub open: Option<u32>,
    /// Token that closes a sequence; unused by static models.
    pub close: Option<u32>,
}

/// The shape of a transformer encoder.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EncoderShape {
    /// Number of layers.
    pub layers: usize,
    /// Attention heads a layer.
    pub heads: usize,
    /// Width of the feed-forward block.
    pub intermediate: usize,
    /// Added to the variance in every layer normalisation.
    pub layer_norm_epsilon: f32,
}

/// What a model says about itself. Read from the head of its container without touching weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelManifest {
    /// Identity: see [`ModelManifest::derive_id`].
    #[serde(with = "model_id_text")]
    pub id: ModelId,
    /// What people call it; also the name of its file.
    pub name: String,
    /// How much work a vector costs.
    pub tier: Tier,
    /// Numbers in a vector.
    pub dimension: usize,
    /// Most tokens of a text that are read, opening and closing token included. What is longer is cut.
    pub sequence_limit: usize,
    /// How token vectors become one.
    pub pooling: Pooling,
    /// Put before every query.
    pub query_prefix: String,
    /// Put before every passage.
    pub passage_prefix: String,
    /// Which vectors may be mixed with this model's.
    pub numerics: Numerics,
    /// Licence of the weights as an SPDX expression, or `unknown`.
    pub licence: String,
    /// Where the weights came from.
    pub source: ModelSource,
    /// Lower-case hexadecimal BLAKE3 over the vocabulary's words in order and the tokenizer settings.
    pub vocabulary_hash: String,
    /// How text becomes tokens.
    pub tokenizer: TokenizerSettings,
    /// Shape of the encoder; `None` for static models.
    pub encoder: Option<EncoderShape>,
}

impl ModelManifest {
    /// The identity that this manifest's other fields give: the class of numerics, the dimension and
    /// the first 16 hexadecimal digits of a BLAKE3 over weights hash, vocabulary hash, tier,
    /// dimension, pooling, sequence limit, both prefixes and class of numerics, separated by zeros.
    #[must_use]
    pub fn derive_id(&self) -> ModelId {
        let mut hasher = blake3::Hasher::new();
        for part in [
            self.source.weights_sha256.as_str(),
            &self.vocabulary_hash,
            match self.tier {
                Tier::Static => "static",
                Tier::Transformer => "transformer",
            },
            &self.dimension.to_string(),
            match self.pooling {
                Pooling::Mean => "mean",
                Pooling::Cls => "cls",
            },
            &self.sequence_limit.to_string(),
            &self.query_prefix,
            &self.passage_prefix,
            self.numerics.name(),
        ] {
            hasher.update(part.as_bytes());
            hasher.update(&[0]);
        }
        let digest = hasher.finalize().to_hex();
        ModelId(format!("{}-{}-{}", self.numerics.name(), self.dimension, &digest[..16]))
    }

    /// Name of the container's file: `NAME.bethink-model`.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.name, crate::FILE_EXTENSION)
    }
}

/// `ModelId` belongs to the vocabulary crate, which knows no wire format; in a manifest it is a string.
mod model_id_text {
    use bethink_core::ModelId;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(id: &ModelId, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&id.0)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ModelId, D::Error> {
        String::deserialize(deserializer).map(ModelId)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn sample() -> ModelManifest {
        let mut manifest = ModelManifest {
            id: ModelId(String::new()),
            name: "sample".into(),
            tier: Tier::Static,
            dimension: 2,
            sequence_limit: 16,
            pooling: Pooling::Mean,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            numerics: Numerics::Int8Rows,
            licence: "MIT".into(),
            source: ModelSource { package: "sample".into(), version: "1".into(), weights_sha256: "00".into() },
            vocabulary_hash: "11".into(),
            tokenizer: TokenizerSettings { words: 1, longest_word_bytes: 5, unknown: 0, open: None, close: None },
            encoder: None,
        };
        manifest.id = manifest.derive_id();
        manifest
    }

    #[test]
    fn identity_follows_what_moves_a_vector_and_nothing_else() {
        let base = sample();
        let same = ModelManifest {
            name: "other".into(),
            licence: "unknown".into(),
            source: ModelSource { package: "elsewhere".into(), version: "2".into(), ..base.source.clone() },
            ..base.clone()
        };
        assert_eq!(base.derive_id(), same.derive_id());
        let moved = [
            ModelManifest { sequence_limit: 17, ..base.clone() },
            ModelManifest { dimension: 3, ..base.clone() },
            ModelManifest { pooling: Pooling::Cls, ..base.clone() },
            ModelManifest { query_prefix: "query: ".into(), ..base.clone() },
            ModelManifest { passage_prefix: "query: ".into(), ..base.clone() },
            ModelManifest { numerics: Numerics::Float32, ..base.clone() },
            ModelManifest { numerics: Numerics::Int8, ..base.clone() },
            ModelManifest { vocabulary_hash: "12".into(), ..base.clone() },
            ModelManifest {
                source: ModelSource { weights_sha256: "01".into(), ..base.source.clone() },
                ..base.clone()
            },
        ];
        let mut ids: Vec<_> = moved.iter().map(ModelManifest::derive_id).collect();
        ids.push(base.derive_id());
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), moved.len() + 1);
    }

    #[test]
    fn survives_its_own_json() {
        let manifest = sample();
        let text = serde_json::to_string(&manifest).unwrap();
        assert_eq!(serde_json::from_str::<ModelManifest>(&text).unwrap(), manifest);
    }
}
