//! The structure that `office_oxide` makes of a document, laid out.

use std::collections::HashSet;

use office_oxide::ir::{Element, InlineContent, List, inline_to_text};

use crate::flow::{Flow, Gathered, Style, alternative};

/// Elements inside each other that are followed; real documents nest three or four tables and lists.
const DEEPEST: u32 = 32;

/// Lays elements out into a flow.
pub(super) struct Written<'f, 's> {
    flow: &'f mut Flow<'s>,
    slides: bool,
    depth: u32,
    /// Notes that stand at the end although they were shown: comments come with every anchor.
    seen: HashSet<String>,
}

impl<'f, 's> Written<'f, 's> {
    pub(super) fn new(flow: &'f mut Flow<'s>, slides: bool) -> Self {
        Self { flow, slides, depth: 0, seen: HashSet::new() }
    }

    /// A slide's title.
    pub(super) fn title(&mut self, title: Option<&str>) {
        if let Some(title) = title.filter(|_| self.slides) {
            self.flow.paragraph(title, &Style::Heading(1));
            self.seen.insert(folded(title));
        }
    }

    /// What the speaker noted.
    pub(super) fn notes(&mut self, notes: &[Element]) {
        let text = told(notes);
        if !text.is_empty() {
            self.flow.blank();
            self.flow.paragraph("Notes:", &Style::Line);
            self.flow.paragraph(&text, &Style::Line);
        }
    }

    pub(super) fn elements(&mut self, elements: &[Element]) {
        if self.depth >= DEEPEST {
            return;
        }
        self.depth += 1;
        for element in elements {
            if self.flow.is_full() {
                break;
            }
            self.element(element);
        }
        self.depth -= 1;
    }

    fn element(&mut self, element: &Element) {
        match element {
            Element::Heading(heading) => {
                let text = inline_to_text(&heading.content);
                if self.slides {
                    // The title is there already; other lines of a slide are no headings.
                    if !self.seen.contains(&folded(&text)) {
                        self.flow.paragraph(&text, &Style::Line);
                    }
                } else {
                    self.flow.paragraph(&text, &Style::Heading(heading.clamped_level()));
                }
            }
            Element::Paragraph(paragraph) => {
                let style = if self.slides { Style::Line } else { Style::Plain };
                self.paragraph(&paragraph.content, &style);
            }
            Element::Table(table) => {
                for row in &table.rows {
                    self.flow.open_row();
                    for cell in &row.cells {
                        self.flow.open_cell();
                        self.elements(&cell.content);
                        self.flow.close_cell();
                    }
                    self.flow.close_row();
                }
            }
            Element::List(list) => self.list(list, list.level),
            Element::Image(image) => {
                if let Some(words) = image.alt_text.as_deref().and_then(alternative) {
                    self.flow.paragraph(&format!("Image: {words}"), &Style::Plain);
                }
            }
            Element::TextBox(text_box) => self.elements(&text_box.content),
            Element::Footnote(note) | Element::Endnote(note) => {
                let text = told(&note.content);
                let marker = note.marker.as_deref().unwrap_or_default();
                let kind = if marker.starts_with("Comment") { "Comment" } else { "Note" };
                let author = note.author.as_deref().map(str::trim).filter(|author| !author.is_empty());
                let by = author.filter(|_| kind == "Comment").map(|author| format!(" by {author}"));
                let line = format!("{kind}{}: {text}", by.unwrap_or_default());
                if !text.is_empty() && self.seen.insert(line.clone()) {
                    self.flow.paragraph(&line, &Style::Plain);
                }
            }
            Element::CodeBlock(code) => self.flow.paragraph(&code.content, &Style::Plain),
            // Breaks and shapes hold no words.
            _ => {}
        }
    }

    fn paragraph(&mut self, content: &[InlineContent], style: &Style) {
        let text = inline_to_text(content);
        if !self.slides || !self.seen.remove(&folded(&text)) {
            self.flow.paragraph(&text, style);
        }
    }

    fn list(&mut self, list: &List, level: u8) {
        if self.depth >= DEEPEST {
            return;
        }
        self.depth += 1;
        let mut number = list.start_number.unwrap_or(1);
        for item in &list.items {
            let label = list.ordered.then(|| {
                let pattern = list.marker_pattern.as_deref().filter(|pattern| pattern.matches('%').count() == 1);
                let place = format!("%{}", u32::from(level) + 1);
                pattern.map_or_else(|| format!("{number}."), |pattern| pattern.replace(&place, &number.to_string()))
            });
            let label = label.map(|label| if label.contains('%') { format!("{number}.") } else { label });
            number = number.saturating_add(1);
            let mut first = true;
            for element in &item.content {
                match element {
                    Element::Paragraph(paragraph) if first && !self.slides => {
                        first = false;
                        self.paragraph(&paragraph.content, &Style::Item { depth: level, label: label.clone() });
                    }
                    element => self.element(element),
                }
            }
            if let Some(nested) = &item.nested {
                self.list(nested, level.saturating_add(1));
            }
        }
        self.depth -= 1;
    }
}

/// Elements as one text.
pub(super) fn told(elements: &[Element]) -> String {
    let mut gathered = Gathered::default();
    let mut flow = Flow::new(&mut gathered);
    Written::new(&mut flow, true).elements(elements);
    flow.finish();
    gathered.0.trim().to_owned()
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
