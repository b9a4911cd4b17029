//! Formats of their own that are written in JSON or plain lines, told by the words at their head.

use bethink_core::Format;

/// The format whose words the head of a text uses.
pub(super) fn of(text: &str, extension: Option<&str>) -> Option<Format> {
    let opening = text.trim_start();
    match opening.as_bytes().first()? {
        b'{' | b'[' => json(opening, extension),
        _ => None,
    }
}

/// Whether a key stands anywhere in the head.
fn has_keys(head: &str, keys: &[&str]) -> bool {
    keys.iter().all(|key| {
        head.match_indices(key).any(|(at, _)| {
            let quoted = head[..at].ends_with('"') && head[at + key.len()..].starts_with('"');
            quoted && head[at + key.len() + 1..].trim_start().starts_with(':')
        })
    })
}

fn json(head: &str, extension: Option<&str>) -> Option<Format> {
    if head.starts_with('{') && (extension == Some("ipynb") || has_keys(head, &["nbformat", "cells"])) {
        return Some(Format::Notebook);
    }
    None
}
