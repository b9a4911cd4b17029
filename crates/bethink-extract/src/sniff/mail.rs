//! Mail, told by the headers at the top of a text.

use bethink_core::Format;

use crate::mail::is_separator;

/// Headers that mail has and other texts seldom begin with.
const KNOWN: [&str; 12] = [
    "from",
    "to",
    "subject",
    "date",
    "received",
    "message-id",
    "mime-version",
    "cc",
    "return-path",
    "delivered-to",
    "reply-to",
    "content-type",
];

/// Headers that only a mail program writes.
const OF_PROGRAMS: [&str; 5] = ["received", "message-id", "mime-version", "return-path", "delivered-to"];

/// Lines of headers that are looked at.
const LINES: usize = 400;

/// The kind of mail that a text is. `claimed` is what its name says.
pub(super) fn of(text: &str, claimed: Option<Format>, extension: Option<&str>) -> Option<Format> {
    if !matches!(claimed, None | Some(Format::Text | Format::Email | Format::Mailbox | Format::Mhtml)) {
        return None;
    }
    let is_named_mail = matches!(claimed, Some(Format::Email | Format::Mhtml));
    let text = if is_named_mail { text.trim_start() } else { text };
    if text.starts_with("From ") && is_separator(text.as_bytes()) {
        return Some(if claimed == Some(Format::Email) { Format::Email } else { Format::Mailbox });
    }
    // Apple Mail puts the length of the message on a line before it.
    let text = match text.split_once('\n') {
        Some((length, rest))
            if extension == Some("emlx") && length.trim().bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            rest
        }
        _ => text,
    };
    let headers = Headers::of(text, is_named_mail)?;
    if headers.is_page(claimed) {
        return Some(Format::Mhtml);
    }
    let is_mail = match claimed {
        Some(Format::Email) => headers.known > 0,
        // A note may begin with a subject and a date, and its lines should stay its own.
        Some(Format::Text) => headers.known >= 3 && headers.of_programs > 0,
        Some(Format::Mailbox) => false,
        _ => headers.known >= 2 && headers.distinct_mail >= 2,
    };
    is_mail.then_some(Format::Email)
}

/// The block of headers that a text begins with.
#[derive(Default)]
struct Headers {
    known: usize,
    of_programs: usize,
    /// Headers of mail itself, not of MIME alone.
    distinct_mail: usize,
    is_related: bool,
    is_snapshot: bool,
    has_recipient: bool,
}

impl Headers {
    /// The headers, if every line up to a blank one is one or goes on with one; with tolerance, those before the
    /// first line that is none.
    fn of(text: &str, tolerant: bool) -> Option<Self> {
        let mut headers = Self::default();
        let mut seen = Vec::new();
        let mut last = String::new();
        for (number, line) in text.lines().take(LINES).enumerate() {
            if line.is_empty() {
                break;
            }
            if number > 0 && line.starts_with([' ', '\t']) {
                if last == "content-type" {
                    headers.content_type(line);
                }
                continue;
            }
            let is_name =
                |name: &str| !name.is_empty() && name.len() < 80 && name.bytes().all(|byte| byte.is_ascii_graphic());
            let Some((name, value)) = line.split_once(':').filter(|(name, _)| is_name(name)) else {
                if tolerant {
                    break;
                }
                return None;
            };
            last = name.to_ascii_lowercase();
            if !seen.contains(&last) {
                headers.known += usize::from(KNOWN.contains(&last.as_str()));
                headers.of_programs += usize::from(OF_PROGRAMS.contains(&last.as_str()));
                headers.distinct_mail += usize::from(KNOWN[..7].contains(&last.as_str()));
                seen.push(last.clone());
            }
            match last.as_str() {
                "content-type" => headers.content_type(value),
                "snapshot-content-location" => headers.is_snapshot = true,
                "from" if value.trim_start().starts_with("<Saved by") => headers.is_snapshot = true,
                "to" | "received" | "delivered-to" => headers.has_recipient = true,
                _ => {}
            }
        }
        Some(headers)
    }

    fn content_type(&mut self, value: &str) {
        self.is_related |= value.to_ascii_lowercase().contains("multipart/related");
    }

    /// Whether it is a saved web page: one says so, or is related parts that were sent to nobody.
    fn is_page(&self, claimed: Option<Format>) -> bool {
        let named = claimed == Some(Format::Mhtml) && self.known > 0;
        self.is_snapshot || named || self.is_related && !self.has_recipient && claimed != Some(Format::Email)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_is_told_from_texts_about_mail() {
        let mail = "Received: by x\nFrom: a@b\nSubject: x\n\nbody";
        let page = "From: <Saved by Blink>\nSnapshot-Content-Location: https://x\nMIME-Version: 1.0\n\
            Content-Type: multipart/related;\n\ttype=\"text/html\"\n\n";
        let related = "MIME-Version: 1.0\nContent-Type: multipart/related\n\n";
        let mailbox = "From a@b Mon Jun 01 04:28:28 2009\nSubject: x\n\nbody\n";
        let note = "Subject: plan\nDate: Monday\n\nWe go by tram.\n";
        let summary = "From 1844347792267117879@xxx\nFrom: a\nTo: b\nSubject: c\nDate: d\n";
        let cases = [
            (mail, None, None, Some(Format::Email)),
            (mail, Some(Format::Text), Some("txt"), Some(Format::Email)),
            (mail, Some(Format::Yaml), Some("yml"), None),
            (note, Some(Format::Text), Some("txt"), None),
            (note, None, None, Some(Format::Email)),
            (page, None, None, Some(Format::Mhtml)),
            (related, Some(Format::Mhtml), Some("mht"), Some(Format::Mhtml)),
            (mailbox, None, None, Some(Format::Mailbox)),
            (mailbox, Some(Format::Text), Some("txt"), Some(Format::Mailbox)),
            (mailbox, Some(Format::Email), Some("eml"), Some(Format::Email)),
            (summary, Some(Format::Text), Some("txt"), None),
            (summary, None, None, None),
            ("Dear Ana,\nFrom: here\nTo: there\n", None, None, None),
            ("123\nFrom: a@b\nTo: c@d\n\nbody", Some(Format::Email), Some("emlx"), Some(Format::Email)),
            ("Subject: x\n\nbody", Some(Format::Email), Some("eml"), Some(Format::Email)),
            ("key: value\nother: value\n", None, None, None),
        ];
        for (text, claimed, extension, format) in cases {
            assert_eq!(of(text, claimed, extension), format, "{text:?} as {extension:?}");
        }
    }
}
