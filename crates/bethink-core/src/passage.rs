//! A passage: the stretch of a text that is embedded, scored and shown as one.

use std::ops::Range;

use crate::{Locator, Mark, PassageKey};

/// One stretch of an extracted text. The passages of a text tile it: in order, they cover every
/// byte exactly once, so that joining their texts gives the extracted text back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Content-derived identity.
    pub key: PassageKey,
    /// Byte range in the extracted text.
    pub range: Range<usize>,
    /// First line, from 1, in the extracted text.
    pub line: u32,
    /// Headings above it, outermost first; for code, the enclosing definitions.
    pub heading: Vec<String>,
    /// Where it starts in the source.
    pub locator: Locator,
    /// Places that begin inside it (rows of a sheet, moments of a recording), ascending; their offsets
    /// count from the passage's own start and are greater than 0.
    pub marks: Vec<Mark>,
}
