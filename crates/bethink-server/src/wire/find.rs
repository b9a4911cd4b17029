//! Files by name, kind and time: `bethink find`, `find_file`.

use std::time::Duration;

use bethink_engine::FindAnswer;
use schemars::JsonSchema;
use serde::Serialize;

use super::ask::millis;
use super::moment::rfc3339;
use super::path::{WirePath, extension, text};
use super::score::rounded;

/// One file or folder. It has the fields of every hit, `null` where a name has no such thing, so
/// that one reader serves all commands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FindHit {
    /// Always `hit`.
    #[serde(rename = "type")]
    pub object: &'static str,
    /// Position, from 1.
    pub rank: usize,
    /// 0 to 1, comparable inside one answer.
    pub score: f64,
    /// Absolute path.
    pub path: String,
    /// The path's bytes in hexadecimal, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// A name stands on no line: always `null`.
    pub line: Option<u32>,
    /// Always `null`.
    pub locator: Option<String>,
    /// Always `null`.
    pub title: Option<String>,
    /// `document`, `image`, `folder`, …
    pub kind: String,
    /// Extension, lower case, without its dot.
    pub ext: String,
    /// Always `null`.
    pub excerpt: Option<String>,
    /// When it was last modified.
    pub modified: String,
    /// `weak` where the name is only like what was asked for, else `strong`.
    #[serde(rename = "match")]
    pub strength: &'static str,
    /// Always `null`: files are found whether they are indexed or not.
    pub document_id: Option<u64>,
    /// Size in bytes; 0 for folders.
    pub size: u64,
    /// When it was last opened, where anybody knows.
    pub opened: Option<String>,
    /// Who says so: `recently-used`, `desktop-activity`, `last-used`, `recent-link`, `access-time`.
    pub opened_source: Option<&'static str>,
    /// How the name matched: `exact`, `prefix`, `words`, `substring`, `typo`, `time`.
    pub how: String,
}

impl From<&bethink_engine::FindHit> for FindHit {
    fn from(hit: &bethink_engine::FindHit) -> Self {
        let path = WirePath::from(hit.path.as_path());
        Self {
            object: "hit",
            rank: hit.rank,
            score: rounded(hit.score),
            path: path.text,
            path_bytes: path.bytes,
            line: None,
            locator: None,
            title: None,
            kind: hit.kind.name().to_owned(),
            ext: extension(&hit.path),
            excerpt: None,
            modified: rfc3339(hit.modified),
            strength: if hit.how == "typo" { "weak" } else { "strong" },
            document_id: None,
            size: hit.size_bytes,
            opened: hit.opened.map(|opened| rfc3339(opened.at)),
            opened_source: hit.opened.map(|opened| opened.source.name()),
            how: hit.how.to_owned(),
        }
    }
}

/// A place that was looked in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// `work folders`, `home`, `other volumes`.
    pub place: String,
    /// Names there.
    pub names: u64,
    /// Whether all of it was looked through within the time limit.
    pub complete: bool,
}

/// Where was looked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindWhere {
    /// The places, in order.
    pub places: Vec<Place>,
}

/// A better match that the kind filter hides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HiddenByKind {
    /// Where it is.
    pub path: String,
    /// What it is.
    pub kind: String,
}

/// What a time phrase came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Window {
    /// `opened` or `modified`.
    pub what: String,
    /// The phrase.
    pub phrase: String,
    /// First moment inside.
    pub start: String,
    /// First moment after.
    pub end: String,
}

/// What sums an answer up.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FindSummary {
    /// Always `summary`.
    #[serde(rename = "type")]
    pub object: &'static str,
    /// The query, as asked.
    pub query: String,
    /// Hits in the answer.
    pub hits: usize,
    /// `none` where nothing was found; `weak` where names are only alike.
    #[serde(rename = "match")]
    pub strength: &'static str,
    /// Names known where was looked.
    pub documents: u64,
    /// Names that were searched.
    pub searched: u64,
    /// Always 0: names wait for nothing.
    pub pending: u64,
    /// Places that were not looked through to their end.
    pub unreadable: u64,
    /// Where was looked.
    #[serde(rename = "where")]
    pub looked_in: FindWhere,
    /// The nearest names, where nothing was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
    /// A better match of another kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden_by_kind: Option<HiddenByKind>,
    /// What the time phrases came to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<Window>,
    /// Sentences that the reader should know.
    pub notes: Vec<String>,
    /// Wall time of the answer in milliseconds.
    pub elapsed_ms: u64,
}

impl FindSummary {
    /// The summary of an answer that took so long.
    pub fn new(answer: &FindAnswer, elapsed: Duration) -> Self {
        let places: Vec<Place> = answer
            .looked_in
            .iter()
            .map(|place| Place { place: place.place.to_owned(), names: place.names, complete: place.complete })
            .collect();
        let names = places.iter().fold(0_u64, |sum, place| sum.saturating_add(place.names));
        let strength = match &answer.hits[..] {
            [] => "none",
            hits if hits.iter().all(|hit| hit.how == "typo") => "weak",
            _ => "strong",
        };
        Self {
            object: "summary",
            query: answer.query.clone(),
            hits: answer.hits.len(),
            strength,
            documents: names,
            searched: names,
            pending: 0,
            unreadable: places.iter().filter(|place| !place.complete).count() as u64,
            looked_in: FindWhere { places },
            nearest: answer.nearest.iter().map(|path| text(path)).collect(),
            hidden_by_kind: answer
                .hidden_by_kind
                .as_ref()
                .map(|hidden| HiddenByKind { path: text(&hidden.path), kind: hidden.kind.name().to_owned() }),
            windows: answer
                .windows
                .iter()
                .map(|window| Window {
                    what: window.what.to_owned(),
                    phrase: window.phrase.clone(),
                    start: rfc3339(window.start),
                    end: rfc3339(window.end),
                })
                .collect(),
            notes: answer.notes.clone(),
            elapsed_ms: millis(elapsed),
        }
    }
}
