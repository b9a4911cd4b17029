//! A scope: the contents that a search may answer with.

use std::collections::HashSet;

use bethink_core::ContentId;

/// A bitmap may spend this many 64-bit words for each member before a hash set is used instead.
/// Ids are handed out in sequence, so in practice every scope is a bitmap; the limit only stops
/// a stray enormous id from asking for an enormous bitmap.
const BITMAP_WORDS_PER_MEMBER: u64 = 1024;

/// A set of contents with membership in constant time.
#[derive(Debug, Clone, Default)]
pub struct ContentSet {
    members: Vec<ContentId>,
    lookup: Lookup,
}

#[derive(Debug, Clone)]
enum Lookup {
    Bitmap { first: u64, words: Vec<u64> },
    Hashed(HashSet<ContentId>),
}

impl Default for Lookup {
    fn default() -> Self {
        Self::Bitmap { first: 0, words: Vec::new() }
    }
}

impl ContentSet {
    /// The set of those contents; order and repetition do not matter.
    pub fn new(contents: impl IntoIterator<Item = ContentId>) -> Self {
        let mut members: Vec<ContentId> = contents.into_iter().collect();
        members.sort_unstable();
        members.dedup();
        let (Some(first), Some(last)) = (members.first(), members.last()) else { return Self::default() };
        let first = first.0 & !63;
        let word_count = (last.0 - first) / 64 + 1;
        let lookup = if word_count <= BITMAP_WORDS_PER_MEMBER.saturating_mul(members.len() as u64) {
            let mut words = vec![0u64; word_count as usize];
            for member in &members {
                let bit = member.0 - first;
                words[(bit / 64) as usize] |= 1 << (bit % 64);
            }
            Lookup::Bitmap { first, words }
        } else {
            Lookup::Hashed(members.iter().copied().collect())
        };
        Self { members, lookup }
    }

    /// Whether the content is in the set.
    #[inline]
    pub fn contains(&self, content: ContentId) -> bool {
        match &self.lookup {
            Lookup::Bitmap { first, words } => {
                let Some(bit) = content.0.checked_sub(*first) else { return false };
                words.get((bit / 64) as usize).is_some_and(|word| word >> (bit % 64) & 1 == 1)
            }
            Lookup::Hashed(set) => set.contains(&content),
        }
    }

    /// How many contents are in the set.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether nothing is in the set, so that no search under it can answer.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = ContentId> + '_ {
        self.members.iter().copied()
    }
}

impl FromIterator<ContentId> for ContentSet {
    fn from_iter<I: IntoIterator<Item = ContentId>>(contents: I) -> Self {
        Self::new(contents)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn membership_is_that_of_a_plain_set(
            ids in prop::collection::vec(prop_oneof![0u64..2000, any::<u64>(), Just(u64::MAX)], 0..60),
            probes in prop::collection::vec(prop_oneof![0u64..2000, any::<u64>()], 0..60),
        ) {
            let plain: HashSet<u64> = ids.iter().copied().collect();
            let set: ContentSet = ids.iter().copied().map(ContentId).collect();
            prop_assert_eq!(set.len(), plain.len());
            for probe in probes.iter().chain(&ids) {
                prop_assert_eq!(set.contains(ContentId(*probe)), plain.contains(probe));
            }
        }
    }
}
