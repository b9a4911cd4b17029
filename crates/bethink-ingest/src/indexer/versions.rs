//! Which roots have been read to the end by the present versions of extractor and cutter.
//!
//! A text names the versions that read it; a file that was skipped or failed leaves no text to name
//! them. This small file beside the caches says for which roots every outcome stems from the present
//! versions and limits, so that a poisoned file is not tried again at every sweep, yet is tried again
//! once a better extractor comes. Losing the file costs a second look at such files, nothing more.
//!
//! ```text
//! bethink-versions 1
//! made-by <store id> <extractor version> <cutter version> <file limit in bytes> <version of the look for keys>
//! root <root id>
//! ```

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bethink_core::RootId;
use bethink_store::StoreId;

use crate::error::{IngestError, Result};
use crate::rules::private_key;

const FILE_NAME: &str = "versions";
const HEADING: &str = "bethink-versions 1";

/// What a text depends on besides the bytes that it is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MadeBy {
    pub store: StoreId,
    pub extractor: u32,
    pub cutter: u32,
    pub file_limit_bytes: u64,
}

impl MadeBy {
    fn line(&self) -> String {
        let mut line = "made-by ".to_owned();
        for byte in self.store.0 {
            // Writing to a string cannot fail.
            let _ = write!(line, "{byte:02x}");
        }
        let (extractor, cutter, limit) = (self.extractor, self.cutter, self.file_limit_bytes);
        let _ = write!(line, " {extractor} {cutter} {limit} {}", private_key::VERSION);
        line
    }
}

/// The roots that are settled under one `MadeBy`.
#[derive(Debug)]
pub(crate) struct SettledRoots {
    file: PathBuf,
    made_by: MadeBy,
    roots: BTreeSet<u64>,
}

impl SettledRoots {
    /// Reads the file; under other versions no root is settled.
    pub(crate) fn load(cache_folder: &Path, made_by: MadeBy) -> Self {
        let file = cache_folder.join(FILE_NAME);
        let text = fs::read_to_string(&file).unwrap_or_default();
        let mut lines = text.lines();
        let mut roots = BTreeSet::new();
        if lines.next() == Some(HEADING) && lines.next() == Some(made_by.line().as_str()) {
            roots.extend(lines.filter_map(|line| line.strip_prefix("root ")?.parse::<u64>().ok()));
        }
        Self { file, made_by, roots }
    }

    /// Whether every outcome under the root stems from the present versions.
    pub(crate) fn is_settled(&self, root: RootId) -> bool {
        self.roots.contains(&root.0)
    }

    /// Notes that a root was read to the end, and writes the file in one step.
    pub(crate) fn settle(&mut self, root: RootId) -> Result<()> {
        if !self.roots.insert(root.0) {
            return Ok(());
        }
        let mut text = format!("{HEADING}\n{}\n", self.made_by.line());
        for root in &self.roots {
            let _ = writeln!(text, "root {root}");
        }
        let written = self.file.with_extension("new");
        if let Some(folder) = self.file.parent() {
            // Caches may be deleted at any time; a home that is gone is not made again.
            match fs::create_dir(folder) {
                Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(IngestError::Home { path: folder.to_path_buf(), source });
                }
                _ => {}
            }
        }
        fs::write(&written, text)
            .and_then(|()| fs::rename(&written, &self.file))
            .map_err(|source| IngestError::Home { path: self.file.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn roots_settle_for_one_version_only() {
        let folder = tempfile::tempdir().unwrap();
        let now = MadeBy { store: StoreId([7; 16]), extractor: 1, cutter: 1, file_limit_bytes: 100 };
        let mut settled = SettledRoots::load(folder.path(), now);
        assert!(!settled.is_settled(RootId(3)));
        settled.settle(RootId(3)).unwrap();
        assert!(SettledRoots::load(folder.path(), now).is_settled(RootId(3)));
        assert!(!SettledRoots::load(folder.path(), now).is_settled(RootId(4)));
        for other in [
            MadeBy { extractor: 2, ..now },
            MadeBy { cutter: 2, ..now },
            MadeBy { file_limit_bytes: 101, ..now },
            MadeBy { store: StoreId([8; 16]), ..now },
        ] {
            assert!(!SettledRoots::load(folder.path(), other).is_settled(RootId(3)));
        }
    }
}
