//! Word documents and PowerPoint decks in the binary form that programs wrote until 2007.
//!
//! `office_oxide` reads them first: it knows text boxes, headers and comments. What it cannot open goes to
//! `undoc`, which also tells a password from damage.

mod second;
mod structure;

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bethink_core::{Format, Locator, Problem, ProblemKind};
use office_oxide::Document;
use office_oxide::format::DocumentFormat;
use office_oxide::ir::DocumentIR;

use self::structure::Written;
use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::flow::{Flow, Style};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;
use crate::title::sensible;

/// Reads the binary formats of Word and PowerPoint.
pub(crate) struct BinaryOfficeFamily;

impl Family for BinaryOfficeFamily {
    fn reads(&self, format: Format) -> bool {
        matches!(format, Format::Doc | Format::Ppt)
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        let slides = source.format == Format::Ppt;
        if let Some(document) = opened(source).filter(has_text) {
            return read_structure(&document, slides, limits, sink);
        }
        match second::read(source.bytes, slides, limits, sink) {
            Ok(outcome) => outcome,
            Err(reason) if reason.kind == ProblemKind::Encrypted => Outcome::Skipped(reason),
            Err(reason) => Outcome::Failed(reason),
        }
    }

    fn entries(&self) -> Vec<FormatEntry> {
        let limits = "192 MiB of the file, 64 MiB of text";
        vec![
            FormatEntry {
                name: "doc",
                detected_by: "OLE with WordDocument",
                locator: "line of the extracted text, heading",
                lost: "layout, link targets, pictures, embedded files",
                limits,
            },
            FormatEntry {
                name: "ppt",
                detected_by: "OLE with PowerPoint Document",
                locator: "slide",
                lost: "charts, masters' text, layout, link targets, pictures",
                limits,
            },
        ]
    }
}

/// The document as the first reader understands it; `None` where it gives up, in whatever way.
fn opened(source: &Source<'_>) -> Option<DocumentIR> {
    let format = if source.format == Format::Ppt { DocumentFormat::Ppt } else { DocumentFormat::Doc };
    let bytes = Cursor::new(source.bytes.to_vec());
    let parse = || Document::from_reader(bytes, format).ok().map(|document| document.to_ir());
    catch_unwind(AssertUnwindSafe(parse)).ok().flatten()
}

/// Whether there is anything in it.
fn has_text(document: &DocumentIR) -> bool {
    document.sections.iter().any(|section| {
        let notes = section.speaker_notes.as_ref().is_some_and(|notes| !notes.is_empty());
        section.title.is_some() || !section.elements.is_empty() || notes
    })
}

fn read_structure(document: &DocumentIR, slides: bool, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
    if let Some(title) = document.metadata.title.as_deref().and_then(sensible) {
        sink.title(title);
    }
    let mut flow = Flow::new(sink);
    let mut edges = Vec::new();
    for (number, section) in (1..=limits.pages).zip(&document.sections) {
        if slides {
            flow.mark(Locator::Slide(number));
        }
        let mut written = Written::new(&mut flow, slides);
        written.title(section.title.as_deref());
        written.elements(&section.elements);
        if let Some(notes) = &section.speaker_notes {
            written.notes(notes);
        }
        let of_section = [
            &section.header,
            &section.first_page_header,
            &section.even_page_header,
            &section.footer,
            &section.first_page_footer,
            &section.even_page_footer,
        ];
        for edge in of_section.into_iter().flatten() {
            let text = structure::told(&edge.content);
            if text.chars().any(char::is_alphabetic) && !edges.contains(&text) && edges.len() < EDGES {
                edges.push(text);
            }
        }
        if flow.is_full() {
            break;
        }
    }
    for edge in edges {
        flow.paragraph(&edge, &Style::Plain);
    }
    if document.metadata.text_truncated {
        flow.problem(problem(ProblemKind::Damaged, "a part of its text could not be read"));
    }
    ended(flow)
}

/// Most headers and footers that are kept.
const EDGES: usize = 64;

/// How a reading ended, by whether it found anything.
fn ended(flow: Flow<'_>) -> Outcome {
    let any = flow.has_text();
    flow.finish();
    if any { Outcome::Read } else { Outcome::Skipped(problem(ProblemKind::Empty, "the document holds no text")) }
}

/// What both readers gave up on.
fn damaged() -> Problem {
    problem(ProblemKind::Damaged, "its structure is broken beyond reading")
}
