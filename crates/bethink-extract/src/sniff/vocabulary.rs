//! Formats of their own that are written in XML, JSON or plain lines, told by the words at their head.

use bethink_core::Format;

use crate::chat::Dialect;
use crate::subtitle::cue_start;

/// Lines that are looked at.
const LINES: usize = 60;

/// The format whose words the head of a text uses.
pub(super) fn of(text: &str, extension: Option<&str>) -> Option<Format> {
    let opening = text.trim_start();
    match opening.as_bytes().first()? {
        b'<' => xml(opening),
        b'{' | b'[' => json(opening, extension).or_else(|| lines(opening, extension)),
        _ => lines(opening, extension),
    }
}

/// The vocabulary of a document's root element or doctype.
fn xml(head: &str) -> Option<Format> {
    let is_bookmarks = |doctype: &str| doctype.to_ascii_uppercase().contains("NETSCAPE-BOOKMARK-FILE");
    let mut rest = head;
    // A few comments, instructions and a doctype stand before the root.
    for _ in 0..16 {
        let end = if rest.starts_with("<!--") {
            rest.find("-->")? + 3
        } else if rest.starts_with("<?") {
            rest.find("?>")? + 2
        } else if rest.starts_with("<!") {
            let doctype = &rest[..rest.find('>')? + 1];
            if is_bookmarks(doctype) {
                return Some(Format::Bookmarks);
            }
            if doctype.contains('[') { rest.find("]>")? + 2 } else { doctype.len() }
        } else {
            break;
        };
        rest = rest[end..].trim_start();
    }
    let name = rest.strip_prefix('<')?;
    let name = &name[..name.find(|character: char| character.is_whitespace() || matches!(character, '>' | '/'))?];
    match name {
        "FictionBook" => Some(Format::FictionBook),
        // Excel's XML of 2003, which reporting programs write under the name of `xls`.
        "Workbook" | "ss:Workbook" if rest.contains("urn:schemas-microsoft-com:office:spreadsheet") => {
            Some(Format::Xls)
        }
        "office:document" if rest.contains("application/vnd.oasis.opendocument.spreadsheet") => Some(Format::Ods),
        "en-export" => Some(Format::Evernote),
        _ => None,
    }
}

/// Whether all these keys stand in the head.
fn has_keys(head: &str, keys: &[&str]) -> bool {
    keys.iter().all(|key| {
        head.match_indices(key).any(|(at, _)| {
            let behind = &head[at + key.len()..];
            head[..at].ends_with('"') && behind.strip_prefix('"').is_some_and(|rest| rest.trim_start().starts_with(':'))
        })
    })
}

fn json(head: &str, extension: Option<&str>) -> Option<Format> {
    if head.starts_with('{') && (extension == Some("ipynb") || has_keys(head, &["nbformat", "cells"])) {
        return Some(Format::Notebook);
    }
    let chrome = has_keys(head, &["roots", "bookmark_bar", "date_added"]);
    let firefox = has_keys(head, &["root", "children", "typeCode"]) && head.contains("x-moz-place");
    if head.starts_with('{') && (chrome || firefox) {
        return Some(Format::Bookmarks);
    }
    Dialect::of(head).map(|_| Format::Chat)
}

/// What plain lines betray.
fn lines(head: &str, extension: Option<&str>) -> Option<Format> {
    let mut found = head.lines().map(str::trim).filter(|line| !line.is_empty()).take(LINES);
    let first = found.next()?;
    let second = found.next().unwrap_or_default();
    if first.eq_ignore_ascii_case("BEGIN:VCALENDAR") {
        return Some(Format::Calendar);
    }
    if first.eq_ignore_ascii_case("BEGIN:VCARD") {
        return Some(Format::Contacts);
    }
    let is_vtt = first.strip_prefix("WEBVTT").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    if is_vtt || first.eq_ignore_ascii_case("[script info]") {
        return Some(Format::Subtitles);
    }
    let is_number = first.bytes().all(|byte| byte.is_ascii_digit());
    let is_cue = |line: &str| cue_start(line, 25.0).is_some();
    if second.contains("-->") && is_number && is_cue(second) || first.contains("-->") && is_cue(first) {
        return Some(Format::Subtitles);
    }
    // A log's lines may open with a time in brackets, so lyrics need their name or their tags.
    let tag = |line: &str| ["[ti:", "[ar:", "[al:", "[by:"].iter().any(|tag| line.starts_with(tag));
    let mut some = [first, second].into_iter().chain(found);
    let few = matches!(extension, Some("lrc" | "sub")) || tag(first) || first.starts_with("{1}{1}");
    if few && some.any(is_cue) {
        return Some(Format::Subtitles);
    }
    if matches!(extension, None | Some("txt")) && Dialect::of(head) == Some(Dialect::WhatsApp) {
        return Some(Format::Chat);
    }
    let is_latex =
        |line: &str| ["\\documentclass", "\\begin{document}"].iter().any(|command| line.starts_with(command));
    let mut code = head.lines().take(LINES).map(str::trim_start).filter(|line| !line.starts_with('%'));
    if code.any(is_latex) {
        return Some(Format::Latex);
    }
    let is_attribute = |line: &str| {
        let name = line.strip_prefix(':').and_then(|rest| rest.split_once(':')).map_or("", |(name, _)| name);
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'!'))
    };
    let mut rest = head.lines().take(LINES);
    if first.starts_with("= ") && rest.any(|line| is_attribute(line) || line.starts_with("== ")) {
        return Some(Format::Asciidoc);
    }
    None
}
