//! The hit line: `path:line (score, place) — excerpt`.

use std::fmt;

use super::look::Look;
use super::shown::shown_line;
use crate::wire;

/// The parts of a hit line, each fit to be shown, so that a terminal may colour them apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HitLine {
    /// The path as told from where the reader stands.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, where the line is long.
    pub column: Option<u32>,
    /// `0.83`.
    pub score: String,
    /// Page, slide, …; empty where the line says it all.
    pub place: String,
    /// One line of the file's text.
    pub excerpt: String,
    /// What to know about the hit: stale, moved, copies.
    pub remarks: Vec<String>,
}

impl HitLine {
    /// The line of a hit.
    pub fn new(hit: &wire::Hit, look: &Look) -> Self {
        let mut remarks: Vec<String> = hit.caveat.map(str::to_owned).into_iter().collect();
        if let Some(from) = &hit.moved_from {
            remarks.push(format!("moved from {}", look.path(from)));
        }
        match &hit.copies[..] {
            [] => {}
            [copy] => remarks.push(format!("same as {}", look.path(copy))),
            [copy, rest @ ..] => remarks.push(format!("same as {} and {} more", look.path(copy), rest.len())),
        }
        let place = if hit.locator == format!("line {}", hit.line) { "" } else { &hit.locator };
        Self {
            path: look.path(&hit.path),
            line: hit.line,
            column: hit.column,
            score: format!("{:.2}", hit.score),
            place: shown_line(place).into_owned(),
            excerpt: shown_line(&hit.excerpt).trim().to_owned(),
            remarks,
        }
    }
}

impl fmt::Display for HitLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.path, self.line)?;
        if let Some(column) = self.column {
            write!(formatter, ":{column}")?;
        }
        write!(formatter, " ({}", self.score)?;
        if !self.place.is_empty() {
            write!(formatter, ", {}", self.place)?;
        }
        write!(formatter, ")")?;
        // What was found by its name alone may have no text to show.
        if !self.excerpt.is_empty() {
            write!(formatter, " — {}", self.excerpt)?;
        }
        if !self.remarks.is_empty() {
            write!(formatter, " [{}]", self.remarks.join("; "))?;
        }
        Ok(())
    }
}

/// What was searched, in one sentence: `searched 7,201 of 7,207 documents; 6 unreadable`.
pub fn ask_header(summary: &wire::Summary) -> String {
    let mut header = if summary.searched == summary.documents {
        format!("searched {}", super::plural(summary.documents, "document"))
    } else {
        format!("searched {} of {}", super::grouped(summary.searched), super::plural(summary.documents, "document"))
    };
    if let Some(within) = &summary.looked_in.within {
        header.push_str(&format!(", only under {}", shown_line(within)));
    }
    if summary.unreadable > 0 {
        header.push_str(&format!("; {} unreadable", super::grouped(summary.unreadable)));
    }
    header
}
