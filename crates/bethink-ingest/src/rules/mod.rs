//! What is taken in and what is left out, and who said so.
//!
//! One mechanism answers the walk, the watcher and the question "why is this file (not) indexed?",
//! so that they cannot disagree. Four voices are heard, in this order:
//!
//! 1. **Secrets** ([`secret`]): key stores, password stores, credentials, browser profiles, by name; and
//!    private keys by their content ([`private_key`]), once a file is read. Nothing overrules this voice,
//!    not even naming the path as a root.
//! 2. **Junk** ([`junk`]): caches, build outputs, version-control stores, wastebaskets. A root that
//!    lies inside such a folder is honoured, because the user named it: the rule only looks at names
//!    below the root.
//! 3. **Hidden names** ([`hidden`]): names that begin with a dot are left out below a root, except a
//!    short list of folders and files that people write and look for.
//! 4. **Ignore files** ([`ignore_file`]): `.bethinkignore`, `.ignore`, `.gitignore` and
//!    `.git/info/exclude`, with or without a git repository around them.
//!
//! Promises: an ignore file can only leave things out; whatever a cloned repository contains, nothing
//! in it is run, included from elsewhere, or able to bring back what the first three voices left out.
//! Refuses: to follow links, to read an ignore file that is a link, a FIFO or larger than
//! [`ignore_file::LARGEST_IGNORE_FILE_BYTES`].

pub mod hidden;
pub mod ignore_file;
mod judge;
pub mod junk;
pub mod private_key;
pub mod secret;
mod why;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub(crate) use judge::Judge;
pub use why::{RuleLine, Why};

use ignore_file::IgnoreChain;

/// Why an entry of a walked folder is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exclusion {
    /// It holds keys, passwords or credentials.
    Secret(&'static str),
    /// It is a cache, a build output or another program's own store.
    Junk(&'static str),
    /// Its name begins with a dot.
    Hidden,
    /// It is bethink's own data home.
    OwnHome,
    /// An ignore file names it.
    Ignored {
        /// The ignore file.
        file: PathBuf,
        /// The pattern as written there.
        pattern: String,
    },
}

/// The rules of one data home.
#[derive(Debug, Clone)]
pub struct Rules {
    own_home: Option<PathBuf>,
}

impl Rules {
    /// Rules that keep bethink's own data home out of the index.
    pub fn new(own_home: &Path) -> Self {
        // A home that does not exist yet cannot be met by a walk either.
        let own_home = own_home.canonicalize().unwrap_or_else(|_| own_home.to_path_buf());
        Self { own_home: Some(own_home) }
    }

    /// Rules without a data home to keep out.
    pub fn without_home() -> Self {
        Self { own_home: None }
    }

    /// Whether a path may be a root at all; `Some` says why not. Every component is looked at, since
    /// a folder inside a key store is part of the key store.
    pub fn forbids_root(&self, root: &Path) -> Option<Exclusion> {
        if self.own_home.as_deref().is_some_and(|home| root.starts_with(home)) {
            return Some(Exclusion::OwnHome);
        }
        // A root that is a file is judged like any file, by its size too.
        let size = root.symlink_metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
        root.ancestors()
            .filter(|ancestor| ancestor.file_name().is_some())
            .find_map(|ancestor| secret::secret(ancestor, size.filter(|_| ancestor == root)))
            .map(Exclusion::Secret)
    }

    /// The verdict of the built-in rules on one entry below a root. `size_bytes` is asked for by the
    /// few rules that tell a key file from a document of the same extension; `None` means unknown.
    pub fn built_in(&self, path: &Path, is_folder: bool, size_bytes: Option<u64>) -> Option<Exclusion> {
        if self.own_home.as_deref() == Some(path) {
            return Some(Exclusion::OwnHome);
        }
        if let Some(reason) = secret::secret(path, if is_folder { None } else { size_bytes }) {
            return Some(Exclusion::Secret(reason));
        }
        if let Some(reason) = junk::junk(path, is_folder) {
            return Some(Exclusion::Junk(reason));
        }
        hidden::is_left_out(path, is_folder).then_some(Exclusion::Hidden)
    }

    /// The verdict on one entry of a folder whose ignore files are `chain`.
    pub(crate) fn exclusion(
        &self,
        chain: &IgnoreChain,
        path: &Path,
        is_folder: bool,
        size_bytes: Option<u64>,
    ) -> Option<Exclusion> {
        self.built_in(path, is_folder, size_bytes).or_else(|| {
            let ignored = chain.ignored(path, is_folder)?;
            Some(Exclusion::Ignored { file: ignored.file, pattern: ignored.pattern })
        })
    }
}

/// A name in lower case, with bytes that are not UTF-8 replaced: only compared with known names,
/// which are ASCII, so that the replacement can never make a match.
pub(crate) fn lower_name(name: &OsStr) -> String {
    name.to_string_lossy().to_lowercase()
}

/// Whether the path's last components are these, compared in lower case.
pub(crate) fn ends_with_components(path: &Path, tail: &[&str]) -> bool {
    let mut components = path.components().rev();
    tail.iter()
        .rev()
        .all(|wanted| components.next().is_some_and(|component| lower_name(component.as_os_str()) == *wanted))
}
