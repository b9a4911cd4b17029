//! Calendars and address books: one section an event, a task or a person, under its name.

use super::Section;
use super::heading::Sections;
use crate::line::{bare, lines};

/// What opens a record.
const KINDS: [&str; 4] = ["VEVENT", "VTODO", "VJOURNAL", "VCARD"];

/// Lines of a record within which its name stands.
const LINES_SEARCHED: usize = 200;

/// The sections of a calendar or of cards.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut sections = Sections::default();
    let mut inside = false;
    for range in lines(text) {
        let line = bare(&text[range.clone()]).trim_end();
        if let Some(kind) = property(line, "BEGIN")
            && KINDS.iter().any(|known| kind.eq_ignore_ascii_case(known))
        {
            let name = name_of(&text[range.end..]);
            sections.heading(range.start, range.start, 1, &name.unwrap_or_default());
            inside = true;
        } else if inside
            && property(line, "END").is_some_and(|kind| KINDS.iter().any(|known| kind.eq_ignore_ascii_case(known)))
        {
            inside = false;
        } else if !inside && property(line, "BEGIN").is_some_and(|kind| kind.eq_ignore_ascii_case("VTIMEZONE")) {
            sections.block_outside(range.start);
        }
    }
    sections.finish()
}

/// The value of a property, whatever its parameters.
fn property<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let start = line.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name))?;
    let rest = &line[start.len()..];
    match rest.as_bytes().first()? {
        b':' => Some(rest[1..].trim()),
        b';' => rest.split_once(':').map(|(_, value)| value.trim()),
        _ => None,
    }
}

/// What a record is called: its summary or full name, up to where it ends.
fn name_of(record: &str) -> Option<String> {
    let mut found = lines(record).take(LINES_SEARCHED).map(|range| bare(&record[range]));
    let mut organization = None;
    let name = found.find_map(|line| {
        if property(line, "END").is_some_and(|kind| KINDS.iter().any(|known| kind.eq_ignore_ascii_case(known))) {
            return Some(None);
        }
        organization = organization.or(property(line, "ORG").filter(|value| !value.is_empty()));
        let name = property(line, "SUMMARY").or_else(|| property(line, "FN"));
        name.filter(|name| !name.is_empty()).map(Some)
    });
    name.flatten().or(organization).map(|name| name.replace("\\,", ",").replace("\\;", ";").replace("\\n", " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_record_is_a_section_under_its_name() {
        let text = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY;LANGUAGE=en:Dinner\\, late\r\nEND:VEVENT\r\n\
            BEGIN:VTIMEZONE\r\nTZID:x\r\nEND:VTIMEZONE\r\nBEGIN:VTODO\r\nDUE:1\r\nEND:VTODO\r\nEND:VCALENDAR\r\n";
        let found = sections(text);
        let paths: Vec<_> = found.iter().map(|section| section.path.join(" > ")).collect();
        assert_eq!(paths, ["Dinner, late", "", ""]);
        assert_eq!(&text[found[0].start..][..12], "BEGIN:VEVENT");
        let cards = "BEGIN:VCARD\nORG:Hill\nEND:VCARD\nBEGIN:VCARD\nFN:Ana\nEND:VCARD\n";
        let paths: Vec<_> = sections(cards).iter().map(|section| section.path.join(" > ")).collect();
        assert_eq!(paths, ["Hill", "Ana"]);
    }
}
