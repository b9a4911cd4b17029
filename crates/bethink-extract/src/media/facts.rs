//! Named facts about a file: gathered, cleaned, told once each.

use std::collections::HashSet;

use bethink_core::Locator;
use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::family::Sink;
use crate::text::without_controls;

/// Most facts of one file; a tagged photograph has thirty, a podcast with chapters a hundred.
const MOST_FACTS: usize = 512;

/// Longest value of a fact, in bytes. Lyrics and notes of an episode fit; what is longer is data.
const MOST_VALUE_BYTES: usize = 256 << 10;

/// Facts in the order they were met.
#[derive(Debug, Default)]
pub(super) struct Facts {
    list: Vec<Fact>,
    seen: HashSet<(String, String)>,
}

#[derive(Debug)]
struct Fact {
    /// What a locator calls it.
    name: String,
    /// What stands before the colon.
    label: String,
    value: String,
    /// Whether it is a reason to index the file; the program that wrote a picture is none.
    tells: bool,
}

impl Facts {
    /// A fact whose name is also its label.
    pub(super) fn add(&mut self, name: &str, value: &str) {
        self.push(name, name, single_line(value), true);
    }

    /// A fact under a label of its own.
    pub(super) fn add_labelled(&mut self, name: &str, label: &str, value: &str) {
        self.push(name, label, single_line(value), true);
    }

    /// A fact whose lines matter: lyrics, chapters.
    pub(super) fn add_lines(&mut self, name: &str, label: &str, value: &str) {
        let lines = value.split(['\n', '\r']).map(single_line).filter(|line| !line.is_empty());
        let value = lines.collect::<Vec<_>>().join("\n");
        let value = if value.contains('\n') { format!("\n{value}") } else { value };
        self.push(name, label, value, true);
    }

    /// A fact that is told beside others and is no reason to index a file.
    pub(super) fn add_aside(&mut self, name: &str, value: &str) {
        self.push(name, name, single_line(value), false);
    }

    fn push(&mut self, name: &str, label: &str, value: String, tells: bool) {
        let name = single_line(name);
        let empty = value.trim().is_empty() || name.is_empty() || name.len() > 256;
        if empty || value.len() > MOST_VALUE_BYTES || self.list.len() >= MOST_FACTS {
            return;
        }
        // The same words often stand in several places: EXIF, IPTC and XMP, or the tags of two versions.
        if self.seen.insert((name.to_lowercase(), value.clone())) {
            self.list.push(Fact { name, label: single_line(label), value, tells });
        }
    }

    /// Tells them to the sink; false, with nothing told, if there is no reason to.
    pub(super) fn tell(self, sink: &mut dyn Sink) -> bool {
        if !self.list.iter().any(|fact| fact.tells) {
            return false;
        }
        let title = self.list.iter().find(|fact| fact.label.eq_ignore_ascii_case("title"));
        if let Some(title) = title {
            sink.title(title.value.clone());
        }
        for fact in self.list {
            sink.mark(Locator::Field(fact.name));
            if !sink.text(format!("{}: {}\n", fact.label, fact.value)) {
                break;
            }
        }
        true
    }
}

/// Without control characters, with every run of white space as one space.
fn single_line(value: &str) -> String {
    let clean = without_controls(value.replace('\0', " "));
    clean.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A string of a tag that says nothing of its charset: UTF-8, or what Windows wrote.
pub(super) fn narrow_text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    match std::str::from_utf8(&bytes[..end]) {
        Ok(text) => text.to_owned(),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(&bytes[..end]).0.into_owned(),
    }
}

/// A string of 16-bit units up to its final zero.
pub(super) fn wide_text(bytes: &[u8], little_endian: bool) -> String {
    let end = bytes.chunks_exact(2).position(|unit| unit == [0, 0]).map_or(bytes.len() / 2 * 2, |units| units * 2);
    let encoding = if little_endian { UTF_16LE } else { UTF_16BE };
    encoding.decode_with_bom_removal(&bytes[..end]).0.into_owned()
}

/// A length in time, as `1:02:03 (3723.0 s)`; the seconds in brackets rounded to a tenth, as `ffprobe` users do.
pub(super) fn duration_words(seconds: f64) -> Option<String> {
    /// A hundred years; what is longer is a broken field.
    const LONGEST_SECONDS: f64 = 3.2e9;
    if !(0.0..LONGEST_SECONDS).contains(&seconds) {
        return None;
    }
    let whole = seconds as u64;
    Some(format!("{} ({seconds:.1} s)", clock(whole)))
}

/// Seconds as `2:05` or `1:02:03`.
pub(super) fn clock(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{rest:02}") } else { format!("{minutes}:{rest:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_told_as_on_a_clock() {
        assert_eq!(duration_words(2.51).as_deref(), Some("0:02 (2.5 s)"));
        assert_eq!(duration_words(3723.0).as_deref(), Some("1:02:03 (3723.0 s)"));
        assert_eq!(duration_words(f64::NAN), None);
        assert_eq!(duration_words(-1.0), None);
        assert_eq!(duration_words(1e300), None);
    }

    #[test]
    fn strings_of_tags_are_decoded() {
        assert_eq!(narrow_text(b"caf\xe9\0rest"), "café");
        assert_eq!(narrow_text("café".as_bytes()), "café");
        assert_eq!(wide_text(b"a\0\xe9\0\0\0z\0", true), "aé");
        assert_eq!(wide_text(b"\0a\0", false), "a");
    }
}
