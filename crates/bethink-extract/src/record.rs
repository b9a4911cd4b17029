//! Calendars (iCalendar) and address books (vCard): the file's own lines, with what their syntax hides
//! from a search brought to light.
//!
//! No line is added or lost, so that line numbers are the file's. Where a long line was folded inside a
//! word, the word is made whole on its first line; quoted-printable values are decoded onto their first
//! line, and embedded pictures become empty lines.

use bethink_core::{Format, ProblemKind};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;
use crate::text::{charset_of, decode, is_wide, unescaped, without_controls};

/// Bytes of a word that are moved across a fold: more than any word, less than a line of base64.
const WORD_BYTES: usize = 64;

/// Reads calendars and address books.
pub(crate) struct RecordFamily;

impl Family for RecordFamily {
    fn reads(&self, format: Format) -> bool {
        matches!(format, Format::Calendar | Format::Contacts)
    }

    fn isolation(&self) -> Isolation {
        Isolation::Here
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        let bytes = source.head(limits.structured_bytes, "", sink);
        let whole = if is_wide(bytes) { bytes.to_vec() } else { whole_characters(bytes) };
        let text = without_controls(readable(&decode(&whole, charset_of(&whole))));
        if text.trim_start().is_empty() {
            return Outcome::Skipped(problem(ProblemKind::Empty, "the file holds nothing but white space"));
        }
        if let Some(title) = title(&text) {
            sink.title(title);
        }
        sink.text(text);
        Outcome::Read
    }

    fn entries(&self) -> Vec<FormatEntry> {
        let entry = |name, detected_by| FormatEntry {
            name,
            detected_by,
            locator: "line, heading (summary or full name)",
            lost: "embedded pictures",
            limits: "64 MiB of the file",
        };
        vec![entry("ics", "BEGIN:VCALENDAR"), entry("vcf", "BEGIN:VCARD")]
    }
}

/// The bytes with no character of UTF-8 cut by a fold, which counts octets: its rest moves up.
fn whole_characters(bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let fold = match bytes[at..] {
            [b'\r', b'\n', b' ' | b'\t', ..] => 3,
            [b'\n', b' ' | b'\t', ..] => 2,
            _ => 0,
        };
        if fold == 0 || whole.last().is_none_or(|last| *last < 0x80) {
            whole.push(bytes[at]);
            at += 1;
            continue;
        }
        let rest = bytes[at + fold..].iter().take(3).take_while(|byte| matches!(byte, 0x80..=0xBF)).count();
        whole.extend(&bytes[at + fold..at + fold + rest]);
        whole.extend(&bytes[at..at + fold]);
        at += fold + rest;
    }
    whole
}

/// The lines as a person reads them.
fn readable(text: &str) -> String {
    let mut readable = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let (content, end) = split_end(line);
        let name_and_parameters = content.split_once(':').map_or("", |(name, _)| name);
        let encoding = encoding(name_and_parameters, content);
        match encoding {
            Encoding::Base64 => {
                readable.push_str(name_and_parameters);
                readable.push(':');
                readable.push_str(end);
                while let Some(next) = lines.next_if(|next| next.starts_with([' ', '\t'])) {
                    readable.push_str(split_end(next).1);
                }
            }
            Encoding::QuotedPrintable => {
                let mut value = content[name_and_parameters.len() + 1..].to_owned();
                let mut ends = vec![end];
                while value.ends_with('=') {
                    value.pop();
                    let Some(next) = lines.next() else { break };
                    let (content, end) = split_end(next);
                    value.push_str(content);
                    ends.push(end);
                }
                readable.push_str(name_and_parameters);
                readable.push(':');
                push_unescaped(&mut readable, &quoted_printable(&value, name_and_parameters));
                readable.extend(ends);
            }
            Encoding::Plain => {
                push_unescaped(&mut readable, content);
                let broken = content.ends_with(char::is_alphanumeric).then(|| lines.peek().copied()).flatten();
                // The rest of a word that the fold cut; the next turn leaves it out.
                let rest = broken.map_or("", word_behind_fold);
                if rest.is_empty() {
                    readable.push_str(end);
                    continue;
                }
                readable.push_str(rest);
                readable.push_str(end);
                if let Some(next) = lines.next() {
                    let (content, end) = split_end(&next[1 + rest.len()..]);
                    readable.push(' ');
                    push_unescaped(&mut readable, content);
                    // A word that goes on over a second fold stays cut there: a line is longer than a word.
                    readable.push_str(end);
                }
            }
        }
    }
    readable
}

fn split_end(line: &str) -> (&str, &str) {
    line.split_at(line.trim_end_matches(['\n', '\r']).len())
}

/// The part of a word at the start of a folded line.
fn word_behind_fold(line: &str) -> &str {
    let Some(content) = line.strip_prefix([' ', '\t']) else { return "" };
    let length = content.find(|character: char| !character.is_alphanumeric()).unwrap_or(content.len());
    if length > WORD_BYTES { "" } else { &content[..length] }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Plain,
    QuotedPrintable,
    Base64,
}

/// How a line's value is written, by the parameters in front of it.
fn encoding(name_and_parameters: &str, content: &str) -> Encoding {
    let mut parameters = name_and_parameters.split(';').skip(1);
    let is_data = || {
        let value = content.get(name_and_parameters.len() + 1..).unwrap_or_default();
        value.starts_with("data:") && value.get(..128).unwrap_or(value).contains(";base64,")
    };
    let found = parameters.find_map(|parameter| {
        let value = parameter.rsplit_once('=').map_or(parameter, |(_, value)| value);
        match value.to_ascii_uppercase().as_str() {
            "QUOTED-PRINTABLE" => Some(Encoding::QuotedPrintable),
            "BASE64" | "B" => Some(Encoding::Base64),
            _ => None,
        }
    });
    match found {
        Some(encoding) => encoding,
        None if is_data() => Encoding::Base64,
        None => Encoding::Plain,
    }
}

/// The characters of a quoted-printable value in the charset that its parameters name.
fn quoted_printable(value: &str, parameters: &str) -> String {
    // Line ends inside a value are blanks, so that the file's lines keep their numbers.
    let bytes = unescaped(value, b'=', |byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { byte });
    let charset = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.eq_ignore_ascii_case("charset")
            .then(|| encoding_rs::Encoding::for_label(value.trim_matches('"').as_bytes()))?
    });
    match charset {
        Some(charset) => charset.decode_without_bom_handling(&bytes).0.into_owned(),
        None => decode(&bytes, charset_of(&bytes)),
    }
}

/// Writes a value without its backslashes; a line end in it becomes a blank.
fn push_unescaped(readable: &mut String, value: &str) {
    let mut rest = value;
    while let Some(at) = rest.find('\\') {
        readable.push_str(&rest[..at]);
        let mut escaped = rest[at + 1..].chars();
        match escaped.next() {
            Some('n' | 'N') => readable.push(' '),
            Some(kept @ (',' | ';' | '\\' | ':')) => readable.push(kept),
            Some(other) => {
                readable.push('\\');
                readable.push(other);
            }
            None => readable.push('\\'),
        }
        rest = escaped.as_str();
    }
    readable.push_str(rest);
}

/// The calendar's own name, or what the only event or person is called.
fn title(text: &str) -> Option<String> {
    let value = |line: &str, name: &str| {
        let rest = line.strip_prefix(name)?;
        let value = if rest.starts_with(';') { rest.split_once(':')?.1 } else { rest.strip_prefix(':')? };
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    if let Some(name) = text.lines().take(64).find_map(|line| value(line, "X-WR-CALNAME")) {
        return Some(name);
    }
    let mut names = text.lines().filter_map(|line| value(line, "SUMMARY").or_else(|| value(line, "FN")));
    names.next().filter(|_| names.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_cut_by_a_fold_are_whole_again() {
        let folded = "DESCRIPTION:The tram cli\r\n mbs the hill\r\n , and\r\n  turns\r\nX:1\r\n";
        assert_eq!(readable(folded), "DESCRIPTION:The tram climbs\r\n  the hill\r\n , and\r\n  turns\r\nX:1\r\n");
        let cut = "SUMMARY:Caf\u{e9} au".as_bytes();
        let (head, tail) = cut.split_at(12);
        let bytes = [head, b"\r\n ", tail].concat();
        assert_eq!(String::from_utf8(whole_characters(&bytes)).ok().as_deref(), Some("SUMMARY:Caf\u{e9}\r\n  au"));
    }

    #[test]
    fn what_is_encoded_is_decoded_on_its_first_line() {
        let card = "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BC=\r\nller;Ana=0D=0Ax\r\n\
            PHOTO;ENCODING=b;TYPE=JPEG:QUJD\r\n QUJD\r\n\r\nNOTE:one\\, two\\nthree\\x\r\n";
        assert_eq!(
            readable(card),
            "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Müller;Ana  x\r\n\r\n\
             PHOTO;ENCODING=b;TYPE=JPEG:\r\n\r\n\r\nNOTE:one, two three\\x\r\n"
        );
    }

    #[test]
    fn no_line_is_added_or_lost() {
        for text in ["A;QUOTED-PRINTABLE:x=", "A;BASE64:", "a", "é\n ü", "\n \n", "PHOTO:data:x;base64,QQ\n QQ\n B:1"]
        {
            assert_eq!(readable(text).matches('\n').count(), text.matches('\n').count(), "{text:?}");
        }
    }

    #[test]
    fn one_record_names_the_file() {
        assert_eq!(title("SUMMARY;LANGUAGE=en:Dinner\n").as_deref(), Some("Dinner"));
        assert_eq!(title("FN:Ana\nFN:Bo\n"), None);
        assert_eq!(title("X-WR-CALNAME:Home\nSUMMARY:a\nSUMMARY:b\n").as_deref(), Some("Home"));
    }
}
