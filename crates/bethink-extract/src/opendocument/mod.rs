//! OpenDocument texts and presentations, packed or flat, and what StarOffice's followers wrote before.
//!
//! One reader serves texts and slides, since they share their vocabulary. Deleted text is left out;
//! headers and footers stand once at the end; notes and comments behind their paragraphs.

mod content;
mod styles;

use std::collections::HashSet;

use bethink_core::{Format, ProblemKind};

use self::content::{Content, Wanted};
use self::styles::Styles;
use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::flow::{Flow, Gathered, Style};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;
use crate::package::Package;
use crate::title::sensible;
use crate::xml::{XmlEvent, XmlReader, decoded};

/// Reads OpenDocument texts and presentations.
pub(crate) struct OpenDocumentFamily;

/// Bytes of a title that are looked at.
const TITLE_BYTES: usize = 4096;

impl Family for OpenDocumentFamily {
    fn reads(&self, format: Format) -> bool {
        matches!(format, Format::Odt | Format::Odp)
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        if !source.bytes.starts_with(b"PK") {
            return read_flat(source, limits, sink);
        }
        let mut package = match Package::of_source(source, limits) {
            Ok(package) => package,
            Err(outcome) => return outcome,
        };
        let Some(part) = package.read_part("content.xml") else {
            return Outcome::Failed(problem(ProblemKind::Damaged, "the part with its text is missing"));
        };
        if let Some(problem) = part.problem {
            sink.problem(problem);
        }
        let [styles, meta] = ["styles.xml", "meta.xml"].map(|name| package.read_part(name));
        let [styles, meta] = [styles, meta].map(|part| part.map(|part| part.bytes).unwrap_or_default());
        let document = Document { content: &decoded(&part.bytes), styles: &decoded(&styles), meta: &decoded(&meta) };
        document.read(Some(&mut package), source.format, limits, sink)
    }

    fn entries(&self) -> Vec<FormatEntry> {
        let limits = "192 MiB of the file, 128 MiB a part, a part may unpack to 100 times its size beyond 16 MiB, \
                      64 MiB of text";
        vec![
            FormatEntry {
                name: "odt",
                detected_by: "ZIP with a media type; the root element of a flat file",
                locator: "line of the extracted text, heading",
                lost: "deleted text, layout, link targets, pictures, form fields",
                limits,
            },
            FormatEntry {
                name: "odp",
                detected_by: "ZIP with a media type; the root element of a flat file",
                locator: "slide",
                lost: "masters' text, slide numbers, layout, link targets, pictures",
                limits,
            },
        ]
    }
}

/// Reads a document that is one XML text.
fn read_flat(source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
    let text = decoded(source.bytes);
    Document { content: &text, styles: &text, meta: &text }.read(None, source.format, limits, sink)
}

/// The parts of a document; all the same text in a flat file.
struct Document<'a> {
    content: &'a str,
    styles: &'a str,
    meta: &'a str,
}

impl Document<'_> {
    fn read(&self, package: Option<&mut Package<'_>>, format: Format, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        if let Some(title) = self.title() {
            sink.title(title);
        }
        let mut styles = Styles::default();
        styles.add(self.styles);
        styles.add(self.content);
        let mut flow = Flow::new(sink);
        let mut content = Content { package, styles: &styles, slides: limits.pages };
        if format == Format::Odp {
            content.read(self.content, Wanted::Slides, &mut flow);
        } else {
            content.read(self.content, Wanted::Text, &mut flow);
            for edge in self.edges(&styles) {
                flow.paragraph(&edge, &Style::Plain);
            }
        }
        let any = flow.has_text();
        flow.finish();
        if any { Outcome::Read } else { Outcome::Skipped(problem(ProblemKind::Empty, "the document holds no text")) }
    }

    /// Headers and footers, each once; page numbers alone tell nothing.
    fn edges(&self, styles: &Styles) -> Vec<String> {
        let mut gathered = Gathered::default();
        let mut flow = Flow::new(&mut gathered);
        Content { package: None, styles, slides: 0 }.read(self.styles, Wanted::Edges, &mut flow);
        flow.finish();
        let mut seen = HashSet::new();
        let lines = gathered.0.split("\n\n").map(str::trim);
        lines
            .filter(|line| line.chars().any(char::is_alphabetic) && seen.insert(line.to_string()))
            .map(str::to_owned)
            .collect()
    }

    /// The title in the document's description.
    fn title(&self) -> Option<String> {
        let mut reader = XmlReader::new(self.meta);
        while let Some(event) = reader.next_event() {
            let XmlEvent::Open(element) = event else { continue };
            match element.name() {
                "title" => return sensible(&reader.text_within(TITLE_BYTES)),
                "body" => return None,
                _ => {}
            }
        }
        None
    }
}
