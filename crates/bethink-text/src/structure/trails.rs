//! The headings above any place of a text.

use bethink_core::{Extracted, Format};

use super::{Outline, outline};

/// The structure of a text, to ask for the headings above a place. A passage names the headings that hold
/// in the whole of it; this names those above one of its lines, which may be deeper.
///
/// Reading the structure takes time linear in the text, each question the logarithm of its sections.
#[derive(Debug)]
pub struct HeadingTrails {
    outline: Outline,
}

impl HeadingTrails {
    /// Reads the structure of a text.
    pub fn of(extracted: &Extracted) -> Self {
        Self { outline: outline(extracted) }
    }

    /// The headings and definitions that hold at a byte offset, outermost first. A heading holds from its
    /// own line on; for rows of a table it is the header row, for code the definitions around.
    pub fn at(&self, offset: usize) -> Vec<String> {
        let Outline { sections, scopes } = &self.outline;
        let section = sections.partition_point(|section| section.start <= offset).checked_sub(1);
        let scope = scopes.partition_point(|scope| scope.start <= offset).checked_sub(1);
        let mut trail = section.map_or_else(Vec::new, |index| sections[index].path.to_vec());
        trail.extend(scope.into_iter().flat_map(|index| scopes[index].path.iter().cloned()));
        trail
    }
}

/// The headings at a place inside a passage: those of the passage, then those that begin inside it. Of
/// formats whose lines tell by themselves that they are headings; a row out of the middle of a table does
/// not.
pub fn heading_within(format: Format, heading: &[String], passage: &str, offset: usize) -> Vec<String> {
    let tells = format.has_markdown_headings()
        || matches!(format, Format::Org | Format::Rst | Format::Asciidoc | Format::Latex | Format::Code(_));
    let mut trail = heading.to_vec();
    if tells {
        let extracted = Extracted { format, text: passage.to_owned(), ..Extracted::default() };
        let inner = HeadingTrails::of(&extracted).at(offset);
        // A passage that begins with its own heading names it twice.
        let shared = (0..=inner.len().min(trail.len())).rev().find(|count| trail.ends_with(&inner[..*count]));
        trail.extend(inner.into_iter().skip(shared.unwrap_or(0)));
    }
    trail
}

#[cfg(test)]
mod tests {
    use super::*;
    use bethink_core::Language;

    #[test]
    fn each_line_of_a_short_text_knows_its_heading() {
        let text = "intro\n# A\none\n## B\ntwo\n# C\n".to_owned();
        let trails = HeadingTrails::of(&Extracted { format: Format::Markdown, text, ..Extracted::default() });
        let at = |offset| trails.at(offset).join(" > ");
        assert_eq!([0, 6, 10, 14, 19, 23, 999].map(at), ["", "A", "A", "A > B", "A > B", "C", "C"]);
    }

    #[test]
    fn a_passage_names_what_begins_inside_it() {
        let heading = ["Guide".to_owned(), "Setup".to_owned()];
        let passage = "## Setup\nfirst\n### Linux\nsecond\n";
        let at = |offset| heading_within(Format::Markdown, &heading, passage, offset).join(" > ");
        assert_eq!([0, 10, 25].map(at), ["Guide > Setup", "Guide > Setup", "Guide > Setup > Linux"]);
        let row = heading_within(Format::Csv, &heading, "1,2\n", 0);
        assert_eq!(row, heading);
    }

    #[test]
    fn code_names_the_definition_around() {
        let text = "impl Engine {\n    fn start(&self) {\n        go();\n    }\n}\n".to_owned();
        let at = text.find("go").unwrap_or(0);
        let format = Format::Code(Language::Rust);
        let trails = HeadingTrails::of(&Extracted { format, text, ..Extracted::default() });
        assert_eq!(trails.at(at), ["impl Engine", "fn start"]);
    }
}
