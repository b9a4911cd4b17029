//! Cells that a merged one covers: what they may still hold is not shown and not read.

use std::collections::HashMap;

use memchr::memmem;

use super::cell_names;
use crate::xml::{XmlEvent, XmlReader};

/// Rows of merged ranges that are kept of one sheet. A range may claim a million rows.
const MOST_ROWS: usize = 200_000;

/// The merged ranges of a sheet, by row.
#[derive(Debug, Default)]
pub(super) struct Covered {
    /// Of each row the ranges that touch it: first and last column, and whether the range begins above.
    by_row: HashMap<u32, Vec<(u32, u32, bool)>>,
    rows: usize,
}

impl Covered {
    /// The ranges that a sheet of Office Open XML names behind its cells.
    pub(super) fn in_sheet(text: &str) -> Self {
        let mut covered = Self::default();
        let Some(at) =
            memmem::rfind(text.as_bytes(), b"mergeCells ").or_else(|| memmem::find(text.as_bytes(), b"mergeCells>"))
        else {
            return covered;
        };
        // Back to the element's own opening, which a prefix may precede.
        let Some(start) = text[..at].rfind('<') else { return covered };
        let mut xml = XmlReader::new(&text[start..]);
        while let Some(node) = xml.next_event() {
            match node {
                XmlEvent::Open(element) if element.name() == "mergeCell" => {
                    if let Some((first, last)) = element.attribute("ref").and_then(|range| cell_names::range(&range)) {
                        covered.add(first, last);
                    }
                }
                XmlEvent::Close(end) if end.name() == "mergeCells" => break,
                _ => {}
            }
        }
        covered
    }

    /// A range by its first and last cell, each a row and a column from 1.
    pub(super) fn add(&mut self, first: (u32, u32), last: (u32, u32)) {
        for row in first.0..=last.0 {
            if self.rows >= MOST_ROWS {
                return;
            }
            self.rows += 1;
            self.by_row.entry(row).or_default().push((first.1, last.1, row > first.0));
        }
    }

    /// Whether the cell lies under another one.
    pub(super) fn holds(&self, row: u32, column: u32) -> bool {
        let Some(ranges) = self.by_row.get(&row) else { return false };
        ranges.iter().any(|(first, last, below)| (*first..=*last).contains(&column) && (*below || column > *first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_the_first_cell_of_a_range_are_covered() {
        let sheet = r#"<x:sheetData/><x:mergeCells count="2"><x:mergeCell ref="B2:C3"/><x:mergeCell ref="A9:A1048576"/></x:mergeCells>"#;
        let covered = Covered::in_sheet(sheet);
        let held: Vec<_> = [(2, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (9, 1), (10, 1)]
            .into_iter()
            .filter(|(row, column)| covered.holds(*row, *column))
            .collect();
        assert_eq!(held, [(2, 3), (3, 2), (3, 3), (10, 1)]);
        assert!(covered.rows <= MOST_ROWS);
    }
}
