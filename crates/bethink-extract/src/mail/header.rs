//! The headers that a person would name, read from a header block.

use mail_parser::{Address, HeaderName, HeaderValue, Message, MessageParser};

use super::letter::Letter;
use super::word;

/// Longest header block that is read; the rest of a longer one is no header.
const BLOCK_BYTES: usize = 1 << 20;

/// Adds the headers of a raw message to a letter.
pub(super) fn read(raw: &[u8], letter: &mut Letter) {
    let block = word::readable(block(raw));
    let parser = MessageParser::new()
        .with_address_headers()
        .with_date_headers()
        .header_raw(HeaderName::Subject)
        .default_header_raw();
    let Some(message) = parser.parse_headers(block.as_bytes()) else { return };
    if let Some(subject) = raw_value(&message, &block, "Subject") {
        letter.field("Subject", subject);
    }
    let people = [
        ("From", message.from()),
        ("To", message.to()),
        ("Cc", message.cc()),
        ("Bcc", message.bcc()),
        ("Reply-To", message.reply_to()),
    ];
    for (name, address) in people {
        let value = address.map(people_of).unwrap_or_default();
        // Where no address was made out, what is written is still worth finding.
        let value = if value.is_empty() { raw_value(&message, &block, name).unwrap_or_default() } else { &value };
        let repeats = name == "Reply-To" && letter.value("From") == Some(value);
        if !repeats {
            letter.field(name, value);
        }
    }
    if let Some(written) = raw_value(&message, &block, "Date") {
        letter.field("Date", &date(written, &message));
    }
    for (name, header) in [("Labels", "X-Gmail-Labels"), ("Keywords", "Keywords"), ("Keywords", "X-Keywords")] {
        if let Some(value) = raw_value(&message, &block, header) {
            letter.field(name, value);
        }
    }
    if let Some(keys) = raw_value(&message, &block, "X-Mozilla-Keys") {
        // Thunderbird's own marks are no words of the user's.
        let words = keys.split_whitespace();
        let own: Vec<&str> = words
            .filter(|word| !word.starts_with('$') && !matches!(word.to_ascii_lowercase().as_str(), "junk" | "nonjunk"))
            .collect();
        letter.field("Keywords", &own.join(" "));
    }
}

/// The bytes up to the first blank line.
pub(super) fn block(raw: &[u8]) -> &[u8] {
    let head = &raw[..raw.len().min(BLOCK_BYTES)];
    let mut at = 0;
    while let Some(end) = head[at..].iter().position(|byte| *byte == b'\n') {
        let next = at + end + 1;
        if matches!(head.get(next..), Some([b'\n', ..] | [b'\r', b'\n', ..])) {
            return &head[..next];
        }
        at = next;
    }
    head
}

/// A header as it is written, unfolded by whoever takes it.
fn raw_value<'a>(message: &Message<'_>, block: &'a str, name: &str) -> Option<&'a str> {
    let header =
        message.parts.first()?.headers.iter().find(|header| header.name.as_str().eq_ignore_ascii_case(name))?;
    let value = block.get(header.offset_start as usize..header.offset_end as usize)?;
    Some(value).filter(|value| !value.trim().is_empty())
}

/// The people of an address header: names with their addresses.
fn people_of(address: &Address<'_>) -> String {
    let mut people = Vec::new();
    for person in address.iter() {
        let name = person.name().map(str::trim).filter(|name| !name.is_empty());
        let mail = person.address().map(str::trim).filter(|mail| !mail.is_empty());
        match (name, mail) {
            (Some(name), Some(mail)) if name != mail => people.push(format!("{name} <{mail}>")),
            (_, Some(mail)) => people.push(mail.to_owned()),
            (Some(name), None) => people.push(name.to_owned()),
            (None, None) => {}
        }
    }
    people.join(", ")
}

/// A date as it is written, and as it sorts where that is not the same.
fn date(written: &str, message: &Message<'_>) -> String {
    let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
    let parsed = message.header(HeaderName::Date).and_then(|value| match value {
        HeaderValue::DateTime(date) if date.is_valid() => Some(date.to_rfc3339()),
        _ => None,
    });
    match parsed {
        Some(sorted) if sorted != written => format!("{written} ({sorted})"),
        _ => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(raw: &[u8]) -> Vec<(&'static str, String)> {
        let mut letter = Letter::default();
        read(raw, &mut letter);
        letter.fields
    }

    #[test]
    fn the_headers_that_people_name_are_read() {
        let raw =
            b"Received: from x\r\nSubject: =?utf-8?Q?Caf=C3=A9?=\r\n on Friday\r\nFrom: \"Ana, M.\" <ana@x.org>\r\n\
            To: b@x.org, =?iso-8859-1?Q?J=FCrgen?= <j@x.org>\r\nReply-To: \"Ana, M.\" <ana@x.org>\r\n\
            Date: Wed, 20 Jul 2016 17:35:02 +0100\r\nX-Gmail-Labels: Inbox,Trips\r\n\
            X-Mozilla-Keys: $label1 NonJunk lisbon\r\n\r\nbody";
        let expected = [
            ("Subject", "Café on Friday"),
            ("From", "Ana, M. <ana@x.org>"),
            ("To", "b@x.org, Jürgen <j@x.org>"),
            ("Date", "Wed, 20 Jul 2016 17:35:02 +0100 (2016-07-20T17:35:02+01:00)"),
            ("Labels", "Inbox,Trips"),
            ("Keywords", "lisbon"),
        ];
        let found = fields(raw);
        assert_eq!(found.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn bytes_of_no_declared_charset_are_guessed() {
        let raw = b"From: \"J\xFCrgen Schm\xFCrgen\" <s@x.org>\nSubject: Die Hasen und die Fr\xF6sche\n\n";
        let found = fields(raw);
        assert_eq!(found[0].1, "Die Hasen und die Frösche");
        assert_eq!(found[1].1, "Jürgen Schmürgen <s@x.org>");
    }
}
