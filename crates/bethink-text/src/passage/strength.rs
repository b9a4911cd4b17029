//! How good a place to cut the start of a line is.
//!
//! The scale, from best to worst: 7–4 definitions by depth, 6 top-level entries, 5 paragraphs,
//! 4 list items, 3 after a sentence or at a blank line in code, 2 records, 1 other lines,
//! 0 lines that belong to the one before them.

use bethink_core::Format;

use crate::line::bare;
use crate::structure::{Fence, is_list_item};

/// Bytes of a line that tell it from others.
const SAMPLE_BYTES: usize = 64;

/// A run of blank lines longer than this may be cut: it would be a passage by itself.
const LONGEST_BLANK_BYTES: usize = 2048;

/// How good a place the start of a row is.
const ROW_STRENGTH: u8 = 2;

/// A place to cut.
pub(super) struct LineStart {
    pub(super) strength: u8,
    pub(super) hash: u32,
}

/// Reads lines in order and tells how good the start of each is.
#[derive(Debug)]
pub(super) struct LineReader {
    format: Format,
    fence: Fence,
    fenced: bool,
    blank_bytes: usize,
    sentence_ended: bool,
    before: u32,
    open_quote: bool,
}

impl LineReader {
    pub(super) fn new(format: Format) -> Self {
        Self {
            format,
            fence: Fence::default(),
            fenced: false,
            blank_bytes: 0,
            sentence_ended: false,
            before: 0,
            open_quote: false,
        }
    }

    /// Reads a line; gives the place at its start, or none for a blank line, which belongs to the
    /// passage before it. `structural` is the strength that definitions or marks lend.
    pub(super) fn read(&mut self, line: &str, structural: u8) -> Option<LineStart> {
        let content = bare(line);
        let trimmed = content.trim_start();
        if trimmed.is_empty() {
            self.blank_bytes += line.len();
            if self.blank_bytes < LONGEST_BLANK_BYTES {
                return None;
            }
            self.blank_bytes = 0;
            return Some(LineStart { strength: 0, hash: 0 });
        }
        let indent = content.len() - trimmed.len();
        let own = match self.format {
            Format::Code(_) => self.code_line(trimmed, indent),
            Format::Json | Format::Yaml | Format::Toml | Format::Xml => self.entry_line(trimmed, indent),
            Format::Csv => self.row(content),
            format if format.has_sheets() => ROW_STRENGTH,
            format if format.has_markdown_headings() => {
                let fenced_before = self.fenced;
                self.fenced = self.fence.reads(content);
                if fenced_before && self.fenced {
                    u8::from(self.blank_bytes > 0) + 1
                } else {
                    self.prose_line(trimmed, indent)
                }
            }
            _ => self.prose_line(trimmed, indent),
        };
        let hash = sample(content, self.before);
        self.before = sample(content, 0);
        self.blank_bytes = 0;
        self.sentence_ended = ends_sentence(content);
        Some(LineStart { strength: own.max(structural), hash })
    }

    fn prose_line(&self, trimmed: &str, indent: usize) -> u8 {
        if self.blank_bytes > 0 {
            // A paragraph inside a list item is no better a place than the item.
            if indent == 0 { 5 } else { 4 }
        } else if is_list_item(trimmed) {
            if indent == 0 { 4 } else { 3 }
        } else if self.sentence_ended {
            3
        } else if trimmed.starts_with(char::is_lowercase) {
            // A line that goes on in small letters was wrapped.
            1
        } else {
            2
        }
    }

    fn code_line(&self, trimmed: &str, indent: usize) -> u8 {
        let closing = trimmed.starts_with(['}', ')', ']']) || matches!(trimmed, "end" | "fi" | "done" | "esac");
        match (closing, self.blank_bytes > 0, indent) {
            (true, _, _) => 0,
            (false, true, 0) => 4,
            (false, true, _) => 3,
            (false, false, 0) => 2,
            (false, false, _) => 1,
        }
    }

    fn entry_line(&self, trimmed: &str, indent: usize) -> u8 {
        if trimmed.starts_with(['}', ')', ']']) || trimmed.starts_with("</") {
            return 0;
        }
        let depth = u8::try_from((indent / 2).min(3)).unwrap_or(3);
        4 - depth + u8::from(self.blank_bytes > 0)
    }

    /// A row may hold line breaks inside quotation marks.
    fn row(&mut self, content: &str) -> u8 {
        let inside = self.open_quote;
        self.open_quote ^= content.bytes().filter(|byte| *byte == b'"').count() % 2 == 1;
        if inside { 0 } else { ROW_STRENGTH }
    }
}

fn ends_sentence(line: &str) -> bool {
    let end = line.trim_end().trim_end_matches(['"', '\'', ')', ']', '”', '’', '»', '*', '_', '`']);
    end.ends_with(['.', '!', '?', ':', '…', '。', '！', '？', '۔', '।'])
}

/// A hash of the beginning of a line (FNV-1a over at most [`SAMPLE_BYTES`]), mixed with a seed.
pub(super) fn sample(line: &str, seed: u32) -> u32 {
    let mut hash = 0x811C_9DC5_u32 ^ seed.rotate_left(13);
    for byte in line.bytes().take(SAMPLE_BYTES) {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    // FNV's high bits barely depend on the last bytes; a final mix makes every bit depend on all.
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85EB_CA6B);
    hash ^ (hash >> 13)
}
