//! The test data beside the repository, which may be missing.

use std::path::{Path, PathBuf};

/// The folder `shared` beside the repository, found by walking up from this crate.
pub fn folder() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = here.ancestors().map(|ancestor| ancestor.join("shared")).find(|folder| folder.is_dir());
    if found.is_none() {
        println!("skipped: ../shared is not here");
    }
    found
}

/// The folder of sample files.
pub fn files() -> Option<PathBuf> {
    folder().map(|folder| folder.join("data/files")).filter(|folder| folder.is_dir())
}
