//! RTF: a linear scan over its own tokens, with the charsets that fonts name.
//!
//! Kept are paragraphs, headings by style or outline level, lists with their labels, tables, text boxes,
//! notes, comments, headers and footers. Pictures and what is deleted or hidden are left out.

mod charset;
mod reader;
mod token;

use bethink_core::{Format, ProblemKind};

use self::reader::Reader;
use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::flow::Flow;
use crate::format_entry::FormatEntry;
use crate::limits::Limits;
use crate::title::sensible;

/// Reads RTF.
pub(crate) struct RtfFamily;

impl Family for RtfFamily {
    fn reads(&self, format: Format) -> bool {
        format == Format::Rtf
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, _: &Limits, sink: &mut dyn Sink) -> Outcome {
        let mut flow = Flow::new(sink);
        let mut reader = Reader::new(&mut flow);
        let whole = reader.read(source.bytes);
        let title = sensible(&reader.title);
        if !whole {
            flow.problem(problem(ProblemKind::Damaged, "the document breaks off"));
        }
        let any = flow.has_text();
        flow.finish();
        if let Some(title) = title {
            sink.title(title);
        }
        if any { Outcome::Read } else { Outcome::Skipped(problem(ProblemKind::Empty, "the document holds no text")) }
    }

    fn entries(&self) -> Vec<FormatEntry> {
        vec![FormatEntry {
            name: "rtf",
            detected_by: "{\\rtf",
            locator: "line of the extracted text, heading",
            lost: "deleted and hidden text, formulas, layout, link targets, pictures, embedded files",
            limits: "192 MiB of the file, 64 MiB of text",
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extraction::{Collector, Extraction};

    fn read(rtf: &str) -> (String, Option<String>) {
        let source = Source { bytes: rtf.as_bytes(), format: Format::Rtf, name: "" };
        let mut collector = Collector::new(Format::Rtf, 1 << 20);
        let outcome = RtfFamily.read(&source, &Limits::default(), &mut collector);
        match collector.finish(outcome) {
            Extraction::Text(extracted) => (extracted.text, extracted.title),
            Extraction::Skipped(_) | Extraction::Failed(_) => (String::new(), None),
        }
    }

    fn text(rtf: &str) -> String {
        read(rtf).0
    }

    #[test]
    fn charsets_follow_the_font_and_unicode_its_fallback() {
        let rtf = "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial;}{\\f2\\fcharset128 MS;}}\
            \\f0 caf\\'e9 \\f1 \\'e4\\'e0 \\f2 \\'93\\'fa\\'96\\'7b \\f0\\u8364?\\uc2\\u-10179 ??\\u-8704 ??x{\\uc0\\u960 }}";
        assert_eq!(text(rtf), "café да 日本 €😀xπ\n");
    }

    #[test]
    fn headings_lists_and_tables_are_told() {
        let rtf = "{\\rtf1{\\stylesheet{\\s0 Normal;}{\\s3\\sbasedon0 heading 2;}}{\\info{\\title The tram line}{\\author Ada}}\
            \\pard\\s3 Stops\\par\\pard {\\listtext 1.\\tab}first\\par{\\pntext\\'b7\\tab}second\\par\
            \\pard\\intbl a\\cell b\\par c\\cell\\row\\pard after\\par}";
        let (text, title) = read(rtf);
        assert_eq!(text, "## Stops\n\n1. first\n- second\n\na | b c\n\nafter\n");
        assert_eq!(title.as_deref(), Some("The tram line"));
    }

    #[test]
    fn what_is_beside_the_text_follows_it_and_what_is_hidden_is_left_out() {
        let rtf = "{\\rtf1{\\header page \\chpgn of the report\\par}One{\\footnote\\pard note\\par} line{\\*\\atnauthor Ada}\
            {\\*\\annotation why?} {\\v secret}{\\deleted gone}{\\field{\\*\\fldinst HYPERLINK \"http://x\"}{\\fldrslt link}}\
            {\\*\\unknown no}{\\pict 00ff}{\\shp{\\*\\shpinst\\shpleft1{\\sp{\\sn a}{\\sv b}}{\\shptxt boxed\\par}}}.\\par}";
        assert_eq!(text(rtf), "One line link.\n\nNote: note\n\nComment by Ada: why?\n\nboxed\n\npage of the report\n");
    }

    #[test]
    fn escapes_and_symbols_are_characters() {
        assert_eq!(
            text("{\\rtf1 a\\{b\\}\\\\c\\~d\\_e\\-f\\emdash\\rdblquote\\line g}"),
            "a{b}\\c\u{a0}d\u{2011}ef—”\ng\n"
        );
        assert_eq!(text("{\\rtf1 a\\bin3 }{\\b}}"), "ab\n");
    }

    #[test]
    fn depth_without_end_and_ends_without_depth_are_survived() {
        let deep = format!("{{\\rtf1 a{}b{}c}}", "{".repeat(100_000), "}".repeat(100_000));
        assert_eq!(text(&deep), "abc\n");
        assert_eq!(text("{\\rtf1 a}}}}b"), "ab\n");
        assert_eq!(text("{\\rtf1 \\intbl\\cell\\row\\row\\cell x"), " | x\n");
    }
}
