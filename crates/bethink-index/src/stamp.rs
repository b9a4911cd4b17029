//! What a cache was built from.

use bethink_core::Sequence;

/// The store that a cache follows and how far it has followed it. A cache is current when the
/// store's identity is the same and its sequence has not moved on; it catches up by replaying the
/// changes after `sequence`, and replaying a change twice is harmless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheStamp {
    /// Identity of the store; another identity means that nothing in the cache can be trusted.
    pub store: [u8; 16],
    /// The last change that the cache contains.
    pub sequence: Sequence,
}
