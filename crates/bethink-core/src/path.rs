//! Paths as bytes, without loss. A path on Unix is any bytes but NUL; the store keeps those bytes
//! and only what is shown to people is made into text.

use std::path::{Path, PathBuf};

/// The path's bytes as the platform gives them (on Unix exactly; elsewhere as UTF-8, with
/// unpaired surrogates replaced).
pub fn path_bytes(path: &Path) -> Vec<u8> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        path.as_os_str().as_bytes().to_vec()
    }
    #[cfg(not(unix))]
    {
        path.to_string_lossy().into_owned().into_bytes()
    }
}

/// The path of those bytes: the inverse of [`path_bytes`].
pub fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    {
        PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
    }
}
