//! XML as a stream of starts, ends and texts, for formats of their own that are written in it.
//!
//! Forgives what real files get wrong (end tags that do not match, lone ampersands, entities of HTML) and
//! stops where it cannot go on, so that what came before is kept. There is no tree and no depth to exhaust.

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

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

    fn of(start: &BytesStart<'_>) -> Self {
        let mut attributes = start.html_attributes();
        let attributes = attributes.with_checks(false).take(ATTRIBUTES).filter_map(Result::ok);
        let value = |attribute: &quick_xml::events::attributes::Attribute<'_>| {
            let raw = || attribute.value.to_string();
            attribute.normalized_value(XmlVersion::Explicit1_0).map_or_else(|_| raw(), |value| value.into_owned())
        };
        Self(attributes.map(|attribute| (attribute.key.local_name().as_ref().to_owned(), value(&attribute))).collect())
    }
}

/// Visits a document piece by piece until the visitor says that it has enough. False: the document broke
/// off before.
pub(crate) fn walk(source: &str, visit: &mut dyn FnMut(Piece<'_>) -> bool) -> bool {
    let mut reader = Reader::from_str(source);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    loop {
        let goes_on = match reader.read_event() {
            Ok(Event::Start(start)) => visit(Piece::Start(start.local_name().as_ref(), Attributes::of(&start))),
            Ok(Event::Empty(start)) => {
                let name = start.local_name();
                visit(Piece::Start(name.as_ref(), Attributes::of(&start))) && visit(Piece::End(name.as_ref()))
            }
            Ok(Event::End(end)) => visit(Piece::End(end.local_name().as_ref())),
            Ok(Event::Text(text)) => visit(Piece::Text(&text.xml10_content())),
            Ok(Event::CData(data)) => visit(Piece::Text(&data.xml10_content())),
            Ok(Event::GeneralRef(reference)) => visit(Piece::Text(&resolved(&reference))),
            Ok(Event::Eof) => return true,
            Ok(_) => true,
            Err(_) => return false,
        };
        if !goes_on {
            return true;
        }
    }
}

/// The characters that an entity stands for; itself where it is not known.
fn resolved(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string();
    }
    let name = reference.xml10_content();
    match quick_xml::escape::resolve_predefined_entity(&name).or_else(|| html_entity(&name)) {
        Some(characters) => characters.to_owned(),
        None => format!("&{name};"),
    }
}

/// HTML's entities that documents of books and notes use without declaring them.
fn html_entity(name: &str) -> Option<&'static str> {
    Some(match name {
        "nbsp" | "ensp" | "emsp" | "thinsp" => "\u{a0}",
        "shy" => "\u{ad}",
        "mdash" => "—",
        "ndash" => "–",
        "hellip" => "…",
        "lsquo" => "‘",
        "rsquo" => "’",
        "ldquo" => "“",
        "rdquo" => "”",
        "laquo" => "«",
        "raquo" => "»",
        "bull" => "•",
        "middot" => "·",
        "copy" => "©",
        "reg" => "®",
        "trade" => "™",
        "deg" => "°",
        "sect" => "§",
        "euro" => "€",
        "times" => "×",
        "eacute" => "é",
        "egrave" => "è",
        "agrave" => "à",
        "ccedil" => "ç",
        "auml" => "ä",
        "ouml" => "ö",
        "uuml" => "ü",
        "Auml" => "Ä",
        "Ouml" => "Ö",
        "Uuml" => "Ü",
        "szlig" => "ß",
        _ => return None,
    })
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
