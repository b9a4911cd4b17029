//! Workbooks: every sheet's rows as their cells show them, one row a line.
//!
//! The readers are our own, streams over XML and records: those that there are allocate a sheet by the size
//! that it claims (half a terabyte for a file of 1.5 kB), and show dates, percentages and currencies as bare
//! numbers. What a person sees is what they remember: formulas come as their last values, dates as ISO dates,
//! merged cells once, hidden sheets like the others. Notes and the words of drawings stand behind the cells of
//! their row.

mod biff;
mod biff_record;
mod cell_names;
mod codepage;
mod covered;
mod format_code;
mod number_format;
mod ods;
mod relations;
mod rows;
mod serial_date;
mod spreadsheet_xml;
mod strings;
mod values;
mod xlsb;
mod xlsx;

use bethink_core::{Format, Problem, ProblemKind};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;
use crate::package::Package;
use crate::xml::{XmlEvent, XmlReader, decoded};
use rows::Rows;

/// Reads workbooks.
pub(crate) struct SheetFamily;

impl Family for SheetFamily {
    fn reads(&self, format: Format) -> bool {
        matches!(format, Format::Xlsx | Format::Xlsb | Format::Xls | Format::Ods)
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        match read(source, limits, sink) {
            Ok(true) => Outcome::Read,
            Ok(false) => Outcome::Skipped(problem(ProblemKind::Empty, "its sheets hold nothing")),
            Err(problem) if problem.kind == ProblemKind::Encrypted => Outcome::Skipped(problem),
            Err(problem) => Outcome::Failed(problem),
        }
    }

    fn entries(&self) -> Vec<FormatEntry> {
        let row = |name, detected_by, limits| FormatEntry {
            name,
            detected_by,
            locator: "sheet and row",
            lost: "formulas (their last values are read), targets of links, pictures",
            limits,
        };
        let parts = "128 MiB a part, 100 times its packed size, 128 KiB a cell, 2 MiB a row, 64 MiB of text";
        let stream = "192 MiB of the file, 128 KiB a cell, 2 MiB a row, 64 MiB of text";
        vec![
            row("xlsx", "parts of the ZIP", parts),
            row("xlsb", "parts of the ZIP", parts),
            row("xls", "streams of the compound file, or the namespace of Excel's XML", stream),
            row("ods", "stored media type, or the media type in a flat document", parts),
        ]
    }
}

/// Reads a workbook by what its bytes are: whether there was anything in it.
fn read(source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Result<bool, Problem> {
    if !source.bytes.starts_with(b"PK") {
        let mut rows = Rows::new(sink);
        match source.format {
            Format::Xls if is_markup(source.bytes) => spreadsheet_xml::read(&decoded(source.bytes), &mut rows),
            Format::Xls => biff::read(source.bytes, &mut rows)?,
            // What else begins otherwise is a document in one file.
            _ => ods::read_content(&decoded(source.bytes), &mut |_| String::new(), &mut rows),
        }
        return Ok(rows.finish());
    }
    let mut package = Package::open(source.bytes, limits)?;
    if let Some(title) = title(&mut package, source.format) {
        sink.title(title);
    }
    let mut rows = Rows::new(sink);
    match source.format {
        Format::Ods => ods::read(&mut package, &mut rows),
        Format::Xlsb => xlsb::read(&mut package, &mut rows),
        _ => xlsx::read(&mut package, &mut rows),
    }
    Ok(rows.finish())
}

/// Whether a workbook of Excel's old formats is XML.
fn is_markup(bytes: &[u8]) -> bool {
    !bytes.starts_with(b"\xD0\xCF") && memchr::memchr(b'<', &bytes[..bytes.len().min(64)]).is_some()
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
    let text = decoded(&bytes);
    let mut xml = XmlReader::new(&text);
    while let Some(event) = xml.next_event() {
        if let XmlEvent::Open(element) = event
            && element.name() == "title"
        {
            return crate::title::sensible(&xml.text_within(MOST_TITLE_BYTES));
        }
    }
    None
}

/// Read of a title before it is judged.
const MOST_TITLE_BYTES: usize = 4096;
