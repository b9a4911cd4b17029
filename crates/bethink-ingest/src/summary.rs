//! What a run did, in counts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use bethink_core::ProblemKind;
use bethink_store::RootState;

/// Why an entry was passed over without becoming a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PassedOver {
    /// A key store, a password store, credentials.
    Secret,
    /// A cache, a build output, another program's store.
    Junk,
    /// A name that begins with a dot.
    Hidden,
    /// Named by an ignore file.
    Ignored,
    /// bethink's own data.
    OwnHome,
    /// A link; links are not followed.
    Link,
    /// A FIFO, a socket, a device.
    Special,
    /// A folder that the system refuses to list; what is known under it is kept.
    UnreadableFolder,
    /// Gone between listing and looking.
    Vanished,
    /// Deeper than the walk goes.
    TooDeep,
}

impl PassedOver {
    /// The word for it in output and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Junk => "junk",
            Self::Hidden => "hidden",
            Self::Ignored => "ignored",
            Self::OwnHome => "own-home",
            Self::Link => "link",
            Self::Special => "special",
            Self::UnreadableFolder => "unreadable-folder",
            Self::Vanished => "vanished",
            Self::TooDeep => "too-deep",
        }
    }
}

/// Counts of entries that were passed over, by reason. A folder counts once, whatever it holds.
pub type PassedOverCounts = BTreeMap<PassedOver, u64>;

/// How one root fared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootReport {
    /// The root.
    pub path: PathBuf,
    /// How it was found. `Pending` means that the run ended before the root's end.
    pub state: RootState,
    /// Files that the rules let in.
    pub files: u64,
    /// Entries that they did not, by reason.
    pub passed_over: PassedOverCounts,
    /// Documents that are not on the disk but kept, since the place where they lie cannot be seen.
    pub kept: u64,
}

/// What a run did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Files whose text was read (new or changed), copies of known texts included.
    pub indexed: u64,
    /// Files that were found as they were.
    pub unchanged: u64,
    /// Documents found at a new path.
    pub moved: u64,
    /// Documents whose files are gone or left out by now.
    pub removed: u64,
    /// Files without text for us, by reason, among those read in this run.
    pub skipped: BTreeMap<ProblemKind, u64>,
    /// Files whose reading failed, by reason, among those tried in this run.
    pub failed: BTreeMap<ProblemKind, u64>,
    /// Passages stored in this run.
    pub passages: u64,
    /// Passages that took over a known vector, so that nothing was embedded again.
    pub vectors_reused: u64,
    /// Passages embedded in this run.
    pub embedded: u64,
    /// Bytes read in this run.
    pub bytes: u64,
    /// How long it took, waiting for another process included.
    pub elapsed: Duration,
    /// Whether the run was asked to stop before its end.
    pub stopped: bool,
    /// Every root that was asked for.
    pub roots: Vec<RootReport>,
}
