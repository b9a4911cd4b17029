//! ASF (WMA, WMV): objects of a 16-byte identifier, a length of eight bytes that counts itself, and a body.

use super::facts::{Facts, duration_words, wide_text};

const HEADER: [u8; 16] = identifier(0x75B2_2630, 0x668E, 0x11CF, *b"\xA6\xD9\x00\xAA\x00\x62\xCE\x6C");
const CONTENT: [u8; 16] = identifier(0x75B2_2633, 0x668E, 0x11CF, *b"\xA6\xD9\x00\xAA\x00\x62\xCE\x6C");
const EXTENDED: [u8; 16] = identifier(0xD2D0_A440, 0xE307, 0x11D2, *b"\x97\xF0\x00\xA0\xC9\x5E\xA8\x50");
const FILE: [u8; 16] = identifier(0x8CAB_DCA1, 0xA947, 0x11CF, *b"\x8E\xE4\x00\xC0\x0C\x20\x53\x65");

/// An identifier as it is written: its first three parts least significant byte first.
const fn identifier(first: u32, second: u16, third: u16, rest: [u8; 8]) -> [u8; 16] {
    let (a, b, c) = (first.to_le_bytes(), second.to_le_bytes(), third.to_le_bytes());
    [
        a[0], a[1], a[2], a[3], b[0], b[1], c[0], c[1], rest[0], rest[1], rest[2], rest[3], rest[4], rest[5], rest[6],
        rest[7],
    ]
}

/// Objects looked at in one file.
const MOST_OBJECTS: usize = 10_000;

/// What a person reads among the extended fields.
const FIELDS: [(&str, &str); 14] = [
    ("WM/AlbumTitle", "Album"),
    ("WM/AlbumArtist", "Album artist"),
    ("WM/Genre", "Genre"),
    ("WM/Year", "Date"),
    ("WM/Composer", "Composer"),
    ("WM/Conductor", "Conductor"),
    ("WM/Writer", "Writer"),
    ("WM/SubTitle", "Subtitle"),
    ("WM/Lyrics", "Lyrics"),
    ("WM/Publisher", "Publisher"),
    ("WM/Director", "Director"),
    ("WM/Producer", "Producer"),
    ("WM/Mood", "Mood"),
    ("WM/Category", "Category"),
];

/// Gathers the words of a recording.
pub(super) fn read(bytes: &[u8], facts: &mut Facts) {
    let Some((_, header)) = objects(bytes).find(|(name, _)| *name == HEADER) else { return };
    // The number of objects and two reserved bytes stand before them.
    for (name, body) in objects(header.get(6..).unwrap_or_default()) {
        match name {
            CONTENT => content(body, facts),
            EXTENDED => extended(body, facts),
            FILE => {
                if let Some(words) = length(body).and_then(duration_words) {
                    facts.add_labelled("duration", "Duration", &words);
                }
            }
            _ => {}
        }
    }
}

/// Five lengths of two bytes, then the five texts.
fn content(body: &[u8], facts: &mut Facts) {
    let mut at = 10;
    for (position, label) in ["Title", "Artist", "Copyright", "Comment", "Rating"].into_iter().enumerate() {
        let Some(length) = two(body, 2 * position) else { return };
        let Some(text) = body.get(at..at + length) else { return };
        if label != "Rating" {
            facts.add_labelled(&label.to_lowercase(), label, &wide_text(text, true));
        }
        at += length;
    }
}

/// How many fields there are; of each the length of its name, the name, its type (0 is text), the length of its
/// value, the value.
fn extended(body: &[u8], facts: &mut Facts) {
    let mut at = 2;
    for _ in 0..two(body, 0).unwrap_or(0) {
        let Some(name) = two(body, at).and_then(|length| body.get(at + 2..at + 2 + length)) else { return };
        at += 2 + name.len();
        let (Some(kind), Some(length)) = (two(body, at), two(body, at + 2)) else { return };
        let Some(value) = body.get(at + 4..at + 4 + length) else { return };
        at += 4 + length;
        let name = wide_text(name, true);
        if kind == 0
            && let Some((_, label)) = FIELDS.iter().find(|(field, _)| *field == name)
        {
            facts.add_lines(&label.to_lowercase(), label, &wide_text(value, true));
        }
    }
}

/// The playing time in tenths of a microsecond, less what is buffered first, in milliseconds.
fn length(body: &[u8]) -> Option<f64> {
    let eight = |at: usize| Some(u64::from_le_bytes(body.get(at..at + 8)?.try_into().ok()?) as f64);
    Some(eight(40)? / 1e7 - eight(56)? / 1e3).filter(|seconds| *seconds > 0.0)
}

fn two(body: &[u8], at: usize) -> Option<usize> {
    body.get(at..at + 2).map(|field| usize::from(field[0]) | usize::from(field[1]) << 8)
}

fn objects(bytes: &[u8]) -> impl Iterator<Item = ([u8; 16], &[u8])> {
    let mut at = 0usize;
    std::iter::from_fn(move || {
        let name: [u8; 16] = bytes.get(at..at + 16)?.try_into().ok()?;
        let length = u64::from_le_bytes(bytes.get(at + 16..at + 24)?.try_into().ok()?);
        let length = usize::try_from(length).ok().filter(|length| *length >= 24)?;
        let end = at.saturating_add(length).min(bytes.len());
        let body = bytes.get(at + 24..end)?;
        at = end;
        Some((name, body))
    })
    .take(MOST_OBJECTS)
}
