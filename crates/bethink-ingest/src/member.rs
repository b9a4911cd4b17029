//! Files inside files, on their way into the index: which are let in, and where their container is.
//!
//! A member is a document of its own under the path of its container, `archive.zip!/inner/report.pdf`. It
//! carries the container's stamp, since that is what tells whether it is still there as it was read.

use std::fs;
use std::path::{Path, PathBuf};

use bethink_core::{ContentHash, member_path, split_member_path};
use bethink_extract::{MemberFile, MemberVisitor};
use bethink_store::Reading;

use crate::extracting::{cut_reading, secret_reading};
use crate::rules::{Rules, private_key};

/// A member as the store takes it.
#[derive(Debug)]
pub(crate) struct MemberReading {
    /// Container and path inside.
    pub path: PathBuf,
    /// BLAKE3 of its bytes; `None` where they could not be had, or hold a private key.
    pub hash: Option<ContentHash>,
    /// What its bytes say.
    pub reading: Reading,
}

impl MemberReading {
    /// Bytes of text that it keeps in memory until it is published.
    pub(crate) fn text_bytes(&self) -> u64 {
        match &self.reading {
            Reading::Text(content) => content.text.len() as u64,
            _ => 0,
        }
    }
}

/// Lets members in by the rules that hold for files on the disk, and passes them on.
pub(crate) struct MemberReader<'a> {
    pub container: &'a Path,
    pub rules: &'a Rules,
    pub extractor_version: u32,
    /// False: no more.
    pub pass_on: &'a mut dyn FnMut(MemberReading) -> bool,
    /// Whether the one who takes them has had enough, so that what follows was never met.
    pub cut_short: bool,
}

impl MemberVisitor for MemberReader<'_> {
    fn admits(&mut self, path: &str, bytes: &[u8]) -> bool {
        if self.cut_short || is_left_out(self.rules, path, Some(bytes.len() as u64)) {
            return false;
        }
        if private_key::is_in(bytes) {
            let path = member_path(self.container, path);
            self.cut_short |= !(self.pass_on)(MemberReading { path, hash: None, reading: secret_reading() });
            return false;
        }
        true
    }

    fn read(&mut self, member: MemberFile<'_>) -> bool {
        if self.cut_short {
            return false;
        }
        if is_left_out(self.rules, &member.path, None) {
            return true;
        }
        // Bytes that could not be had are an empty slice here, and an empty file has no text to share.
        let hash = (!member.bytes.is_empty()).then(|| ContentHash(*blake3::hash(member.bytes).as_bytes()));
        let reading = cut_reading(member.extraction, self.extractor_version);
        let path = member_path(self.container, &member.path);
        self.cut_short |= !(self.pass_on)(MemberReading { path, hash, reading });
        !self.cut_short
    }
}

/// Whether the built-in rules leave a member out: itself, or a folder that it is in.
fn is_left_out(rules: &Rules, inner: &str, size_bytes: Option<u64>) -> bool {
    let inner = Path::new("/").join(inner);
    let folders = inner.ancestors().skip(1).filter(|folder| folder.file_name().is_some());
    rules.built_in(&inner, false, size_bytes).is_some()
        || folders.into_iter().any(|folder| rules.built_in(folder, true, None).is_some())
}

/// The container that a path is inside of, and the path inside it. A folder may be named `Hooray!`: what
/// is on the disk under the whole path is no member, and the container may itself lie in such a folder.
pub fn container_on_disk(path: &Path) -> Option<(PathBuf, String)> {
    let mut splits = splits(path).peekable();
    splits.peek()?;
    if stands(path) {
        return None;
    }
    splits.find(|(container, _)| fs::symlink_metadata(container).is_ok_and(|metadata| metadata.is_file()))
}

/// The container of a document that is on the disk neither by itself nor, perhaps, by its container.
pub(crate) fn container_of_missing(path: &Path) -> Option<PathBuf> {
    Containers::default().of_missing(path)
}

/// [`container_of_missing`] for many paths in their order: the disk is asked once a container.
#[derive(Debug, Default)]
pub(crate) struct Containers {
    /// The outermost container that was met last, under which no folder of its members' name stands.
    last: Option<PathBuf>,
}

impl Containers {
    /// The container of a path under which nothing is on the disk; `None` for what is on the disk, and
    /// for what could only have been a file of its own.
    pub(crate) fn of_missing(&mut self, path: &Path) -> Option<PathBuf> {
        let (outermost, _) = splits(path).next()?;
        if self.last.as_ref() == Some(&outermost) {
            return self.last.clone();
        }
        if !stands(&members_root(&outermost)) {
            // Where no folder `old.zip!` is, nothing can be on the disk below one.
            self.last = Some(outermost.clone());
            return Some(outermost);
        }
        if let Some((container, _)) = container_on_disk(path) {
            return Some(container);
        }
        if stands(path) {
            return None;
        }
        // A container that is gone: the first that no folder of that name explains.
        splits(path).map(|(container, _)| container).find(|container| !stands(&members_root(container)))
    }
}

fn stands(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Every way in which a path may come apart into a container and a path inside it, the outermost
/// container first.
fn splits(path: &Path) -> impl Iterator<Item = (PathBuf, String)> {
    let first = split_member_path(path);
    std::iter::successors(first, |(container, inner)| {
        let (folder, rest) = split_member_path(&Path::new("/").join(inner))?;
        let further = folder.strip_prefix("/").ok()?.to_str()?;
        Some((member_path(container, further), rest))
    })
}

/// Where the documents of a container's members begin: the path that they are all under.
pub(crate) fn members_root(container: &Path) -> PathBuf {
    let mut path = container.as_os_str().to_owned();
    path.push("!");
    PathBuf::from(path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn folders_that_end_in_an_exclamation_mark_are_no_containers() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("Hooray!/sub")).unwrap();
        fs::create_dir_all(at("both!/sub")).unwrap();
        for file in ["Hooray!/note.txt", "Hooray!/old.zip", "both", "both!/sub/there.txt", "plain.zip"] {
            fs::write(at(file), "x").unwrap();
        }
        for (path, container) in [
            ("plain.zip!/a/b.txt", Some("plain.zip")),
            ("plain.zip!/c.tar!/d.txt", Some("plain.zip")),
            ("gone.zip!/a.txt", Some("gone.zip")),
            ("gone.zip!/c.tar!/d.txt", Some("gone.zip")),
            ("Hooray!/note.txt", None),
            ("Hooray!/deleted.txt", None),
            ("Hooray!/old.zip!/a.txt", Some("Hooray!/old.zip")),
            ("Hooray!/gone.zip!/a.txt", Some("Hooray!/gone.zip")),
            ("both!/sub/there.txt", None),
            ("both!/sub/inside.txt", Some("both")),
            ("plain.txt", None),
        ] {
            assert_eq!(container_of_missing(&at(path)), container.map(at), "{path}");
        }
        // The memory of the last container changes no answer.
        let mut containers = Containers::default();
        for path in ["plain.zip!/a", "plain.zip!/b", "Hooray!/deleted.txt", "plain.zip!/c", "Hooray!/old.zip!/a"] {
            assert_eq!(containers.of_missing(&at(path)), container_of_missing(&at(path)), "{path}");
        }
        assert_eq!(
            container_on_disk(&at("Hooray!/old.zip!/a!/b.txt")),
            Some((at("Hooray!/old.zip"), "a!/b.txt".into()))
        );
        assert_eq!(container_on_disk(&at("gone.zip!/a.txt")), None);
    }

    #[test]
    fn a_member_below_its_members_root() {
        let member = member_path(Path::new("/x/a.zip"), "b/c.txt");
        assert!(member.starts_with(members_root(Path::new("/x/a.zip"))));
        assert!(!member.starts_with("/x/a.zip"));
    }

    #[test]
    fn secrets_and_junk_inside_are_left_out_as_outside() {
        let rules = Rules::without_home();
        for inner in ["backup/.ssh/id_rsa", ".env", "app/node_modules/x/index.js", "secrets/.aws/credentials"] {
            assert!(is_left_out(&rules, inner, Some(100)), "{inner}");
        }
        assert!(!is_left_out(&rules, "letters/2026/anna.docx", Some(100)));
    }
}
