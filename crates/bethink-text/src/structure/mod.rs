//! Structure: where a text's sections begin, what they are called, and how deep they lie.
//!
//! Each family of formats has a line scanner. None of them parses its language: a scanner that
//! knows headings, fences and indentation reads broken files as well as whole ones.

mod asciidoc;
mod code;
mod heading;
mod latex;
mod markdown;
mod org;
mod record;
mod rst;
mod table;
mod title;
mod trails;

use std::rc::Rc;

use bethink_core::{Extracted, Format, Locator, Mark};

use heading::Trail;
pub(crate) use markdown::{Fence, front_matter_end, is_list_item};
pub use trails::{HeadingTrails, heading_within};

/// A heading path, outermost first, shared by the passages under it.
pub(crate) type Path = Rc<[String]>;

/// Where a stretch under one heading path begins. It ends where the next one begins.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    /// Byte offset of the section's first line, its heading.
    pub(crate) start: usize,
    /// The headings that hold in it.
    pub(crate) path: Path,
    /// Where the text below the section's heading lines begins.
    pub(crate) body: usize,
}

/// A definition, or the return to the one around it: a good place to cut, but no border.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    /// Byte offset where the scope takes hold, comments and attributes above it included.
    pub(crate) start: usize,
    /// The enclosing definitions from here on.
    pub(crate) path: Path,
    /// How good a place to cut this is, in the cutter's scale.
    pub(crate) strength: u8,
}

/// The structure of one text.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// Sections by offset; the first starts at 0.
    pub(crate) sections: Vec<Section>,
    /// Scopes by offset; text before the first has the empty path.
    pub(crate) scopes: Vec<Scope>,
}

/// Reads the structure of a text.
pub(crate) fn outline(extracted: &Extracted) -> Outline {
    let text = &extracted.text;
    let mut found = Outline::default();
    match extracted.format {
        format if format.has_markdown_headings() => found.sections = markdown::sections(text),
        Format::Org => found.sections = org::sections(text),
        Format::Rst => found.sections = rst::sections(text),
        Format::Asciidoc => found.sections = asciidoc::sections(text),
        Format::Latex => found.sections = latex::sections(text),
        Format::Calendar | Format::Contacts => found.sections = record::sections(text),
        Format::Code(language) => found.scopes = code::scopes(text, language),
        Format::Yaml | Format::Toml | Format::Json => found.scopes = table::scopes(text, extracted.format),
        Format::Csv => found.sections = table::header(text),
        format if format.has_sheets() => found.sections = table::sheets(extracted),
        _ => {}
    }
    end_headings_with_slides(extracted, &mut found.sections);
    if found.sections.first().is_none_or(|section| section.start > 0) {
        found.sections.insert(0, Section { start: 0, path: Trail::default().path(), body: 0 });
    }
    found
}

/// A heading holds on its own slide and no further: a slide without a title is not under the one before.
fn end_headings_with_slides(extracted: &Extracted, sections: &mut Vec<Section>) {
    let slides = extracted.marks.iter().filter(|mark| matches!(mark.locator, Locator::Slide(_)));
    for Mark { offset, .. } in slides {
        let place = sections.partition_point(|section| section.start < *offset);
        if sections.get(place).is_none_or(|section| section.start > *offset) {
            sections.insert(place, Section { start: *offset, path: Trail::default().path(), body: *offset });
        }
    }
}

/// The first heading of a text, where its format has headings. Front matter and comments are no
/// headings; a title from metadata is the extractor's business.
pub fn first_heading(extracted: &Extracted) -> Option<String> {
    let text = &extracted.text;
    let sections = match extracted.format {
        format if format.has_markdown_headings() => markdown::sections(text),
        Format::Org => org::sections(text),
        Format::Rst => rst::sections(text),
        Format::Asciidoc => asciidoc::sections(text),
        Format::Latex => latex::sections(text),
        _ => return None,
    };
    sections.iter().find_map(|section| section.path.last().cloned()).filter(|heading| !heading.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slide_without_a_title_is_under_none() {
        let text = "# Budget\n\nmore money\n\nonly words\n\n# Plans\n\nless\n";
        let offset = |words: &str| text.find(words).unwrap_or(0);
        let mark = |number, words| Mark { offset: offset(words), locator: Locator::Slide(number) };
        let marks = vec![mark(1, "# Budget"), mark(2, "only"), mark(3, "# Plans")];
        let extracted = Extracted { format: Format::Pptx, text: text.to_owned(), marks, ..Extracted::default() };
        let trails = HeadingTrails::of(&extracted);
        let at = |words| trails.at(offset(words)).join(" > ");
        assert_eq!(["more", "only", "less"].map(at), ["Budget", "", "Plans"]);
    }
}
