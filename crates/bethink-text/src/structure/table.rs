//! Rows and keys: the header of delimited values, and the top-level entries of configuration.

use bethink_core::Format;

use super::heading::{Trail, shorten};
use super::{Scope, Section};
use crate::line::{bare, lines};

/// One section whose heading is the header row, so that every group of rows names its columns.
pub(crate) fn header(text: &str) -> Vec<Section> {
    let first = lines(text).map(|range| bare(&text[range]).trim()).find(|line| !line.is_empty());
    let path = first.map(shorten).into_iter().collect();
    vec![Section { start: 0, path, body: 0 }]
}

/// Places to cut at a top-level entry, and at a nested one, in the cutter's scale.
const TOP_STRENGTH: u8 = 6;

/// Top-level entries: `[table]` lines of TOML and INI, keys at the outermost indentation of YAML
/// and at the first inner one of JSON. An entry of one line opens no scope.
pub(crate) fn scopes(text: &str, format: Format) -> Vec<Scope> {
    let mut found: Vec<Scope> = Vec::new();
    let mut inner_indent = None;
    for range in lines(text) {
        let line = bare(&text[range.clone()]);
        let trimmed = line.trim();
        let indent = line.len() - line.trim_start().len();
        let name = match format {
            Format::Toml => (trimmed.starts_with('[') && trimmed.ends_with(']') && indent == 0).then_some(trimmed),
            Format::Yaml => yaml_key(line),
            _ => {
                if inner_indent.is_none() && trimmed.starts_with('"') && indent > 0 {
                    inner_indent = Some(indent);
                }
                (Some(indent) == inner_indent).then(|| json_key(trimmed)).flatten()
            }
        };
        let Some(name) = name else { continue };
        let mut trail = Trail::default();
        trail.open(1, name);
        found.push(Scope { start: range.start, path: trail.path(), strength: TOP_STRENGTH });
    }
    found
}

fn yaml_key(line: &str) -> Option<&str> {
    let (key, _) = line.split_once(':')?;
    let plain = !key.is_empty() && !key.starts_with([' ', '\t', '#', '-', '{', '[', '%', '&', '!']);
    (plain && line[key.len() + 1..].chars().next().is_none_or(char::is_whitespace))
        .then(|| key.trim_matches(['"', '\'']))
}

fn json_key(trimmed: &str) -> Option<&str> {
    let (key, rest) = trimmed.strip_prefix('"')?.split_once('"')?;
    rest.trim_start().starts_with(':').then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, format: Format) -> Vec<String> {
        scopes(text, format).iter().map(|scope| scope.path.join(" > ")).collect()
    }

    #[test]
    fn top_level_entries_are_named() {
        assert_eq!(names("a: 1\nservices:\n  web:\n    x: 1\n- b: 2\n", Format::Yaml), ["a", "services"]);
        assert_eq!(names("[package]\nname = 1\n[[bin]]\n", Format::Toml), ["[package]", "[[bin]]"]);
        assert_eq!(names("{\n  \"a\": {\n    \"x\": 1\n  },\n  \"b\": 2\n}\n", Format::Json), ["a", "b"]);
    }
}
