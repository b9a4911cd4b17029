//! The table of formats on the wire.

use bethink_engine::FormatEntry;
use schemars::JsonSchema;
use serde::Serialize;

/// One kind of file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Format {
    /// Always `format`.
    #[serde(rename = "type")]
    pub object: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What decides that a file is one.
    pub detected_by: &'static str,
    /// What a hit in it points at.
    pub locator: &'static str,
    /// What its text does not carry.
    pub lost: &'static str,
    /// Where reading stops.
    pub limits: &'static str,
}

impl From<&FormatEntry> for Format {
    fn from(entry: &FormatEntry) -> Self {
        let FormatEntry { name, detected_by, locator, lost, limits } = *entry;
        Self { object: "format", name, detected_by, locator, lost, limits }
    }
}
