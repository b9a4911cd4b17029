//! The rows of a workbook on their way into text: one a line, cells apart by tabs, at their own numbers.
//!
//! Cells come in the order of the file, which is that of rows and columns in all but strange ones. Nothing is
//! allocated by what a sheet claims to be: a row is as long as the cells that it was given.

use std::collections::BTreeMap;

use bethink_core::{Locator, ProblemKind};

use crate::extraction::problem;
use crate::family::Sink;
use crate::text::without_controls;

/// Empty cells in a row that keep their width, so that columns stay under each other. A sheet that has one note
/// in its last column has sixteen thousand before it.
const GAP_KEPT: u32 = 16;

/// Longest cell that is read, in bytes; Excel's own limit is 32,767 characters.
const MOST_CELL_BYTES: usize = 128 << 10;

/// Longest row that is read, in bytes: sixteen thousand columns of numbers take a tenth of it.
const MOST_ROW_BYTES: usize = 2 << 20;

/// Notes kept of one sheet, and of what stands in drawings on it.
const MOST_NOTES: usize = 100_000;

/// Writes the rows of sheet after sheet.
pub(super) struct Rows<'a> {
    sink: &'a mut dyn Sink,
    sheet: String,
    row: u32,
    cells: Vec<(u32, String)>,
    cells_bytes: usize,
    /// What is written beside cells, by row.
    notes: BTreeMap<u32, Vec<String>>,
    notes_count: usize,
    wrote: bool,
    full: bool,
    cut: bool,
}

impl<'a> Rows<'a> {
    pub(super) fn new(sink: &'a mut dyn Sink) -> Self {
        Self {
            sink,
            sheet: String::new(),
            row: 0,
            cells: Vec::new(),
            cells_bytes: 0,
            notes: BTreeMap::new(),
            notes_count: 0,
            wrote: false,
            full: false,
            cut: false,
        }
    }

    /// Begins a sheet.
    pub(super) fn begin(&mut self, name: &str) {
        self.end();
        self.sheet = single_line(name);
        self.notes_count = 0;
    }

    /// A note, or other words that stand at a row (from 1) beside its cells. To be given before the row is.
    pub(super) fn note(&mut self, row: u32, words: &str) {
        let words = single_line(words);
        if !words.is_empty() && self.notes_count < MOST_NOTES {
            self.notes_count += 1;
            self.notes.entry(row.max(1)).or_default().push(words);
        }
    }

    /// A cell, by its row and column from 1. False: no more is taken.
    pub(super) fn cell(&mut self, row: u32, column: u32, text: &str) -> bool {
        if row != self.row {
            self.write_row();
            self.row = row;
        }
        let mut text = text;
        if text.len() > MOST_CELL_BYTES {
            text = &text[..text.floor_char_boundary(MOST_CELL_BYTES)];
            self.cut = true;
        }
        let text = single_line(text);
        if text.is_empty() {
            return !self.full;
        }
        if self.cells_bytes + text.len() > MOST_ROW_BYTES {
            self.cut = true;
            return !self.full;
        }
        self.cells_bytes += text.len() + 1;
        self.cells.push((column, text));
        !self.full
    }

    /// Ends the sheet, with the notes behind its last row.
    pub(super) fn end(&mut self) {
        self.write_row();
        while let Some((row, notes)) = self.notes.pop_first() {
            self.write_line(row, notes.join("\t"));
        }
        self.row = 0;
    }

    /// Ends the workbook: whether any cell or note was met.
    pub(super) fn finish(mut self) -> bool {
        self.end();
        if self.cut {
            let detail = "very long cells or rows are cut at 128 KiB and 2 MiB";
            self.sink.problem(problem(ProblemKind::Limit, detail));
        }
        self.wrote
    }

    /// Passes on that something was met and survived.
    pub(super) fn problem(&mut self, problem: bethink_core::Problem) {
        self.sink.problem(problem);
    }

    /// Whether no more is taken.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    fn write_row(&mut self) {
        let row = self.row;
        let mut cells = std::mem::take(&mut self.cells);
        self.cells_bytes = 0;
        if cells.is_empty() {
            return;
        }
        // Notes on rows without cells stand before this one.
        while let Some(first) = self.notes.first_entry().filter(|first| *first.key() < row) {
            let (noted, notes) = first.remove_entry();
            self.write_line(noted, notes.join("\t"));
        }
        if !cells.is_sorted_by_key(|(column, _)| *column) {
            cells.sort_by_key(|(column, _)| *column);
        }
        let mut line = String::new();
        let mut next = 1;
        for (column, text) in &cells {
            let gap = column.saturating_sub(next);
            // A column that is met twice stands beside itself.
            let gap = if gap > GAP_KEPT { 1 } else { gap };
            for _ in 0..gap + u32::from(next > 1) {
                line.push('\t');
            }
            line.push_str(text);
            next = column.saturating_add(1).max(2);
        }
        for note in self.notes.remove(&row).unwrap_or_default() {
            line.push('\t');
            line.push_str(&note);
        }
        self.write_line(row, line);
    }

    fn write_line(&mut self, row: u32, mut line: String) {
        if self.full {
            return;
        }
        line.push('\n');
        self.sink.mark(Locator::Sheet { name: self.sheet.clone(), row });
        self.wrote = true;
        self.full = !self.sink.text(line);
    }
}

/// The text without control characters and line ends; a row is a line.
fn single_line(text: &str) -> String {
    let text = text.trim();
    let clean = if text.contains(['\n', '\r', '\t', '\u{b}', '\u{c}', '\u{2028}', '\u{2029}', '\u{85}']) {
        text.split(['\n', '\r', '\t', '\u{b}', '\u{c}', '\u{2028}', '\u{2029}', '\u{85}'])
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    } else {
        text.to_owned()
    };
    without_controls(clean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extraction::{Collector, Extraction};
    use crate::family::Outcome;
    use bethink_core::{Extracted, Format};

    fn written(fill: impl FnOnce(&mut Rows<'_>)) -> Extracted {
        let mut collector = Collector::new(Format::Xlsx, 1 << 20);
        let mut rows = Rows::new(&mut collector);
        fill(&mut rows);
        rows.finish();
        match collector.finish(Outcome::Read) {
            Extraction::Text(extracted) => extracted,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn columns_stay_under_each_other_and_rows_keep_their_numbers() {
        let extracted = written(|rows| {
            rows.begin("One");
            rows.note(2, "Note: see B");
            rows.note(9, "Note: alone");
            rows.cell(1, 1, "a");
            rows.cell(1, 3, "c\nd");
            rows.cell(7, 2, "b");
            rows.cell(7, 16_384, "far");
            rows.begin("Two");
            rows.cell(3, 2, "second");
            rows.cell(3, 1, "first");
            rows.cell(4, 1, "  ");
        });
        assert_eq!(extracted.text, "a\t\tc d\nNote: see B\n\tb\t\tfar\nNote: alone\nfirst\tsecond\n");
        let places: Vec<_> = extracted.marks.iter().map(|mark| mark.locator.to_string()).collect();
        assert_eq!(
            places,
            ["sheet One row 1", "sheet One row 2", "sheet One row 7", "sheet One row 9", "sheet Two row 3"]
        );
    }

    #[test]
    fn a_row_without_end_is_cut_and_said() {
        let extracted = written(|rows| {
            rows.begin("One");
            for column in 1..=40 {
                rows.cell(1, column, &"x".repeat(200 << 10));
            }
        });
        assert!(extracted.text.len() <= MOST_ROW_BYTES + 1);
        assert_eq!(extracted.problems[0].kind, ProblemKind::Limit);
    }
}
