//! Follows the groups of a file and hands its text to the flow.

use std::collections::{HashMap, HashSet};

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};

use super::charset::of_font;
use super::token::{Token, Tokens};
use crate::flow::{Flow, Style};
use crate::text::of_code_page;

/// Groups inside each other whose properties are kept; in deeper ones those of the deepest hold.
const GROUPS_DEEP: usize = 4096;

/// Bytes of a title, a name or a label that are kept.
const WORDS_BYTES: usize = 4096;

/// Fonts and styles that are remembered; Word has a few hundred of each.
const TABLE_ENTRIES: usize = 1 << 16;

/// Where the text of a group goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Destination {
    Text,
    Nowhere,
    /// A drawing, whose inner text may be text again.
    Drawing,
    Fonts,
    Styles,
    Information,
    Title,
    /// An item's number or bullet.
    Label,
    /// Who wrote the comment that follows.
    Author,
}

/// What ends with a group that is set apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aside {
    Box,
    Note,
    Comment,
    Edge,
}

/// The properties that a group passes on to those inside and takes with it.
#[derive(Debug, Clone, Copy)]
struct State {
    destination: Destination,
    aside: Option<Aside>,
    /// Characters behind a `\u` that stand for it.
    fallback: u32,
    encoding: &'static Encoding,
    hidden: bool,
    style: Option<i32>,
    outline: Option<u8>,
    level: u8,
    in_table: bool,
    font: i32,
}

/// The table that is open in the text or in one aside.
#[derive(Debug, Clone, Copy, Default)]
struct Table {
    row: bool,
    cell: bool,
}

/// Reads one file.
pub(super) struct Reader<'f, 's> {
    flow: &'f mut Flow<'s>,
    state: State,
    outer: Vec<State>,
    /// Groups that were opened beyond the deepest.
    beyond: usize,
    default_encoding: &'static Encoding,
    fonts: HashMap<i32, &'static Encoding>,
    headings: HashMap<i32, u8>,
    tables: Vec<Table>,
    /// Bytes of one encoding that wait to be decoded together.
    pending: Vec<u8>,
    /// Characters to leave out behind a `\u`.
    skip: u32,
    /// The first half of a character beyond the basic plane.
    high_surrogate: Option<u16>,
    /// The group that opens next may be left out if its name is not known.
    ignorable: bool,
    label: Option<String>,
    /// The name of the font or style that is being defined.
    name: String,
    defined_style: i32,
    defined_outline: Option<u8>,
    author: String,
    pub(super) title: String,
    edges: Vec<String>,
}

impl<'f, 's> Reader<'f, 's> {
    pub(super) fn new(flow: &'f mut Flow<'s>) -> Self {
        let state = State {
            destination: Destination::Text,
            aside: None,
            fallback: 1,
            encoding: WINDOWS_1252,
            hidden: false,
            style: None,
            outline: None,
            level: 0,
            in_table: false,
            font: 0,
        };
        Self {
            flow,
            state,
            outer: Vec::new(),
            beyond: 0,
            default_encoding: WINDOWS_1252,
            fonts: HashMap::new(),
            headings: HashMap::new(),
            tables: vec![Table::default()],
            pending: Vec::new(),
            skip: 0,
            high_surrogate: None,
            ignorable: false,
            label: None,
            name: String::new(),
            defined_style: 0,
            defined_outline: None,
            author: String::new(),
            title: String::new(),
            edges: Vec::new(),
        }
    }

    /// Reads a file to its end. Returns whether every group was closed.
    pub(super) fn read(&mut self, bytes: &[u8]) -> bool {
        let mut tokens = Tokens::new(bytes);
        let mut balanced = false;
        while let Some(token) = tokens.next() {
            if self.flow.is_full() {
                return true;
            }
            match token {
                Token::Open => self.open(),
                Token::Close => {
                    balanced |= self.outer.len() == 1 && self.beyond == 0;
                    self.close();
                }
                Token::Word("bin", count) => {
                    tokens.leave_out(count.and_then(|count| usize::try_from(count).ok()).unwrap_or(0));
                }
                Token::Word(name, number) => {
                    self.flush();
                    self.word(name, number);
                }
                Token::Symbol(symbol) => self.symbol(symbol),
                Token::Byte(byte) => {
                    self.ignorable = false;
                    if self.skip > 0 {
                        self.skip -= 1;
                    } else {
                        self.pending.push(byte);
                    }
                }
            }
        }
        self.flush();
        while !self.outer.is_empty() {
            self.close();
        }
        self.end_table();
        self.flow.end_paragraph(&Style::Plain);
        let mut seen = HashSet::new();
        for edge in std::mem::take(&mut self.edges) {
            // Page numbers alone tell nothing.
            if edge.chars().any(char::is_alphabetic) && seen.insert(edge.clone()) {
                self.flow.paragraph(&edge, &Style::Plain);
            }
        }
        balanced
    }

    fn open(&mut self) {
        self.flush();
        self.skip = 0;
        if self.outer.len() < GROUPS_DEEP {
            self.outer.push(self.state);
            self.state.aside = None;
        } else {
            self.beyond += 1;
        }
    }

    fn close(&mut self) {
        self.flush();
        self.skip = 0;
        self.ignorable = false;
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        let Some(outer) = self.outer.pop() else { return };
        if let Some(aside) = self.state.aside {
            self.end_aside(aside);
        }
        if self.state.destination == Destination::Styles && outer.destination == Destination::Styles {
            self.end_style();
        }
        self.state = outer;
    }

    /// What a byte, a `\u` or a symbol means goes where the group's text goes.
    fn write(&mut self, text: &str) {
        match self.state.destination {
            Destination::Text if !self.state.hidden => {
                self.enter_cell();
                self.flow.text(text);
            }
            Destination::Title => extend(&mut self.title, text),
            Destination::Label => extend(self.label.get_or_insert_default(), text),
            Destination::Author => extend(&mut self.author, text),
            Destination::Styles => extend(&mut self.name, text),
            _ => {}
        }
    }

    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.pending);
        if !matches!(self.state.destination, Destination::Nowhere | Destination::Drawing | Destination::Fonts) {
            let text = self.state.encoding.decode_without_bom_handling(&bytes).0;
            self.write(&text);
        }
        self.pending = bytes;
        self.pending.clear();
    }

    fn symbol(&mut self, symbol: u8) {
        self.flush();
        match symbol {
            b'*' => self.ignorable = true,
            b'~' => self.character("\u{a0}"),
            b'_' => self.character("\u{2011}"),
            b'{' | b'}' | b'\\' => self.character(char::from(symbol).encode_utf8(&mut [0; 4])),
            // Optional hyphens, entries of an index, and what no program writes.
            _ => {}
        }
    }

    /// A character that a word or a symbol stands for.
    fn character(&mut self, character: &str) {
        if self.skip > 0 {
            self.skip -= 1;
        } else {
            self.write(character);
        }
    }

    fn word(&mut self, name: &str, number: Option<i32>) {
        let ignorable = std::mem::take(&mut self.ignorable);
        if self.destination(name, ignorable) {
            return;
        }
        let on = number != Some(0);
        match name {
            "par" | "sect" | "page" => self.end_paragraph(),
            "line" | "softline" => self.character("\n"),
            "tab" if self.state.destination == Destination::Label => {}
            "tab" => self.character("\t"),
            "cell" => self.end_cell(),
            "row" => self.end_row(),
            "nestcell" => self.character(" | "),
            "nestrow" => self.flow.end_paragraph(&Style::Line),
            "emdash" => self.character("—"),
            "endash" => self.character("–"),
            "emspace" | "enspace" | "qmspace" => self.character(" "),
            "lquote" => self.character("‘"),
            "rquote" => self.character("’"),
            "ldblquote" => self.character("“"),
            "rdblquote" => self.character("”"),
            "bullet" => self.character("•"),
            "u" => self.unicode(number.unwrap_or(0)),
            "uc" => self.state.fallback = number.and_then(|count| u32::try_from(count).ok()).unwrap_or(1).min(16),
            "pard" => {
                (self.state.style, self.state.outline) = (None, None);
                (self.state.level, self.state.in_table) = (0, false);
            }
            "plain" => {
                self.state.hidden = false;
                self.state.encoding = self.default_encoding;
            }
            "intbl" => self.state.in_table = on,
            "v" | "deleted" => self.state.hidden = on,
            "ilvl" => self.state.level = number.and_then(|level| u8::try_from(level).ok()).unwrap_or(0),
            "outlinelevel" => {
                let outline = number.and_then(|outline| u8::try_from(outline).ok());
                if self.state.destination == Destination::Styles {
                    self.defined_outline = outline;
                } else {
                    self.state.outline = outline;
                }
            }
            "s" if self.state.destination == Destination::Styles => self.defined_style = number.unwrap_or(0),
            "s" => self.state.style = number,
            "f" | "af" if self.state.destination == Destination::Fonts => self.state.font = number.unwrap_or(0),
            "f" => {
                let known = self.fonts.get(&number.unwrap_or(0)).copied();
                self.state.encoding = known.unwrap_or(self.default_encoding);
            }
            "fcharset" | "cpg" if self.state.destination == Destination::Fonts => {
                let number = number.unwrap_or(0);
                let encoding = if name == "cpg" { of_code_page(number) } else { of_font(number) };
                if let Some(encoding) = encoding.filter(|_| self.fonts.len() < TABLE_ENTRIES) {
                    self.fonts.insert(self.state.font, encoding);
                }
            }
            "ansicpg" | "mac" => {
                let encoding = if name == "mac" { Some(MACINTOSH) } else { of_code_page(number.unwrap_or(1252)) };
                if let Some(encoding) = encoding {
                    self.default_encoding = encoding;
                    self.state.encoding = encoding;
                }
            }
            _ => {}
        }
    }

    /// Whether the word names where its group's text goes.
    fn destination(&mut self, name: &str, ignorable: bool) -> bool {
        let is_text = self.state.destination == Destination::Text;
        let destination = match name {
            "fonttbl" => Destination::Fonts,
            "stylesheet" => Destination::Styles,
            "info" => Destination::Information,
            "title" if self.state.destination == Destination::Information => Destination::Title,
            "listtext" | "pntext" if is_text => {
                self.label = Some(String::new());
                Destination::Label
            }
            "shpinst" | "do" if is_text => Destination::Drawing,
            "shptxt" | "dptxbxtext" if self.state.destination == Destination::Drawing => {
                self.start_aside(Aside::Box);
                Destination::Text
            }
            "footnote" if is_text => {
                self.start_aside(Aside::Note);
                Destination::Text
            }
            "annotation" if is_text => {
                self.start_aside(Aside::Comment);
                Destination::Text
            }
            "atnauthor" if is_text => {
                self.author.clear();
                Destination::Author
            }
            "header" | "headerl" | "headerr" | "headerf" | "footer" | "footerl" | "footerr" | "footerf" if is_text => {
                self.start_aside(Aside::Edge);
                Destination::Text
            }
            // Unicode for what the group before it says without.
            "upr" => Destination::Nowhere,
            "ud" => Destination::Text,
            "nesttableprops" => return true,
            _ if ignorable || is_left_out(name) => Destination::Nowhere,
            _ => return false,
        };
        // Inside of what is left out nothing is text again, but for Unicode's form of it.
        if self.state.destination != Destination::Nowhere || name == "ud" {
            self.state.destination = destination;
        }
        true
    }

    fn unicode(&mut self, number: i32) {
        let unit = u16::try_from(number & 0xFFFF).unwrap_or(0);
        self.skip = self.state.fallback;
        let text = match (self.high_surrogate.take(), unit) {
            (_, 0xD800..=0xDBFF) => {
                self.high_surrogate = Some(unit);
                return;
            }
            (Some(high), 0xDC00..=0xDFFF) => String::from_utf16_lossy(&[high, unit]),
            // Half a character, or a sign of the private area, which means nothing without its font.
            (_, 0xDC00..=0xF8FF) => return,
            _ => String::from_utf16_lossy(&[unit]),
        };
        self.write(&text);
    }

    fn style(&mut self) -> Style {
        let label = self.label.take();
        let outline = self.state.outline.filter(|outline| *outline < 9).map(|outline| outline + 1);
        let heading = outline.or_else(|| self.state.style.and_then(|style| self.headings.get(&style).copied()));
        match (heading, label) {
            (Some(level), _) => Style::Heading(level),
            (None, Some(label)) => {
                let label = Some(label.trim().to_owned()).filter(|label| label.chars().any(char::is_alphanumeric));
                Style::Item { depth: self.state.level, label }
            }
            (None, None) => Style::Plain,
        }
    }

    fn end_paragraph(&mut self) {
        if self.state.destination != Destination::Text {
            return;
        }
        if !self.state.in_table {
            self.end_table();
        }
        let style = self.style();
        self.flow.end_paragraph(&style);
    }

    fn table(&mut self) -> &mut Table {
        if self.tables.is_empty() {
            self.tables.push(Table::default());
        }
        let last = self.tables.len() - 1;
        &mut self.tables[last]
    }

    /// Opens the cell that text in a table belongs to; ends a table before text that is in none.
    fn enter_cell(&mut self) {
        if !self.state.in_table {
            return self.end_table();
        }
        if !std::mem::replace(&mut self.table().row, true) {
            self.flow.open_row();
        }
        if !std::mem::replace(&mut self.table().cell, true) {
            self.flow.open_cell();
        }
    }

    fn end_cell(&mut self) {
        if self.state.destination != Destination::Text {
            return;
        }
        self.state.in_table = true;
        self.enter_cell();
        let style = self.style();
        self.flow.end_paragraph(&style);
        self.flow.close_cell();
        self.table().cell = false;
    }

    fn end_row(&mut self) {
        if std::mem::take(&mut self.table().cell) {
            self.flow.close_cell();
        }
        if std::mem::take(&mut self.table().row) {
            self.flow.close_row();
        }
    }

    fn end_table(&mut self) {
        if self.tables.last().is_some_and(|table| table.row) {
            self.end_row();
        }
    }

    fn start_aside(&mut self, aside: Aside) {
        // A second name in one group adds nothing.
        if self.state.aside.is_none() && self.beyond == 0 {
            self.state.aside = Some(aside);
            self.state.in_table = false;
            self.tables.push(Table::default());
            self.flow.open_aside();
        }
    }

    fn end_aside(&mut self, aside: Aside) {
        self.end_table();
        self.tables.pop();
        let style = self.style();
        self.flow.end_paragraph(&style);
        if aside == Aside::Box {
            return self.flow.close_aside();
        }
        let text = self.flow.take_aside();
        if text.is_empty() {
            return;
        }
        match aside {
            Aside::Edge => self.edges.push(text),
            Aside::Comment => {
                let author = std::mem::take(&mut self.author);
                let by = if author.trim().is_empty() { String::new() } else { format!(" by {}", author.trim()) };
                self.flow.aside(&format!("Comment{by}: {text}"));
            }
            Aside::Note | Aside::Box => self.flow.aside(&format!("Note: {text}")),
        }
    }

    /// A style's definition ends: `heading 1;`.
    fn end_style(&mut self) {
        let name = std::mem::take(&mut self.name);
        let name = name.trim().trim_end_matches(';').trim().to_lowercase();
        let by_name =
            if name == "title" { Some(1) } else { name.strip_prefix("heading ").and_then(|level| level.parse().ok()) };
        let by_outline = self.defined_outline.take().filter(|outline| *outline < 9).map(|outline| outline + 1);
        let level = by_name.filter(|level| (1..=9).contains(level)).or(by_outline);
        if let Some(level) = level.filter(|_| self.headings.len() < TABLE_ENTRIES) {
            self.headings.insert(self.defined_style, level);
        }
        self.defined_style = 0;
    }
}

/// Destinations without a star whose text is not the document's.
fn is_left_out(name: &str) -> bool {
    matches!(
        name,
        "colortbl"
            | "pict"
            | "nonshppict"
            | "nonesttables"
            | "shprslt"
            | "filetbl"
            | "listtable"
            | "listoverridetable"
            | "xe"
            | "rxe"
            | "tc"
            | "tcn"
            | "fldinst"
            | "objdata"
            | "objclass"
            | "objname"
            | "bkmkstart"
            | "bkmkend"
            | "datafield"
            | "formfield"
            | "private"
            | "revtbl"
            | "template"
            | "atnid"
            | "atndate"
            | "atnref"
            | "atntime"
            | "sp"
    )
}

fn extend(words: &mut String, text: &str) {
    if words.len() < WORDS_BYTES {
        words.push_str(text);
    }
}
