//! Word documents: paragraphs with their headings and lists, tables, and what stands beside them.

mod body;
mod numbering;
mod styles;

use bethink_core::ProblemKind;
use std::collections::HashSet;

use self::body::{Body, Notes};
use self::numbering::Numbering;
use self::styles::Styles;
use super::properties;
use super::relationships::Relationships;
use crate::extraction::problem;
use crate::family::{Outcome, Sink};
use crate::flow::{Flow, Gathered, Style};
use crate::package::Package;
use crate::xml::decoded;

/// Most headers and footers that are read: a document has three of each a section, mostly alike.
const HEADERS: usize = 64;

/// Reads a document into the sink.
pub(super) fn read(package: &mut Package<'_>, sink: &mut dyn Sink) -> Outcome {
    let root = Relationships::of(package, "");
    if let Some(title) = properties::title(package, &root) {
        sink.title(title);
    }
    let main = root.of_kind("officeDocument").next().unwrap_or("word/document.xml").to_owned();
    let Some(part) = package.read_part(&main) else {
        return Outcome::Failed(problem(ProblemKind::Damaged, "the part with its text is missing"));
    };
    if let Some(problem) = part.problem {
        sink.problem(problem);
    }
    let relationships = Relationships::of(package, &main);
    let read_first = |package: &mut Package<'_>, kind: &str| {
        let part = relationships.of_kind(kind).next()?.to_owned();
        package.read_part(&part).map(|part| part.bytes)
    };
    let styles = read_first(package, "styles").map(|bytes| Styles::of(&decoded(&bytes))).unwrap_or_default();
    let numbering = read_first(package, "numbering").map(|bytes| Numbering::of(&decoded(&bytes)));
    let mut numbering = numbering.unwrap_or_default();
    let notes = notes(package, &relationships, &styles);
    let edges: Vec<String> = ["header", "footer"]
        .into_iter()
        .flat_map(|kind| relationships.of_kind(kind))
        .take(HEADERS)
        .map(str::to_owned)
        .collect();

    let mut flow = Flow::new(sink);
    let mut body = Body { package, relationships, styles: &styles, numbering: &mut numbering, notes: &notes };
    body.read(&decoded(&part.bytes), &mut flow);
    let mut seen = HashSet::new();
    for edge in edges {
        let text = gathered(body.package, &edge, &styles);
        // Page numbers alone tell nothing.
        if text.chars().any(char::is_alphabetic) && seen.insert(text.clone()) {
            flow.end_paragraph(&Style::Plain);
            flow.paragraph(&text, &Style::Plain);
        }
    }
    let any = flow.has_text();
    flow.finish();
    if any { Outcome::Read } else { Outcome::Skipped(problem(ProblemKind::Empty, "the document holds no text")) }
}

/// The footnotes, endnotes and comments of a document.
fn notes(package: &mut Package<'_>, relationships: &Relationships, styles: &Styles) -> Notes {
    let mut notes = Notes::new();
    for (kind, parts) in [("footnote", "footnotes"), ("endnote", "endnotes"), ("comment", "comments")] {
        let Some(part) = relationships.of_kind(parts).next().map(str::to_owned) else { continue };
        let Some(source) = package.read_part(&part) else { continue };
        let relationships = Relationships::of(package, &part);
        let mut nowhere = Gathered::default();
        let mut flow = Flow::new(&mut nowhere);
        let (mut numbering, none) = (Numbering::default(), Notes::new());
        let mut body = Body { package, relationships, styles, numbering: &mut numbering, notes: &none };
        let read = body.read(&decoded(&source.bytes), &mut flow);
        notes.extend(read.into_iter().map(|(id, text)| ((kind, id), text)));
    }
    notes
}

/// The text of a header or footer.
fn gathered(package: &mut Package<'_>, part: &str, styles: &Styles) -> String {
    let Some(source) = package.read_part(part) else { return String::new() };
    let relationships = Relationships::of(package, part);
    let mut gathered = Gathered::default();
    let mut flow = Flow::new(&mut gathered);
    let (mut numbering, notes) = (Numbering::default(), Notes::new());
    let mut body = Body { package, relationships, styles, numbering: &mut numbering, notes: &notes };
    body.read(&decoded(&source.bytes), &mut flow);
    flow.finish();
    gathered.0.trim().to_owned()
}
