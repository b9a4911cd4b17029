//! A visit of a whole document, for those who keep their own state and need no look ahead.

use super::{XmlElement, XmlEvent, XmlReader};

/// Attributes of one element that are looked at; the vocabularies read here give a handful.
const ATTRIBUTES: usize = 32;

/// What stands next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// An element begins; its name is without its prefix. An empty element begins and ends.
    Start(&'a str, Attributes),
    /// An element ends.
    End(&'a str),
    /// A run of characters, entities resolved; runs follow each other without elements between.
    Text(&'a str),
}

/// The attributes of an element by their names without prefixes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Attributes(Vec<(String, String)>);

impl Attributes {
    /// The value of an attribute.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn of(element: &XmlElement<'_>) -> Self {
        Self(element.attributes().take(ATTRIBUTES).collect())
    }
}

/// Visits a document piece by piece until the visitor says that it has enough. False: the document broke
/// off before.
pub(crate) fn walk(source: &str, visit: &mut dyn FnMut(Piece<'_>) -> bool) -> bool {
    let mut reader = XmlReader::new(source);
    while let Some(event) = reader.next_event() {
        let goes_on = match event {
            XmlEvent::Open(element) => visit(Piece::Start(element.name(), Attributes::of(&element))),
            XmlEvent::Close(end) => visit(Piece::End(end.name())),
            XmlEvent::Text(text) => visit(Piece::Text(&text)),
        };
        if !goes_on {
            return true;
        }
    }
    !reader.is_broken()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(source: &str) -> (String, bool) {
        let mut seen = String::new();
        let whole = walk(source, &mut |piece| {
            match piece {
                Piece::Start(name, attributes) => {
                    seen.push_str(&format!("<{name}{}>", attributes.get("href").unwrap_or_default()))
                }
                Piece::End(name) => seen.push_str(&format!("</{name}>")),
                Piece::Text(text) => seen.push_str(text),
            }
            true
        });
        (seen, whole)
    }

    #[test]
    fn what_real_files_get_wrong_is_forgiven() {
        let (seen, whole) =
            walked("<?xml version='1.0'?><a x:href='1&amp;2'>R & D&#233;&nbsp;&who;<b/></c><![CDATA[<&]]>");
        assert_eq!(seen, "<a1&2>R & Dé\u{a0}&who;<b></b></c><&");
        assert!(whole);
    }

    #[test]
    fn what_came_before_the_break_is_kept() {
        assert_eq!(walked("<a>one<b"), ("<a>one".to_owned(), false));
    }
}
