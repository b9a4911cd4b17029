//! Pages, Keynote and Numbers: the XML of the versions until 2009, and the packed archives since.
//!
//! The archives are a database of objects; their texts and the strings of their tables are read, not how
//! they hang together, so that slides have no numbers there. Where nothing is found, the preview that the
//! programs put beside their documents is read as the PDF that it is.

mod archive;
mod markup;
mod snappy;

use bethink_core::{Format, ProblemKind};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source, family_of};
use crate::flow::{Flow, Style};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;
use crate::package::Package;
use crate::xml::decoded;

/// Reads Apple's office formats.
pub(crate) struct IworkFamily;

/// Where the XML of the older versions stands.
const MARKUP_PARTS: [&str; 2] = ["index.xml", "index.apxl"];

/// Where the preview stands.
const PREVIEWS: [&str; 2] = ["QuickLook/Preview.pdf", "preview.pdf"];

impl Family for IworkFamily {
    fn reads(&self, format: Format) -> bool {
        matches!(format, Format::Pages | Format::Keynote | Format::Numbers)
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        let mut package = match Package::of_source(source, limits) {
            Ok(package) => package,
            Err(outcome) => return outcome,
        };
        if package.has(".iwpv2") || package.has(".iwph") {
            return Outcome::Skipped(problem(ProblemKind::Encrypted, "it opens with a password only"));
        }
        let mut flow = Flow::new(sink);
        if let Some(part) = MARKUP_PARTS.iter().find_map(|name| package.read_part(name)) {
            markup::read(&decoded(&part.bytes), source.format, limits, &mut flow);
            if let Some(problem) = part.problem {
                flow.problem(problem);
            }
        } else {
            read_archives(&mut package, limits, &mut flow);
        }
        let any = flow.has_text();
        flow.finish();
        if any {
            return Outcome::Read;
        }
        let preview = PREVIEWS.iter().find_map(|name| package.read(name).ok().flatten());
        match preview.zip(family_of(Format::Pdf)) {
            Some((bytes, family)) => {
                family.read(&Source { bytes: &bytes, format: Format::Pdf, name: source.name }, limits, sink)
            }
            None => Outcome::Skipped(problem(ProblemKind::Empty, "the document holds no text")),
        }
    }

    fn entries(&self) -> Vec<FormatEntry> {
        let entry = |name, locator| FormatEntry {
            name,
            detected_by: "ZIP with index.xml, index.apxl or Index/*.iwa; extension",
            locator,
            lost: "layout, pictures, formulas; since 2013 also the order of slides and the places of cells",
            limits: "192 MiB of the file, 128 MiB a part, 64 MiB of text",
        };
        vec![
            entry("pages", "line of the extracted text"),
            entry("key", "slide in files until 2009"),
            entry("numbers", "sheet and row in files until 2009"),
        ]
    }
}

/// Reads the archives of a package, which may be packed once more in one part.
fn read_archives(package: &mut Package<'_>, limits: &Limits, flow: &mut Flow<'_>) {
    if let Ok(Some(inner)) = package.read("Index.zip") {
        if let Ok(mut inner) = Package::open(&inner, limits) {
            read_objects(&mut inner, flow);
        }
        return;
    }
    read_objects(package, flow);
}

fn read_objects(package: &mut Package<'_>, flow: &mut Flow<'_>) {
    let mut names: Vec<String> = package.names().filter(|name| archive::is_content(name)).map(str::to_owned).collect();
    names.sort_by_key(|name| archive::order(name));
    for name in names {
        if flow.is_full() {
            return;
        }
        let Some(part) = package.read_part(&name) else { continue };
        for text in archive::texts(&snappy::unpacked(&part.bytes)) {
            text.split(['\n', '\r', '\u{2029}']).for_each(|line| flow.paragraph(line, &Style::Plain));
        }
    }
}
