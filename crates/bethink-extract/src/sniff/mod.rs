//! What a file is, by its content; its name only tells lookalikes apart.
//!
//! In order: signatures that no text begins with; whether the bytes are text in any charset; what
//! the text's first lines say (markup, a shebang); the extension; the shape of the lines. A signature
//! of few or letter-like bytes ("BM", "MZ") counts only once the bytes have proved not to be text.

mod extension;
mod mail;
mod ole;
mod recording;
mod shape;
mod signature;
mod vocabulary;
mod zip;

use std::path::Path;

use bethink_core::{Format, ProblemKind};

use crate::extraction::Extraction;
use crate::text::{charset_of, decode};
pub(crate) use signature::is_tar;

/// Bytes of a file that decide. Sixteen times what LibMagic's text tests read: long licence headers and
/// `<head>`s full of scripts precede what tells.
const HEAD_BYTES: usize = 64 << 10;

/// Formats that hold text and are found by name only, with what a person calls them. Everything else that
/// has a signature and no reader (programs, fonts, databases) holds no text.
pub(crate) const KNOWN_UNREAD: &[(&str, &str)] = &[
    ("ole", "an old Office container"),
    ("mobi", "a Kindle book"),
    ("djvu", "a DjVu document"),
    ("ps", "a PostScript document"),
    ("jar", "a Java archive"),
    ("lz4", "an LZ4-compressed file"),
    ("rar", "a RAR archive"),
];

/// The name of an Office file that is wrapped in encryption.
const ENCRYPTED_OFFICE: &str = "encrypted-office";

/// The name of bytes that are no text and match no signature.
const UNKNOWN_BINARY: &str = "binary";

/// The format of a signature's name.
fn of_signature(name: &'static str) -> Format {
    Format::from_name(name).unwrap_or(Format::Other(name))
}

/// What a file is, by its first bytes (64 KiB are plenty) and its extension in any case, without its
/// dot. Binary formats come out as [`Format::Other`], `"binary"` where no signature fits.
pub fn sniff(head: &[u8], extension: Option<&str>) -> Format {
    sniff_named(&head[..head.len().min(HEAD_BYTES)], None, extension)
}

/// What a file is, by all its bytes and its name.
pub(crate) fn sniff_whole(bytes: &[u8], path: &Path) -> Format {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let extension = path.extension().map(|extension| extension.to_string_lossy());
    match sniff_named(&bytes[..bytes.len().min(HEAD_BYTES)], name.as_deref(), extension.as_deref()) {
        // A container's directory is at its end or anywhere inside: the head alone is a guess.
        Format::Zip => of_signature(zip::kind_of(bytes, extension.as_deref())),
        Format::Other("ole") => of_signature(ole::kind_of(bytes)),
        format => format,
    }
}

fn sniff_named(head: &[u8], name: Option<&str>, extension: Option<&str>) -> Format {
    let extension = extension.map(str::to_lowercase);
    let extension = extension.as_deref();
    match signature::strong(head) {
        Some("zip") => return of_signature(zip::kind_of(head, extension)),
        Some(name) => return of_signature(name),
        None => {}
    }
    if !is_text(head) {
        // The header of a PDF may stand anywhere in its first kilobyte, behind whatever a mailer or a
        // printer put there.
        if signature::has_late_pdf_header(head) {
            return Format::Pdf;
        }
        return of_signature(signature::weak(head, extension).unwrap_or(UNKNOWN_BINARY));
    }
    if extension == Some("pdf") && signature::has_late_pdf_header(head) {
        return Format::Pdf;
    }
    let text = decode(head, charset_of(head));
    let text = text.trim_start_matches(['\u{feff}', '\0']);
    by_text(text, name, extension)
}

/// What a text is.
fn by_text(text: &str, name: Option<&str>, extension: Option<&str>) -> Format {
    let by_name = name.and_then(extension::of_name).or_else(|| extension.and_then(extension::of_extension));
    // Whole programs and notes may open with markup (PHP, Vue, Markdown with a centred logo); anything
    // else that opens as HTML is HTML, whatever a bank's export calls it.
    let keeps_its_name = matches!(by_name, Some(Format::Code(_) | Format::Markdown | Format::Org | Format::Rst));
    if !keeps_its_name && let Some(format) = vocabulary::of(text, extension) {
        return format;
    }
    if let Some(format) = mail::of(text, by_name, extension) {
        return format;
    }
    match shape::markup(text) {
        Some(markup) if !keeps_its_name => return markup,
        _ => {}
    }
    match by_name {
        // What is named as mail and has no headers is a text.
        Some(Format::Text | Format::Email | Format::Mailbox | Format::Mhtml) | None => {}
        Some(format) => return format,
    }
    shape::shebang(text).or_else(|| shape::lines(text)).unwrap_or(Format::Text)
}

/// Whether the bytes are text in any charset: wide, or with next to no control characters.
fn is_text(head: &[u8]) -> bool {
    use crate::text::is_wide;
    // A log whose blocks were reserved before a crash ends in zeros.
    let body = head.trim_suffix_zeros();
    if body.is_empty() {
        return false;
    }
    if is_wide(head) {
        return true;
    }
    let controls = body.iter().filter(|byte| is_odd_control(**byte)).count();
    match std::str::from_utf8(body) {
        // One in twenty: separators and padding in what is text otherwise.
        Ok(_) => controls * 20 <= body.len(),
        Err(error) if error.error_len().is_none() => controls * 20 <= body.len(),
        // In bytes that are compressed or compiled every ninth is a control character; in a legacy
        // charset none is.
        Err(_) => controls * 200 <= body.len(),
    }
}

/// Control characters that text does not hold. Tab, line ends, form feed, backspace (overstrikes),
/// escape (colours, shifts of ISO-2022) and Control-Z (the end of old DOS files) do occur.
fn is_odd_control(byte: u8) -> bool {
    (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | 0x0B | 0x0C | b'\r' | 0x08 | 0x1A | 0x1B)) || byte == 0x7F
}

trait TrimZeros {
    fn trim_suffix_zeros(&self) -> &[u8];
}

impl TrimZeros for [u8] {
    fn trim_suffix_zeros(&self) -> &[u8] {
        let end = self.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        &self[..end]
    }
}

/// The answer for a file of a format that is not read.
pub(crate) fn unread(format: Format, bytes: &[u8]) -> Extraction {
    let name = format.name();
    if name == ENCRYPTED_OFFICE {
        return Extraction::skipped(ProblemKind::Encrypted, "an Office file that opens with a password only");
    }
    let known = KNOWN_UNREAD.iter().find(|(known, _)| *known == name).map(|(_, words)| *words);
    let known = known.or_else(|| (!matches!(format, Format::Other(_))).then(|| format.words()));
    let Some(words) = known else {
        let detail = match name {
            UNKNOWN_BINARY => "no text in any known charset or format; findable by name".to_owned(),
            _ => format!("{name} data, which holds no text; findable by name"),
        };
        return Extraction::skipped(ProblemKind::Binary, detail);
    };
    if signature::strong(bytes) == Some("zip") && !zip::has_directory(bytes) {
        return Extraction::skipped(ProblemKind::Damaged, format!("{words} that is cut short; findable by name"));
    }
    let detail = format!("{words}: its text is not read, its name is findable");
    Extraction::skipped(ProblemKind::Unsupported, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bethink_core::Language;

    #[test]
    fn content_decides_and_the_name_breaks_ties() {
        let cases: [(&[u8], Option<&str>, Format); 30] = [
            (b"%PDF-1.7\n", Some("txt"), Format::Pdf),
            (b"\n  %PDF-1.4\n", None, Format::Pdf),
            (b"<!DOCTYPE html><p>x", Some("pdf"), Format::Html),
            (b"<table><tr><td>1</td></tr></table>", Some("xls"), Format::Html),
            (b"<?xml version='1.0'?>\n<!-- a -->\n<!DOCTYPE html PUBLIC 'x'><html>", Some("xml"), Format::Html),
            (b"<?xml version='1.0'?><svg/>", Some("svg"), Format::Xml),
            (b"<project><x/></project>", Some("csproj"), Format::Xml),
            (b"<?php echo 1; ?>", Some("php"), Format::Code(Language::Php)),
            (b"<!doctype html><?php ?>", Some("php"), Format::Code(Language::Php)),
            (b"<h1 align=center>Logo</h1>\n\nText", Some("md"), Format::Markdown),
            (b"<p>just a fragment", Some("html"), Format::Html),
            (b"#!/usr/bin/env python3\nprint(1)\n", None, Format::Code(Language::Python)),
            (b"#!/bin/sh\n", None, Format::Code(Language::Shell)),
            (b"{\"a\": 1}", None, Format::Json),
            (b"[{\"a\": 1}]", Some("dat"), Format::Json),
            (b"[link]: not json", None, Format::Text),
            (b"a,b,c\n1,2,3\n4,5,6\n7,8,9\n", None, Format::Csv),
            (b"# Title\n\nSee [this](http://x).\n\n## Two\n", None, Format::Markdown),
            (b"#+TITLE: x\n* A\n", None, Format::Org),
            (b"key: value\n", Some("yml"), Format::Yaml),
            (b"x = 1\n", Some("INI"), Format::Toml),
            (b"BM is a fine start of a letter.\n", None, Format::Text),
            (b"MZ too.\n", None, Format::Text),
            (b"plain", None, Format::Text),
            (b"{\\rtf1 hello}", Some("doc"), Format::Rtf),
            (b"\x1f\x8b\x08\0\0\0\0\0", Some("targ"), Format::Gzip),
            (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", Some("md"), Format::Other("elf")),
            (b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", None, Format::Image),
            (b"\x01\x02\x03\x04\xff\xfe", None, Format::Other("binary")),
            (b"\0\0\0\0", None, Format::Other("binary")),
        ];
        for (head, extension, format) in cases {
            assert_eq!(sniff(head, extension), format, "{:?} as {extension:?}", String::from_utf8_lossy(head));
        }
    }

    #[test]
    fn wide_text_is_not_binary() {
        for text in ["Platypus\tlives\r\n", "合約設備\n今日は\n"] {
            let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            let four: Vec<u8> = text.chars().flat_map(|character| u32::from(character).to_be_bytes()).collect();
            for bytes in [little, big, four] {
                assert_eq!(sniff(&bytes, Some("txt")), Format::Text, "{text:?} {bytes:?}");
            }
        }
    }

    #[test]
    fn a_text_about_pdf_is_not_one() {
        assert_eq!(sniff(b"A file begins with %PDF-1.4 and so on.\n", Some("md")), Format::Markdown);
    }

    #[test]
    fn names_without_extension_tell() {
        let sniffed = sniff_whole(b"all:\n\techo\n", Path::new("/x/Makefile"));
        assert_eq!(sniffed, Format::Code(Language::Make));
        assert_eq!(sniff_whole(b"Title\n=====\n", Path::new("smtplib.rst.txt")), Format::Rst);
        assert_eq!(sniff_whole(b"a = 1\n", Path::new("Config.TOML.sample")), Format::Toml);
        assert_eq!(sniff_whole(b"plain\n", Path::new("notes.v.txt")), Format::Text);
        assert_eq!(sniff_whole(b"FROM debian\n", Path::new("Dockerfile")), Format::Code(Language::Other));
    }

    #[test]
    fn a_log_that_ends_in_zeros_is_text() {
        let mut log = b"started\nstopped\n".to_vec();
        log.resize(8192, 0);
        assert_eq!(sniff(&log, Some("log")), Format::Text);
    }
}
