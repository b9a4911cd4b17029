//! Identities. Each is a newtype, so that a passage can never be handed where a document is meant.

use std::fmt;

macro_rules! numeric_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

numeric_id!(
    /// One path under a root. Survives edits and moves; never reused.
    DocumentId
);
numeric_id!(
    /// One distinct text: bytes read as one format by one version of extractor and cutter.
    /// Copies of a file are several documents with one content. Never reused.
    ContentId
);
numeric_id!(
    /// One passage of one content. Never reused.
    PassageId
);
numeric_id!(
    /// One folder or file that the user asked to have indexed.
    RootId
);
numeric_id!(
    /// Position in the store's log of changes. Caches name the sequence they were built from.
    Sequence
);
numeric_id!(
    /// Version of the privacy policy under which a row was published.
    Epoch
);
numeric_id!(
    /// Fencing token of a claim: a later claim on the same work always has a larger one.
    Fence
);

/// BLAKE3 of a file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub [u8; 32]);

/// Content-derived identity of a passage: the first 16 bytes of a BLAKE3 over the cutter's
/// version, the heading path and the text. Equal keys may share a vector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PassageKey(pub [u8; 16]);

/// Identity of an embedding model: vectors of two models are never compared.
/// Derived from the weights' hash, dimension, pooling, sequence limit, prefixes and numerics class.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelId(pub String);

impl fmt::Display for ModelId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

fn write_hex(formatter: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(formatter, &self.0)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ContentHash({self})")
    }
}

impl fmt::Display for PassageKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(formatter, &self.0)
    }
}

impl fmt::Debug for PassageKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PassageKey({self})")
    }
}
