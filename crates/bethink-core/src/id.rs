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

/// Identity of something that a person owns (an event, a note, a person): a UUID of version 7, so that
/// identities made on several devices never meet and sort by the moment at which they were made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId(pub [u8; 16]);

/// Milliseconds that the first 48 bits of a version 7 UUID can hold.
const UUID_MILLIS: std::ops::RangeInclusive<i64> = 0..=0xFFFF_FFFF_FFFF;

impl MemoryId {
    /// The identity of that moment with these random bits (RFC 9562, section 5.7). A moment that the format
    /// cannot say becomes the nearest that it can.
    pub fn new(moment: crate::UnixMillis, random: [u8; 10]) -> Self {
        let millis = moment.0.clamp(*UUID_MILLIS.start(), *UUID_MILLIS.end()).cast_unsigned();
        let mut bytes = [0; 16];
        bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
        bytes[6..].copy_from_slice(&random);
        bytes[6] = bytes[6] & 0x0F | 0x70;
        bytes[8] = bytes[8] & 0x3F | 0x80;
        Self(bytes)
    }

    /// The identity of a spelling, hyphens or not; `None` for what is no UUID.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 16];
        let mut digits = text.trim().bytes().filter(|byte| *byte != b'-').map(|byte| char::from(byte).to_digit(16));
        for byte in &mut bytes {
            let (high, low) = (digits.next()??, digits.next()??);
            *byte = (high << 4 | low) as u8;
        }
        digits.next().is_none().then_some(Self(bytes))
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (group, range) in [0..4, 4..6, 6..8, 8..10, 10..16].into_iter().enumerate() {
            if group > 0 {
                formatter.write_str("-")?;
            }
            write_hex(formatter, &self.0[range])?;
        }
        Ok(())
    }
}

impl fmt::Debug for MemoryId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "MemoryId({self})")
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UnixMillis;

    #[test]
    fn an_identity_is_a_uuid_of_version_seven_that_sorts_by_its_moment() {
        let id = MemoryId::new(UnixMillis(0x0190_0000_0001), [0xFF; 10]);
        assert_eq!(id.to_string(), "01900000-0001-7fff-bfff-ffffffffffff");
        assert_eq!(MemoryId::parse(&id.to_string()), Some(id));
        assert_eq!(MemoryId::parse("0190000000017fffbfffffffffffffff"), Some(id));
        for wrong in ["", "01900000-0001-7fff-bfff-fffffffffff", "01900000-0001-7fff-bfff-ffffffffffff0", "x"] {
            assert_eq!(MemoryId::parse(wrong), None, "{wrong}");
        }
        assert!(MemoryId::new(UnixMillis(5), [0xFF; 10]) < MemoryId::new(UnixMillis(6), [0; 10]));
        assert_eq!(MemoryId::new(UnixMillis(-1), [0; 10]), MemoryId::new(UnixMillis(0), [0; 10]));
    }
}
