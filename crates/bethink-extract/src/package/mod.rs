//! A document that is a ZIP of parts (Office Open XML, OpenDocument, EPUB, iWork), opened within bounds.
//!
//! What a part unpacks to is a claim of whoever wrote the file, so nothing is allocated by it: parts are
//! read through a cap on their size, on how far they expand, and on what all of them come to. Parts are
//! found by name as Windows finds them, since some writers disagree with themselves about case and
//! slashes. Encryption of the ZIP itself and of OpenDocument is told when the package is opened.

mod part;

use std::collections::HashMap;
use std::io::Cursor;

use bethink_core::{Problem, ProblemKind};
use zip::ZipArchive;
use zip::result::ZipError;

use crate::extraction::problem;
use crate::family::{Outcome, Source};
use crate::limits::Limits;
pub(crate) use part::{Part, path_beside};

/// A part may unpack to this much whatever its ratio: sixteen megabytes of XML pass in a fraction of a
/// second, and a long table of equal cells packs to a five-hundredth.
const PART_ALWAYS_BYTES: u64 = 16 << 20;

/// Bytes of `META-INF/manifest.xml` that are searched for encryption; one entry is some 100 bytes.
const MANIFEST_BYTES: u64 = 4 << 20;

/// A ZIP of parts.
pub(crate) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// The parts' names as they are written, in the order of the directory.
    names: Vec<String>,
    /// Where a part stands, by its folded name.
    places: HashMap<String, usize>,
    limits: Limits,
    /// Bytes that may still be unpacked.
    budget: u64,
}

impl<'a> Package<'a> {
    /// Opens a package by the directory at its end.
    ///
    /// # Errors
    /// `Encrypted` where its parts need a password, `Damaged` without a directory, `Limit` where it has
    /// more parts than are opened.
    pub(crate) fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self, Problem> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| refusal(&error))?;
        if archive.len() > usize::try_from(limits.members).unwrap_or(usize::MAX) {
            let detail = format!("it has {} parts; up to {} are opened", archive.len(), limits.members);
            return Err(problem(ProblemKind::Limit, detail));
        }
        let names: Vec<String> =
            archive.file_names_raw().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let mut places = HashMap::with_capacity(names.len());
        for (place, name) in names.iter().enumerate() {
            places.entry(folded(name)).or_insert(place);
        }
        let budget = u64::try_from(limits.unpacked_for(bytes.len())).unwrap_or(u64::MAX);
        let mut package = Self { archive, names, places, limits: *limits, budget };
        if package.is_encrypted() {
            return Err(encrypted());
        }
        Ok(package)
    }

    /// [`Self::open`] for a reader whose whole source it is: why there is nothing to read.
    pub(crate) fn of_source(source: &Source<'a>, limits: &Limits) -> Result<Self, Outcome> {
        Self::open(source.bytes, limits).map_err(|reason| match reason.kind {
            ProblemKind::Damaged => Outcome::Failed(reason),
            _ => Outcome::Skipped(reason),
        })
    }

    /// The names of its parts as they are written, in the order of the directory; folders are among them.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Whether it has a part of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.places.contains_key(&folded(name))
    }

    /// A whole part; `None` where there is none of that name.
    ///
    /// # Errors
    /// `Limit` where it is larger than a part may be, `Damaged` where it does not unpack. See
    /// [`Self::read_part`] for what can be had of such a part.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, Problem> {
        match self.read_part(name) {
            Some(Part { problem: Some(problem), .. }) => Err(problem),
            part => Ok(part.map(|part| part.bytes)),
        }
    }

    /// As much of a part as unpacks within its bounds, and why it ends early where it does; `None` where
    /// there is none of that name.
    pub(crate) fn read_part(&mut self, name: &str) -> Option<Part> {
        let place = *self.places.get(&folded(name))?;
        let most = u64::try_from(self.limits.member_bytes).unwrap_or(u64::MAX);
        let part = self.unpack(place, most);
        self.budget = self.budget.saturating_sub(u64::try_from(part.bytes.len()).unwrap_or(u64::MAX));
        Some(part)
    }

    fn unpack(&mut self, place: usize, most: u64) -> Part {
        let entry = match self.archive.by_index(place) {
            Ok(entry) => entry,
            Err(error) => return Part { bytes: Vec::new(), problem: Some(refusal(&error)) },
        };
        let expansion = u64::try_from(self.limits.expansion).unwrap_or(u64::MAX);
        let by_ratio = entry.compressed_size().saturating_mul(expansion).max(PART_ALWAYS_BYTES);
        Part::unpack(entry, most.min(by_ratio).min(self.budget))
    }

    /// Whether its parts need a password: by the ZIP's own flag, or by OpenDocument's list of parts, whose
    /// parts look like any other to a ZIP reader.
    fn is_encrypted(&mut self) -> bool {
        let flagged = (0..self.archive.len().min(PARTS_ASKED))
            .any(|place| self.archive.by_index_raw(place).is_ok_and(|entry| entry.encrypted() && !entry.is_dir()));
        if flagged || self.has("encrypted-package") {
            return true;
        }
        let Some(place) = self.places.get(&folded("META-INF/manifest.xml")).copied() else { return false };
        let manifest = self.unpack(place, MANIFEST_BYTES).bytes;
        let needle = b"encryption-data";
        manifest.windows(needle.len()).any(|window| window == needle)
    }
}

/// Parts asked whether they are encrypted; whoever encrypts a document encrypts what stands first.
const PARTS_ASKED: usize = 16;

/// A part's name as it is compared.
fn folded(name: &str) -> String {
    name.trim_start_matches('/').replace('\\', "/").to_ascii_lowercase()
}

fn encrypted() -> Problem {
    problem(ProblemKind::Encrypted, "it opens with a password only")
}

/// What an error of the ZIP reader means to the user.
fn refusal(error: &ZipError) -> Problem {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword => encrypted(),
        ZipError::CompressionMethodNotSupported(_) => {
            problem(ProblemKind::Unsupported, "a part of it is packed in a way that is not known")
        }
        _ => problem(ProblemKind::Damaged, "its container is cut short or broken"),
    }
}

/// Packages for tests, here and in the families that read them.
#[cfg(test)]
pub(crate) mod sample {
    use std::io::{Cursor, Write};

    use zip::write::SimpleFileOptions;

    /// A package of these parts.
    pub(crate) fn package(parts: &[(&str, &str)]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in parts {
            writer.start_file(*name, SimpleFileOptions::default()).expect("a part can be begun");
            writer.write_all(content.as_bytes()).expect("a part can be written");
        }
        writer.finish().expect("a package can be closed").into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_by_names_in_any_case_and_with_either_slash() {
        let bytes = sample::package(&[("Word\\Document.xml", "<a/>"), ("b", "b")]);
        let mut package = Package::open(&bytes, &Limits::default()).expect("a package");
        assert_eq!(package.read("word/document.XML"), Ok(Some(b"<a/>".to_vec())));
        assert_eq!(package.read("/b"), Ok(Some(b"b".to_vec())));
        assert_eq!(package.read("c"), Ok(None));
        assert_eq!(package.names().collect::<Vec<_>>(), ["Word\\Document.xml", "b"]);
    }

    #[test]
    fn a_bomb_ends_at_its_ratio_and_keeps_its_beginning() {
        let bytes = sample::package(&[("a", &"x".repeat(40 << 20))]);
        let mut package = Package::open(&bytes, &Limits::default()).expect("a package");
        let part = package.read_part("a").expect("a part");
        assert_eq!(part.bytes.len(), 16 << 20);
        assert_eq!(part.problem.map(|problem| problem.kind), Some(ProblemKind::Limit));
        assert_eq!(package.read("a").map_err(|problem| problem.kind), Err(ProblemKind::Limit));
    }

    #[test]
    fn all_parts_together_stay_within_the_budget() {
        let bytes = sample::package(&[("a", &"x".repeat(12 << 20))]);
        let mut package = Package::open(&bytes, &Limits::default()).expect("a package");
        let unpacked: usize = (0..10).map(|_| package.read_part("a").map_or(0, |part| part.bytes.len())).sum();
        assert_eq!(unpacked, 64 << 20);
    }

    #[test]
    fn what_is_no_package_is_told_by_its_kind() {
        let kind = |bytes: &[u8], limits: &Limits| Package::open(bytes, limits).err().map(|problem| problem.kind);
        let limits = Limits::default();
        let whole = sample::package(&[("a", "1"), ("b", "2")]);
        assert_eq!(kind(&whole[..whole.len() / 2], &limits), Some(ProblemKind::Damaged));
        assert_eq!(kind(&whole, &Limits { members: 1, ..limits }), Some(ProblemKind::Limit));
        let manifest = "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>";
        let secret = sample::package(&[("META-INF/manifest.xml", manifest), ("content.xml", "")]);
        assert_eq!(kind(&secret, &limits), Some(ProblemKind::Encrypted));
        assert_eq!(kind(&whole, &limits), None);
    }
}
