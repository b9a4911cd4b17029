//! Rows and keys: the header of delimited values, and the top-level entries of configuration.

use bethink_core::{Extracted, Format, Locator};

use super::heading::{Trail, shorten};
use super::{Scope, Section};
use crate::line::{bare, lines};

/// One section whose heading is the header row, so that every group of rows names its columns.
pub(crate) fn header(text: &str) -> Vec<Section> {
    let first = lines(text).map(|range| bare(&text[range]).trim()).find(|line| !line.is_empty());
    let path = first.map(shorten).into_iter().collect();
    vec![Section { start: 0, path, body: 0 }]
}

/// One section a sheet, under the sheet's name and its header row, so that every group of rows names its
/// columns. The header is the first row of two cells or more: titles and notes stand above it.
pub(crate) fn sheets(extracted: &Extracted) -> Vec<Section> {
    let text = extracted.text.as_str();
    let mut starts: Vec<(usize, &str)> = Vec::new();
    for mark in &extracted.marks {
        if let Locator::Sheet { name, .. } = &mark.locator
            && starts.last().is_none_or(|(_, last)| last != name)
        {
            starts.push((mark.offset, name));
        }
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([text.len()]);
    let mut sections = Vec::new();
    for ((start, name), end) in starts.iter().zip(ends) {
        let rows = text.get(*start..end).unwrap_or_default();
        let mut named = rows.lines().filter(|row| !row.trim().is_empty()).take(ROWS_SEARCHED_FOR_HEADER);
        let header = named.find(|row| row.split('\t').filter(|cell| !cell.trim().is_empty()).count() > 1);
        let path = [Some(*name), header].into_iter().flatten().map(shorten).filter(|title| !title.is_empty()).collect();
        sections.push(Section { start: *start, path, body: *start });
    }
    sections
}

/// A header stands near the top or nowhere.
const ROWS_SEARCHED_FOR_HEADER: usize = 10;

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
    use bethink_core::Mark;

    #[test]
    fn a_sheet_is_a_section_under_its_name_and_header() {
        let mark = |offset, name: &str, row| Mark { offset, locator: Locator::Sheet { name: name.to_owned(), row } };
        let text = "Budget of 2026\nItem\tCost\nRent\t900\nlonely\n";
        let marks = vec![mark(0, "Home", 1), mark(15, "Home", 2), mark(35, "Notes", 1)];
        let extracted = Extracted { format: Format::Xlsx, text: text.to_owned(), marks, ..Extracted::default() };
        let found = sheets(&extracted);
        let paths: Vec<_> = found.iter().map(|section| (section.start, section.path.join(" > "))).collect();
        assert_eq!(paths, [(0, "Home > Item Cost".to_owned()), (35, "Notes".to_owned())]);
    }

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
