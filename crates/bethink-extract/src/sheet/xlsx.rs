//! Office Open XML workbooks, transitional and strict: `xlsx`, `xlsm` and their templates.
//!
//! The parts are found by their relationships, as Excel finds them, and read as streams of XML: a sheet's
//! claims about its size are ignored. Beside the cells: comments, and the words of drawings (text boxes, titles
//! of charts, descriptions of pictures), each at the row that it hangs on.

use std::borrow::Cow;

use bethink_core::ProblemKind;

use super::cell_names;
use super::covered::Covered;
use super::number_format::{NumberFormat, general};
use super::relations::{self, Relation};
use super::rows::Rows;
use super::serial_date::{Epoch, readable_iso};
use super::strings::Strings;
use super::values::{is_true, number, unescaped};
use super::xlsb;
use crate::extraction::problem;
use crate::package::Package;
use crate::xml::{XmlEvent, XmlReader, decoded};

/// Most sheets that are read of one workbook; reports of a sheet a day for a year stay below.
pub(super) const MOST_SHEETS: usize = 4096;

/// What the sheets of a workbook share.
#[derive(Default)]
struct Workbook {
    strings: Strings,
    /// The number format of each cell style.
    styles: Vec<NumberFormat>,
    epoch: Epoch,
}

/// A sheet that the workbook lists.
struct Sheet {
    name: String,
    path: String,
}

/// Reads the workbook into rows.
pub(super) fn read(package: &mut Package<'_>, rows: &mut Rows<'_>) {
    let main = relations::main_part(package, "xl/workbook.xml");
    let links = relations::of(package, &main);
    let mut workbook = Workbook::default();
    let sheets = read_workbook(&part(package, &main, rows), &links, &mut workbook);
    if let Some(path) = relations::of_kind(&links, "sharedStrings") {
        workbook.strings = read_strings(&part(package, path, rows));
    }
    if let Some(path) = relations::of_kind(&links, "styles") {
        workbook.styles = read_styles(&part(package, path, rows));
    }
    for sheet in sheets.into_iter().take(MOST_SHEETS) {
        if rows.is_full() {
            return;
        }
        rows.begin(&sheet.name);
        beside_cells(package, &sheet.path, rows);
        let bytes = part(package, &sheet.path, rows);
        read_sheet(&decoded(&bytes), &workbook, rows);
    }
}

/// A part's bytes, as many as could be had.
pub(super) fn part(package: &mut Package<'_>, path: &str, rows: &mut Rows<'_>) -> Vec<u8> {
    match package.read_part(path) {
        Some(part) => {
            if let Some(problem) = part.problem {
                rows.problem(problem);
            }
            part.bytes
        }
        None => Vec::new(),
    }
}

fn read_workbook(bytes: &[u8], links: &[Relation], workbook: &mut Workbook) -> Vec<Sheet> {
    let text = decoded(bytes);
    let mut xml = XmlReader::new(&text);
    let mut sheets = Vec::new();
    while let Some(node) = xml.next_event() {
        let XmlEvent::Open(element) = node else { continue };
        match element.name() {
            "workbookPr" if is_true(&element, "date1904") => workbook.epoch = Epoch::Macintosh,
            "sheet" => {
                let id = element.attribute("id");
                if let Some(link) = id.and_then(|id| links.iter().find(|link| link.id == *id)) {
                    let name = element.attribute("name").unwrap_or_default();
                    sheets.push(Sheet { name, path: link.target.clone() });
                }
            }
            _ => {}
        }
    }
    sheets
}

fn read_strings(bytes: &[u8]) -> Strings {
    let text = decoded(bytes);
    let mut xml = XmlReader::new(&text);
    let mut strings = Strings::default();
    let mut string = RichText::default();
    while let Some(node) = xml.next_event() {
        match &node {
            XmlEvent::Open(element) if element.name() == "si" => string = RichText::default(),
            XmlEvent::Close(end) if end.name() == "si" => strings.push(&unescaped(&string.text)),
            _ => string.take(&node),
        }
    }
    strings
}

/// Text in runs of different looks, without the readings of Japanese characters that stand beside them.
#[derive(Default)]
struct RichText {
    text: String,
    in_text: bool,
    in_reading: bool,
}

impl RichText {
    fn take(&mut self, node: &XmlEvent<'_>) {
        match node {
            XmlEvent::Open(element) => match element.name() {
                "t" => self.in_text = true,
                "rPh" => self.in_reading = true,
                _ => {}
            },
            XmlEvent::Close(end) => match end.name() {
                "t" => self.in_text = false,
                "rPh" => self.in_reading = false,
                _ => {}
            },
            XmlEvent::Text(text) if self.in_text && !self.in_reading => self.text.push_str(text),
            _ => {}
        }
    }
}

fn read_styles(bytes: &[u8]) -> Vec<NumberFormat> {
    /// Excel allows sixty-four thousand.
    const MOST_STYLES: usize = 1 << 17;
    let text = decoded(bytes);
    let mut xml = XmlReader::new(&text);
    let mut codes: Vec<(u32, NumberFormat)> = Vec::new();
    let mut styles = Vec::new();
    let mut in_cell_styles = false;
    while let Some(node) = xml.next_event() {
        match node {
            XmlEvent::Open(element) => match element.name() {
                "numFmt" if codes.len() < MOST_STYLES => {
                    let code = element.attribute("formatCode");
                    if let (Some(number), Some(code)) = (number(&element, "numFmtId"), code) {
                        codes.push((number, NumberFormat::parse(&code)));
                    }
                }
                "cellXfs" => {
                    codes.sort_by_key(|(number, _)| *number);
                    in_cell_styles = true;
                }
                "xf" if in_cell_styles && styles.len() < MOST_STYLES => {
                    let number: u32 = number(&element, "numFmtId").unwrap_or(0);
                    let own = codes.binary_search_by_key(&number, |(own, _)| *own).ok();
                    styles.push(own.map_or_else(|| NumberFormat::built_in(number), |at| codes[at].1.clone()));
                }
                _ => {}
            },
            XmlEvent::Close(end) if end.name() == "cellXfs" => in_cell_styles = false,
            _ => {}
        }
    }
    styles
}

/// The cell that is open.
#[derive(Default)]
struct Cell {
    row: u32,
    column: u32,
    style: usize,
    kind: String,
    value: String,
    inline: RichText,
    in_value: bool,
}

fn read_sheet(text: &str, workbook: &Workbook, rows: &mut Rows<'_>) {
    let covered = Covered::in_sheet(text);
    let mut xml = XmlReader::new(text);
    let mut cell: Option<Cell> = None;
    let (mut row, mut column) = (0u32, 0u32);
    while let Some(node) = xml.next_event() {
        match &node {
            XmlEvent::Open(element) if cell.is_none() => match element.name() {
                "row" => {
                    row = number(element, "r").unwrap_or_else(|| row.saturating_add(1));
                    column = 0;
                }
                "c" => {
                    let place = element.attribute("r").and_then(|name| cell_names::place(&name));
                    (row, column) = place.unwrap_or((row.max(1), column.saturating_add(1)));
                    cell = Some(Cell {
                        row,
                        column,
                        style: number(element, "s").unwrap_or(0),
                        kind: element.attribute("t").unwrap_or_default(),
                        ..Cell::default()
                    });
                }
                _ => {}
            },
            XmlEvent::Open(element) if element.name() == "v" => {
                if let Some(cell) = &mut cell {
                    cell.in_value = true;
                }
            }
            XmlEvent::Close(end) if end.name() == "c" => {
                if let Some(cell) = cell.take()
                    && !covered.holds(cell.row, cell.column)
                    && !rows.cell(cell.row, cell.column, &shown(&cell, workbook))
                {
                    return;
                }
            }
            XmlEvent::Close(end) if end.name() == "sheetData" => break,
            node => {
                if let Some(cell) = &mut cell {
                    match node {
                        XmlEvent::Text(text) if cell.in_value => cell.value.push_str(text),
                        XmlEvent::Close(end) if end.name() == "v" => cell.in_value = false,
                        node => cell.inline.take(node),
                    }
                }
            }
        }
    }
    if xml.is_broken() {
        rows.problem(problem(ProblemKind::Damaged, "a sheet of it breaks off"));
    }
}

/// What a cell shows.
fn shown<'a>(cell: &'a Cell, workbook: &'a Workbook) -> Cow<'a, str> {
    let value = cell.value.trim();
    match cell.kind.as_str() {
        "s" => Cow::Borrowed(value.parse().ok().and_then(|number| workbook.strings.get(number)).unwrap_or_default()),
        "inlineStr" => unescaped(&cell.inline.text),
        "str" => unescaped(&cell.value),
        "b" => Cow::Borrowed(match value {
            "1" | "true" => "TRUE",
            "0" | "false" => "FALSE",
            other => other,
        }),
        "d" => Cow::Owned(readable_iso(value)),
        "e" => Cow::Borrowed(value),
        // Some writers put text inline without saying so.
        _ if value.is_empty() => unescaped(&cell.inline.text),
        _ => match value.parse::<f64>() {
            Ok(number) => Cow::Owned(match workbook.styles.get(cell.style) {
                Some(format) => format.show(number, workbook.epoch),
                None => general(number),
            }),
            Err(_) => Cow::Borrowed(value),
        },
    }
}

/// Comments and drawings of a sheet, as notes to its rows.
pub(super) fn beside_cells(package: &mut Package<'_>, sheet: &str, rows: &mut Rows<'_>) {
    let links = relations::of(package, sheet);
    let threads = relations::of_kind(&links, "threadedComment").map(str::to_owned);
    for link in &links {
        match link.kind.as_str() {
            // A thread is kept a second time as a comment, for programs that know no threads.
            "comments" if link.target.ends_with(".bin") => {
                xlsb::read_comments(&part(package, &link.target, rows), threads.is_some(), rows);
            }
            "comments" => read_comments(&part(package, &link.target, rows), threads.is_some(), rows),
            "threadedComment" => read_comments(&part(package, &link.target, rows), false, rows),
            "drawing" => read_drawing(package, &link.target, rows),
            _ => {}
        }
    }
}

fn read_comments(bytes: &[u8], has_threads: bool, rows: &mut Rows<'_>) {
    let text = decoded(bytes);
    let mut xml = XmlReader::new(&text);
    let mut place = None;
    let mut words = RichText::default();
    while let Some(node) = xml.next_event() {
        match &node {
            XmlEvent::Open(element) if matches!(element.name(), "comment" | "threadedComment") => {
                place = element.attribute("ref").and_then(|name| cell_names::place(&name).map(|at| (at, name)));
                words = RichText::default();
            }
            // In a thread the text is an element of that name.
            XmlEvent::Open(element) if element.name() == "text" && place.is_some() => words.in_text = true,
            XmlEvent::Close(end) if end.name() == "text" => words.in_text = false,
            XmlEvent::Close(end) if matches!(end.name(), "comment" | "threadedComment") => {
                let copied = has_threads && words.text.trim_start().starts_with("[Threaded comment]");
                if let Some(((row, _), name)) = place.take()
                    && !copied
                    && !words.text.trim().is_empty()
                {
                    rows.note(row, &format!("Note {name}: {}", unescaped(&words.text)));
                }
            }
            node => words.take(node),
        }
    }
}

/// The words of a drawing, each at the row that it is anchored to.
fn read_drawing(package: &mut Package<'_>, path: &str, rows: &mut Rows<'_>) {
    let bytes = part(package, path, rows);
    let links = relations::of(package, path);
    let text = decoded(&bytes);
    let mut xml = XmlReader::new(&text);
    let (mut row, mut in_from, mut in_row, mut in_text) = (1u32, false, false, false);
    let mut words = String::new();
    let mut charts: Vec<(u32, String)> = Vec::new();
    while let Some(node) = xml.next_event() {
        match node {
            XmlEvent::Open(element) => match element.name() {
                "from" => in_from = true,
                "row" => in_row = in_from,
                "t" => in_text = true,
                "br" => words.push(' '),
                "cNvPr" => {
                    for name in ["title", "descr"] {
                        if let Some(described) = element.attribute(name) {
                            rows.note(row, &described);
                        }
                    }
                }
                "chart" => {
                    let id = element.attribute("id");
                    if let Some(link) = id.and_then(|id| links.iter().find(|link| link.id == *id)) {
                        charts.push((row, link.target.clone()));
                    }
                }
                _ => {}
            },
            XmlEvent::Close(end) => match end.name() {
                "from" => in_from = false,
                "row" => in_row = false,
                "t" => in_text = false,
                "p" => words.push(' '),
                "txBody" => rows.note(row, &std::mem::take(&mut words)),
                _ => {}
            },
            // Anchors count rows from 0.
            XmlEvent::Text(text) if in_row => row = text.trim().parse::<u32>().unwrap_or(0).saturating_add(1),
            XmlEvent::Text(text) if in_text => words.push_str(&text),
            XmlEvent::Text(_) => {}
        }
    }
    rows.note(row, &words);
    for (row, chart) in charts {
        let bytes = part(package, &chart, rows);
        rows.note(row, &chart_words(&decoded(&bytes)));
    }
}

/// The titles of a chart and of its axes. What it draws stands in the cells.
fn chart_words(text: &str) -> String {
    let mut xml = XmlReader::new(text);
    let mut words: Vec<String> = Vec::new();
    let (mut in_text, mut paragraph) = (false, String::new());
    while let Some(node) = xml.next_event() {
        match node {
            XmlEvent::Open(element) if element.name() == "t" => in_text = true,
            XmlEvent::Close(end) if end.name() == "t" => in_text = false,
            XmlEvent::Close(end) if end.name() == "p" => words.push(std::mem::take(&mut paragraph)),
            XmlEvent::Text(text) if in_text => paragraph.push_str(&text),
            _ => {}
        }
    }
    words.retain(|words| !words.trim().is_empty());
    words.join("; ")
}
