//! The write path: from folders on a disk to rows in the store and caches that follow it.
//!
//! `roots → walk → fingerprint → extract → passages → publish → embed → publish`
//!
//! * [`rules`]: what is taken in, what is left out, and who said so.
//! * [`Indexer`]: one pass over the roots.
//! * [`Caches`]: lexicon and matrices, brought up from the store's log of changes.
//! * [`sharpen()`]: vectors for what waits for them.
//! * [`DiskVerifier`]: what the disk says of a document before it is shown.
//! * [`build_names`]: the index of file names, which covers more than the roots.
//! * [`publish_given`]: documents that have no file.
//! * [`Watcher`]: changes as they happen.
//!
//! Promises: nothing is lost by a kill, nothing is removed that could not be seen, a moved file is
//! never embedded again, one file never ends the run of the others. Refuses: to answer queries, to
//! read a secret, to follow a link out of a root, and to log names or content.

#![deny(unsafe_code)]

mod beneath;
mod caches;
mod error;
mod extracting;
mod fingerprint;
mod given;
mod guest;
mod indexer;
mod lock;
mod member;
mod mounts;
mod names;
mod progress;
pub mod rules;
mod sharpen;
mod stop;
mod summary;
mod verify;
mod walk;
mod watch;

pub use beneath::open_below;
pub use caches::{CacheWriter, Caches, CaughtUp};
pub use error::{IngestError, Result};
pub use extracting::Extracting;
pub use fingerprint::{FileRead, ReadTrouble, is_doubtful, same_stamp, stamp_of};
pub use given::{GivenText, embed_at_once, publish_given};
pub use guest::be_a_good_guest;
pub use indexer::{FILE_LIMIT_BYTES, IndexOptions, Indexer, IndexerParts, forget, purge};
pub use lock::{CACHE_LOCK, ExclusiveLock, INDEX_LOCK};
pub use member::container_on_disk;
pub use mounts::{Volume, volumes};
pub use names::{NameSource, NameSourceKind, NamesOptions, NamesReport, SourceReport, build_names};
pub use progress::{Event, Phase, Progress, Silent};
pub use rules::{Exclusion, RuleLine, Rules, Why};
pub use sharpen::{SharpenOptions, SharpenReport, model_spec, sharpen};
pub use stop::Stop;
pub use summary::{PassedOver, PassedOverCounts, RootReport, Summary};
pub use verify::{DiskVerifier, FileVerdict, Refreshed, refresh};
pub use walk::{FoundFile, WalkReport, walk};
pub use watch::{WatchMode, WatchNotice, Watcher};
