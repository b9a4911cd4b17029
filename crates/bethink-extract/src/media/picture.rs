//! Where pictures keep their words: the segments and chunks of each container.
//!
//! EXIF is a small TIFF that every container carries in its own way, XMP is a packet of XML that stands in the
//! clear in nearly all of them, IPTC hides in the resources of Photoshop.

use std::io::Read;

use flate2::read::ZlibDecoder;
use memchr::memmem;

use super::facts::{Facts, narrow_text};
use super::{exif, iptc, isobmff, xmp};

/// Most bytes unpacked of one compressed text of a PNG.
const MOST_UNPACKED: u64 = 1 << 20;

/// Chunks, segments and blocks that are looked at in one picture.
const MOST_PARTS: usize = 100_000;

/// Gathers the words of a picture.
pub(super) fn read(bytes: &[u8], facts: &mut Facts) {
    match bytes {
        [0xFF, 0xD8, ..] => jpeg(bytes, facts),
        [0x89, b'P', b'N', b'G', ..] => png(bytes, facts),
        [b'G', b'I', b'F', ..] => gif(bytes, facts),
        [b'R', b'I', b'F', b'F', ..] => webp(bytes, facts),
        [b'8', b'B', b'P', b'S', ..] => photoshop(bytes, facts),
        // Olympus and Panasonic changed the number of TIFF's magic and nothing else.
        [b'I', b'I', b'R', b'O' | b'S', ..] | [b'I', b'I', b'U', 0, ..] => {
            let mut tiff = bytes.to_vec();
            tiff[2..4].copy_from_slice(&[42, 0]);
            exif::read(tiff, facts);
        }
        [b'I', b'I', ..] | [b'M', b'M', ..] => exif::read(bytes.to_vec(), facts),
        [b'F', b'U', b'J', b'I', ..] => fuji(bytes, facts),
        _ => isobmff::picture(bytes, facts),
    }
    packets(bytes, facts);
}

/// Every packet of XMP that stands in the clear.
fn packets(bytes: &[u8], facts: &mut Facts) {
    /// A picture has one, a picture of an editor with its layers a few.
    const MOST_PACKETS: usize = 4;
    const MOST_PACKET_BYTES: usize = 4 << 20;
    let mut rest = bytes;
    for _ in 0..MOST_PACKETS {
        let Some(start) = memmem::find(rest, b"<x:xmpmeta") else { return };
        let tail = &rest[start..];
        let tail = &tail[..tail.len().min(MOST_PACKET_BYTES)];
        let Some(end) = memmem::find(tail, b"</x:xmpmeta>") else { return };
        xmp::read(&tail[..end + b"</x:xmpmeta>".len()], facts);
        rest = &rest[start + end..];
    }
}

fn jpeg(bytes: &[u8], facts: &mut Facts) {
    let mut at = 2;
    for _ in 0..MOST_PARTS {
        let Some([0xFF, marker]) = bytes.get(at..at + 2) else { return };
        match marker {
            // Padding between segments.
            0xFF => {
                at += 1;
                continue;
            }
            // Marks without a body.
            0x01 | 0xD0..=0xD8 => {
                at += 2;
                continue;
            }
            // The picture itself; metadata stands before it.
            0xD9 | 0xDA => return,
            _ => {}
        }
        let Some(length) = bytes.get(at + 2..at + 4).map(|field| usize::from(field[0]) << 8 | usize::from(field[1]))
        else {
            return;
        };
        let Some(body) = bytes.get(at + 4..at + 2 + length.max(2)) else { return };
        match marker {
            0xE1 => {
                if let Some(tiff) = body.strip_prefix(b"Exif\0").and_then(|rest| rest.get(1..)) {
                    exif::read(tiff.to_vec(), facts);
                }
            }
            0xED => {
                if let Some(resources) = body.strip_prefix(b"Photoshop 3.0\0") {
                    iptc::resources(resources, facts);
                }
            }
            0xFE => facts.add("Comment", &narrow_text(body)),
            _ => {}
        }
        at += 2 + length.max(2);
    }
}

fn png(bytes: &[u8], facts: &mut Facts) {
    let mut at = 8;
    for _ in 0..MOST_PARTS {
        let Some(header) = bytes.get(at..at + 8) else { return };
        let length = big_endian(&header[..4]);
        let Some(body) = at.checked_add(8 + length).and_then(|end| bytes.get(at + 8..end)) else { return };
        match &header[4..] {
            b"tEXt" => {
                if let Some((key, value)) = split_zero(body) {
                    png_text(&narrow_text(key), &narrow_text(value), facts);
                }
            }
            b"zTXt" => {
                if let Some((key, [0, packed @ ..])) = split_zero(body) {
                    png_text(&narrow_text(key), &narrow_text(&unpacked(packed)), facts);
                }
            }
            b"iTXt" => international_text(body, facts),
            b"eXIf" => exif::read(body.to_vec(), facts),
            b"IEND" => return,
            _ => {}
        }
        at += 12 + length;
    }
}

/// `keyword 0 compressed method language 0 translated-keyword 0 text`.
fn international_text(body: &[u8], facts: &mut Facts) {
    let Some((key, [compressed, _, rest @ ..])) = split_zero(body) else { return };
    let Some((_, rest)) = split_zero(rest) else { return };
    let Some((_, text)) = split_zero(rest) else { return };
    let text = if *compressed == 1 { unpacked(text) } else { text.to_vec() };
    if key == b"XML:com.adobe.xmp" {
        xmp::read(&text, facts);
    } else {
        png_text(&narrow_text(key), &narrow_text(&text), facts);
    }
}

fn png_text(key: &str, value: &str, facts: &mut Facts) {
    /// Texts longer than this are data that a program stored for itself: drawings, workflows.
    const MOST_TEXT: usize = 32 << 10;
    if let Some(kind) = key.strip_prefix("Raw profile type ") {
        return raw_profile(kind, value, facts);
    }
    // What ImageMagick and scanners write of times and of the encoding says nothing of the picture.
    let technical = key.contains(':') || matches!(key, "Software" | "Thumb" | "mxfile" | "workflow");
    if key == "Software" {
        facts.add_aside(key, value);
    } else if !technical && value.len() <= MOST_TEXT {
        facts.add(key, value);
    }
}

/// ImageMagick's hexadecimal copies of profiles: a line with the name, one with the length, then digits.
fn raw_profile(kind: &str, value: &str, facts: &mut Facts) {
    let mut words = value.split_ascii_whitespace();
    words.next();
    words.next();
    let digits: Vec<u8> =
        words.flat_map(str::bytes).filter_map(|byte| char::from(byte).to_digit(16)).map(|digit| digit as u8).collect();
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    match kind {
        "exif" | "APP1" => {
            if let Some(tiff) = bytes.strip_prefix(b"Exif\0\0") {
                exif::read(tiff.to_vec(), facts);
            }
        }
        "iptc" | "8bim" => iptc::resources(&bytes, facts),
        "xmp" => xmp::read(&bytes, facts),
        _ => {}
    }
}

/// Comment extensions; picture data is skipped by its blocks' lengths.
fn gif(bytes: &[u8], facts: &mut Facts) {
    let Some(flags) = bytes.get(10) else { return };
    let table = |flags: u8| if flags & 0x80 != 0 { 3 << ((flags & 7) + 1) } else { 0 };
    let mut at = 13 + table(*flags);
    for _ in 0..MOST_PARTS {
        match bytes.get(at..at + 2) {
            Some([0x21, label]) => {
                let label = *label;
                at += 2;
                let (body, end) = blocks(bytes, at);
                if label == 0xFE {
                    facts.add("Comment", &narrow_text(&body));
                }
                at = end;
            }
            Some([0x2C, _]) => {
                let Some(flags) = bytes.get(at + 9) else { return };
                at = blocks(bytes, at + 11 + table(*flags)).1;
            }
            _ => return,
        }
    }
}

/// The joined blocks from here on, as far as they are words, and where what follows them stands.
fn blocks(bytes: &[u8], mut at: usize) -> (Vec<u8>, usize) {
    const MOST_KEPT: usize = 64 << 10;
    let mut body = Vec::new();
    while let Some(length) = bytes.get(at).map(|length| usize::from(*length)).filter(|length| *length > 0) {
        if body.len() < MOST_KEPT {
            body.extend_from_slice(bytes.get(at + 1..at + 1 + length).unwrap_or_default());
        }
        at += 1 + length;
    }
    (body, at + 1)
}

fn webp(bytes: &[u8], facts: &mut Facts) {
    let mut at = 12;
    for _ in 0..MOST_PARTS {
        let Some(header) = bytes.get(at..at + 8) else { return };
        let length = header[4..].iter().rev().fold(0usize, |length, byte| length << 8 | usize::from(*byte));
        if header.starts_with(b"EXIF")
            && let Some(body) = bytes.get(at + 8..at + 8 + length)
        {
            exif::read(body.strip_prefix(b"Exif\0\0").unwrap_or(body).to_vec(), facts);
        }
        at += 8 + length + length % 2;
    }
}

/// The image resources stand behind the header of 26 bytes and the colour table.
fn photoshop(bytes: &[u8], facts: &mut Facts) {
    let length_at = |at: usize| bytes.get(at..at + 4).map(big_endian);
    let Some(colours) = length_at(26) else { return };
    let start = 30 + colours;
    let Some(length) = length_at(start) else { return };
    let end = (start + 4 + length).min(bytes.len());
    if let Some(resources) = bytes.get(start + 4..end) {
        iptc::resources(resources, facts);
    }
}

/// Fujifilm's RAW wraps a JPEG, whose place stands at offset 84.
fn fuji(bytes: &[u8], facts: &mut Facts) {
    if let Some(start) = bytes.get(84..88).map(big_endian)
        && let Some(inner) = bytes.get(start..).filter(|inner| inner.starts_with(&[0xFF, 0xD8]))
    {
        jpeg(inner, facts);
    }
}

fn split_zero(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(0, bytes)?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    // What was unpacked before an error is kept.
    let _ = ZlibDecoder::new(packed).take(MOST_UNPACKED).read_to_end(&mut text);
    text
}

/// The number in up to four bytes, most significant first.
pub(super) fn big_endian(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte))
}
