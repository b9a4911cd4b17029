//! Models: `bethink models list --json`.

use bethink_engine::{ModelStatus, ModelTier};
use schemars::JsonSchema;
use serde::Serialize;

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Model {
    /// Always `model`.
    #[serde(rename = "type")]
    pub object: &'static str,
    /// Its name.
    pub name: String,
    /// Its identity.
    pub id: String,
    /// `static` or `transformer`.
    pub tier: &'static str,
    /// Numbers in a vector.
    pub dimension: u32,
    /// Tokens that it reads at the most.
    pub sequence_limit: u32,
    /// Licence.
    pub licence: String,
    /// Where its weights come from.
    pub source: String,
    /// SHA-256 of the original weights.
    pub weights_sha256: String,
    /// Bytes on disk.
    pub bytes: u64,
}

impl From<&ModelStatus> for Model {
    fn from(model: &ModelStatus) -> Self {
        Self {
            object: "model",
            name: model.name.clone(),
            id: model.id.clone(),
            tier: match model.tier {
                ModelTier::Static => "static",
                ModelTier::Transformer => "transformer",
            },
            dimension: model.dimension,
            sequence_limit: model.sequence_limit,
            licence: model.licence.clone(),
            source: model.source.clone(),
            weights_sha256: model.weights_sha256.clone(),
            bytes: model.size_bytes,
        }
    }
}
