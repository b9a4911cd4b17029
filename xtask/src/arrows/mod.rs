//! `cargo xtask arrows`: the rules of the house that a compiler does not know.
//!
//! - [`table`]: the rules themselves, as data with reasons. A new arrow or exception is a line there.
//! - [`workspace`]: what cargo says about crates and their dependencies.
//! - [`edges`]: which crate may use which, and which outside crates are fenced.
//! - [`supply`]: what comes from outside: network clients, doubled versions, licences, sources.
//! - [`source`]: a small reading of Rust source into code, strings and test regions.
//! - [`tree`]: the files: SQL outside the store, unsafe, printing, names, lengths.
//!
//! Each check is a function from data to findings and reads no disk itself, so that the checker is
//! tested on made-up crates that break each rule.

mod edges;
mod source;
mod supply;
mod table;
mod tree;
mod workspace;

pub use workspace::target_folder;

use std::fmt;
use std::path::Path;

use anyhow::{Result, bail};

use crate::place;

/// One broken rule, told so that the reader knows what to change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where: a crate, or `path:line`.
    place: String,
    /// The rule's short name.
    rule: &'static str,
    /// What is wrong and what to do about it.
    message: String,
}

impl Finding {
    fn new(place: impl Into<String>, rule: &'static str, message: impl Into<String>) -> Self {
        Self { place: place.into(), rule, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}: {}", self.place, self.rule, self.message)
    }
}

/// Checks the clone and prints what it found.
pub fn run() -> Result<()> {
    let repository = place::repository()?;
    let (findings, summary) = check(&repository)?;
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("{} broken rule(s); the rules and their exceptions are in xtask/src/arrows/table.rs", findings.len());
    }
    println!("arrows: {summary}; every rule holds");
    Ok(())
}

fn check(repository: &Path) -> Result<(Vec<Finding>, String)> {
    let workspace = workspace::Workspace::read(repository)?;
    let files = tree::read(repository, &workspace)?;
    let mut findings = edges::check(&workspace.members);
    findings.extend(supply::check(&workspace.shipped));
    findings.extend(tree::check(&files));
    findings.sort();
    findings.dedup();
    let summary = format!(
        "{} crates, {} source files, {} packages in the default build",
        workspace.members.len(),
        files.len(),
        workspace.shipped.len()
    );
    Ok((findings, summary))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use super::*;

    const ROOT: &str = "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n\n[workspace.package]\nversion = \"0.1.0\"\n\
                        edition = \"2024\"\nrust-version = \"1.85\"\nlicense = \"MIT OR Apache-2.0\"\n\n\
                        [workspace.dependencies]\nbethink-index = { path = \"crates/bethink-index\" }\n\
                        bethink-text = { path = \"crates/bethink-text\" }\n";

    /// Writes one crate whose manifest inherits everything that the house asks for.
    fn write_crate(root: &Path, name: &str, dependencies: &str, files: &[(&str, &str)]) {
        let folder = root.join("crates").join(name);
        fs::create_dir_all(folder.join("src")).unwrap();
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion.workspace = true\nedition.workspace = true\n\
             rust-version.workspace = true\nlicense.workspace = true\n\n[lints]\nworkspace = true\n\n\
             [dependencies]\n{dependencies}"
        );
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        for (path, text) in files {
            fs::write(folder.join("src").join(path), text).unwrap();
        }
    }

    /// A whole made-up clone, read through cargo as the real one is.
    fn clone(name: &str) -> std::path::PathBuf {
        let root = std::env::temp_dir().join(format!("bethink-arrows-{}-{name}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join("Cargo.toml"), format!("{ROOT}\n[workspace.lints.rust]\nunused = \"warn\"\n")).unwrap();
        root.canonicalize().unwrap()
    }

    const FORBIDS: &str = "#![forbid(unsafe_code)]\n";

    #[test]
    fn a_clone_that_keeps_the_rules_passes_and_one_broken_manifest_fails() {
        let root = clone("manifest");
        let main = [("main.rs", "#![forbid(unsafe_code)]\nfn main() {}\n")];
        write_crate(&root, "bethink", "", &main);
        write_crate(&root, "bethink-text", "", &[("lib.rs", FORBIDS)]);
        write_crate(&root, "bethink-index", "bethink-text.workspace = true\n", &[("lib.rs", FORBIDS)]);
        // The table of bearable duplicates speaks of packages that this clone lacks altogether.
        assert_eq!(check(&root).unwrap().0, []);

        write_crate(&root, "bethink", "bethink-index.workspace = true\n", &main);
        let findings = check(&root).unwrap().0;
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!((findings[0].place.as_str(), findings[0].rule), ("bethink", "arrow"));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn broken_files_are_found_on_the_disk() {
        let root = clone("files");
        write_crate(&root, "bethink", "", &[("main.rs", "fn main() {}\n"), ("utils.rs", "\n")]);
        let query = "#![forbid(unsafe_code)]\n\nfn f() -> &'static str {\n    \"SELECT id FROM document\"\n}\n";
        write_crate(&root, "bethink-text", "", &[("lib.rs", query)]);
        let found: Vec<String> =
            check(&root).unwrap().0.iter().map(|one| format!("{} {}", one.place, one.rule)).collect();
        assert_eq!(
            found,
            [
                "crates/bethink-text/src/lib.rs:4 sql",
                "crates/bethink/src/main.rs unsafe",
                "crates/bethink/src/utils.rs name"
            ]
        );
        fs::remove_dir_all(root).unwrap();
    }
}
