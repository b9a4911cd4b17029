//! What a document states about itself in `docProps`.

use super::relationships::Relationships;
use crate::package::Package;
use crate::title::sensible;
use crate::xml::{XmlEvent, XmlReader, decoded};

/// Bytes of a title that are looked at.
const TITLE_BYTES: usize = 4096;

/// The document's title, where somebody gave it one.
pub(super) fn title(package: &mut Package<'_>, root: &Relationships) -> Option<String> {
    let part = root.of_kind("core-properties").next().unwrap_or("docProps/core.xml").to_owned();
    let source = package.read_part(&part)?;
    let text = decoded(&source.bytes);
    let mut reader = XmlReader::new(&text);
    while let Some(event) = reader.next_event() {
        if let XmlEvent::Open(element) = event
            && element.name() == "title"
        {
            return sensible(&reader.text_within(TITLE_BYTES));
        }
    }
    None
}
