//! The title that a text states about itself, in the words of its format. A first heading is not looked
//! for here; that is for whoever knows structure.

use bethink_core::Format;

/// Lines at the top that are searched for a title.
const LINES_SEARCHED: usize = 64;

/// Lines at the top of a LaTeX source that are searched: preambles are long.
const PREAMBLE_LINES: usize = 400;

/// Bytes at the end of a Joplin note that hold its properties.
const JOPLIN_TAIL_BYTES: usize = 2048;

/// Org's `#+TITLE:`, a front matter's `title:`, the property of a Logseq page, LaTeX's `\title{…}`,
/// AsciiDoc's `= Title`, and the first line of a note in Joplin's own form.
pub(super) fn stated_title(text: &str, format: Format) -> Option<String> {
    let lines = || text.split(['\n', '\r']).take(LINES_SEARCHED);
    let value = match format {
        Format::Org => lines().find_map(|line| {
            line.get(..8).filter(|keyword| keyword.eq_ignore_ascii_case("#+title:")).map(|_| &line[8..])
        })?,
        Format::Markdown | Format::Text if matches!(lines().next()?.trim_end(), "---" | "+++") => {
            let mut matter = lines().skip(1).take_while(|line| !matches!(line.trim_end(), "---" | "+++" | "..."));
            matter.find_map(|line| {
                line.strip_prefix("title").and_then(|rest| rest.trim_start().strip_prefix([':', '=']))
            })?
        }
        Format::Markdown if is_joplin(text) => lines().next()?,
        Format::Markdown => {
            let mut properties = lines().take_while(|line| line.contains(":: "));
            properties.find_map(|line| line.trim_start_matches("- ").strip_prefix("title:: "))?
        }
        Format::Latex => text.split(['\n', '\r']).take(PREAMBLE_LINES).find_map(|line| {
            let title = line.trim_start().strip_prefix("\\title")?;
            let title = title.strip_prefix('[').and_then(|short| short.split_once(']')).map_or(title, |(_, rest)| rest);
            title.strip_prefix('{')?.trim_end().strip_suffix('}').filter(|title| !title.contains(['\\', '{']))
        })?,
        Format::Asciidoc => lines().find_map(|line| line.strip_prefix("= "))?,
        _ => return None,
    };
    let title = value.trim().trim_matches(['"', '\'']).trim();
    (!title.is_empty()).then(|| title.to_owned())
}

/// Whether a note ends with the properties that Joplin keeps below it.
fn is_joplin(text: &str) -> bool {
    let tail = &text[text.ceil_char_boundary(text.len().saturating_sub(JOPLIN_TAIL_BYTES))..];
    let mut properties = tail.lines().rev().filter(|line| !line.trim().is_empty());
    properties.next().is_some_and(|last| last.starts_with("type_: ")) && tail.contains("\nid: ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_that_a_text_states_are_found() {
        let cases = [
            ("#+TITLE: The tram\n* One\n", Format::Org, Some("The tram")),
            ("---\nauthor: x\ntitle: \"Lisbon by tram\"\n---\n# Other\n", Format::Markdown, Some("Lisbon by tram")),
            ("+++\ntitle = 'Lisbon'\n+++\n", Format::Markdown, Some("Lisbon")),
            ("# Heading\ntitle: no\n", Format::Markdown, None),
            ("---\n---\ntitle: below\n", Format::Markdown, None),
            ("title: x\n", Format::Yaml, None),
            ("type:: [[Feature]]\ntitle:: Trams\n\n- x\n", Format::Markdown, Some("Trams")),
            ("Lisbon\n\nby tram\n\nid: 0\nparent_id: 1\ntype_: 1", Format::Markdown, Some("Lisbon")),
            ("\\documentclass{x}\n\\title[Short]{The tram}\n", Format::Latex, Some("The tram")),
            ("// note\n= The tram\n:toc:\n", Format::Asciidoc, Some("The tram")),
        ];
        for (text, format, title) in cases {
            assert_eq!(stated_title(text, format).as_deref(), title, "{text:?}");
        }
    }
}
