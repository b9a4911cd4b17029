//! What a surface says when it cannot answer.

use schemars::JsonSchema;
use serde::Serialize;

/// Why there is no answer, and what to do next. Every error of REST has this shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ErrorObject {
    /// Always `error`.
    #[serde(rename = "type")]
    pub object: &'static str,
    /// A word for programs: `bad_arguments`, `unauthorized`, `wrong_host`, `wrong_origin`, `not_found`,
    /// `no_such_tool`, `no_such_route`, `wrong_method`, `too_large`, `too_slow`, `nothing_indexed`,
    /// `failed`.
    pub code: &'static str,
    /// What went wrong, in words.
    pub message: String,
    /// What to do next, in words.
    pub next: String,
}
