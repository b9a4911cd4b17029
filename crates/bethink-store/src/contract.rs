//! The verbs that everything above the data plane speaks.
//!
//! Two traits, because the read path must not be able to write. Handles are cheap, belong to one
//! thread at a time, and any number of readers may be open beside one writer, in this process or
//! others. Every method sees one consistent state of the database.

use std::path::Path;
use std::time::Duration;

use bethink_core::{
    ContentHash, ContentId, DocumentId, Epoch, Format, ModelId, PassageId, RootId, Sequence, UnixMillis,
};

use crate::Result;
use crate::record::{
    Applied, Batch, Change, ContentRecord, DocumentCounts, DocumentRecord, EmbeddingClaim, Forgotten, ModelSpec,
    NewVector, PassageRecord, Root, RootState, Statistics, StoreId, TierProgress, VectorRecord,
};

/// Questions to the index.
pub trait IndexReader: Send {
    /// The identity of this database.
    fn store_id(&self) -> Result<StoreId>;

    /// The newest change; 0 before the first.
    fn sequence(&self) -> Result<Sequence>;

    /// The policy epoch that rows are current under.
    fn epoch(&self) -> Result<Epoch>;

    /// Every root that lies on the disk, by path. What was published without files
    /// ([`MEMORY_ROOT`](bethink_core::MEMORY_ROOT)) has a root as well, which nobody can walk.
    fn roots(&self) -> Result<Vec<Root>>;

    /// The document at exactly this path.
    fn find_document_at(&self, path: &Path) -> Result<Option<DocumentRecord>>;

    /// The document of that identity.
    fn find_document(&self, id: DocumentId) -> Result<Option<DocumentRecord>>;

    /// Up to `limit` documents at or under a path, in the order of their paths' bytes, after `after`
    /// (exclusive). `under` of `None` means everything. Component-wise: `/a/b` does not hold `/a/bc`.
    fn documents_under(&self, under: Option<&Path>, after: Option<&Path>, limit: usize) -> Result<Vec<DocumentRecord>>;

    /// Up to `limit` documents that are files inside files (see [`bethink_core::member_path`]), in the order
    /// of their paths' bytes, after `after` (exclusive). Folders named like a container are let through.
    fn members(&self, after: Option<&Path>, limit: usize) -> Result<Vec<DocumentRecord>>;

    /// Every document whose text is one of these contents.
    fn documents_with(&self, contents: &[ContentId]) -> Result<Vec<DocumentRecord>>;

    /// Documents whose bytes have this hash, whatever their outcome.
    fn documents_with_hash(&self, hash: ContentHash) -> Result<Vec<DocumentRecord>>;

    /// The content read from bytes of this hash as this format by these versions.
    fn find_content(
        &self,
        hash: ContentHash,
        format: Format,
        extractor_version: u32,
        cutter_version: u32,
    ) -> Result<Option<ContentId>>;

    /// The content of that identity.
    fn content(&self, id: ContentId) -> Result<Option<ContentRecord>>;

    /// Every content that has a document at or under the path, ascending, each once.
    fn contents_under(&self, under: &Path) -> Result<Vec<ContentId>>;

    /// Those of the passages that are still current, in the order asked for.
    fn passages(&self, ids: &[PassageId]) -> Result<Vec<PassageRecord>>;

    /// A content's passages in order; joined, their texts are the extracted text.
    fn passages_of(&self, content: ContentId) -> Result<Vec<PassageRecord>>;

    /// Up to `limit` changes after a sequence, oldest first. Ask [`oldest_change`](Self::oldest_change)
    /// after this, not before it: changes may be pruned between the two questions.
    fn changes_after(&self, after: Sequence, limit: usize) -> Result<Vec<Change>>;

    /// The oldest sequence that `changes_after` can still start from. A cache built from an older
    /// one is rebuilt from `contents_after`.
    fn oldest_change(&self) -> Result<Sequence>;

    /// Up to `limit` live contents with a larger identity, ascending: the way to rebuild a cache.
    fn contents_after(&self, after: ContentId, limit: usize) -> Result<Vec<ContentId>>;

    /// Models that have been registered, with how far each has come.
    fn tiers(&self) -> Result<Vec<TierProgress>>;

    /// Whether any passage still waits for a vector of this model; those that can have none do not wait.
    fn has_waiting(&self, model: &ModelId) -> Result<bool>;

    /// Up to `limit` vectors of a model after a sequence, oldest first.
    fn vectors_after(&self, model: &ModelId, after: Sequence, limit: usize) -> Result<Vec<VectorRecord>>;

    /// The vectors of these passages under a model; passages without one are left out.
    fn vectors_of(&self, model: &ModelId, passages: &[PassageId]) -> Result<Vec<VectorRecord>>;

    /// Which of these passages have a vector of the model, ascending. Cheaper than `vectors_of`.
    fn passages_with_vector(&self, model: &ModelId, passages: &[PassageId]) -> Result<Vec<PassageId>>;

    /// How many documents there are, at or under a path. Far cheaper than [`IndexReader::statistics`].
    fn document_counts(&self, under: Option<&Path>) -> Result<DocumentCounts>;

    /// Counts over the whole index, or over what lies under a path.
    fn statistics(&self, under: Option<&Path>) -> Result<Statistics>;

    /// Documents that were skipped or failed, at or under a path, up to `limit`, by path.
    fn documents_with_trouble(&self, under: Option<&Path>, limit: usize) -> Result<Vec<DocumentRecord>>;
}

/// Changes to the index.
pub trait IndexWriter: IndexReader {
    /// Remembers a root; the same path again gives the same root.
    fn add_root(&mut self, path: &Path) -> Result<Root>;

    /// Records how a root was found. `Complete` also stamps `completed` with `at`.
    fn record_root_state(&mut self, root: RootId, state: RootState, at: UnixMillis) -> Result<()>;

    /// Forgets a root and every document under it, in one transaction.
    fn forget_root(&mut self, root: RootId) -> Result<Forgotten>;

    /// Applies a batch in one transaction: all of it or none. Publishing what is there already, byte
    /// for byte, changes nothing and logs no change; a stamp alone logs none either. A passage whose
    /// key equals one that has a vector takes it over. Contents left without a document go with their
    /// passages and vectors. Moves happen at once, so two files may change places; a document that
    /// stood at a move's target, and did not move itself, is removed. Moves, restamps and removals of
    /// documents that are gone already are passed over.
    ///
    /// # Errors
    /// [`Untiled`](crate::StoreError::Untiled) and [`Unstorable`](crate::StoreError::Unstorable) for
    /// what no store can hold; [`UnknownRoot`](crate::StoreError::UnknownRoot) and
    /// [`UnknownContent`](crate::StoreError::UnknownContent) for what another process removed
    /// meanwhile.
    fn apply(&mut self, batch: &Batch) -> Result<Applied>;

    /// Registers a model and queues every passage that lacks a vector of it. Idempotent. A model of
    /// the same identity with another dimension is an error.
    fn register_model(&mut self, model: &ModelSpec) -> Result<()>;

    /// Drops a model with its vectors and queue.
    fn forget_model(&mut self, model: &ModelId) -> Result<()>;

    /// Claims up to `limit` waiting passages whose lease, if any, has run out. Newest files first, and before them what was hastened.
    /// Of passages with equal keys one is claimed; the others take its vector over at a later claim.
    /// An empty claim means that nothing waits.
    ///
    /// # Errors
    /// [`UnknownModel`](crate::StoreError::UnknownModel) for a model that is not registered.
    fn claim_embeddings(
        &mut self,
        model: &ModelId,
        limit: usize,
        now: UnixMillis,
        lease: Duration,
    ) -> Result<EmbeddingClaim>;

    /// Makes the waiting passages of these documents as urgent as if their files had been changed at
    /// these moments; never less urgent than they are. A later change of a file sets its urgency anew.
    /// Documents that are gone are passed over. Counts the passages that moved.
    fn hasten_embeddings(&mut self, urgent: &[(DocumentId, UnixMillis)]) -> Result<u64>;

    /// Publishes vectors for a claim. A vector that is not finite counts as one that cannot be. A vector whose passage is gone, changed, or claimed by a later
    /// fence is left out; the count published is returned. `StoreError::Superseded` when none is left.
    fn publish_vectors(&mut self, claim: &EmbeddingClaim, vectors: &[NewVector]) -> Result<u64>;

    /// Gives a claim back, so that others need not wait for its lease.
    fn release_claim(&mut self, claim: &EmbeddingClaim) -> Result<()>;

    /// Purges what deletion left behind (free pages, write-ahead log, old changes), so that no
    /// deleted word remains in the file's bytes. Costs a rewrite of the database where something was
    /// deleted since the last time, and next to nothing otherwise.
    ///
    /// # Errors
    /// [`Busy`](crate::StoreError::Busy) while others read or write for longer than the busy timeout;
    /// what was purged by then stays purged.
    fn compact(&mut self) -> Result<()>;
}
