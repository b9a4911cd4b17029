//! Which part refers to which: the `.rels` beside each part.

use std::collections::HashMap;

use crate::package::Package;
use crate::xml::{XmlEvent, XmlReader, decoded};

/// A part that another refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Relationship {
    /// The last word of its type's address, which transitional and strict files share: `footnotes`, `slide`.
    pub(crate) kind: String,
    /// The part's name in the package.
    pub(crate) part: String,
}

/// What a part refers to, by the ids that it uses for them.
#[derive(Debug, Default)]
pub(crate) struct Relationships {
    by_id: HashMap<String, Relationship>,
    /// The ids in the order of the file.
    order: Vec<String>,
}

impl Relationships {
    /// The relationships of a part; of the package itself for the empty name. None that leads outside.
    pub(crate) fn of(package: &mut Package<'_>, part: &str) -> Self {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let beside =
            if folder.is_empty() { format!("_rels/{name}.rels") } else { format!("{folder}/_rels/{name}.rels") };
        let Some(source) = package.read_part(&beside) else { return Self::default() };
        let mut found = Self::default();
        let text = decoded(&source.bytes);
        let mut reader = XmlReader::new(&text);
        while let Some(event) = reader.next_event() {
            let XmlEvent::Open(element) = event else { continue };
            if element.name() != "Relationship" || element.attribute("TargetMode").as_deref() == Some("External") {
                continue;
            }
            let attributes = ["Id", "Type", "Target"].map(|name| element.attribute(name));
            let [Some(id), Some(kind), Some(target)] = attributes else { continue };
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            let relationship = Relationship { kind, part: resolved(folder, &target) };
            if found.by_id.insert(id.clone(), relationship).is_none() {
                found.order.push(id);
            }
        }
        found
    }

    /// The part behind an id.
    pub(crate) fn part(&self, id: &str) -> Option<&str> {
        self.by_id.get(id).map(|relationship| relationship.part.as_str())
    }

    /// The parts of a kind, in the order of the file.
    pub(crate) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a str> {
        let all = self.order.iter().filter_map(|id| self.by_id.get(id));
        all.filter(move |relationship| relationship.kind == kind).map(|relationship| relationship.part.as_str())
    }
}

/// A target as a name in the package: absolute with a slash in front, else relative to the part's folder.
fn resolved(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let base = if target.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(target.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::package::sample;

    #[test]
    fn targets_are_resolved_from_their_part_and_never_lead_outside() {
        assert_eq!(resolved("ppt/slides", "../notesSlides/n1.xml"), "ppt/notesSlides/n1.xml");
        assert_eq!(resolved("ppt", "/word/a.xml"), "word/a.xml");
        assert_eq!(resolved("", "../../etc/passwd"), "etc/passwd");
    }

    #[test]
    fn kinds_are_the_last_word_of_the_type() {
        let rels = "<Relationships><Relationship Id='a' Type='http://purl.oclc.org/x/officeDocument' Target='w/d.xml'/>\
             <Relationship Id='b' Type='http://x/hyperlink' Target='http://y' TargetMode='External'/></Relationships>";
        let bytes = sample::package(&[("_rels/.rels", rels)]);
        let mut package = Package::open(&bytes, &Limits::default()).expect("a package");
        let found = Relationships::of(&mut package, "");
        assert_eq!(found.of_kind("officeDocument").collect::<Vec<_>>(), ["w/d.xml"]);
        assert_eq!(found.part("b"), None);
    }
}
