//! What a reader of PDF gives, whichever it is.

use bethink_core::ProblemKind;

use crate::extraction::problem;
use crate::family::Outcome;

/// One document, opened by one reader. Pages are counted from 0.
pub(super) trait PageReader {
    /// How many pages the document says to have.
    fn pages(&self) -> u32;

    /// The title that the document states about itself, where it is one.
    fn title(&self) -> Option<String>;

    /// A page's text as it was set, with its annotations and the values of its forms.
    ///
    /// # Errors
    /// When the page cannot be read.
    fn text(&self, index: u32) -> Result<String, Refusal>;

    /// Whether a page shows a picture; asked only of pages without words.
    fn shows_picture(&self, index: u32) -> bool;
}

/// Why a document or a page cannot be read. A parser's own words may quote the file and stay with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It opens with a password only.
    Encrypted,
    /// Its structure refers to itself.
    Endless,
    /// Its structure is broken.
    Broken,
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Encrypted => Self::Skipped(problem(ProblemKind::Encrypted, "it opens with a password only")),
            Refusal::Endless => {
                Self::Failed(problem(ProblemKind::Damaged, "its structure refers to itself without end"))
            }
            Refusal::Broken => Self::Failed(problem(ProblemKind::Damaged, "its structure is broken beyond reading")),
        }
    }
}
