//! What the index knows of the paths that are about to be walked, small enough for memory.
//!
//! A sweep over half a million unchanged files must not ask the database half a million questions.
//! Paths are therefore kept as the first 16 bytes of their BLAKE3, stamps as one 64-bit hash: about
//! 64 bytes a file, whatever the length of its path. A path's hash colliding is out of the question;
//! a stamp's colliding would take a changed file for an unchanged one with a chance of 2⁻⁶⁴.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use bethink_core::{DocumentId, RootId, path_bytes};
use bethink_store::{DocumentRecord, FileStamp, IndexReader};

use crate::error::Result;
use crate::stop::Stop;

/// Documents asked for at a time.
const PAGE: usize = 1_000;

/// One path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownPath {
    /// Its document, unless it has none yet.
    pub document: Option<DocumentId>,
    /// The root that the document is under.
    pub root: RootId,
    stamp: u64,
    /// The device that it was on.
    pub device: u64,
    /// Whether the walk has come by.
    pub seen: bool,
    /// Whether its bytes were read anew since.
    pub reread: bool,
}

impl KnownPath {
    /// Whether the file's stamp is the recorded one, the device aside.
    pub(crate) fn has_stamp(&self, stamp: &FileStamp) -> bool {
        self.document.is_some() && self.stamp == stamp_key(stamp)
    }
}

/// Every path that is known or has been seen.
#[derive(Debug, Default)]
pub(crate) struct KnownPaths {
    paths: HashMap<u128, KnownPath>,
}

impl KnownPaths {
    /// Loads what is known at and under a path. Paths that are known already keep their state.
    pub(crate) fn load<R: IndexReader + ?Sized>(&mut self, reader: &R, under: &Path, stop: &Stop) -> Result<u64> {
        let mut count = 0;
        let mut after = None;
        while !stop.is_requested() {
            let page = reader.documents_under(Some(under), after.as_deref(), PAGE)?;
            let Some(last) = page.last() else { break };
            after = Some(last.path.clone());
            count += page.len() as u64;
            for document in page {
                self.paths.entry(path_key(&document.path)).or_insert_with(|| known(&document));
            }
        }
        Ok(count)
    }

    /// Marks a path as seen and tells what was known of it before; `None` if it was seen before.
    pub(crate) fn see(&mut self, path: &Path) -> Option<KnownPath> {
        let entry = self.paths.entry(path_key(path)).or_insert(KnownPath {
            document: None,
            root: RootId(0),
            stamp: 0,
            device: 0,
            seen: false,
            reread: false,
        });
        if entry.seen {
            return None;
        }
        entry.seen = true;
        Some(*entry)
    }

    /// Takes a sighting back: the file was gone when it was read.
    pub(crate) fn unsee(&mut self, path: &Path) {
        if let Some(entry) = self.paths.get_mut(&path_key(path)) {
            entry.seen = false;
        }
    }

    /// Notes that a file's bytes were read anew: what was inside it before and has not been met again is
    /// gone.
    pub(crate) fn note_reread(&mut self, path: &Path) {
        if let Some(entry) = self.paths.get_mut(&path_key(path)) {
            entry.reread = true;
        }
    }

    /// Whether a file's bytes were read anew.
    pub(crate) fn was_reread(&self, path: &Path) -> bool {
        self.paths.get(&path_key(path)).is_some_and(|entry| entry.reread)
    }

    /// Whether the walk has come by this path.
    pub(crate) fn was_seen(&self, path: &Path) -> bool {
        self.paths.get(&path_key(path)).is_some_and(|entry| entry.seen)
    }
}

fn known(document: &DocumentRecord) -> KnownPath {
    KnownPath {
        document: Some(document.id),
        root: document.root,
        stamp: stamp_key(&document.stamp),
        device: document.stamp.device,
        seen: false,
        reread: false,
    }
}

fn path_key(path: &Path) -> u128 {
    let mut key = [0; 16];
    key.copy_from_slice(&blake3::hash(&path_bytes(path)).as_bytes()[..16]);
    u128::from_le_bytes(key)
}

fn stamp_key(stamp: &FileStamp) -> u64 {
    let mut hasher = DefaultHasher::new();
    (stamp.size_bytes, stamp.modified_ns, stamp.changed_ns, stamp.inode).hash(&mut hasher);
    hasher.finish()
}
