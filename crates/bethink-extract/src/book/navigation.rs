//! An EPUB's table of contents: the navigation document of EPUB 3, or the NCX of EPUB 2.

use std::collections::HashMap;

use super::package_document::resolve;
use crate::xml::{Piece, walk};

/// Entries that are kept; a long encyclopaedia has a few thousand.
const MOST_ENTRIES: usize = 50_000;

/// Bytes of a title that are kept.
const TITLE_BYTES: usize = 300;

/// A chapter's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) title: String,
    /// How deep it stands in the table, from 1.
    pub(super) level: usize,
}

/// The first entry that points into each file, by the file's path inside the package.
pub(super) type Contents = HashMap<String, Entry>;

/// Reads a navigation document.
pub(super) fn read_navigation(source: &str, path: &str) -> Contents {
    let mut contents = Contents::new();
    let mut lists = 0_usize;
    // Beside the table of contents there may be lists of pages and landmarks, which name no chapters.
    let mut in_contents = false;
    let mut link: Option<(String, String)> = None;
    walk(source, &mut |piece| {
        match piece {
            Piece::Start("nav", attributes) => {
                let kind = attributes.get("type").unwrap_or("toc");
                in_contents = kind.split_whitespace().any(|kind| kind == "toc");
                lists = 0;
            }
            Piece::End("nav") => in_contents = false,
            Piece::Start("ol", _) => lists += 1,
            Piece::End("ol") => lists = lists.saturating_sub(1),
            Piece::Start("a", attributes) if in_contents => {
                link = attributes.get("href").map(|href| (resolve(path, href), String::new()));
            }
            Piece::Text(text) => {
                if let Some((_, title)) = &mut link {
                    title.push_str(text);
                }
            }
            Piece::End("a") => {
                if let Some((target, title)) = link.take() {
                    add(&mut contents, target, &title, lists);
                }
            }
            _ => {}
        }
        contents.len() < MOST_ENTRIES
    });
    contents
}

/// Reads an NCX.
pub(super) fn read_ncx(source: &str, path: &str) -> Contents {
    let mut contents = Contents::new();
    let mut level = 0_usize;
    let mut in_map = false;
    let mut in_label = false;
    let mut title = String::new();
    walk(source, &mut |piece| {
        match piece {
            Piece::Start("navMap", _) => in_map = true,
            Piece::End("navMap") => in_map = false,
            Piece::Start("navPoint", _) => {
                level += 1;
                title.clear();
            }
            Piece::End("navPoint") => level = level.saturating_sub(1),
            Piece::Start("navLabel", _) => in_label = true,
            Piece::End("navLabel") => in_label = false,
            Piece::Text(text) if in_map && in_label => title.push_str(text),
            Piece::Start("content", attributes) if in_map => {
                if let Some(target) = attributes.get("src") {
                    add(&mut contents, resolve(path, target), &title, level);
                }
            }
            _ => {}
        }
        contents.len() < MOST_ENTRIES
    });
    contents
}

fn add(contents: &mut Contents, target: String, title: &str, level: usize) {
    let mut title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    title.truncate(title.floor_char_boundary(TITLE_BYTES));
    if !title.is_empty() {
        contents.entry(target).or_insert(Entry { title, level: level.max(1) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(contents: &Contents, path: &str) -> Option<(String, usize)> {
        contents.get(path).map(|entry| (entry.title.clone(), entry.level))
    }

    #[test]
    fn a_navigation_document_names_the_files_by_its_table_alone() {
        let source = "<html><nav epub:type='page-list'><ol><li><a href='a.xhtml#p1'>1</a></li></ol></nav>\
            <nav epub:type='toc'><ol><li><a href='a.xhtml'>Part <b>One</b></a><ol>\
            <li><a href='b.xhtml#s'>Hills</a></li><li><a href='b.xhtml#t'>Later</a></li></ol></li></ol></nav></html>";
        let contents = read_navigation(source, "OPS/nav.xhtml");
        assert_eq!(entry(&contents, "OPS/a.xhtml"), Some(("Part One".to_owned(), 1)));
        assert_eq!(entry(&contents, "OPS/b.xhtml"), Some(("Hills".to_owned(), 2)));
    }

    #[test]
    fn an_ncx_nests_its_points() {
        let source = "<ncx><docTitle><text>Book</text></docTitle><navMap><navPoint><navLabel><text>One</text>\
            </navLabel><content src='a.html'/><navPoint><navLabel><text>Two</text></navLabel>\
            <content src='b.html#x'/></navPoint></navPoint></navMap><pageList><content src='c.html'/></pageList></ncx>";
        let contents = read_ncx(source, "toc.ncx");
        assert_eq!(entry(&contents, "a.html"), Some(("One".to_owned(), 1)));
        assert_eq!(entry(&contents, "b.html"), Some(("Two".to_owned(), 2)));
        assert_eq!(entry(&contents, "c.html"), None);
    }
}
