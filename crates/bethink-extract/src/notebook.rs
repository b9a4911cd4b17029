//! Computational notebooks (Jupyter, nbformat 3 and 4): each cell as a person sees it.
//!
//! Markdown cells are their text, so that their headings run through the notebook; code is fenced under
//! its language, and what it printed follows in a fence of its own. Pictures and widgets are left out.

use bethink_core::{Format, Locator, ProblemKind};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::json::{Elements, Ending, Value, joined, read, string};
use crate::limits::Limits;
use crate::text::{charset_of, decode, without_controls};

/// Bytes of one cell's outputs that are kept: a training log of a night is read by nobody, and drowns the
/// notebook's own words.
const OUTPUT_BYTES: usize = 16 << 10;

/// Reads notebooks.
pub(crate) struct NotebookFamily;

impl Family for NotebookFamily {
    fn reads(&self, format: Format) -> bool {
        format == Format::Notebook
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, _: &Limits, sink: &mut dyn Sink) -> Outcome {
        let text = decode(source.bytes, charset_of(source.bytes));
        // The language stands behind the cells in most notebooks.
        let mut language = Language::default();
        read(&text, &mut language);
        let mut cells = Cells { sink, language: language.0, cell: 0 };
        let ending = read(&text, &mut cells);
        let count = cells.cell;
        if ending == Ending::Broken {
            if count == 0 {
                sink.text(without_controls(text));
            }
            return Outcome::Skipped(problem(ProblemKind::Damaged, "the notebook breaks off; the rest is not read"));
        }
        if count == 0 {
            return Outcome::Skipped(problem(ProblemKind::Empty, "the notebook has no cells"));
        }
        Outcome::Read
    }

    fn entries(&self) -> Vec<FormatEntry> {
        vec![FormatEntry {
            name: "ipynb",
            detected_by: "extension; an object of cells",
            locator: "cell, heading",
            lost: "pictures, widgets, HTML of outputs, attachments",
            limits: "16 KiB of each cell's outputs",
        }]
    }
}

/// The notebook's language, from its metadata.
#[derive(Default)]
struct Language(String);

impl Elements for Language {
    fn streams(&self, _: &str) -> bool {
        false
    }

    fn wants(&self, key: &str) -> bool {
        key == "metadata"
    }

    fn element(&mut self, _: &str, _: Value) -> bool {
        true
    }

    fn value(&mut self, _: &str, metadata: Value) {
        let named = |part: &str, key: &str| metadata.get(part).map(|part| string(part, key).to_owned());
        let names = [named("kernelspec", "language"), named("language_info", "name")];
        let name = names.into_iter().flatten().find(|name| !name.is_empty()).unwrap_or_default();
        self.0 = language_word(&name);
    }
}

/// A name that can stand behind a fence.
fn language_word(name: &str) -> String {
    let is_word = |character: &char| character.is_ascii_alphanumeric() || matches!(character, '+' | '#' | '-' | '_');
    name.to_ascii_lowercase().chars().filter(is_word).take(32).collect()
}

struct Cells<'a> {
    sink: &'a mut dyn Sink,
    language: String,
    /// Cells so far.
    cell: u32,
}

impl Elements for Cells<'_> {
    fn streams(&self, key: &str) -> bool {
        // Version 3 keeps the cells in worksheets, of which no program ever made more than one.
        matches!(key, "cells" | "worksheets")
    }

    fn wants(&self, _: &str) -> bool {
        false
    }

    fn element(&mut self, key: &str, value: Value) -> bool {
        if key == "worksheets" {
            let cells = value.get("cells").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            return cells.iter().all(|cell| self.cell(cell));
        }
        self.cell(&value)
    }

    fn value(&mut self, _: &str, _: Value) {}
}

impl Cells<'_> {
    fn cell(&mut self, cell: &Value) -> bool {
        self.cell = self.cell.saturating_add(1);
        self.sink.mark(Locator::Cell(self.cell));
        let source = joined(cell.get("source").or_else(|| cell.get("input")));
        let mut text = String::new();
        match string(cell, "cell_type") {
            "code" => {
                let own = language_word(string(cell, "language"));
                let language = if own.is_empty() { &self.language } else { &own };
                push_fenced(&mut text, language, &source);
                let outputs = cell.get("outputs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                push_fenced(&mut text, "text", &shown(outputs));
            }
            "heading" => {
                let level = cell.get("level").and_then(Value::as_u64).unwrap_or(1).clamp(1, 6);
                for _ in 0..level {
                    text.push('#');
                }
                text.push(' ');
                text.push_str(&source.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            "raw" => push_fenced(&mut text, "", &source),
            _ => text.push_str(&source),
        }
        if text.trim().is_empty() {
            return true;
        }
        text.truncate(text.trim_end().len());
        text.push_str("\n\n");
        self.sink.text(without_controls(text))
    }
}

/// Writes code between fences that are longer than any in it.
fn push_fenced(text: &mut String, language: &str, code: &str) {
    let code = code.trim_end();
    if code.trim().is_empty() {
        return;
    }
    let inner = code.lines().map(|line| line.trim_start().bytes().take_while(|byte| *byte == b'`').count()).max();
    let fence = "`".repeat(inner.unwrap_or(0).max(2) + 1);
    if !text.is_empty() {
        text.push('\n');
    }
    for piece in [&fence, language, "\n", code, "\n", &fence, "\n"] {
        text.push_str(piece);
    }
}

/// What the code printed: streams, plain results, errors without their traces.
fn shown(outputs: &[Value]) -> String {
    let mut shown = String::new();
    for output in outputs {
        let kind = string(output, "output_type");
        let text = match kind {
            "stream" => joined(output.get("text")),
            "error" | "pyerr" => format!("{}: {}", string(output, "ename"), string(output, "evalue")),
            _ => {
                // Version 3 has the plain text beside the other forms, version 4 among them.
                let data = output.get("data").and_then(|data| data.get("text/plain"));
                joined(data.or_else(|| output.get("text")))
            }
        };
        let text = text.trim_end();
        if text.is_empty() {
            continue;
        }
        let room = OUTPUT_BYTES.saturating_sub(shown.len());
        shown.push_str(&text[..text.floor_char_boundary(room.min(text.len()))]);
        shown.push('\n');
        if room < text.len() {
            break;
        }
    }
    shown
}
