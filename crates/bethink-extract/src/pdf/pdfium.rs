//! The reader that the user may add: pdfium, a library loaded at run time.
//!
//! It reads more of the words than the built-in one, faster, and is C++: it lives in workers only, and
//! is loaded there before they confine themselves. It asks the system for fonts, is refused, and does
//! without: text needs none.

use std::path::Path;
use std::sync::OnceLock;

use pdfium_render::prelude::{
    PdfDocument, PdfDocumentMetadataTagType, PdfFormField, PdfPage, PdfPageAnnotation, PdfPageAnnotationCommon,
    PdfPageObjectType, PdfPageObjectsCommon, Pdfium, PdfiumError, PdfiumInternalError,
};

use super::direction::in_reading_order;
use super::reader::{PageReader, Refusal};
use crate::title::sensible;

/// The library, once it is loaded; a process has one.
static LIBRARY: OnceLock<Option<Pdfium>> = OnceLock::new();

/// Loads the library; whether it is there from here on.
pub(super) fn load(path: &Path) -> bool {
    LIBRARY.get_or_init(|| Pdfium::bind_to_library(path).ok().map(Pdfium::new)).is_some()
}

/// Whether the library was loaded.
pub(super) fn is_loaded() -> bool {
    library().is_some()
}

fn library() -> Option<&'static Pdfium> {
    LIBRARY.get().and_then(Option::as_ref)
}

/// Opens a document.
///
/// # Errors
/// When it is encrypted or broken, or when there is no library.
pub(super) fn open(bytes: &[u8]) -> Result<Box<dyn PageReader + '_>, Refusal> {
    let document = library().ok_or(Refusal::Broken)?.load_pdf_from_byte_slice(bytes, None);
    let document = document.map_err(|error| refusal(&error))?;
    let pages = u32::try_from(document.pages().len()).unwrap_or(0);
    Ok(Box::new(Opened { document, pages }))
}

/// A document opened by the library.
struct Opened<'a> {
    document: PdfDocument<'a>,
    pages: u32,
}

impl Opened<'_> {
    fn page(&self, index: u32) -> Result<PdfPage<'_>, Refusal> {
        let index = i32::try_from(index).map_err(|_| Refusal::Broken)?;
        self.document.pages().get(index).map_err(|error| refusal(&error))
    }
}

impl PageReader for Opened<'_> {
    fn pages(&self) -> u32 {
        self.pages
    }

    fn title(&self) -> Option<String> {
        sensible(self.document.metadata().get(PdfDocumentMetadataTagType::Title)?.value())
    }

    fn text(&self, index: u32) -> Result<String, Refusal> {
        let page = self.page(index)?;
        let set = page.text().map_err(|error| refusal(&error))?;
        let characters = set.chars();
        let mut text = in_reading_order(decoded(characters.iter().map(|character| character.unicode_value())));
        for annotation in page.annotations().iter() {
            if let Some(words) = words_of(&annotation)
                && !text.contains(words.trim())
            {
                text.push_str("\n\n");
                text.push_str(words.trim());
            }
        }
        Ok(text)
    }

    fn shows_picture(&self, index: u32) -> bool {
        let is_picture = |kind| matches!(kind, PdfPageObjectType::Image | PdfPageObjectType::XObjectForm);
        self.page(index).is_ok_and(|page| page.objects().iter().any(|object| is_picture(object.object_type())))
    }
}

/// What a note says or a field of a form holds.
fn words_of(annotation: &PdfPageAnnotation<'_>) -> Option<String> {
    let value = match annotation.as_form_field() {
        Some(PdfFormField::Text(field)) if !field.is_password() => field.value(),
        Some(PdfFormField::ComboBox(field)) => field.value(),
        Some(PdfFormField::ListBox(field)) => field.value(),
        Some(_) => None,
        None => annotation.contents(),
    };
    value.filter(|words| !words.trim().is_empty())
}

/// What the library writes for a hyphen at a line's end, and nowhere else.
const BROKEN_WORD: [u32; 2] = [0x2, 0xfffe];

/// Text out of the library's characters: code points or halves of them, lines ended by two characters.
fn decoded(values: impl Iterator<Item = u32>) -> String {
    let mut text = String::new();
    let mut high: Option<u32> = None;
    for value in values {
        let value = match (high.take(), value) {
            (Some(high), 0xdc00..=0xdfff) => 0x10000 + ((high - 0xd800) << 10) + (value - 0xdc00),
            _ => value,
        };
        match value {
            0xd800..=0xdbff => high = Some(value),
            0x0d => {}
            _ if BROKEN_WORD.contains(&value) => text.push('\u{ad}'),
            _ => text.extend(char::from_u32(value)),
        }
    }
    text
}

/// What an error of the library means.
fn refusal(error: &PdfiumError) -> Refusal {
    match error {
        PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::PasswordError) => Refusal::Encrypted,
        _ => Refusal::Broken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_come_whole_and_lines_end_once() {
        let values = [0x61, 0x0d, 0x0a, 0xd83d, 0xde8b, 0xd83d, 0x62, 0x1f68b, 0xfffe, 0x0a];
        assert_eq!(decoded(values.into_iter()), "a\n🚋b🚋\u{ad}\n");
    }
}
