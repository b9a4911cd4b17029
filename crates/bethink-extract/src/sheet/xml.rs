//! XML as spreadsheets write it: names without prefixes, text with its entities resolved, errors as an end.

use std::borrow::Cow;

use encoding_rs::{UTF_16BE, UTF_16LE};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};

/// A reader over one part.
pub(super) struct Xml<'a> {
    reader: quick_xml::Reader<&'a [u8]>,
    /// Whether it ended by an error and not by its end.
    pub(super) is_broken: bool,
}

/// What comes next.
pub(super) enum Node<'a> {
    /// An element begins; it ends with [`Node::Close`].
    Open(BytesStart<'a>),
    /// An element without content; no [`Node::Close`] follows.
    Empty(BytesStart<'a>),
    /// An element ends.
    Close(String),
    /// Text between elements.
    Text(Cow<'a, str>),
}

/// The text of a part: UTF-8, or UTF-16 by its first bytes. No spreadsheet was met in any other.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match bytes {
        [0xFF, 0xFE, ..] | [b'<', 0, ..] => UTF_16LE.decode_with_bom_removal(bytes).0,
        [0xFE, 0xFF, ..] | [0, b'<', ..] => UTF_16BE.decode_with_bom_removal(bytes).0,
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest),
        _ => String::from_utf8_lossy(bytes),
    }
}

impl<'a> Xml<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut reader = quick_xml::Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        Self { reader, is_broken: false }
    }

    /// The next element, end or text; `None` at the end or where the XML breaks off.
    pub(super) fn next(&mut self) -> Option<Node<'a>> {
        loop {
            return Some(match self.reader.read_event() {
                Ok(Event::Start(element)) => Node::Open(element),
                Ok(Event::Empty(element)) => Node::Empty(element),
                Ok(Event::End(element)) => Node::Close(element.local_name().as_ref().to_owned()),
                Ok(Event::Text(text)) => Node::Text(text.into_inner()),
                Ok(Event::CData(text)) => Node::Text(text.into_inner()),
                Ok(Event::GeneralRef(reference)) => Node::Text(Cow::Owned(resolved(&reference))),
                Ok(Event::Eof) => return None,
                Ok(_) => continue,
                Err(_) => {
                    self.is_broken = true;
                    return None;
                }
            });
        }
    }
}

fn resolved(reference: &BytesRef<'_>) -> String {
    match reference.resolve_char_ref() {
        Ok(Some(character)) => character.to_string(),
        Ok(None) => {
            quick_xml::escape::resolve_predefined_entity(&reference.xml10_content()).unwrap_or_default().to_owned()
        }
        Err(_) => String::new(),
    }
}

/// An attribute's value by its name without a prefix.
pub(super) fn attribute<'a>(element: &'a BytesStart<'_>, name: &str) -> Option<Cow<'a, str>> {
    let found = element.attributes().with_checks(false).flatten().find(|attribute| {
        let key = attribute.key.0;
        key == name || key.strip_suffix(name).is_some_and(|prefix| prefix.ends_with(':'))
    })?;
    Some(found.normalized_value(XmlVersion::Implicit1_0).unwrap_or(found.value))
}

/// An attribute that is a number.
pub(super) fn number<T: std::str::FromStr>(element: &BytesStart<'_>, name: &str) -> Option<T> {
    attribute(element, name)?.trim().parse().ok()
}

/// An attribute that is a yes or a no.
pub(super) fn is_true(element: &BytesStart<'_>, name: &str) -> bool {
    matches!(attribute(element, name).as_deref(), Some("1" | "true" | "on"))
}

/// `_x000D_` and its like, which stand for characters that XML cannot hold.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains("_x") {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        clean.push_str(&rest[..at]);
        let code = rest.get(at + 2..at + 6).filter(|_| rest[at + 2..].as_bytes().get(4) == Some(&b'_'));
        match code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32) {
            Some(character) => {
                clean.push(character);
                rest = &rest[at + 7..];
            }
            None => {
                clean.push_str("_x");
                rest = &rest[at + 2..];
            }
        }
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_characters_come_back() {
        assert_eq!(unescaped("a_x000D_b"), "a\rb");
        assert_eq!(unescaped("max_x, _xZZZZ_ _x00"), "max_x, _xZZZZ_ _x00");
        assert_eq!(unescaped("é_x"), "é_x");
        assert_eq!(unescaped("_x00e9é"), "_x00e9é");
    }

    #[test]
    fn text_comes_with_its_entities_and_attributes_without_prefixes() {
        let mut xml = Xml::new("<a r:id='x &amp; y'>1 &lt; 2<![CDATA[ & ]]>&#65;&unknown;</a>");
        let mut text = String::new();
        while let Some(node) = xml.next() {
            match node {
                Node::Open(element) => assert_eq!(attribute(&element, "id").as_deref(), Some("x & y")),
                Node::Text(piece) => text.push_str(&piece),
                _ => {}
            }
        }
        assert_eq!(text, "1 < 2 & A");
        assert!(!xml.is_broken);
    }
}
