//! HTML pages: readable text with their headings, lists and tables.
//!
//! Only the tokenizer of html5ever is used; there is no tree. Text needs to know where blocks begin
//! and end, not what contains what, and a hundred thousand nested elements cost a counter here where
//! a tree builder walks its stack for each of them. The tokenizer still compares each attribute of a
//! tag with all before it, so that a megabyte of attributes in one tag takes it minutes: pages are read
//! in a worker, under the clock.

mod layout;
mod page;

pub(crate) use page::read as read_page;

use bethink_core::{Format, ProblemKind};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;
use crate::text::{charset_of, decode, without_controls};

/// Reads HTML and XHTML.
pub(crate) struct HtmlFamily;

impl Family for HtmlFamily {
    fn reads(&self, format: Format) -> bool {
        format == Format::Html
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        let decoding = charset_of(source.bytes);
        let bytes = source.head(limits.structured_bytes, " of the page", sink);
        let page = page::read(&decode(bytes, decoding));
        if let Some(title) = page.title {
            sink.title(title);
        }
        if page.text.is_empty() {
            return Outcome::Skipped(problem(ProblemKind::Empty, "the page holds no readable text"));
        }
        sink.text(without_controls(page.text));
        Outcome::Read
    }

    fn entries(&self) -> Vec<FormatEntry> {
        vec![FormatEntry {
            name: "html",
            detected_by: "doctype or first tag; extension",
            locator: "line of the extracted text, heading",
            lost: "scripts, styles, comments, link targets, form values",
            limits: "64 MiB of the page",
        }]
    }
}
