//! FictionBook: one XML file whose sections nest, with its notes in a body of their own at the end.

use bethink_core::ProblemKind;

use super::{Facts, write_chapter};
use crate::extraction::problem;
use crate::family::{Outcome, Sink, Source};
use crate::limits::Limits;
use crate::text::{charset_of, decode};
use crate::xml::{Attributes, Piece, walk};

/// Bytes of a heading that are kept.
const TITLE_BYTES: usize = 300;

/// Reads a book.
pub(super) fn read(source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
    let bytes = source.head(limits.structured_bytes, " of the book", sink);
    let text = decode(bytes, charset_of(source.bytes));
    let mut reader = Reader::new(sink);
    let whole = walk(&text, &mut |piece| {
        match piece {
            Piece::Start(name, attributes) => reader.start(name, &attributes),
            Piece::End(name) => reader.end(name),
            Piece::Text(text) => reader.text(text),
        }
        !reader.full
    });
    reader.finish();
    let Reader { chapter, .. } = reader;
    if !whole {
        sink.problem(problem(ProblemKind::Damaged, "the book breaks off; what stands before is read"));
    }
    if chapter == 0 {
        return Outcome::Skipped(problem(ProblemKind::Empty, "the book holds no text"));
    }
    Outcome::Read
}

struct Reader<'a> {
    sink: &'a mut dyn Sink,
    facts: Option<Facts>,
    full: bool,
    /// Elements that are open in the description, and the text of the innermost.
    described: Vec<String>,
    value: String,
    author: Vec<String>,
    in_description: bool,
    in_body: bool,
    sections: usize,
    /// Chapters written.
    chapter: u32,
    title: String,
    /// The heading that is being read.
    heading: Option<String>,
    body: String,
    /// The paragraph or verse that is being read.
    run: String,
    cells: usize,
    binaries: u32,
}

impl<'a> Reader<'a> {
    fn new(sink: &'a mut dyn Sink) -> Self {
        Self {
            sink,
            facts: Some(Facts::default()),
            full: false,
            described: Vec::new(),
            value: String::new(),
            author: Vec::new(),
            in_description: false,
            in_body: false,
            sections: 0,
            chapter: 0,
            title: String::new(),
            heading: None,
            body: String::new(),
            run: String::new(),
            cells: 0,
            binaries: 0,
        }
    }

    fn start(&mut self, name: &str, attributes: &Attributes) {
        match name {
            "description" => self.in_description = true,
            "binary" => self.binaries += 1,
            _ if self.in_description => self.start_described(name, attributes),
            "body" => {
                self.write_facts();
                self.flush_chapter();
                self.in_body = true;
                // A body with a name holds notes: they are one chapter, whatever their sections.
                self.sections = usize::from(attributes.get("name").is_some());
            }
            _ if !self.in_body => {}
            "section" => {
                self.end_run();
                if self.sections == 0 {
                    self.flush_chapter();
                }
                self.sections += 1;
            }
            "title" => {
                self.end_run();
                self.heading = Some(String::new());
            }
            "subtitle" => {
                self.end_run();
                self.run.push_str("**");
            }
            "p" | "empty-line" | "stanza" | "poem" | "cite" | "text-author" | "table" => self.end_run(),
            "tr" => {
                self.end_run();
                self.cells = 0;
            }
            "td" | "th" => {
                if self.cells > 0 {
                    self.run.push_str(" | ");
                }
                self.cells += 1;
            }
            _ => {}
        }
    }

    fn start_described(&mut self, name: &str, attributes: &Attributes) {
        // Elements nest five deep at most; hostile ones are counted no further.
        if self.described.len() < 16 {
            self.described.push(name.to_owned());
        }
        self.value.clear();
        let in_title_info = self.described.iter().any(|open| open == "title-info");
        if name == "sequence" && in_title_info {
            let series = attributes.get("name").unwrap_or_default();
            let number = attributes.get("number").map(|number| format!(", {number}")).unwrap_or_default();
            if let Some(facts) = self.facts.as_mut().filter(|_| !series.is_empty()) {
                facts.add("Series", &format!("{series}{number}"));
            }
        }
        if matches!(name, "author" | "translator") {
            self.author.clear();
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "description" => self.in_description = false,
            "binary" => self.binaries = self.binaries.saturating_sub(1),
            _ if self.in_description => self.end_described(name),
            "body" => {
                self.flush_chapter();
                self.in_body = false;
            }
            _ if !self.in_body => {}
            "section" => {
                self.end_run();
                self.sections = self.sections.saturating_sub(1);
                if self.sections == 0 {
                    self.flush_chapter();
                }
            }
            "title" => {
                if let Some(heading) = self.heading.take() {
                    self.write_heading(&heading);
                }
            }
            "subtitle" => {
                if self.run == "**" {
                    self.run.clear();
                } else {
                    self.run.push_str("**");
                }
                self.end_run();
            }
            "p" if self.heading.is_some() => {
                if let Some(heading) = &mut self.heading {
                    heading.push(' ');
                }
            }
            "v" | "tr" => self.end_line(),
            "p" | "stanza" | "poem" | "cite" | "text-author" | "epigraph" | "table" => self.end_run(),
            _ => {}
        }
    }

    fn end_described(&mut self, name: &str) {
        let value = std::mem::take(&mut self.value);
        let inside = |element: &str| self.described.iter().any(|open| open == element);
        let in_title_info = inside("title-info");
        let of_person = inside("author") || inside("translator");
        let fact = match name {
            "book-title" if in_title_info => Some("Title"),
            "genre" if in_title_info => Some("Subject"),
            "lang" if in_title_info => Some("Language"),
            "date" if in_title_info => Some("Date"),
            "keywords" if in_title_info => Some("Subject"),
            "publisher" if inside("publish-info") => Some("Publisher"),
            "year" if inside("publish-info") => Some("Date"),
            "isbn" if inside("publish-info") => Some("Identifier"),
            "p" if inside("annotation") => Some("Description"),
            _ => None,
        };
        if of_person && matches!(name, "first-name" | "middle-name" | "last-name" | "nickname") {
            self.author.push(value);
        } else if let (Some(facts), Some(fact)) = (&mut self.facts, fact) {
            facts.add(fact, &value);
        } else if let (Some(facts), "author" | "translator", true) = (&mut self.facts, name, in_title_info) {
            let role = if name == "author" { "Author" } else { "Translator" };
            facts.add(role, &self.author.join(" "));
        }
        self.described.pop();
    }

    fn text(&mut self, text: &str) {
        if self.binaries > 0 {
            return;
        }
        if self.in_description {
            if self.value.len() < Facts::LONGEST_BYTES {
                self.value.push_str(text);
            }
        } else if let Some(heading) = &mut self.heading {
            if heading.len() < 4 * TITLE_BYTES {
                heading.push_str(text);
            }
        } else if self.in_body {
            self.run.push_str(text);
        }
    }

    fn write_facts(&mut self) {
        if let Some(facts) = self.facts.take()
            && !facts.write(self.sink)
        {
            self.full = true;
        }
    }

    fn write_heading(&mut self, heading: &str) {
        let mut heading = heading.split_whitespace().collect::<Vec<_>>().join(" ");
        heading.truncate(heading.floor_char_boundary(TITLE_BYTES));
        if heading.is_empty() {
            return;
        }
        if self.sections <= 1 && self.title.is_empty() && self.body.is_empty() {
            self.title = heading;
            return;
        }
        self.body.push_str(&format!("{} {heading}\n\n", "#".repeat(self.sections.clamp(1, 6))));
    }

    /// A line ends, which may be one of a verse or a table.
    fn end_line(&mut self) {
        let line = self.run.split_whitespace().collect::<Vec<_>>().join(" ");
        self.run.clear();
        if !line.is_empty() {
            self.body.push_str(&line);
            self.body.push('\n');
        }
    }

    /// A paragraph ends.
    fn end_run(&mut self) {
        self.end_line();
        if !self.body.is_empty() && !self.body.ends_with("\n\n") {
            self.body.push('\n');
        }
    }

    fn flush_chapter(&mut self) {
        self.end_run();
        let title = std::mem::take(&mut self.title);
        let body = std::mem::take(&mut self.body);
        if (title.is_empty() && body.trim().is_empty()) || self.full {
            return;
        }
        self.chapter += 1;
        let heading = if title.is_empty() { String::new() } else { format!("# {title}\n\n") };
        let body = format!("{heading}{}", body.trim_end());
        self.full = !write_chapter(self.sink, self.chapter, &title, 1, &body);
    }

    fn finish(&mut self) {
        self.write_facts();
        self.flush_chapter();
    }
}
