//! Which paragraphs are headings by their style, and how lists are numbered.

use std::collections::HashMap;

use crate::xml::{XmlEvent, XmlReader};

/// Styles that are looked through for what a style is based on; a chain that is longer is a circle.
const CHAIN: usize = 16;

/// Levels of a list that are told apart; OpenDocument has ten.
const LEVELS: usize = 10;

/// How one level of a list counts; bullets do not.
#[derive(Debug, Clone, Default)]
struct Level {
    format: String,
    prefix: String,
    suffix: String,
    start: i64,
}

/// The styles of a document.
#[derive(Debug, Default)]
pub(super) struct Styles {
    parents: HashMap<String, String>,
    lists: HashMap<String, Vec<Option<Level>>>,
}

impl Styles {
    /// Takes in the styles of a part.
    pub(super) fn add(&mut self, text: &str) {
        let mut reader = XmlReader::new(text);
        let mut list: Option<String> = None;
        while let Some(event) = reader.next_event() {
            match event {
                XmlEvent::Open(element) => match element.name() {
                    "style" => {
                        let [name, parent] = ["name", "parent-style-name"].map(|name| element.attribute(name));
                        let is_paragraph = element.attribute("family").is_some_and(|family| family == "paragraph");
                        if let (Some(name), true) = (name, is_paragraph) {
                            self.parents.insert(name, parent.unwrap_or_default());
                        }
                    }
                    "list-style" => {
                        list = element.attribute("name");
                        if let Some(name) = &list {
                            self.lists.insert(name.clone(), vec![None; LEVELS]);
                        }
                    }
                    "list-level-style-number" => {
                        let level = element.attribute("level").and_then(|level| level.parse::<usize>().ok());
                        let levels = list.as_ref().and_then(|name| self.lists.get_mut(name));
                        let place = levels.zip(level).and_then(|(levels, level)| levels.get_mut(level.checked_sub(1)?));
                        if let Some(place) = place {
                            let value = |name| element.attribute(name).unwrap_or_default();
                            let start = element.attribute("start-value").and_then(|start| start.parse().ok());
                            *place = Some(Level {
                                format: value("num-format"),
                                prefix: value("num-prefix"),
                                suffix: value("num-suffix"),
                                start: start.unwrap_or(1),
                            });
                        }
                    }
                    // What follows are pages of text.
                    "body" => return,
                    _ => {}
                },
                XmlEvent::Close(end) if end.name() == "list-style" => list = None,
                _ => {}
            }
        }
    }

    /// The level of a heading that a plain paragraph of that style is; LibreOffice's titles are such.
    pub(super) fn heading(&self, style: Option<&str>) -> Option<u8> {
        let chain = std::iter::successors(style, |name| self.parents.get(*name).map(String::as_str));
        chain.take(CHAIN).find_map(|name| {
            if name == "Title" {
                return Some(1);
            }
            let level = name.strip_prefix("Heading_20_")?.parse().ok()?;
            (1..=10).contains(&level).then_some(level)
        })
    }

    /// The first count of a list's level, and the count's label; `None` for bullets.
    pub(super) fn start(&self, list: &str, depth: usize) -> Option<i64> {
        self.level(list, depth).map(|level| level.start)
    }

    /// A count as it is shown.
    pub(super) fn label(&self, list: &str, depth: usize, count: i64) -> Option<String> {
        let level = self.level(list, depth)?;
        let shown = crate::flow::counted(count, &level.format)?;
        Some(format!("{}{shown}{}", level.prefix, level.suffix))
    }

    fn level(&self, list: &str, depth: usize) -> Option<&Level> {
        self.lists.get(list)?.get(depth)?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_and_headings_are_told_through_what_styles_are_based_on() {
        let mut styles = Styles::default();
        styles.add(
            "<s><style:style style:name='P1' style:family='paragraph' style:parent-style-name='Title'/>\
             <style:style style:name='P2' style:family='paragraph' style:parent-style-name='P3'/>\
             <style:style style:name='P3' style:family='paragraph' style:parent-style-name='P2'/>\
             <style:style style:name='P4' style:family='paragraph' style:parent-style-name='Heading_20_2'/></s>",
        );
        let levels = ["P1", "P2", "P4", "Title", "Text_20_body"].map(|name| styles.heading(Some(name)));
        assert_eq!(levels, [Some(1), None, Some(2), Some(1), None]);
    }

    #[test]
    fn numbered_levels_have_labels_and_bullets_none() {
        let mut styles = Styles::default();
        styles.add(
            "<s><text:list-style style:name='L1'><text:list-level-style-bullet text:level='1'/>\
             <text:list-level-style-number text:level='2' style:num-suffix=')' style:num-format='a' text:start-value='3'/>\
             </text:list-style></s>",
        );
        assert_eq!(styles.start("L1", 0), None);
        assert_eq!(styles.start("L1", 1), Some(3));
        assert_eq!(styles.label("L1", 1, 4).as_deref(), Some("d)"));
        assert_eq!(styles.label("L1", 99, 1), None);
    }
}
