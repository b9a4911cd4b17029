//! The data that tests share and the repository does not hold.

use std::path::{Path, PathBuf};

/// The folder `shared` beside the repository, found by walking up from a crate's manifest folder;
/// says so and gives `None` where it is missing.
pub fn shared_data(manifest_folder: &str) -> Option<PathBuf> {
    let found = Path::new(manifest_folder)
        .ancestors()
        .skip(1)
        .map(|ancestor| ancestor.join("shared"))
        .find(|folder| folder.join("data").is_dir());
    if found.is_none() {
        println!("skipped: ../shared is not here");
    }
    found
}
