//! Word documents and PowerPoint decks in the form that programs write since 2007.
//!
//! Read by the markup itself, since what a person remembers is told there and nowhere else: headings by
//! their styles, slides in their order, notes, comments, text boxes. Deleted and hidden text is left out.

mod alternate;
mod docx;
mod graphic;
mod pptx;
mod properties;
mod relationships;

use bethink_core::Format;

use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;
use crate::package::Package;

/// Reads Office Open XML.
pub(crate) struct OoxmlFamily;

impl Family for OoxmlFamily {
    fn reads(&self, format: Format) -> bool {
        matches!(format, Format::Docx | Format::Pptx)
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        let mut package = match Package::of_source(source, limits) {
            Ok(package) => package,
            Err(outcome) => return outcome,
        };
        if source.format == Format::Pptx {
            pptx::read(&mut package, limits, sink)
        } else {
            docx::read(&mut package, sink)
        }
    }

    fn entries(&self) -> Vec<FormatEntry> {
        let limits = "192 MiB of the file, 128 MiB a part, a part may unpack to 100 times its size beyond 16 MiB, \
                      64 MiB of text";
        vec![
            FormatEntry {
                name: "docx",
                detected_by: "ZIP with word/",
                locator: "line of the extracted text, heading",
                lost: "deleted and hidden text, layout, link targets, pictures, embedded files",
                limits,
            },
            FormatEntry {
                name: "pptx",
                detected_by: "ZIP with ppt/",
                locator: "slide",
                lost: "masters' text, slide numbers, layout, link targets, pictures, embedded files",
                limits,
            },
        ]
    }
}
