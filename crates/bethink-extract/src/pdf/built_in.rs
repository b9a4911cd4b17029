//! The reader that is always there: `pdf_oxide`.
//!
//! It reports success with empty text on files that it has no key for, which is why encryption is asked
//! for by name.

use pdf_oxide::converters::ConversionOptions;
use pdf_oxide::{Error, PdfDocument};

use super::reader::{PageReader, Refusal};
use super::{assembly, title};

/// A document opened by the built-in reader.
pub(super) struct BuiltIn {
    document: PdfDocument,
    pages: u32,
}

impl BuiltIn {
    /// Opens the document and makes sure that its text can be had.
    ///
    /// # Errors
    /// When it is encrypted, or broken beyond counting its pages.
    pub(super) fn open(bytes: &[u8]) -> Result<Self, Refusal> {
        let document = PdfDocument::from_bytes(bytes.to_vec()).map_err(|error| refusal(&error))?;
        if document.is_encrypted() && !matches!(document.authenticate(b""), Ok(true)) {
            return Err(Refusal::Encrypted);
        }
        let pages = document.page_count().map_err(|error| refusal(&error))?;
        Ok(Self { document, pages: u32::try_from(pages).unwrap_or(u32::MAX) })
    }
}

impl PageReader for BuiltIn {
    fn pages(&self) -> u32 {
        self.pages
    }

    fn title(&self) -> Option<String> {
        title::stated(&self.document)
    }

    /// In drawing order where that is a reading order.
    fn text(&self, index: u32) -> Result<String, Refusal> {
        let text = match self.document.extract_spans(index as usize).map(assembly::in_drawing_order) {
            Ok(Some(text)) => Ok(text),
            // Tables are left to the rows they stand in: found where there are none, they tear sentences.
            Ok(None) => self.document.extract_text_with_options(
                index as usize,
                &ConversionOptions { extract_tables: false, ..ConversionOptions::default() },
            ),
            Err(error) => Err(error),
        };
        text.map_err(|error| refusal(&error))
    }

    fn shows_picture(&self, index: u32) -> bool {
        self.document.page_image_handles(index as usize).is_ok_and(|images| !images.is_empty())
    }
}

/// What an error of the parser means.
fn refusal(error: &Error) -> Refusal {
    match error {
        Error::EncryptedPdf => Refusal::Encrypted,
        Error::CircularReference(_) | Error::RecursionLimitExceeded(_) => Refusal::Endless,
        _ => Refusal::Broken,
    }
}
