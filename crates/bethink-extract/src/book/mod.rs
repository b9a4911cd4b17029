//! E-books: EPUB and FictionBook, chapter by chapter in reading order.
//!
//! A chapter of an EPUB is a file of its spine, named by the book's own table of contents; of a
//! FictionBook it is an outermost section. What a library knows of the book (author, publisher, subjects)
//! stands in front, one named line each.

mod encryption;
mod epub;
mod fictionbook;
mod navigation;
mod package_document;

use bethink_core::{Format, Locator};

use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;
use crate::text::without_controls;

/// Reads EPUB and FictionBook.
pub(crate) struct BookFamily;

impl Family for BookFamily {
    fn reads(&self, format: Format) -> bool {
        matches!(format, Format::Epub | Format::FictionBook)
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        match source.format {
            Format::Epub => epub::read(source, limits, sink),
            _ => fictionbook::read(source, limits, sink),
        }
    }

    fn entries(&self) -> Vec<FormatEntry> {
        vec![
            FormatEntry {
                name: "epub",
                detected_by: "media type in front, META-INF/container.xml",
                locator: "chapter by number and title, heading",
                lost: "pictures, styles, link targets, scripts, sound",
                limits: "64 MiB a chapter and of text; no copy protection",
            },
            FormatEntry {
                name: "fb2",
                detected_by: "root element",
                locator: "chapter by number and title, heading",
                lost: "pictures, styles, link targets",
                limits: "64 MiB of the file",
            },
        ]
    }
}

/// What a library knows of a book.
#[derive(Debug, Default, PartialEq, Eq)]
struct Facts(Vec<(&'static str, String)>);

impl Facts {
    /// Bytes of one fact that are kept: a blurb may be long, a book is longer.
    const LONGEST_BYTES: usize = 4096;

    /// Facts of one book that are kept.
    const MOST: usize = 64;

    fn add(&mut self, name: &'static str, value: &str) {
        let mut value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        value.truncate(value.floor_char_boundary(Self::LONGEST_BYTES));
        if !value.is_empty() && self.0.len() < Self::MOST {
            self.0.push((name, value));
        }
    }

    /// The first value of that name.
    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Writes one line a fact. False: the sink is full.
    fn write(self, sink: &mut dyn Sink) -> bool {
        if let Some(title) = self.get("Title") {
            sink.title(without_controls(title.to_owned()));
        }
        let any = !self.0.is_empty();
        for (name, value) in self.0 {
            sink.mark(Locator::Field(name.to_owned()));
            if !sink.text(format!("{name}: {}\n", without_controls(value))) {
                return false;
            }
        }
        !any || sink.text("\n".to_owned())
    }
}

/// Writes a chapter: its mark, and its title as a heading where its text does not begin with one. False:
/// the sink is full.
fn write_chapter(sink: &mut dyn Sink, number: u32, title: &str, level: usize, text: &str) -> bool {
    sink.mark(Locator::Chapter { number, title: title.to_owned() });
    let mut chapter = String::with_capacity(title.len() + text.len() + 16);
    match place_of_title(title, text) {
        TitlePlace::InText => chapter.push_str(text),
        TitlePlace::FirstLine => {
            chapter.push_str(&"#".repeat(level.clamp(1, 6)));
            chapter.push(' ');
            chapter.push_str(text);
        }
        TitlePlace::Missing => {
            chapter.push_str(&"#".repeat(level.clamp(1, 6)));
            chapter.push(' ');
            chapter.push_str(title);
            chapter.push_str("\n\n");
            chapter.push_str(text);
        }
    }
    chapter.truncate(chapter.trim_end().len());
    chapter.push_str("\n\n");
    sink.text(without_controls(chapter))
}

enum TitlePlace {
    /// The text begins with a heading, or there is no title to give.
    InText,
    /// The first line says it without being marked as a heading.
    FirstLine,
    /// The text does not say it.
    Missing,
}

/// Lines at the top of a chapter among which its heading stands, behind an ornament or a picture's words.
const LINES_ABOVE_HEADING: usize = 6;

fn place_of_title(title: &str, text: &str) -> TitlePlace {
    let lines = || text.lines().filter(|line| !line.trim().is_empty()).take(LINES_ABOVE_HEADING);
    if title.is_empty() || lines().any(|line| line.starts_with('#')) {
        return TitlePlace::InText;
    }
    let same = |line: &str| line.trim().to_lowercase() == title.to_lowercase();
    match lines().next() {
        Some(first) if text.starts_with(first) && same(first) => TitlePlace::FirstLine,
        _ => TitlePlace::Missing,
    }
}
