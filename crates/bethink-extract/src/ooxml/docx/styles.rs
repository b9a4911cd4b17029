//! Paragraph styles: which of them are headings, and which are items of a list.

use std::collections::HashMap;

use crate::xml::{XmlEvent, XmlReader};

/// Styles that are looked through for what a style is based on; a chain that is longer is a circle.
const CHAIN: usize = 16;

/// The list that a paragraph belongs to: `numId` and level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListPlace {
    pub(super) list: i64,
    pub(super) level: u8,
}

/// A style as far as it matters for text.
#[derive(Debug, Default)]
struct ParagraphStyle {
    /// Its name, which is English for the built-in ones whatever the program speaks.
    name: String,
    based_on: Option<String>,
    /// Its level in the outline, from 0; 9 is body text.
    outline: Option<u8>,
    list: Option<i64>,
    list_level: Option<u8>,
}

/// The styles of a document by their ids.
#[derive(Debug, Default)]
pub(super) struct Styles {
    by_id: HashMap<String, ParagraphStyle>,
    default: Option<String>,
}

impl Styles {
    pub(super) fn of(text: &str) -> Self {
        let mut reader = XmlReader::new(text);
        let mut styles = Self::default();
        let mut current: Option<(String, ParagraphStyle)> = None;
        while let Some(event) = reader.next_event() {
            match event {
                XmlEvent::Open(element) => match (element.name(), current.as_mut()) {
                    ("style", _) => {
                        let is_paragraph = element.attribute("type").is_none_or(|kind| kind == "paragraph");
                        let id = element.attribute("styleId").filter(|_| is_paragraph);
                        if let Some(id) = &id
                            && element.attribute("default").is_some_and(|value| is_on(&value))
                        {
                            styles.default = Some(id.clone());
                        }
                        current = id.map(|id| (id, ParagraphStyle::default()));
                    }
                    ("name", Some((_, style))) => style.name = element.attribute("val").unwrap_or_default(),
                    ("basedOn", Some((_, style))) => style.based_on = element.attribute("val"),
                    ("outlineLvl", Some((_, style))) => style.outline = number(element.attribute("val")),
                    ("numId", Some((_, style))) => style.list = number(element.attribute("val")),
                    ("ilvl", Some((_, style))) => style.list_level = number(element.attribute("val")),
                    _ => {}
                },
                XmlEvent::Close(end) if end.name() == "style" => {
                    if let Some((id, style)) = current.take() {
                        styles.by_id.insert(id, style);
                    }
                }
                _ => {}
            }
        }
        styles
    }

    /// The style itself, then what it is based on.
    fn chain<'a>(&'a self, id: Option<&'a str>) -> impl Iterator<Item = &'a ParagraphStyle> {
        let first = id.or(self.default.as_deref()).and_then(|id| self.by_id.get(id));
        let next = |style: &&'a ParagraphStyle| style.based_on.as_ref().and_then(|id| self.by_id.get(id));
        std::iter::successors(first, next).take(CHAIN)
    }

    /// The level of a heading in that style, from 1; `None` for body text.
    pub(super) fn heading(&self, id: Option<&str>) -> Option<u8> {
        let known = id.is_some_and(|id| self.by_id.contains_key(id));
        if !known {
            // Programs that write no styles rely on the ids of Word's own.
            return id.and_then(heading_by_name);
        }
        for style in self.chain(id) {
            if let Some(level) = heading_by_name(&style.name) {
                return Some(level);
            }
            if let Some(outline) = style.outline {
                return heading_by_outline(outline);
            }
        }
        None
    }

    /// The list that paragraphs of that style belong to.
    pub(super) fn list(&self, id: Option<&str>) -> Option<ListPlace> {
        let list = self.chain(id).find_map(|style| style.list).filter(|list| *list != 0)?;
        let level = self.chain(id).find_map(|style| style.list_level).unwrap_or(0);
        Some(ListPlace { list, level })
    }
}

/// The heading level of an outline level; 9 means body text.
pub(super) fn heading_by_outline(outline: u8) -> Option<u8> {
    (outline < 9).then_some(outline + 1)
}

/// `heading 2`, `Heading2`, and the title of the whole.
fn heading_by_name(name: &str) -> Option<u8> {
    let lower = name.trim().to_lowercase();
    if lower == "title" {
        return Some(1);
    }
    let level = lower.strip_prefix("heading")?.trim().parse().ok()?;
    (1..=9).contains(&level).then_some(level)
}

/// The value of a switch, which is on when it is just there.
pub(super) fn is_on(value: &str) -> bool {
    !matches!(value, "0" | "false" | "off" | "none")
}

/// A number in an attribute.
pub(super) fn number<N: std::str::FromStr>(value: Option<String>) -> Option<N> {
    value?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_told_by_name_outline_and_what_they_are_based_on() {
        let styles = Styles::of(
            "<w:styles><w:style w:type='paragraph' w:default='1' w:styleId='N'><w:name w:val='Normal'/></w:style>\
             <w:style w:type='paragraph' w:styleId='berschrift2'><w:name w:val='heading 2'/></w:style>\
             <w:style w:type='paragraph' w:styleId='Own'><w:name w:val='Own'/><w:basedOn w:val='berschrift2'/></w:style>\
             <w:style w:type='paragraph' w:styleId='Out'><w:name w:val='x'/><w:pPr><w:outlineLvl w:val='3'/></w:pPr></w:style>\
             <w:style w:type='character' w:styleId='C'><w:name w:val='heading 1'/></w:style>\
             <w:style w:type='paragraph' w:styleId='R'><w:name w:val='r'/><w:basedOn w:val='R'/></w:style>\
             <w:style w:type='paragraph' w:styleId='L'><w:name w:val='l'/><w:pPr><w:numPr><w:ilvl w:val='1'/><w:numId w:val='7'/></w:numPr></w:pPr></w:style></w:styles>",
        );
        let levels =
            ["berschrift2", "Own", "Out", "C", "R", "N", "Heading3", "Title"].map(|id| styles.heading(Some(id)));
        assert_eq!(levels, [Some(2), Some(2), Some(4), None, None, None, Some(3), Some(1)]);
        assert_eq!(styles.heading(None), None);
        assert_eq!(styles.list(Some("L")), Some(ListPlace { list: 7, level: 1 }));
        assert_eq!(styles.list(Some("R")), None);
    }
}
