//! The XML of iWork until 2009: one vocabulary for texts, slides and tables.

use bethink_core::{Format, Locator, ProblemKind};

use crate::extraction::problem;
use crate::flow::{Flow, Style};
use crate::limits::Limits;
use crate::xml::{XmlElement, XmlEvent, XmlReader};

/// Most columns of a table that are believed.
const COLUMNS: usize = 1024;

/// Reads a document into the flow.
pub(super) fn read(text: &str, format: Format, limits: &Limits, flow: &mut Flow<'_>) {
    let mut reader = XmlReader::new(text);
    let mut place = Place { format, ..Place::default() };
    while let Some(event) = reader.next_event() {
        if flow.is_full() || place.slide > limits.pages {
            break;
        }
        match event {
            XmlEvent::Open(element) if is_skipped(element.name()) => reader.skip(),
            XmlEvent::Open(element) => place.open(&element, flow),
            XmlEvent::Close(end) => place.close(end.name(), flow),
            XmlEvent::Text(run) if place.paragraphs > 0 => flow.text(&run),
            XmlEvent::Text(_) => {}
        }
    }
    if reader.is_broken() {
        flow.problem(problem(ProblemKind::Damaged, "the document breaks off"));
    }
}

/// What a designer made and nobody wrote: themes, styles, and the prototypes of what may be inserted.
fn is_skipped(name: &str) -> bool {
    name.contains("prototype") || matches!(name, "theme-list" | "theme" | "stylesheet" | "styles" | "master-slides")
}

/// Where the reader stands.
#[derive(Debug, Default)]
struct Place {
    format: Format,
    paragraphs: u32,
    slide: u32,
    in_title: bool,
    in_notes: bool,
    sheet: String,
    columns: usize,
    /// The cells of the row so far; `None` outside of a table.
    row: Option<Vec<String>>,
    row_number: u32,
    /// The last cell is open.
    in_cell: bool,
    /// Elements inside the open cell.
    cell_depth: u32,
}

impl Place {
    fn open(&mut self, element: &XmlElement<'_>, flow: &mut Flow<'_>) {
        if self.in_cell {
            self.cell_depth += 1;
        }
        let value = |name| element.attribute(name).unwrap_or_default();
        match element.name() {
            "p" => self.paragraphs += 1,
            "br" | "lnbr" | "crbr" | "pgbr" | "sectbr" if self.paragraphs > 0 => flow.text("\n"),
            "tab" if self.paragraphs > 0 => flow.text("\t"),
            "footnote" if self.paragraphs > 0 => flow.text(&value("autonumber")),
            "slide" if self.format == Format::Keynote => {
                self.slide += 1;
                flow.mark(Locator::Slide(self.slide));
            }
            "title-placeholder" => self.in_title = true,
            "notes" => {
                self.in_notes = true;
                flow.open_aside();
            }
            "workspace" => {
                self.sheet = value("workspace-name");
                self.mark_row(1, flow);
            }
            // A table whose name is not shown has the one that the program gave it.
            "tabular-model" if element.attribute("name-is-visible").as_deref() != Some("false") => {
                self.mark_row(1, flow);
                flow.paragraph(&value("name"), &Style::Line);
            }
            "grid" => self.columns = value("numcols").parse().unwrap_or(1).clamp(1, COLUMNS),
            "datasource" => {
                self.row = Some(Vec::new());
                self.row_number = 0;
            }
            "ct" | "rt" if self.in_cell => self.write(&value("s")),
            "rn" | "rd" if self.in_cell => self.write(&shown(&value("v"))),
            _ if self.row.is_some() && !self.in_cell => {
                self.in_cell = true;
                self.cell_depth = 0;
                let number = element.attribute("v").map(|value| shown(&value)).unwrap_or_default();
                if let Some(row) = &mut self.row {
                    row.push(number);
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str, flow: &mut Flow<'_>) {
        match name {
            "p" if self.paragraphs > 0 => {
                self.paragraphs -= 1;
                let style = match self.format {
                    _ if self.in_title => Style::Heading(1),
                    Format::Keynote | Format::Numbers => Style::Line,
                    _ => Style::Plain,
                };
                flow.end_paragraph(&style);
            }
            "title-placeholder" => self.in_title = false,
            "notes" if self.in_notes => {
                self.in_notes = false;
                let notes = flow.take_aside();
                if !notes.is_empty() {
                    flow.paragraph(&format!("Notes:\n{notes}"), &Style::Plain);
                }
            }
            "datasource" => {
                self.end_row(flow);
                self.row = None;
            }
            _ => {}
        }
        if self.in_cell {
            if self.cell_depth == 0 {
                self.in_cell = false;
                if self.row.as_ref().is_some_and(|row| row.len() >= self.columns) {
                    self.end_row(flow);
                }
            } else {
                self.cell_depth -= 1;
            }
        }
    }

    fn write(&mut self, text: &str) {
        if let Some(cell) = self.row.as_mut().and_then(|row| row.last_mut()) {
            cell.push_str(text);
        }
    }

    fn end_row(&mut self, flow: &mut Flow<'_>) {
        let Some(cells) = self.row.as_mut().map(std::mem::take) else { return };
        self.row_number = self.row_number.saturating_add(1);
        if cells.iter().all(String::is_empty) {
            return;
        }
        self.mark_row(self.row_number, flow);
        let sheets = self.format == Format::Numbers;
        let cells: Vec<String> =
            cells.iter().map(|cell| cell.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        flow.paragraph(cells.join(if sheets { "\t" } else { " | " }).trim_end(), &Style::Line);
    }

    fn mark_row(&self, row: u32, flow: &mut Flow<'_>) {
        if self.format == Format::Numbers {
            flow.mark(Locator::Sheet { name: self.sheet.clone(), row });
        }
    }
}

/// A number as it was typed: binary fractions leave -872.39999999999998 of -872.4.
fn shown(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(number) if number.is_finite() => number.to_string(),
        _ => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extraction::{Collector, Extraction};
    use crate::family::Outcome;

    #[test]
    fn a_table_is_read_row_by_row_under_its_sheet() {
        let text = "<ls:d><ls:workspace ls:workspace-name='Home'/><sf:tabular-model sf:name='Costs'><sf:grid sf:numcols='2'>\
            <sf:datasource><sf:t><sf:ct sfa:s='Rent'/></sf:t><sf:n sf:v='872.39999999999998'/>\
            <sf:g/><sf:f><sf:fo sf:fs='=A'/><sf:r><sf:rn sf:v='-3'/></sf:r></sf:f></sf:datasource></sf:grid></sf:tabular-model></ls:d>";
        let mut collector = Collector::new(Format::Numbers, 1 << 20);
        let mut flow = Flow::new(&mut collector);
        read(text, Format::Numbers, &Limits::default(), &mut flow);
        flow.finish();
        let Extraction::Text(extracted) = collector.finish(Outcome::Read) else { panic!("text was expected") };
        assert_eq!(extracted.text, "Costs\nRent\t872.4\n-3\n");
        let rows: Vec<_> = extracted.marks.iter().map(|mark| mark.locator.to_string()).collect();
        assert_eq!(rows, ["sheet Home row 1", "sheet Home row 1", "sheet Home row 2"]);
    }
}
