//! What the files inside one file may come to, however they are nested.
//!
//! Whoever unpacks a container holds it to its own limits. Containers inside containers multiply: three
//! levels, each within its limits, come to terabytes; and an archive of fifty thousand files that each
//! end their reader, in time or out of it, would hold everything else up for days. So there is one
//! account for the outermost file and all that is below it.

use std::cell::Cell;

use bethink_core::{Problem, ProblemKind};

use crate::extraction::problem;
use crate::limits::Limits;

/// What is left of it, for one outermost file.
pub(crate) struct Allowance {
    members: Cell<u32>,
    bytes: Cell<usize>,
    broken: Cell<u32>,
    spent: Cell<Option<&'static str>>,
}

impl Allowance {
    /// The whole of it, for an outermost file of so many bytes.
    pub(crate) fn new(limits: &Limits, bytes: usize) -> Self {
        Self {
            members: Cell::new(limits.members),
            bytes: Cell::new(limits.unpacked_for(bytes)),
            broken: Cell::new(limits.broken_members),
            spent: Cell::new(None),
        }
    }

    /// Takes in a member of so many bytes. False: neither it nor any other is to be read.
    pub(crate) fn admit(&self, bytes: usize) -> bool {
        match (self.members.get().checked_sub(1), self.bytes.get().checked_sub(bytes)) {
            _ if self.spent.get().is_some() => {}
            (Some(members), Some(bytes)) => {
                self.members.set(members);
                self.bytes.set(bytes);
            }
            (None, _) => self.spent.set(Some("so many files are inside that the rest is not read")),
            (_, None) => self.spent.set(Some("what is inside unpacks to so much that the rest is not read")),
        }
        self.spent.get().is_none()
    }

    /// Takes note of a member that ended its reader.
    pub(crate) fn note_broken(&self) {
        match self.broken.get() {
            0 | 1 => self.spent.set(Some("so many files inside ended their reader that the rest is not read")),
            broken => self.broken.set(broken - 1),
        }
    }

    /// Why nothing more is read, once that is so.
    pub(crate) fn spent(&self) -> Option<Problem> {
        self.spent.get().map(|reason| problem(ProblemKind::Limit, reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_it_ends_the_reading() {
        let limits = Limits { members: 3, unpacked_bytes: 10, broken_members: 2, ..Limits::default() };
        let many = Allowance::new(&limits, 1);
        assert_eq!([1, 1, 1, 1, 1].map(|bytes| many.admit(bytes)), [true, true, true, false, false]);
        let large = Allowance::new(&limits, 1);
        assert_eq!([4, 6, 1, 0].map(|bytes| large.admit(bytes)), [true, true, false, false]);
        let broken = Allowance::new(&limits, 1);
        broken.note_broken();
        assert!(broken.admit(1) && broken.spent().is_none());
        broken.note_broken();
        assert!(!broken.admit(1));
        assert_eq!(broken.spent().map(|problem| problem.kind), Some(ProblemKind::Limit));
    }
}
