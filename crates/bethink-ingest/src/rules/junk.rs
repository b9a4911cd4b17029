//! What programs make and can make again: caches, build outputs, version-control stores,
//! wastebaskets, half-written files.
//!
//! A name that people also give to their own folders (`target`, `build`, `dist`, `vendor`) is junk
//! only beside the file that proves a build tool is at work there.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::{ends_with_components, lower_name};

const VERSION_CONTROL: &str = "is a version-control store";
const DEPENDENCIES: &str = "holds installed dependencies";
const BUILD: &str = "holds build output";
const CACHE: &str = "is a cache";
const WASTE: &str = "is a wastebasket";
const SYSTEM: &str = "belongs to the system";
const SNAPSHOT: &str = "holds snapshots of other files";
const TEMPORARY: &str = "is temporary";

/// Folders by their whole name, in lower case.
const FOLDERS: &[(&str, &str)] = &[
    (".git", VERSION_CONTROL),
    (".hg", VERSION_CONTROL),
    (".svn", VERSION_CONTROL),
    (".bzr", VERSION_CONTROL),
    (".jj", VERSION_CONTROL),
    (".pijul", VERSION_CONTROL),
    ("_darcs", VERSION_CONTROL),
    ("node_modules", DEPENDENCIES),
    ("bower_components", DEPENDENCIES),
    ("jspm_packages", DEPENDENCIES),
    ("site-packages", DEPENDENCIES),
    ("dist-packages", DEPENDENCIES),
    (".venv", DEPENDENCIES),
    (".bundle", DEPENDENCIES),
    (".m2", DEPENDENCIES),
    (".cargo", DEPENDENCIES),
    (".rustup", DEPENDENCIES),
    (".npm", DEPENDENCIES),
    (".nvm", DEPENDENCIES),
    (".yarn", DEPENDENCIES),
    (".pnpm-store", DEPENDENCIES),
    (".pyenv", DEPENDENCIES),
    (".rbenv", DEPENDENCIES),
    (".conda", DEPENDENCIES),
    ("elm-stuff", DEPENDENCIES),
    ("__pycache__", CACHE),
    ("__pypackages__", DEPENDENCIES),
    (".tox", BUILD),
    (".nox", BUILD),
    (".eggs", BUILD),
    (".gradle", BUILD),
    (".terraform", DEPENDENCIES),
    (".next", BUILD),
    (".nuxt", BUILD),
    (".svelte-kit", BUILD),
    (".angular", CACHE),
    (".turbo", CACHE),
    (".parcel-cache", CACHE),
    (".mypy_cache", CACHE),
    (".pytest_cache", CACHE),
    (".ruff_cache", CACHE),
    (".ipynb_checkpoints", CACHE),
    (".dart_tool", BUILD),
    (".stack-work", BUILD),
    ("dist-newstyle", BUILD),
    ("deriveddata", BUILD),
    ("zig-cache", CACHE),
    (".zig-cache", CACHE),
    ("zig-out", BUILD),
    (".ccache", CACHE),
    (".sccache", CACHE),
    (".cache", CACHE),
    (".thumbnails", CACHE),
    (".trash", WASTE),
    (".trashes", WASTE),
    ("$recycle.bin", WASTE),
    ("system volume information", SYSTEM),
    ("lost+found", SYSTEM),
    (".spotlight-v100", SYSTEM),
    (".fseventsd", SYSTEM),
    (".documentrevisions-v100", SYSTEM),
    (".snapshots", SNAPSHOT),
    (".snapshot", SNAPSHOT),
    (".zfs", SNAPSHOT),
];

/// Folders by the last components of their path, in lower case.
const FOLDER_TAILS: &[(&[&str], &str)] = &[
    (&["library", "caches"], CACHE),
    (&[".local", "share", "trash"], WASTE),
    (&["appdata", "local", "temp"], TEMPORARY),
    (&["go", "pkg", "mod"], DEPENDENCIES),
];

/// Folders that are junk beside one of these files: (name, witnesses, reason).
const FOLDERS_WITH_WITNESS: &[(&str, &[&str], &str)] = &[
    ("target", &["Cargo.toml", "pom.xml", "build.sbt", "project.clj"], BUILD),
    (
        "build",
        &[
            "build.gradle",
            "build.gradle.kts",
            "CMakeLists.txt",
            "setup.py",
            "pyproject.toml",
            "package.json",
            "meson.build",
            "pubspec.yaml",
            "mkdocs.yml",
        ],
        BUILD,
    ),
    ("dist", &["package.json", "setup.py", "pyproject.toml", "CMakeLists.txt"], BUILD),
    ("out", &["package.json", "CMakeLists.txt", "foundry.toml"], BUILD),
    ("_build", &["mix.exs", "dune-project", "rebar.config", "conf.py", "Makefile"], BUILD),
    ("deps", &["mix.exs"], DEPENDENCIES),
    ("vendor", &["composer.json", "go.mod", "Gemfile"], DEPENDENCIES),
    ("pods", &["Podfile"], DEPENDENCIES),
    ("bin", &["packages.config"], BUILD),
    ("coverage", &["package.json"], BUILD),
];

/// Whole trees of the running system, by absolute path.
const SYSTEM_TREES: &[&str] = &["/proc", "/sys", "/dev", "/run", "/var/run", "/var/cache", "/var/lib/docker"];

/// Files by their whole name, in lower case.
const FILES: &[(&str, &str)] =
    &[(".ds_store", SYSTEM), ("thumbs.db", SYSTEM), ("desktop.ini", SYSTEM), ("cachedir.tag", CACHE)];

/// Files by the end of their name.
const FILE_ENDINGS: &[(&str, &str)] = &[
    ("~", TEMPORARY),
    (".swp", TEMPORARY),
    (".swo", TEMPORARY),
    (".crdownload", TEMPORARY),
    (".part", TEMPORARY),
    (".partial", TEMPORARY),
    (".pyc", BUILD),
    (".pyo", BUILD),
];

/// Files by the beginning of their name: what editors and office programs keep beside an open file.
const FILE_BEGINNINGS: &[(&str, &str)] = &[("~$", TEMPORARY), (".~lock.", TEMPORARY), (".#", TEMPORARY)];

/// Why an entry is junk, or `None`. Looks at the disk only for the few names that need a witness.
pub fn junk(path: &Path, is_folder: bool) -> Option<&'static str> {
    let name = lower_name(path.file_name()?);
    let by_name =
        |table: &[(&str, &'static str)]| table.iter().find(|(known, _)| *known == name).map(|(_, reason)| *reason);
    if !is_folder {
        return by_name(FILES)
            .or_else(|| FILE_ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, reason)| *reason))
            .or_else(|| FILE_BEGINNINGS.iter().find(|(start, _)| name.starts_with(start)).map(|(_, reason)| *reason));
    }
    if let Some(reason) = by_name(FOLDERS) {
        return Some(reason);
    }
    if name.strip_prefix(".trash-").is_some_and(|user| user.bytes().all(|byte| byte.is_ascii_digit())) {
        return Some(WASTE);
    }
    // Only with its witness: a folder called `CVs` is somebody's applications.
    if name == "cvs" && path.join("Entries").symlink_metadata().is_ok() {
        return Some(VERSION_CONTROL);
    }
    if name.starts_with("cmake-build-") || name.ends_with(".egg-info") {
        return Some(BUILD);
    }
    if SYSTEM_TREES.iter().any(|tree| Path::new(tree) == path) {
        return Some(SYSTEM);
    }
    if let Some((_, reason)) = FOLDER_TAILS.iter().find(|(tail, _)| ends_with_components(path, tail)) {
        return Some(reason);
    }
    let (_, witnesses, reason) = FOLDERS_WITH_WITNESS.iter().find(|(known, _, _)| *known == name)?;
    let beside = path.parent()?;
    witnesses.iter().any(|witness| beside.join(witness).symlink_metadata().is_ok()).then_some(reason)
}

/// The names inside a folder that make the folder itself junk once they are looked into.
pub const TELLTALES: [&str; 2] = ["CACHEDIR.TAG", "pyvenv.cfg"];

/// Why a folder is junk by what it holds: a valid `CACHEDIR.TAG` (bford.info/cachedir), or the mark
/// of a Python virtual environment.
pub fn junk_by_telltale(folder: &Path) -> Option<&'static str> {
    if folder.join("pyvenv.cfg").symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Some(DEPENDENCIES);
    }
    let tag = folder.join("CACHEDIR.TAG");
    if !tag.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
        return None;
    }
    const SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";
    let mut head = [0; SIGNATURE.len()];
    File::open(tag).and_then(|mut file| file.read_exact(&mut head)).ok()?;
    (head == SIGNATURE).then_some(CACHE)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_that_people_use_too_need_a_witness() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        std::fs::create_dir(&target).unwrap();
        assert_eq!(junk(&target, true), None, "a person's folder of targets");
        std::fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        assert_eq!(junk(&target, true), Some(BUILD));
    }

    #[test]
    fn a_cache_is_known_by_its_tag_only_if_the_signature_is_right() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("CACHEDIR.TAG"), "not the signature, whatever its length may be").unwrap();
        assert_eq!(junk_by_telltale(folder.path()), None);
        std::fs::write(folder.path().join("CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55\n").unwrap();
        assert_eq!(junk_by_telltale(folder.path()), Some(CACHE));
    }

    #[test]
    fn wastebaskets_and_half_written_files_are_junk() {
        for (path, is_folder) in [
            ("/mnt/usb/.Trash-1000", true),
            ("/h/.local/share/Trash", true),
            ("/h/Library/Caches", true),
            ("/h/essay.md~", false),
            ("/h/~$report.docx", false),
            ("/h/film.mkv.part", false),
        ] {
            assert!(junk(Path::new(path), is_folder).is_some(), "{path}");
        }
        assert_eq!(junk(Path::new("/h/Trash"), true), None);
        assert_eq!(junk(Path::new("/h/node_modules"), false), None, "a file of that name is a file");
    }
}
