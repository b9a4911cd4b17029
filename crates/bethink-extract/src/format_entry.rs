//! The table of formats: for each, how it is told, where its hits point, and what is lost.

use crate::family::FAMILIES;
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
    let mut entries: Vec<FormatEntry> = FAMILIES.into_iter().flat_map(|family| family.entries()).collect();
    entries.extend(KNOWN_UNREAD.iter().map(|(name, _)| FormatEntry {
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
