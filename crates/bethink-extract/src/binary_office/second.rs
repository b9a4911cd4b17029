//! What `undoc` makes of a document that the first reader gave up on.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bethink_core::{Locator, Problem, ProblemKind};
use undoc::model::{Block, Paragraph, Table};

use super::{damaged, ended};
use crate::extraction::problem;
use crate::family::{Outcome, Sink};
use crate::flow::{Flow, Style};
use crate::limits::Limits;

/// Tables inside each other that are followed.
const DEEPEST: u32 = 16;

/// Reads a document.
///
/// # Errors
/// `Encrypted` where it needs a password, `Damaged` where this reader gives up too.
pub(super) fn read(bytes: &[u8], slides: bool, limits: &Limits, sink: &mut dyn Sink) -> Result<Outcome, Problem> {
    let parsed = catch_unwind(AssertUnwindSafe(|| undoc::parse_bytes(bytes))).map_err(|_| damaged())?;
    let document = parsed.map_err(|error| match error {
        undoc::Error::Encrypted => problem(ProblemKind::Encrypted, "it opens with a password only"),
        _ => damaged(),
    })?;
    let mut flow = Flow::new(sink);
    for (number, section) in (1..=limits.pages).zip(&document.sections) {
        if slides {
            flow.mark(Locator::Slide(number));
        }
        for block in &section.content {
            match block {
                Block::Paragraph(text) => paragraph(text, slides, &mut flow),
                Block::Table(inner) => table(inner, slides, &mut flow, 0),
                Block::Note { content, .. } => {
                    let note: Vec<String> = content.iter().map(plain).collect();
                    flow.paragraph(&format!("Note: {}", note.join("\n")), &Style::Plain);
                }
                _ => {}
            }
            if flow.is_full() {
                break;
            }
        }
        if let Some(notes) = &section.notes {
            flow.blank();
            flow.paragraph("Notes:", &Style::Line);
            notes.iter().for_each(|note| flow.paragraph(&plain(note), &Style::Line));
        }
        for edge in [&section.header, &section.footer].into_iter().flatten().flatten() {
            flow.paragraph(&plain(edge), &Style::Plain);
        }
    }
    Ok(ended(flow))
}

fn paragraph(paragraph: &Paragraph, slides: bool, flow: &mut Flow<'_>) {
    let style = match (&paragraph.list_info, paragraph.heading.level()) {
        (_, level @ 1..) if paragraph.heading.is_heading() => Style::Heading(level),
        _ if slides => Style::Line,
        (Some(list), _) => Style::Item { depth: list.level, label: list.number.map(|number| format!("{number}.")) },
        _ => Style::Plain,
    };
    flow.paragraph(&plain(paragraph), &style);
}

fn table(table: &Table, slides: bool, flow: &mut Flow<'_>, depth: u32) {
    if depth >= DEEPEST {
        return;
    }
    for row in &table.rows {
        flow.open_row();
        for cell in &row.cells {
            flow.open_cell();
            cell.content.iter().for_each(|text| paragraph(text, slides, flow));
            cell.nested_tables.iter().for_each(|inner| self::table(inner, slides, flow, depth + 1));
            flow.close_cell();
        }
        flow.close_row();
    }
}

fn plain(paragraph: &Paragraph) -> String {
    let mut text = String::new();
    for run in &paragraph.runs {
        text.push_str(&run.text);
        if run.line_break {
            text.push('\n');
        }
    }
    text
}
