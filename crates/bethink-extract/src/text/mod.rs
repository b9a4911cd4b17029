//! Text as it stands in the file: prose, notes, code, configuration, delimited values, XML.
//!
//! The extracted text is the file's own, decoded and freed of control characters, so that its line
//! numbers are the file's. A line ends with `\n`, `\r\n` or a lone `\r`.

mod charset;
mod clean;
mod code_page;
mod declared;
mod escape;
mod title;
mod wide;

use bethink_core::{Format, ProblemKind};

pub(crate) use charset::{charset_of, decode, is_wide};
pub(crate) use clean::without_controls;
pub(crate) use code_page::of_code_page;
pub(crate) use escape::{hex_byte, unescaped};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;
use title::stated_title;

/// Reads everything whose text is the file itself.
pub(crate) struct TextFamily;

impl Family for TextFamily {
    fn reads(&self, format: Format) -> bool {
        use Format::{Asciidoc, Code, Csv, Json, Latex, Markdown, Org, Rst, Text, Toml, Xml, Yaml};
        matches!(format, Text | Markdown | Org | Rst | Asciidoc | Latex | Code(_) | Json | Yaml | Toml | Csv | Xml)
    }

    fn isolation(&self) -> Isolation {
        Isolation::Here
    }

    /// No file within the limit on bytes loses text: three times is the worst that UTF-8 makes of a
    /// single-byte charset.
    fn most_text_bytes(&self, limits: &Limits) -> usize {
        limits.plain_bytes.saturating_mul(3)
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        let decoding = charset_of(source.bytes);
        let bytes = source.head(limits.plain_bytes, "", sink);
        let text = without_controls(decode(bytes, decoding));
        if text.trim_start().is_empty() {
            return Outcome::Skipped(problem(ProblemKind::Empty, "the file holds nothing but white space"));
        }
        if let Some(title) = stated_title(&text, source.format) {
            sink.title(title);
        }
        sink.text(text);
        Outcome::Read
    }

    fn entries(&self) -> Vec<FormatEntry> {
        let entry = |name, detected_by, locator, lost| FormatEntry {
            name,
            detected_by,
            locator,
            lost,
            limits: "256 MiB of the file",
        };
        vec![
            entry("text", "no unexpected control characters in any charset", "line", "control characters, colours"),
            entry("markdown", "extension; headings with fences or links", "line, heading", "nothing"),
            entry("org", "extension; keywords and drawers", "line, heading", "nothing"),
            entry("rst", "extension; directives", "line, heading", "nothing"),
            entry("asciidoc", "extension; a title with attributes below", "line, heading", "nothing"),
            entry("latex", "extension; its first command", "line, heading", "nothing"),
            entry("code", "extension, file name, first line", "line, definition", "nothing"),
            entry("json", "extension; first characters", "line", "nothing"),
            entry("yaml", "extension; directive", "line", "nothing"),
            entry("toml", "extension", "line", "nothing"),
            entry("csv", "extension; equal columns", "line", "nothing"),
            entry("xml", "declaration; extension with a root element", "line", "nothing (tags are kept)"),
        ]
    }
}
