//! The models that a home has.

/// Whether a model covers everything or sharpens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ModelTier {
    /// Token vectors averaged.
    Static,
    /// A transformer.
    Transformer,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelStatus {
    /// Its name.
    pub name: String,
    /// Its identity.
    pub id: String,
    /// Its tier.
    pub tier: ModelTier,
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

/// The models folder, opened lazily.
#[derive(Debug)]
pub struct ModelShelf;
