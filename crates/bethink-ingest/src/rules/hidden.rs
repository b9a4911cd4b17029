//! Names that begin with a dot.
//!
//! Almost everything hidden is written by programs for themselves. The exceptions are what people
//! write by hand and ask about later: how a project is built, checked and formatted.

use std::path::Path;

use super::lower_name;

/// Hidden folders that are walked: settings of forges and continuous integration.
pub const WALKED_HIDDEN_FOLDERS: [&str; 7] =
    [".github", ".gitlab", ".gitea", ".forgejo", ".circleci", ".devcontainer", ".well-known"];

/// Hidden files that are read.
pub const READ_HIDDEN_FILES: [&str; 18] = [
    ".gitlab-ci.yml",
    ".travis.yml",
    ".drone.yml",
    ".pre-commit-config.yaml",
    ".editorconfig",
    ".clang-format",
    ".clang-tidy",
    ".rustfmt.toml",
    ".golangci.yml",
    ".rubocop.yml",
    ".mailmap",
    ".gitattributes",
    ".dockerignore",
    ".plan",
    ".project",
    ".bashrc",
    ".zshrc",
    ".vimrc",
];

/// Whether a name is hidden and not among the exceptions.
pub fn is_left_out(path: &Path, is_folder: bool) -> bool {
    let Some(name) = path.file_name() else { return false };
    if name.as_encoded_bytes().first() != Some(&b'.') {
        return false;
    }
    let name = lower_name(name);
    let exceptions: &[&str] = if is_folder { &WALKED_HIDDEN_FOLDERS } else { &READ_HIDDEN_FILES };
    !exceptions.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_names_are_left_out_except_those_that_people_write() {
        assert!(is_left_out(Path::new("/a/.local"), true));
        assert!(is_left_out(Path::new("/a/.notes.md"), false));
        assert!(!is_left_out(Path::new("/a/.github"), true));
        assert!(!is_left_out(Path::new("/a/.editorconfig"), false));
        assert!(!is_left_out(Path::new("/a/notes.md"), false));
        assert!(is_left_out(Path::new("/a/.github"), false), "the exception is the folder, not a file of that name");
    }
}
