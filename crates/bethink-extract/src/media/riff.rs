//! AVI: chunks of a name, a length and a body; lists hold more of them.

use super::facts::{Facts, duration_words, narrow_text};

/// Chunks looked at in one file.
const MOST_CHUNKS: usize = 100_000;

/// What the names in an INFO list mean.
const FIELDS: [(&[u8; 4], &str); 14] = [
    (b"INAM", "Title"),
    (b"TITL", "Title"),
    (b"IART", "Artist"),
    (b"ICMT", "Comment"),
    (b"ISBJ", "Subject"),
    (b"IKEY", "Keywords"),
    (b"IGNR", "Genre"),
    (b"ICRD", "Date"),
    (b"ICOP", "Copyright"),
    (b"IPRD", "Album"),
    (b"IPRO", "Producer"),
    (b"IDIT", "Date"),
    (b"IWRI", "Writer"),
    (b"ILOC", "Location"),
];

/// Gathers the words of a film.
pub(super) fn read(bytes: &[u8], facts: &mut Facts) {
    for (name, body) in chunks(bytes.get(12..).unwrap_or_default()) {
        if name != *b"LIST" {
            continue;
        }
        match body.split_at_checked(4) {
            Some((b"INFO", fields)) => {
                for (name, value) in chunks(fields) {
                    if let Some((_, label)) = FIELDS.iter().find(|(field, _)| **field == name) {
                        facts.add_labelled(&label.to_lowercase(), label, &narrow_text(value));
                    }
                }
            }
            Some((b"hdrl", header)) => {
                let main = chunks(header).find(|(name, _)| name == b"avih");
                if let Some(words) = main.and_then(|(_, body)| length(body)).and_then(duration_words) {
                    facts.add_labelled("duration", "Duration", &words);
                }
            }
            _ => {}
        }
    }
}

/// Microseconds a frame, and how many frames there are.
fn length(header: &[u8]) -> Option<f64> {
    let number = |at: usize| Some(f64::from(u32::from_le_bytes(header.get(at..at + 4)?.try_into().ok()?)));
    Some(number(0)? * number(16)? / 1e6).filter(|seconds| *seconds > 0.0)
}

fn chunks(bytes: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    let mut at = 0usize;
    std::iter::from_fn(move || {
        let header = bytes.get(at..at + 8)?;
        let name: [u8; 4] = header[..4].try_into().ok()?;
        let length = u32::from_le_bytes(header[4..].try_into().ok()?) as usize;
        let end = (at + 8).saturating_add(length).min(bytes.len());
        let body = bytes.get(at + 8..end)?;
        at = end + length % 2;
        Some((name, body))
    })
    .take(MOST_CHUNKS)
}
