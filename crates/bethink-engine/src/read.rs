//! The text around a place: `read_around`.

use std::path::PathBuf;

use bethink_core::{DocumentId, Format, Locator};

/// What to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadTarget {
    /// A path (absolute, or relative to the engine's working folder).
    Path(PathBuf),
    /// A document by the id that hits carry.
    Document(DocumentId),
}

/// A request to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRequest {
    /// What to read.
    pub target: ReadTarget,
    /// The line to read around, from 1; `None` starts at the top.
    pub line: Option<u32>,
    /// Lines before and after; `None` means the default of 20.
    pub context: Option<u32>,
    /// The whole text instead of a window.
    pub whole: bool,
    /// Whether a file outside the index may be extracted on the spot. A person at a terminal may ask
    /// for it; an agent may not.
    pub allow_unindexed: bool,
}

/// One line of extracted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadLine {
    /// Its number, as hits number it.
    pub number: u32,
    /// Its text, without the line end, control characters made visible.
    pub text: String,
    /// The place that begins with this line (page, slide, …), where one does.
    pub locator: Option<Locator>,
}

/// The text around a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadAnswer {
    /// The file as on disk now.
    pub path: PathBuf,
    /// The document, where it is indexed.
    pub document: Option<DocumentId>,
    /// How the file was read.
    pub format: Format,
    /// The source's own title.
    pub title: Option<String>,
    /// Lines of the whole text.
    pub lines_total: u32,
    /// Headings above the first line shown, outermost first.
    pub heading: Vec<String>,
    /// The lines.
    pub lines: Vec<ReadLine>,
    /// Sentences that the reader should know.
    pub notes: Vec<String>,
}
