//! One slide: its title first, then its shapes in their order, then what the speaker noted.

use bethink_core::ProblemKind;

use crate::extraction::problem;
use crate::flow::{Flow, Style, alternative};
use crate::ooxml::alternate::Alternates;
use crate::ooxml::graphic;
use crate::ooxml::relationships::Relationships;
use crate::package::Package;
use crate::xml::{XmlElement, XmlEvent, XmlReader};

/// Which of a slide's shapes are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The title.
    Title,
    /// All others.
    Rest,
    /// Of a page of notes, what was written there: the slide's picture and number are the others.
    Notes,
}

/// Where the reader stands.
#[derive(Debug, Default)]
struct Place {
    alternates: Alternates,
    /// What the shape is a placeholder for; `body` where that is not said.
    placeholder: Option<String>,
    in_body: u32,
    in_text: bool,
    /// A field of the page's number.
    in_number: bool,
    title: String,
}

/// Reads the wanted shapes of a slide or of a page of notes.
pub(super) fn read(
    package: &mut Package<'_>,
    relationships: &Relationships,
    text: &str,
    wanted: Wanted,
    flow: &mut Flow<'_>,
) {
    let mut reader = XmlReader::new(text);
    let mut place = Place::default();
    while let Some(event) = reader.next_event() {
        if flow.is_full() {
            return;
        }
        match event {
            XmlEvent::Open(element) => {
                if place.alternates.opens(element.name()) {
                    reader.skip();
                } else {
                    open(package, relationships, &element, wanted, &mut place, flow);
                }
            }
            XmlEvent::Close(end) => {
                place.alternates.closes(end.name());
                close(end.name(), wanted, &mut place, flow);
            }
            XmlEvent::Text(run) => {
                if !place.in_text || place.in_number || !place.is(wanted) {
                    continue;
                }
                match wanted {
                    Wanted::Title => place.title.push_str(&run),
                    Wanted::Rest | Wanted::Notes => flow.text(&run),
                }
            }
        }
    }
    if wanted == Wanted::Title {
        flow.paragraph(&place.title, &Style::Heading(1));
    } else if reader.is_broken() {
        flow.problem(problem(ProblemKind::Damaged, "a slide breaks off"));
    }
}

impl Place {
    /// Whether the shape that is open is among the wanted.
    fn is(&self, wanted: Wanted) -> bool {
        let kind = self.placeholder.as_deref();
        let is_title = matches!(kind, Some("title" | "ctrTitle"));
        match wanted {
            Wanted::Title => is_title,
            Wanted::Rest => !is_title && kind != Some("sldNum"),
            Wanted::Notes => kind == Some("body"),
        }
    }
}

fn open(
    package: &mut Package<'_>,
    relationships: &Relationships,
    element: &XmlElement<'_>,
    wanted: Wanted,
    place: &mut Place,
    flow: &mut Flow<'_>,
) {
    let rest = wanted == Wanted::Rest;
    match element.name() {
        "sp" | "graphicFrame" | "pic" | "cxnSp" => {
            place.placeholder = None;
            if wanted != Wanted::Title {
                flow.blank();
            }
        }
        "ph" => place.placeholder = Some(element.attribute("type").unwrap_or_else(|| "body".to_owned())),
        "t" => place.in_text = true,
        "fld" => place.in_number = element.attribute("type").is_some_and(|kind| kind == "slidenum"),
        "br" | "tab" if place.is(wanted) => match wanted {
            Wanted::Title => place.title.push(' '),
            Wanted::Rest | Wanted::Notes => flow.text(if element.name() == "br" { "\n" } else { "\t" }),
        },
        "txBody" => place.in_body += 1,
        "tr" if rest => flow.open_row(),
        "tc" if rest => flow.open_cell(),
        "cNvPr" if rest => {
            if let Some(words) = ["descr", "title"].iter().find_map(|name| alternative(&element.attribute(name)?)) {
                flow.aside(&format!("Image: {words}"));
            }
        }
        "chart" if rest => {
            if let Some(part) = element.prefixed("id").and_then(|id| relationships.part(&id)) {
                flow.aside(&graphic::chart(package, part));
            }
        }
        "relIds" if rest => {
            if let Some(part) = element.attribute("dm").and_then(|id| relationships.part(&id)) {
                flow.aside(&graphic::diagram(package, part));
            }
        }
        _ => {}
    }
}

fn close(name: &str, wanted: Wanted, place: &mut Place, flow: &mut Flow<'_>) {
    let rest = wanted == Wanted::Rest;
    match name {
        "t" => place.in_text = false,
        "fld" => place.in_number = false,
        "p" if place.in_body > 0 => match wanted {
            Wanted::Title => place.title.push(' '),
            Wanted::Rest | Wanted::Notes => flow.end_paragraph(&Style::Line),
        },
        "txBody" => place.in_body = place.in_body.saturating_sub(1),
        "tr" if rest => flow.close_row(),
        "tc" if rest => flow.close_cell(),
        // What hangs on a shape without text of its own follows it here.
        "graphicFrame" | "pic" | "sp" if rest => flow.end_paragraph(&Style::Line),
        _ => {}
    }
}
