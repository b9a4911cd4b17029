//! Files inside files: `archive.zip!/inner/report.pdf`.

use std::path::{Path, PathBuf};

use crate::{path_bytes, path_from_bytes};

/// Stands between a container's path and the path inside it.
pub const MEMBER_SEPARATOR: &str = "!/";

/// The path of a container's member, as people and agents see and type it.
pub fn member_path(container: &Path, inner: &str) -> PathBuf {
    let mut bytes = path_bytes(container);
    bytes.extend(MEMBER_SEPARATOR.as_bytes());
    bytes.extend(inner.as_bytes());
    path_from_bytes(&bytes)
}

/// The outermost container of a path and the path inside it; `None` where it names no member. Judged by
/// the path alone: a folder may be named `Hooray!`, so whoever has a disk looks there first.
pub fn split_member_path(path: &Path) -> Option<(PathBuf, String)> {
    let bytes = path_bytes(path);
    let separator = MEMBER_SEPARATOR.as_bytes();
    let at = bytes.windows(separator.len()).position(|window| window == separator)?;
    let inner = &bytes[at + separator.len()..];
    let whole = at > 0 && bytes[at - 1] != b'/' && !inner.is_empty();
    whole.then(|| (path_from_bytes(&bytes[..at]), String::from_utf8_lossy(inner).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_path_comes_apart_as_it_was_put_together() {
        let path = member_path(Path::new("/x/a.zip"), "b/c.tar!/d.txt");
        assert_eq!(path, Path::new("/x/a.zip!/b/c.tar!/d.txt"));
        let split = split_member_path(&path);
        assert_eq!(split, Some((PathBuf::from("/x/a.zip"), "b/c.tar!/d.txt".to_owned())));
        for none in ["/x/a.zip", "/x/a!", "/x/a!/", "/x/!/b"] {
            assert_eq!(split_member_path(Path::new(none)), None, "{none}");
        }
    }
}
