//! AsciiDoc headings: equals signs in front of a title, or the older form of a title with a line of marks
//! below it, outside of listings, literals and comments.

use std::ops::Range;

use super::Section;
use super::heading::Sections;
use super::title::{Markup, plain};
use crate::line::{bare, lines};

/// The marks below a title of the older form, by level.
const UNDERLINES: &[u8] = b"=-~^+";

/// Shortest line of marks that opens a block, and that may stand below a title.
const SHORTEST_RUN: usize = 4;

/// The sections of an AsciiDoc text.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut sections = Sections::default();
    // The line that ends the block whose content is no markup.
    let mut block: Option<&str> = None;
    // The line that ends an example, whose content is markup: it is no line below a title.
    let mut example: Option<&str> = None;
    let mut before: Option<Range<usize>> = None;
    for range in lines(text) {
        let line = bare(&text[range.clone()]).trim_end();
        if let Some(end) = block {
            if line == end {
                block = None;
            }
            continue;
        }
        let title_above = before.take();
        if let Some((level, title)) = one_line(line) {
            sections.heading(range.start, range.end, level, &plain(title, Markup::Asciidoc));
        } else if example == Some(line) {
            example = None;
        } else if let Some((title, level)) =
            title_above.and_then(|title| underline(&text[title.clone()], line).map(|level| (title, level)))
        {
            let words = plain(bare(&text[title.clone()]).trim(), Markup::Asciidoc);
            sections.heading(title.start, range.end, level, &words);
        } else if opens_block(line) {
            block = Some(if line.starts_with("```") { "```" } else { line });
        } else if line.len() >= SHORTEST_RUN && line.bytes().all(|byte| byte == b'=') {
            example = Some(line);
        } else if opens_title(line) {
            before = Some(range);
        }
    }
    sections.finish()
}

/// `== Title` or, as in Markdown, `## Title`.
fn one_line(line: &str) -> Option<(usize, &str)> {
    let mark = *line.as_bytes().first().filter(|mark| matches!(mark, b'=' | b'#'))?;
    let level = line.bytes().take_while(|byte| *byte == mark).count();
    let title = line[level..].strip_prefix([' ', '\t'])?.trim();
    let closed = title.trim_end_matches(char::from(mark));
    let title = if closed.ends_with(' ') { closed.trim_end() } else { title };
    ((1..=6).contains(&level) && !title.is_empty()).then_some((level, title))
}

/// The level that a line of marks gives to the title above it, if it is about as long.
fn underline(title: &str, line: &str) -> Option<usize> {
    let mark = *line.as_bytes().first()?;
    let level = UNDERLINES.iter().position(|known| *known == mark)?;
    let long_enough = line.len() >= SHORTEST_RUN.min(3) && line.bytes().all(|byte| byte == mark);
    let length = bare(title).trim().chars().count();
    (long_enough && length >= 2 && line.len().abs_diff(length) <= 2).then_some(level + 1)
}

/// Listings, literals, comments, what is passed through, and fenced code.
fn opens_block(line: &str) -> bool {
    let run = |mark: u8| line.len() >= SHORTEST_RUN && line.bytes().all(|byte| byte == mark);
    [b'-', b'.', b'/', b'+'].into_iter().any(run) || line.starts_with("```")
}

/// Whether a line can be the title of the older form: words, no list, table, attribute or block title.
fn opens_title(line: &str) -> bool {
    line.starts_with(|first: char| first.is_alphanumeric() || matches!(first, '`' | '"' | '\'' | '(' | '<'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        sections(text).iter().map(|section| section.path.join(" > ")).collect()
    }

    #[test]
    fn both_forms_of_titles_nest_by_their_marks() {
        let text = "= The *tram*\n:toc:\n\n== Hills ==\ntext\n\n[[id]]\n=== `code`\n\n== End\n";
        assert_eq!(paths(text), ["The tram", "The tram > Hills", "The tram > Hills > code", "The tram > End"]);
        let old = "git-log(1)\n==========\n\nNAME\n----\ngit-log - Show\n\nDeeper\n~~~~~~\n\nSYNOPSIS\n--------\n";
        let head = "git-log(1)";
        assert_eq!(
            paths(old),
            [
                head.to_owned(),
                format!("{head} > NAME"),
                format!("{head} > NAME > Deeper"),
                format!("{head} > SYNOPSIS")
            ]
        );
    }

    #[test]
    fn blocks_hold_no_headings() {
        let text =
            "----\n== no\n----\n....\n== no\n----\n....\n////\n== no\n////\n```sh\n# no\n```\n====\nno\n====\n== Yes\n";
        assert_eq!(paths(text), ["Yes"]);
        assert_eq!(paths(".Listing\n----\n== no\n----\n* item\n=====\n|===\n| a\n|===\n"), Vec::<String>::new());
    }
}
