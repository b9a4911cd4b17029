//! Writing containers: whole, under another name, then renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::section::{Encoding, Plain, as_bytes};
use super::{ALIGNMENT_BYTES, FIXED_HEAD_BYTES, FORMAT_VERSION, MAGIC, RECORD_BYTES, aligned};
use crate::{EmbedError, ModelManifest};

/// A matrix that is to be written.
pub(crate) struct Section {
    name: String,
    encoding: Encoding,
    rows: usize,
    columns: usize,
    bytes: Vec<u8>,
}

impl Section {
    /// A matrix of `numbers.len() / columns` rows.
    pub(crate) fn new<T: Plain>(name: impl Into<String>, encoding: Encoding, columns: usize, numbers: &[T]) -> Self {
        Self::from_bytes(name, encoding, columns, as_bytes(numbers).to_vec())
    }

    pub(crate) fn from_bytes(name: impl Into<String>, encoding: Encoding, columns: usize, bytes: Vec<u8>) -> Self {
        let name = name.into();
        debug_assert!(name.len() <= 36 && name.is_ascii());
        let rows = bytes.len() / encoding.width() / columns;
        debug_assert_eq!(rows * columns * encoding.width(), bytes.len());
        Self { name, encoding, rows, columns, bytes }
    }
}

/// Writes `NAME.bethink-model` into a folder, replacing one of that name in one step.
pub(crate) fn write_container(
    folder: &Path,
    manifest: &ModelManifest,
    sections: &[Section],
) -> Result<PathBuf, EmbedError> {
    let path = folder.join(manifest.file_name());
    replace_file(&path, |file| write_to(file, manifest, sections))?;
    Ok(path)
}

/// Has `fill` write a file under a temporary name beside `path`, flushes it to the disk and renames it.
pub(crate) fn replace_file(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), EmbedError> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|source| EmbedError::io("write", folder, source))?;
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}-{}.tmp", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
    let temporary = PathBuf::from(temporary);
    let outcome = File::create_new(&temporary)
        .and_then(|mut file| {
            fill(&mut file)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path));
    outcome.map_err(|source| {
        // The first error is the one to tell; a leftover is harmless.
        let _leftover = fs::remove_file(&temporary);
        EmbedError::io("write", path, source)
    })
}

fn write_to(file: &mut File, manifest: &ModelManifest, sections: &[Section]) -> io::Result<()> {
    let manifest_bytes = serde_json::to_vec(manifest)?;
    let head_length = aligned(FIXED_HEAD_BYTES + manifest_bytes.len() + RECORD_BYTES * sections.len());
    let mut table = Vec::with_capacity(RECORD_BYTES * sections.len());
    let mut offset = head_length;
    for section in sections {
        let mut name = [0u8; 36];
        name[..section.name.len()].copy_from_slice(section.name.as_bytes());
        table.extend_from_slice(&name);
        table.extend_from_slice(&(section.encoding as u32).to_le_bytes());
        table.extend_from_slice(&(offset as u64).to_le_bytes());
        table.extend_from_slice(&(section.bytes.len() as u64).to_le_bytes());
        table.extend_from_slice(&(section.rows as u32).to_le_bytes());
        table.extend_from_slice(&(section.columns as u32).to_le_bytes());
        offset += aligned(section.bytes.len());
    }

    // The payload goes first, hashed on its way; the head, which names the hash, is written last.
    file.seek(SeekFrom::Start(head_length as u64))?;
    let mut hasher = blake3::Hasher::new();
    let mut writer = BufWriter::new(&mut *file);
    for section in sections {
        let padding = [0u8; ALIGNMENT_BYTES];
        let padding = &padding[..aligned(section.bytes.len()) - section.bytes.len()];
        for part in [&section.bytes[..], padding] {
            hasher.update(part);
            writer.write_all(part)?;
        }
    }
    writer.flush()?;
    drop(writer);

    let mut head = Vec::with_capacity(head_length);
    head.extend_from_slice(MAGIC);
    head.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    head.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    head.extend_from_slice(&(manifest_bytes.len() as u64).to_le_bytes());
    head.extend_from_slice(&(offset as u64).to_le_bytes());
    head.extend_from_slice(hasher.finalize().as_bytes());
    head.resize(FIXED_HEAD_BYTES, 0);
    head.extend_from_slice(&manifest_bytes);
    head.extend_from_slice(&table);
    head.resize(head_length, 0);
    let mut hasher = blake3::Hasher::new();
    hasher.update(&head[..64]);
    hasher.update(&head[FIXED_HEAD_BYTES..]);
    head[64..96].copy_from_slice(hasher.finalize().as_bytes());
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&head)
}
