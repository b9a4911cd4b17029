//! The content of a text or a presentation, in the order it stands.

use bethink_core::{Locator, ProblemKind};

use super::styles::Styles;
use crate::extraction::problem;
use crate::flow::{Flow, Gathered, Style};
use crate::package::Package;
use crate::xml::{XmlElement, XmlEvent, XmlReader, decoded};

/// Blanks of one `text:s` that are believed.
const BLANKS: usize = 64;

/// Lists inside each other that are counted.
const LISTS_DEEP: usize = 64;

/// Bytes of an alternative text, a name or a formula.
const WORDS_BYTES: usize = 8192;

/// What is read of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The body of a text.
    Text,
    /// The body of a presentation: pages are slides.
    Slides,
    /// Headers and footers, which stand among the styles.
    Edges,
}

/// Reads parts of one document.
pub(super) struct Content<'p, 'b> {
    /// The package that embedded objects are found in; none of a flat file.
    pub(super) package: Option<&'p mut Package<'b>>,
    pub(super) styles: &'p Styles,
    /// Most slides that are read.
    pub(super) slides: u32,
}

/// A paragraph that is open.
#[derive(Debug, Default)]
struct Paragraph {
    heading: Option<u8>,
}

/// A list that is open.
#[derive(Debug, Default)]
struct List {
    style: String,
    count: Option<i64>,
    /// The item that is open has no paragraph yet.
    fresh: bool,
    /// Paragraphs stand in the list's header, which has no label.
    in_header: bool,
}

/// Where the reader stands.
#[derive(Debug, Default)]
struct Place {
    /// Inside of what is wanted.
    inside: u32,
    paragraphs: Vec<Paragraph>,
    lists: Vec<List>,
    /// Lists beyond the deepest counted.
    beyond: u32,
    /// What the frame that is open shows on a slide.
    class: Option<String>,
    /// The last count of each list style, for lists that go on.
    counts: std::collections::HashMap<String, i64>,
    slide: u32,
    in_notes: bool,
    author: String,
}

impl Content<'_, '_> {
    /// Reads a part into the flow.
    pub(super) fn read(&mut self, text: &str, wanted: Wanted, flow: &mut Flow<'_>) {
        let mut reader = XmlReader::new(text);
        let mut place = Place::default();
        while let Some(event) = reader.next_event() {
            if flow.is_full() || place.slide > self.slides {
                break;
            }
            match event {
                XmlEvent::Open(element) => {
                    if is_region(element.name(), wanted) {
                        place.inside += 1;
                    } else if place.inside > 0 {
                        self.open(&element, &mut reader, wanted, &mut place, flow);
                    }
                }
                XmlEvent::Close(end) => {
                    if is_region(end.name(), wanted) {
                        place.inside = place.inside.saturating_sub(1);
                        flow.end_paragraph(&Style::Plain);
                    } else if place.inside > 0 {
                        self.close(end.name(), wanted, &mut place, flow);
                    }
                }
                XmlEvent::Text(run) if !place.paragraphs.is_empty() => write(&run, flow),
                XmlEvent::Text(_) => {}
            }
        }
        if reader.is_broken() {
            flow.problem(problem(ProblemKind::Damaged, "a part of the document breaks off"));
        }
    }

    fn open(
        &mut self,
        element: &XmlElement<'_>,
        reader: &mut XmlReader<'_>,
        wanted: Wanted,
        place: &mut Place,
        flow: &mut Flow<'_>,
    ) {
        let slides = wanted == Wanted::Slides;
        match element.name() {
            "h" => {
                let level = element.attribute("outline-level").or_else(|| element.attribute("level"));
                let level = level.and_then(|level| level.parse().ok()).unwrap_or(1);
                place.paragraphs.push(Paragraph { heading: Some(level) });
            }
            "p" => {
                let style = element.attribute("style-name");
                let title = slides && place.class.as_deref() == Some("title") && !place.in_notes;
                let heading = if title { Some(1) } else { self.styles.heading(style.as_deref()).filter(|_| !slides) };
                place.paragraphs.push(Paragraph { heading });
            }
            "s" => {
                let count = element.attribute("c").and_then(|count| count.parse().ok()).unwrap_or(1);
                flow.text(&" ".repeat(BLANKS.min(count)));
            }
            "tab" | "tab-stop" => flow.text("\t"),
            "line-break" => flow.text("\n"),
            "list" | "ordered-list" | "unordered-list" => self.open_list(element, place),
            "list-item" => {
                if let Some(list) = place.lists.last_mut() {
                    list.fresh = true;
                    if let Some(start) = element.attribute("start-value").and_then(|start| start.parse::<i64>().ok()) {
                        list.count = start.checked_sub(1);
                    }
                }
            }
            "list-header" => {
                if let Some(list) = place.lists.last_mut() {
                    list.in_header = true;
                }
            }
            "table-row" => flow.open_row(),
            "table-cell" => flow.open_cell(),
            "note" | "footnote" | "endnote" => flow.open_aside(),
            "annotation" => {
                place.author.clear();
                flow.open_aside();
            }
            "creator" => place.author = reader.text_within(WORDS_BYTES),
            "text-box" if !slides => flow.open_aside(),
            "frame" | "custom-shape" | "rect" | "line" | "connector" | "ellipse" | "polygon" | "path" | "g"
                if slides =>
            {
                place.class = element.attribute("class");
                flow.blank();
            }
            "title" | "desc" => {
                let words = reader.text_within(WORDS_BYTES);
                if let Some(words) = crate::flow::alternative(&words) {
                    flow.aside(&format!("Image: {words}"));
                }
            }
            "object" => {
                if let Some(text) = element.attribute("href").and_then(|href| self.object(&href)) {
                    flow.aside(&text);
                }
            }
            "page" if slides => {
                place.slide += 1;
                if place.slide <= self.slides {
                    flow.mark(Locator::Slide(place.slide));
                }
            }
            "notes" if slides => {
                place.in_notes = true;
                flow.open_aside();
            }
            name if is_skipped(name) || slides && name == "page-number" => reader.skip(),
            _ => {}
        }
    }

    fn close(&mut self, name: &str, wanted: Wanted, place: &mut Place, flow: &mut Flow<'_>) {
        let slides = wanted == Wanted::Slides;
        match name {
            "p" | "h" => {
                let Some(paragraph) = place.paragraphs.pop() else { return };
                let style = self.style(&paragraph, slides, flow.at_start(), place);
                flow.end_paragraph(&style);
            }
            "list" | "ordered-list" | "unordered-list" => {
                if place.beyond > 0 {
                    place.beyond -= 1;
                } else if let Some(list) = place.lists.pop()
                    && let Some(count) = list.count
                {
                    place.counts.insert(format!("{} {}", place.lists.len(), list.style), count);
                }
            }
            "list-header" => {
                if let Some(list) = place.lists.last_mut() {
                    list.in_header = false;
                }
            }
            "table-row" => flow.close_row(),
            "table-cell" => flow.close_cell(),
            "note" | "footnote" | "endnote" => {
                let note = flow.take_aside();
                if !note.is_empty() {
                    flow.aside(&format!("Note: {note}"));
                }
            }
            "annotation" => {
                let comment = flow.take_aside();
                let author = place.author.trim();
                if !comment.is_empty() {
                    let by = if author.is_empty() { String::new() } else { format!(" by {author}") };
                    flow.aside(&format!("Comment{by}: {comment}"));
                }
            }
            "text-box" if !slides => flow.close_aside(),
            "frame" if slides => place.class = None,
            "page" if slides => flow.end_paragraph(&Style::Plain),
            "notes" if slides => {
                place.in_notes = false;
                let notes = flow.take_aside();
                if !notes.is_empty() {
                    flow.aside(&format!("Notes:\n{notes}"));
                }
            }
            _ => {}
        }
    }

    fn open_list(&self, element: &XmlElement<'_>, place: &mut Place) {
        if place.lists.len() >= LISTS_DEEP {
            place.beyond += 1;
            return;
        }
        let inherited = || place.lists.last().map(|list| list.style.clone()).unwrap_or_default();
        let style = element.attribute("style-name").unwrap_or_else(inherited);
        let goes_on = element.attribute("continue-numbering").is_some_and(|value| value == "true")
            || element.attribute("continue-list").is_some();
        let key = format!("{} {style}", place.lists.len());
        let count = place.counts.get(&key).copied().filter(|_| goes_on);
        place.lists.push(List { style, count, ..List::default() });
    }

    fn style(&self, paragraph: &Paragraph, slides: bool, empty: bool, place: &mut Place) -> Style {
        if let Some(level) = paragraph.heading {
            return Style::Heading(level);
        }
        if slides {
            return Style::Line;
        }
        let depth = place.lists.len().saturating_sub(1);
        match place.lists.last_mut() {
            Some(list) if list.fresh && !list.in_header && !empty => {
                list.fresh = false;
                let next =
                    list.count.map(|count| count.saturating_add(1)).or_else(|| self.styles.start(&list.style, depth));
                list.count = next;
                let label = next.and_then(|count| self.styles.label(&list.style, depth, count));
                Style::Item { depth: u8::try_from(depth).unwrap_or(u8::MAX), label }
            }
            _ => Style::Plain,
        }
    }

    /// The text of an embedded chart or table.
    fn object(&mut self, href: &str) -> Option<String> {
        let folder = href.trim_start_matches("./").trim_end_matches('/');
        let package = self.package.as_mut()?;
        let source = package.read_part(&format!("{folder}/content.xml"))?;
        let mut gathered = Gathered::default();
        let mut flow = Flow::new(&mut gathered);
        // Without a package, objects inside the object are not opened.
        let mut content = Content { package: None, styles: self.styles, slides: 0 };
        content.read(&decoded(&source.bytes), Wanted::Text, &mut flow);
        flow.finish();
        Some(gathered.0)
    }
}

/// The elements that hold what is wanted.
fn is_region(name: &str, wanted: Wanted) -> bool {
    match wanted {
        Wanted::Text | Wanted::Slides => name == "body",
        Wanted::Edges => {
            matches!(name, "header" | "footer" | "header-left" | "footer-left" | "header-first" | "footer-first")
        }
    }
}

/// What is no text as it stands: what was deleted, marks of notes, templates, and what is for machines.
fn is_skipped(name: &str) -> bool {
    matches!(
        name,
        "tracked-changes"
            | "note-citation"
            | "footnote-citation"
            | "endnote-citation"
            | "date-string"
            | "ruby-text"
            | "forms"
            | "scripts"
            | "script"
            | "binary-data"
            | "table-of-content-source"
            | "alphabetical-index-source"
            | "illustration-index-source"
            | "table-index-source"
            | "object-index-source"
            | "user-index-source"
            | "bibliography-source"
            | "date"
    )
}

/// A run of characters; white space is the file's layout, and blanks that count are elements.
fn write(run: &str, flow: &mut Flow<'_>) {
    if !run.contains(['\n', '\t', '\r']) && !run.contains("  ") {
        return flow.text(run);
    }
    let mut collapsed = String::with_capacity(run.len());
    let mut after_blank = flow.at_start();
    for character in run.chars() {
        let blank = matches!(character, ' ' | '\t' | '\n' | '\r');
        if !blank {
            collapsed.push(character);
        } else if !after_blank {
            collapsed.push(' ');
        }
        after_blank = blank;
    }
    flow.text(&collapsed);
}
