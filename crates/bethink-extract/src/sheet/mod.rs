//! Workbooks: every sheet's rows as their cells show them, one row a line.
//!
//! The readers are our own, streams over XML and records: those that there are allocate a sheet by the size
//! that it claims (half a terabyte for a file of 1.5 kB), and show dates, percentages and currencies as bare
//! numbers. What a person sees is what they remember: formulas come as their last values, dates as ISO dates,
//! merged cells once, hidden sheets like the others. Notes and the words of drawings stand behind the cells of
//! their row.

mod cell_names;
mod covered;
mod format_code;
mod number_format;
mod ods;
mod relations;
mod rows;
mod serial_date;
mod strings;
mod xlsx;
mod xml;

use bethink_core::{Format, ProblemKind};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;
use crate::package::Package;
use rows::Rows;

/// Reads workbooks.
pub(crate) struct SheetFamily;

impl Family for SheetFamily {
    fn reads(&self, format: Format) -> bool {
        matches!(format, Format::Xlsx | Format::Ods)
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        let mut package = match Package::open(source.bytes, limits) {
            Ok(package) => package,
            Err(problem) if problem.kind == ProblemKind::Encrypted => return Outcome::Skipped(problem),
            Err(problem) => return Outcome::Failed(problem),
        };
        if let Some(title) = title(&mut package, source.format) {
            sink.title(title);
        }
        let mut rows = Rows::new(sink);
        match source.format {
            Format::Ods => ods::read(&mut package, &mut rows),
            _ => xlsx::read(&mut package, &mut rows),
        }
        if rows.finish() {
            return Outcome::Read;
        }
        Outcome::Skipped(problem(ProblemKind::Empty, "its sheets hold nothing"))
    }

    fn entries(&self) -> Vec<FormatEntry> {
        let limits = "128 MiB a part, 100 times its packed size, 128 KiB a cell, 2 MiB a row, 64 MiB of text";
        vec![
            FormatEntry {
                name: "xlsx",
                detected_by: "parts of the ZIP",
                locator: "sheet and row",
                lost: "formulas (their last values are read), targets of links, pictures",
                limits,
            },
            FormatEntry {
                name: "ods",
                detected_by: "stored media type",
                locator: "sheet and row",
                lost: "formulas (their last values are read), targets of links, pictures",
                limits,
            },
        ]
    }
}

/// The title that its author gave the workbook.
fn title(package: &mut Package<'_>, format: Format) -> Option<String> {
    let path = if format == Format::Ods {
        "meta.xml".to_owned()
    } else {
        let links = relations::of(package, "");
        relations::of_kind(&links, "core-properties")?.to_owned()
    };
    let bytes = package.read_part(&path)?.bytes;
    let text = xml::decoded(&bytes);
    let mut xml = xml::Xml::new(&text);
    let (mut in_title, mut title) = (false, String::new());
    while let Some(node) = xml.next() {
        match node {
            xml::Node::Open(element) if element.local_name().as_ref() == "title" => in_title = true,
            xml::Node::Close(name) if name == "title" => break,
            xml::Node::Text(text) if in_title => title.push_str(&text),
            _ => {}
        }
    }
    let title = crate::text::without_controls(title.split_whitespace().collect::<Vec<_>>().join(" "));
    (!title.is_empty()).then_some(title)
}
