//! Lays runs of text out in lines: what a page's blocks, lists and tables look like as plain text.

/// Deepest indentation of nested lists that is shown, in levels.
const DEEPEST_SHOWN: usize = 8;

/// What stands between the text before and the text to come. Later ones are stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    Nothing,
    Space,
    Cell,
    Line,
    Blank,
}

/// Where a stretch of the page belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    /// What the page is about, or all of it where nothing is set apart.
    Main,
    /// Navigation, header, footer.
    Frame,
}

/// The text so far.
pub(super) struct Layout {
    text: String,
    gap: Gap,
    /// Written before the next text, at the start of its line: a heading's hashes, a list's bullet.
    prefix: String,
    /// A cell has opened and nothing was written in it: its first block does not break the row.
    in_fresh_cell: bool,
    in_heading: bool,
    preformatted: u32,
    region: Region,
    /// Where the region changed, and to what.
    borders: Vec<(usize, Region)>,
}

impl Layout {
    pub(super) fn new() -> Self {
        Self {
            text: String::new(),
            gap: Gap::Nothing,
            prefix: String::new(),
            in_fresh_cell: false,
            in_heading: false,
            preformatted: 0,
            region: Region::Frame,
            borders: Vec::new(),
        }
    }

    /// The following text belongs to another region.
    pub(super) fn enter(&mut self, region: Region) {
        if self.region != region {
            self.blank();
            self.region = region;
        }
    }

    /// At least a space.
    pub(super) fn space(&mut self) {
        self.gap = self.gap.max(Gap::Space);
    }

    /// At least a new line. A heading keeps to one line, since a line is what makes it a heading.
    pub(super) fn line(&mut self) {
        let gap = if self.in_heading || self.in_fresh_cell { Gap::Space } else { Gap::Line };
        self.gap = self.gap.max(gap);
    }

    /// At least an empty line.
    pub(super) fn blank(&mut self) {
        let gap = if self.in_heading || self.in_fresh_cell { Gap::Space } else { Gap::Blank };
        self.gap = self.gap.max(gap);
    }

    /// A table row begins.
    pub(super) fn row(&mut self) {
        self.in_fresh_cell = false;
        self.line();
    }

    /// A cell begins; not the first of its row: a bar stands before it.
    pub(super) fn cell(&mut self, first_of_row: bool) {
        if !first_of_row {
            self.gap = Gap::Cell;
        }
        self.in_fresh_cell = true;
    }

    /// A heading of level 1 to 6 begins.
    pub(super) fn open_heading(&mut self, level: usize) {
        self.in_fresh_cell = false;
        self.close_heading();
        self.prefix = "#".repeat(level);
        self.prefix.push(' ');
        self.in_heading = true;
    }

    /// A heading ends.
    pub(super) fn close_heading(&mut self) {
        if self.in_heading {
            self.in_heading = false;
            // A heading without words leaves no hashes behind.
            self.prefix.clear();
        }
        self.blank();
    }

    /// A list item begins, at a depth from 1; with a number in an ordered list.
    pub(super) fn item(&mut self, depth: usize, number: Option<u32>) {
        self.in_fresh_cell = false;
        self.line();
        if self.in_heading {
            return;
        }
        self.prefix = "  ".repeat(depth.saturating_sub(1).min(DEEPEST_SHOWN));
        match number {
            Some(number) => self.prefix.push_str(&format!("{number}. ")),
            None => self.prefix.push_str("- "),
        }
    }

    /// White space counts from here, until as many ends.
    pub(super) fn open_preformatted(&mut self) {
        self.blank();
        self.preformatted += 1;
    }

    /// White space collapses again.
    pub(super) fn close_preformatted(&mut self) {
        self.preformatted = self.preformatted.saturating_sub(1);
        self.blank();
    }

    /// A run of characters. White space collapses as a browser collapses it.
    pub(super) fn write(&mut self, run: &str) {
        if self.preformatted > 0 && !self.in_heading {
            return self.write_preformatted(run);
        }
        let is_white = |character: char| matches!(character, ' ' | '\t' | '\n' | '\r' | '\x0C' | '\u{a0}');
        let mut rest = run;
        while !rest.is_empty() {
            let word_start = rest.find(|character| !is_white(character)).unwrap_or(rest.len());
            if word_start > 0 {
                self.space();
            }
            rest = &rest[word_start..];
            let word_end = rest.find(is_white).unwrap_or(rest.len());
            let (word, after) = rest.split_at(word_end);
            if !word.is_empty() {
                self.close_gap();
                self.text.push_str(word);
            }
            rest = after;
        }
    }

    /// Lines as they are; empty ones at the edges are left to the gaps around.
    fn write_preformatted(&mut self, run: &str) {
        if run.trim().is_empty() {
            match run.matches('\n').count() {
                0 => self.space(),
                1 => self.line(),
                _ => self.blank(),
            }
            return;
        }
        self.close_gap();
        // The browser drops the line end right after `<pre>`, and the gap supplied one.
        let run = if self.text.is_empty() || self.text.ends_with('\n') { run.trim_start_matches('\n') } else { run };
        let kept = run.trim_end_matches(['\n', '\r']);
        self.text.push_str(kept);
        if kept.len() < run.len() {
            self.line();
        }
    }

    fn close_gap(&mut self) {
        if self.text.is_empty() {
            self.gap = Gap::Nothing;
        }
        if self.borders.last().is_none_or(|(_, region)| *region != self.region) {
            self.borders.push((self.text.len(), self.region));
        }
        match self.gap {
            Gap::Nothing => {}
            Gap::Space => self.text.push(' '),
            Gap::Cell => self.text.push_str(" | "),
            Gap::Line => self.text.push('\n'),
            Gap::Blank => self.text.push_str("\n\n"),
        }
        self.text.push_str(&self.prefix);
        self.prefix.clear();
        self.gap = Gap::Nothing;
        self.in_fresh_cell = false;
    }

    /// The whole text: the main region first, the page's frame behind it, both in their own order. If
    /// the main region is a small part of an unusual page, the order is the page's.
    pub(super) fn finish(self) -> String {
        /// Bytes of main text from which on it is believed to be what the page is about.
        const CONVINCING_BYTES: usize = 200;
        let ends = self.borders.iter().skip(1).map(|(offset, _)| *offset).chain([self.text.len()]);
        let stretches: Vec<(&str, Region)> =
            self.borders.iter().zip(ends).map(|((start, region), end)| (&self.text[*start..end], *region)).collect();
        let of = |wanted| stretches.iter().filter(move |(_, region)| *region == wanted).map(|(text, _)| text.trim());
        let main_bytes: usize = of(Region::Main).map(str::len).sum();
        let mut text = if main_bytes < CONVINCING_BYTES {
            self.text
        } else {
            let parts: Vec<&str> = of(Region::Main).chain(of(Region::Frame)).collect();
            parts.join("\n\n")
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }
}
