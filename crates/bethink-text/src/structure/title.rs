//! What a heading says, without the marks that make its words bold, code or a link.
//!
//! A heading is shown, embedded and compared with what a person remembers: they remember the words.

use super::heading::LONGEST_HEADING_BYTES;

/// Bytes of a title that are looked at: marks and link targets included, more than is ever kept.
pub(super) const LOOKED_AT_BYTES: usize = 8 * LONGEST_HEADING_BYTES;

/// Links inside links and the like that are followed.
const DEEPEST: u32 = 4;

/// Whose marks a title is written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Markup {
    Markdown,
    Org,
    Rst,
    Asciidoc,
}

/// The words of a title.
pub(super) fn plain(title: &str, markup: Markup) -> String {
    plain_at(&title[..title.floor_char_boundary(LOOKED_AT_BYTES)], markup, 0)
}

fn plain_at(title: &str, markup: Markup, depth: u32) -> String {
    let has_marks = |byte: u8| b"\\`*_~[<{/+=:|#!&".contains(&byte);
    if depth > DEEPEST || !title.bytes().any(has_marks) {
        return title.to_owned();
    }
    let dropped = emphasis_marks(title, markup);
    let mut words = String::with_capacity(title.len());
    let mut at = 0;
    while at < title.len() {
        let rest = &title[at..];
        if dropped.contains(&at) {
            at += 1;
            continue;
        }
        let span = match markup {
            Markup::Markdown => markdown_span(rest),
            Markup::Org => org_span(rest),
            Markup::Rst => rst_span(rest),
            Markup::Asciidoc => asciidoc_span(rest),
        };
        match span {
            Some(Span { length, inner, literal: true }) => {
                words.push_str(inner);
                at += length;
            }
            Some(Span { length, inner, literal: false }) => {
                words.push_str(&plain_at(inner, markup, depth + 1));
                at += length;
            }
            None => {
                let character = rest.chars().next().map_or(1, char::len_utf8);
                words.push_str(&rest[..character]);
                at += character;
            }
        }
    }
    words
}

/// A marked stretch at the start of the rest of a title.
struct Span<'a> {
    /// Bytes that it takes, marks included; at least one.
    length: usize,
    /// What it says.
    inner: &'a str,
    /// Whether what it says is to be taken as it stands.
    literal: bool,
}

impl<'a> Span<'a> {
    fn words(length: usize, inner: &'a str) -> Option<Self> {
        Some(Self { length, inner, literal: false })
    }

    fn literal(length: usize, inner: &'a str) -> Option<Self> {
        Some(Self { length, inner, literal: true })
    }
}

/// Entities that writers use in titles.
const ENTITIES: [(&str, &str); 8] = [
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&nbsp;", " "),
    ("&emsp;", " "),
    ("&ensp;", " "),
    ("&mdash;", "—"),
];

fn markdown_span(rest: &str) -> Option<Span<'_>> {
    match rest.as_bytes()[0] {
        b'\\' if rest.as_bytes().get(1).is_some_and(u8::is_ascii_punctuation) => Span::literal(2, &rest[1..2]),
        b'`' => code_span(rest),
        b'&' => {
            let (entity, character) = ENTITIES.iter().find(|(entity, _)| rest.starts_with(*entity))?;
            Span::literal(entity.len(), character)
        }
        b'!' if rest.starts_with("![") => {
            bracketed(&rest[1..], true).and_then(|(length, alternative)| Span::words(length + 1, alternative))
        }
        b'[' if !rest.starts_with("[[") => {
            let (length, words) = bracketed(rest, true)?;
            Span::words(length, words)
        }
        b'<' => {
            let end = rest.find('>')?;
            let inner = &rest[1..end];
            if inner.contains("://") && !inner.contains(' ') {
                return Span::literal(end + 1, inner);
            }
            let tag = inner.strip_prefix('/').unwrap_or(inner).starts_with(|first: char| first.is_ascii_alphabetic());
            if tag { Span::literal(end + 1, "") } else { None }
        }
        // Attributes at the end: `{#anchor .class}`.
        b'{' if rest.ends_with('}') && rest.starts_with(['{']) && rest[1..].trim_start().starts_with(['#', '.']) => {
            Span::literal(rest.len(), "")
        }
        _ => None,
    }
}

fn org_span(rest: &str) -> Option<Span<'_>> {
    let inner = &rest.strip_prefix("[[")?;
    let end = inner.find("]]")?;
    let (target, words) = inner[..end].split_once("][").unwrap_or((&inner[..end], &inner[..end]));
    let words = if words.is_empty() { target } else { words };
    Span::literal(end + 4, words)
}

fn rst_span(rest: &str) -> Option<Span<'_>> {
    if let Some(escaped) = rest.strip_prefix('\\').and_then(|behind| behind.chars().next()) {
        // An escaped blank joins what stands around it.
        let length = 1 + escaped.len_utf8();
        return Span::literal(length, if escaped.is_whitespace() { "" } else { &rest[1..length] });
    }
    if rest.starts_with("``") {
        return code_span(rest);
    }
    let role = match rest.as_bytes()[0] {
        b':' => {
            let name = rest[1..].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_.:+".contains(byte));
            let length = name.count();
            let ends = length > 1 && rest.as_bytes()[length] == b':' && rest[length + 1..].starts_with('`');
            if !ends {
                return None;
            }
            length + 1
        }
        b'`' => 0,
        _ => return None,
    };
    let inner = &rest[role + 1..];
    let end = inner.find('`')?;
    let after = inner[end + 1..].bytes().take(2).take_while(|byte| *byte == b'_').count();
    let words = match inner[..end].rsplit_once(" <") {
        Some((words, target)) if target.ends_with('>') => words,
        _ => &inner[..end],
    };
    Span::literal(role + 1 + end + 1 + after, words)
}

fn asciidoc_span(rest: &str) -> Option<Span<'_>> {
    if rest.starts_with("[[") {
        return Span::literal(rest.find("]]")? + 2, "");
    }
    if rest.starts_with("<<") {
        let end = rest.find(">>")?;
        let inner = &rest[2..end];
        return Span::words(end + 2, inner.split_once(',').map_or(inner, |(_, words)| words.trim()));
    }
    match rest.as_bytes()[0] {
        b'`' => code_span(rest),
        first if first.is_ascii_lowercase() => {
            let macros = ["link:", "xref:", "image:", "mailto:", "http://", "https://"];
            macros.iter().find(|name| rest.starts_with(**name))?;
            let open = rest.find(['[', ' '])?;
            let (length, words) = rest[open..].starts_with('[').then(|| bracketed(&rest[open..], false))??;
            Span::words(open + length, words.trim_end_matches('^'))
        }
        _ => None,
    }
}

/// Code between runs of as many backticks.
fn code_span(rest: &str) -> Option<Span<'_>> {
    let run = rest.bytes().take_while(|byte| *byte == b'`').count();
    let inner = &rest[run..];
    let end = inner.find(&rest[..run])?;
    Span::literal(run + end + run, inner[..end].trim())
}

/// The length and the words of `[words](target)` or `[words][reference]`, or, without a target, of
/// `[words]`.
fn bracketed(rest: &str, with_target: bool) -> Option<(usize, &str)> {
    let close = closing(rest, b'[', b']')?;
    if !with_target {
        return Some((close + 1, &rest[1..close]));
    }
    let target = &rest[close + 1..];
    let length = match target.as_bytes().first()? {
        b'(' => closing(target, b'(', b')')?,
        b'[' => closing(target, b'[', b']')?,
        _ => return None,
    };
    Some((close + 1 + length + 1, &rest[1..close]))
}

/// Where the bracket that the text starts with is closed.
fn closing(text: &str, open: u8, close: u8) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, byte) in text.bytes().enumerate() {
        if byte == open {
            depth += 1;
        } else if byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The offsets of single-byte marks that open or close an emphasis: those with a partner.
fn emphasis_marks(title: &str, markup: Markup) -> Vec<usize> {
    let marks: &[u8] = match markup {
        Markup::Markdown => b"*_~",
        Markup::Org => b"*/_+=~",
        Markup::Rst => b"*",
        Markup::Asciidoc => b"*_#",
    };
    let mut dropped = Vec::new();
    let mut open: Vec<(u8, usize, usize)> = Vec::new();
    let bytes = title.as_bytes();
    let mut at = 0;
    let mut in_code = false;
    while at < bytes.len() {
        let mark = bytes[at];
        if mark == b'`' && markup != Markup::Org {
            in_code = !in_code;
        }
        let escaped = at > 0 && bytes[at - 1] == b'\\' && markup != Markup::Org;
        if in_code || escaped || !marks.contains(&mark) {
            at += 1;
            continue;
        }
        // Org's marks stand alone and may nest (`*/x/*`); the others come in runs.
        let run = match markup {
            Markup::Org => 1,
            _ => bytes[at..].iter().take_while(|byte| **byte == mark).count(),
        };
        let before = title[..at].chars().next_back();
        let after = title[at + run..].chars().next();
        let blank = |side: Option<char>| side.is_none_or(char::is_whitespace);
        let word = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
        // Only Markdown's star emphasizes a part of a word.
        let inside_words = markup == Markup::Markdown && mark == b'*';
        let right_length = run <= if markup == Markup::Org || markup == Markup::Rst && run > 2 { 1 } else { 3 };
        let closes = right_length && !blank(before) && (inside_words || !word(after));
        let partner = open.iter().rposition(|known| known.0 == mark && known.2 == run).filter(|_| closes);
        if let Some(partner) = partner {
            let (_, start, _) = open[partner];
            open.truncate(partner);
            dropped.extend((start..start + run).chain(at..at + run));
        } else if right_length && !blank(after) && (inside_words || !word(before)) {
            open.push((mark, at, run));
        }
        at += run;
    }
    dropped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn says(markup: Markup, title: &str, words: &str) {
        assert_eq!(plain(title, markup), words, "{title}");
    }

    #[test]
    fn markdown_titles_lose_their_marks() {
        says(Markup::Markdown, "The **fast** `x_y` of _Lisbon_", "The fast x_y of Lisbon");
        says(Markup::Markdown, "[Trams](http://x/(a)) and ![a hill](y.png)", "Trams and a hill");
        says(Markup::Markdown, "A [**bold** link][ref] <a name='x'></a>here {#here .big}", "A bold link here ");
        says(Markup::Markdown, "snake_case_name, 2 * 3 * 4, \\*kept\\*", "snake_case_name, 2 * 3 * 4, *kept*");
        says(Markup::Markdown, "[[Settings]] menu, C#, a < b", "[[Settings]] menu, C#, a < b");
        says(Markup::Markdown, "Q&amp;A &x", "Q&A &x");
        says(Markup::Markdown, "~~old~~ __new__ [open", "old new [open");
    }

    #[test]
    fn org_titles_lose_their_marks() {
        says(Markup::Org, "*Is it free? (desktop/web/mobile)*", "Is it free? (desktop/web/mobile)");
        says(Markup::Org, "by [[https://x.org/a][Asciidoctor]]. [[Features]]", "by Asciidoctor. Features");
        says(Markup::Org, "a ~dot~ and */both/* but 1/2/3 and a+b+c", "a dot and both but 1/2/3 and a+b+c");
    }

    #[test]
    fn rst_and_asciidoc_titles_lose_their_marks() {
        says(Markup::Rst, "``code`` of :ref:`the tram <tram>` and `site <http://x>`_", "code of the tram and site");
        says(Markup::Rst, "django\\_util of re\\ *do*", "django_util of redo");
        says(Markup::Rst, "*one* **two** 3 * 4", "one two 3 * 4");
        says(Markup::Asciidoc, "[[id]]The *fast* `code` and link:http://x[words^]", "The fast code and words");
        says(Markup::Asciidoc, "See <<id,the tram>> at https://x.org[Lisbon]", "See the tram at Lisbon");
    }

    #[test]
    fn broken_marks_are_words() {
        for markup in [Markup::Markdown, Markup::Org, Markup::Rst, Markup::Asciidoc] {
            for title in ["[", "[[", "`", "``", "*", "![", ":a:`", "<<", "é[é](é", "\\", "{#", "link:["] {
                assert_eq!(plain(title, markup), title, "{markup:?}");
            }
        }
    }
}
