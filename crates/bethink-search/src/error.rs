//! What can go wrong while answering.

use bethink_embed::EmbedError;
use bethink_index::IndexError;
use bethink_store::StoreError;

/// A result of the read path.
pub type Result<T> = std::result::Result<T, SearchError>;

/// Why a question could not be answered. A channel that is merely absent (no model, no lexicon yet)
/// is no error: the answer's notes say so.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The question has no words.
    #[error("the question is empty")]
    Empty,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A cache failed while it was read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The question could not be embedded.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}
