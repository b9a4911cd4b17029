//! OpenDocument spreadsheets: one stream of XML with every sheet in it.
//!
//! A cell carries the text that it shows, so no number is formatted here but for dates, which come as ISO dates.
//! Rows and cells say how often they are repeated: up to a million times for the empty rest of a sheet, which
//! costs a number here.

use bethink_core::ProblemKind;

use super::rows::Rows;
use super::serial_date::readable_iso;
use super::values::number;
use super::xlsx::part;
use crate::extraction::problem;
use crate::package::Package;
use crate::xml::{XmlElement, XmlEvent, XmlReader, decoded};

/// Times that a row or cell with words in it is written; a person who repeats one more often filled it in.
const MOST_REPEATS: u32 = 100;

/// Charts and other objects that are looked into.
const MOST_OBJECTS: usize = 1000;

/// Reads the workbook into rows.
pub(super) fn read(package: &mut Package<'_>, rows: &mut Rows<'_>) {
    let bytes = part(package, "content.xml", rows);
    let mut object = |path: &str| {
        let path = path.trim_start_matches("./");
        let bytes = package.read_part(&format!("{path}/content.xml")).map(|part| part.bytes).unwrap_or_default();
        chart_words(&decoded(&bytes))
    };
    read_content(&decoded(&bytes), &mut object, rows);
}

/// Reads `content.xml`, or a flat document, in which everything stands in one file.
pub(super) fn read_content(text: &str, object: &mut dyn FnMut(&str) -> String, rows: &mut Rows<'_>) {
    let mut xml = XmlReader::new(text);
    let mut sheet = Sheet::default();
    let mut objects = 0;
    while let Some(node) = xml.next_event() {
        if let XmlEvent::Open(element) = &node
            && element.name() == "object"
            && objects < MOST_OBJECTS
            && let Some(path) = element.attribute("href")
        {
            objects += 1;
            sheet.beside.push(object(&path));
        }
        let more = match node {
            XmlEvent::Open(element) => sheet.open(&element, rows),
            XmlEvent::Close(end) => sheet.close(end.name(), rows),
            XmlEvent::Text(text) => {
                sheet.text(&text);
                true
            }
        };
        if !more {
            return;
        }
    }
    if xml.is_broken() {
        rows.problem(problem(ProblemKind::Damaged, "a sheet of it breaks off"));
    }
}

/// Where the reading stands.
#[derive(Default)]
struct Sheet {
    /// Open tables; a table may stand in a cell of another one.
    tables: u32,
    row: u32,
    row_repeats: u32,
    /// The row's cells: column, how often, text.
    cells: Vec<(u32, u32, String)>,
    column: u32,
    cell: Option<Cell>,
    /// Notes and the words of drawings in the row.
    beside: Vec<String>,
    /// Words of the note, text box or description that is open.
    aside: Option<Aside>,
    /// Elements whose whole content is left out, and how deep it goes.
    skipped: u32,
    in_paragraph: u32,
}

#[derive(Default)]
struct Cell {
    repeats: u32,
    kind: String,
    value: String,
    text: String,
}

struct Aside {
    element: String,
    label: &'static str,
    words: String,
}

impl Sheet {
    fn open(&mut self, element: &XmlElement<'_>, rows: &mut Rows<'_>) -> bool {
        let name = element.name();
        if self.skipped > 0 {
            self.skipped += 1;
            return true;
        }
        match name {
            // Old values of changed cells, the author and date of a note, filters and forms.
            "tracked-changes" | "creator" | "date" | "forms" | "dde-links" | "label-ranges" => self.skipped = 1,
            "table" => {
                self.tables += 1;
                if self.tables == 1 {
                    rows.begin(&element.attribute("name").unwrap_or_default());
                    *self = Self { tables: 1, ..Self::default() };
                }
            }
            "table-row" if self.tables == 1 => {
                self.row = self.row.saturating_add(1);
                self.row_repeats = number(element, "number-rows-repeated").unwrap_or(1).max(1);
                self.column = 0;
            }
            "table-cell" | "covered-table-cell" if self.tables == 1 => {
                let value = ["date-value", "time-value", "boolean-value", "string-value", "value"]
                    .iter()
                    .find_map(|name| element.attribute(name));
                self.cell = Some(Cell {
                    repeats: number(element, "number-columns-repeated").unwrap_or(1).max(1),
                    kind: element.attribute("value-type").unwrap_or_default(),
                    value: value.unwrap_or_default(),
                    text: String::new(),
                });
                self.column = self.column.saturating_add(1);
            }
            "annotation" => self.begin_aside(name, "Note: "),
            "text-box" | "custom-shape" | "rect" | "ellipse" | "line" | "connector" | "polygon" | "path" => {
                self.begin_aside(name, "");
            }
            "title" | "desc" if self.tables > 0 && self.aside.is_none() => self.begin_aside(name, ""),
            "p" | "h" => {
                self.in_paragraph += 1;
                self.text_piece(" ");
            }
            "s" => {
                let count: usize = number(element, "c").unwrap_or(1);
                self.text_piece(&" ".repeat(count.min(64)));
            }
            "tab" | "line-break" => self.text_piece(" "),
            _ => {}
        }
        true
    }

    fn close(&mut self, name: &str, rows: &mut Rows<'_>) -> bool {
        if self.skipped > 0 {
            self.skipped -= 1;
            return true;
        }
        if self.aside.as_ref().is_some_and(|aside| aside.element == name) {
            if let Some(aside) = self.aside.take().filter(|aside| !aside.words.trim().is_empty()) {
                self.beside.push(format!("{}{}", aside.label, aside.words.trim()));
            }
            return true;
        }
        match name {
            "table" => {
                self.tables = self.tables.saturating_sub(1);
                if self.tables == 0 {
                    self.tell_beside(rows);
                }
            }
            "table-row" if self.tables == 1 => return self.end_row(rows),
            "table-cell" if self.tables == 1 => {
                if let Some(cell) = self.cell.take() {
                    let (column, repeats) = (self.column, cell.repeats);
                    self.column = self.column.saturating_add(repeats - 1);
                    let shown = cell.shown();
                    if !shown.trim().is_empty() {
                        self.cells.push((column, repeats.min(MOST_REPEATS), shown));
                    }
                }
            }
            // What a merged cell covers is not shown.
            "covered-table-cell" if self.tables == 1 => {
                if let Some(cell) = self.cell.take() {
                    self.column = self.column.saturating_add(cell.repeats - 1);
                }
            }
            // Shapes of the whole sheet stand before its rows.
            "shapes" => self.tell_beside(rows),
            "p" | "h" => self.in_paragraph = self.in_paragraph.saturating_sub(1),
            _ => {}
        }
        true
    }

    fn begin_aside(&mut self, element: &str, label: &'static str) {
        if self.aside.is_none() {
            self.aside = Some(Aside { element: element.to_owned(), label, words: String::new() });
        }
    }

    fn text(&mut self, text: &str) {
        let described = self.aside.as_ref().is_some_and(|aside| matches!(aside.element.as_str(), "title" | "desc"));
        if self.skipped == 0 && (self.in_paragraph > 0 || described) {
            self.text_piece(text);
        }
    }

    fn text_piece(&mut self, text: &str) {
        if let Some(aside) = &mut self.aside {
            aside.words.push_str(text);
        } else if let Some(cell) = &mut self.cell {
            cell.text.push_str(text);
        }
    }

    fn tell_beside(&mut self, rows: &mut Rows<'_>) {
        for words in self.beside.drain(..) {
            rows.note(self.row, &words);
        }
    }

    fn end_row(&mut self, rows: &mut Rows<'_>) -> bool {
        self.tell_beside(rows);
        if !self.cells.is_empty() {
            for repeat in 0..self.row_repeats.min(MOST_REPEATS) {
                for (column, repeats, text) in &self.cells {
                    for step in 0..*repeats {
                        let (row, column) = (self.row.saturating_add(repeat), column.saturating_add(step));
                        if !rows.cell(row, column, text) {
                            return false;
                        }
                    }
                }
            }
            self.cells.clear();
        }
        self.row = self.row.saturating_add(self.row_repeats.saturating_sub(1));
        true
    }
}

impl Cell {
    /// What it shows, with dates made ISO dates.
    fn shown(self) -> String {
        match self.kind.as_str() {
            "date" if !self.value.is_empty() => readable_iso(&self.value),
            _ if self.text.trim().is_empty() && self.kind == "time" => readable_span(&self.value),
            _ if self.text.trim().is_empty() => self.value,
            _ => self.text,
        }
    }
}

/// `PT16H43M29S` as `16:43:29`.
fn readable_span(span: &str) -> String {
    let Some(rest) = span.strip_prefix("PT") else { return span.to_owned() };
    let numbers: Vec<&str> = rest.split(['H', 'M', 'S', '.', ',']).collect();
    match numbers.as_slice() {
        [hours, minutes, seconds, ..] => format!("{hours}:{minutes}:{seconds}"),
        _ => span.to_owned(),
    }
}

/// The titles of a chart and of its axes.
fn chart_words(text: &str) -> String {
    let mut xml = XmlReader::new(text);
    let mut titles: Vec<String> = Vec::new();
    let mut title: Option<String> = None;
    while let Some(node) = xml.next_event() {
        match node {
            XmlEvent::Open(element) if matches!(element.name(), "title" | "subtitle" | "footer") => {
                title = Some(String::new());
            }
            XmlEvent::Close(end) if matches!(end.name(), "title" | "subtitle" | "footer") => {
                titles.extend(title.take())
            }
            // The chart's copy of the cells.
            XmlEvent::Open(element) if element.name() == "table" => break,
            XmlEvent::Text(text) => {
                if let Some(title) = &mut title {
                    title.push_str(&text);
                }
            }
            _ => {}
        }
    }
    titles.retain(|title| !title.trim().is_empty());
    titles.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_told_as_on_a_clock() {
        assert_eq!(readable_span("PT16H43M29S"), "16:43:29");
        assert_eq!(readable_span("PT16H43M29.5S"), "16:43:29");
        assert_eq!(readable_span("odd"), "odd");
    }
}
