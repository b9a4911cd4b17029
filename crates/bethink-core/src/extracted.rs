//! What extraction yields: text, where its stretches stand in the source, and what went wrong.

use crate::{Format, Locator};

/// Text drawn from a source. Broken input is data: what could be read is here, what could not is
/// in `problems`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extracted {
    /// What the bytes turned out to be.
    pub format: Format,
    /// The source's own title (HTML title, PDF metadata, first heading); never the file name.
    pub title: Option<String>,
    /// The text. Line `n` of it is what every hit, excerpt and `read` mean by line `n`. For plain
    /// text it is the file's own text, decoded to UTF-8, with line ends as the file has them.
    pub text: String,
    /// Where stretches of the text stand, ascending by offset. A mark holds until the next one;
    /// text before the first mark has `Locator::Line`.
    pub marks: Vec<Mark>,
    /// What could not be read, in plain words.
    pub problems: Vec<Problem>,
}

/// From `offset` on, the text stands at `locator`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Byte offset into the text, on a character border.
    pub offset: usize,
    /// The place in the source.
    pub locator: Locator,
}

impl Extracted {
    /// The locator in force at a byte offset of the text.
    pub fn locator_at(&self, offset: usize) -> &Locator {
        const LINE: &Locator = &Locator::Line;
        locator_at(LINE, &self.marks, offset)
    }
}

/// The locator in force at an offset: that of the last mark at or before it, else the one that holds from
/// the start.
pub fn locator_at<'marks>(from_start: &'marks Locator, marks: &'marks [Mark], offset: usize) -> &'marks Locator {
    match marks.partition_point(|mark| mark.offset <= offset) {
        0 => from_start,
        after => &marks[after - 1].locator,
    }
}

/// Something that extraction met and survived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind of thing it is.
    pub kind: ProblemKind,
    /// One sentence for the user, without the file's content.
    pub detail: String,
}

/// The kinds of trouble a source can give. The names are what `status` counts by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemKind {
    /// A key is needed that we do not have.
    Encrypted,
    /// There is nothing to read (no bytes, no pages, no cells).
    Empty,
    /// The bytes are of no format that holds text.
    Binary,
    /// The structure is broken; what could be read is kept.
    Damaged,
    /// A stated limit on size, time, memory or depth was reached.
    Limit,
    /// Pages are pictures of text; nothing was read from them.
    ImageOnly,
    /// The format is known but no extractor for it is built in.
    Unsupported,
    /// The operating system refused or failed the read.
    Unreadable,
    /// The extractor itself failed.
    Crashed,
}

impl ProblemKind {
    /// The word for it in status lines, JSON and SQL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Encrypted => "encrypted",
            Self::Empty => "empty",
            Self::Binary => "binary",
            Self::Damaged => "damaged",
            Self::Limit => "limit",
            Self::ImageOnly => "image-only",
            Self::Unsupported => "unsupported",
            Self::Unreadable => "unreadable",
            Self::Crashed => "crashed",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::Encrypted,
            Self::Empty,
            Self::Binary,
            Self::Damaged,
            Self::Limit,
            Self::ImageOnly,
            Self::Unsupported,
            Self::Unreadable,
            Self::Crashed,
        ]
        .into_iter()
        .find(|kind| kind.name() == name)
    }
}
