//! How good a hit is, and why.

use std::fmt;

/// A fused score in 0..=1; comparable inside one answer only.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Score(pub f32);

/// How much an answer as a whole deserves to be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum MatchStrength {
    /// Nothing relevant: an agent should stop here.
    #[default]
    None,
    /// Something near; worth a look, not worth a claim.
    Weak,
    /// The words or the meaning stand there.
    Strong,
}

impl MatchStrength {
    /// The word for it in output and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Weak => "weak",
            Self::Strong => "strong",
        }
    }
}

impl fmt::Display for MatchStrength {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().fmt(formatter)
    }
}

/// Why a score is what it is: a tree whose leaves add up to its root.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explanation {
    /// This node's contribution.
    pub value: f32,
    /// What it is: `relevance`, `lexical`, `semantic`, `title`.
    pub name: String,
    /// How it came about: the terms that matched, the rank in its channel.
    pub detail: String,
    /// Its parts.
    pub children: Vec<Explanation>,
}
