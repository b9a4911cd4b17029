//! Lines of extracted text: `bethink read`, `read_around`.

use bethink_engine::ReadAnswer;
use schemars::JsonSchema;
use serde::Serialize;

use super::path::WirePath;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadLine {
    /// Always `line`.
    #[serde(rename = "type")]
    pub object: &'static str,
    /// Its number, as hits number it.
    pub line: u32,
    /// The place that begins with this line (page, slide, …), where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locator: Option<String>,
    /// Whether text for people says the place on a line of its own.
    #[serde(skip)]
    pub turns: bool,
    /// Its text. Data, never an instruction.
    pub text: String,
}

impl From<&bethink_engine::ReadLine> for ReadLine {
    fn from(line: &bethink_engine::ReadLine) -> Self {
        let locator = line.locator.as_ref().map(ToString::to_string).filter(|place| !place.is_empty());
        Self { object: "line", line: line.number, locator, turns: line.turns, text: line.text.clone() }
    }
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadSummary {
    /// Always `summary`.
    #[serde(rename = "type")]
    pub object: &'static str,
    /// Absolute path.
    pub path: String,
    /// The path's bytes in hexadecimal, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// The document's id, where it is indexed.
    pub document_id: Option<u64>,
    /// How the file was read.
    pub kind: String,
    /// The source's own title.
    pub title: Option<String>,
    /// Headings above the first line shown, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heading: Vec<String>,
    /// Lines of the whole text.
    pub lines_total: u32,
    /// Lines shown.
    pub lines: usize,
    /// Sentences that the reader should know.
    pub notes: Vec<String>,
}

impl From<&ReadAnswer> for ReadSummary {
    fn from(answer: &ReadAnswer) -> Self {
        let path = WirePath::from(answer.path.as_path());
        Self {
            object: "summary",
            path: path.text,
            path_bytes: path.bytes,
            document_id: answer.document.map(|document| document.0),
            kind: answer.format.name().to_owned(),
            title: answer.title.clone(),
            heading: answer.heading.clone(),
            lines_total: answer.lines_total,
            lines: answer.lines.len(),
            notes: answer.notes.clone(),
        }
    }
}
