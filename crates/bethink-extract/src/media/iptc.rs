//! IPTC captions and keywords, inside the resources of Photoshop.
//!
//! A resource is `8BIM`, a number of two bytes, a name (its length, its letters, padded to an even size), a
//! length of four bytes and that many bytes, padded likewise. Resource 0x0404 holds records: 0x1C, the record's
//! number, the field's number, a length of two bytes, the value.

use super::facts::{Facts, narrow_text};
use super::picture::big_endian;

/// The resource that holds the records.
const RECORDS: usize = 0x0404;

/// Fields of record 2 that a person writes or reads, as exiftool names them.
const FIELDS: [(u8, &str); 20] = [
    (5, "ObjectName"),
    (15, "Category"),
    (20, "SupplementalCategories"),
    (25, "Keywords"),
    (26, "ContentLocationCode"),
    (27, "ContentLocationName"),
    (40, "SpecialInstructions"),
    (55, "DateCreated"),
    (80, "By-line"),
    (85, "By-lineTitle"),
    (90, "City"),
    (92, "Sub-location"),
    (95, "Province-State"),
    (101, "Country-PrimaryLocationName"),
    (105, "Headline"),
    (110, "Credit"),
    (115, "Source"),
    (116, "CopyrightNotice"),
    (120, "Caption-Abstract"),
    (122, "Writer-Editor"),
];

/// Reads the records among resources of Photoshop.
pub(super) fn resources(bytes: &[u8], facts: &mut Facts) {
    let mut rest = bytes;
    while let Some(after) = rest.strip_prefix(b"8BIM") {
        let Some(number) = after.get(..2).map(big_endian) else { return };
        let Some(name) = after.get(2).map(|length| usize::from(*length)) else { return };
        let length_at = 2 + (1 + name).next_multiple_of(2);
        let Some(length) = after.get(length_at..length_at + 4).map(big_endian) else { return };
        let Some(body) = after.get(length_at + 4..length_at + 4 + length) else { return };
        if number == RECORDS {
            records(body, facts);
        }
        rest = after.get(length_at + 4 + length.next_multiple_of(2)..).unwrap_or_default();
    }
}

/// Reads the records themselves.
pub(super) fn records(bytes: &[u8], facts: &mut Facts) {
    let mut keywords = Vec::new();
    let mut at = 0;
    while let Some([0x1C, record, field, high, low]) = bytes.get(at..at + 5) {
        let length = usize::from(*high) << 8 | usize::from(*low);
        // The highest bit says that the length is longer than two bytes: no caption is.
        let Some(value) = bytes.get(at + 5..at + 5 + length) else { break };
        let name = FIELDS.iter().find(|(number, _)| *record == 2 && number == field);
        match name {
            Some((_, "Keywords")) => keywords.push(narrow_text(value)),
            Some((_, name)) => facts.add(name, &narrow_text(value)),
            None => {}
        }
        at += 5 + length;
    }
    facts.add("Keywords", &keywords.join(", "));
}
