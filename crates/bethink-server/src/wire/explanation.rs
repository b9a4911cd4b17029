//! Why a score is what it is.

use schemars::JsonSchema;
use serde::Serialize;

use super::score::rounded;

/// A node of the explanation: its children's values add up to its own.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// This node's contribution.
    pub value: f64,
    /// What it is.
    pub name: String,
    /// How it came about.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Its parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Explanation>,
}

/// How deep an explanation is written out. The deepest that the ranking makes is four.
const DEEPEST: usize = 16;

impl From<&bethink_core::Explanation> for Explanation {
    fn from(explanation: &bethink_core::Explanation) -> Self {
        Self::to_depth(explanation, DEEPEST)
    }
}

impl Explanation {
    fn to_depth(explanation: &bethink_core::Explanation, depth: usize) -> Self {
        let children = match depth.checked_sub(1) {
            Some(rest) => explanation.children.iter().map(|child| Self::to_depth(child, rest)).collect(),
            None => Vec::new(),
        };
        Self {
            value: rounded(explanation.value),
            name: explanation.name.clone(),
            detail: explanation.detail.clone(),
            children,
        }
    }
}
