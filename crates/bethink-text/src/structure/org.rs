//! Org headings: stars at the start of a line, down to the level that Org itself prints as headings.
//!
//! Org calls everything with a star a headline, and outliners (Logseq, org-roam journals) make each
//! bullet one. When Org exports a text, headlines below the third level become list items unless
//! `#+OPTIONS: H:n` says otherwise; the same border is kept here, since a passage of one bullet answers
//! no question.

use super::Section;
use super::heading::Sections;
use super::title::{Markup, plain};
use crate::line::{bare, lines};

/// Words before a title that say how far a task is.
const STATES: [&str; 8] = ["TODO", "DONE", "NEXT", "WAITING", "HOLD", "CANCELLED", "CANCELED", "STARTED"];

/// The deepest headline that is a heading, where the text does not say (`org-export-headline-levels`).
const HEADING_LEVELS: usize = 3;

/// Lines at the top in which options are looked for.
const OPTION_LINES: usize = 64;

/// The sections of an Org text.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut sections = Sections::default();
    let levels = stated_levels(text).unwrap_or(HEADING_LEVELS);
    for range in lines(text) {
        let line = bare(&text[range.clone()]);
        let stars = line.bytes().take_while(|byte| *byte == b'*').count();
        if (1..=levels).contains(&stars) && line[stars..].starts_with([' ', '\t']) && !line[stars..].trim().is_empty() {
            sections.heading(range.start, range.end, stars, &plain(title(line[stars..].trim()), Markup::Org));
        }
    }
    sections.finish()
}

/// The number in `#+OPTIONS: H:n`.
fn stated_levels(text: &str) -> Option<usize> {
    lines(text).take(OPTION_LINES).find_map(|range| {
        let line = bare(&text[range]);
        let options =
            line.get(..10).filter(|keyword| keyword.eq_ignore_ascii_case("#+options:")).map(|_| &line[10..])?;
        options.split_ascii_whitespace().find_map(|option| option.strip_prefix("H:")?.parse().ok())
    })
}

/// A headline without its state, priority and tags.
fn title(headline: &str) -> &str {
    let mut title = headline;
    if let Some((word, rest)) = title.split_once(' ')
        && STATES.contains(&word)
    {
        title = rest.trim_start();
    }
    if title.starts_with("[#") && title.as_bytes().get(3) == Some(&b']') {
        title = title[4..].trim_start();
    }
    if let Some((rest, tags)) = title.rsplit_once([' ', '\t'])
        && tags.len() > 2
        && tags.starts_with(':')
        && tags.ends_with(':')
    {
        title = rest.trim_end();
    }
    if title.is_empty() { headline } else { title }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headlines_lose_state_priority_and_tags() {
        let text = "#+TITLE: x\n* TODO [#A] Buy milk :home:shop:\ntext\n** Details\n*bold* text\n* Done?\n";
        let paths: Vec<String> = sections(text).iter().map(|section| section.path.join(" > ")).collect();
        assert_eq!(paths, ["Buy milk", "Buy milk > Details", "Done?"]);
    }

    #[test]
    fn deep_headlines_are_items_unless_the_text_says_otherwise() {
        let paths = |text: &str| sections(text).iter().map(|section| section.path.join(" > ")).collect::<Vec<_>>();
        assert_eq!(paths("* A\n** B\n*** *C*\n**** d\n"), ["A", "A > B", "A > B > C"]);
        assert_eq!(paths("#+OPTIONS: toc:nil H:1\n* A\n** b\n"), ["A"]);
    }
}
