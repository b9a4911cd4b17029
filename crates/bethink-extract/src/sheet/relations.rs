//! The relationships of a package: which part is what, and where it stands.

use crate::package::{Package, path_beside};
use crate::xml::{XmlEvent, XmlReader, decoded};

/// A link from one part to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relation {
    pub(super) id: String,
    /// The last part of its type; what stands before it differs between the strict and the usual form.
    pub(super) kind: String,
    /// The part's path in the package.
    pub(super) target: String,
}

/// The path of the main part; the usual one where none is named.
pub(super) fn main_part(package: &mut Package<'_>, usual: &str) -> String {
    let links = of(package, "");
    of_kind(&links, "officeDocument").unwrap_or(usual).to_owned()
}

/// The links of a part, or with an empty path those of the package. Links out of the package are left out.
pub(super) fn of(package: &mut Package<'_>, part: &str) -> Vec<Relation> {
    /// A sheet of pictures has a link for each.
    const MOST_LINKS: usize = 100_000;
    let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
    let slash = if folder.is_empty() { "" } else { "/" };
    let path = format!("{folder}{slash}_rels/{name}.rels");
    let bytes = package.read_part(&path).map(|part| part.bytes).unwrap_or_default();
    let text = decoded(&bytes);
    let mut xml = XmlReader::new(&text);
    let mut links = Vec::new();
    while let Some(node) = xml.next_event() {
        let XmlEvent::Open(element) = node else { continue };
        let outside = element.attribute("TargetMode").is_some_and(|mode| mode == "External");
        if element.name() != "Relationship" || outside || links.len() >= MOST_LINKS {
            continue;
        }
        let value = |name| element.attribute(name).unwrap_or_default();
        let (kind, target) = (value("Type"), value("Target"));
        links.push(Relation {
            id: value("Id"),
            kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
            target: resolved(folder, &target),
        });
    }
    links
}

/// The first target of that kind.
pub(super) fn of_kind<'a>(links: &'a [Relation], kind: &str) -> Option<&'a str> {
    links.iter().find(|link| link.kind == kind).map(|link| link.target.as_str())
}

/// A target beside the part that names it, or from the package's root.
fn resolved(folder: &str, target: &str) -> String {
    path_beside(folder, &target.replace('\\', "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_from_where_they_are_named() {
        assert_eq!(resolved("xl/worksheets", "../drawings/a.xml"), "xl/drawings/a.xml");
        assert_eq!(resolved("xl", "/xl/sheet.xml"), "xl/sheet.xml");
        assert_eq!(resolved("", "xl\\workbook.xml"), "xl/workbook.xml");
        assert_eq!(resolved("xl", "../../../etc"), "etc");
    }
}
