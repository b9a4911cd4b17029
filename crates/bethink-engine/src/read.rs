//! The text around a place: `read_around`.

use std::fs;
use std::path::{Path, PathBuf};

use bethink_core::{DocumentId, Format, Locator, MEMBER_SEPARATOR};
use bethink_extract::{Extraction, MemberFile, MemberVisitor};
use bethink_ingest::container_on_disk;
use bethink_search::{Verdict, Verifier};
use bethink_store::{DocumentRecord, IndexReader, Outcome};

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::opened::OwnReads;

/// What to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadTarget {
    /// A path (absolute, or relative to the engine's working folder).
    Path(PathBuf),
    /// A document by the id that hits carry.
    Document(DocumentId),
}

/// A request to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRequest {
    /// What to read.
    pub target: ReadTarget,
    /// The line to read around, from 1; `None` starts at the top.
    pub line: Option<u32>,
    /// The column of that line to read from, in characters from 1: of a long line the part around it is
    /// shown. `None` shows lines from their beginning.
    pub column: Option<u32>,
    /// Lines before and after; `None` means the default of 20.
    pub context: Option<u32>,
    /// The whole text instead of a window.
    pub whole: bool,
    /// Whether a file outside the index may be extracted on the spot. A person at a terminal may ask
    /// for it; an agent may not.
    pub allow_unindexed: bool,
}

/// One line of extracted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadLine {
    /// Its number, as hits number it.
    pub number: u32,
    /// Its text, without the line end, control characters made visible.
    pub text: String,
    /// The place that begins with this line (page, slide, …), where one does.
    pub locator: Option<Locator>,
    /// Whether that place deserves a line of its own above this one; the next row of a sheet does not.
    pub turns: bool,
}

/// The text around a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadAnswer {
    /// The file as on disk now.
    pub path: PathBuf,
    /// The document, where it is indexed.
    pub document: Option<DocumentId>,
    /// How the file was read.
    pub format: Format,
    /// The source's own title.
    pub title: Option<String>,
    /// Lines of the whole text.
    pub lines_total: u32,
    /// Headings above the first line shown, outermost first.
    pub heading: Vec<String>,
    /// The lines.
    pub lines: Vec<ReadLine>,
    /// Sentences that the reader should know.
    pub notes: Vec<String>,
}

/// Lines before and after the line asked for, unless told otherwise: about a screen.
const DEFAULT_CONTEXT: u32 = 20;

/// Bytes of text in one answer at the most. A minified file has lines of megabytes; nobody reads
/// them, and an agent's context would be gone.
const ANSWER_BYTES: usize = 256 * 1024;

/// Bytes of one line that are shown at the most.
const LINE_BYTES: usize = 16 * 1024;

/// Characters of a long line that are shown where a column is asked for: more than a passage holds, less
/// than an agent's answer does.
const AROUND_COLUMN: usize = 1_600;

/// Of these, so many stand before the column.
const BEFORE_COLUMN: usize = 200;

impl Engine {
    /// The extracted text around a place, numbered as hits number it.
    ///
    /// # Errors
    /// [`EngineError::NoSuchPath`], [`EngineError::NotIndexed`], [`EngineError::NoSuchDocument`],
    /// [`EngineError::NoSuchLine`], or a failure of a part.
    pub fn read(&self, request: &ReadRequest) -> Result<ReadAnswer> {
        let reader = self.reader()?;
        let document = match (&request.target, &reader) {
            (ReadTarget::Document(id), Some(reader)) => {
                Some(reader.find_document(*id)?.ok_or(EngineError::NoSuchDocument { id: id.0 })?)
            }
            (ReadTarget::Document(id), None) => return Err(EngineError::NoSuchDocument { id: id.0 }),
            (ReadTarget::Path(path), Some(reader)) => reader.find_document_at(&self.absolute(path))?,
            (ReadTarget::Path(_), None) => None,
        };
        let mut notes = Vec::new();
        let source = match document {
            Some(document) => self.indexed_source(document, request, &mut notes)?,
            None => match &request.target {
                ReadTarget::Path(path) => self.unindexed_source(&self.absolute(path), request)?,
                ReadTarget::Document(id) => return Err(EngineError::NoSuchDocument { id: id.0 }),
            },
        };
        let answer = window(source, request, notes)?;
        if let (Some(document), Some(reader)) = (answer.document, &reader) {
            OwnReads::of(&self.home().cache(), reader.store_id()?).record(document, self.clock().now());
        }
        Ok(answer)
    }

    /// A document's text out of the index, after the disk was asked whether it is still right.
    fn indexed_source(
        &self,
        document: DocumentRecord,
        request: &ReadRequest,
        notes: &mut Vec<String>,
    ) -> Result<Source> {
        let known_as = document.path.clone();
        let Some(reader) = self.reader()? else { return Err(EngineError::NothingIndexed) };
        let (document, path) = match self.verifier(&reader)?.verify(&document) {
            Verdict::Current => (document, known_as),
            Verdict::Refreshed => match reader.find_document(document.id)? {
                Some(fresh) => (fresh, known_as),
                None => return Err(EngineError::NoSuchPath { path: known_as }),
            },
            Verdict::Moved(to) => {
                notes.push(format!("moved: was {}", known_as.display()));
                (document, to)
            }
            Verdict::Stale => {
                notes.push("the file has changed since it was indexed; this is the text as indexed".to_owned());
                (document, known_as)
            }
            Verdict::Unreachable => {
                notes.push("the file cannot be reached at the moment; this is the text as indexed".to_owned());
                (document, known_as)
            }
            Verdict::Gone => return Err(EngineError::NoSuchPath { path: known_as }),
        };
        let Some(content) = document.content else {
            if request.allow_unindexed {
                return self.unindexed_source(&path, request);
            }
            let reason = match document.outcome {
                Outcome::Skipped { detail, .. } | Outcome::Failed { detail, .. } => detail,
                Outcome::Indexed => "it has no text".to_owned(),
            };
            return Err(EngineError::NotIndexed { path, reason });
        };
        let record = reader.content(content)?.ok_or(EngineError::NoSuchDocument { id: document.id.0 })?;
        let passages = reader.passages_of(content)?;
        let mut text = String::with_capacity(usize::try_from(record.text_bytes).unwrap_or(0));
        let mut marks: Vec<(usize, Locator)> = Vec::new();
        let mut headings: Vec<(usize, Vec<String>)> = Vec::new();
        for passage in passages {
            let start = text.len();
            let first = (start, passage.locator);
            let inside = passage.marks.into_iter().map(|mark| (start + mark.offset, mark.locator));
            for (offset, locator) in [first].into_iter().chain(inside) {
                if *marks.last().map_or(&Locator::Line, |(_, last)| last) != locator {
                    marks.push((offset, locator));
                }
            }
            headings.push((text.len(), passage.heading));
            text.push_str(&passage.text);
        }
        notes.extend(record.problems.iter().map(|problem| problem.detail.clone()));
        Ok(Source {
            path,
            document: Some(document.id),
            format: record.format,
            title: record.title,
            text,
            marks,
            headings,
        })
    }

    /// A file's text drawn on the spot, for a person who asked for a file outside the index.
    fn unindexed_source(&self, path: &Path, request: &ReadRequest) -> Result<Source> {
        let member = container_on_disk(path);
        if member.is_none() && !path.exists() {
            return Err(EngineError::NoSuchPath { path: path.to_owned() });
        }
        if !request.allow_unindexed {
            return Err(EngineError::NotIndexed { path: path.to_owned(), reason: self.why(path)?.because });
        }
        let file = member.as_ref().map_or(path, |(container, _)| container.as_path());
        let metadata = fs::metadata(file).map_err(|source| EngineError::File { path: path.to_owned(), source })?;
        if !metadata.is_file() {
            return Err(EngineError::NotIndexed { path: path.to_owned(), reason: "it is not a file".to_owned() });
        }
        if metadata.len() > bethink_ingest::FILE_LIMIT_BYTES {
            return Err(EngineError::NotIndexed { path: path.to_owned(), reason: "it is too large".to_owned() });
        }
        let bytes = fs::read(file).map_err(|source| EngineError::File { path: path.to_owned(), source })?;
        let extraction = match &member {
            Some((container, inner)) => {
                let mut wanted = WantedMember { inner, found: None };
                self.extractor().extract_with_members(container, &bytes, &mut wanted);
                wanted.found.ok_or_else(|| EngineError::NoSuchPath { path: path.to_owned() })?
            }
            None => self.extractor().extract(path, &bytes),
        };
        match extraction {
            Extraction::Text(extracted) => Ok(Source {
                path: path.to_owned(),
                document: None,
                format: extracted.format,
                title: extracted.title,
                marks: extracted.marks.into_iter().map(|mark| (mark.offset, mark.locator)).collect(),
                text: extracted.text,
                headings: Vec::new(),
            }),
            Extraction::Skipped(problem) | Extraction::Failed(problem) => {
                Err(EngineError::NotIndexed { path: path.to_owned(), reason: problem.detail })
            }
        }
    }
}

/// Reads one member of a container and passes over the others.
struct WantedMember<'a> {
    inner: &'a str,
    found: Option<Extraction>,
}

impl MemberVisitor for WantedMember<'_> {
    fn admits(&mut self, path: &str, _: &[u8]) -> bool {
        let is_around = self.inner.strip_prefix(path).is_some_and(|rest| rest.starts_with(MEMBER_SEPARATOR));
        self.found.is_none() && (path == self.inner || is_around)
    }

    fn read(&mut self, member: MemberFile<'_>) -> bool {
        if member.path == self.inner {
            self.found = Some(member.extraction);
        }
        self.found.is_none()
    }
}

/// A whole text with its marks, wherever it came from.
struct Source {
    path: PathBuf,
    document: Option<DocumentId>,
    format: Format,
    title: Option<String>,
    text: String,
    marks: Vec<(usize, Locator)>,
    headings: Vec<(usize, Vec<String>)>,
}

/// A part of a long line.
struct AroundColumn {
    text: String,
    first: usize,
    last: usize,
    of: usize,
}

/// The part of a line around a column; `None` where the line is shown whole. Of a column past its end
/// the end is shown.
fn around_column(raw: &str, column: u32) -> Option<AroundColumn> {
    let of = raw.chars().count();
    if of <= AROUND_COLUMN {
        return None;
    }
    let first = (column as usize).saturating_sub(BEFORE_COLUMN + 1).min(of - AROUND_COLUMN);
    let part: String = raw.chars().skip(first).take(AROUND_COLUMN).collect();
    let last = first + AROUND_COLUMN;
    let (before, after) = (if first > 0 { "… " } else { "" }, if last < of { " …" } else { "" });
    Some(AroundColumn { text: format!("{before}{}{after}", bethink_text::visible(&part)), first: first + 1, last, of })
}

/// A line from its beginning, as far as it is shown.
fn from_beginning(raw: &str) -> String {
    let mut end = raw.len().min(LINE_BYTES);
    while !raw.is_char_boundary(end) {
        end -= 1;
    }
    let mut text = bethink_text::visible(&raw[..end]).into_owned();
    if end < raw.len() {
        text.push_str(&format!(" … ({} more bytes on this line)", raw.len() - end));
    }
    text
}

/// Cuts the lines asked for out of a text.
fn window(source: Source, request: &ReadRequest, mut notes: Vec<String>) -> Result<ReadAnswer> {
    let lines: Vec<_> = bethink_text::lines(&source.text).collect();
    let total = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let context = request.context.unwrap_or(DEFAULT_CONTEXT);
    let (first, last) = match request.line {
        _ if request.whole => (1, total),
        Some(line) if line > total.max(1) || line == 0 => {
            return Err(EngineError::NoSuchLine { path: source.path, line, lines: total });
        }
        Some(line) => (line.saturating_sub(context).max(1), line.saturating_add(context).min(total)),
        None => (1, context.saturating_mul(2).saturating_add(1).min(total)),
    };
    let mut shown = Vec::new();
    let mut bytes = 0;
    for number in first..=last {
        let Some(range) = lines.get(number as usize - 1).cloned() else { break };
        let raw = source.text[range.clone()].trim_end_matches(['\n', '\r']);
        let column = request.column.filter(|_| request.line == Some(number));
        let text = match column.and_then(|column| around_column(raw, column)) {
            Some(around) => {
                notes.push(format!(
                    "of line {number} the columns {} to {} of {} are shown; for others ask for line {number} and a column",
                    around.first, around.last, around.of
                ));
                around.text
            }
            None => from_beginning(raw),
        };
        bytes += text.len();
        if bytes > ANSWER_BYTES {
            notes.push(format!("cut at line {}; ask for line {number} to go on", number - 1));
            break;
        }
        let next = source.marks.partition_point(|(offset, _)| *offset < range.start);
        let begins_here = |(offset, _): &&(usize, Locator)| range.contains(offset) || *offset == range.start;
        let locator = source.marks.get(next).filter(begins_here).map(|(_, locator)| locator.clone());
        let locator = locator.filter(|locator| *locator != Locator::Line);
        shown.push(ReadLine { number, text, locator, turns: false });
    }
    // The first line shown also says which page it is on when that page began further up.
    if let Some(line) = shown.first_mut()
        && line.locator.is_none()
    {
        let start = lines.get(line.number as usize - 1).map_or(0, |range| range.start);
        let after = source.marks.partition_point(|(offset, _)| *offset <= start);
        line.locator = after.checked_sub(1).map(|before| source.marks[before].1.clone());
        line.locator.take_if(|locator| *locator == Locator::Line);
    }
    let at = request.line.unwrap_or(first).max(1) as usize - 1;
    let offset = lines.get(at).map_or(0, |range| range.start);
    let mut before = Locator::Line;
    for line in &mut shown {
        if let Some(locator) = &line.locator {
            line.turns = !locator.goes_on_from(&before);
            before = locator.clone();
        }
    }
    let passage = source.headings.partition_point(|(start, _)| *start <= offset).checked_sub(1);
    let heading = passage.map_or_else(Vec::new, |passage| {
        let (start, heading) = &source.headings[passage];
        let end = source.headings.get(passage + 1).map_or(source.text.len(), |(start, _)| *start);
        bethink_text::heading_within(source.format, heading, &source.text[*start..end], offset - start)
    });
    Ok(ReadAnswer {
        path: source.path,
        document: source.document,
        format: source.format,
        title: source.title,
        lines_total: total,
        heading,
        lines: shown,
        notes,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_part_around_a_column_says_which_columns_it_shows() {
        let line: String = ('a'..='z').chain(['ä', '顎']).cycle().take(10_000).collect();
        let around = |column| around_column(&line, column).unwrap();
        let middle = around(5_000);
        assert_eq!((middle.first, middle.last, middle.of), (4_800, 6_399, 10_000));
        let expected: String = line.chars().skip(4_799).take(1_600).collect();
        assert_eq!(middle.text, format!("… {expected} …"));
        let start = around(1);
        assert_eq!((start.first, start.last), (1, 1_600));
        assert!(!start.text.starts_with('…') && start.text.ends_with(" …"));
        for column in [9_999, 10_001, u32::MAX] {
            let end = around(column);
            assert_eq!((end.first, end.last), (8_401, 10_000), "{column}");
            assert!(!end.text.ends_with('…'));
        }
        assert!(around_column(&line.chars().take(1_600).collect::<String>(), 9).is_none());
    }
}
