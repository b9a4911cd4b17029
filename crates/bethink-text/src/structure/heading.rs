//! The trail of headings that are open while a text is read from top to bottom.

use super::{Path, Section};

/// Headings longer than this are cut, on a character border: they are repeated in front of every
/// passage that is embedded.
pub(crate) const LONGEST_HEADING_BYTES: usize = 160;

/// Deeper headings take the place of the deepest kept one.
const DEEPEST: usize = 8;

/// The open headings with their levels.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trail {
    open: Vec<(usize, String)>,
}

impl Trail {
    /// Opens a heading: closes all of its level and deeper, then stands below the rest.
    pub(crate) fn open(&mut self, level: usize, title: &str) {
        self.close(level);
        self.open.truncate(DEEPEST - 1);
        self.open.push((level, shorten(title)));
    }

    /// Closes every heading of a level and deeper; tells whether there was one.
    pub(crate) fn close(&mut self, level: usize) -> bool {
        let before = self.open.len();
        while self.open.last().is_some_and(|(open, _)| *open >= level) {
            self.open.pop();
        }
        self.open.len() < before
    }

    /// How many headings are open.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The open headings, outermost first.
    pub(crate) fn path(&self) -> Path {
        self.open.iter().map(|(_, title)| title.clone()).collect()
    }
}

/// A heading on one line, with single blanks, at most [`LONGEST_HEADING_BYTES`] long.
pub(crate) fn shorten(title: &str) -> String {
    let mut short = String::with_capacity(title.len().min(LONGEST_HEADING_BYTES));
    for word in title.split_whitespace() {
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
        if short.len() > LONGEST_HEADING_BYTES {
            short.truncate(short.floor_char_boundary(LONGEST_HEADING_BYTES));
            break;
        }
    }
    short
}

/// Sections as they are found.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    trail: Trail,
    found: Vec<Section>,
}

impl Sections {
    /// A heading whose lines are `start..body`.
    pub(crate) fn heading(&mut self, start: usize, body: usize, level: usize, title: &str) {
        self.trail.open(level, title);
        self.found.push(Section { start, path: self.trail.path(), body });
    }

    /// A stretch of its own under no heading.
    pub(crate) fn block(&mut self, start: usize) {
        self.found.push(Section { start, path: self.trail.path(), body: start });
    }

    /// A stretch under no heading at all.
    pub(crate) fn block_outside(&mut self, start: usize) {
        self.trail.close(0);
        self.block(start);
    }

    /// All sections, by offset.
    pub(crate) fn finish(self) -> Vec<Section> {
        self.found
    }
}
