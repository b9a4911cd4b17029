//! EXIF: what a camera notes about a picture, and what people type into its few fields for text.

use exif::{Context, Exif, In, Rational, Reader, Tag, Value};

use super::facts::{Facts, narrow_text, wide_text};
use super::iptc;

/// Fields of text, as exiftool names them.
const TEXTS: [(Tag, &str); 9] = [
    (Tag::ImageDescription, "ImageDescription"),
    (Tag::Artist, "Artist"),
    (Tag::Copyright, "Copyright"),
    (Tag::Make, "Make"),
    (Tag::Model, "Model"),
    (Tag(Context::Tiff, 0x010D), "DocumentName"),
    (Tag(Context::Tiff, 0x011D), "PageName"),
    (Tag::LensModel, "LensModel"),
    (Tag::CameraOwnerName, "OwnerName"),
];

/// Fields that Windows writes in UTF-16, whatever the file's byte order.
const WINDOWS_TEXTS: [(u16, &str); 5] =
    [(0x9C9B, "XPTitle"), (0x9C9C, "XPComment"), (0x9C9D, "XPAuthor"), (0x9C9E, "XPKeywords"), (0x9C9F, "XPSubject")];

/// Fields of text in the GPS directory.
const PLACE_TEXTS: [(Tag, &str); 2] =
    [(Tag::GPSProcessingMethod, "GPSProcessingMethod"), (Tag::GPSAreaInformation, "GPSAreaInformation")];

/// Where editors keep IPTC records in a TIFF.
const IPTC: Tag = Tag(Context::Tiff, 33_723);

/// Where editors keep Photoshop's resources in a TIFF.
const PHOTOSHOP: Tag = Tag(Context::Tiff, 34_377);

/// Reads a TIFF structure.
pub(super) fn read(tiff: Vec<u8>, facts: &mut Facts) {
    let read = Reader::new().continue_on_error(true).read_raw(tiff);
    let Ok(exif) = read.or_else(|error| error.distill_partial_result(|_| ())) else { return };
    let field = |tag: Tag| exif.get_field(tag, In::PRIMARY).map(|field| &field.value);
    for (tag, name) in TEXTS {
        if let Some(text) = field(tag).and_then(text) {
            facts.add(name, &text);
        }
    }
    if let Some(text) = field(Tag::Software).and_then(text) {
        facts.add_aside("Software", &text);
    }
    for (tag, name) in [
        (Tag::DateTimeOriginal, "DateTimeOriginal"),
        (Tag::DateTimeDigitized, "CreateDate"),
        (Tag::DateTime, "ModifyDate"),
    ] {
        if let Some(text) = field(tag).and_then(text) {
            facts.add(name, &with_words(text.trim()));
        }
    }
    if let Some(comment) = field(Tag::UserComment).and_then(|value| coded(value, exif.little_endian())) {
        facts.add("UserComment", &comment);
    }
    for (number, name) in WINDOWS_TEXTS {
        if let Some(bytes) = field(Tag(Context::Tiff, number)).and_then(bytes) {
            facts.add(name, &wide_text(bytes, true));
        }
    }
    place(&exif, facts);
    for (tag, name) in PLACE_TEXTS {
        if let Some(text) = field(tag).and_then(|value| coded(value, exif.little_endian())) {
            facts.add_aside(name, &text);
        }
    }
    if let Some(records) = field(IPTC).and_then(bytes) {
        iptc::records(records, facts);
    }
    if let Some(resources) = field(PHOTOSHOP).and_then(bytes) {
        iptc::resources(resources, facts);
    }
}

fn bytes(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Byte(bytes) | Value::Undefined(bytes, _) => Some(bytes),
        _ => None,
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Ascii(parts) => {
            let parts = parts.iter().map(|part| narrow_text(part)).filter(|part| !part.trim().is_empty());
            Some(parts.collect::<Vec<_>>().join("; "))
        }
        other => bytes(other).map(narrow_text),
    }
}

/// Text behind eight bytes that name its charset.
fn coded(value: &Value, little_endian: bool) -> Option<String> {
    let Some(bytes) = bytes(value) else { return text(value) };
    Some(match bytes.split_at_checked(8) {
        Some((b"UNICODE\0", text)) => {
            // The standard leaves the byte order open; the file's own is usual, and the other one is told by
            // the zeros of plain letters.
            let zeros = |first: usize| text.iter().skip(first).step_by(2).filter(|byte| **byte == 0).count();
            let little = if zeros(0) == zeros(1) { little_endian } else { zeros(1) > zeros(0) };
            wide_text(text, little)
        }
        Some((b"JIS\0\0\0\0\0", text)) => encoding_rs::ISO_2022_JP.decode_without_bom_handling(text).0.into_owned(),
        // `ASCII`, nothing but zeros, and what some telephones make of the name by swapping its bytes.
        Some((name, text)) if name.contains(&0) => narrow_text(text),
        _ => narrow_text(bytes),
    })
}

/// The date as the camera writes it, and in words: `2012:02:19 16:43:29 (Sunday 19 February 2012)`.
fn with_words(stamp: &str) -> String {
    match in_words(stamp) {
        Some(words) => format!("{stamp} ({words})"),
        None => stamp.to_owned(),
    }
}

fn in_words(stamp: &str) -> Option<String> {
    let number = |range: std::ops::Range<usize>| stamp.get(range)?.parse::<i16>().ok();
    let (month, day) = (i8::try_from(number(5..7)?).ok()?, i8::try_from(number(8..10)?).ok()?);
    let date = jiff::civil::Date::new(number(0..4)?, month, day).ok()?;
    Some(date.strftime("%A %-d %B %Y").to_string())
}

/// Where the picture was taken.
fn place(exif: &Exif, facts: &mut Facts) {
    let latitude = angle(exif, Tag::GPSLatitude, Tag::GPSLatitudeRef, 90.0);
    let longitude = angle(exif, Tag::GPSLongitude, Tag::GPSLongitudeRef, 180.0);
    let (Some(latitude), Some(longitude)) = (latitude, longitude) else { return };
    // A receiver without a fix writes zeros.
    if latitude.1 == 0.0 && longitude.1 == 0.0 {
        return;
    }
    facts.add("GPSLatitude", &latitude.0);
    facts.add("GPSLongitude", &longitude.0);
    facts.add("GPSPosition", &format!("{:.6}, {:.6}", latitude.1, longitude.1));
    if let Some(Value::Rational(altitude)) = exif.get_field(Tag::GPSAltitude, In::PRIMARY).map(|field| &field.value)
        && let Some(metres) = altitude.first().and_then(quotient)
    {
        facts.add("GPSAltitude", &format!("{metres:.0} m"));
    }
}

/// An angle in degrees, minutes and seconds, as exiftool writes it and as a number.
fn angle(exif: &Exif, tag: Tag, reference: Tag, most: f64) -> Option<(String, f64)> {
    let Value::Rational(parts) = &exif.get_field(tag, In::PRIMARY)?.value else { return None };
    let part = |position: usize| parts.get(position).map_or(Some(0.0), quotient);
    let total = part(0)? + part(1)? / 60.0 + part(2)? / 3600.0;
    if !(0.0..=most).contains(&total) {
        return None;
    }
    let letter = exif.get_field(reference, In::PRIMARY).and_then(|field| text(&field.value)).unwrap_or_default();
    let letter = letter.trim().to_uppercase();
    let sign = if matches!(letter.as_str(), "S" | "W") { -1.0 } else { 1.0 };
    let (degrees, minutes) = (total.trunc(), (total.fract() * 60.0).trunc());
    let seconds = (total.fract() * 60.0).fract() * 60.0;
    Some((format!("{degrees} deg {minutes}' {seconds:.2}\" {letter}"), sign * total))
}

fn quotient(rational: &Rational) -> Option<f64> {
    (rational.denom != 0).then(|| rational.to_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_told_in_words_if_it_is_a_date() {
        assert_eq!(with_words("2012:02:19 16:43:29"), "2012:02:19 16:43:29 (Sunday 19 February 2012)");
        assert_eq!(with_words("0000:00:00 00:00:00"), "0000:00:00 00:00:00");
        assert_eq!(with_words("é"), "é");
    }

    #[test]
    fn a_comment_is_decoded_by_the_charset_it_names() {
        let value = |prefix: &[u8], text: &[u8]| Value::Undefined([prefix, text].concat(), 0);
        assert_eq!(coded(&value(b"ASCII\0\0\0", b"hello\0"), true).as_deref(), Some("hello"));
        assert_eq!(coded(&value(b"UNICODE\0", b"\0h\0i"), true).as_deref(), Some("hi"));
        assert_eq!(coded(&value(b"UNICODE\0", b"h\0i\0"), false).as_deref(), Some("hi"));
        assert_eq!(coded(&value(b"\0\0\0IICSA", b"swapped\0"), true).as_deref(), Some("swapped"));
        assert_eq!(coded(&value(b"no code", b"x"), true).as_deref(), Some("no codex"));
    }
}
