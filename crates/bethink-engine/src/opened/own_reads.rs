//! Which documents were read with our own tools, how often and when: a hint about what matters to the
//! person, so that it is sharpened first.
//!
//! Kept beside the caches as one line a read, `store document millis`, by identity and not by path, so
//! that what is forgotten leaves nothing here. It answers no question: an agent that reads a file is not
//! the person who opened it, so `find --opened` does not look here.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use bethink_core::{DocumentId, UnixMillis};
use bethink_store::StoreId;

/// Beside the caches.
const FILE: &str = "reads";

/// When the record is longer than this, its older half goes. Room for some two thousand reads.
const LONGEST_RECORD_BYTES: u64 = 128 * 1024;

/// How a document was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reads {
    /// How often, as far back as the record goes.
    pub times: u32,
    /// When last.
    pub last: UnixMillis,
}

/// The record of a home.
#[derive(Debug, Clone)]
pub(crate) struct OwnReads {
    file: PathBuf,
    store: String,
}

impl OwnReads {
    /// The record in this folder of caches, as far as it speaks of this store.
    pub(crate) fn of(cache: &Path, store: StoreId) -> Self {
        // Half of the identity tells one store from its predecessors well enough for a hint.
        let store = store.0.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Self { file: cache.join(FILE), store }
    }

    /// Records a read. One that cannot be written down is a lost hint and nothing worse.
    pub(crate) fn record(&self, document: DocumentId, at: UnixMillis) {
        let line = format!("{} {} {}\n", self.store, document.0, at.0);
        let appended = OpenOptions::new().append(true).create(true).open(&self.file).and_then(|mut file| {
            // One write a line, so that lines of several processes do not mix.
            file.write_all(line.as_bytes())?;
            file.metadata()
        });
        if appended.is_ok_and(|metadata| metadata.len() > LONGEST_RECORD_BYTES) {
            self.shorten();
        }
    }

    fn shorten(&self) {
        let Ok(text) = fs::read_to_string(&self.file) else { return };
        let Some(half) = text.as_bytes().iter().skip(text.len() / 2).position(|&byte| byte == b'\n') else { return };
        let kept = &text.as_bytes()[text.len() / 2 + half + 1..];
        let unfinished = self.file.with_extension(format!("new-{}", std::process::id()));
        if fs::write(&unfinished, kept).and_then(|()| fs::rename(&unfinished, &self.file)).is_err() {
            // A record that cannot be shortened is begun anew rather than grown for ever.
            let _ = fs::remove_file(&unfinished);
            let _ = fs::remove_file(&self.file);
        }
    }

    /// Every document that was read.
    pub(crate) fn gather(&self) -> HashMap<DocumentId, Reads> {
        let mut gathered: HashMap<DocumentId, Reads> = HashMap::new();
        let text = fs::read(&self.file).unwrap_or_default();
        for line in String::from_utf8_lossy(&text).lines() {
            let mut fields = line.split(' ');
            let (Some(store), Some(document), Some(at), None) =
                (fields.next(), fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            let (Ok(document), Ok(at)) = (document.parse().map(DocumentId), at.parse().map(UnixMillis)) else {
                continue;
            };
            if store != self.store {
                continue;
            }
            let reads = gathered.entry(document).or_insert(Reads { times: 0, last: at });
            reads.times = reads.times.saturating_add(1);
            reads.last = reads.last.max(at);
        }
        gathered
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn reads_are_counted_for_their_own_store() {
        let folder = tempfile::tempdir().unwrap();
        let reads = OwnReads::of(folder.path(), StoreId([1; 16]));
        assert!(reads.gather().is_empty());
        for at in [5, 9, 7] {
            reads.record(DocumentId(3), UnixMillis(at));
        }
        OwnReads::of(folder.path(), StoreId([2; 16])).record(DocumentId(3), UnixMillis(99));
        OpenOptions::new()
            .append(true)
            .open(folder.path().join(FILE))
            .unwrap()
            .write_all(b"half a li\xff\n0101010101010101 x 3\n0101010101010101 4 8 extra\n")
            .unwrap();
        let gathered = reads.gather();
        assert_eq!(gathered.len(), 1);
        assert_eq!(gathered[&DocumentId(3)], Reads { times: 3, last: UnixMillis(9) });
    }

    #[test]
    fn a_long_record_keeps_its_newer_half() {
        let folder = tempfile::tempdir().unwrap();
        let reads = OwnReads::of(folder.path(), StoreId([1; 16]));
        let line = "0101010101010101 1 1\n";
        fs::write(folder.path().join(FILE), line.repeat(usize::try_from(LONGEST_RECORD_BYTES).unwrap() / line.len()))
            .unwrap();
        reads.record(DocumentId(2), UnixMillis(2));
        let after = fs::metadata(folder.path().join(FILE)).unwrap().len();
        reads.record(DocumentId(7), UnixMillis(3));
        assert!(after <= LONGEST_RECORD_BYTES, "{after}");
        assert!(fs::metadata(folder.path().join(FILE)).unwrap().len() <= LONGEST_RECORD_BYTES);
        let gathered = reads.gather();
        assert!(gathered.contains_key(&DocumentId(2)) && gathered.contains_key(&DocumentId(7)));
        assert!(gathered[&DocumentId(1)].times > 1_000);
    }
}
