//! A raw message taken apart: its text, and the files that came with it.

use std::borrow::Cow;

use bethink_core::{Locator, ProblemKind};
use mail_parser::{Encoding, Message, MessageParser, MessagePart, MimeHeaders, PartType};

use super::enclosure::{Enclosure, file_name};
use super::letter::Letter;
use super::{body, header, signed, tnef};
use crate::extraction::problem;
use crate::family::{Outcome, Sink};
use crate::html::read_page;
use crate::limits::Limits;
use crate::text::without_controls;

/// Parts of one message that are looked at; mailers make a dozen.
const MOST_PARTS: usize = 10_000;

/// Multiparts inside each other that are followed.
const DEPTH: u32 = 32;

/// Signed messages inside each other that are unwrapped: one is signed by a person, another around it by a
/// server.
const SIGNATURES_DEEP: u32 = 4;

/// Reads a file that is one message.
pub(super) fn read(bytes: &[u8], limits: &Limits, sink: &mut dyn Sink) -> Outcome {
    letter(without_envelope(bytes)).give(limits, sink)
}

/// The message without what mail programs put before it in a file of its own: the `From ` line of a mailbox,
/// the length that Apple Mail begins with (and the property list that it ends with).
fn without_envelope(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return bytes };
    let (line, rest) = (bytes[..end].trim_ascii(), &bytes[end + 1..]);
    if line.starts_with(b"From ") || line.starts_with(b">From ") {
        return rest;
    }
    let length = std::str::from_utf8(line).ok().and_then(|line| line.parse::<usize>().ok());
    length.map_or(bytes, |length| &rest[..rest.len().min(length)])
}

/// Takes a raw message apart.
pub(super) fn letter(raw: &[u8]) -> Letter {
    unwrapped(raw, SIGNATURES_DEEP)
}

/// Takes apart a raw message in which so many signed ones may be wrapped.
fn unwrapped(raw: &[u8], signatures: u32) -> Letter {
    let mut letter = Letter::default();
    header::read(raw, &mut letter);
    let Some(message) = MessageParser::default().parse(raw) else {
        letter.body = body_without_headers(raw);
        return letter;
    };
    let mut reading = Reading {
        message: &message,
        raw,
        letter: &mut letter,
        parts: 0,
        plain_parts: Vec::new(),
        outlook_body: String::new(),
        signatures,
    };
    let text = reading.part(0, DEPTH);
    let later = std::mem::take(&mut reading.plain_parts);
    let outlook_body = std::mem::take(&mut reading.outlook_body);
    // Outlook mostly sends the same text as a part of the message, too.
    letter.body = if text.trim().is_empty() { outlook_body } else { text };
    for text in later {
        letter.body.push_str("\n\n");
        letter.body.push_str(&text);
    }
    if body::take_cipher(&mut letter.body) {
        letter.problems.push(encrypted());
    }
    letter
}

/// The text of what is no message at all.
fn body_without_headers(raw: &[u8]) -> String {
    super::word::in_charset(raw, None)
}

fn encrypted() -> bethink_core::Problem {
    problem(ProblemKind::Encrypted, "its text is encrypted; its headers are read")
}

/// A message being taken apart.
struct Reading<'a> {
    message: &'a Message<'a>,
    raw: &'a [u8],
    letter: &'a mut Letter,
    parts: usize,
    /// Text that stands behind the body: invitations, reports.
    plain_parts: Vec<String>,
    /// The text that stands in Outlook's `winmail.dat`.
    outlook_body: String,
    /// Signed messages that may still be unwrapped.
    signatures: u32,
}

impl<'a> Reading<'a> {
    /// The text of a part, its files put aside.
    fn part(&mut self, number: u32, depth: u32) -> String {
        self.parts += 1;
        let Some(part) = self.message.parts.get(number as usize).filter(|_| self.parts <= MOST_PARTS) else {
            return String::new();
        };
        let media = media_type(part);
        if let Some(inner) = self.signed(part, &media) {
            return inner;
        }
        if is_encrypted(part, &media) {
            self.letter.problems.push(encrypted());
            return String::new();
        }
        match &part.body {
            PartType::Multipart(numbers) if depth > 0 => match media.as_str() {
                "multipart/alternative" => self.alternative(numbers, depth - 1),
                "multipart/related" => self.related(part, numbers, depth - 1),
                _ => self.mixed(numbers, depth - 1),
            },
            PartType::Multipart(_) => String::new(),
            PartType::Message(nested) => {
                self.forwarded(part, nested);
                String::new()
            }
            PartType::Text(_) | PartType::Html(_) if is_text_of_the_message(part, &media) => match media.as_str() {
                "text/html" => body::page(part, self.raw),
                "text/calendar" => {
                    self.plain_parts.push(body::source(part, self.raw));
                    String::new()
                }
                _ => body::plain(part, self.raw),
            },
            _ => {
                self.enclose(part, &media);
                String::new()
            }
        }
    }

    /// Parts one after another.
    fn mixed(&mut self, numbers: &[u32], depth: u32) -> String {
        let mut text = String::new();
        for number in numbers {
            let next = self.part(*number, depth);
            if !next.trim().is_empty() {
                if !text.is_empty() {
                    text.truncate(text.trim_end().len());
                    text.push_str("\n\n");
                }
                text.push_str(&next);
            }
        }
        text
    }

    /// Parts that say the same in several ways.
    fn alternative(&mut self, numbers: &[u32], depth: u32) -> String {
        let (mut plain, mut page) = (String::new(), String::new());
        for number in numbers {
            let media = self.message.parts.get(*number as usize).map(media_type).unwrap_or_default();
            let text = self.part(*number, depth);
            let is_plain = media.starts_with("text/") && media != "text/html";
            let kept = if is_plain { &mut plain } else { &mut page };
            if kept.trim().is_empty() {
                *kept = text;
            }
        }
        body::better(plain, page)
    }

    /// A page and what it shows: the first part is the text, unless another is named.
    fn related(&mut self, part: &MessagePart<'_>, numbers: &[u32], depth: u32) -> String {
        let start = part.content_type().and_then(|content_type| content_type.attribute("start"));
        let start = start.map(|id| id.trim_matches(['<', '>']));
        let is_start = |number: &&u32| {
            let id = self.message.parts.get(**number as usize).and_then(|part| part.content_id());
            start.is_some() && id.map(|id| id.trim_matches(['<', '>'])) == start
        };
        let root = numbers.iter().find(is_start).or(numbers.first()).copied();
        let mut text = String::new();
        for number in numbers {
            if Some(*number) == root {
                text = self.part(*number, depth);
            } else if let Some(part) = self.message.parts.get(*number as usize) {
                match &part.body {
                    PartType::Multipart(_) | PartType::Message(_) => {
                        let more = self.part(*number, depth);
                        text.push_str(&more);
                    }
                    _ => self.enclose(part, &media_type(part)),
                }
            }
        }
        text
    }

    /// The text of a message that is wrapped into its signature, its files put aside.
    fn signed(&mut self, part: &MessagePart<'_>, media: &str) -> Option<String> {
        let is_named = || attachment_name(part).is_some_and(|name| name.to_ascii_lowercase().ends_with(".p7m"));
        let may_be = match media {
            "application/pkcs7-mime" | "application/x-pkcs7-mime" => true,
            "application/octet-stream" => is_named(),
            _ => false,
        };
        if !may_be || self.signatures == 0 {
            return None;
        }
        let inner = unwrapped(&signed::content(part.contents())?, self.signatures - 1);
        self.letter.enclosures.extend(inner.enclosures);
        self.letter.problems.extend(inner.problems);
        Some(inner.body)
    }

    /// A message inside this one, as a file.
    fn forwarded(&mut self, part: &MessagePart<'_>, nested: &Message<'_>) {
        let raw = match part.encoding {
            Encoding::None => {
                self.raw.get(part.raw_body_offset() as usize..part.raw_end_offset() as usize).unwrap_or_default()
            }
            _ => nested.raw_message(),
        };
        let mut facts = Letter::default();
        header::read(raw, &mut facts);
        let stated = attachment_name(part);
        let subject =
            facts.value("Subject").map(|subject| format!("{}.eml", file_name(&subject.replace(['/', '\\'], "-"))));
        let name = stated.map(|name| if name.contains('.') { name } else { format!("{name}.eml") }).or(subject);
        let file = Enclosure::new(name.as_deref(), "message/rfc822", false, raw.to_vec());
        self.letter.enclosures.push(file);
    }

    /// Puts a part aside as a file.
    fn enclose(&mut self, part: &MessagePart<'_>, media: &str) {
        if is_signature(media) {
            return;
        }
        let bytes: Cow<'_, [u8]> = match &part.body {
            PartType::Text(text) | PartType::Html(text) => match part.encoding {
                // As it was sent: its charset is its own business.
                Encoding::None => Cow::Borrowed(
                    self.raw.get(part.raw_body_offset() as usize..part.raw_end_offset() as usize).unwrap_or_default(),
                ),
                _ => Cow::Owned(text.as_bytes().to_vec()),
            },
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) => Cow::Borrowed(bytes.as_ref()),
            PartType::Multipart(_) | PartType::Message(_) => return,
        };
        if tnef::is_tnef(&bytes) {
            let contents = tnef::contents(&bytes);
            self.letter.enclosures.extend(contents.files);
            self.outlook_body = contents.body;
            return;
        }
        let disposition = part.content_disposition();
        let inline = disposition.map_or(part.content_id().is_some(), |found| found.is_inline());
        let name = attachment_name(part);
        if name.is_none() && bytes.trim_ascii().is_empty() {
            return;
        }
        let file = Enclosure::new(name.as_deref(), media, inline, bytes.into_owned());
        self.letter.enclosures.push(file);
    }
}

/// The media type in lower case; `text/plain` where none is stated.
fn media_type(part: &MessagePart<'_>) -> String {
    match part.content_type() {
        Some(stated) => format!("{}/{}", stated.ctype(), stated.subtype().unwrap_or_default()).to_ascii_lowercase(),
        None => match part.body {
            PartType::Html(_) => "text/html".to_owned(),
            _ => "text/plain".to_owned(),
        },
    }
}

/// The name of a part, readable.
fn attachment_name(part: &MessagePart<'_>) -> Option<String> {
    let name = part.attachment_name().filter(|name| !name.trim().is_empty())?;
    // Some mailers encode names as they do headers, inside the quotation marks of a parameter.
    Some(super::word::readable(name.as_bytes()))
}

/// Whether a text is read as part of the message rather than as a file beside it.
fn is_text_of_the_message(part: &MessagePart<'_>, media: &str) -> bool {
    let is_attached = part.content_disposition().is_some_and(|found| found.is_attachment());
    let is_prose = matches!(
        media,
        "text/plain"
            | "text/html"
            | "text/calendar"
            | "text/enriched"
            | "text/richtext"
            | "text/markdown"
            | "text/"
            | "text/x-amp-html"
            | "text/rfc822-headers"
            | "message/delivery-status"
            | "text"
            | "/"
    );
    // An unknown type that was read as text is text whose structure was broken.
    let is_unknown = !media.starts_with("text/") && !media.starts_with("message/");
    !is_attached && (is_prose && media != "text/x-amp-html" && attachment_name(part).is_none() || is_unknown)
}

fn is_signature(media: &str) -> bool {
    matches!(
        media,
        "application/pgp-signature"
            | "application/pkcs7-signature"
            | "application/x-pkcs7-signature"
            | "text/x-amp-html"
            | "application/pgp-keys"
    )
}

fn is_encrypted(part: &MessagePart<'_>, media: &str) -> bool {
    let is_enveloped = || {
        let kind = part.content_type().and_then(|stated| stated.attribute("smime-type"));
        kind.is_none_or(|kind| !kind.eq_ignore_ascii_case("signed-data") && !kind.eq_ignore_ascii_case("certs-only"))
    };
    match media {
        "multipart/encrypted" | "application/pgp-encrypted" => true,
        "application/pkcs7-mime" | "application/x-pkcs7-mime" => is_enveloped(),
        _ => false,
    }
}

/// Reads a saved web page: its first page, then the pages of its frames. What it shows is left out.
pub(super) fn read_page_archive(bytes: &[u8], sink: &mut dyn Sink) -> Outcome {
    let raw = without_envelope(bytes);
    let Some(message) = MessageParser::default().parse(raw) else {
        return Outcome::Failed(problem(ProblemKind::Damaged, "its headers are broken beyond reading"));
    };
    let mut facts = Letter::default();
    header::read(raw, &mut facts);
    let mut title = None;
    let mut wrote = false;
    for part in message.parts.iter().take(MOST_PARTS) {
        let text = match (&part.body, media_type(part).as_str()) {
            (PartType::Html(_), _) | (_, "application/xhtml+xml") => {
                let page = read_page(&body::source(part, raw));
                title = title.or(page.title);
                page.text
            }
            (PartType::Text(_), "text/plain") => body::source(part, raw),
            _ => continue,
        };
        if text.trim().is_empty() {
            continue;
        }
        if !wrote {
            if let Some(title) = title.clone().or_else(|| facts.value("Subject").map(str::to_owned)) {
                sink.title(title);
            }
            sink.mark(Locator::Line);
        }
        let gap = if wrote { "\n" } else { "" };
        wrote = true;
        if !sink.text(without_controls(format!("{gap}{text}"))) {
            break;
        }
    }
    if wrote { Outcome::Read } else { Outcome::Skipped(problem(ProblemKind::Empty, "the page holds no readable text")) }
}
