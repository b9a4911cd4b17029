//! The audit trail: who looked at what.

use bethink_core::UnixMillis;

/// One call of a tool over the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// When it was.
    pub time: UnixMillis,
    /// The tool's name.
    pub tool: String,
    /// What it was given.
    pub arguments: String,
    /// The ids that it answered with.
    pub answered: Vec<String>,
}
