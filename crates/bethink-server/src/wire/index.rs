//! What indexing reports while it runs and when it ends: `bethink index --json`.

use schemars::JsonSchema;
use serde::Serialize;

use super::ask::millis;
use super::path::text;

/// A reason and how often it was met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counted {
    /// The reason's kind.
    pub reason: String,
    /// How often.
    pub count: u64,
}

impl Counted {
    /// Pairs of the engine as objects, in their order.
    pub(crate) fn list(pairs: &[(String, u64)]) -> Vec<Self> {
        pairs.iter().map(|(reason, count)| Self { reason: reason.clone(), count: *count }).collect()
    }
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IndexEvent {
    /// Always `event`.
    #[serde(rename = "type")]
    pub object: &'static str,
    /// `waiting`, `walked`, `file`, `committed`, `embedded`.
    pub event: &'static str,
    /// The file that is being read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Files so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Whether the walk has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub walk_done: Option<bool>,
    /// Passages so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passages: Option<u64>,
    /// Bytes read so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// `static` or `transformer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<&'static str>,
    /// Passages embedded so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<u64>,
    /// Passages that wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<u64>,
}

impl From<&bethink_engine::IndexEvent> for IndexEvent {
    fn from(event: &bethink_engine::IndexEvent) -> Self {
        let named = |event| Self {
            object: "event",
            event,
            path: None,
            files: None,
            walk_done: None,
            passages: None,
            bytes: None,
            tier: None,
            done: None,
            pending: None,
        };
        match event {
            bethink_engine::IndexEvent::Waiting => named("waiting"),
            bethink_engine::IndexEvent::Walked { files, done } => {
                Self { files: Some(*files), walk_done: Some(*done), ..named("walked") }
            }
            bethink_engine::IndexEvent::File { path } => Self { path: Some(text(path)), ..named("file") },
            bethink_engine::IndexEvent::Committed { files, passages, bytes } => {
                Self { files: Some(*files), passages: Some(*passages), bytes: Some(*bytes), ..named("committed") }
            }
            bethink_engine::IndexEvent::Embedded { tier, done, pending } => {
                Self { tier: Some(tier), done: Some(*done), pending: Some(*pending), ..named("embedded") }
            }
        }
    }
}

/// How a root was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RootOutcome {
    /// Its path.
    pub path: String,
    /// `complete`, `missing`, `unreadable`, `interrupted`.
    pub state: String,
    /// Files under it that were looked at.
    pub files: u64,
    /// A sentence where there is something to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What indexing did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IndexSummary {
    /// Always `summary`.
    #[serde(rename = "type")]
    pub object: &'static str,
    /// Roots.
    pub roots: Vec<RootOutcome>,
    /// Files whose text was read and published.
    pub indexed: u64,
    /// Files whose bytes are as they were.
    pub unchanged: u64,
    /// Files that were found at a new path.
    pub moved: u64,
    /// Files that are gone.
    pub removed: u64,
    /// Files without text, and paths left out, by reason.
    pub skipped: Vec<Counted>,
    /// Files whose reading failed, by reason.
    pub failed: Vec<Counted>,
    /// Passages published.
    pub passages: u64,
    /// Passages embedded.
    pub embedded: u64,
    /// Passages that still wait for the transformer.
    pub pending: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// Sentences that the reader should know.
    pub notes: Vec<String>,
    /// Wall time in milliseconds.
    pub elapsed_ms: u64,
}

impl From<&bethink_engine::IndexSummary> for IndexSummary {
    fn from(summary: &bethink_engine::IndexSummary) -> Self {
        Self {
            object: "summary",
            roots: summary
                .roots
                .iter()
                .map(|root| RootOutcome {
                    path: text(&root.path),
                    state: root.state.to_owned(),
                    files: root.files,
                    note: root.note.clone(),
                })
                .collect(),
            indexed: summary.indexed,
            unchanged: summary.unchanged,
            moved: summary.moved,
            removed: summary.removed,
            skipped: Counted::list(&summary.skipped),
            failed: Counted::list(&summary.failed),
            passages: summary.passages,
            embedded: summary.embedded,
            pending: summary.pending,
            bytes: summary.bytes,
            interrupted: summary.interrupted,
            notes: summary.notes.clone(),
            elapsed_ms: millis(summary.elapsed),
        }
    }
}

/// What forgetting a root removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Forgotten {
    /// Always `forgotten`.
    #[serde(rename = "type")]
    pub object: &'static str,
    /// The root.
    pub path: String,
    /// Documents that went.
    pub documents: u64,
}

impl From<&bethink_engine::ForgetSummary> for Forgotten {
    fn from(summary: &bethink_engine::ForgetSummary) -> Self {
        Self { object: "forgotten", path: text(&summary.path), documents: summary.documents }
    }
}
