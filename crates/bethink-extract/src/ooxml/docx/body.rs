//! The running text of a part: the document itself, a header, or the notes and comments beside it.

use std::collections::HashMap;

use super::numbering::Numbering;
use super::styles::{ListPlace, Styles, heading_by_outline, is_on, number};
use crate::extraction::problem;
use crate::family::Member;
use crate::flow::{Flow, Style, alternative};
use crate::ooxml::alternate::Alternates;
use crate::ooxml::graphic;
use crate::ooxml::relationships::Relationships;
use crate::package::Package;
use crate::xml::{XmlElement, XmlEvent, XmlReader};
use bethink_core::ProblemKind;

/// Notes and comments by what refers to them and its id.
pub(super) type Notes = HashMap<(&'static str, String), String>;

/// Reads parts of one document.
pub(super) struct Body<'p, 'b> {
    pub(super) package: &'p mut Package<'b>,
    pub(super) relationships: Relationships,
    pub(super) styles: &'p Styles,
    pub(super) numbering: &'p mut Numbering,
    pub(super) notes: &'p Notes,
}

/// A paragraph that is open.
#[derive(Debug, Default)]
struct Paragraph {
    style: Option<String>,
    outline: Option<u8>,
    list: Option<i64>,
    level: Option<u8>,
    /// Whether the run that is open is not shown.
    hidden: bool,
}

/// Where in the part the reader stands.
#[derive(Debug, Default)]
struct Place {
    paragraphs: Vec<Paragraph>,
    alternates: Alternates,
    in_properties: u32,
    in_run: u32,
    in_text: bool,
    /// The author of the comment that is open.
    author: Option<String>,
}

impl Body<'_, '_> {
    /// Reads a part into the flow. Notes that the part consists of are returned by their ids.
    pub(super) fn read(&mut self, text: &str, flow: &mut Flow<'_>) -> Vec<(String, String)> {
        let mut reader = XmlReader::new(text);
        let mut place = Place::default();
        let mut notes = Vec::new();
        let mut open_notes: Vec<Option<String>> = Vec::new();
        while let Some(event) = reader.next_event() {
            if flow.is_full() {
                break;
            }
            match event {
                XmlEvent::Open(element) => match element.name() {
                    "footnote" | "endnote" | "comment" => {
                        place.author = element.attribute("author");
                        // Those with a type are the line above the notes.
                        let is_note = element.attribute("type").is_none_or(|kind| kind == "normal");
                        open_notes.push(element.attribute("id").filter(|_| is_note));
                        flow.open_aside();
                    }
                    name if place.alternates.opens(name) || is_skipped(name) => reader.skip(),
                    _ => self.open(&element, &mut place, flow),
                },
                XmlEvent::Close(end) => match end.name() {
                    "footnote" | "endnote" | "comment" => {
                        let note = flow.take_aside();
                        if let Some(id) = open_notes.pop().flatten() {
                            notes.push((id, told(&note, end.name(), place.author.take())));
                        }
                    }
                    name => {
                        place.alternates.closes(name);
                        self.close(name, &mut place, flow);
                    }
                },
                XmlEvent::Text(run) => {
                    let hidden = place.paragraphs.last().is_some_and(|paragraph| paragraph.hidden);
                    if place.in_text && !hidden {
                        flow.text(&run);
                    }
                }
            }
        }
        if reader.is_broken() {
            flow.problem(problem(ProblemKind::Damaged, "a part of the document breaks off"));
        }
        notes
    }

    fn open(&mut self, element: &XmlElement<'_>, place: &mut Place, flow: &mut Flow<'_>) {
        let value = || element.attribute("val");
        let in_run = place.in_run > 0 && place.in_properties == 0;
        match element.name() {
            "p" => place.paragraphs.push(Paragraph::default()),
            "pPr" | "rPr" => place.in_properties += 1,
            "r" => {
                place.in_run += 1;
                if let Some(paragraph) = place.paragraphs.last_mut() {
                    paragraph.hidden = false;
                }
            }
            "t" => place.in_text = true,
            "tab" | "ptab" if in_run => self.character("\t", place, flow),
            "br" | "cr" if in_run => self.character("\n", place, flow),
            "noBreakHyphen" if in_run => self.character("\u{2011}", place, flow),
            "tr" => flow.open_row(),
            "tc" => flow.open_cell(),
            "txbxContent" => flow.open_aside(),
            name @ ("footnoteReference" | "endnoteReference" | "commentReference") => {
                let kind = name.trim_end_matches("Reference");
                let Some(id) = element.attribute("id") else { return };
                let known = ["footnote", "endnote", "comment"].into_iter().find(|known| *known == kind);
                if let Some(note) = known.and_then(|known| self.notes.get(&(known, id))) {
                    flow.aside(note);
                }
            }
            "docPr" => {
                if let Some(words) = ["descr", "title"].iter().find_map(|name| alternative(&element.attribute(name)?)) {
                    flow.aside(&format!("Image: {words}"));
                }
            }
            "textpath" => flow.aside(&element.attribute("string").unwrap_or_default()),
            "chart" => {
                if let Some(part) = element.prefixed("id").and_then(|id| self.relationships.part(&id)) {
                    flow.aside(&graphic::chart(self.package, part));
                }
            }
            "relIds" => {
                if let Some(part) = element.attribute("dm").and_then(|id| self.relationships.part(&id)) {
                    flow.aside(&graphic::diagram(self.package, part));
                }
            }
            "altChunk" => {
                let Some(part) = element.prefixed("id").and_then(|id| self.relationships.part(&id)) else { return };
                if let Ok(Some(bytes)) = self.package.read(part) {
                    flow.member(Member { path: part.to_owned(), modified: None, bytes: Ok(bytes) });
                }
            }
            name => {
                let Some(paragraph) = place.paragraphs.last_mut() else { return };
                match name {
                    "vanish" if place.in_run > 0 => paragraph.hidden = value().is_none_or(|value| is_on(&value)),
                    "pStyle" => paragraph.style = value(),
                    "outlineLvl" => paragraph.outline = number(value()),
                    "numId" => paragraph.list = number(value()),
                    "ilvl" => paragraph.level = number(value()),
                    _ => {}
                }
            }
        }
    }

    fn close(&mut self, name: &str, place: &mut Place, flow: &mut Flow<'_>) {
        match name {
            "p" => {
                let paragraph = place.paragraphs.pop().unwrap_or_default();
                // An empty item counts nothing: Word shows its number, and nobody misses it.
                let style = if flow.at_start() { Style::Plain } else { self.style(&paragraph) };
                flow.end_paragraph(&style);
            }
            "pPr" | "rPr" => place.in_properties = place.in_properties.saturating_sub(1),
            "r" => place.in_run = place.in_run.saturating_sub(1),
            "t" => place.in_text = false,
            "tr" => flow.close_row(),
            "tc" => flow.close_cell(),
            "txbxContent" => flow.close_aside(),
            _ => {}
        }
    }

    fn character(&self, character: &str, place: &Place, flow: &mut Flow<'_>) {
        if place.paragraphs.last().is_none_or(|paragraph| !paragraph.hidden) {
            flow.text(character);
        }
    }

    fn style(&mut self, paragraph: &Paragraph) -> Style {
        let id = paragraph.style.as_deref();
        let heading = paragraph.outline.map_or_else(|| self.styles.heading(id), heading_by_outline);
        let own = paragraph.list.map(|list| ListPlace { list, level: paragraph.level.unwrap_or(0) });
        let place = own.or_else(|| self.styles.list(id)).filter(|place| place.list != 0);
        // Headings count too, and so move the numbers of those below.
        let label = place.and_then(|place| self.numbering.label(place));
        match (heading, place) {
            (Some(level), _) => Style::Heading(level),
            (None, Some(place)) => Style::Item { depth: place.level, label },
            (None, None) => Style::Plain,
        }
    }
}

/// What is not part of the text as it stands: what was deleted, former properties, and the insides of
/// form controls. A placeholder's text is in the content beside them.
fn is_skipped(name: &str) -> bool {
    matches!(
        name,
        "del"
            | "moveFrom"
            | "pPrChange"
            | "rPrChange"
            | "sectPrChange"
            | "tblPrChange"
            | "tcPrChange"
            | "trPrChange"
            | "sdtPr"
            | "rt"
            | "instrText"
            | "delText"
            | "fldData"
    )
}

/// A note as a line of its own.
fn told(note: &str, kind: &str, author: Option<String>) -> String {
    if note.trim().is_empty() {
        return String::new();
    }
    match (kind, author.filter(|author| !author.trim().is_empty())) {
        ("comment", Some(author)) => format!("Comment by {}: {note}", author.trim()),
        ("comment", None) => format!("Comment: {note}"),
        _ => format!("Note: {note}"),
    }
}
