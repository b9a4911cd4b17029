//! Opening containers: the head is checked, the rest is mapped.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::section::{Encoding, Plain, SectionRecord, as_numbers};
use super::{
    ALIGNMENT_BYTES, FIXED_HEAD_BYTES, FORMAT_VERSION, MAGIC, MAX_MANIFEST_BYTES, MAX_SECTIONS, OLDEST_VERSION,
    RECORD_BYTES, aligned,
};
use crate::{EmbedError, ModelManifest};

/// A container whose head has been checked, mapped into memory.
pub(crate) struct Container {
    path: PathBuf,
    manifest: ModelManifest,
    sections: Vec<SectionRecord>,
    map: Mmap,
}

struct Head {
    manifest: ModelManifest,
    sections: Vec<SectionRecord>,
    length: usize,
    payload_hash: [u8; 32],
}

impl Container {
    pub(crate) fn open(path: &Path) -> Result<Self, EmbedError> {
        let (mut file, file_length) = open_file(path)?;
        let head = read_head(&mut file, file_length, path)?;
        // SAFETY: containers are written whole under another name and renamed, never changed in
        // place, so the mapped bytes stay as they are. A process that truncates the file all the
        // same can stop this one with a bus error; it cannot make it read outside the mapping.
        let map = unsafe { Mmap::map(&file) }.map_err(|source| EmbedError::io("map", path, source))?;
        if map.len() as u64 != file_length {
            return Err(EmbedError::damaged(path, "its length changed while it was opened"));
        }
        Ok(Self { path: path.to_path_buf(), manifest: head.manifest, sections: head.sections, map })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn manifest(&self) -> &ModelManifest {
        &self.manifest
    }

    /// The position of a section of that encoding and shape within the mapping.
    ///
    /// # Errors
    ///
    /// [`EmbedError::Damaged`] when there is no such section or its shape is another.
    pub(crate) fn find(
        &self,
        name: &str,
        encoding: Encoding,
        rows: usize,
        columns: usize,
    ) -> Result<Place, EmbedError> {
        let place = self.find_any_rows(name, encoding, columns)?;
        if place.rows != rows {
            return Err(EmbedError::damaged(
                &self.path,
                format!("its section {name} has {} rows where {rows} belong", place.rows),
            ));
        }
        Ok(place)
    }

    /// Like [`Container::find`], with as many rows as the file has.
    pub(crate) fn find_any_rows(&self, name: &str, encoding: Encoding, columns: usize) -> Result<Place, EmbedError> {
        let record = self
            .sections
            .iter()
            .find(|record| record.name == name)
            .ok_or_else(|| EmbedError::damaged(&self.path, format!("it lacks the section {name}")))?;
        if record.encoding != encoding || record.columns != columns {
            return Err(EmbedError::damaged(&self.path, format!("its section {name} has another shape")));
        }
        Ok(Place { offset: record.offset, length: record.length, rows: record.rows })
    }

    /// The numbers at a place that [`Container::find`] gave.
    pub(crate) fn numbers<T: Plain>(&self, place: Place) -> &[T] {
        // Offsets are multiples of 64 within a mapping that begins on a page, so the view exists; a
        // place of another container would give an empty view, which the callers' checks refuse.
        self.map.get(place.offset..place.offset + place.length).and_then(as_numbers).unwrap_or(&[])
    }

    /// The bytes at a place that [`Container::find`] gave.
    pub(crate) fn bytes(&self, place: Place) -> &[u8] {
        self.map.get(place.offset..place.offset + place.length).unwrap_or(&[])
    }
}

/// Where a section lies in its container.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    offset: usize,
    length: usize,
    pub(crate) rows: usize,
}

pub(crate) fn read_manifest(path: &Path) -> Result<ModelManifest, EmbedError> {
    let (mut file, file_length) = open_file(path)?;
    read_head(&mut file, file_length, path).map(|head| head.manifest)
}

/// Hashes every byte of the file.
pub(crate) fn verify_file(path: &Path) -> Result<ModelManifest, EmbedError> {
    let (mut file, file_length) = open_file(path)?;
    let head = read_head(&mut file, file_length, path)?;
    // The reader stands right behind the head.
    let mut hasher = blake3::Hasher::new();
    let read = io::copy(&mut file, &mut hasher).map_err(|source| EmbedError::io("read", path, source))?;
    if read != file_length - head.length as u64 || hasher.finalize() != blake3::Hash::from_bytes(head.payload_hash) {
        return Err(EmbedError::damaged(path, "the hash of its weights does not match"));
    }
    Ok(head.manifest)
}

fn open_file(path: &Path) -> Result<(File, u64), EmbedError> {
    let file = File::open(path).map_err(|source| EmbedError::io("read", path, source))?;
    let metadata = file.metadata().map_err(|source| EmbedError::io("read", path, source))?;
    if !metadata.is_file() {
        return Err(EmbedError::NotAModel { path: path.to_path_buf() });
    }
    Ok((file, metadata.len()))
}

fn read_head(file: &mut File, file_length: u64, path: &Path) -> Result<Head, EmbedError> {
    let mut fixed = [0u8; FIXED_HEAD_BYTES];
    let got = read_up_to(file, &mut fixed).map_err(|source| EmbedError::io("read", path, source))?;
    if got < MAGIC.len() || &fixed[..MAGIC.len()] != MAGIC {
        return Err(EmbedError::NotAModel { path: path.to_path_buf() });
    }
    if got < FIXED_HEAD_BYTES {
        return Err(EmbedError::damaged(path, "it ends within its head"));
    }
    let version = u32_at(&fixed, 8);
    if !(OLDEST_VERSION..=FORMAT_VERSION).contains(&version) {
        return Err(EmbedError::OtherVersion { path: path.to_path_buf(), found: version, expected: FORMAT_VERSION });
    }
    let section_count = u32_at(&fixed, 12);
    let manifest_length = u64_at(&fixed, 16);
    let declared_length = u64_at(&fixed, 24);
    if declared_length != file_length {
        return Err(EmbedError::damaged(
            path,
            format!("it has {file_length} bytes where {declared_length} were written"),
        ));
    }
    if section_count > MAX_SECTIONS || manifest_length > MAX_MANIFEST_BYTES {
        return Err(EmbedError::damaged(path, "its head names impossible sizes"));
    }
    let manifest_length = manifest_length as usize;
    let head_length = aligned(FIXED_HEAD_BYTES + manifest_length + RECORD_BYTES * section_count as usize);
    let mut rest = vec![0u8; head_length - FIXED_HEAD_BYTES];
    file.read_exact(&mut rest).map_err(|source| match source.kind() {
        io::ErrorKind::UnexpectedEof => EmbedError::damaged(path, "it ends within its head"),
        _ => EmbedError::io("read", path, source),
    })?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(&fixed[..64]);
    hasher.update(&rest);
    if hasher.finalize().as_bytes()[..] != fixed[64..96] {
        return Err(EmbedError::damaged(path, "the hash of its head does not match"));
    }
    let manifest: ModelManifest = serde_json::from_slice(&rest[..manifest_length])
        .map_err(|error| EmbedError::damaged(path, format!("its manifest cannot be read ({error})")))?;
    let sections = rest[manifest_length..]
        .chunks_exact(RECORD_BYTES)
        .take(section_count as usize)
        .map(|record| {
            read_record(record, head_length, file_length)
                .ok_or_else(|| EmbedError::damaged(path, "a section lies outside the file"))
        })
        .collect::<Result<_, _>>()?;
    let mut payload_hash = [0u8; 32];
    payload_hash.copy_from_slice(&fixed[32..64]);
    Ok(Head { manifest, sections, length: head_length, payload_hash })
}

fn read_record(record: &[u8], head_length: usize, file_length: u64) -> Option<SectionRecord> {
    let name_length = record[..36].iter().position(|byte| *byte == 0).unwrap_or(36);
    let name = std::str::from_utf8(&record[..name_length]).ok()?.to_owned();
    let encoding = Encoding::from_code(u32_at(record, 36))?;
    let offset = usize::try_from(u64_at(record, 40)).ok()?;
    let length = usize::try_from(u64_at(record, 48)).ok()?;
    let rows = u32_at(record, 56) as usize;
    let columns = u32_at(record, 60) as usize;
    let shape = rows.checked_mul(columns)?.checked_mul(encoding.width())?;
    let end = offset.checked_add(length)?;
    (shape == length && offset >= head_length && offset.is_multiple_of(ALIGNMENT_BYTES) && end as u64 <= file_length)
        .then_some(SectionRecord { name, encoding, offset, length, rows, columns })
}

fn read_up_to(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0u8; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0u8; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}
