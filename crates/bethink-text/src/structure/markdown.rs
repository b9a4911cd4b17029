//! Markdown headings: ATX and setext, outside fences and front matter, and ATX as the text of a list
//! item, which is what outliners write. HTML comes from its extractor in this form as well.

use std::collections::HashSet;

use super::Section;
use super::heading::Sections;
use super::title::{LOOKED_AT_BYTES, Markup, plain};
use crate::line::{bare, lines};

/// Front matter that has not ended after this many lines is no front matter but a rule.
const LONGEST_FRONT_MATTER_LINES: usize = 200;

/// The sections of a Markdown text.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut sections = Sections::default();
    let mut fence = Fence::default();
    let definitions = definitions(text);
    let front_end = front_matter_end(text);
    if front_end > 0 {
        sections.block(0);
        sections.block(front_end);
    }
    // The paragraph that a setext underline would turn into a heading.
    let mut paragraph: Option<(usize, usize)> = None;
    let mut in_list = false;
    for range in lines(&text[front_end..]) {
        let range = range.start + front_end..range.end + front_end;
        let line = bare(&text[range.clone()]);
        if fence.reads(line) {
            paragraph = None;
        } else if let Some((level, title)) = atx(line) {
            sections.heading(range.start, range.end, level, &words(title, &definitions));
            paragraph = None;
        } else if let Some((level, title)) = item_heading(line, in_list) {
            in_list = true;
            sections.heading(range.start, range.end, level, &words(title, &definitions));
            paragraph = None;
        } else if let (Some((start, end)), Some(level)) = (paragraph, underline(line)) {
            sections.heading(start, range.end, level, &words(text[start..end].trim(), &definitions));
            paragraph = None;
        } else if line.trim().is_empty() {
            paragraph = None;
        } else if let Some((start, _)) = paragraph {
            // A setext heading of many lines is nearly always a paragraph above a rule.
            let short = text[start..range.end].len() <= 240;
            paragraph = short.then_some((start, range.end));
        } else if opens_paragraph(line) {
            paragraph = Some((range.start, range.end));
        }
        if is_list_item(line.trim_start()) {
            in_list |= columns(line) <= 3;
        } else if !line.is_empty() && !line.starts_with([' ', '\t']) {
            in_list = false;
        }
    }
    sections.finish()
}

/// Link definitions that are remembered; the longest changelogs have some thousands.
const MOST_DEFINITIONS: usize = 20_000;

/// The labels of link definitions: `[1.2.0]: https://…`.
fn definitions(text: &str) -> HashSet<&str> {
    let label = |line: &'_ str| line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("]:")).is_some();
    let defining = lines(text).map(|range| &text[range]).filter(|line| label(line)).take(MOST_DEFINITIONS);
    defining.filter_map(|line| line.trim_start()[1..].split_once("]:")).map(|(label, _)| label).collect()
}

/// The words of a title; brackets that make a link of a defined label are no words.
fn words(title: &str, definitions: &HashSet<&str>) -> String {
    let mut rest = &title[..title.floor_char_boundary(LOOKED_AT_BYTES)];
    let mut open = String::with_capacity(rest.len());
    while let Some(at) = rest.find('[') {
        let label = rest[at + 1..]
            .split_once(']')
            .filter(|(label, behind)| !behind.starts_with(['(', '[', ':']) && definitions.contains(label));
        let Some((label, behind)) = label else {
            open.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        };
        open.push_str(&rest[..at]);
        open.push_str(label);
        rest = behind;
    }
    open.push_str(rest);
    plain(&open, Markup::Markdown)
}

/// Where a YAML (`---`) or TOML (`+++`) block at the top of the text ends; 0 when there is none.
pub(crate) fn front_matter_end(text: &str) -> usize {
    let mut found = lines(text);
    let Some(first) = found.next() else { return 0 };
    let marker = bare(text[first].trim_start_matches('\u{FEFF}')).trim_end();
    if marker != "---" && marker != "+++" {
        return 0;
    }
    for (count, range) in found.enumerate() {
        let line = bare(&text[range.clone()]).trim_end();
        if line == marker || (marker == "---" && line == "...") {
            return range.end;
        }
        let blank_start = count == 0 && line.is_empty();
        if count >= LONGEST_FRONT_MATTER_LINES || blank_start {
            return 0;
        }
    }
    0
}

/// The state of fenced code while lines are read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fence {
    open: Option<OpenFence>,
}

#[derive(Debug, Clone, Copy)]
struct OpenFence {
    mark: u8,
    length: usize,
    /// Whether it stands so far in that it must belong to a list item.
    deep: bool,
}

impl Fence {
    /// Reads a line; tells whether it belongs to a fenced block, its fences included.
    pub(crate) fn reads(&mut self, line: &str) -> bool {
        let trimmed = line.trim_start_matches([' ', '\t']);
        if let Some(open) = self.open {
            // A list item ends at a line that is not indented, and what is open in it as well.
            if open.deep && !trimmed.is_empty() && columns(line) < 2 {
                self.open = None;
                return self.reads(line);
            }
            let run = trimmed.bytes().take_while(|byte| *byte == open.mark).count();
            if run >= open.length && trimmed[run..].trim().is_empty() {
                self.open = None;
            }
            return true;
        }
        let content = behind_list_markers(trimmed);
        let Some(&mark) = content.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~')) else { return false };
        let length = content.bytes().take_while(|byte| *byte == mark).count();
        if length < 3 || mark == b'`' && content[length..].contains('`') {
            return false;
        }
        self.open = Some(OpenFence { mark, length, deep: columns(line) >= 4 || content.len() < trimmed.len() });
        true
    }
}

/// The columns that a line is indented by, a tab for four.
fn columns(line: &str) -> usize {
    line.bytes()
        .map_while(|byte| [(b' ', 1), (b'\t', 4)].iter().find(|(blank, _)| *blank == byte))
        .map(|(_, width)| width)
        .sum()
}

/// What a list item holds, and the item in it where it begins with one.
fn behind_list_markers(trimmed: &str) -> &str {
    let mut content = trimmed;
    // Items in items on one line are rare; each turn strips one marker.
    for _ in 0..4 {
        if !is_list_item(content) {
            break;
        }
        let Some(blank) = content.find([' ', '\t']) else { break };
        content = content[blank..].trim_start_matches([' ', '\t']);
    }
    content
}

/// The heading that a list item begins with; far in only inside a list, where it is no indented code.
fn item_heading(line: &str, in_list: bool) -> Option<(usize, &str)> {
    let trimmed = line.trim_start_matches([' ', '\t']);
    if !in_list && columns(line) > 3 || !is_list_item(trimmed) {
        return None;
    }
    atx(behind_list_markers(trimmed)).filter(|(_, title)| !title.is_empty())
}

/// The level and title of an ATX heading.
pub(crate) fn atx(line: &str) -> Option<(usize, &str)> {
    let trimmed = line.trim_start_matches(' ');
    if line.len() - trimmed.len() > 3 {
        return None;
    }
    let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
    if !(1..=6).contains(&level) {
        return None;
    }
    let rest = &trimmed[level..];
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let title = rest.trim();
    let closed = title.trim_end_matches('#');
    let title = if closed.is_empty() || closed.ends_with([' ', '\t']) { closed.trim_end() } else { title };
    Some((level, title))
}

fn underline(line: &str) -> Option<usize> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let trimmed = line.trim();
    if indent > 3 || trimmed.is_empty() {
        return None;
    }
    if trimmed.bytes().all(|byte| byte == b'=') {
        Some(1)
    } else if trimmed.len() >= 2 && trimmed.bytes().all(|byte| byte == b'-') {
        Some(2)
    } else {
        None
    }
}

/// Whether a line can be the text of a setext heading: no list, quotation, table, rule or
/// indented code.
fn opens_paragraph(line: &str) -> bool {
    let trimmed = line.trim_start_matches(' ');
    let first = trimmed.as_bytes().first().copied().unwrap_or(b' ');
    line.len() - trimmed.len() <= 3
        && !matches!(first, b'>' | b'|' | b'\t' | b'<')
        && !is_list_item(trimmed)
        && trimmed.bytes().any(|byte| !matches!(byte, b'-' | b'=' | b'*' | b'_' | b' ' | b'|' | b':' | b'+'))
}

/// Whether a line (without its indentation) begins a list item.
pub(crate) fn is_list_item(trimmed: &str) -> bool {
    let bytes = trimmed.as_bytes();
    let digits = bytes.iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
    let marker = if digits > 0 && matches!(bytes.get(digits), Some(b'.' | b')')) {
        digits + 1
    } else if matches!(bytes.first(), Some(b'-' | b'*' | b'+')) {
        1
    } else {
        return trimmed.starts_with(['•', '–', '‣', '◦']);
    };
    matches!(bytes.get(marker), Some(b' ' | b'\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        sections(text).iter().map(|section| section.path.join(" > ")).collect()
    }

    #[test]
    fn headings_nest_by_level() {
        assert_eq!(paths("# A\n\n## B ##\ntext\n\nC\n=\n\nD d\n---\nx\n"), ["A", "A > B", "C", "C > D d"]);
        assert_eq!(paths("## [1.2.0] - 2026\n\n[x]: y\n[1.2.0]: https://z\n## [WIP] a\n"), ["1.2.0 - 2026", "[WIP] a"]);
        assert_eq!(paths("#hashtag\n    # code\n#\n"), [""]);
    }

    #[test]
    fn a_list_item_may_be_a_heading() {
        let outline = "- ## Usage\n\t- text\n\t- ### **How** to\n- ## End\n1. # One\n";
        assert_eq!(paths(outline), ["Usage", "Usage > How to", "End", "One"]);
        assert_eq!(paths("text\n\n    - # code\n- #tag\n- #\n"), [""; 0]);
    }

    #[test]
    fn fences_and_front_matter_hold_no_headings() {
        assert_eq!(paths("---\ntitle: x\n# no\n---\n# Yes\n"), ["", "", "Yes"]);
        assert_eq!(paths("```sh\n# no\n```\n~~~\n# no\n```\n# no\n~~~\n# Yes\n"), ["Yes"]);
        assert_eq!(paths("- ```sh\n  # no\n  ```\n\t- ```\n\t  # no\n# Yes\n"), ["Yes"]);
        assert_eq!(paths("- item\n---\n| a |\n---\ntext\n\n---\n"), Vec::<String>::new());
    }
}
