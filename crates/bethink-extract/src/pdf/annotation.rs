//! What stands on a page beside what was set on it: notes, and the values of forms.
//!
//! Links and the windows in which notes pop up say nothing of their own. Hidden annotations and
//! passwords are left out.

use std::collections::HashMap;

use pdf_oxide::PdfDocument;
use pdf_oxide::object::Object;

use super::text_string::decoded;

type Dictionary = HashMap<String, Object>;

/// Annotations of a page that are looked at; a page of a form has some hundreds.
const ANNOTATIONS_A_PAGE: usize = 10_000;

/// Fields above a field that may hold what it leaves unsaid. Forms nest three or four deep; a chain that
/// leads back to itself ends here.
const FIELDS_ABOVE: usize = 16;

/// The bits of /F by which an annotation is not shown: hidden, and no view (ISO 32000-1, table 165).
const NOT_SHOWN: i64 = 0x2 | 0x20;

/// The bit of /Ff that makes a text field one for passwords (ISO 32000-1, table 228).
const PASSWORD: i64 = 1 << 13;

/// What a page's annotations say.
#[derive(Default)]
pub(super) struct Annotations {
    /// The words of each, in the order of the file.
    pub(super) words: Vec<String>,
    /// Whether one shows text that only its drawing holds.
    pub(super) drawn: bool,
}

impl Annotations {
    /// Reads the annotations of a page; what is broken among them says nothing.
    pub(super) fn of(document: &PdfDocument, page: &Dictionary) -> Self {
        let mut found = Self::default();
        let Some(listed) = page.get("Annots").and_then(|listed| document.resolve_object(listed).ok()) else {
            return found;
        };
        for entry in listed.as_array().into_iter().flatten().take(ANNOTATIONS_A_PAGE) {
            if let Ok(annotation) = document.resolve_object(entry)
                && let Some(annotation) = annotation.as_dict()
            {
                found.add(document, annotation);
            }
        }
        found
    }

    fn add(&mut self, document: &PdfDocument, annotation: &Dictionary) {
        let kind = annotation.get("Subtype").and_then(Object::as_name).unwrap_or_default();
        let flags = annotation.get("F").and_then(Object::as_integer).unwrap_or(0);
        if matches!(kind, "Link" | "Popup") || flags & NOT_SHOWN != 0 {
            return;
        }
        let words = match kind {
            "Widget" => value(document, annotation),
            _ => text(document, annotation.get("Contents")),
        };
        match words {
            Some(words) => self.words.push(words),
            None if matches!(kind, "FreeText" | "Stamp") && annotation.contains_key("AP") => self.drawn = true,
            None => {}
        }
    }
}

/// The value of a text or choice field, its own or that of the field it is part of.
fn value(document: &PdfDocument, widget: &Dictionary) -> Option<String> {
    let kind = inherited(document, widget, "FT")?;
    let flags = inherited(document, widget, "Ff").and_then(|flags| flags.as_integer()).unwrap_or(0);
    match kind.as_name() {
        Some("Tx") if flags & PASSWORD == 0 => {}
        Some("Ch") => {}
        _ => return None,
    }
    match inherited(document, widget, "V")? {
        // A list of which several are chosen.
        Object::Array(chosen) => {
            let chosen: Vec<String> = chosen.iter().filter_map(|choice| text(document, Some(choice))).collect();
            (!chosen.is_empty()).then(|| chosen.join(", "))
        }
        value => text(document, Some(&value)),
    }
}

/// An entry of a field or of the nearest field above that has it.
fn inherited(document: &PdfDocument, field: &Dictionary, key: &str) -> Option<Object> {
    if let Some(value) = field.get(key) {
        return document.resolve_object(value).ok();
    }
    let mut above = field.get("Parent").cloned();
    for _ in 0..FIELDS_ABOVE {
        let parent = document.resolve_object(&above?).ok()?;
        let parent = parent.as_dict()?;
        if let Some(value) = parent.get(key) {
            return document.resolve_object(value).ok();
        }
        above = parent.get("Parent").cloned();
    }
    None
}

/// A text string with something in it.
fn text(document: &PdfDocument, object: Option<&Object>) -> Option<String> {
    let object = document.resolve_object(object?).ok()?;
    let words = decoded(object.as_string()?);
    let words = words.trim();
    (!words.is_empty()).then(|| words.to_owned())
}
