//! Headers made readable before they are parsed: encoded words decoded with their neighbours, bytes of unknown
//! charsets guessed.
//!
//! An encoded word is `=?charset?Q?text?=` or `=?charset?B?text?=`. Mailers cut long headers inside a
//! character, against the rules, so that words of one charset are joined before they are decoded.

use encoding_rs::Encoding;
use mail_parser::decoders::base64::base64_decode;

use crate::text::{charset_of, decode, hex_byte};

/// A header block as UTF-8, with its encoded words decoded. Lines stay lines.
pub(super) fn readable(block: &[u8]) -> String {
    let text = match std::str::from_utf8(block) {
        Ok(text) => text.to_owned(),
        Err(_) => decode(block, charset_of(block)),
    };
    if text.contains("=?") { decoded(&text) } else { text }
}

/// One encoded word.
struct Word<'a> {
    charset: &'a str,
    is_base64: bool,
    payload: &'a str,
    /// Bytes that it takes.
    length: usize,
}

impl<'a> Word<'a> {
    /// The word at the start of a text.
    fn at_start(text: &'a str) -> Option<Self> {
        let rest = text.strip_prefix("=?")?;
        let (charset, rest) = rest.split_once('?')?;
        let (encoding, rest) = rest.split_once('?')?;
        let end = rest.find("?=")?;
        let payload = &rest[..end];
        let is_base64 = match encoding {
            "b" | "B" => true,
            "q" | "Q" => false,
            _ => return None,
        };
        let plausible = charset.len() < 40 && charset.bytes().all(|byte| byte.is_ascii_graphic());
        // A word may not be folded, and yet some mailers do it.
        (plausible && payload.len() < 4096).then(|| Self {
            charset: charset.split('*').next().unwrap_or(charset),
            is_base64,
            payload,
            length: text.len() - rest.len() + end + 2,
        })
    }

    fn bytes(&self) -> Vec<u8> {
        if self.is_base64 {
            let compact: Vec<u8> = self.payload.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
            // Padding in the middle comes from words that were joined by a gateway.
            let mut bytes = Vec::new();
            for piece in compact.split(|byte| *byte == b'=').filter(|piece| !piece.is_empty()) {
                let mut padded = piece.to_vec();
                padded.resize(piece.len().next_multiple_of(4), b'=');
                bytes.extend(base64_decode(&padded).unwrap_or_default());
            }
            return bytes;
        }
        let mut bytes = Vec::with_capacity(self.payload.len());
        let mut rest = self.payload.as_bytes();
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                b'_' => bytes.push(b' '),
                b'=' => match after.split_at_checked(2).and_then(|(digits, after)| Some((hex_byte(digits)?, after))) {
                    Some((byte, after)) => {
                        bytes.push(byte);
                        rest = after;
                    }
                    None => bytes.push(b'='),
                },
                b'\r' | b'\n' => {}
                byte => bytes.push(*byte),
            }
        }
        bytes
    }
}

/// The text with its encoded words decoded.
fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("=?") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some(first) = Word::at_start(rest) else {
            out.push_str("=?");
            rest = &rest[2..];
            continue;
        };
        let (charset, mut bytes) = (first.charset, first.bytes());
        rest = &rest[first.length..];
        // White space between two encoded words is no part of the text.
        loop {
            let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
            let folded = &rest[..rest.len() - trimmed.len()];
            match Word::at_start(trimmed).filter(|_| is_fold(folded)) {
                Some(next) if next.charset.eq_ignore_ascii_case(charset) => {
                    bytes.extend(next.bytes());
                    rest = &trimmed[next.length..];
                }
                Some(_) => {
                    rest = trimmed;
                    break;
                }
                None => break,
            }
        }
        // What was encoded may hold line ends, which would begin a header of its own.
        out.extend(
            in_charset(&bytes, Some(charset))
                .chars()
                .map(|character| if matches!(character, '\r' | '\n') { ' ' } else { character }),
        );
    }
    out.push_str(rest);
    out
}

/// Whether white space goes on with the same header: a line end in it must be followed by a space.
fn is_fold(space: &str) -> bool {
    space.rsplit_once('\n').is_none_or(|(before, after)| !after.is_empty() && before.matches('\n').count() == 0)
}

/// Bytes in a declared charset. What is declared is not believed where the bytes are UTF-8 beyond doubt or
/// do not fit it.
pub(super) fn in_charset(bytes: &[u8], declared: Option<&str>) -> String {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !bytes.contains(&0x1B)
    {
        return text.to_owned();
    }
    let label = declared.map(|label| label.trim_matches(['"', '\'', ' ']));
    let Some(encoding) = label.and_then(known) else { return decode(bytes, charset_of(bytes)) };
    match encoding.decode_without_bom_handling(bytes) {
        (text, false) => text.into_owned(),
        // The letters that do not fit are few in a text that was torn, and many in one that lies.
        (text, true) => {
            let broken = text.matches(char::REPLACEMENT_CHARACTER).count();
            let letters = bytes.iter().filter(|byte| !byte.is_ascii()).count();
            if broken * 4 > letters { decode(bytes, charset_of(bytes)) } else { text.into_owned() }
        }
    }
}

/// The encoding of a label, with the names that mailers made up.
fn known(label: &str) -> Option<&'static Encoding> {
    let lower = label.to_ascii_lowercase();
    let label = match lower.as_str() {
        "utf8mb4" | "utf-8-bom" | "unicode" => "utf-8",
        "cp-850" | "ibm850" | "cp850" => return None,
        "cp932" | "x-ms-cp932" => "shift_jis",
        "cp936" | "gb2312-80" => "gbk",
        "cp949" => "euc-kr",
        "cp950" => "big5",
        "iso-8859-8-e" => "iso-8859-8",
        other => {
            other.strip_prefix("x-").filter(|rest| Encoding::for_label(rest.as_bytes()).is_some()).unwrap_or(other)
        }
    };
    // Declared as ASCII, and not: nobody said anything.
    if matches!(label, "us-ascii" | "ascii" | "ansi_x3.4-1968") {
        return None;
    }
    Encoding::for_label(label.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_words_are_joined_before_they_are_decoded() {
        let cases = [
            ("Subject: =?utf-8?Q?Caf=C3=A9_au_lait?=\r\n", "Subject: Café au lait\r\n"),
            ("Subject: =?UTF-8?B?w7w=?= and =?utf-8?q?=C3=A9?=", "Subject: ü and é"),
            // A character cut in two.
            ("Subject: =?utf-8?Q?Caf=C3?=\r\n =?utf-8?Q?=A9?= noir", "Subject: Café noir"),
            ("Subject: =?utf-8?B?w7zD?=\n\t=?utf-8?B?vA==?=", "Subject: üü"),
            ("From: =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?= <a@b>", "From: 日本 <a@b>"),
            ("Subject: =?gb2312?B?1tDOxA==?=", "Subject: 中文"),
            ("Subject: =?windows-1251?Q?=CF=F0=E8?= =?koi8-r?Q?=D7=C5=D4?=", "Subject: Привет"),
            ("Subject: a =?b?c", "Subject: a =?b?c"),
            ("Subject: =?utf-8?Q?a=0D=0Ab?=", "Subject: a  b"),
            ("Subject: =?utf-8?Q?a?=\r\nX-Other: =?utf-8?Q?b?=", "Subject: a\r\nX-Other: b"),
        ];
        for (raw, text) in cases {
            assert_eq!(readable(raw.as_bytes()), text, "{raw:?}");
        }
    }

    #[test]
    fn bytes_beyond_ascii_are_guessed_where_nothing_is_declared() {
        assert_eq!(readable(b"Subject: Die Hasen und die Fr\xF6sche\r\n"), "Subject: Die Hasen und die Frösche\r\n");
        assert_eq!(in_charset("é".as_bytes(), Some("iso-8859-1")), "é");
        assert_eq!(in_charset(b"caf\xE9 cr\xE8me", Some("us-ascii")), "café crème");
        assert_eq!(in_charset(b"\xE9", Some("iso-8859-1")), "é");
    }
}
