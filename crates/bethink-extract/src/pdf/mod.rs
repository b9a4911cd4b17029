//! PDF with a text layer: text page by page, as it would be read aloud.
//!
//! The parser is `pdf_oxide`. It is large, recursive and fed by strangers, so it runs in a worker. It
//! reports success with empty text on files that it has no key for, which is why encryption is asked
//! for by name. Form values and annotations come with each page's text.

mod assembly;
mod page;
mod title;

use bethink_core::{Format, Locator, ProblemKind};
use pdf_oxide::converters::ConversionOptions;
use pdf_oxide::{Error, PdfDocument};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;

/// Reads PDF.
pub(crate) struct PdfFamily;

/// Pages in a row that fail before the rest is given up. A page count is a number in the file that
/// anybody can write; a document whose pages exist does not fail so often.
const FAILURES_IN_A_ROW: u32 = 64;

impl Family for PdfFamily {
    fn reads(&self, format: Format) -> bool {
        format == Format::Pdf
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        let document = match open(source.bytes) {
            Ok(document) => document,
            Err(outcome) => return outcome,
        };
        let pages = match document.page_count() {
            Ok(0) => return Outcome::Skipped(problem(ProblemKind::Empty, "the document has no pages")),
            Ok(pages) => u32::try_from(pages).unwrap_or(u32::MAX),
            Err(error) => return refusal(&error),
        };
        if let Some(title) = title::stated(&document) {
            sink.title(title);
        }
        if pages > limits.pages {
            let detail = format!("only the first {} of its {pages} pages are read", limits.pages);
            sink.problem(problem(ProblemKind::Limit, detail));
        }
        let mut census = Census::default();
        for number in 1..=pages.min(limits.pages) {
            let index = number as usize - 1;
            match page_text(&document, index) {
                Ok(text) => {
                    census.failed_in_a_row = 0;
                    let text = page::readable(&text);
                    if text.is_empty() {
                        census.wordless(number, has_picture(&document, index));
                        continue;
                    }
                    census.with_text += 1;
                    sink.mark(Locator::Page(number));
                    if !sink.text(text) {
                        break;
                    }
                }
                Err(error) => {
                    tracing::debug!(number, "a page could not be read");
                    if matches!(error, Error::EncryptedPdf) {
                        return encrypted();
                    }
                    census.failed(number);
                    if census.failed_in_a_row >= FAILURES_IN_A_ROW {
                        break;
                    }
                }
            }
        }
        census.outcome(sink)
    }

    fn entries(&self) -> Vec<FormatEntry> {
        vec![FormatEntry {
            name: "pdf",
            detected_by: "%PDF- within the first 1,024 bytes",
            locator: "page",
            lost: "pictures of text, attachments, layout",
            limits: "192 MiB of the file, 20,000 pages, 64 MiB of text, 10 s and 0.25 s a MiB up to 30 s of processor time, 1 GiB of memory",
        }]
    }
}

/// Opens the document and makes sure that its text can be had.
fn open(bytes: &[u8]) -> Result<PdfDocument, Outcome> {
    let document = PdfDocument::from_bytes(bytes.to_vec()).map_err(|error| refusal(&error))?;
    if document.is_encrypted() && !matches!(document.authenticate(b""), Ok(true)) {
        return Err(encrypted());
    }
    Ok(document)
}

fn encrypted() -> Outcome {
    Outcome::Skipped(problem(ProblemKind::Encrypted, "it opens with a password only"))
}

/// What an error of the parser means to the user. Its own words may quote the file and stay here.
fn refusal(error: &Error) -> Outcome {
    match error {
        Error::EncryptedPdf => encrypted(),
        Error::CircularReference(_) | Error::RecursionLimitExceeded(_) => {
            Outcome::Failed(problem(ProblemKind::Damaged, "its structure refers to itself without end"))
        }
        _ => Outcome::Failed(problem(ProblemKind::Damaged, "its structure is broken beyond reading")),
    }
}

/// The text of a page, in drawing order where that is a reading order.
fn page_text(document: &PdfDocument, index: usize) -> Result<String, Error> {
    match assembly::in_drawing_order(document.extract_spans(index)?) {
        Some(text) => Ok(text),
        // Tables are left to the rows they stand in: found where there are none, they tear sentences.
        None => document.extract_text_with_options(
            index,
            &ConversionOptions { extract_tables: false, ..ConversionOptions::default() },
        ),
    }
}

/// Whether a page shows a picture, asked only of pages without words.
fn has_picture(document: &PdfDocument, index: usize) -> bool {
    document.page_image_handles(index).is_ok_and(|images| !images.is_empty())
}

/// Counts how the pages fared.
#[derive(Default)]
struct Census {
    with_text: u32,
    pictures: PageRanges,
    blank: u32,
    failures: PageRanges,
    failed_in_a_row: u32,
}

impl Census {
    fn wordless(&mut self, number: u32, picture: bool) {
        if picture {
            self.pictures.push(number);
        } else {
            self.blank += 1;
        }
    }

    fn failed(&mut self, number: u32) {
        self.failures.push(number);
        self.failed_in_a_row += 1;
    }

    /// Says what was met, and how it ended.
    fn outcome(self, sink: &mut dyn Sink) -> Outcome {
        if self.with_text > 0 {
            if !self.pictures.is_empty() {
                let detail = format!("{} shown as pictures without text", self.pictures);
                sink.problem(problem(ProblemKind::ImageOnly, detail));
            }
            if !self.failures.is_empty() {
                sink.problem(problem(ProblemKind::Damaged, format!("{} broken and left out", self.failures)));
            }
            return Outcome::Read;
        }
        if !self.failures.is_empty() && self.pictures.is_empty() {
            return Outcome::Failed(problem(ProblemKind::Damaged, "none of its pages could be read"));
        }
        if !self.pictures.is_empty() {
            let detail = "its pages are pictures; there is no text layer to read";
            return Outcome::Skipped(problem(ProblemKind::ImageOnly, detail));
        }
        Outcome::Skipped(problem(ProblemKind::Empty, "its pages hold no text"))
    }
}

/// Page numbers, told as ranges.
#[derive(Default)]
struct PageRanges(Vec<(u32, u32)>);

impl PageRanges {
    fn push(&mut self, number: u32) {
        match self.0.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => self.0.push((number, number)),
        }
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Display for PageRanges {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        /// Ranges named; a sentence stays a sentence.
        const NAMED: usize = 8;
        let single = matches!(self.0.as_slice(), [(first, last)] if first == last);
        formatter.write_str(if single { "page " } else { "pages " })?;
        for (position, (first, last)) in self.0.iter().take(NAMED).enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            if first == last {
                write!(formatter, "{separator}{first}")?;
            } else {
                write!(formatter, "{separator}{first}–{last}")?;
            }
        }
        if self.0.len() > NAMED {
            formatter.write_str(" and more")?;
        }
        formatter.write_str(if single { " is" } else { " are" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_numbers_are_told_as_a_person_would() {
        let told = |numbers: &[u32]| {
            let mut ranges = PageRanges::default();
            numbers.iter().for_each(|number| ranges.push(*number));
            ranges.to_string()
        };
        assert_eq!(told(&[4]), "page 4 is");
        assert_eq!(told(&[1, 2, 3, 7]), "pages 1–3, 7 are");
        assert!(told(&(0..20).map(|number| number * 2).collect::<Vec<_>>()).ends_with("14 and more are"));
    }
}
