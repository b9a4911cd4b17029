//! What is wrong and why: `bethink doctor --json`.

use schemars::JsonSchema;
use serde::Serialize;

use super::path::{WirePath, text};

/// A file that could not be read, or has no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Trouble {
    /// Always `trouble`.
    #[serde(rename = "type")]
    pub object: &'static str,
    /// The file.
    pub path: String,
    /// The path's bytes in hexadecimal, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// `skipped` or `failed`.
    pub outcome: String,
    /// The reason's kind.
    pub reason: String,
    /// One sentence.
    pub detail: String,
}

impl From<&bethink_engine::Trouble> for Trouble {
    fn from(trouble: &bethink_engine::Trouble) -> Self {
        let path = WirePath::from(trouble.path.as_path());
        Self {
            object: "trouble",
            path: path.text,
            path_bytes: path.bytes,
            outcome: trouble.outcome.to_owned(),
            reason: trouble.reason.to_owned(),
            detail: trouble.detail.clone(),
        }
    }
}

/// A named fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Detail {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// Why a path is in or out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Why {
    /// Always `why`.
    #[serde(rename = "type")]
    pub object: &'static str,
    /// The path.
    pub path: String,
    /// Whether its text is searchable now.
    pub searchable: bool,
    /// One sentence.
    pub because: String,
    /// The file and line that hold the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// How it was read, where it was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Detail>,
}

impl From<&bethink_engine::WhyPath> for Why {
    fn from(why: &bethink_engine::WhyPath) -> Self {
        Self {
            object: "why",
            path: text(&why.path),
            searchable: why.searchable,
            because: why.because.clone(),
            rule: why.rule.clone(),
            details: why
                .details
                .iter()
                .map(|(name, value)| Detail { name: name.clone(), value: value.clone() })
                .collect(),
        }
    }
}

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// Always `diagnosis`.
    #[serde(rename = "type")]
    pub object: &'static str,
    /// What was checked.
    pub what: String,
    /// Whether it is well.
    pub well: bool,
    /// What was found, and the next command where there is one.
    pub finding: String,
}

impl From<&bethink_engine::Diagnosis> for Diagnosis {
    fn from(diagnosis: &bethink_engine::Diagnosis) -> Self {
        Self {
            object: "diagnosis",
            what: diagnosis.what.clone(),
            well: diagnosis.well,
            finding: diagnosis.finding.clone(),
        }
    }
}
