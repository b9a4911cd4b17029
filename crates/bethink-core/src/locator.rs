//! Where in a source a stretch of text stands, in the words a person would use for it.

use std::fmt;

/// The place of a passage or line inside its source, beyond the line number of the extracted text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Locator {
    /// The line number says it all (plain text, code, configuration).
    #[default]
    Line,
    /// Page of a paged document, from 1.
    Page(u32),
    /// Slide of a deck, from 1.
    Slide(u32),
    /// Named sheet of a workbook and the rows shown, from 1.
    Sheet {
        /// The sheet's name.
        name: String,
        /// First row of the stretch, from 1.
        row: u32,
    },
    /// Chapter of a book, from 1, with its title where it has one.
    Chapter {
        /// Position in reading order, from 1.
        number: u32,
        /// The chapter's title; empty where it has none.
        title: String,
    },
    /// Message in a mailbox or chat, from 1.
    Message(u32),
    /// Cell of a computational notebook, from 1.
    Cell(u32),
    /// Position in a recording or its transcript.
    Timecode {
        /// Milliseconds from the start.
        millis: u64,
    },
    /// Member of an archive, by its path inside.
    Member(String),
    /// Named field about a source: a mail's header, a picture's or a recording's tag. What a list of facets
    /// is made from.
    Field(String),
}

impl Locator {
    /// Whether a reader who knows the place before needs no word about this one: the next row of the same
    /// sheet, the next moment of a recording, a field that its own line names.
    pub fn goes_on_from(&self, before: &Self) -> bool {
        match (before, self) {
            (Self::Sheet { name, row }, Self::Sheet { name: next, row: next_row }) => {
                name == next && row.checked_add(1) == Some(*next_row)
            }
            (_, Self::Line | Self::Field(_)) => true,
            (before, Self::Timecode { .. }) => matches!(before, Self::Timecode { .. }),
            _ => false,
        }
    }
}

impl fmt::Display for Locator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line => Ok(()),
            Self::Page(number) => write!(formatter, "page {number}"),
            Self::Slide(number) => write!(formatter, "slide {number}"),
            Self::Sheet { name, row } => write!(formatter, "sheet {name} row {row}"),
            Self::Chapter { number, title } if title.is_empty() => write!(formatter, "chapter {number}"),
            Self::Chapter { number, title } => write!(formatter, "chapter {number}: {title}"),
            Self::Message(number) => write!(formatter, "message {number}"),
            Self::Cell(number) => write!(formatter, "cell {number}"),
            Self::Timecode { millis } => {
                let seconds = millis / 1000;
                write!(formatter, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
            }
            Self::Member(path) => write!(formatter, "member {path}"),
            Self::Field(name) => write!(formatter, "field {name}"),
        }
    }
}
