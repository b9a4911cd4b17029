//! Documents that have no file: their text is given. They are cut, published and found like all others.

use std::path::PathBuf;
use std::time::Duration;

use bethink_core::{Clock, ContentHash, Extracted, RootId, UnixMillis};
use bethink_embed::Embedder;
use bethink_extract::Extraction;
use bethink_store::{Batch, FileStamp, IndexWriter, Publication};

use crate::error::Result;
use crate::extracting::cut_reading;
use crate::progress::Silent;
use crate::sharpen::{SharpenOptions, embed};
use crate::stop::Stop;

/// One text and where it is to be found.
#[derive(Debug, Clone)]
pub struct GivenText {
    /// Its path, under a root that is no folder.
    pub path: PathBuf,
    /// When it last changed.
    pub modified: UnixMillis,
    /// What tells it from every other text. Not the hash of any file's bytes, or a file of the same text
    /// would be taken for this document at a new place.
    pub hash: ContentHash,
    /// The text.
    pub extracted: Extracted,
    /// Differs whenever the same thing would give another text.
    pub version: u32,
}

/// Publishes texts and removes what lies at or under the paths in `gone` and is not among them, in one
/// transaction. Publishing what is there already changes nothing.
///
/// # Errors
/// A failure of the data plane.
pub fn publish_given(store: &mut dyn IndexWriter, root: RootId, given: Vec<GivenText>, gone: &[PathBuf]) -> Result<()> {
    let mut batch = Batch::default();
    for folder in gone {
        let known = store.documents_under(Some(folder), None, usize::MAX)?;
        let stays = |path: &PathBuf| given.iter().any(|text| text.path == *path);
        batch.removals.extend(known.into_iter().filter(|known| !stays(&known.path)).map(|known| known.id));
    }
    for GivenText { path, modified, hash, extracted, version } in given {
        let stamp = FileStamp {
            size_bytes: extracted.text.len() as u64,
            modified_ns: modified.0.saturating_mul(1_000_000),
            ..FileStamp::default()
        };
        let reading = cut_reading(Extraction::Text(extracted), version);
        batch.publications.push(Publication { root, path, stamp, hash: Some(hash), reading });
    }
    store.apply(&batch)?;
    Ok(())
}

/// Gives what waits for this model its vectors, on the calling thread, within a budget; how many got one.
/// Touches no cache and waits for nobody.
///
/// # Errors
/// A failure of the data plane.
pub fn embed_at_once(
    store: &mut dyn IndexWriter,
    embedder: &dyn Embedder,
    budget: Option<Duration>,
    clock: &dyn Clock,
) -> Result<u64> {
    let options = SharpenOptions { threads: 1, budget, processor_percent: None };
    Ok(embed(store, embedder, &options, clock, None, false, &Silent, &Stop::new())?.embedded)
}
