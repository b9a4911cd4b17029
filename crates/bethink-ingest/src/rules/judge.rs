//! The verdict of the rules on many paths in turn, for whoever asks right before an answer is shown.
//!
//! Says the same as [`Rules::why`] without the reason. What was found out about a folder is kept, so
//! that the ignore files above ten hits of one folder are read once. Lives as long as one answer: the
//! next one must hear of a changed ignore file.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ignore_file::IgnoreChain;
use super::{Rules, junk};

/// What is in force inside a folder; `None` where the folder itself is left out.
type Inside = Option<Arc<IgnoreChain>>;

/// Judges paths under a set of roots.
pub(crate) struct Judge<'rules> {
    rules: &'rules Rules,
    folders: RefCell<HashMap<(PathBuf, PathBuf), Inside>>,
}

impl<'rules> Judge<'rules> {
    pub(crate) fn new(rules: &'rules Rules) -> Self {
        Self { rules, folders: RefCell::default() }
    }

    /// Whether one of the roots lets this file in, each folder on the way included. A path that
    /// passes a link below a root is not let in by that root.
    pub(crate) fn lets_in(&self, path: &Path, file: &Metadata, roots: &[PathBuf]) -> bool {
        file.is_file() && roots.iter().any(|root| path.starts_with(root) && self.root_lets_in(path, file, root))
    }

    fn root_lets_in(&self, path: &Path, file: &Metadata, root: &Path) -> bool {
        if path == root {
            return self.rules.forbids_root(root).is_none();
        }
        let Some(chain) = path.parent().and_then(|parent| self.inside(root, parent)) else { return false };
        self.rules.exclusion(&chain, path, false, Some(file.len())).is_none()
    }

    fn inside(&self, root: &Path, folder: &Path) -> Inside {
        let mut current = root.to_path_buf();
        let mut chain = self.remembered(root, &current, || {
            let is_folder = root.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
            (is_folder && self.rules.forbids_root(root).is_none()).then(|| IgnoreChain::above_root(root).enter(root))
        })?;
        for component in folder.strip_prefix(root).ok()?.components() {
            current.push(component);
            chain = self.remembered(root, &current, || {
                let is_folder = current.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
                let is_let_in = is_folder
                    && self.rules.exclusion(&chain, &current, true, None).is_none()
                    && junk::junk_by_telltale(&current).is_none();
                is_let_in.then(|| chain.enter(&current))
            })?;
        }
        Some(chain)
    }

    fn remembered(&self, root: &Path, folder: &Path, find_out: impl FnOnce() -> Inside) -> Inside {
        let key = (root.to_path_buf(), folder.to_path_buf());
        if let Some(known) = self.folders.borrow().get(&key) {
            return known.clone();
        }
        let inside = find_out();
        self.folders.borrow_mut().insert(key, inside.clone());
        inside
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    #[test]
    fn it_agrees_with_the_answer_to_why() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let files = [
            "a.md",
            "deep/er/b.md",
            "deep/.ignore",
            "deep/er/c.draft",
            ".env",
            "node_modules/x/d.md",
            "node_modules/x/.hidden.md",
            ".ssh/config",
            "keys/server.pem",
        ];
        for file in files {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), "x").unwrap();
        }
        fs::write(root.join("deep/.ignore"), "*.draft\n").unwrap();
        std::os::unix::fs::symlink("deep", root.join("link")).unwrap();
        let rules = Rules::without_home();
        let nested = vec![root.clone(), root.join("node_modules")];
        for roots in [std::slice::from_ref(&root), &nested] {
            let judge = Judge::new(&rules);
            let mut let_in = 0;
            for file in files.into_iter().chain(["link/er/b.md", "deep"]) {
                let path = root.join(file);
                // `why` resolves links above the name that it is asked about; a walk never meets them.
                let expected = !file.starts_with("link") && path.is_file() && rules.why(&path, roots).indexed;
                let verdict = judge.lets_in(&path, &path.symlink_metadata().unwrap(), roots);
                assert_eq!(verdict, expected, "{file}");
                let_in += u32::from(verdict);
            }
            assert_eq!(let_in as usize, 1 + roots.len());
        }
    }
}
