//! The question that is put to the disk before a hit is shown.

use std::path::PathBuf;

use bethink_store::DocumentRecord;

/// What the disk says of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The file is as it was indexed.
    Current,
    /// The file has other bytes now; the index was brought up to date on the spot, so the question
    /// is worth asking again.
    Refreshed,
    /// The file has other bytes now and there was no time to read them: the hit is shown as stale.
    Stale,
    /// The same bytes stand at another path now.
    Moved(PathBuf),
    /// The file is gone: the hit is dropped.
    Gone,
    /// The volume or folder cannot be reached at the moment: the hit is shown as unverified.
    Unreachable,
}

/// Checks documents against the disk. `search` itself opens no file; the engine supplies this from
/// the write path.
pub trait Verifier {
    /// What the disk says of this document now.
    fn verify(&self, document: &DocumentRecord) -> Verdict;
}

/// Believes the index: for evaluation over indexes whose files are known not to change.
#[derive(Debug, Clone, Copy, Default)]
pub struct TrustAll;

impl Verifier for TrustAll {
    fn verify(&self, _document: &DocumentRecord) -> Verdict {
        Verdict::Current
    }
}
