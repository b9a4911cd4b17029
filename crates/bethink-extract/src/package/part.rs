//! One part of a package, unpacked as far as it may be.

use std::io::Read;

use bethink_core::{Problem, ProblemKind};

use crate::extraction::problem;

/// The path of a part that another one names: beside that one's folder, or from the package's root.
pub(crate) fn path_beside(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = if target.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join("/")
}

/// What a part holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its bytes, or as many of them as could be had.
    pub(crate) bytes: Vec<u8>,
    /// Why there are no more, where it ends early.
    pub(crate) problem: Option<Problem>,
}

impl Part {
    /// Unpacks up to so many bytes. A checksum that does not fit is met behind the last byte: the text is
    /// there and is kept.
    pub(super) fn unpack(entry: impl Read, most: u64) -> Self {
        let mut bytes = Vec::new();
        // One more than may be had tells a part that ends at the cap from one that goes on.
        let outcome = entry.take(most.saturating_add(1)).read_to_end(&mut bytes);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        if bytes.len() > most {
            bytes.truncate(most);
            let detail = format!("a part of it unpacks to more than {} MiB; the rest is not read", most >> 20);
            return Self { bytes, problem: Some(problem(ProblemKind::Limit, detail)) };
        }
        let broken = |_| problem(ProblemKind::Damaged, "a part of it does not unpack to its end");
        Self { bytes, problem: outcome.err().map(broken) }
    }
}
