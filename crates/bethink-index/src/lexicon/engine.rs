//! Opening the engine's indexes, and speaking of its failures in our words.

use std::io;
use std::path::{Path, PathBuf};

use bethink_core::{Sequence, catch};
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError};
use tantivy::schema::Schema;
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Index, ReloadPolicy, Searcher, TantivyError};

use super::folder::LexiconFolder;
use super::schema::FORMAT;
use super::tokenizer::{TERMS, TermTokenizer};
use crate::{CacheStamp, IndexError};

/// First word of a commit's payload.
const PAYLOAD: &str = "bethink";

/// An index as one commit left it.
pub(crate) struct OpenIndex {
    pub(crate) folder: PathBuf,
    pub(crate) searcher: Searcher,
    pub(crate) stamp: CacheStamp,
}

/// Opens an index for reading; `None` when it is missing, damaged or of another format.
pub(crate) fn open(folder: &Path, schema: &Schema) -> Result<Option<OpenIndex>, IndexError> {
    // The engine's file lock would make the folder of a cache that is not there.
    if !folder.join("meta.json").is_file() {
        return Ok(None);
    }
    let opened = guard(folder, || {
        let index = open_index(folder)?;
        if index.schema() != *schema {
            return Ok(None);
        }
        // The stamp is read before the segments: if a commit comes between, the stamp is the
        // older one, and replaying what is there already is harmless.
        let Some(stamp) = index.load_metas()?.payload.as_deref().and_then(read_stamp) else { return Ok(None) };
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Some(OpenIndex { folder: folder.to_path_buf(), searcher: reader.searcher(), stamp }))
    });
    match opened {
        Err(IndexError::Damaged { .. }) => Ok(None),
        other => other,
    }
}

/// Opens the engine's handle of a folder.
pub(crate) fn open_index(folder: &Path) -> Result<Index, TantivyError> {
    let index = Index::open(LexiconFolder::open(folder)?)?;
    register(&index);
    Ok(index)
}

/// Makes an empty index in an empty folder.
pub(crate) fn create_index(folder: &Path, schema: Schema) -> Result<Index, TantivyError> {
    let index = Index::create_in_dir(folder, schema)?;
    register(&index);
    Ok(index)
}

fn register(index: &Index) {
    index.tokenizers().register(TERMS, TextAnalyzer::from(TermTokenizer));
}

/// What a commit says about what it was built from.
pub(crate) fn write_stamp(stamp: CacheStamp) -> String {
    let store: String = stamp.store.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{PAYLOAD} {FORMAT} {store} {}", stamp.sequence.0)
}

pub(crate) fn read_stamp(payload: &str) -> Option<CacheStamp> {
    let mut words = payload.split(' ');
    if words.next()? != PAYLOAD || words.next()?.parse::<u32>().ok()? != FORMAT {
        return None;
    }
    let hex = words.next()?;
    let mut store = [0u8; 16];
    if hex.len() != 2 * store.len() || !hex.is_ascii() {
        return None;
    }
    for (byte, digits) in store.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    let sequence = Sequence(words.next()?.parse().ok()?);
    words.next().is_none().then_some(CacheStamp { store, sequence })
}

/// Runs a piece of work of the engine. It panics on some kinds of damage instead of reporting
/// them; that is the cache's failure, never the process's.
pub(crate) fn guard<T>(folder: &Path, work: impl FnOnce() -> Result<T, TantivyError>) -> Result<T, IndexError> {
    match catch(work) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(translate(folder, error)),
        Err(_) => Err(damaged(folder, "the engine gave up on it")),
    }
}

fn damaged(folder: &Path, detail: &str) -> IndexError {
    IndexError::Damaged { path: folder.to_path_buf(), detail: detail.to_owned() }
}

fn translate(folder: &Path, error: TantivyError) -> IndexError {
    let from_system = |error: &io::Error, what: &str| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::Other => {
            damaged(folder, what)
        }
        kind => IndexError::io(folder, io::Error::new(kind, error.to_string())),
    };
    match error {
        TantivyError::LockFailure(LockError::LockBusy, _) => IndexError::Busy { path: folder.to_path_buf() },
        TantivyError::LockFailure(LockError::IoError(error), _) => {
            IndexError::io(folder, io::Error::new(error.kind(), error.to_string()))
        }
        TantivyError::IoError(error) => from_system(&error, "a file cannot be read"),
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. })
        | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error, .. }) => {
            from_system(&io_error, "a file cannot be opened")
        }
        TantivyError::OpenReadError(_) => damaged(folder, "a file is missing or of another format"),
        TantivyError::OpenDirectoryError(_) => damaged(folder, "the folder is missing"),
        TantivyError::DataCorruption(_) => damaged(folder, "a file is corrupt"),
        TantivyError::IncompatibleIndex(_) => damaged(folder, "it is of another version"),
        TantivyError::SchemaError(_) | TantivyError::FieldNotFound(_) => damaged(folder, "it has other fields"),
        other => IndexError::Lexical { detail: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_stamp_is_read_as_it_was_written(store in any::<[u8; 16]>(), sequence in any::<u64>()) {
            let stamp = CacheStamp { store, sequence: Sequence(sequence) };
            prop_assert_eq!(read_stamp(&write_stamp(stamp)), Some(stamp));
        }

        #[test]
        fn no_payload_is_too_strange(payload in ".{0,80}") {
            read_stamp(&payload);
        }
    }
}
