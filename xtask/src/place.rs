//! Where things are: the clone, the build cache outside it, the test data beside it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Overrides the folder of downloads, models and demo homes.
pub const CACHE_VARIABLE: &str = "BETHINK_BUILD_CACHE";
/// Tells tests in which folder the default models' containers are. Set by `cargo xtask test`.
pub const TEST_MODELS_VARIABLE: &str = "BETHINK_TEST_MODELS";
/// Tells tests in which folder the verified wheels are, as downloaded. Set by `cargo xtask test`.
pub const TEST_WHEELS_VARIABLE: &str = "BETHINK_TEST_WHEELS";

/// The root of the clone: the folder above the one that holds this program's manifest.
pub fn repository() -> Result<PathBuf> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The compiled-in path is wrong once a clone was moved and its target folder kept; cargo tells
    // the present one to whatever it runs.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| manifest.to_owned(), PathBuf::from);
    manifest.parent().map(Path::to_owned).context("the xtask folder has no parent")
}

/// The build cache: outside the clone, so that a fresh clone finds what an earlier one fetched.
pub fn cache() -> Result<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(path) = absolute(CACHE_VARIABLE) {
        return Ok(path);
    }
    if let Some(path) = absolute("XDG_CACHE_HOME") {
        return Ok(path.join("bethink"));
    }
    let home = absolute("HOME")
        .or_else(std::env::home_dir)
        .with_context(|| format!("no home folder is known; set {CACHE_VARIABLE} to an absolute path"))?;
    Ok(home.join(".cache").join("bethink"))
}

/// The development data that lies beside the clone, where somebody put it.
pub fn shared(repository: &Path) -> Option<PathBuf> {
    let folder = repository.parent()?.join("shared");
    folder.join("data").is_dir().then_some(folder)
}

/// Creates a folder with its parents.
pub fn ensure(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}
