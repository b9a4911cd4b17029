//! The reader that is always there: `pdf_oxide`.
//!
//! It reports success with empty text on files that it has no key for, which is why encryption is asked
//! for by name.

use pdf_oxide::converters::ConversionOptions;
use pdf_oxide::extractors::SpanMergingConfig;
use pdf_oxide::{Error, PdfDocument};

use super::annotation::Annotations;
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

    /// The page's text in the order in which it was drawn, if that is one to read in.
    ///
    /// The runs are taken as the parser meets them. What it does to them elsewhere (an order of its own,
    /// the place of every glyph, running titles found by reading other pages) takes most of its time and is
    /// not used here.
    fn in_drawing_order(&self, index: usize) -> Result<Option<String>, Refusal> {
        let runs = self.document.extract_spans_with_config(index, SpanMergingConfig::default());
        let mut runs = runs.map_err(|error| refusal(&error))?;
        if let Ok(corners) = self.document.get_page_visible_box(index) {
            assembly::keep_visible(&mut runs, corners);
        }
        Ok(assembly::in_drawing_order(runs))
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
        let index = index as usize;
        let page = self.document.get_page(index).map_err(|error| refusal(&error))?;
        let annotations = page.as_dict().map(|page| Annotations::of(&self.document, page)).unwrap_or_default();
        let mut text = match self.in_drawing_order(index)? {
            Some(text) if !annotations.drawn => text,
            // Tables are left to the rows they stand in: found where there are none, they tear sentences.
            _ => self
                .document
                .extract_text_with_options(
                    index,
                    &ConversionOptions { extract_tables: false, ..ConversionOptions::default() },
                )
                .map_err(|error| refusal(&error))?,
        };
        for words in annotations.words {
            if !text.contains(&words) {
                text.push_str("\n\n");
                text.push_str(&words);
            }
        }
        Ok(text)
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
