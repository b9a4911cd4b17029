//! The plain data that crosses the store's border.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use bethink_core::{
    ContentHash, ContentId, DocumentId, Epoch, Fence, Format, Locator, Mark, ModelId, Passage, PassageId, PassageKey,
    Problem, ProblemKind, RootId, Sequence, UnixMillis,
};

/// Random identity of one database file, made when it was created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StoreId(pub [u8; 16]);

/// A folder or file that the user asked to have indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Its identity.
    pub id: RootId,
    /// Absolute path.
    pub path: PathBuf,
    /// How it was found at the last walk.
    pub state: RootState,
    /// When it was last walked to the end.
    pub completed: Option<UnixMillis>,
}

/// How a root was found at the last walk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RootState {
    /// Never walked, or the walk has not ended yet.
    #[default]
    Pending,
    /// Walked to the end.
    Complete,
    /// Not there (an unmounted volume, a deleted folder). Its documents are kept.
    Missing,
    /// There, but the system refuses to list it. Its documents are kept.
    Unreadable(String),
}

/// What the file system says of a file, cheap to ask; equal stamps mean "not looked at again".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FileStamp {
    /// Size in bytes.
    pub size_bytes: u64,
    /// Modification time, nanoseconds since the Unix epoch.
    pub modified_ns: i64,
    /// Status-change time, nanoseconds since the Unix epoch; 0 where the platform has none.
    pub changed_ns: i64,
    /// Inode; 0 where the platform has none.
    pub inode: u64,
    /// Device; 0 where the platform has none.
    pub device: u64,
}

impl FileStamp {
    /// Modification time to the millisecond.
    pub fn modified(&self) -> UnixMillis {
        UnixMillis(self.modified_ns.div_euclid(1_000_000))
    }
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Its text is searchable.
    Indexed,
    /// It has no text for us, for a reason that is nobody's fault (binary, empty, image only).
    Skipped {
        /// The reason's kind, which counts go by.
        kind: ProblemKind,
        /// One sentence for the user.
        detail: String,
    },
    /// It should have text, and reading it failed.
    Failed {
        /// The reason's kind, which counts go by.
        kind: ProblemKind,
        /// One sentence for the user.
        detail: String,
    },
}

/// One path under a root, as the index knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRecord {
    /// Its identity, kept over edits and moves.
    pub id: DocumentId,
    /// The root that it is under.
    pub root: RootId,
    /// Absolute path, byte for byte.
    pub path: PathBuf,
    /// The stamp when it was last read.
    pub stamp: FileStamp,
    /// BLAKE3 of the bytes when last read; `None` where they could not be read.
    pub hash: Option<ContentHash>,
    /// Its text, if it has one.
    pub content: Option<ContentId>,
    /// What became of it.
    pub outcome: Outcome,
}

/// One distinct text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentRecord {
    /// Its identity.
    pub id: ContentId,
    /// BLAKE3 of the bytes that it was read from.
    pub hash: ContentHash,
    /// How the bytes were read.
    pub format: Format,
    /// The source's own title.
    pub title: Option<String>,
    /// Lines of the extracted text.
    pub lines: u32,
    /// Bytes of the extracted text.
    pub text_bytes: u64,
    /// Number of passages.
    pub passages: u32,
    /// What extraction met and survived.
    pub problems: Vec<Problem>,
}

/// One passage with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassageRecord {
    /// Its identity.
    pub id: PassageId,
    /// The text that it belongs to.
    pub content: ContentId,
    /// Position among the content's passages, from 0.
    pub ordinal: u32,
    /// Content-derived identity.
    pub key: PassageKey,
    /// Byte range in the extracted text.
    pub range: Range<usize>,
    /// First line, from 1.
    pub line: u32,
    /// Headings above it, outermost first.
    pub heading: Vec<String>,
    /// Where it starts in the source.
    pub locator: Locator,
    /// Places that begin inside it, counted from its own start.
    pub marks: Vec<Mark>,
    /// The text of the range.
    pub text: String,
}

/// A text to be stored. `passages` tile `text`; a store refuses a batch where they do not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContent {
    /// How the bytes were read.
    pub format: Format,
    /// The source's own title.
    pub title: Option<String>,
    /// The extracted text.
    pub text: String,
    /// Its passages, in order.
    pub passages: Vec<Passage>,
    /// What extraction met and survived.
    pub problems: Vec<Problem>,
    /// Version of the extractor that read it.
    pub extractor_version: u32,
    /// Version of the cutter that cut it.
    pub cutter_version: u32,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    /// The root that it is under.
    pub root: RootId,
    /// Absolute path.
    pub path: PathBuf,
    /// Its stamp, taken before the bytes were read.
    pub stamp: FileStamp,
    /// BLAKE3 of the bytes, `None` where they could not be read.
    pub hash: Option<ContentHash>,
    /// What its bytes say.
    pub reading: Reading,
}

/// What reading a file gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// Text. If the store already holds a content of that hash, format and versions, it is shared.
    Text(NewContent),
    /// The bytes are known already: a copy of, or the same as, this content.
    Known(ContentId),
    /// No text, for a reason that is nobody's fault.
    Skipped {
        /// The reason's kind.
        kind: ProblemKind,
        /// One sentence for the user.
        detail: String,
    },
    /// Reading failed. The document keeps its earlier content if it has one and `keep_earlier`.
    Failed {
        /// The reason's kind.
        kind: ProblemKind,
        /// One sentence for the user.
        detail: String,
        /// Whether earlier text stays searchable (a passing trouble: permission, too many files
        /// open) or goes (the new bytes are broken).
        keep_earlier: bool,
    },
}

/// A known document found at a new path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The document.
    pub document: DocumentId,
    /// The root that it is under now.
    pub root: RootId,
    /// Its new absolute path.
    pub path: PathBuf,
    /// Its stamp at the new path.
    pub stamp: FileStamp,
}

/// A known document whose stamp moved while its bytes stayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restamp {
    /// The document.
    pub document: DocumentId,
    /// The new stamp.
    pub stamp: FileStamp,
}

/// Everything that one transaction changes. Applied in the order: moves, restamps, publications,
/// removals.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Batch {
    /// Documents that moved.
    pub moves: Vec<Move>,
    /// Documents whose stamp moved.
    pub restamps: Vec<Restamp>,
    /// Files that were read.
    pub publications: Vec<Publication>,
    /// Documents whose files are gone.
    pub removals: Vec<DocumentId>,
}

/// What a batch did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The newest change after the batch.
    pub sequence: Sequence,
    /// Contents that are new.
    pub contents_added: Vec<ContentId>,
    /// Contents that are gone.
    pub contents_removed: Vec<ContentId>,
    /// Passages that took over a vector from an equal passage, so that nothing is embedded again.
    pub vectors_reused: u64,
}

/// Which entity changed. A consumer looks its present state up: live means index it (again), not
/// live means delete it. Replaying a change twice is harmless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Changed {
    /// A text appeared or went, with its passages.
    Content(ContentId),
    /// A path appeared, moved, got other bytes, or went.
    Document(DocumentId),
}

/// One entry of the log of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Its position.
    pub sequence: Sequence,
    /// What changed.
    pub changed: Changed,
}

/// Whether a model covers everything at once or sharpens in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Token vectors averaged: microseconds a passage.
    Static,
    /// A transformer: milliseconds a passage.
    Transformer,
}

/// A model whose vectors the store keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSpec {
    /// Its identity.
    pub id: ModelId,
    /// Its tier.
    pub tier: Tier,
    /// Numbers in a vector.
    pub dimension: u32,
}

/// A passage that waits for its vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingTask {
    /// The passage.
    pub passage: PassageId,
    /// Its content-derived identity; publishing succeeds only while it is unchanged.
    pub key: PassageKey,
    /// The title of its text.
    pub title: Option<String>,
    /// Headings above it.
    pub heading: Vec<String>,
    /// Its text.
    pub text: String,
}

/// A bounded number of tasks, held until `expires` against everybody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingClaim {
    /// The model they are for.
    pub model: ModelId,
    /// The claim's token; a later claim on the same passages has a larger one.
    pub fence: Fence,
    /// When others may take the tasks over.
    pub expires: UnixMillis,
    /// The tasks, most urgent first: what was changed or hastened last.
    pub tasks: Vec<EmbeddingTask>,
}

/// A vector for a claimed passage. Rows are unit length, `dimension` numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct NewVector {
    /// The passage.
    pub passage: PassageId,
    /// Its content-derived identity, as claimed.
    pub key: PassageKey,
    /// The vector, or why there can be none (the task then leaves the queue for good).
    pub vector: Result<Vec<f32>, String>,
}

/// A stored vector, half precision widened to f32.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorRecord {
    /// Its position among the model's vectors; grows with each publication.
    pub sequence: Sequence,
    /// The passage.
    pub passage: PassageId,
    /// The content that it belongs to.
    pub content: ContentId,
    /// The numbers, unit length.
    pub vector: Vec<f32>,
}

/// How far a model has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierProgress {
    /// The model.
    pub model: ModelSpec,
    /// Passages with a vector.
    pub done: u64,
    /// Passages that wait for one.
    pub pending: u64,
    /// Passages that can have none.
    pub failed: u64,
}

/// How many documents there are: what every answer tells, so it must cost next to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DocumentCounts {
    /// Documents known, whatever their outcome.
    pub documents: u64,
    /// Documents with searchable text.
    pub indexed: u64,
    /// Documents whose reading failed.
    pub failed: u64,
}

/// Counts over the whole index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Documents known, whatever their outcome.
    pub documents: u64,
    /// Documents with searchable text.
    pub indexed: u64,
    /// Documents without text, by reason.
    pub skipped: Vec<(ProblemKind, u64)>,
    /// Documents whose reading failed, by reason.
    pub failed: Vec<(ProblemKind, u64)>,
    /// Distinct texts.
    pub contents: u64,
    /// Passages.
    pub passages: u64,
    /// Bytes of extracted text.
    pub text_bytes: u64,
    /// Bytes of the database on disk.
    pub database_bytes: u64,
    /// The policy epoch that rows are current under.
    pub epoch: Option<Epoch>,
}

/// What forgetting a root removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Forgotten {
    /// Documents that went.
    pub documents: u64,
    /// Contents that went with them.
    pub contents: u64,
}

/// How long a claim holds by default: long enough for a batch on a slow machine, short enough that
/// a killed worker's batch is taken over while the user still watches.
pub const DEFAULT_LEASE: Duration = Duration::from_secs(60);
