//! An EPUB's package document (OPF): what the book is, which files it has, in which order they are read.

use std::collections::HashMap;

use super::Facts;
use crate::package::path_beside;
use crate::text::unescaped;
use crate::xml::{Piece, walk};

/// Files of a book that are known, and places in its order: what a megabyte of manifest lists.
const MOST_ITEMS: usize = 20_000;

/// What the package document says.
#[derive(Debug, Default)]
pub(super) struct PackageDocument {
    pub(super) facts: Facts,
    /// The files to read, in order, as paths inside the package.
    pub(super) spine: Vec<String>,
    /// The navigation document of EPUB 3.
    pub(super) navigation: Option<String>,
    /// The NCX of EPUB 2.
    pub(super) ncx: Option<String>,
}

#[derive(Debug)]
struct Item {
    path: String,
    media_type: String,
}

impl PackageDocument {
    /// Reads a package document that stands at a path inside the package.
    pub(super) fn read(source: &str, path: &str) -> Self {
        let mut document = Self::default();
        let mut items: HashMap<String, Item> = HashMap::new();
        let mut order: Vec<String> = Vec::new();
        let mut ncx_id = None;
        let mut fact: Option<(&'static str, String)> = None;
        let mut in_metadata = false;
        walk(source, &mut |piece| {
            match piece {
                Piece::Start("metadata", _) => in_metadata = true,
                Piece::End("metadata") => in_metadata = false,
                Piece::Start(name, attributes) if in_metadata => {
                    let property = attributes.get("property").or(attributes.get("name")).unwrap_or_default();
                    if let (Some(name), Some(content)) = (series(property), attributes.get("content")) {
                        document.facts.add(name, content);
                    }
                    fact = fact_of(name).or_else(|| series(property)).map(|name| (name, String::new()));
                }
                Piece::Text(text) => {
                    if let Some((_, value)) = fact.as_mut().filter(|(_, value)| value.len() < Facts::LONGEST_BYTES) {
                        value.push_str(text);
                    }
                }
                Piece::End(_) if fact.is_some() => {
                    if let Some((name, value)) = fact.take() {
                        document.facts.add(name, &value);
                    }
                }
                Piece::Start("item", attributes) if items.len() < MOST_ITEMS => {
                    let (Some(id), Some(href)) = (attributes.get("id"), attributes.get("href")) else { return true };
                    let media_type = attributes.get("media-type").unwrap_or_default().to_ascii_lowercase();
                    let path = resolve(path, href);
                    let properties = attributes.get("properties").unwrap_or_default();
                    if properties.split_whitespace().any(|property| property == "nav") {
                        document.navigation = Some(path.clone());
                    }
                    if media_type == "application/x-dtbncx+xml" {
                        document.ncx.get_or_insert_with(|| path.clone());
                    }
                    items.insert(id.to_owned(), Item { path, media_type });
                }
                Piece::Start("spine", attributes) => ncx_id = attributes.get("toc").map(str::to_owned),
                Piece::Start("itemref", attributes) if order.len() < MOST_ITEMS => {
                    order.extend(attributes.get("idref").map(str::to_owned));
                }
                _ => {}
            }
            true
        });
        if let Some(item) = ncx_id.and_then(|id| items.get(&id)) {
            document.ncx = Some(item.path.clone());
        }
        let readable = |item: &&Item| {
            let kind = item.media_type.as_str();
            kind.is_empty() || kind.contains("html") || kind.contains("x-oeb1-document") || kind == "text/xml"
        };
        document.spine =
            order.iter().filter_map(|id| items.get(id)).filter(readable).map(|item| item.path.clone()).collect();
        document
    }
}

/// What a person calls a term of the Dublin Core.
fn fact_of(element: &str) -> Option<&'static str> {
    Some(match element {
        "title" => "Title",
        "creator" => "Author",
        "contributor" => "Contributor",
        "publisher" => "Publisher",
        "date" => "Date",
        "language" => "Language",
        "subject" => "Subject",
        "description" => "Description",
        "identifier" => "Identifier",
        "rights" => "Rights",
        _ => return None,
    })
}

/// The series that a book belongs to: EPUB 3's collection, or Calibre's own name for it.
fn series(property: &str) -> Option<&'static str> {
    matches!(property, "belongs-to-collection" | "calibre:series").then_some("Series")
}

/// The path of a reference from a file inside the package, without its fragment.
pub(super) fn resolve(from: &str, reference: &str) -> String {
    let reference = reference.split(['#', '?']).next().unwrap_or_default();
    let decoded = unescaped(reference, b'%', |byte| byte);
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    path_beside(folder, &String::from_utf8_lossy(&decoded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_lead_from_the_file_that_makes_them() {
        let cases = [
            ("OPS/content.opf", "text/a%20b.xhtml#x", "OPS/text/a b.xhtml"),
            ("OPS/nav/toc.xhtml", "../text/./a.xhtml", "OPS/text/a.xhtml"),
            ("content.opf", "../../a.xhtml", "a.xhtml"),
            ("OPS/a.opf", "/b.xhtml", "b.xhtml"),
            ("OPS/a.opf", "100%.xhtml", "OPS/100%.xhtml"),
        ];
        for (from, reference, path) in cases {
            assert_eq!(resolve(from, reference), path);
        }
    }

    #[test]
    fn the_spine_gives_the_order_and_the_metadata_the_facts() {
        let source = "<package><metadata xmlns:dc='x'><dc:title>The  tram</dc:title><dc:creator>Ana</dc:creator>\
            <meta name='calibre:series' content='Hills'/><dc:subject/></metadata><manifest>\
            <item id='b' href='b.xhtml' media-type='application/xhtml+xml'/>\
            <item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>\
            <item id='c' href='c.svg' media-type='image/svg+xml'/>\
            <item id='n' href='nav.xhtml' media-type='application/xhtml+xml' properties='nav'/>\
            <item id='x' href='toc.ncx' media-type='application/x-dtbncx+xml'/></manifest>\
            <spine toc='x'><itemref idref='a'/><itemref idref='c'/><itemref idref='b'/><itemref idref='?'/></spine>";
        let document = PackageDocument::read(source, "OPS/x.opf");
        assert_eq!(document.spine, ["OPS/a.xhtml", "OPS/b.xhtml"]);
        assert_eq!(document.navigation.as_deref(), Some("OPS/nav.xhtml"));
        assert_eq!(document.ncx.as_deref(), Some("OPS/toc.ncx"));
        let facts: Vec<_> = document.facts.0.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(facts, ["Title: The tram", "Author: Ana", "Series: Hills"]);
    }
}
