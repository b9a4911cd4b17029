//! What can go wrong in the data plane, named for what it means to the caller.

use std::path::PathBuf;

use bethink_core::{ContentId, ModelId, RootId};

/// A result of the data plane.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database file could not be opened or created.
    #[error("cannot open the index at {path}: {source}")]
    Open {
        /// The database file.
        path: PathBuf,
        /// The database's own words.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The database was written by a newer bethink.
    #[error("the index at {path} has schema version {found}, this bethink knows up to {known}")]
    Newer {
        /// The database file.
        path: PathBuf,
        /// Version in the file.
        found: u32,
        /// Newest version known here.
        known: u32,
    },
    /// Another process held the database for longer than the busy timeout.
    #[error("the index is busy: another process has been writing for more than {waited_secs} seconds")]
    Busy {
        /// How long was waited, in seconds.
        waited_secs: u64,
    },
    /// The disk is full.
    #[error("no room left on the disk that holds the index")]
    DiskFull,
    /// The database file is damaged. It is derived, so it can be deleted and rebuilt.
    #[error("the index at {path} is damaged: {detail}")]
    Damaged {
        /// The database file.
        path: PathBuf,
        /// What the database says of it.
        detail: String,
    },
    /// A claim was superseded, or what it was for has changed; nothing was published.
    #[error("the claim was superseded; nothing was published")]
    Superseded,
    /// A publication's passages do not tile its text. Nothing of the batch was applied.
    #[error("the passages of {path} do not tile its text: {detail}")]
    Untiled {
        /// The file that the publication is of.
        path: PathBuf,
        /// Where the tiling breaks, in offsets, without the text.
        detail: String,
    },
    /// A publication says something that no store can hold. Nothing of the batch was applied.
    #[error("cannot store {path}: {detail}")]
    Unstorable {
        /// The file that the publication is of.
        path: PathBuf,
        /// Why not.
        detail: &'static str,
    },
    /// A publication names a content that is gone, because another process removed its last
    /// document meanwhile. Nothing of the batch was applied; read the file again.
    #[error("content {0} is gone; its file has to be read again")]
    UnknownContent(ContentId),
    /// A root was never added, or was forgotten meanwhile. Nothing was changed.
    #[error("root {0} is not in the index")]
    UnknownRoot(RootId),
    /// A model was never registered, or was forgotten meanwhile.
    #[error("model {0} is not registered in the index")]
    UnknownModel(ModelId),
    /// A model or vector has another dimension than the registered model of that identity.
    #[error("model {model} is registered with dimension {known}, not {found}")]
    Dimension {
        /// The model.
        model: ModelId,
        /// Dimension that it is registered with.
        known: u32,
        /// Dimension that was given.
        found: u32,
    },
    /// Any other failure of the database.
    #[error("the index failed while it {doing}: {source}")]
    Failed {
        /// What was being done, as "published a batch".
        doing: &'static str,
        /// The database's own words.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
