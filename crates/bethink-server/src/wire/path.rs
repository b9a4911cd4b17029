//! Paths on the wire, without loss.

use std::fmt::Write as _;
use std::path::Path;

use bethink_core::path_bytes;

/// A path as two fields: text that reads like it and, only where the path is not UTF-8, its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WirePath {
    /// The path; exact unless `bytes` is there, where U+FFFD stands for what is not text.
    pub text: String,
    /// The exact bytes in lower-case hexadecimal, two digits each.
    pub bytes: Option<String>,
}

impl From<&Path> for WirePath {
    fn from(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self { text: text.to_owned(), bytes: None },
            None => {
                let mut bytes = String::new();
                for byte in path_bytes(path) {
                    // Writing to a string cannot fail.
                    let _ = write!(bytes, "{byte:02x}");
                }
                Self { text: path.to_string_lossy().into_owned(), bytes: Some(bytes) }
            }
        }
    }
}

/// A path as text alone, for places where it is only read.
pub(crate) fn text(path: &Path) -> String {
    WirePath::from(path).text
}

/// The extension, lower case and without its dot; empty where there is none.
pub fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_paths_carry_no_bytes() {
        assert_eq!(WirePath::from(Path::new("/a/ü\n.md")), WirePath { text: "/a/ü\n.md".into(), bytes: None });
        assert_eq!(extension(Path::new("/a/B.MD")), "md");
        assert_eq!(extension(Path::new("/a/.env")), "");
    }

    #[cfg(unix)]
    #[test]
    fn other_paths_keep_every_byte() {
        let path = bethink_core::path_from_bytes(b"/a/\xff.md");
        let wire = WirePath::from(path.as_path());
        assert_eq!(wire.text, "/a/\u{FFFD}.md");
        assert_eq!(wire.bytes.as_deref(), Some("2f612fff2e6d64"));
    }
}
