//! PowerPoint decks: slides in the order they are shown, each with its notes and comments.

mod comment;
mod slide;

use bethink_core::{Locator, ProblemKind};

use self::slide::Wanted;
use super::properties;
use super::relationships::Relationships;
use crate::extraction::problem;
use crate::family::{Outcome, Sink};
use crate::flow::{Flow, Style};
use crate::limits::Limits;
use crate::package::Package;
use crate::xml::{XmlEvent, XmlReader, decoded};

/// Reads a deck into the sink.
pub(super) fn read(package: &mut Package<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
    let root = Relationships::of(package, "");
    if let Some(title) = properties::title(package, &root) {
        sink.title(title);
    }
    let deck = root.of_kind("officeDocument").next().unwrap_or("ppt/presentation.xml").to_owned();
    let relationships = Relationships::of(package, &deck);
    let slides = slides(package, &deck, &relationships);
    if slides.is_empty() {
        return Outcome::Skipped(problem(ProblemKind::Empty, "the deck has no slides"));
    }
    let authors = comment::authors(package, &relationships);
    let mut flow = Flow::new(sink);
    let (mut any, mut missing) = (false, 0u32);
    for (number, part) in (1..=limits.pages).zip(&slides) {
        let Some(source) = package.read_part(part) else {
            missing += 1;
            continue;
        };
        flow.mark(Locator::Slide(number));
        let text = decoded(&source.bytes);
        let of_slide = Relationships::of(package, part);
        slide::read(package, &of_slide, &text, Wanted::Title, &mut flow);
        slide::read(package, &of_slide, &text, Wanted::Rest, &mut flow);
        if let Some(problem) = source.problem {
            flow.problem(problem);
        }
        let beside = |kind: &str| of_slide.of_kind(kind).map(str::to_owned).collect::<Vec<_>>();
        for part in beside("notesSlide") {
            let Some(source) = package.read_part(&part) else { continue };
            notes(package, &decoded(&source.bytes), &mut flow);
        }
        for part in beside("comments") {
            for comment in comment::comments(package, &part, &authors) {
                flow.paragraph(&comment, &Style::Plain);
            }
        }
        any |= flow.has_text();
        if flow.is_full() {
            break;
        }
    }
    if missing > 0 {
        flow.problem(problem(ProblemKind::Damaged, format!("{missing} of its slides are missing")));
    }
    flow.finish();
    if any { Outcome::Read } else { Outcome::Skipped(problem(ProblemKind::Empty, "its slides hold no text")) }
}

/// What the speaker noted, under a line that says so.
fn notes(package: &mut Package<'_>, text: &str, flow: &mut Flow<'_>) {
    let mut gathered = crate::flow::Gathered::default();
    let mut noted = Flow::new(&mut gathered);
    slide::read(package, &Relationships::default(), text, Wanted::Notes, &mut noted);
    noted.finish();
    if !gathered.0.trim().is_empty() {
        flow.blank();
        flow.paragraph("Notes:", &Style::Line);
        flow.paragraph(&gathered.0, &Style::Line);
    }
}

/// The slides' parts in the order they are shown; by their numbers where the deck does not say.
fn slides(package: &mut Package<'_>, deck: &str, relationships: &Relationships) -> Vec<String> {
    let mut slides = Vec::new();
    if let Some(source) = package.read_part(deck) {
        let text = decoded(&source.bytes);
        let mut reader = XmlReader::new(&text);
        while let Some(event) = reader.next_event() {
            if let XmlEvent::Open(element) = event
                && element.name() == "sldId"
                && let Some(part) = element.prefixed("id").and_then(|id| relationships.part(&id).map(str::to_owned))
            {
                slides.push(part);
            }
        }
    }
    if slides.is_empty() {
        let number = |name: &str| -> Option<u32> {
            let lower = name.to_ascii_lowercase();
            lower.strip_prefix("ppt/slides/slide")?.strip_suffix(".xml")?.parse().ok()
        };
        let mut numbered: Vec<(u32, String)> =
            package.names().filter_map(|name| Some((number(name)?, name.to_owned()))).collect();
        numbered.sort();
        slides.extend(numbered.into_iter().map(|(_, name)| name));
    }
    slides
}
