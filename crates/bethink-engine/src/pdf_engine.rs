//! The second reader of PDF: a pdfium library that the user adds to the home, as a model is added.
//!
//! A library is code, so this room is careful with it: nothing here loads it, it is taken only from a
//! file that the user names, checked to be a library of this platform, and kept under a name that says
//! its SHA-256. Extraction workers load it before they confine themselves.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use bethink_extract::PdfLibrary;
use sha2::{Digest, Sha256};
use zip::ZipArchive;

use crate::engine::Engine;
use crate::error::{EngineError, Result};

/// Most bytes of a library: ten times what one has.
const MOST_BYTES: u64 = 96 << 20;

/// What stands before the hash in a library's name in the home.
const PREFIX: &str = "pdfium-";

/// A function that every pdfium exports, named in its table of symbols.
const EXPORTED: &[u8] = b"FPDF_LoadMemDocument64";

/// pdfium's own licences; its build brings smaller ones of the same kind.
const LICENCE: &str = "BSD-3-Clause and Apache-2.0";

/// Why a library is refused that looks like one.
const UNLOADABLE: &str = "this program cannot load it: it is incomplete, too old, or for another system";

/// The library of a home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfEngineStatus {
    /// What people call it.
    pub name: &'static str,
    /// Its licences.
    pub licence: &'static str,
    /// SHA-256 of the library as it was added.
    pub sha256: String,
    /// Bytes on disk.
    pub size_bytes: u64,
    /// Where it is.
    pub path: PathBuf,
}

impl Engine {
    /// The library of this home, if one was added. Nothing of it is read.
    pub fn pdf_engine(&self) -> Option<PdfEngineStatus> {
        let mut found: Vec<PdfEngineStatus> =
            fs::read_dir(self.home().engines()).ok()?.filter_map(|entry| status_of(entry.ok()?.path())).collect();
        found.sort_by(|one, other| one.path.cmp(&other.path));
        found.into_iter().next()
    }

    /// Like [`Engine::pdf_engine`], and every byte of it is hashed, and a worker told to load it.
    ///
    /// # Errors
    /// [`EngineError::PdfEngine`] with what is wrong.
    pub fn verify_pdf_engine(&self) -> Result<Option<PdfEngineStatus>> {
        let Some(status) = self.pdf_engine() else { return Ok(None) };
        let bytes = fs::read(&status.path).map_err(|source| EngineError::File { path: status.path.clone(), source })?;
        if hexadecimal(&bytes) != status.sha256 {
            return Err(refused(&status.path, "it is damaged: its bytes are no longer those that were added"));
        }
        self.try_out(&status)?;
        Ok(Some(status))
    }

    /// Takes a pdfium library into this home: a shared library, or a wheel or another zip archive that
    /// holds one. It takes the place of the one that was there. `None`: the source holds none, and may
    /// be something else.
    ///
    /// # Errors
    /// [`EngineError::NoSuchPath`], or [`EngineError::PdfEngine`] where it is one that cannot be used.
    pub fn add_pdf_engine(&self, source: &Path) -> Result<Option<PdfEngineStatus>> {
        let source = self.absolute(source);
        if !source.exists() {
            return Err(EngineError::NoSuchPath { path: source });
        }
        let Some(bytes) = library_in(&source)? else { return Ok(None) };
        is_of_this_platform(&bytes).map_err(|reason| refused(&source, reason))?;
        self.home().create()?;
        let folder = self.home().engines();
        let file = folder.join(format!("{PREFIX}{}{}", hexadecimal(&bytes), std::env::consts::DLL_SUFFIX));
        // Written beside and renamed, so that no worker ever loads half a library.
        let unfinished = folder.join(format!("adding-{}", std::process::id()));
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&unfinished, &bytes))
            .and_then(|()| fs::rename(&unfinished, &file))
            .map_err(|source| EngineError::Home { path: file.clone(), source })?;
        let status = status_of(file.clone()).ok_or_else(|| refused(&source, "it has gone meanwhile"))?;
        if self.try_out(&status).is_err() {
            // It was of no use, and whatever was there before stays.
            let _ = fs::remove_file(&file);
            return Err(refused(&source, UNLOADABLE));
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.path() != file && status_of(entry.path()).is_some() {
                // One that cannot be removed is in the way of nothing but a little room.
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(Some(status))
    }

    /// What extraction workers are told to load.
    pub(crate) fn pdf_library(&self) -> Option<PdfLibrary> {
        self.pdf_engine().map(|status| library_of(&status))
    }

    /// Has a worker load it.
    pub(crate) fn try_out(&self, status: &PdfEngineStatus) -> Result<()> {
        match self.worker() {
            Some(worker) if !library_of(status).is_usable(worker) => Err(refused(&status.path, UNLOADABLE)),
            _ => Ok(()),
        }
    }
}

fn library_of(status: &PdfEngineStatus) -> PdfLibrary {
    // Sixteen bits of the hash tell libraries apart; zero would mean that there is none.
    let revision = u16::from_str_radix(&status.sha256[..4], 16).unwrap_or(0).max(1);
    PdfLibrary { path: status.path.clone(), revision }
}

fn refused(path: &Path, reason: impl Into<String>) -> EngineError {
    EngineError::PdfEngine { path: path.to_owned(), reason: reason.into() }
}

/// A file of the home's folder of engines, if its name says that it is one.
fn status_of(path: PathBuf) -> Option<PdfEngineStatus> {
    let name = path.file_name()?.to_str()?;
    let sha256 = name.strip_prefix(PREFIX)?.strip_suffix(std::env::consts::DLL_SUFFIX)?.to_owned();
    let is_hash = sha256.len() == 64 && sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
    let size_bytes = fs::metadata(&path).ok().filter(|metadata| is_hash && metadata.is_file())?.len();
    Some(PdfEngineStatus { name: "pdfium", licence: LICENCE, sha256, size_bytes, path })
}

/// The library that a source is or holds.
fn library_in(source: &Path) -> Result<Option<Vec<u8>>> {
    if source.is_dir() {
        return Ok(None);
    }
    let unreadable = |error| EngineError::File { path: source.to_owned(), source: error };
    let mut head = Vec::new();
    let mut file = File::open(source).map_err(unreadable)?;
    file.by_ref().take(4).read_to_end(&mut head).map_err(unreadable)?;
    if head == b"PK\x03\x04" {
        return library_in_archive(source);
    }
    if !is_executable(&head) {
        return Ok(None);
    }
    bounded(head.as_slice().chain(file)).map_err(unreadable)?.map(Some).ok_or_else(|| refused(source, TOO_LARGE))
}

const TOO_LARGE: &str = "it is larger than any pdfium library";

fn library_in_archive(source: &Path) -> Result<Option<Vec<u8>>> {
    let unreadable = |error| EngineError::File { path: source.to_owned(), source: error };
    let file = BufReader::new(File::open(source).map_err(unreadable)?);
    // What is no archive after all is left to those who know models.
    let Ok(mut archive) = ZipArchive::new(file) else { return Ok(None) };
    let wanted = format!("{}pdfium{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let others = ["libpdfium.so", "libpdfium.dylib", "pdfium.dll"];
    let mut names = archive.file_names().flatten().map(|name| name.into_owned()).collect::<Vec<_>>();
    names.sort();
    let named = |name: &String, file: &str| name.rsplit('/').next() == Some(file);
    let Some(name) = names.iter().find(|name| named(name, &wanted)) else {
        let is_foreign = names.iter().any(|name| others.iter().any(|other| named(name, other)));
        return if is_foreign { Err(refused(source, "its pdfium is for another system")) } else { Ok(None) };
    };
    let entry = archive.by_name(name).map_err(|error| refused(source, format!("it cannot be unpacked ({error})")))?;
    bounded(entry).map_err(unreadable)?.map(Some).ok_or_else(|| refused(source, TOO_LARGE))
}

/// All bytes, unless there are too many.
fn bounded(reader: impl Read) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= MOST_BYTES))
}

const ELF: &[u8] = b"\x7fELF";
const MACH_O: &[u8] = b"\xcf\xfa\xed\xfe";
const MACH_O_OF_MANY: &[u8] = b"\xca\xfe\xba\xbe";
const WINDOWS: &[u8] = b"MZ";

fn is_executable(head: &[u8]) -> bool {
    [ELF, MACH_O, MACH_O_OF_MANY, WINDOWS].iter().any(|magic| head.starts_with(magic))
}

/// Whether the bytes are a shared library of pdfium for the system that this program runs on.
fn is_of_this_platform(bytes: &[u8]) -> std::result::Result<(), &'static str> {
    let fits = if cfg!(windows) {
        bytes.starts_with(WINDOWS)
    } else if cfg!(target_os = "macos") {
        bytes.starts_with(MACH_O) || bytes.starts_with(MACH_O_OF_MANY)
    } else {
        is_elf_library_of_this_machine(bytes)
    };
    if !fits {
        return Err("it is no shared library of this system and processor");
    }
    if !bytes.windows(EXPORTED.len()).any(|window| window == EXPORTED) {
        return Err("it is a shared library, but not pdfium");
    }
    Ok(())
}

/// The head of an ELF file: class 64 bits, byte order, at 16 the type (3 is a shared object), at 18 the
/// machine.
fn is_elf_library_of_this_machine(bytes: &[u8]) -> bool {
    let machine: u16 = match std::env::consts::ARCH {
        "x86_64" => 62,
        "aarch64" => 183,
        "riscv64" => 243,
        _ => return false,
    };
    let half = |at: usize| bytes.get(at..at + 2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    bytes.starts_with(ELF) && bytes.get(4..6) == Some(&[2, 1]) && half(16) == Some(3) && half(18) == Some(machine)
}

fn hexadecimal(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn a_library_is_known_by_its_head_and_what_it_exports() {
        let library = |kind: u8, machine: u8, words: &[u8]| {
            let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
            bytes.extend([kind, 0, machine, 0]);
            bytes.extend(words);
            bytes
        };
        assert_eq!(is_of_this_platform(&library(3, 62, EXPORTED)), Ok(()));
        assert!(is_of_this_platform(&library(2, 62, EXPORTED)).is_err());
        assert!(is_of_this_platform(&library(3, 183, EXPORTED)).is_err());
        assert!(is_of_this_platform(&library(3, 62, b"something else")).is_err());
        assert!(is_of_this_platform(b"\x7fELF").is_err());
    }

    #[test]
    fn a_library_in_the_home_is_known_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let hash = "ab".repeat(32);
        let file = folder.path().join(format!("{PREFIX}{hash}{}", std::env::consts::DLL_SUFFIX));
        fs::write(&file, b"code").unwrap();
        let status = status_of(file).unwrap();
        assert_eq!((status.sha256.as_str(), status.size_bytes), (hash.as_str(), 4));
        assert_eq!(library_of(&status).revision, 0xabab);
        let other = folder.path().join("pdfium-abc.so");
        fs::write(&other, b"code").unwrap();
        assert_eq!(status_of(other), None);
    }
}
