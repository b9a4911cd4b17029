//! Lists: what stands before an item.

use std::collections::HashMap;

use super::styles::{ListPlace, number};
use crate::flow;
use crate::xml::{XmlEvent, XmlReader};

/// Levels of a list; Word has nine.
const LEVELS: usize = 9;

/// How one level of a list counts.
#[derive(Debug, Clone, Default)]
struct Level {
    start: Option<i64>,
    format: Option<String>,
    /// The label with `%1` to `%9` for the counts of the levels.
    text: Option<String>,
}

/// A list that is in use: what it looks like, and which of its levels start anew.
#[derive(Debug, Clone, Default)]
struct List {
    definition: String,
    overrides: HashMap<usize, Level>,
}

/// The lists of a document, and how far each has counted.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    definitions: HashMap<String, Vec<Level>>,
    lists: HashMap<i64, List>,
    /// Counts by definition, since lists of one definition go on where the other stopped.
    counts: HashMap<String, [Option<i64>; LEVELS]>,
    /// Lists whose overrides have been applied.
    started: HashMap<(i64, usize), ()>,
}

impl Numbering {
    pub(super) fn of(text: &str) -> Self {
        let mut reader = XmlReader::new(text);
        let mut numbering = Self::default();
        let mut definition: Option<String> = None;
        let mut list: Option<i64> = None;
        let mut level: Option<usize> = None;
        while let Some(event) = reader.next_event() {
            match event {
                XmlEvent::Open(element) => match element.name() {
                    "abstractNum" => {
                        let id = element.attribute("abstractNumId").unwrap_or_default();
                        numbering.definitions.insert(id.clone(), vec![Level::default(); LEVELS]);
                        (definition, list) = (Some(id), None);
                    }
                    "num" => {
                        list = number(element.attribute("numId"));
                        definition = None;
                        if let Some(id) = list {
                            numbering.lists.insert(id, List::default());
                        }
                    }
                    "abstractNumId" => {
                        if let Some(list) = list.and_then(|id| numbering.lists.get_mut(&id)) {
                            list.definition = element.attribute("val").unwrap_or_default();
                        }
                    }
                    "lvl" | "lvlOverride" => level = number(element.attribute("ilvl")).filter(|level| *level < LEVELS),
                    name @ ("start" | "startOverride" | "numFmt" | "lvlText") => {
                        let Some(level) = level else { continue };
                        let place = match (&definition, list) {
                            (Some(id), _) => numbering.definitions.get_mut(id).and_then(|levels| levels.get_mut(level)),
                            (None, Some(id)) => {
                                numbering.lists.get_mut(&id).map(|list| list.overrides.entry(level).or_default())
                            }
                            (None, None) => None,
                        };
                        let Some(place) = place else { continue };
                        let value = element.attribute("val");
                        match name {
                            "numFmt" => place.format = value,
                            "lvlText" => place.text = value,
                            _ => place.start = number(value),
                        }
                    }
                    _ => {}
                },
                XmlEvent::Close(end) => match end.name() {
                    "abstractNum" => definition = None,
                    "num" => list = None,
                    // Of an override, the level that it may hold closes before it.
                    "lvlOverride" => level = None,
                    _ => {}
                },
                XmlEvent::Text(_) => {}
            }
        }
        numbering
    }

    /// Counts an item, and gives its label; `None` for bullets.
    pub(super) fn label(&mut self, place: ListPlace) -> Option<String> {
        let list = self.lists.get(&place.list)?;
        let definition = self.definitions.get(&list.definition)?;
        let index = usize::from(place.level).min(LEVELS - 1);
        let level = |index: usize| {
            let own = list.overrides.get(&index).cloned().unwrap_or_default();
            let base = definition.get(index).cloned().unwrap_or_default();
            Level { start: own.start.or(base.start), format: own.format.or(base.format), text: own.text.or(base.text) }
        };
        let restarts = list.overrides.get(&index).is_some_and(|own| own.start.is_some())
            && self.started.insert((place.list, index), ()).is_none();
        let counts = self.counts.entry(list.definition.clone()).or_default();
        if restarts {
            counts[index] = None;
        }
        let count = counts[index].map_or_else(|| level(index).start.unwrap_or(1), |count| count.saturating_add(1));
        counts[index] = Some(count);
        counts[index + 1..].fill(None);
        let shown = level(index);
        if matches!(shown.format.as_deref(), Some("bullet" | "none")) {
            return None;
        }
        let mut label = shown.text?;
        for (at, count) in counts.iter().enumerate() {
            let name = format!("%{}", at + 1);
            if label.contains(&name) {
                let format = level(at).format;
                let value = count.or(level(at).start).unwrap_or(1);
                label = label.replace(&name, &counted(value, format.as_deref().unwrap_or("decimal")));
            }
        }
        Some(label).filter(|label| !label.trim().is_empty())
    }
}

/// A count in a format of Word's; decimal for the many that only other scripts use.
fn counted(count: i64, format: &str) -> String {
    let letter = match format {
        "lowerLetter" => "a",
        "upperLetter" => "A",
        "lowerRoman" => "i",
        "upperRoman" => "I",
        "decimalZero" if (0..10).contains(&count) => return format!("0{count}"),
        _ => "1",
    };
    flow::counted(count, letter).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_count_and_start_anew_below() {
        let mut numbering = Numbering::of(
            "<w:numbering><w:abstractNum w:abstractNumId='0'>\
             <w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl>\
             <w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='%1%2)'/></w:lvl>\
             </w:abstractNum><w:abstractNum w:abstractNumId='1'><w:lvl w:ilvl='0'><w:numFmt w:val='bullet'/><w:lvlText w:val='·'/></w:lvl></w:abstractNum>\
             <w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num><w:num w:numId='2'><w:abstractNumId w:val='1'/></w:num>\
             <w:num w:numId='3'><w:abstractNumId w:val='0'/><w:lvlOverride w:ilvl='0'><w:startOverride w:val='7'/></w:lvlOverride></w:num></w:numbering>",
        );
        let places = [(1, 0), (1, 1), (1, 1), (1, 0), (1, 1), (2, 0), (3, 0), (3, 0), (9, 0), (1, 200)];
        let labels = places.map(|(list, level)| numbering.label(ListPlace { list, level }).unwrap_or_default());
        assert_eq!(labels, ["1.", "1a)", "1b)", "2.", "2a)", "", "7.", "8.", "", ""]);
    }

    #[test]
    fn counts_have_the_shapes_of_their_formats() {
        assert_eq!([4, 28].map(|count| counted(count, "lowerLetter")), ["d", "bb"]);
        assert_eq!(counted(3, "decimalZero"), "03");
        assert_eq!(counted(3, "chicago"), "3");
    }
}
