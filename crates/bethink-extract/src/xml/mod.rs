//! XML as it really comes: read from front to back, without a tree, and as far as it goes.
//!
//! Names are local ones, since a reader of documents meets one vocabulary under several prefixes; the
//! few attributes that differ by prefix alone have [`XmlElement::prefixed`]. An element that is closed at
//! once is opened and closed like any other. Nothing is kept of what encloses what: end tags may not fit,
//! entities may be unknown, and markup that breaks off ends the reading with [`XmlReader::is_broken`].
//! External entities are never resolved, since nothing is ever opened.

mod entity;
mod walk;

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesEnd, BytesStart, Event};

use crate::text::{charset_of, decode};
pub(crate) use walk::{Attributes, Piece, walk};

/// The characters of a part, in whatever charset it is written.
pub(crate) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(body) {
        Ok(text) if !text.contains('\0') => Cow::Borrowed(text),
        _ => Cow::Owned(decode(bytes, charset_of(bytes))),
    }
}

/// What stands next.
#[derive(Debug)]
pub(crate) enum XmlEvent<'a> {
    /// A start tag.
    Open(XmlElement<'a>),
    /// An end tag, or the end of an empty element.
    Close(XmlEnd<'a>),
    /// Characters, with entities resolved; one text may come in several pieces.
    Text(Cow<'a, str>),
}

/// Reads one XML text.
pub(crate) struct XmlReader<'a> {
    reader: Reader<&'a [u8]>,
    broken: bool,
}

impl<'a> XmlReader<'a> {
    /// A reader at the start of the text.
    pub(crate) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.allow_dangling_amp = true;
        config.allow_unmatched_ends = true;
        config.check_end_names = false;
        config.expand_empty_elements = true;
        Self { reader, broken: false }
    }

    /// Whether the text ended because its markup broke off.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Reads past the end of the element that was just opened, whatever is inside.
    pub(crate) fn skip(&mut self) {
        let mut depth = 1u32;
        while depth > 0 {
            match self.next_event() {
                Some(XmlEvent::Open(_)) => depth = depth.saturating_add(1),
                Some(XmlEvent::Close(_)) => depth -= 1,
                Some(XmlEvent::Text(_)) => {}
                None => return,
            }
        }
    }

    /// All characters inside the element that was just opened, up to so many bytes; reads past its end.
    pub(crate) fn text_within(&mut self, most_bytes: usize) -> String {
        let mut text = String::new();
        let mut depth = 1u32;
        while depth > 0 {
            match self.next_event() {
                Some(XmlEvent::Open(_)) => depth = depth.saturating_add(1),
                Some(XmlEvent::Close(_)) => depth -= 1,
                Some(XmlEvent::Text(piece)) if text.len() < most_bytes => text.push_str(&piece),
                Some(XmlEvent::Text(_)) => {}
                None => break,
            }
        }
        text
    }

    /// What stands next; `None` at the end.
    pub(crate) fn next_event(&mut self) -> Option<XmlEvent<'a>> {
        loop {
            match self.reader.read_event() {
                Ok(Event::Start(start)) | Ok(Event::Empty(start)) => return Some(XmlEvent::Open(XmlElement(start))),
                Ok(Event::End(end)) => return Some(XmlEvent::Close(XmlEnd(end))),
                Ok(Event::Text(text)) => return Some(XmlEvent::Text(text.into_inner())),
                Ok(Event::CData(text)) => return Some(XmlEvent::Text(text.into_inner())),
                Ok(Event::GeneralRef(reference)) => return Some(XmlEvent::Text(entity::resolved(&reference))),
                Ok(Event::Eof) => return None,
                Ok(_) => {}
                Err(_) => {
                    self.broken = true;
                    return None;
                }
            }
        }
    }
}

/// An element that opens.
#[derive(Debug)]
pub(crate) struct XmlElement<'a>(BytesStart<'a>);

impl XmlElement<'_> {
    /// Its name without prefix.
    pub(crate) fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// The value of the first attribute of that local name.
    pub(crate) fn attribute(&self, local: &str) -> Option<String> {
        self.find(|attribute| attribute.key.local_name().into_inner() == local)
    }

    /// The value of the first attribute of that local name that has a prefix: `r:id` beside `id`.
    pub(crate) fn prefixed(&self, local: &str) -> Option<String> {
        self.find(|attribute| attribute.key.prefix().is_some() && attribute.key.local_name().into_inner() == local)
    }

    /// Every attribute by its local name.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.unchecked().map(|attribute| (attribute.key.local_name().into_inner().to_owned(), value(&attribute)))
    }

    fn find(&self, wanted: impl Fn(&Attribute<'_>) -> bool) -> Option<String> {
        self.unchecked().find(wanted).map(|attribute| value(&attribute))
    }

    /// Attributes are compared with all before them otherwise, and a megabyte of them takes minutes.
    fn unchecked(&self) -> impl Iterator<Item = Attribute<'_>> {
        let mut attributes = self.0.html_attributes();
        attributes.with_checks(false);
        attributes.flatten()
    }
}

/// An attribute's value, as it is written where it cannot be resolved.
fn value(attribute: &Attribute<'_>) -> String {
    let resolved = attribute.normalized_value(XmlVersion::Implicit1_0);
    resolved.map_or_else(|_| attribute.value.clone().into_owned(), Cow::into_owned)
}

/// An element that closes.
#[derive(Debug)]
pub(crate) struct XmlEnd<'a>(BytesEnd<'a>);

impl XmlEnd<'_> {
    /// Its name without prefix.
    pub(crate) fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> (String, bool) {
        let mut reader = XmlReader::new(text);
        let mut told = String::new();
        while let Some(event) = reader.next_event() {
            match event {
                XmlEvent::Open(element) => told.push_str(&format!("<{}>", element.name())),
                XmlEvent::Close(end) => told.push_str(&format!("</{}>", end.name())),
                XmlEvent::Text(text) => told.push_str(&text),
            }
        }
        (told, reader.is_broken())
    }

    #[test]
    fn names_are_local_and_entities_are_characters() {
        let (text, broken) = told("<?xml version='1.0'?><w:a><w:b/>x &amp; &#252; &odd; &#0;<![CDATA[<c>]]></w:a>");
        assert_eq!(text, "<a><b></b>x & ü &odd;  <c></a>");
        assert!(!broken);
    }

    #[test]
    fn broken_markup_gives_what_stands_before_it() {
        assert_eq!(told("<a>one</b></a></a>two & three"), ("<a>one</b></a></a>two & three".to_owned(), false));
        assert_eq!(told("<a>one<b attr='"), ("<a>one".to_owned(), true));
    }

    #[test]
    fn attributes_are_told_apart_by_their_prefix() {
        let mut reader = XmlReader::new("<p:sldId id='256' r:id='rId2' t='a&amp;b'/>");
        let Some(XmlEvent::Open(element)) = reader.next_event() else { panic!("an element was expected") };
        assert_eq!(element.attribute("id").as_deref(), Some("256"));
        assert_eq!(element.prefixed("id").as_deref(), Some("rId2"));
        assert_eq!(element.attribute("t").as_deref(), Some("a&b"));
        assert_eq!(element.attribute("none"), None);
    }

    #[test]
    fn a_skipped_element_takes_its_inside_with_it() {
        let mut reader = XmlReader::new("<a><b><b>x</b></b>y</a>");
        reader.next_event();
        reader.next_event();
        reader.skip();
        assert!(matches!(reader.next_event(), Some(XmlEvent::Text(text)) if text == "y"));
    }

    #[test]
    fn parts_in_utf_16_are_read() {
        let bytes: Vec<u8> = "\u{feff}<a>ü</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decoded(&bytes), "<a>ü</a>");
    }
}
