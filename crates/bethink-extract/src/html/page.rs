//! Follows a page's tags and hands its text to the layout.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, CharacterTokens, StartTag, Tag, TagToken, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::layout::{Layout, Region};

/// Lists inside lists that are counted; deeper ones are laid out as the deepest.
const LISTS_DEEP: usize = 64;

/// Characters of a title that are kept.
const TITLE_CHARS: usize = 300;

/// Bytes given to the tokenizer at once, so that its buffers stay small beside the page.
const PIECE_BYTES: usize = 256 << 10;

/// What a page says.
pub(crate) struct Page {
    pub(crate) title: Option<String>,
    pub(crate) text: String,
}

/// Reads a page's source.
pub(crate) fn read(source: &str) -> Page {
    let tokenizer = Tokenizer::new(Reader(RefCell::new(State::new())), TokenizerOpts::default());
    let queue = BufferQueue::default();
    let mut rest = source;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
        queue.push_back(StrTendril::from_slice(piece));
        // The only reason to pause is a script to run, which the reader never reports.
        let _ = tokenizer.feed(&queue);
        rest = after;
    }
    tokenizer.end();
    tokenizer.sink.0.into_inner().finish()
}

struct Reader(RefCell<State>);

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        match token {
            CharacterTokens(run) => state.characters(&run),
            TagToken(tag) if tag.kind == StartTag => return state.start(&tag),
            TagToken(tag) => state.end(&tag.name),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// Elements whose text is for machines. The tokenizer reads them as raw text up to their end tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Raw {
    Hidden,
    Title,
}

struct State {
    layout: Layout,
    titles: Vec<String>,
    raw: Option<Raw>,
    templates: u32,
    /// `<main>`, `<article>` and the like that are open.
    mains: u32,
    /// `<nav>`, `<footer>` and the like inside which text is frame even within a main element.
    frames: u32,
    /// The next number in each open list; none in unordered ones.
    lists: Vec<Option<u32>>,
    lists_beyond: u32,
    row_has_cell: bool,
    in_svg: bool,
}

impl State {
    fn new() -> Self {
        Self {
            layout: Layout::new(),
            titles: Vec::new(),
            raw: None,
            templates: 0,
            mains: 0,
            frames: 0,
            lists: Vec::new(),
            lists_beyond: 0,
            row_has_cell: false,
            in_svg: false,
        }
    }

    fn characters(&mut self, run: &str) {
        match self.raw {
            Some(Raw::Hidden) => {}
            Some(Raw::Title) => {
                if let Some(title) = self.titles.last_mut().filter(|title| title.len() < 4 * TITLE_CHARS) {
                    title.push_str(run);
                }
            }
            None if self.templates > 0 => {}
            None => self.layout.write(run),
        }
    }

    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name = &*tag.name;
        match name {
            "script" if !tag.self_closing || !self.in_svg => {
                self.raw = Some(Raw::Hidden);
                return TokenSinkResult::RawData(RawKind::ScriptData);
            }
            "style" | "noscript" | "iframe" | "noembed" | "noframes" if !tag.self_closing => {
                self.raw = Some(Raw::Hidden);
                return TokenSinkResult::RawData(RawKind::Rawtext);
            }
            // Drawings have titles too, which are text of the page.
            "title" if !self.in_svg && !tag.self_closing => {
                self.raw = Some(Raw::Title);
                self.titles.push(String::new());
                return TokenSinkResult::RawData(RawKind::Rcdata);
            }
            "textarea" if !tag.self_closing => {
                self.layout.line();
                return TokenSinkResult::RawData(RawKind::Rcdata);
            }
            "xmp" | "listing" if !tag.self_closing => {
                self.layout.open_preformatted();
                return TokenSinkResult::RawData(RawKind::Rawtext);
            }
            "plaintext" => {
                self.layout.open_preformatted();
                return TokenSinkResult::Plaintext;
            }
            "template" if !tag.self_closing => self.templates += 1,
            _ if self.templates > 0 => {}
            "svg" => self.in_svg = !tag.self_closing,
            "main" | "article" => {
                self.mains += 1;
                self.choose_region();
                self.layout.blank();
            }
            "nav" | "footer" | "aside" | "header" if !tag.self_closing => {
                // The header inside an article is its headline; a page's own is its frame already.
                if name != "header" {
                    self.frames += 1;
                    self.choose_region();
                }
                self.layout.blank();
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.layout.open_heading(usize::from(name.as_bytes()[1] - b'0'));
            }
            "pre" => self.layout.open_preformatted(),
            "ul" | "menu" | "dir" => self.open_list(None),
            "ol" => {
                let first = attribute(tag, "start").and_then(|start| start.trim().parse().ok());
                self.open_list(Some(first.unwrap_or(1)));
            }
            "li" => {
                let number = self.lists.last_mut().and_then(Option::as_mut).map(|next| {
                    let number = *next;
                    *next = next.wrapping_add(1);
                    number
                });
                self.layout.item(self.lists.len().max(1), number);
            }
            "dt" | "dd" | "option" | "optgroup" | "legend" | "summary" | "caption" | "br" | "tbody" | "thead"
            | "tfoot" => {
                self.layout.line();
            }
            "tr" => {
                self.layout.row();
                self.row_has_cell = false;
            }
            "td" | "th" => {
                self.layout.cell(!self.row_has_cell);
                self.row_has_cell = true;
            }
            "img" | "area" => self.alternative(tag, "alt"),
            "input" => {
                let kind = attribute(tag, "type").unwrap_or_default();
                if matches!(kind, "submit" | "button" | "reset") {
                    self.alternative(tag, "value");
                }
            }
            _ if is_block(name) => self.layout.blank(),
            _ => {}
        }
        TokenSinkResult::Continue
    }

    fn end(&mut self, name: &str) {
        match name {
            "script" | "style" | "noscript" | "iframe" | "noembed" | "noframes" | "title" => self.raw = None,
            "template" => self.templates = self.templates.saturating_sub(1),
            _ if self.templates > 0 => {}
            "svg" => self.in_svg = false,
            "main" | "article" => {
                self.mains = self.mains.saturating_sub(1);
                self.choose_region();
                self.layout.blank();
            }
            "nav" | "footer" | "aside" => {
                self.frames = self.frames.saturating_sub(1);
                self.choose_region();
                self.layout.blank();
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.layout.close_heading(),
            "pre" | "xmp" | "listing" => self.layout.close_preformatted(),
            "ul" | "menu" | "dir" | "ol" => self.close_list(),
            "li" | "dt" | "dd" | "option" | "caption" | "textarea" | "summary" | "legend" => self.layout.line(),
            "tr" => {
                self.layout.row();
                self.row_has_cell = false;
            }
            // Another table's row may have been inside; whatever follows is one more cell.
            "td" | "th" => self.row_has_cell = true,
            "table" => {
                self.layout.row();
                self.layout.blank();
            }
            // A lone end tag breaks the line in every browser.
            "br" => self.layout.line(),
            _ if is_block(name) => self.layout.blank(),
            _ => {}
        }
    }

    fn choose_region(&mut self) {
        let main = self.mains > 0 && self.frames == 0;
        self.layout.enter(if main { Region::Main } else { Region::Frame });
    }

    fn open_list(&mut self, first: Option<u32>) {
        if self.lists.is_empty() {
            self.layout.blank();
        } else {
            self.layout.line();
        }
        if self.lists.len() < LISTS_DEEP {
            self.lists.push(first);
        } else {
            self.lists_beyond += 1;
        }
    }

    fn close_list(&mut self) {
        if self.lists_beyond > 0 {
            self.lists_beyond -= 1;
        } else {
            self.lists.pop();
        }
        if self.lists.is_empty() {
            self.layout.blank();
        } else {
            self.layout.line();
        }
    }

    /// The words that stand in for a picture or a button.
    fn alternative(&mut self, tag: &Tag, name: &str) {
        let words = attribute(tag, name).unwrap_or_default();
        if !words.trim().is_empty() {
            self.layout.space();
            self.layout.write(words);
            self.layout.space();
        }
    }

    fn finish(self) -> Page {
        let tidy = |title: &String| title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = self.titles.iter().map(tidy).find(|title| !title.is_empty());
        let title = title.map(|title| title.chars().take(TITLE_CHARS).collect());
        Page { title, text: self.layout.finish() }
    }
}

fn attribute<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    tag.attrs.iter().find(|attribute| &*attribute.name.local == name).map(|attribute| &*attribute.value)
}

/// Elements that browsers set apart from what is around them.
fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "blockquote"
            | "body"
            | "center"
            | "details"
            | "dialog"
            | "div"
            | "dl"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "form"
            | "frameset"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "head"
            | "p"
            | "search"
            | "section"
            | "select"
            | "table"
            | "title"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(source: &str) -> String {
        read(source).text
    }

    #[test]
    fn a_page_reads_like_a_page() {
        let source = "<!doctype html><html><head><title> The\n tram </title><style>p{}</style></head><body>\
            <h1>Line <b>28</b></h1><p>It climbs&nbsp;&amp; turns.<p>Caf&eacute; <a href=x>stop</a><br>second line\
            <ul><li>one<li>two<ol start=3><li>three</ol></ul>\
            <table><tr><th>Name<th>Height</tr><tr><td><p>Hill</p></td><td><p>80</p></td></tr></table>\
            <pre>\n  keep\n    this\n</pre><script>if (a < b) { '<p>no' }</script><img alt='A yellow tram' src=x>end";
        let page = read(source);
        assert_eq!(page.title.as_deref(), Some("The tram"));
        assert_eq!(
            page.text,
            "# Line 28\n\nIt climbs & turns.\n\nCafé stop\nsecond line\n\n- one\n- two\n  3. three\n\n\
             Name | Height\nHill | 80\n\n  keep\n    this\n\nA yellow tram end\n"
        );
    }

    #[test]
    fn what_is_hidden_from_readers_is_left_out() {
        let source = "a<script>b</script><style>c</style><template>d<template>e</template>f</template>\
            <noscript>g</noscript><!-- h -->i";
        assert_eq!(text(source), "ai\n");
    }

    #[test]
    fn the_frame_of_a_page_stands_behind_its_main_part() {
        let body = "word ".repeat(60);
        let source = format!(
            "<nav>Home</nav><main><h1>News</h1><p>{body}<aside>Related</aside></main><footer>394 Pacific</footer>"
        );
        let text = text(&source);
        assert!(text.starts_with("# News\n\nword word"), "{text}");
        assert!(text.ends_with("Home\n\nRelated\n\n394 Pacific\n"), "{text}");
    }

    #[test]
    fn without_a_main_part_the_order_is_the_pages() {
        assert_eq!(text("<nav>Home</nav><p>Body</p><footer>End</footer>"), "Home\n\nBody\n\nEnd\n");
    }

    #[test]
    fn a_layout_table_keeps_its_blocks_apart() {
        let source = "<table><tr><td><h2>Left</h2><p>one<p>two</td><td>right</td></tr></table>";
        assert_eq!(text(source), "## Left\n\none\n\ntwo | right\n");
    }

    #[test]
    fn nesting_without_end_is_survived() {
        let deep = 100_000;
        for element in ["div", "ul", "table", "main", "template", "h1", "pre", "svg", "td"] {
            let source = format!("{}core{}", format!("<{element}>").repeat(deep), format!("</{element}>").repeat(deep));
            let text = text(&source);
            assert_eq!(text.contains("core"), element != "template", "{element}");
            assert!(text.len() < 1000, "{element}");
        }
    }

    #[test]
    fn an_open_script_ends_with_the_page() {
        assert_eq!(text("seen<script>unseen"), "seen\n");
    }

    proptest! {
        #[test]
        fn any_tag_soup_is_read(source in "(<[/]?(p|div|li|ol|td|tr|table|h1|h6|pre|title|svg|main|nav|br|xmp|é)[ >]|[a-z \n&;#<>é]){0,60}") {
            let text = text(&source);
            prop_assert!(text.is_empty() || text.ends_with('\n'));
        }
    }
}
