//! Files inside files: how they are named, and who decides about them.

use std::collections::{HashMap, HashSet};

use bethink_core::UnixMillis;

use crate::extraction::Extraction;

/// Meets the files inside a container, one after another.
pub trait MemberVisitor {
    /// Whether a member is to be read: the place to refuse secrets and to recognise what is known
    /// already. A member that is not admitted is not read, and [`Self::read`] does not meet it.
    fn admits(&mut self, path: &str, bytes: &[u8]) -> bool;

    /// Takes a member that was read. False: no more of this container.
    fn read(&mut self, member: MemberFile<'_>) -> bool;
}

/// A file inside a container, read.
#[derive(Debug)]
pub struct MemberFile<'a> {
    /// Its path inside the outermost container; of a member of a member with `!/` between the two.
    /// Relative, without `.` and `..`, with `/` between its parts, never empty, and no two are alike.
    pub path: String,
    /// When it was last changed, where the container says so.
    pub modified: Option<UnixMillis>,
    /// Its bytes; empty where they could not be had, for the reason that is in `extraction`.
    pub bytes: &'a [u8],
    /// What came of it.
    pub extraction: Extraction,
}

/// Longest path inside a container that is kept, in bytes.
const PATH_BYTES: usize = 4096;

/// The names given out for one container's members.
#[derive(Debug, Default)]
pub(crate) struct MemberNames {
    taken: HashSet<String>,
    /// The last number tried for a name that came more than once.
    numbers: HashMap<String, u32>,
}

impl MemberNames {
    /// The clean name of a member that calls itself so; `None` for a folder or for nothing. Members of the
    /// same name, which ZIP and mail allow, are told apart by a number.
    pub(crate) fn name(&mut self, raw: &str) -> Option<String> {
        let clean = clean(raw)?;
        if self.taken.insert(clean.clone()) {
            return Some(clean);
        }
        let number = self.numbers.entry(clean.clone()).or_insert(1);
        loop {
            *number = number.checked_add(1)?;
            let name = numbered(&clean, *number);
            if self.taken.insert(name.clone()) {
                return Some(name);
            }
        }
    }
}

/// `a/b.txt` as `a/b (2).txt`.
fn numbered(name: &str, number: u32) -> String {
    let file_at = name.rfind('/').map_or(0, |slash| slash + 1);
    match name[file_at..].rfind('.').filter(|dot| *dot > 0) {
        Some(dot) => format!("{} ({number}){}", &name[..file_at + dot], &name[file_at + dot..]),
        None => format!("{name} ({number})"),
    }
}

/// The parts of a path that a person would see: no root, no drive, no way up, no control characters, and
/// no folder that ends as the separator of members begins.
fn clean(raw: &str) -> Option<String> {
    if raw.ends_with(['/', '\\']) {
        return None;
    }
    // Before the parts are told apart: a dot, a zero and a dot are two dots to whoever drops the zero.
    let mut visible = raw.replace(char::is_control, "");
    if visible.len() > PATH_BYTES {
        // The end tells the file and its format.
        visible.drain(..visible.ceil_char_boundary(visible.len() - PATH_BYTES));
    }
    let leads_on = |part: &&str| !matches!(*part, "" | "." | "..");
    let parts: Vec<&str> = visible.split(['/', '\\']).map(str::trim).filter(leads_on).collect();
    let (file, folders) = parts.split_last()?;
    let folders = folders.iter().map(|folder| folder.trim_end_matches(['!', ' '])).filter(leads_on);
    Some(folders.chain([*file]).collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else_and_are_told_apart() {
        let mut names = MemberNames::default();
        let cases = [
            ("a/b.txt", Some("a/b.txt")),
            ("/etc/passwd", Some("etc/passwd")),
            ("..\\..\\b.txt", Some("b.txt")),
            ("./a//b.txt", Some("a/b (2).txt")),
            ("a/b.txt", Some("a/b (3).txt")),
            ("a/", None),
            ("", None),
            ("..", None),
            ("x\u{0}y", Some("xy")),
            ("\u{5}/.\u{0}./c.txt", Some("c.txt")),
            ("in.zip!/d.txt", Some("in.zip/d.txt")),
            ("..!/!/wow!", Some("wow!")),
            (".env", Some(".env")),
            (".env", Some(".env (2)")),
        ];
        for (raw, name) in cases {
            assert_eq!(names.name(raw).as_deref(), name, "{raw:?}");
        }
    }

    #[test]
    fn a_number_that_is_taken_is_passed_over() {
        let mut names = MemberNames::default();
        let given: Vec<_> = ["a (2)", "a", "a", "a"].iter().filter_map(|raw| names.name(raw)).collect();
        let distinct: HashSet<_> = given.iter().collect();
        assert_eq!(distinct.len(), 4, "{given:?}");
    }
}
