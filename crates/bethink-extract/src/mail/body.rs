//! The text of a message's parts.

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{ContentType, Encoding, MessagePart, MimeHeaders, PartType};

use super::word::in_charset;
use crate::html::read_page;

/// What begins a block of cipher text in a plain body, and what ends it.
const CIPHER: (&str, &str) = ("-----BEGIN PGP MESSAGE-----", "-----END PGP MESSAGE-----");

/// The text of a part as it was written, whatever its charset.
pub(super) fn source(part: &MessagePart<'_>, raw: &[u8]) -> String {
    let (PartType::Text(parsed) | PartType::Html(parsed)) = &part.body else {
        return in_charset(part.contents(), declared(part));
    };
    let is_doubtful = parsed.contains(['\u{FFFD}', 'Ã', 'Â', 'â', '\u{1B}']) || declared(part).is_none();
    if parsed.is_ascii() && !parsed.contains('\u{1B}') || !is_doubtful {
        return parsed.clone().into_owned();
    }
    let written = raw.get(part.raw_body_offset() as usize..part.raw_end_offset() as usize).unwrap_or_default();
    let decoded = match part.encoding {
        _ if part.is_encoding_problem => None,
        Encoding::None => Some(written.to_vec()),
        Encoding::QuotedPrintable => quoted_printable_decode(written),
        Encoding::Base64 => base64_decode(written.trim_ascii_end()),
    };
    match decoded {
        Some(bytes) if !bytes.is_empty() => in_charset(&bytes, declared(part)),
        _ => parsed.clone().into_owned(),
    }
}

fn declared<'a>(part: &'a MessagePart<'_>) -> Option<&'a str> {
    part.content_type().and_then(|content_type| content_type.attribute("charset"))
}

/// A plain part as it is read: lines that were only cut to be sent are joined.
pub(super) fn plain(part: &MessagePart<'_>, raw: &[u8]) -> String {
    let text = source(part, raw);
    let is = |content_type: &ContentType<'_>, name: &str, value: &str| {
        content_type.attribute(name).is_some_and(|found| found.eq_ignore_ascii_case(value))
    };
    match part.content_type() {
        Some(content_type) if is(content_type, "format", "flowed") => unflowed(&text, is(content_type, "delsp", "yes")),
        _ => text,
    }
}

/// A page as it is read.
pub(super) fn page(part: &MessagePart<'_>, raw: &[u8]) -> String {
    read_page(&source(part, raw)).text
}

/// Joins the lines of `format=flowed`: a line that ends with a space goes on in the next one, if both are
/// quoted equally deep; a signature's mark never does.
fn unflowed(text: &str, delete_space: bool) -> String {
    let mut joined = String::with_capacity(text.len());
    // How deep the line that waits for its rest is quoted.
    let mut open: Option<usize> = None;
    for line in text.lines() {
        let depth = line.bytes().take_while(|byte| *byte == b'>').count();
        let content = &line[depth..];
        let content = content.strip_prefix(' ').unwrap_or(content);
        let is_signature = content == "-- ";
        match open {
            Some(before) if before == depth && !is_signature => {}
            previous => {
                if previous.is_some() {
                    joined.push('\n');
                }
                joined.extend(std::iter::repeat_n('>', depth));
                if depth > 0 && !content.is_empty() {
                    joined.push(' ');
                }
            }
        }
        let flows = content.ends_with(' ') && !is_signature;
        let content = if flows && delete_space { &content[..content.len() - 1] } else { content };
        joined.push_str(content);
        open = flows.then_some(depth);
        if !flows {
            joined.push('\n');
        }
    }
    joined
}

/// The better of the plain text and the page that say the same. The plain one, unless it is a remnant that
/// tells to look at the page.
pub(super) fn better(plain: String, page: String) -> String {
    let words = |text: &str| text.split_whitespace().filter(|word| !word.contains("://")).count();
    let (of_plain, of_page) = (words(&plain), words(&page));
    /// A page of fewer words has no remnant beside it, just another wording.
    const FEW_WORDS: usize = 40;
    let is_remnant = of_plain == 0 || of_page > FEW_WORDS && of_plain * 4 < of_page;
    if is_remnant && of_page > 0 { page } else { plain }
}

/// Takes cipher text out of a body. True: there was some.
pub(super) fn take_cipher(body: &mut String) -> bool {
    let Some(start) = body.find(CIPHER.0) else { return false };
    let end = body[start..].find(CIPHER.1).map_or(body.len(), |at| start + at + CIPHER.1.len());
    body.replace_range(start..end, "");
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flowed_lines_are_joined_within_their_quote() {
        let text = "The tram climbs \nthe hill.\n> He said \n> nothing.\n>> deeper \n> shallow\n-- \nAna \n";
        assert_eq!(
            unflowed(text, false),
            "The tram climbs the hill.\n> He said nothing.\n>> deeper \n> shallow\n-- \nAna "
        );
        assert_eq!(unflowed("合約 \n設備\n", true), "合約設備\n");
        assert_eq!(unflowed(" From here\n", false), "From here\n");
    }

    #[test]
    fn a_remnant_gives_way_to_the_page() {
        let page = "word ".repeat(100);
        assert_eq!(better("See https://x.org/y".to_owned(), page.clone()), page);
        assert_eq!(better("a b c".to_owned(), "a b c d".to_owned()), "a b c");
        assert_eq!(better(String::new(), "x".to_owned()), "x");
        assert_eq!(better("x".to_owned(), String::new()), "x");
    }

    #[test]
    fn cipher_text_is_no_text() {
        let mut body = format!("Hello\n{}\nhQEMA\n{}\nBye", CIPHER.0, CIPHER.1);
        assert!(take_cipher(&mut body));
        assert_eq!(body, "Hello\n\nBye");
        assert!(!take_cipher(&mut body));
    }
}
