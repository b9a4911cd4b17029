//! What reviewers wrote on a slide, in both of PowerPoint's ways.

use std::collections::HashMap;

use crate::ooxml::relationships::Relationships;
use crate::package::Package;
use crate::xml::{XmlEvent, XmlReader, decoded};

/// Most bytes of one comment.
const COMMENT_BYTES: usize = 64 << 10;

/// The reviewers' names by their ids.
pub(super) type Authors = HashMap<String, String>;

/// The reviewers of a deck.
pub(super) fn authors(package: &mut Package<'_>, deck: &Relationships) -> Authors {
    let parts = ["commentAuthors", "authors"].into_iter().flat_map(|kind| deck.of_kind(kind));
    let mut authors = Authors::new();
    for part in parts.map(str::to_owned).collect::<Vec<_>>() {
        let Some(source) = package.read_part(&part) else { continue };
        let text = decoded(&source.bytes);
        let mut reader = XmlReader::new(&text);
        while let Some(event) = reader.next_event() {
            let XmlEvent::Open(element) = event else { continue };
            if let ("cmAuthor" | "author", Some(id), Some(name)) =
                (element.name(), element.attribute("id"), element.attribute("name"))
            {
                authors.insert(id, name);
            }
        }
    }
    authors
}

/// The comments of a part, each as a text of its own.
pub(super) fn comments(package: &mut Package<'_>, part: &str, authors: &Authors) -> Vec<String> {
    let Some(source) = package.read_part(part) else { return Vec::new() };
    let text = decoded(&source.bytes);
    let mut reader = XmlReader::new(&text);
    let mut comments: Vec<String> = Vec::new();
    let mut author: Option<String> = None;
    while let Some(event) = reader.next_event() {
        let XmlEvent::Open(element) = event else { continue };
        match element.name() {
            "cm" | "reply" => author = element.attribute("authorId").and_then(|id| authors.get(&id).cloned()),
            "text" | "txBody" => {
                let words = reader.text_within(COMMENT_BYTES);
                let words = words.trim();
                if !words.is_empty() {
                    comments.push(match &author {
                        Some(author) => format!("Comment by {author}: {words}"),
                        None => format!("Comment: {words}"),
                    });
                }
            }
            _ => {}
        }
    }
    comments
}
