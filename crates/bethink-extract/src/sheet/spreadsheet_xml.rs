//! Excel's XML of 2003, which reporting programs still write under the name of `xls`: sheets, rows and cells as
//! elements, their positions told only where they leave a gap.

use bethink_core::ProblemKind;

use super::rows::Rows;
use super::serial_date::readable_iso;
use super::values::number;
use crate::extraction::problem;
use crate::xml::{XmlEvent, XmlReader};

/// Reads the workbook into rows.
pub(super) fn read(text: &str, rows: &mut Rows<'_>) {
    let mut xml = XmlReader::new(text);
    let (mut row, mut column, mut across) = (0u32, 0u32, 0u32);
    let (mut in_data, mut in_comment) = (false, false);
    let (mut kind, mut words, mut note) = (String::new(), String::new(), String::new());
    while let Some(event) = xml.next_event() {
        match event {
            XmlEvent::Open(element) => match element.name() {
                "Worksheet" => {
                    rows.begin(&element.attribute("Name").unwrap_or_default());
                    row = 0;
                }
                "Row" => {
                    row = number(&element, "Index").unwrap_or_else(|| row.saturating_add(1));
                    (column, across) = (0, 0);
                }
                "Cell" => {
                    let next = column.saturating_add(1).saturating_add(across);
                    column = number(&element, "Index").unwrap_or(next);
                    across = number(&element, "MergeAcross").unwrap_or(0);
                    words.clear();
                    note.clear();
                }
                "Comment" => in_comment = true,
                "Data" => {
                    in_data = true;
                    if !in_comment {
                        kind = element.attribute("Type").unwrap_or_default();
                    }
                }
                _ => {}
            },
            XmlEvent::Close(end) => match end.name() {
                "Data" => in_data = false,
                "Comment" => in_comment = false,
                "Cell" => {
                    if !note.trim().is_empty() {
                        rows.note(row, &format!("Note {}: {note}", super::cell_names::name(row, column)));
                    }
                    let shown = match (kind.as_str(), words.trim()) {
                        ("DateTime", stamp) => readable_iso(stamp),
                        ("Boolean", "1") => "TRUE".to_owned(),
                        ("Boolean", "0") => "FALSE".to_owned(),
                        _ => words.clone(),
                    };
                    if !rows.cell(row, column, &shown) {
                        return;
                    }
                }
                _ => {}
            },
            XmlEvent::Text(text) if in_data && in_comment => note.push_str(&text),
            XmlEvent::Text(text) if in_data => words.push_str(&text),
            XmlEvent::Text(_) => {}
        }
    }
    if xml.is_broken() {
        rows.problem(problem(ProblemKind::Damaged, "a sheet of it breaks off"));
    }
}
