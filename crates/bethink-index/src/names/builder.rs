//! Collecting names and writing them down.

use std::collections::HashMap;
use std::path::{Component, Path};

use bethink_core::{FileKind, UnixMillis, path_bytes};

use super::file::{MAGIC, SECTIONS, VERSION};
use super::letters::letters;
use super::words::spaced;
use crate::section_file::{FactsWriter, SectionWriter};
use crate::{CacheStamp, IndexError};

/// Parent of a folder that has none.
pub(crate) const NO_PARENT: u32 = u32::MAX;

/// One path to be found by name.
#[derive(Debug, Clone, Copy)]
pub struct NameEntry<'a> {
    /// The path, absolute and without `.` and `..`.
    pub path: &'a Path,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Size in bytes.
    pub size_bytes: u64,
    /// When it was last modified.
    pub modified: UnixMillis,
}

/// Collects names in memory: 32 bytes beside each name's own length (by the sizes of the columns),
/// up to twice that while they grow, and a table of the folders.
pub struct NamesBuilder {
    stamp: CacheStamp,
    built: UnixMillis,
    folders: FolderTable,
    entries: NameTable,
    facts: Vec<EntryFacts>,
}

struct EntryFacts {
    size_bytes: u64,
    modified: UnixMillis,
    kind: FileKind,
}

/// Names one after the other, each with the folder that it lies in.
#[derive(Default)]
struct NameTable {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    parents: Vec<u32>,
}

impl NameTable {
    fn push(&mut self, parent: u32, name: &[u8]) -> Result<u32, IndexError> {
        let index = u32::try_from(self.ends.len()).ok().filter(|index| *index < NO_PARENT);
        self.bytes.extend_from_slice(name);
        let end = u32::try_from(self.bytes.len()).ok();
        let (Some(index), Some(end)) = (index, end) else { return Err(IndexError::TooLarge) };
        self.ends.push(end);
        self.parents.push(parent);
        Ok(index)
    }

    fn name(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.bytes[start..self.ends[index] as usize]
    }
}

/// Folders as a tree; a parent always comes before its children.
#[derive(Default)]
struct FolderTable {
    names: NameTable,
    known: HashMap<(u32, Box<[u8]>), u32>,
    /// The folder that was asked for last: walks stay in one for a while.
    last: Option<(Box<Path>, u32)>,
}

impl FolderTable {
    fn number(&mut self, path: &Path) -> Result<u32, IndexError> {
        if let Some((last, number)) = &self.last
            && **last == *path
        {
            return Ok(*number);
        }
        let mut parent = NO_PARENT;
        for component in path.components() {
            parent = self.child(parent, &component_bytes(component))?;
        }
        self.last = Some((path.into(), parent));
        Ok(parent)
    }

    fn child(&mut self, parent: u32, name: &[u8]) -> Result<u32, IndexError> {
        let key = (parent, Box::from(name));
        if let Some(number) = self.known.get(&key) {
            return Ok(*number);
        }
        let number = self.names.push(parent, name)?;
        self.known.insert(key, number);
        Ok(number)
    }
}

fn component_bytes(component: Component<'_>) -> Vec<u8> {
    path_bytes(Path::new(component.as_os_str()))
}

impl NamesBuilder {
    /// Begins a collection for that state of the store, at that moment.
    pub fn new(stamp: CacheStamp, built: UnixMillis) -> Self {
        Self { stamp, built, folders: FolderTable::default(), entries: NameTable::default(), facts: Vec::new() }
    }

    /// Adds a path. The same path twice is two answers: the caller walks each folder once.
    ///
    /// # Errors
    /// [`IndexError::TooLarge`] beyond four billion names or bytes of names.
    pub fn push(&mut self, entry: &NameEntry<'_>) -> Result<(), IndexError> {
        let mut components = entry.path.components();
        let Some(last) = components.next_back() else { return Ok(()) };
        let parent = self.folders.number(components.as_path())?;
        self.entries.push(parent, &component_bytes(last))?;
        let kind = if entry.is_folder {
            FileKind::Folder
        } else {
            let extension = entry.path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
            FileKind::from_extension(extension.as_deref().unwrap_or_default())
        };
        self.facts.push(EntryFacts { size_bytes: entry.size_bytes, modified: entry.modified, kind });
        Ok(())
    }

    /// How many paths were added.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Whether no path was added.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// Writes the names; a reader sees the file that was there before, or all of this one.
    ///
    /// # Errors
    /// When the system refuses the file, or the names do not fit the format.
    pub fn finish(self, file: &Path) -> Result<(), IndexError> {
        let Self { stamp, built, folders, entries, facts } = self;
        // The table of known folders is the largest thing here and not needed any more.
        let folders = folders.names;
        let mut writer = SectionWriter::create(file, MAGIC, VERSION, SECTIONS)?;
        let mut head = FactsWriter::default();
        head.bytes(&stamp.store);
        head.number(stamp.sequence.0);
        head.number(built.0 as u64);
        head.number(folders.ends.len() as u64);
        head.number(facts.len() as u64);
        writer.section(|sink| sink(&head.0))?;
        write_names(&mut writer, &folders)?;
        write_names(&mut writer, &entries)?;
        writer.section(|sink| facts.iter().try_for_each(|fact| sink(&fact.size_bytes.to_le_bytes())))?;
        writer.section(|sink| facts.iter().try_for_each(|fact| sink(&fact.modified.0.to_le_bytes())))?;
        writer.section(|sink| facts.iter().try_for_each(|fact| sink(&[kind_code(fact.kind)])))?;
        writer.finish()
    }
}

/// Six sections: parents, ends and bytes of the names, then bytes, ends and letters of their spaced
/// forms, which are made while they are written.
fn write_names(writer: &mut SectionWriter, table: &NameTable) -> Result<(), IndexError> {
    writer.section(|sink| table.parents.iter().try_for_each(|parent| sink(&parent.to_le_bytes())))?;
    writer.section(|sink| table.ends.iter().try_for_each(|end| sink(&end.to_le_bytes())))?;
    writer.section(|sink| sink(&table.bytes))?;
    let mut ends = Vec::with_capacity(table.ends.len());
    let mut sets = Vec::with_capacity(table.ends.len());
    writer.section(|sink| {
        let mut end = 0u32;
        for index in 0..table.ends.len() {
            let words = spaced(&String::from_utf8_lossy(table.name(index)));
            let length = u32::try_from(words.len()).map_err(|_| IndexError::TooLarge)?;
            end = end.checked_add(length).ok_or(IndexError::TooLarge)?;
            ends.push(end);
            sets.push(letters(&words));
            sink(words.as_bytes())?;
        }
        Ok(())
    })?;
    writer.section(|sink| ends.iter().try_for_each(|end| sink(&end.to_le_bytes())))?;
    writer.section(|sink| sets.iter().try_for_each(|set| sink(&set.to_le_bytes())))
}

/// The byte that stands for a kind: its place in [`FileKind::ALL`].
pub(crate) fn kind_code(kind: FileKind) -> u8 {
    FileKind::ALL.iter().position(|(known, _)| *known == kind).unwrap_or(FileKind::ALL.len() - 1) as u8
}
