//! The title that a PDF states about itself, where it is one.

use pdf_oxide::PdfDocument;
use pdf_oxide::object::Object;

use crate::title::sensible;

/// The title of the document's information dictionary, unless a program put it there.
pub(super) fn stated(document: &PdfDocument) -> Option<String> {
    let resolve = |object: &Object| document.resolve_object(object).ok();
    let information = resolve(document.trailer().as_dict()?.get("Info")?)?;
    let title = resolve(information.as_dict()?.get("Title")?)?;
    sensible(&decoded(title.as_string()?))
}

/// A text string: UTF-16 or UTF-8 behind a byte-order mark, else PDFDocEncoding, which is Latin-1 in
/// all that titles are written with.
fn decoded(bytes: &[u8]) -> String {
    match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding.decode(bytes).0.into_owned(),
        None => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_strings_are_decoded_by_their_mark() {
        assert_eq!(decoded(b"\xFE\xFF\0T\0\xFC"), "Tü");
        assert_eq!(decoded(b"T\xFC"), "Tü");
    }
}
