//! PDF with a text layer: text page by page, as it would be read aloud.
//!
//! Two readers: `pdf_oxide`, which is built in, and pdfium, where the user has added the library. They
//! fail on different files and pages, so each is the other's fallback (`readers`). Both are large,
//! recursive and fed by strangers, so they run in a worker. Form values and annotations come with each
//! page's text.

mod annotation;
mod assembly;
mod built_in;
mod census;
#[cfg(feature = "pdfium")]
mod direction;
mod page;
#[cfg(feature = "pdfium")]
mod pdfium;
mod quality;
mod reader;
mod readers;
mod text_string;
mod title;

use std::path::Path;

use bethink_core::{Format, Locator, ProblemKind};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;

use census::Census;
use reader::Refusal;
use readers::Readers;

/// Reads PDF.
pub(crate) struct PdfFamily;

/// Pages in a row that fail before the rest is given up. A page count is a number in the file that
/// anybody can write; a document whose pages exist does not fail so often.
const FAILURES_IN_A_ROW: u32 = 64;

/// Loads a pdfium library into this process, once and for good; whether it can be used from here on.
/// A library is code: only a worker calls this, before it confines itself.
pub(crate) fn load_library(path: &Path) -> bool {
    #[cfg(feature = "pdfium")]
    return pdfium::load(path);
    #[cfg(not(feature = "pdfium"))]
    {
        let _ = path;
        false
    }
}

impl Family for PdfFamily {
    fn reads(&self, format: Format) -> bool {
        format == Format::Pdf
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        let readers = match Readers::open(source.bytes) {
            Ok(readers) => readers,
            Err(refusal) => return refusal.into(),
        };
        let pages = readers.pages();
        if pages == 0 {
            return Outcome::Skipped(problem(ProblemKind::Empty, "the document has no pages"));
        }
        if let Some(title) = readers.title() {
            sink.title(title);
        }
        if pages > limits.pages {
            let detail = format!("only the first {} of its {pages} pages are read", limits.pages);
            sink.problem(problem(ProblemKind::Limit, detail));
        }
        let mut census = Census::default();
        for number in 1..=pages.min(limits.pages) {
            match readers.text(number - 1) {
                Ok(text) => {
                    census.failed_in_a_row = 0;
                    if text.is_empty() {
                        census.wordless(number, readers.shows_picture(number - 1));
                        continue;
                    }
                    census.with_text += 1;
                    sink.mark(Locator::Page(number));
                    if !sink.text(text) {
                        break;
                    }
                }
                Err(Refusal::Encrypted) => return Refusal::Encrypted.into(),
                Err(_) => {
                    tracing::debug!(number, "a page could not be read");
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
