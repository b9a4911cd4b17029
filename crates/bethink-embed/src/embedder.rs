//! The one thing that the rest of bethink knows about models: texts in, unit vectors out.

use std::path::Path;

use crate::container::{Container, read_manifest, verify_file};
use crate::static_model::StaticModel;
use crate::transformer::TransformerModel;
use crate::{EmbedError, Kernel, ModelManifest, Tier};

/// A model that is ready to embed. Easy to implement outside: tests have one that hashes words.
pub trait Embedder: Send + Sync {
    /// What the model says about itself; `spec().id` names its vectors.
    fn spec(&self) -> &ModelManifest;

    /// A vector of unit length for every text, in the order of the texts.
    ///
    /// Works on the calling thread; callers that want more cores call from several. Texts longer than
    /// the sequence limit are cut there. A text's vector does not depend on the other texts.
    fn embed_passages(&self, texts: &[&str]) -> Vec<Result<Vec<f32>, EmbedError>>;

    /// A vector of unit length for a query.
    ///
    /// # Errors
    ///
    /// [`EmbedError::NothingToEmbed`] when the query has no word in it.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;
}

/// Opens a container with the fastest kernel of this processor.
///
/// # Errors
///
/// As [`open_with`], without [`EmbedError::KernelUnavailable`].
pub fn open(path: &Path) -> Result<Box<dyn Embedder>, EmbedError> {
    open_with(path, Kernel::Auto)
}

/// Opens a container: maps it, checks its head and the shapes of its sections, reads no weights.
///
/// # Errors
///
/// [`EmbedError::NotFound`], [`EmbedError::NotAModel`], [`EmbedError::OtherVersion`],
/// [`EmbedError::Damaged`] or [`EmbedError::Io`] about the file; [`EmbedError::KernelUnavailable`] when
/// this processor cannot run the kernel.
pub fn open_with(path: &Path, kernel: Kernel) -> Result<Box<dyn Embedder>, EmbedError> {
    if !kernel.is_available() {
        return Err(EmbedError::KernelUnavailable { kernel });
    }
    let container = Container::open(path)?;
    Ok(match container.manifest().tier {
        Tier::Static => Box::new(StaticModel::new(container)?),
        Tier::Transformer => Box::new(TransformerModel::new(container, kernel.resolve())?),
    })
}

/// What a container says about itself: reads a few kilobytes and checks their hash.
///
/// # Errors
///
/// As [`open`].
pub fn manifest(path: &Path) -> Result<ModelManifest, EmbedError> {
    read_manifest(path)
}

/// Hashes every byte of a container and compares with what was written.
///
/// # Errors
///
/// As [`open`]; [`EmbedError::Damaged`] when a byte of the weights changed.
pub fn verify(path: &Path) -> Result<ModelManifest, EmbedError> {
    verify_file(path)
}

/// Scales to unit length; `None` when there is no direction in the numbers.
pub(crate) fn to_unit_length(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let square: f64 = vector.iter().map(|number| f64::from(*number) * f64::from(*number)).sum();
    if !square.is_finite() || square <= 0.0 {
        return None;
    }
    let factor = 1.0 / square.sqrt();
    vector.iter_mut().for_each(|number| *number = (f64::from(*number) * factor) as f32);
    Some(vector)
}

/// The text with its prefix, without copying when there is none.
pub(crate) fn with_prefix<'a>(prefix: &str, text: &'a str) -> std::borrow::Cow<'a, str> {
    if prefix.is_empty() { text.into() } else { format!("{prefix}{text}").into() }
}
