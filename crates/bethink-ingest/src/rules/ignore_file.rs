//! The ignore files that speak about a folder, from the folder itself up to the top that counts.
//!
//! `.bethinkignore` is asked first, then `.ignore`, then `.gitignore`, then `.git/info/exclude`; of
//! one kind, the deepest file that says anything decides, and in a file the last pattern that
//! matches. A `!pattern` takes back what the same kind of file said; in `.ignore` it also takes back
//! what a `.gitignore` said, as other tools have it. In `.bethinkignore` it takes back only
//! `.bethinkignore`, so that the file can only leave things out.
//!
//! A `.gitignore` counts with or without a repository; one that lies above the nearest repository's
//! top does not count inside it. Above a root, only the files of the repository that the root lies
//! in are heard: a stray `.gitignore` in a home folder must not empty a root that the user named.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// An ignore file larger than this is not read: no person writes one, and compiling it costs.
pub const LARGEST_IGNORE_FILE_BYTES: u64 = 1 << 20;

/// The names of ignore files, in the order in which they are asked.
pub const IGNORE_FILE_NAMES: [&str; 3] = [".bethinkignore", ".ignore", ".gitignore"];

/// What was said about a path, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// The ignore file.
    pub file: PathBuf,
    /// The pattern as written there.
    pub pattern: String,
}

/// The ignore files in force in one folder, linked to those of the folders above.
#[derive(Debug)]
pub struct IgnoreChain {
    above: Option<Arc<IgnoreChain>>,
    files: [Option<Gitignore>; 3],
    exclude: Option<Gitignore>,
    is_repository_top: bool,
}

impl IgnoreChain {
    /// The chain above a root: the repository that the root lies in, if any, down to the root's
    /// parent. The root itself is not entered yet.
    pub fn above_root(root: &Path) -> Arc<Self> {
        let mut chain =
            Arc::new(Self { above: None, files: [None, None, None], exclude: None, is_repository_top: false });
        if root.join(".git").symlink_metadata().is_ok() {
            return chain;
        }
        let ancestors: Vec<&Path> = root.ancestors().skip(1).collect();
        if let Some(top) = ancestors.iter().position(|ancestor| ancestor.join(".git").symlink_metadata().is_ok()) {
            for folder in ancestors[..=top].iter().rev() {
                chain = chain.enter(folder);
            }
        }
        chain
    }

    /// The chain inside a folder. Costs four looks at the disk; [`Self::enter_listed`] none where
    /// the folder's listing is at hand.
    pub fn enter(self: &Arc<Self>, folder: &Path) -> Arc<Self> {
        let present = |name: &str| folder.join(name).symlink_metadata().is_ok();
        self.enter_listed(folder, IGNORE_FILE_NAMES.map(present), present(".git"))
    }

    /// The chain inside a folder of which it is known which ignore files it lists (in the order of
    /// [`IGNORE_FILE_NAMES`]) and whether it lists `.git`.
    pub fn enter_listed(self: &Arc<Self>, folder: &Path, listed: [bool; 3], lists_git: bool) -> Arc<Self> {
        if !lists_git && listed == [false; 3] {
            return Arc::clone(self);
        }
        let mut files = [None, None, None];
        for (slot, (name, listed)) in files.iter_mut().zip(IGNORE_FILE_NAMES.into_iter().zip(listed)) {
            if listed {
                *slot = load(folder, &folder.join(name));
            }
        }
        let exclude = if lists_git { load(folder, &folder.join(".git/info/exclude")) } else { None };
        Arc::new(Self { above: Some(Arc::clone(self)), files, exclude, is_repository_top: lists_git })
    }

    /// What is said about an entry of the folder that the chain was made for.
    pub fn ignored(&self, path: &Path, is_folder: bool) -> Option<Ignored> {
        const BETHINK: usize = 0;
        const PLAIN: usize = 1;
        const GIT: usize = 2;
        if let Verdict::Ignored(said) = self.ask(path, is_folder, false, |level| level.files[BETHINK].as_ref()) {
            return Some(said);
        }
        match self.ask(path, is_folder, false, |level| level.files[PLAIN].as_ref()) {
            Verdict::Ignored(said) => return Some(said),
            Verdict::TakenBack => return None,
            Verdict::Silent => {}
        }
        match self.ask(path, is_folder, true, |level| level.files[GIT].as_ref()) {
            Verdict::Ignored(said) => return Some(said),
            Verdict::TakenBack => return None,
            Verdict::Silent => {}
        }
        match self.ask(path, is_folder, true, |level| level.exclude.as_ref()) {
            Verdict::Ignored(said) => Some(said),
            Verdict::TakenBack | Verdict::Silent => None,
        }
    }

    fn ask<'chain>(
        &'chain self,
        path: &Path,
        is_folder: bool,
        stop_at_repository: bool,
        pick: impl Fn(&'chain Self) -> Option<&'chain Gitignore>,
    ) -> Verdict {
        let mut level = Some(self);
        while let Some(current) = level {
            if let Some(rules) = pick(current) {
                match rules.matched(path, is_folder) {
                    Match::Ignore(glob) => {
                        return Verdict::Ignored(Ignored {
                            file: glob.from().map_or_else(|| rules.path().to_path_buf(), Path::to_path_buf),
                            pattern: glob.original().to_owned(),
                        });
                    }
                    Match::Whitelist(_) => return Verdict::TakenBack,
                    Match::None => {}
                }
            }
            if stop_at_repository && current.is_repository_top {
                break;
            }
            level = current.above.as_deref();
        }
        Verdict::Silent
    }
}

enum Verdict {
    Ignored(Ignored),
    TakenBack,
    Silent,
}

/// Reads an ignore file whose patterns are relative to `folder`. A line that is no valid pattern is
/// left out, as git does; a file that cannot be read says nothing.
fn load(folder: &Path, file: &Path) -> Option<Gitignore> {
    let text = read_ignore_file(file)?;
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.lines() {
        if let Err(error) = builder.add_line(Some(file.to_path_buf()), line) {
            tracing::debug!(%error, "an ignore file has a line that is no pattern");
        }
    }
    match builder.build() {
        Ok(rules) if rules.is_empty() => None,
        Ok(rules) => Some(rules),
        Err(error) => {
            tracing::warn!(%error, "an ignore file could not be compiled and says nothing");
            None
        }
    }
}

/// The text of an ignore file, if it is a regular file of a sane size.
pub(super) fn read_ignore_file(file: &Path) -> Option<String> {
    let metadata = fs::symlink_metadata(file).ok()?;
    if !metadata.is_file() || metadata.len() > LARGEST_IGNORE_FILE_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(LARGEST_IGNORE_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

/// The line, from 1, on which a pattern that decided stands: the last one that reads like it.
pub(super) fn line_of(file: &Path, pattern: &str) -> Option<u32> {
    let text = read_ignore_file(file)?;
    let index = text.lines().collect::<Vec<_>>().iter().rposition(|line| line.trim() == pattern.trim())?;
    u32::try_from(index + 1).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn ignored(root: &Path, folders: &[&str], path: &str) -> Option<String> {
        let mut chain = IgnoreChain::above_root(root).enter(root);
        for folder in folders {
            chain = chain.enter(&root.join(folder));
        }
        chain.ignored(&root.join(path), false).map(|said| said.pattern)
    }

    #[test]
    fn a_gitignore_counts_without_a_repository() {
        let folder = tree(&[(".gitignore", "*.log\n!keep.log\n")]);
        assert_eq!(ignored(folder.path(), &[], "a.log").as_deref(), Some("*.log"));
        assert_eq!(ignored(folder.path(), &[], "keep.log"), None);
        assert_eq!(ignored(folder.path(), &[], "a.md"), None);
    }

    #[test]
    fn bethinkignore_can_only_leave_out() {
        let folder = tree(&[(".gitignore", "*.log\n"), (".bethinkignore", "!*.log\nprivate.md\n")]);
        assert_eq!(ignored(folder.path(), &[], "a.log").as_deref(), Some("*.log"));
        assert_eq!(ignored(folder.path(), &[], "private.md").as_deref(), Some("private.md"));
    }

    #[test]
    fn the_deepest_file_of_a_kind_decides() {
        let folder = tree(&[(".gitignore", "*.log\n"), ("deep/.gitignore", "!*.log\n")]);
        assert_eq!(ignored(folder.path(), &["deep"], "deep/a.log"), None);
    }

    #[test]
    fn an_outer_gitignore_ends_at_an_inner_repository() {
        let folder = tree(&[(".gitignore", "*.md\n"), ("inner/.git/HEAD", "")]);
        assert_eq!(ignored(folder.path(), &["inner"], "inner/a.md"), None);
    }

    #[test]
    fn a_stray_gitignore_above_a_root_does_not_empty_it() {
        let folder = tree(&[(".gitignore", "*\n"), ("notes/a.md", "")]);
        assert_eq!(ignored(&folder.path().join("notes"), &[], "a.md"), None);
        let repository = tree(&[(".git/HEAD", ""), (".gitignore", "notes/*.md\n"), ("notes/a.md", "")]);
        assert!(ignored(&repository.path().join("notes"), &[], "a.md").is_some(), "a repository's own one does");
    }

    #[cfg(unix)]
    #[test]
    fn an_ignore_file_that_is_a_link_says_nothing() {
        let folder = tree(&[("elsewhere", "*.md\n")]);
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), folder.path().join(".gitignore")).unwrap();
        assert_eq!(ignored(folder.path(), &[], "a.md"), None);
    }
}
