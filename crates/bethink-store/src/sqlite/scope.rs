//! "At or under a path", as a range over the bytes of paths.
//!
//! What lies under `/a/b` starts with `/a/b/`, and the bytes right behind all of those are `/a/b0`,
//! since `0` is the byte after `/`. So a scope is one exact path and one half-open range, both
//! answered by the index on paths, and `/a/bc` is in neither.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use bethink_core::path_bytes;

/// The paths at or under one path, or all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scope {
    /// The path itself; `None` where the scope is everything.
    pub(super) exact: Option<Vec<u8>>,
    /// First bytes of the range, inclusive.
    pub(super) lower: Vec<u8>,
    /// End of the range, exclusive; `None` where it has none.
    pub(super) upper: Option<Vec<u8>>,
}

impl Scope {
    /// The scope at or under a path; `None` is everything. Doubled and trailing separators and `.`
    /// are of no meaning, as everywhere in paths.
    pub(super) fn new(under: Option<&Path>) -> Self {
        let Some(under) = under else {
            return Self { exact: None, lower: Vec::new(), upper: None };
        };
        let exact = path_bytes(&under.components().collect::<PathBuf>());
        let separator = MAIN_SEPARATOR as u8;
        let mut lower = exact.clone();
        if lower.last() != Some(&separator) {
            lower.push(separator);
        }
        let mut upper = lower.clone();
        if let Some(last) = upper.last_mut() {
            *last = separator + 1;
        }
        Self { exact: Some(exact), lower, upper: Some(upper) }
    }

    /// What of the scope comes after a path, in the order of bytes.
    pub(super) fn after(mut self, after: Option<&Path>) -> Self {
        let Some(after) = after.map(path_bytes) else { return self };
        self.exact.take_if(|exact| *exact <= after);
        // The successor of a string of bytes, in their order, is that string with a zero behind it.
        let mut successor = after;
        successor.push(0);
        self.lower = self.lower.max(successor);
        self
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn holds(scope: &Scope, path: &str) -> bool {
        let bytes = path.as_bytes();
        scope.exact.as_deref() == Some(bytes)
            || (scope.lower.as_slice() <= bytes && scope.upper.as_deref().is_none_or(|upper| bytes < upper))
    }

    #[test]
    fn a_folder_holds_what_is_in_it_and_no_namesake() {
        for written in ["/a/b", "/a/b/", "/a//b", "/a/./b/"] {
            let scope = Scope::new(Some(Path::new(written)));
            for inside in ["/a/b", "/a/b/c", "/a/b/\u{10ffff}/x", "/a/b/c/d"] {
                assert!(holds(&scope, inside), "{written} {inside}");
            }
            for outside in ["/a/bc", "/a/b-c/d", "/a", "/a/b0", "/a/B/c", "/a/b.txt"] {
                assert!(!holds(&scope, outside), "{written} {outside}");
            }
        }
    }

    #[test]
    fn the_root_of_all_paths_holds_every_path() {
        let scope = Scope::new(Some(Path::new("/")));
        assert!(holds(&scope, "/a") && holds(&scope, "/~"));
        assert!(holds(&Scope::new(None), "/a"));
    }

    #[test]
    fn continuing_after_a_path_leaves_out_that_path_only() {
        let scope = Scope::new(Some(Path::new("/a"))).after(Some(Path::new("/a/b")));
        assert!(!holds(&scope, "/a") && !holds(&scope, "/a/b"));
        assert!(holds(&scope, "/a/b/c") && holds(&scope, "/a/b "));
    }
}
