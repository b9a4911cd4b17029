//! What a text says about its own charset: HTML `meta`, the XML declaration, editors' cookies.

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, X_USER_DEFINED};

/// Where declarations must stand. HTML asks for the first 1,024 bytes; real pages are later.
const HEAD_BYTES: usize = 4096;

/// The words before a label, in lower case: `<meta charset=…>` and `content="text/html; charset=…"`,
/// `<?xml … encoding="…"?>`, `-*- coding: … -*-`, `vim: fileencoding=…`, and CSS's `@charset "…"`.
const INTRODUCTIONS: [&[u8]; 3] = [b"charset", b"encoding", b"coding"];

/// The encoding that the text declares, unless that is UTF-8 or UTF-16: whoever asks has seen that
/// the bytes are neither.
pub(super) fn encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes[..bytes.len().min(HEAD_BYTES)].to_ascii_lowercase();
    // Two lines for cookies, as Python reads them; anywhere in the head for markup.
    let markup = head.trim_ascii_start().starts_with(b"<") || head.starts_with(b"@charset");
    let lines = head.split(|byte| *byte == b'\n').take(if markup { usize::MAX } else { 2 });
    lines
        .flat_map(labels_in)
        .find(|encoding| ![UTF_8, UTF_16LE, UTF_16BE, REPLACEMENT, X_USER_DEFINED].contains(encoding))
}

/// The encodings whose labels follow an introduction on this line.
fn labels_in(line: &[u8]) -> impl Iterator<Item = &'static Encoding> + '_ {
    INTRODUCTIONS.into_iter().flat_map(move |introduction| {
        let ends = (0..line.len().saturating_sub(introduction.len()))
            .filter(move |start| line[*start..].starts_with(introduction))
            .map(move |start| start + introduction.len());
        ends.filter_map(|end| label_at(&line[end..])).filter_map(Encoding::for_label)
    })
}

/// The label that stands after `=`, `:` or a space, in quotes or bare.
fn label_at(rest: &[u8]) -> Option<&[u8]> {
    let is_lead = |byte: &u8| matches!(byte, b'=' | b':' | b' ' | b'"' | b'\'');
    let start = rest.iter().position(|byte| !is_lead(byte))?;
    let is_label = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':');
    let length = rest[start..].iter().position(|byte| !is_label(byte)).unwrap_or(rest.len() - start);
    (start > 0 && length > 0).then(|| &rest[start..start + length])
}
