//! MP4, QuickTime and the pictures built like them (HEIC, AVIF, CR3): boxes in boxes.
//!
//! A box is a length of four bytes, a name of four, and that many bytes in all; length 1 says that eight bytes
//! of length follow the name, length 0 that it reaches to the end. Of films: `moov/mvhd` has the length,
//! `moov/udta` what QuickTime wrote, `…/meta/ilst` what iTunes and phones wrote, `moov/udta/chpl` the chapters.

use std::io::Cursor;

use exif::Reader;
use memchr::memmem;

use super::exif as pictures;
use super::facts::{Facts, duration_words, narrow_text, wide_text};
use super::picture::big_endian;
use super::recording::chapter_lines;

/// Boxes looked at in one file.
const MOST_BOXES: usize = 100_000;

/// Whether the bytes are a film or a recording of this build.
pub(super) fn is_film(bytes: &[u8]) -> bool {
    matches!(bytes.get(4..8), Some(b"ftyp" | b"moov" | b"mdat" | b"wide" | b"free" | b"skip" | b"pnot"))
}

/// Gathers the words of a picture.
pub(super) fn picture(bytes: &[u8], facts: &mut Facts) {
    // Canon's RAW keeps EXIF in boxes of its own; JPEG XL in one that is called so.
    for (name, body) in boxes(bytes) {
        if name == *b"Exif"
            && let Some(tiff) = body.get(4..)
        {
            pictures::read(tiff.to_vec(), facts);
        }
    }
    /// Canon's boxes stand before the picture.
    const SEARCHED: usize = 256 << 10;
    let head = &bytes[..bytes.len().min(SEARCHED)];
    let mut canon = false;
    for name in [b"CMT1", b"CMT2", b"CMT4"] {
        if let Some(at) = memmem::find(head, name)
            && let Some(length) = at.checked_sub(4).and_then(|start| head.get(start..at)).map(big_endian)
            && let Some(tiff) = head.get(at + 4..(at + length).saturating_sub(4))
        {
            canon = true;
            directory(name, tiff.to_vec(), facts);
        }
    }
    if canon {
        return;
    }
    if let Ok(exif) = Reader::new().continue_on_error(true).read_from_container(&mut Cursor::new(bytes)) {
        pictures::read(exif.buf().to_vec(), facts);
    }
}

/// A directory that stands alone where it usually hangs in the first one.
fn directory(name: &[u8; 4], mut tiff: Vec<u8>, facts: &mut Facts) {
    let pointer: u16 = match name {
        b"CMT2" => 0x8769,
        b"CMT4" => 0x8825,
        _ => return pictures::read(tiff, facts),
    };
    // A first directory with nothing but the pointer is put behind it.
    let little_endian = tiff.starts_with(b"II");
    let (Some(first), Ok(end)) = (tiff.get(4..8).map(<[u8]>::to_vec), u32::try_from(tiff.len())) else { return };
    let two = |number: u16| if little_endian { number.to_le_bytes() } else { number.to_be_bytes() };
    let four = |number: u32| if little_endian { number.to_le_bytes() } else { number.to_be_bytes() };
    tiff[4..8].copy_from_slice(&four(end));
    for piece in [&two(1)[..], &two(pointer), &two(4), &four(1), &first, &four(0)] {
        tiff.extend_from_slice(piece);
    }
    pictures::read(tiff, facts);
}

/// Gathers the words of a film or recording.
pub(super) fn film(bytes: &[u8], facts: &mut Facts) {
    let mut seconds = None;
    for (name, body) in boxes(bytes) {
        match &name {
            b"moov" => seconds = movie(body, facts).or(seconds),
            // Where editing programs leave XMP.
            b"uuid" => {
                if let Some(packet) = body.get(16..).filter(|rest| memmem::find(rest, b"<x:xmpmeta").is_some()) {
                    super::xmp::read(packet, facts);
                }
            }
            _ => {}
        }
    }
    if let Some(words) = seconds.and_then(duration_words) {
        facts.add_labelled("duration", "Duration", &words);
    }
}

fn movie(body: &[u8], facts: &mut Facts) -> Option<f64> {
    let mut seconds = None;
    for (name, body) in boxes(body) {
        match &name {
            b"mvhd" => seconds = length(body),
            b"udta" => user_data(body, facts),
            b"meta" => metadata(body, facts),
            _ => {}
        }
    }
    seconds
}

/// `version flags created changed scale length`, the times and the length twice as wide in version 1.
fn length(header: &[u8]) -> Option<f64> {
    let (scale, length, unknown) = match header.first()? {
        1 => (header.get(20..24)?, header.get(24..32)?, 0xFFFF_FFFF_FFFF_FFFF),
        _ => (header.get(12..16)?, header.get(16..20)?, 0xFFFF_FFFF),
    };
    let (scale, length) = (big_endian(scale), big_endian(length));
    (scale > 0 && length > 0 && length != unknown).then(|| length as f64 / scale as f64)
}

fn user_data(body: &[u8], facts: &mut Facts) {
    for (name, body) in boxes(body) {
        match &name {
            b"meta" => metadata(body, facts),
            b"chpl" => facts.add_lines("chapters", "Chapters", &chapters(body)),
            [0xA9, ..] => {
                // A length of two bytes, a language of two, the text.
                if let Some(label) = label(&name)
                    && let Some(length) = body.get(..2).map(big_endian)
                    && let Some(text) = body.get(4..4 + length)
                {
                    tell(label, &narrow_text(text), facts);
                }
            }
            // Phones of the third generation: version, language, text.
            b"titl" | b"auth" | b"dscp" | b"cprt" | b"perf" | b"gnre" | b"albm" => {
                let label = match &name {
                    b"titl" => "Title",
                    b"auth" => "Author",
                    b"dscp" => "Description",
                    b"cprt" => "Copyright",
                    b"perf" => "Artist",
                    b"gnre" => "Genre",
                    _ => "Album",
                };
                if let Some(text) = body.get(6..) {
                    let wide = text.starts_with(&[0xFE, 0xFF]);
                    tell(label, &if wide { wide_text(text, false) } else { narrow_text(text) }, facts);
                }
            }
            _ => {}
        }
    }
}

/// Nero's chapters: starts in tenths of a microsecond, titles behind their length.
fn chapters(body: &[u8]) -> String {
    let mut found = Vec::new();
    let mut at = if body.first() == Some(&1) { 9 } else { 5 };
    while let Some(start) = body.get(at..at + 8).map(big_endian) {
        let Some(length) = body.get(at + 8).map(|length| usize::from(*length)) else { break };
        let Some(title) = body.get(at + 9..at + 9 + length) else { break };
        found.push((start as u64 / 10_000_000, narrow_text(title)));
        at += 9 + length;
    }
    chapter_lines(found.into_iter())
}

/// The list of items, keyed by name or by the number of a key.
fn metadata(body: &[u8], facts: &mut Facts) {
    // MP4 puts four bytes of version before the boxes, QuickTime does not.
    let body = match body.get(4..8) {
        Some(b"hdlr") => body,
        _ => body.get(4..).unwrap_or_default(),
    };
    let mut keys: Vec<String> = Vec::new();
    for (name, body) in boxes(body) {
        match &name {
            b"keys" => {
                let entries = boxes(body.get(8..).unwrap_or_default());
                keys = entries.map(|(_, key)| narrow_text(key)).collect();
            }
            b"ilst" => {
                for (name, item) in boxes(body) {
                    list_item(name, item, &keys, facts);
                }
            }
            _ => {}
        }
    }
}

fn list_item(name: [u8; 4], item: &[u8], keys: &[String], facts: &mut Facts) {
    let mut own_name = None;
    for (part, body) in boxes(item) {
        match &part {
            b"name" => own_name = body.get(4..).map(narrow_text),
            b"data" => {
                let Some(value) = value(body) else { continue };
                if name == *b"----" {
                    // Identifiers and measurements of programs, but for what a person may have typed.
                    let wanted = own_name.as_deref().and_then(free_label);
                    if let Some(label) = wanted {
                        tell(label, &value, facts);
                    }
                } else if let Some(label) = label(&name) {
                    tell(label, &value, facts);
                } else if let Some(label) = big_endian(&name)
                    .checked_sub(1)
                    .and_then(|position| keys.get(position))
                    .and_then(|key| key_label(key))
                {
                    tell(label, &value, facts);
                }
            }
            _ => {}
        }
    }
}

/// The text of an item: its type in four bytes (1 for UTF-8, 2 for UTF-16), its language in four.
fn value(body: &[u8]) -> Option<String> {
    let text = body.get(8..)?;
    match body.get(..4).map(big_endian)? & 0xFF_FFFF {
        1 => Some(narrow_text(text)),
        2 => Some(wide_text(text, false)),
        _ => None,
    }
}

fn tell(label: &str, value: &str, facts: &mut Facts) {
    match label {
        "Lyrics" => facts.add_lines("lyrics", label, value),
        "Encoder" => facts.add_aside("encoder", value),
        _ => facts.add_labelled(&label.to_lowercase(), label, value),
    }
}

/// What iTunes' and QuickTime's names of four letters mean.
fn label(name: &[u8; 4]) -> Option<&'static str> {
    Some(match name {
        b"\xA9nam" => "Title",
        b"\xA9ART" | b"\xA9art" => "Artist",
        b"aART" => "Album artist",
        b"\xA9alb" => "Album",
        b"\xA9cmt" => "Comment",
        b"\xA9gen" => "Genre",
        b"\xA9day" => "Date",
        b"\xA9wrt" | b"\xA9com" => "Composer",
        b"\xA9lyr" => "Lyrics",
        b"\xA9grp" => "Grouping",
        b"\xA9wrk" => "Work",
        b"\xA9mvn" => "Movement",
        b"\xA9nrt" => "Narrator",
        b"\xA9pub" => "Publisher",
        b"\xA9dir" => "Director",
        b"\xA9prd" => "Producer",
        b"\xA9aut" => "Author",
        b"\xA9des" | b"desc" => "Description",
        b"ldes" => "Long description",
        b"sdes" => "Series description",
        b"\xA9inf" => "Information",
        b"\xA9key" | b"keyw" => "Keywords",
        b"catg" => "Category",
        b"\xA9cpy" | b"cprt" => "Copyright",
        b"\xA9mak" => "Make",
        b"\xA9mod" => "Model",
        b"\xA9xyz" | b"\xA9loc" => "Location",
        b"tvsh" => "Show",
        b"tvnn" => "Network",
        b"\xA9st3" => "Subtitle",
        b"\xA9too" | b"\xA9swr" | b"\xA9enc" => "Encoder",
        _ => return None,
    })
}

/// What the keys that phones write mean: `com.apple.quicktime.location.name`.
fn key_label(key: &str) -> Option<&'static str> {
    let last = key.strip_prefix("com.apple.quicktime.").or_else(|| key.strip_prefix("com.android.")).unwrap_or(key);
    Some(match last.to_ascii_lowercase().as_str() {
        "title" | "displayname" => "Title",
        "artist" => "Artist",
        "album" => "Album",
        "author" => "Author",
        "comment" => "Comment",
        "description" => "Description",
        "information" => "Information",
        "keywords" => "Keywords",
        "genre" => "Genre",
        "copyright" => "Copyright",
        "creationdate" | "date" => "Date",
        "director" => "Director",
        "producer" => "Producer",
        "publisher" => "Publisher",
        "make" | "manufacturer" => "Make",
        "model" => "Model",
        "location.iso6709" => "Location",
        "location.name" => "Location name",
        "location.body" => "Location body",
        "location.note" => "Location note",
        "software" | "encoder" => "Encoder",
        _ => return None,
    })
}

/// The free items of iTunes that hold words.
fn free_label(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_uppercase().as_str() {
        "LYRICIST" => "Lyricist",
        "CONDUCTOR" => "Conductor",
        "REMIXER" => "Remixer",
        "PRODUCER" => "Producer",
        "LABEL" => "Label",
        "MOOD" => "Mood",
        "SUBTITLE" => "Subtitle",
        "DISCSUBTITLE" => "Disc subtitle",
        "PERFORMER" => "Performer",
        "NARRATOR" => "Narrator",
        "SERIES" => "Series",
        "LYRICS" | "UNSYNCEDLYRICS" => "Lyrics",
        _ => return None,
    })
}

/// The boxes that stand one after another.
fn boxes(bytes: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    let mut at = 0usize;
    std::iter::from_fn(move || {
        let header = bytes.get(at..at.checked_add(8)?)?;
        let name: [u8; 4] = header[4..].try_into().ok()?;
        let (start, length) = match big_endian(&header[..4]) {
            0 => (8, bytes.len() - at),
            1 => (16, big_endian(bytes.get(at + 8..at + 16)?)),
            length => (8, length),
        };
        // A box that is cut short is taken as far as it goes: the film's head tells although its end is missing.
        let end = at.checked_add(length).filter(|_| length >= start)?.min(bytes.len());
        let body = bytes.get(at + start..end)?;
        at = end;
        Some((name, body))
    })
    .take(MOST_BOXES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_that_lies_about_its_length_ends_the_walk() {
        let names = |bytes: &[u8]| boxes(bytes).map(|(name, body)| (name, body.len())).collect::<Vec<_>>();
        assert_eq!(names(b"\0\0\0\x09moov1\0\0\0\x08free"), [(*b"moov", 1), (*b"free", 0)]);
        assert_eq!(names(b"\0\0\0\x01moov\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), [(*b"moov", 0)]);
        assert_eq!(names(b"\0\0\0\x08free\0\0\0\x01moov\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), [(*b"free", 0)]);
        assert_eq!(names(b"\0\0\0\x04moov"), []);
        assert_eq!(names(b"\0\0\0\0mdat12"), [(*b"mdat", 2)]);
        assert_eq!(names(b"\xFF\0\0\0mdat12"), [(*b"mdat", 2)]);
    }
}
