//! `cargo xtask arrows`: the rules of the house that a compiler does not know.
//!
//! - [`table`]: the rules themselves, as data with reasons. A new arrow or exception is a line there.
//! - [`workspace`]: what cargo says about crates and their dependencies.
//! - [`edges`]: which crate may use which, and which outside crates are fenced.
//! - [`supply`]: what comes from outside: network clients, doubled versions, licences, sources.
//! - [`source`]: a small reading of Rust source into code, strings and test regions.
//! - [`tree`]: the files: SQL outside the store, unsafe, printing, names, lengths.
//!
//! Each check is a function from data to findings and reads no disk itself, so that the checker is
//! tested on made-up crates that break each rule.

mod edges;
mod source;
mod supply;
mod table;
mod tree;
mod workspace;

pub use workspace::target_folder;

use std::fmt;
use std::path::Path;

use anyhow::{Result, bail};

use crate::place;

/// One broken rule, told so that the reader knows what to change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where: a crate, or `path:line`.
    place: String,
    /// The rule's short name.
    rule: &'static str,
    /// What is wrong and what to do about it.
    message: String,
}

impl Finding {
    fn new(place: impl Into<String>, rule: &'static str, message: impl Into<String>) -> Self {
        Self { place: place.into(), rule, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}: {}", self.place, self.rule, self.message)
    }
}

/// Checks the clone and prints what it found.
pub fn run() -> Result<()> {
    let repository = place::repository()?;
    let (findings, summary) = check(&repository)?;
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("{} broken rule(s); the rules and their exceptions are in xtask/src/arrows/table.rs", findings.len());
    }
    println!("arrows: {summary}; every rule holds");
    Ok(())
}

fn check(repository: &Path) -> Result<(Vec<Finding>, String)> {
    let workspace = workspace::Workspace::read(repository)?;
    let files = tree::read(repository, &workspace)?;
    let mut findings = edges::check(&workspace.members);
    findings.extend(supply::check(&workspace.shipped));
    findings.extend(tree::check(&files));
    findings.sort();
    findings.dedup();
    let summary = format!(
        "{} crates, {} source files, {} packages in the default build",
        workspace.members.len(),
        files.len(),
        workspace.shipped.len()
    );
    Ok((findings, summary))
}
