//! What can go wrong, in terms of what was asked for.

use std::path::PathBuf;

use bethink_embed::EmbedError;
use bethink_index::IndexError;
use bethink_ingest::IngestError;
use bethink_search::SearchError;
use bethink_store::StoreError;

/// A result of the engine.
pub type Result<T> = std::result::Result<T, EngineError>;

/// Why a request could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The question has no words.
    #[error("nothing was asked")]
    EmptyQuestion,
    /// Nothing has been indexed yet.
    #[error("nothing is indexed yet")]
    NothingIndexed,
    /// A path that was named is not there.
    #[error("{path} is not there")]
    NoSuchPath {
        /// The path.
        path: PathBuf,
    },
    /// A path that was named exists but is not indexed, so its text is not read out.
    #[error("{path} is not in the index: {reason}")]
    NotIndexed {
        /// The path.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A document that was named by its id is not there (any more).
    #[error("there is no document {id}")]
    NoSuchDocument {
        /// The id.
        id: u64,
    },
    /// A line past the end of the text was asked for.
    #[error("{path} has {lines} lines; line {line} is past its end")]
    NoSuchLine {
        /// The path.
        path: PathBuf,
        /// The line asked for.
        line: u32,
        /// Lines there are.
        lines: u32,
    },
    /// A time phrase was not understood.
    #[error(transparent)]
    TimePhrase(#[from] bethink_text::UnknownTimePhrase),
    /// A kind or extension was not understood.
    #[error("\u{201c}{word}\u{201d} is no kind of file")]
    UnknownKind {
        /// The word.
        word: String,
    },
    /// A word is no kind of event.
    #[error("\u{201c}{word}\u{201d} is no kind of event")]
    UnknownEventKind {
        /// The word.
        word: String,
    },
    /// A moment was not understood.
    #[error("\u{201c}{text}\u{201d} is no moment that is understood")]
    UnknownMoment {
        /// What was said.
        text: String,
    },
    /// No event has that identity.
    #[error("no event has the id {id}")]
    NoSuchEvent {
        /// The identity, as it was given.
        id: String,
    },
    /// A word is no kind of note.
    #[error("\u{201c}{word}\u{201d} is no kind of note")]
    UnknownNoteKind {
        /// The word.
        word: String,
    },
    /// No note has that id or title.
    #[error("there is no note \u{201c}{target}\u{201d}")]
    NoSuchNote {
        /// What was asked for.
        target: String,
    },
    /// Notes of several kinds have that title.
    #[error("\u{201c}{target}\u{201d} may be {}", names.join(", "))]
    SeveralNotes {
        /// What was asked for.
        target: String,
        /// Kind and identity of each.
        names: Vec<String>,
    },
    /// Nobody is known by that name.
    #[error("nobody is known as {name}")]
    NoSuchPerson {
        /// The name.
        name: String,
    },
    /// The memory failed.
    #[error(transparent)]
    Memory(#[from] bethink_memory::MemoryError),
    /// The home folder cannot be made or used.
    #[error("cannot use the data folder {path}: {source}")]
    Home {
        /// The folder.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// A file could not be read or written.
    #[error("cannot read {path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// Another process serves this home.
    #[error("another bethink serves {home}{}", .address.as_ref().map(|address| format!(" at {address}")).unwrap_or_default())]
    AlreadyServing {
        /// The data folder.
        home: PathBuf,
        /// Where it can be asked, as far as it has said so.
        address: Option<String>,
    },
    /// The token cannot be trusted.
    #[error("the token in {path} is not used: {reason}")]
    Token {
        /// Its file.
        path: PathBuf,
        /// Why not.
        reason: &'static str,
    },
    /// A library that reads PDF cannot be taken in or used.
    #[error("{path} cannot be used to read PDF: {reason}")]
    PdfEngine {
        /// The library, or the wheel that holds it.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A cache failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The write path failed.
    #[error(transparent)]
    Ingest(IngestError),
    /// A model failed.
    #[error(transparent)]
    Model(#[from] EmbedError),
}

impl EngineError {
    /// Whether the derived database itself is damaged, which building it again mends.
    pub fn is_damaged_index(&self) -> bool {
        matches!(
            self,
            Self::Store(StoreError::Damaged { .. }) | Self::Ingest(IngestError::Store(StoreError::Damaged { .. }))
        )
    }
}

impl From<IngestError> for EngineError {
    fn from(error: IngestError) -> Self {
        match error {
            IngestError::NoSuchRoot { path } => Self::NoSuchPath { path },
            error => Self::Ingest(error),
        }
    }
}

impl From<SearchError> for EngineError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Empty => Self::EmptyQuestion,
            SearchError::Store(error) => Self::Store(error),
            SearchError::Index(error) => Self::Index(error),
            SearchError::Embed(error) => Self::Model(error),
        }
    }
}
