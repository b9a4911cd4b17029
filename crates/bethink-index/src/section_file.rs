//! The file format under every cache that is not the lexical engine's own.
//!
//! ```text
//! 0   magic, 8 bytes                       which cache
//! 8   version, u32                         of that cache's sections
//! 12  number of sections, u32
//! 16  length of the whole file, u64
//! 24  table: for each section its offset u64, length u64, BLAKE3 of its bytes cut to 16 bytes
//! ..  BLAKE3 of everything before, cut to 16 bytes
//! ..  the sections, each beginning at a multiple of 64
//! ```
//! All numbers are little-endian.
//!
//! A file is valid when (1) magic, version and number of sections are the expected ones, (2) the
//! header's checksum holds, (3) the file is exactly as long as it says, (4) the sections follow one
//! another inside it, and (5) section 0, which holds the facts about the rest, has its checksum.
//! The other sections are checked at opening as far as the caller's budget goes, and always by
//! [`SectionFile::verify`]: a crash cannot damage them, because a file is synced before it gets
//! its name, and reading a hundred megabytes at every start to look for rotten bits costs more than
//! the answer that it guards.
//!
//! Files are never changed once they have their name, only replaced by renaming. A reader that has
//! one mapped keeps what it has.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;

use crate::IndexError;

/// Sections begin at multiples of this, so that no vector load straddles two cache lines.
const ALIGNMENT: u64 = 64;
const CHECKSUM_BYTES: usize = 16;
const TABLE_OFFSET: usize = 24;
const TABLE_ENTRY_BYTES: usize = 16 + CHECKSUM_BYTES;
/// Buffer of the writer; the system call disappears beside the copying from 64 KiB on.
const WRITE_BUFFER_BYTES: usize = 256 * 1024;

pub(crate) type Checksum = [u8; CHECKSUM_BYTES];

/// How many bytes of sections opening a cache may read only to check them: 4 MiB of BLAKE3 cost
/// about 1.5 ms, which is what a cold query can spare.
pub(crate) const VERIFY_AT_OPEN_BYTES: u64 = 4 * 1024 * 1024;

fn header_bytes(sections: usize) -> usize {
    TABLE_OFFSET + sections * TABLE_ENTRY_BYTES + CHECKSUM_BYTES
}

fn checksum(bytes: &[u8]) -> Checksum {
    cut(blake3::hash(bytes))
}

fn cut(hash: blake3::Hash) -> Checksum {
    let mut short = Checksum::default();
    short.copy_from_slice(&hash.as_bytes()[..CHECKSUM_BYTES]);
    short
}

/// A valid file of sections, mapped into memory.
#[derive(Debug)]
pub(crate) struct SectionFile {
    map: Mmap,
    sections: Vec<(usize, usize, Checksum)>,
    header: Checksum,
}

impl SectionFile {
    /// Maps the file; `None` when it is missing, foreign or damaged.
    ///
    /// # Errors
    /// When the system refuses the file for another reason than its absence.
    pub(crate) fn open(path: &Path, magic: &[u8; 8], version: u32, count: usize) -> Result<Option<Self>, IndexError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(IndexError::io(path, error)),
        };
        let metadata = file.metadata().map_err(|error| IndexError::io(path, error))?;
        if !metadata.is_file() || metadata.len() < header_bytes(count) as u64 {
            return Ok(None);
        }
        // SAFETY: cache files are written once, synced, renamed into place and never changed
        // afterwards; replacing one renames another over it, which leaves this mapping alone.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| IndexError::io(path, error))?;
        Ok(Self::parse(map, magic, version, count))
    }

    fn parse(map: Mmap, magic: &[u8; 8], version: u32, count: usize) -> Option<Self> {
        let end = header_bytes(count) - CHECKSUM_BYTES;
        let header = map.get(..end)?;
        let sealed = map.get(end..end + CHECKSUM_BYTES)?;
        if header.get(..8)? != magic
            || u32_at(&header[8..], 0)? != version
            || u32_at(&header[12..], 0)? as usize != count
            || checksum(header) != sealed
            || u64_at(&header[16..], 0)? != map.len() as u64
        {
            return None;
        }
        let mut sections = Vec::with_capacity(count);
        let mut after = header_bytes(count);
        for entry in header[TABLE_OFFSET..].chunks_exact(TABLE_ENTRY_BYTES) {
            let offset = usize::try_from(u64_at(entry, 0)?).ok()?;
            let length = usize::try_from(u64_at(entry, 1)?).ok()?;
            let end = offset.checked_add(length)?;
            if offset < after || end > map.len() {
                return None;
            }
            after = end;
            sections.push((offset, length, entry[16..].try_into().ok()?));
        }
        let header = sealed.try_into().ok()?;
        let file = Self { map, sections, header };
        file.section_is_whole(0).then_some(file)
    }

    /// The bytes of a section; empty for one that the format does not have.
    #[inline]
    pub(crate) fn section(&self, index: usize) -> &[u8] {
        self.sections.get(index).map_or(&[], |(offset, length, _)| &self.map[*offset..offset + length])
    }

    /// The header's checksum, which names the whole content.
    pub(crate) fn identity(&self) -> Checksum {
        self.header
    }

    /// Length of the whole file.
    pub(crate) fn len_bytes(&self) -> u64 {
        self.map.len() as u64
    }

    fn section_is_whole(&self, index: usize) -> bool {
        self.sections.get(index).is_some_and(|(_, _, expected)| checksum(self.section(index)) == *expected)
    }

    /// Reads every byte and compares it with its checksum.
    pub(crate) fn verify(&self) -> bool {
        (0..self.sections.len()).all(|index| self.section_is_whole(index))
    }

    /// Verifies the file if the budget allows, and takes what it cost from the budget.
    pub(crate) fn verify_within(&self, budget_bytes: &mut u64) -> bool {
        match budget_bytes.checked_sub(self.len_bytes()) {
            Some(rest) => {
                *budget_bytes = rest;
                self.verify()
            }
            None => true,
        }
    }
}

/// Writes a file of sections beside its target and renames it into place.
pub(crate) struct SectionWriter {
    file: BufWriter<File>,
    temporary: PathBuf,
    target: PathBuf,
    magic: [u8; 8],
    version: u32,
    count: usize,
    sections: Vec<(u64, u64, Checksum)>,
    position: u64,
    finished: bool,
}

/// Ending of a file that is not finished yet.
pub(crate) const UNFINISHED: &str = ".unfinished";

impl SectionWriter {
    /// Begins a file of `count` sections. Whatever an earlier, killed writer left for the same
    /// target is cleared away.
    pub(crate) fn create(target: &Path, magic: &[u8; 8], version: u32, count: usize) -> Result<Self, IndexError> {
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        let folder = parent(target);
        fs::create_dir_all(folder).map_err(|error| IndexError::io(folder, error))?;
        let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
        remove_unfinished(folder, &name);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let temporary = folder.join(format!("{name}.{}-{serial}{UNFINISHED}", std::process::id()));
        let file = File::create(&temporary).map_err(|error| IndexError::io(&temporary, error))?;
        let mut writer = Self {
            file: BufWriter::with_capacity(WRITE_BUFFER_BYTES, file),
            temporary,
            target: target.to_path_buf(),
            magic: *magic,
            version,
            count,
            sections: Vec::with_capacity(count),
            position: 0,
            finished: false,
        };
        writer.write(&vec![0; header_bytes(count)])?;
        Ok(writer)
    }

    /// Writes one section, in pieces that `fill` hands to its sink.
    pub(crate) fn section(
        &mut self,
        fill: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<(), IndexError>) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let padding = (ALIGNMENT - self.position % ALIGNMENT) % ALIGNMENT;
        self.write(&[0; ALIGNMENT as usize][..padding as usize])?;
        let offset = self.position;
        let mut hasher = blake3::Hasher::new();
        fill(&mut |bytes| {
            hasher.update(bytes);
            self.write(bytes)
        })?;
        self.sections.push((offset, self.position - offset, cut(hasher.finalize())));
        Ok(())
    }

    /// Writes the header, makes the file durable and gives it its name.
    pub(crate) fn finish(mut self) -> Result<(), IndexError> {
        debug_assert_eq!(self.sections.len(), self.count);
        let mut header = Vec::with_capacity(header_bytes(self.count));
        header.extend_from_slice(&self.magic);
        header.extend_from_slice(&self.version.to_le_bytes());
        header.extend_from_slice(&(self.count as u32).to_le_bytes());
        header.extend_from_slice(&self.position.to_le_bytes());
        for (offset, length, checksum) in &self.sections {
            header.extend_from_slice(&offset.to_le_bytes());
            header.extend_from_slice(&length.to_le_bytes());
            header.extend_from_slice(checksum);
        }
        let sealed = checksum(&header);
        header.extend_from_slice(&sealed);
        let written = (|| {
            self.file.seek(SeekFrom::Start(0))?;
            self.file.write_all(&header)?;
            self.file.flush()?;
            self.file.get_ref().sync_all()?;
            fs::rename(&self.temporary, &self.target)
        })();
        written.map_err(|error| IndexError::io(&self.target, error))?;
        self.finished = true;
        sync_folder(parent(&self.target));
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), IndexError> {
        self.file.write_all(bytes).map_err(|error| IndexError::io(&self.temporary, error))?;
        self.position += bytes.len() as u64;
        Ok(())
    }
}

impl Drop for SectionWriter {
    fn drop(&mut self) {
        if !self.finished {
            // Best effort: what stays is cleared by the next writer.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn remove_unfinished(folder: &Path, name: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let found = entry.file_name();
        let found = found.to_string_lossy();
        if found.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')) && found.ends_with(UNFINISHED) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes a rename durable. Not every platform can sync a folder; there the file system's own
/// ordering has to do, and the worst outcome is the previous state.
fn sync_folder(folder: &Path) {
    if let Ok(handle) = File::open(folder) {
        let _ = handle.sync_all();
    }
}

/// The `index`th little-endian `u32` of a column.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], index: usize) -> Option<u32> {
    let start = index.checked_mul(4)?;
    Some(u32::from_le_bytes(bytes.get(start..start.checked_add(4)?)?.try_into().ok()?))
}

/// The `index`th little-endian `u64` of a column.
#[inline]
pub(crate) fn u64_at(bytes: &[u8], index: usize) -> Option<u64> {
    let start = index.checked_mul(8)?;
    Some(u64::from_le_bytes(bytes.get(start..start.checked_add(8)?)?.try_into().ok()?))
}

/// The facts of a section 0: numbers and byte strings one after the other.
#[derive(Default)]
pub(crate) struct FactsWriter(pub(crate) Vec<u8>);

impl FactsWriter {
    pub(crate) fn number(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}

/// Reads facts in the order in which they were written; `None` where they end too early.
pub(crate) struct FactsReader<'a>(pub(crate) &'a [u8]);

impl<'a> FactsReader<'a> {
    pub(crate) fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_at_checked(8)?;
        self.0 = rest;
        u64_at(number, 0)
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn array<const LENGTH: usize>(&mut self) -> Option<[u8; LENGTH]> {
        self.bytes()?.try_into().ok()
    }
}
