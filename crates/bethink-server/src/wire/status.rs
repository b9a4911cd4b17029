//! The state of the index: `bethink status`, `index_status`.

use schemars::JsonSchema;
use serde::Serialize;

use super::index::Counted;
use super::moment::rfc3339;
use super::path::text;

/// One root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Root {
    /// Its path.
    pub path: String,
    /// `pending`, `complete`, `missing`, `unreadable`.
    pub state: String,
    /// Documents under it.
    pub documents: u64,
    /// When it was last walked to the end.
    pub completed: Option<String>,
}

/// One model's progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tier {
    /// The model's name.
    pub model: String,
    /// `static` or `transformer`.
    pub tier: String,
    /// Passages with a vector.
    pub done: u64,
    /// Passages that wait.
    pub pending: u64,
    /// Passages that can have none.
    pub failed: u64,
}

/// The state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Status {
    /// Always `status`.
    #[serde(rename = "type")]
    pub object: &'static str,
    /// The data folder.
    pub home: String,
    /// Roots.
    pub roots: Vec<Root>,
    /// Documents known.
    pub documents: u64,
    /// Documents with text.
    pub indexed: u64,
    /// Documents without text, by reason.
    pub skipped: Vec<Counted>,
    /// Documents whose reading failed, by reason.
    pub failed: Vec<Counted>,
    /// Passages.
    pub passages: u64,
    /// Bytes of extracted text.
    pub text_bytes: u64,
    /// Bytes on disk: database and caches.
    pub disk_bytes: u64,
    /// Models.
    pub models: Vec<Tier>,
    /// Names known to `find`.
    pub names: u64,
    /// Policy epoch.
    pub epoch: u64,
    /// Sentences that the reader should know.
    pub notes: Vec<String>,
}

impl From<&bethink_engine::Status> for Status {
    fn from(status: &bethink_engine::Status) -> Self {
        Self {
            object: "status",
            home: text(&status.home),
            roots: status
                .roots
                .iter()
                .map(|root| Root {
                    path: text(&root.path),
                    state: root.state.to_owned(),
                    documents: root.documents,
                    completed: root.completed.map(rfc3339),
                })
                .collect(),
            documents: status.documents,
            indexed: status.indexed,
            skipped: Counted::list(&status.skipped),
            failed: Counted::list(&status.failed),
            passages: status.passages,
            text_bytes: status.text_bytes,
            disk_bytes: status.disk_bytes,
            models: status
                .tiers
                .iter()
                .map(|tier| Tier {
                    model: tier.model.clone(),
                    tier: tier.tier.to_owned(),
                    done: tier.done,
                    pending: tier.pending,
                    failed: tier.failed,
                })
                .collect(),
            names: status.names,
            epoch: status.epoch,
            notes: status.notes.clone(),
        }
    }
}
