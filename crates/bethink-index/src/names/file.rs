//! The file of names, mapped.
//!
//! Sections: facts (stamp, moment, numbers of folders and of entries); for the folders and then for
//! the entries: parent folders, ends of the names, names, spaced names, ends of the spaced names,
//! letters; for the entries: sizes, times, kinds. Names are whole bytes as the platform gave them;
//! a folder's path is its parent's path and its own name, and parents come before children.

use std::path::{Path, PathBuf};

use bethink_core::{FileKind, Sequence, UnixMillis, path_from_bytes};

use super::builder::NO_PARENT;
use crate::section_file::{FactsReader, SectionFile, VERIFY_AT_OPEN_BYTES, u32_at, u64_at};
use crate::{CacheStamp, IndexError};

pub(crate) const MAGIC: &[u8; 8] = b"BTNKNAME";
pub(crate) const VERSION: u32 = 1;
pub(crate) const SECTIONS: usize = 16;

const FOLDERS_FROM: usize = 1;
const ENTRIES_FROM: usize = 7;
const SIZES: usize = 13;
const TIMES: usize = 14;
const KINDS: usize = 15;

/// No path has more parts; a damaged file could otherwise send us in circles.
const DEEPEST: usize = 4096;

/// All names, as one collection left them.
#[derive(Debug)]
pub struct Names {
    file: SectionFile,
    stamp: CacheStamp,
    built: UnixMillis,
    folder_count: usize,
    entry_count: usize,
}

impl Names {
    /// Maps the names of a file; `None` when there are none, or they are damaged or of another
    /// format.
    ///
    /// # Errors
    /// When the system refuses a file that is there.
    pub fn open(file: &Path) -> Result<Option<Self>, IndexError> {
        let Some(file) = SectionFile::open(file, MAGIC, VERSION, SECTIONS)? else { return Ok(None) };
        if !file.verify_within(&mut VERIFY_AT_OPEN_BYTES.clone()) {
            return Ok(None);
        }
        Ok(Self::check(file))
    }

    fn check(file: SectionFile) -> Option<Self> {
        let mut facts = FactsReader(file.section(0));
        let stamp = CacheStamp { store: facts.array()?, sequence: Sequence(facts.number()?) };
        let built = UnixMillis(facts.number()? as i64);
        let folder_count = usize::try_from(facts.number()?).ok()?;
        let entry_count = usize::try_from(facts.number()?).ok()?;
        let fits =
            |section: usize, count: usize, width: usize| count.checked_mul(width) == Some(file.section(section).len());
        let tables = [(FOLDERS_FROM, folder_count), (ENTRIES_FROM, entry_count)];
        let whole = tables.iter().all(|(from, count)| {
            fits(*from, *count, 4)
                && fits(from + 1, *count, 4)
                && fits(from + 4, *count, 4)
                && fits(from + 5, *count, 8)
        }) && fits(SIZES, entry_count, 8)
            && fits(TIMES, entry_count, 8)
            && fits(KINDS, entry_count, 1);
        whole.then_some(Self { file, stamp, built, folder_count, entry_count })
    }

    /// What the names were collected for.
    pub fn stamp(&self) -> CacheStamp {
        self.stamp
    }

    /// When they were collected.
    pub fn built(&self) -> UnixMillis {
        self.built
    }

    /// How many names there are, folders included.
    pub fn len(&self) -> usize {
        self.entry_count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entry_count == 0
    }

    /// Reads every byte and compares it with its checksum; `doctor` does so, a query does not.
    pub fn verify(&self) -> bool {
        self.file.verify()
    }

    pub(crate) fn folders(&self) -> Table<'_> {
        self.table(FOLDERS_FROM, self.folder_count)
    }

    pub(crate) fn entries(&self) -> Table<'_> {
        self.table(ENTRIES_FROM, self.entry_count)
    }

    fn table(&self, from: usize, count: usize) -> Table<'_> {
        Table {
            count,
            parents: self.file.section(from),
            ends: self.file.section(from + 1),
            names: self.file.section(from + 2),
            spaced: self.file.section(from + 3),
            spaced_ends: self.file.section(from + 4),
            letters: self.file.section(from + 5),
        }
    }

    pub(crate) fn size_bytes(&self, entry: usize) -> u64 {
        u64_at(self.file.section(SIZES), entry).unwrap_or(0)
    }

    pub(crate) fn modified(&self, entry: usize) -> UnixMillis {
        UnixMillis(u64_at(self.file.section(TIMES), entry).unwrap_or(0) as i64)
    }

    pub(crate) fn kind(&self, entry: usize) -> FileKind {
        let code = self.file.section(KINDS).get(entry).copied().unwrap_or(u8::MAX);
        FileKind::ALL.get(usize::from(code)).map_or(FileKind::Other, |(kind, _)| *kind)
    }

    /// The whole path of an entry.
    pub(crate) fn path(&self, entry: usize) -> PathBuf {
        let entries = self.entries();
        let mut path = self.folder_path(entries.parent(entry));
        path.push(path_from_bytes(entries.name(entry)));
        path
    }

    /// The whole path of a folder.
    pub(crate) fn folder_path(&self, folder: u32) -> PathBuf {
        let folders = self.folders();
        let mut parts = Vec::new();
        let mut at = folder;
        while at != NO_PARENT && parts.len() < DEEPEST {
            parts.push(folders.name(at as usize));
            at = folders.parent(at as usize);
        }
        parts.iter().rev().map(|part| path_from_bytes(part)).collect()
    }
}

/// The columns of folders or of entries.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    pub(crate) count: usize,
    parents: &'a [u8],
    ends: &'a [u8],
    names: &'a [u8],
    spaced: &'a [u8],
    spaced_ends: &'a [u8],
    letters: &'a [u8],
}

impl<'a> Table<'a> {
    #[inline]
    pub(crate) fn parent(&self, index: usize) -> u32 {
        u32_at(self.parents, index).unwrap_or(NO_PARENT)
    }

    #[inline]
    pub(crate) fn letters(&self, index: usize) -> u64 {
        u64_at(self.letters, index).unwrap_or(0)
    }

    /// The name's own bytes.
    pub(crate) fn name(&self, index: usize) -> &'a [u8] {
        stretch(self.names, self.ends, index)
    }

    /// The name as it is compared.
    pub(crate) fn spaced(&self, index: usize) -> &'a [u8] {
        stretch(self.spaced, self.spaced_ends, index)
    }
}

#[inline]
fn stretch<'a>(bytes: &'a [u8], ends: &[u8], index: usize) -> &'a [u8] {
    let start = if index == 0 { Some(0) } else { u32_at(ends, index - 1) };
    let (Some(start), Some(end)) = (start, u32_at(ends, index)) else { return &[] };
    bytes.get(start as usize..end as usize).unwrap_or(&[])
}
