//! The table of formats: for each, how it is told, where its hits point, and what is lost.

use bethink_core::Format;

use crate::family::{FAMILIES, family_of};
use crate::sniff::KNOWN_UNREAD;

/// One row of the table that `formats` shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatEntry {
    /// The format's name, as in `Format::name`, or the family of names that share a row.
    pub name: &'static str,
    /// What decides that a file is one.
    pub detected_by: &'static str,
    /// What a hit in it points at.
    pub locator: &'static str,
    /// What its text does not carry.
    pub lost: &'static str,
    /// Where reading stops.
    pub limits: &'static str,
}

/// Every format that is read, then those that are known and found by name only.
pub fn formats() -> Vec<FormatEntry> {
    let mut entries: Vec<FormatEntry> = FAMILIES.iter().copied().flat_map(|family| family.entries()).collect();
    let without_reader = Format::ALL.iter().filter(|format| family_of(**format).is_none());
    let names = without_reader.map(|format| format.name()).chain(KNOWN_UNREAD.iter().map(|(name, _)| *name));
    entries.extend(names.map(|name| FormatEntry {
        name,
        detected_by: "signature or container contents",
        locator: "none",
        lost: "everything but the name",
        limits: "not read",
    }));
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_whole_and_no_name_comes_twice() {
        let mut names = std::collections::HashSet::new();
        for entry in formats() {
            assert!(names.insert(entry.name), "{} has two rows", entry.name);
            for cell in [entry.detected_by, entry.locator, entry.lost, entry.limits] {
                assert!(!cell.is_empty());
            }
        }
    }
}
