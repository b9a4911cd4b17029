//! Opening a file below a root, whatever has become of the folders on the way.
//!
//! A path that was a plain file when it was indexed may pass a link later: a folder was replaced by a
//! link to somewhere else. Whoever reads by such a path reads outside the root. So every component
//! below the root is looked at without following it, by the system itself where it can: on Linux one
//! call refuses links on the whole way, elsewhere one folder is opened from the other. Nothing can be
//! exchanged between the look and the opening.
//!
//! Links above a root are the user's business: a home folder may well be one.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::fingerprint::open_quietly;

/// The root that covers a path, the outermost of several: a nested root is no way around the outer
/// one's border.
pub(crate) fn outermost_root<'roots>(roots: &'roots [PathBuf], path: &Path) -> Option<&'roots Path> {
    roots
        .iter()
        .map(PathBuf::as_path)
        .filter(|root| path.starts_with(root))
        .min_by_key(|root| root.components().count())
}

/// Whether a path passes, or is, a link below a root.
pub(crate) fn passes_link(root: &Path, path: &Path) -> bool {
    let Ok(below) = path.strip_prefix(root) else { return true };
    let mut current = root.to_path_buf();
    for component in below.components() {
        current.push(component);
        match current.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => return true,
            Ok(_) => {}
            // Nothing lies below what is not there.
            Err(_) => return false,
        }
    }
    false
}

/// Opens a regular file below a root as `open_quietly` does, and through no link below the root
/// either. A root that is a file is opened itself.
///
/// # Errors
/// Whatever the system says; of a link on the way, that there are too many or that it is no folder.
pub fn open_below(root: &Path, path: &Path) -> io::Result<File> {
    let below = path.strip_prefix(root).map_err(|_| io::Error::from(io::ErrorKind::NotFound))?;
    if below.as_os_str().is_empty() {
        return open_quietly(path);
    }
    open_components(root, below)
}

#[cfg(unix)]
fn open_components(root: &Path, below: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open, openat};

    /// Entering a folder needs the right to search it, not to list it.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const ENTER: OFlags = OFlags::PATH;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const ENTER: OFlags = OFlags::RDONLY;
    const FOLDER: OFlags = ENTER.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    let mut folder = open(root, FOLDER, Mode::empty())?;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        use rustix::fs::{ResolveFlags, openat2};
        use rustix::io::Errno;

        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match quietly(|flags| openat2(&folder, below, flags, Mode::empty(), resolve)) {
            // An old kernel, or a sandbox that does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return Ok(File::from(opened?)),
        }
    }
    let mut components = below.components().peekable();
    while let Some(component) = components.next() {
        let std::path::Component::Normal(name) = component else {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        };
        if components.peek().is_none() {
            return Ok(File::from(quietly(|flags| openat(&folder, name, flags, Mode::empty()))?));
        }
        folder = openat(&folder, name, FOLDER, Mode::empty())?;
    }
    Err(io::Error::from(io::ErrorKind::NotFound))
}

/// Opens for reading, never waiting, and without moving the access time where that is allowed.
#[cfg(unix)]
fn quietly<T>(open: impl Fn(rustix::fs::OFlags) -> rustix::io::Result<T>) -> rustix::io::Result<T> {
    use rustix::fs::OFlags;

    const CAREFUL: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        // Only the owner may ask for it; everybody else is refused and asks again.
        match open(CAREFUL.union(OFlags::NOATIME)) {
            Err(rustix::io::Errno::PERM) => {}
            opened => return opened,
        }
    }
    open(CAREFUL)
}

#[cfg(not(unix))]
fn open_components(root: &Path, below: &Path) -> io::Result<File> {
    let path = root.join(below);
    let parent = path.parent().unwrap_or(root);
    let expected = root.canonicalize()?.join(below.parent().unwrap_or(Path::new("")));
    if path.symlink_metadata()?.is_symlink() || parent.canonicalize()? != expected {
        return Err(io::Error::from(io::ErrorKind::NotFound));
    }
    open_quietly(&path)
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_link_below_the_root_is_followed_and_links_above_it_are() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        fs::create_dir_all(top.join("root/a/b")).unwrap();
        fs::create_dir_all(top.join("outside/b")).unwrap();
        fs::write(top.join("root/a/b/c.md"), "inside").unwrap();
        fs::write(top.join("outside/b/c.md"), "outside").unwrap();
        symlink(top.join("outside"), top.join("root/link")).unwrap();
        symlink("a", top.join("root/within")).unwrap();
        symlink(top.join("root/a/b/c.md"), top.join("root/leaf.md")).unwrap();
        symlink(top, top.join("root/up")).unwrap();
        let root = top.join("root");
        assert_eq!(io::read_to_string(open_below(&root, &root.join("a/b/c.md")).unwrap()).unwrap(), "inside");
        for name in ["link/b/c.md", "within/b/c.md", "leaf.md", "up/root/a/b/c.md", "a/../link/b/c.md", "gone.md"] {
            assert!(open_below(&root, &root.join(name)).is_err(), "{name}");
        }
        for name in ["link/b/c.md", "within/b/c.md", "leaf.md", "link/b/gone.md"] {
            assert!(passes_link(&root, &root.join(name)), "{name}");
        }
        for name in ["a/b/c.md", "a/gone.md", "gone/c.md"] {
            assert!(!passes_link(&root, &root.join(name)), "{name}");
        }
        assert!(open_below(&root, &top.join("outside/b/c.md")).is_err(), "it is not below this root");
        symlink(top, folder.path().join("alias")).unwrap();
        let aliased = top.join("alias/root");
        assert!(open_below(&aliased, &aliased.join("a/b/c.md")).is_ok());
        assert!(open_below(&root.join("a/b/c.md"), &root.join("a/b/c.md")).is_ok(), "a root that is a file");
    }

    #[test]
    fn the_outermost_root_is_the_border() {
        let roots = ["/a/b", "/a", "/c"].map(PathBuf::from);
        assert_eq!(outermost_root(&roots, Path::new("/a/b/x.md")), Some(Path::new("/a")));
        assert_eq!(outermost_root(&roots, Path::new("/ab/x.md")), None);
    }
}
