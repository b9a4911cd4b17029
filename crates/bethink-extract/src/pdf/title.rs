//! The title that a PDF states about itself, where it is one.

use pdf_oxide::PdfDocument;
use pdf_oxide::object::Object;

use super::text_string::decoded;
use crate::title::sensible;

/// The title of the document's information dictionary, unless a program put it there.
pub(super) fn stated(document: &PdfDocument) -> Option<String> {
    let resolve = |object: &Object| document.resolve_object(object).ok();
    let information = resolve(document.trailer().as_dict()?.get("Info")?)?;
    let title = resolve(information.as_dict()?.get("Title")?)?;
    sensible(&decoded(title.as_string()?))
}
