//! EPUB 2 and 3: the package document says which files in which order, the table of contents what they
//! are called, and each file is a page.

use bethink_core::ProblemKind;

use super::encryption::locked_files;
use super::navigation::{Contents, Entry, read_navigation, read_ncx};
use super::package_document::{PackageDocument, resolve};
use super::write_chapter;
use crate::extraction::problem;
use crate::family::{Outcome, Sink, Source};
use crate::html::read_page;
use crate::limits::Limits;
use crate::package::Package;
use crate::text::{charset_of, decode};
use crate::xml::{Piece, walk};

/// Reads a book.
pub(super) fn read(source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
    let mut package = match Package::of_source(source, limits) {
        Ok(package) => package,
        Err(outcome) => return outcome,
    };
    let document = match package_document_path(&mut package) {
        Some(path) => PackageDocument::read(&part_text(&mut package, &path, limits, sink).unwrap_or_default(), &path),
        None => PackageDocument::default(),
    };
    let contents = contents(&mut package, &document, limits, sink);
    let locked = match part_text(&mut package, "META-INF/encryption.xml", limits, sink) {
        Some(list) => locked_files(&list),
        None => Default::default(),
    };
    let PackageDocument { facts, spine, .. } = document;
    let has_spine = spine.iter().any(|path| package.has(path));
    let files = if has_spine { spine } else { pages_by_name(&package) };
    if !files.is_empty() && files.iter().all(|path| locked.contains(path)) {
        return Outcome::Skipped(problem(ProblemKind::Encrypted, "a book that opens with its seller's reader only"));
    }
    if !facts.write(sink) {
        return Outcome::Read;
    }
    let mut missing = 0_u32;
    let mut read_any = false;
    for (number, path) in (1..).zip(&files) {
        if locked.contains(path) {
            sink.problem(problem(ProblemKind::Encrypted, format!("chapter {number} opens with a licence only")));
            continue;
        }
        let Some(bytes) = part_text(&mut package, path, limits, sink) else {
            missing += 1;
            continue;
        };
        let page = read_page(&bytes);
        if page.text.trim().is_empty() {
            continue;
        }
        read_any = true;
        let unnamed = || Entry { title: String::new(), level: 1 };
        let Entry { title, level } = contents.get(path).cloned().unwrap_or_else(unnamed);
        let own = || first_heading(&page.text);
        let title = if title.is_empty() { own().unwrap_or_default() } else { title };
        if !write_chapter(sink, number, &title, level, &page.text) {
            return Outcome::Read;
        }
    }
    if missing > 0 {
        sink.problem(problem(ProblemKind::Damaged, format!("{missing} of its chapters are not in the file")));
    }
    if !read_any {
        return Outcome::Skipped(problem(ProblemKind::Empty, "the book holds no text; its pages may be pictures"));
    }
    Outcome::Read
}

/// Where the package document stands: as the container says, or by its extension.
fn package_document_path(package: &mut Package<'_>) -> Option<String> {
    let mut stated = None;
    if let Some(part) = package.read_part("META-INF/container.xml") {
        walk(&String::from_utf8_lossy(&part.bytes), &mut |piece| {
            if let Piece::Start("rootfile", attributes) = &piece {
                stated = attributes.get("full-path").map(|path| resolve("", path));
            }
            stated.is_none()
        });
    }
    stated
        .filter(|path| package.has(path))
        .or_else(|| package.names().find(|name| name.to_ascii_lowercase().ends_with(".opf")).map(str::to_owned))
}

/// The table of contents; the one of EPUB 2 where the newer one is missing or says nothing.
fn contents(package: &mut Package<'_>, document: &PackageDocument, limits: &Limits, sink: &mut dyn Sink) -> Contents {
    let navigation = document
        .navigation
        .as_deref()
        .and_then(|path| part_text(package, path, limits, sink).map(|source| read_navigation(&source, path)));
    match navigation.filter(|contents| !contents.is_empty()) {
        Some(contents) => contents,
        None => {
            let ncx = document.ncx.as_deref();
            let read = ncx.and_then(|path| part_text(package, path, limits, sink).map(|text| read_ncx(&text, path)));
            read.unwrap_or_default()
        }
    }
}

/// The pages of a book whose order is lost.
fn pages_by_name(package: &Package<'_>) -> Vec<String> {
    let is_page = |name: &&str| {
        let name = name.to_ascii_lowercase();
        [".xhtml", ".html", ".htm"].iter().any(|extension| name.ends_with(extension))
    };
    package.names().filter(is_page).map(str::to_owned).collect()
}

/// A part as text; its troubles are told and what could be had is kept.
fn part_text(package: &mut Package<'_>, path: &str, limits: &Limits, sink: &mut dyn Sink) -> Option<String> {
    let part = package.read_part(path)?;
    if let Some(problem) = part.problem {
        sink.problem(problem);
    }
    let bytes = &part.bytes[..part.bytes.len().min(limits.structured_bytes)];
    Some(decode(bytes, charset_of(bytes)))
}

/// The heading that a chapter's text begins with.
fn first_heading(text: &str) -> Option<String> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).take(super::LINES_ABOVE_HEADING);
    lines.find_map(|line| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len()).then(|| title.trim().to_owned())
    })
}
