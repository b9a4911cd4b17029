//! A message inside a message, made a file of its own.

use std::io::{Cursor, Write};
use std::path::Path;

use cfb::{CompoundFile, Version};

use super::store::Store;

/// Bytes before the properties of a message inside another; a file of its own has eight more behind them.
const EMBEDDED_HEADER: usize = 24;

/// Storages and streams that are copied; a message of five thousand recipients has a hundred thousand.
const MOST_ENTRIES: usize = 200_000;

/// The bytes of a file that holds the message in a storage; `None` where it cannot be copied.
pub(super) fn exported(store: &mut Store<'_>, path: &str) -> Option<Vec<u8>> {
    let mut copy = CompoundFile::create_with_version(Version::V3, Cursor::new(Vec::new())).ok()?;
    copy_tree(store, path, Path::new("/"), &mut copy)?;
    // The names of named properties are kept once for all messages of a file.
    let names = Path::new("/__nameid_version1.0");
    if store.file.is_storage(names) && !copy.exists(names) {
        copy.create_storage(names).ok()?;
        copy_tree(store, "/__nameid_version1.0", names, &mut copy)?;
    }
    copy.flush().ok()?;
    Some(copy.into_inner().into_inner())
}

/// Copies what is in a storage to a place in the copy.
fn copy_tree(store: &mut Store<'_>, from: &str, to: &Path, copy: &mut CompoundFile<Cursor<Vec<u8>>>) -> Option<()> {
    let entries: Vec<(std::path::PathBuf, bool)> = store
        .file
        .walk_storage(from)
        .ok()?
        .skip(1)
        .take(MOST_ENTRIES)
        .map(|entry| (entry.path().to_owned(), entry.is_stream()))
        .collect();
    for (path, is_stream) in entries {
        let inside = path.strip_prefix(from).ok()?;
        let target = to.join(inside);
        if !is_stream {
            copy.create_storage(&target).ok()?;
            continue;
        }
        let mut bytes = store.stream(path.to_str()?)?;
        if to == Path::new("/") && inside == Path::new("__properties_version1.0") && bytes.len() >= EMBEDDED_HEADER {
            bytes.splice(EMBEDDED_HEADER..EMBEDDED_HEADER, [0; 8]);
        }
        copy.create_stream(&target).ok()?.write_all(&bytes).ok()?;
    }
    Some(())
}
