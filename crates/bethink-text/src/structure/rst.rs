//! reStructuredText sections: a title between or above lines of one repeated punctuation mark.
//! The order in which the marks first appear gives their level.

use std::ops::Range;

use super::Section;
use super::heading::Sections;
use super::title::{Markup, plain};
use crate::line::{bare, lines};

/// The sections of a reStructuredText text.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut sections = Sections::default();
    let mut styles: Vec<(u8, bool)> = Vec::new();
    // The two lines before the present one: a possible overline and a possible title.
    let mut before: [Option<Range<usize>>; 2] = [None, None];
    for range in lines(text) {
        let line = bare(&text[range.clone()]).trim_end();
        if let (Some(mark), Some(title_range)) = (adornment(line), before[1].clone()) {
            let title_line = bare(&text[title_range.clone()]);
            let title = title_line.trim();
            let over = before[0].clone().filter(|over| {
                let over = bare(&text[over.clone()]).trim_end();
                adornment(over) == Some(mark) && over.len() == line.len()
            });
            let flush = over.is_some() || !title_line.starts_with([' ', '\t']);
            let long_enough = line.len() >= title.chars().count().min(line.len().max(4));
            if !title.is_empty() && adornment(title).is_none() && flush && long_enough {
                let style = (mark, over.is_some());
                let level = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
                    styles.push(style);
                    styles.len() - 1
                });
                let start = over.map_or(title_range.start, |over| over.start);
                sections.heading(start, range.end, level + 1, &plain(title, Markup::Rst));
                before = [None, None];
                continue;
            }
        }
        let [_, previous] = before;
        before = [previous, (!line.is_empty()).then_some(range)];
    }
    sections.finish()
}

/// The mark of a line that consists of one repeated punctuation mark, at least three times.
fn adornment(line: &str) -> Option<u8> {
    let first = *line.as_bytes().first()?;
    (line.len() >= 3 && first.is_ascii_punctuation() && line.bytes().all(|byte| byte == first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_follow_first_appearance() {
        let text = "=====\nTitle\n=====\n\nPart\n====\n\ntext\n\nSub\n---\n\nOther\n=====\n\n::\n\n  code\n";
        let paths: Vec<String> = sections(text).iter().map(|section| section.path.join(" > ")).collect();
        assert_eq!(paths, ["Title", "Title > Part", "Title > Part > Sub", "Title > Other"]);
    }
}
