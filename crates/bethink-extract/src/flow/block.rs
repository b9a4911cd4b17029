//! One block of a document as lines of text, and what stands between two.

/// What a paragraph is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Style {
    /// Running text.
    Plain,
    /// A heading of that level, from 1; levels beyond 6 are written as 6.
    Heading(u8),
    /// An item of a list, at a depth from 0; with its label where it is numbered.
    Item {
        /// Lists that the item's list stands in.
        depth: u8,
        /// Its number as it is shown (`3.`, `b)`); none of a bullet.
        label: Option<String>,
    },
    /// A line of a form or a slide: lines of its kind stand without a gap.
    Line,
}

/// What a finished block is, for the gap before the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Heading,
    Item,
    Line,
    Row,
}

/// Deepest indentation of nested lists that is shown, in levels.
const DEEPEST_SHOWN: u8 = 8;

/// Lines of text.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) text: String,
}

impl Block {
    /// A paragraph as it is shown; `None` without a word.
    pub(super) fn paragraph(text: &str, style: &Style) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        Some(match style {
            Style::Plain => Self { kind: Kind::Plain, text: tidy(text) },
            Style::Line => Self { kind: Kind::Line, text: tidy(text) },
            Style::Heading(level) => {
                let hashes = "#".repeat(usize::from((*level).clamp(1, 6)));
                Self { kind: Kind::Heading, text: format!("{hashes} {}", one_line(text)) }
            }
            Style::Item { depth, label } => {
                let indent = "  ".repeat(usize::from((*depth).min(DEEPEST_SHOWN)));
                let label = label.as_deref().map(str::trim).filter(|label| !label.is_empty()).unwrap_or("-");
                Self { kind: Kind::Item, text: format!("{indent}{label} {}", tidy(text)) }
            }
        })
    }
}

/// Lines without white space at their ends; empty ones are left out.
fn tidy(text: &str) -> String {
    if !text.contains(['\n', '\r', '\u{b}', '\u{2028}', '\u{2029}']) {
        return text.to_owned();
    }
    let lines = text.split(['\n', '\r', '\u{b}', '\u{2028}', '\u{2029}']).map(str::trim_end);
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Words with single blanks between them.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What stands between two blocks.
pub(super) fn gap(before: Kind, after: Kind) -> &'static str {
    match (before, after) {
        (Kind::Item, Kind::Item) | (Kind::Row, Kind::Row) | (Kind::Line, Kind::Line) => "\n",
        _ => "\n\n",
    }
}

/// Blocks as one text.
pub(super) fn joined(blocks: &[Block]) -> String {
    let mut text = String::new();
    for (position, block) in blocks.iter().enumerate() {
        if position > 0 {
            text.push_str(gap(blocks[position - 1].kind, block.kind));
        }
        text.push_str(&block.text);
    }
    text
}

/// Blocks of a cell beyond which it is a text and not an entry of a table.
const ENTRY_BLOCKS: usize = 6;

/// Bytes of a cell beyond which it is a text and not an entry of a table.
const ENTRY_BYTES: usize = 1200;

/// A row's blocks: one line of its cells, or one cell after the other where one of them is a text of its
/// own: tables lay out whole pages. `stray` stands in the row outside of any cell.
pub(super) fn row(cells: Vec<Vec<Block>>, stray: Vec<Block>) -> Vec<Block> {
    let is_text = |cell: &Vec<Block>| {
        let rows = cell.iter().filter(|block| block.kind == Kind::Row).count();
        let bytes: usize = cell.iter().map(|block| block.text.len()).sum();
        let headed = cell.iter().any(|block| block.kind == Kind::Heading);
        headed && cell.len() > 1 || rows > 1 || cell.len() > ENTRY_BLOCKS || bytes > ENTRY_BYTES
    };
    let filled = cells.iter().filter(|cell| !cell.is_empty()).count();
    let mut blocks = stray;
    if filled <= 1 && cells.len() == 1 || cells.iter().any(is_text) {
        blocks.extend(cells.into_iter().flatten());
        return blocks;
    }
    let entry = |cell: &Vec<Block>| {
        let parts: Vec<String> = cell
            .iter()
            .map(|block| {
                let text = if block.kind == Kind::Heading { block.text.trim_start_matches('#') } else { &block.text };
                one_line(text)
            })
            .collect();
        parts.join(" ")
    };
    let mut entries: Vec<String> = cells.iter().map(entry).collect();
    while entries.last().is_some_and(String::is_empty) {
        entries.pop();
    }
    if !entries.is_empty() {
        blocks.push(Block { kind: Kind::Row, text: entries.join(" | ") });
    }
    blocks
}
