//! Org headings: stars at the start of a line.

use super::Section;
use super::heading::Sections;
use crate::line::{bare, lines};

/// Words before a title that say how far a task is.
const STATES: [&str; 8] = ["TODO", "DONE", "NEXT", "WAITING", "HOLD", "CANCELLED", "CANCELED", "STARTED"];

/// The sections of an Org text.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut sections = Sections::default();
    for range in lines(text) {
        let line = bare(&text[range.clone()]);
        let stars = line.bytes().take_while(|byte| *byte == b'*').count();
        if stars > 0 && line[stars..].starts_with([' ', '\t']) && !line[stars..].trim().is_empty() {
            sections.heading(range.start, range.end, stars, title(line[stars..].trim()));
        }
    }
    sections.finish()
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
}
