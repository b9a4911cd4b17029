//! A browser's bookmarks: folders as headings, each bookmark a list item with its address.
//!
//! Read are the page that every browser exports (Netscape's, which has no end tags worth following), the
//! `Bookmarks` file of Chrome and its kin, and the backup of Firefox.

use std::cell::RefCell;

use bethink_core::{Format, ProblemKind};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, CharacterTokens, StartTag, Tag, TagToken, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::json::{Value, string};
use crate::limits::Limits;
use crate::text::without_controls;
use crate::xml::decoded;

/// Deepest folder that is counted; deeper ones are shown as the deepest.
const DEEPEST: usize = 6;

/// Bytes of an address that are kept: bookmarklets carry whole programs.
const ADDRESS_BYTES: usize = 500;

/// Bytes of a name that are kept.
const NAME_BYTES: usize = 500;

/// Seconds between 1601, where Chrome's clock starts, and 1970.
const CHROME_EPOCH_SECONDS: i64 = 11_644_473_600;

/// Reads bookmarks.
pub(crate) struct BookmarksFamily;

impl Family for BookmarksFamily {
    fn reads(&self, format: Format) -> bool {
        format == Format::Bookmarks
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        let bytes = source.head(limits.structured_bytes, "", sink);
        let text = decoded(bytes);
        let mut list = List::default();
        if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            match serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')) {
                Ok(root) => tree(&root, &mut list),
                Err(_) => {
                    sink.text(without_controls(text.into_owned()));
                    return Outcome::Skipped(problem(ProblemKind::Damaged, "the list of bookmarks breaks off"));
                }
            }
        } else {
            list = page(&text);
        }
        let text = list.finish();
        if text.is_empty() {
            return Outcome::Skipped(problem(ProblemKind::Empty, "there are no bookmarks in it"));
        }
        sink.text(without_controls(text));
        Outcome::Read
    }

    fn entries(&self) -> Vec<FormatEntry> {
        vec![FormatEntry {
            name: "bookmarks",
            detected_by: "NETSCAPE-Bookmark-file; roots of Chrome's file; Firefox's backup",
            locator: "line of the extracted text, heading (folder)",
            lost: "icons, visits",
            limits: "64 MiB of the file",
        }]
    }
}

/// The folders so far, in order. What stands behind a folder inside another belongs to the outer one and
/// is written above the inner, where the heading that holds is its own.
#[derive(Default)]
struct List {
    folders: Vec<Folder>,
    /// The folders that are open, outermost first.
    open: Vec<usize>,
}

#[derive(Default)]
struct Folder {
    depth: usize,
    name: String,
    items: String,
}

impl List {
    /// A folder opens.
    fn folder(&mut self, depth: usize, name: &str) {
        self.open.push(self.folders.len());
        self.folders.push(Folder { depth, name: one_line(name, NAME_BYTES), items: String::new() });
    }

    /// The innermost folder closes.
    fn close(&mut self) {
        self.open.pop();
    }

    /// What is written into the innermost folder.
    fn items(&mut self) -> &mut String {
        let place = self.open.last().copied().unwrap_or(0);
        if self.folders.is_empty() {
            self.folders.push(Folder::default());
        }
        &mut self.folders[place].items
    }

    fn bookmark(&mut self, name: &str, address: &str, day: Option<String>) {
        let name = one_line(name, NAME_BYTES);
        let address = one_line(address, ADDRESS_BYTES);
        let what = match (name.is_empty(), address.is_empty()) {
            (false, false) => format!("{name} — {address}"),
            (true, true) => return,
            _ => format!("{name}{address}"),
        };
        let day = day.map(|day| format!(" ({day})")).unwrap_or_default();
        self.items().push_str(&format!("- {what}{day}\n"));
    }

    fn note(&mut self, words: &str) {
        let words = one_line(words, 4 * NAME_BYTES);
        if !words.is_empty() {
            self.items().push_str(&format!("  {words}\n"));
        }
    }

    /// The whole list. Folders that hold nothing at any depth are left out.
    fn finish(self) -> String {
        let mut text = String::new();
        for (place, folder) in self.folders.iter().enumerate() {
            let inside = self.folders[place + 1..].iter().take_while(|inner| inner.depth > folder.depth);
            if folder.items.is_empty() && inside.take(FOLDERS_SEARCHED).all(|inner| inner.items.is_empty()) {
                continue;
            }
            if !text.is_empty() {
                text.push('\n');
            }
            if !folder.name.is_empty() {
                text.push_str(&format!("{} {}\n\n", "#".repeat(folder.depth.clamp(1, DEEPEST)), folder.name));
            }
            text.push_str(&folder.items);
        }
        text
    }
}

/// Folders inside one that are asked whether they hold anything.
const FOLDERS_SEARCHED: usize = 64;

fn one_line(text: &str, most_bytes: usize) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.truncate(line.floor_char_boundary(most_bytes));
    line
}

fn day(seconds: i64) -> Option<String> {
    let time = jiff::Timestamp::from_second(seconds).ok().filter(|_| seconds > 0)?;
    Some(time.strftime("%Y-%m-%d").to_string())
}

/// The exported page.
fn page(source: &str) -> List {
    let tokenizer = Tokenizer::new(PageReader(RefCell::new(PageState::default())), TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(source));
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    let mut state = tokenizer.sink.0.into_inner();
    state.close();
    state.list
}

struct PageReader(RefCell<PageState>);

/// What the characters to come belong to.
#[derive(Default)]
enum Open {
    #[default]
    Nothing,
    Folder,
    Bookmark {
        address: String,
        day: Option<String>,
        tags: String,
    },
    Note,
}

#[derive(Default)]
struct PageState {
    list: List,
    depth: usize,
    open: Open,
    words: String,
}

impl TokenSink for PageReader {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        match token {
            CharacterTokens(run) if state.words.len() < 4 * NAME_BYTES => state.words.push_str(&run),
            TagToken(tag) if tag.kind == StartTag => state.start(&tag),
            TagToken(tag) => state.end(&tag.name),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl PageState {
    fn start(&mut self, tag: &Tag) {
        let attribute = |name: &str| {
            let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name);
            found.map(|attribute| attribute.value.to_string())
        };
        match &*tag.name {
            "dl" => {
                self.close();
                self.depth += 1;
            }
            "h1" | "h2" | "h3" => {
                self.close();
                self.open = Open::Folder;
            }
            "a" => {
                self.close();
                let added = attribute("add_date").and_then(|seconds| seconds.trim().parse().ok());
                self.open = Open::Bookmark {
                    address: attribute("href").unwrap_or_default(),
                    day: added.and_then(day),
                    tags: attribute("tags").unwrap_or_default(),
                };
            }
            "dd" => {
                self.close();
                self.open = Open::Note;
            }
            "dt" => self.close(),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "dl" => {
                self.close();
                self.depth = self.depth.saturating_sub(1);
                // A headline without a list of its own closes with the list around it.
                while self.list.open.last().is_some_and(|open| self.list.folders[*open].depth > self.depth) {
                    self.list.close();
                }
            }
            "h1" | "h2" | "h3" | "a" | "title" => self.close(),
            _ => {}
        }
    }

    /// What was open ends here.
    fn close(&mut self) {
        let words = std::mem::take(&mut self.words);
        match std::mem::take(&mut self.open) {
            Open::Nothing => {}
            // The page's own headline stands above the first list.
            Open::Folder => {
                let depth = self.depth + 1;
                while self.list.open.last().is_some_and(|open| self.list.folders[*open].depth >= depth) {
                    self.list.close();
                }
                self.list.folder(depth, &words);
            }
            Open::Bookmark { address, day, tags } => {
                self.list.bookmark(&words, &address, day);
                if !tags.is_empty() {
                    self.list.note(&format!("tags: {tags}"));
                }
            }
            Open::Note => self.list.note(&words),
        }
    }
}

/// Chrome's roots or Firefox's tree.
fn tree(root: &Value, list: &mut List) {
    let mut open: Vec<(&Value, usize)> = Vec::new();
    match root.get("roots").and_then(Value::as_object) {
        Some(roots) => {
            let known = ["bookmark_bar", "other", "synced"];
            let rest = roots.keys().map(String::as_str).filter(|key| !known.contains(key));
            let order: Vec<&str> = known.into_iter().chain(rest).collect();
            open.extend(order.into_iter().rev().filter_map(|key| roots.get(key)).map(|node| (node, 1)));
        }
        None => open.push((root, 0)),
    }
    while let Some((node, depth)) = open.pop() {
        let name = [string(node, "name"), string(node, "title")].into_iter().find(|name| !name.is_empty());
        let name = name.unwrap_or_default();
        let address = [string(node, "url"), string(node, "uri")].into_iter().find(|address| !address.is_empty());
        match node.get("children").and_then(Value::as_array) {
            Some(children) => {
                // Bookmarks of a folder stand before the folders in it.
                let is_folder = |child: &&Value| child.get("children").is_some();
                list.folder(depth, name);
                for child in children.iter().filter(|child| !is_folder(child)) {
                    leaf(child, list);
                }
                list.close();
                open.extend(children.iter().rev().filter(is_folder).map(|child| (child, depth + 1)));
            }
            None if address.is_some() => leaf(node, list),
            None => {}
        }
    }
}

fn leaf(node: &Value, list: &mut List) {
    let name = [string(node, "name"), string(node, "title")].into_iter().find(|name| !name.is_empty());
    let address = [string(node, "url"), string(node, "uri")].into_iter().find(|address| !address.is_empty());
    let Some(address) = address.filter(|address| !address.starts_with("place:")) else { return };
    // Chrome counts microseconds from 1601 and writes them as text, Firefox from 1970 as a number.
    let chrome = node.get("date_added").and_then(Value::as_str).and_then(|micros| micros.parse::<i64>().ok());
    let chrome = chrome.map(|micros| micros / 1_000_000 - CHROME_EPOCH_SECONDS);
    let firefox = node.get("dateAdded").and_then(Value::as_i64).map(|micros| micros / 1_000_000);
    list.bookmark(name.unwrap_or_default(), address, chrome.or(firefox).and_then(day));
    if !string(node, "tags").is_empty() {
        list.note(&format!("tags: {}", string(node, "tags")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exported_page_is_a_list_under_its_folders() {
        let source = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>\n<DL><p>\n\
            <DT><H3 ADD_DATE=\"1\">Trams &amp; hills</H3>\n<DL><p>\n\
            <DT><A HREF=\"https://x.org/?a=1&amp;b=2\" ADD_DATE=\"1714566600\" TAGS=\"lisbon\">Line 28</A>\n<DD>It climbs.\n\
            <DT><A HREF=\"https://y.org\"></A>\n</DL><p>\n<DT><A HREF=\"z\">Out</A>\n</DL>";
        assert_eq!(
            page(source).finish(),
            "# Bookmarks\n\n- Out — z\n\n## Trams & hills\n\n- Line 28 — https://x.org/?a=1&b=2 (2024-05-01)\n  tags: lisbon\n  It climbs.\n\
             - https://y.org\n"
        );
    }

    #[test]
    fn the_trees_of_chrome_and_firefox_are_walked() {
        let chrome = r#"{"roots": {"other": {"name": "Other", "type": "folder", "children": []}, "bookmark_bar": {
            "name": "Bar", "type": "folder", "children": [{"type": "folder", "name": "Hills", "children": [
            {"type": "url", "name": "Up", "url": "https://up"}]},
            {"type": "url", "name": "Tram", "url": "https://x", "date_added": "13359040200000000"}]}}}"#;
        let firefox = r#"{"title": "", "children": [{"title": "menu", "children": [
            {"title": "Tram", "uri": "https://x", "dateAdded": 1714566600000000, "tags": "a,b"},
            {"title": "Recent", "uri": "place:sort=8"}]}]}"#;
        let walked = |source: &str| {
            let mut list = List::default();
            tree(&serde_json::from_str(source).unwrap_or_default(), &mut list);
            list.finish()
        };
        assert_eq!(walked(chrome), "# Bar\n\n- Tram — https://x (2024-05-01)\n\n## Hills\n\n- Up — https://up\n");
        assert_eq!(walked(firefox), "# menu\n\n- Tram — https://x (2024-05-01)\n  tags: a,b\n");
    }
}
