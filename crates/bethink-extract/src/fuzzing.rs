//! What fuzzers call: each parser that was written here, without the walls around it.
//!
//! In a worker a panic costs one file. Here nothing catches it, so that a fuzzer sees it, and what comes
//! out is held against the promises of [`crate::Extraction`]. Limits are small, so that a run looks for
//! odd paths and not for size. Not part of the interface of this crate.

use std::path::Path;

use bethink_core::Format;

use crate::extraction::{Collector, Extraction, WithMembers};
use crate::extractor::{Extractor, ExtractorSettings};
use crate::family::{Member, Source, family_of};
use crate::limits::Limits;
use crate::member::{MemberFile, MemberNames, MemberVisitor};
use crate::xml::{XmlEvent, XmlReader};
use crate::{mail, sniff, text, worker, xml};

/// A parser under a name, which is also the name of its file in `fuzz/fuzz_targets`.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// The format that it reads; none for parsers that read all or none.
    pub format: Option<Format>,
    /// The parser. Panics where it breaks a promise.
    pub run: fn(&[u8]),
}

/// Bounds small enough for thousands of files a second.
fn limits() -> Limits {
    Limits {
        plain_bytes: 1 << 20,
        structured_bytes: 1 << 20,
        text_bytes: 1 << 20,
        pages: 100,
        members: 100,
        member_bytes: 1 << 20,
        unpacked_bytes: 4 << 20,
        nesting: 2,
        ..Limits::default()
    }
}

macro_rules! targets {
    ($($name:ident $format:ident),* $(,)?) => {
        /// Every target.
        pub const TARGETS: &[Target] = &[
            Target { name: "sniffing", format: None, run: sniffing },
            Target { name: "charset", format: None, run: charset },
            Target { name: "protocol", format: None, run: protocol },
            Target { name: "member_names", format: None, run: member_names },
            Target { name: "door", format: None, run: door },
            Target { name: "xml", format: None, run: xml },
            Target { name: "signed", format: None, run: signed },
            Target { name: "winmail", format: None, run: winmail },
            $(Target { name: stringify!($name), format: Some(Format::$format), run: $name },)*
        ];

        $(
            #[doc = concat!("Reads the bytes as ", stringify!($format), ".")]
            pub fn $name(bytes: &[u8]) {
                read(Format::$format, bytes);
            }
        )*
    };
}

targets! {
    plain Text,
    markdown Markdown,
    org Org,
    rst Rst,
    asciidoc Asciidoc,
    latex Latex,
    csv Csv,
    html Html,
    epub Epub,
    fictionbook FictionBook,
    notebook Notebook,
    docx Docx,
    pptx Pptx,
    xlsx Xlsx,
    xlsb Xlsb,
    xls Xls,
    ods Ods,
    odt Odt,
    odp Odp,
    rtf Rtf,
    onenote OneNote,
    pages Pages,
    keynote Keynote,
    numbers Numbers,
    calendar Calendar,
    contacts Contacts,
    subtitles Subtitles,
    evernote Evernote,
    bookmarks Bookmarks,
    chat Chat,
    image Image,
    audio Audio,
    video Video,
    zip Zip,
    tar Tar,
    seven_zip SevenZip,
    gzip Gzip,
    bzip2 Bzip2,
    xz Xz,
    zstandard Zstandard,
    email Email,
    mhtml Mhtml,
    mailbox Mailbox,
    outlook Msg,
}

/// What the bytes are, under names that matter.
pub fn sniffing(bytes: &[u8]) {
    for name in ["file", "file.txt", "file.docx", "file.json", "Makefile"] {
        let format = sniff::sniff_whole(bytes, Path::new(name));
        if family_of(format).is_none() {
            let _ = sniff::unread(format, bytes);
        }
    }
}

/// Which characters the bytes are.
pub fn charset(bytes: &[u8]) {
    let decoded = text::decode(bytes, text::charset_of(bytes));
    let clean = text::without_controls(decoded);
    assert!(!clean.contains('\0'));
}

/// The bytes as a worker's answer and as its request.
pub fn protocol(bytes: &[u8]) {
    worker::read_anything(bytes);
}

/// The bytes as paths of members, one a line.
pub fn member_names(bytes: &[u8]) {
    let mut names = MemberNames::default();
    let given: Vec<String> = String::from_utf8_lossy(bytes).lines().filter_map(|raw| names.name(raw)).collect();
    let distinct: std::collections::HashSet<_> = given.iter().collect();
    assert_eq!(distinct.len(), given.len());
    for name in given {
        assert!(name.split('/').all(|part| !matches!(part, "" | "." | "..")), "{name:?}");
    }
}

/// The bytes as XML: read by its events, and walked.
pub fn xml(bytes: &[u8]) {
    let text = xml::decoded(bytes);
    let mut reader = XmlReader::new(&text);
    while let Some(event) = reader.next_event() {
        match event {
            XmlEvent::Open(element) if element.name() == "skip" => reader.skip(),
            XmlEvent::Open(element) => {
                assert!(element.attribute("a").is_none_or(|value| value.len() <= bytes.len() * 3))
            }
            XmlEvent::Close(_) | XmlEvent::Text(_) => {}
        }
    }
}

/// The bytes as a message in its signature: what comes out was in there.
pub fn signed(bytes: &[u8]) {
    assert!(mail::signed::content(bytes).is_none_or(|content| content.len() < bytes.len()));
}

/// The bytes as Outlook's `winmail.dat`, and as the lists of properties inside one.
pub fn winmail(bytes: &[u8]) {
    for file in mail::tnef::contents(bytes).files {
        assert!(!file.name.is_empty() && !file.name.contains('/'));
        assert!(file.bytes.is_ok_and(|inside| inside.len() < bytes.len()));
    }
}

/// The bytes as whatever they are, with what is inside them. What only parsers of other people read is
/// left out: a fuzzer ends at their first panic, which a worker survives.
pub fn door(bytes: &[u8]) {
    if is_foreign(bytes, Path::new("file")) {
        return;
    }
    let extractor = Extractor::new(ExtractorSettings { limits: limits(), ..ExtractorSettings::default() });
    let mut sound = SoundMembers;
    assert_sound(&extractor.extract_with_members(Path::new("file"), bytes, &mut sound));
}

struct SoundMembers;

/// Whether the bytes are for a parser that was not written here.
fn is_foreign(bytes: &[u8], path: &Path) -> bool {
    matches!(sniff::sniff_whole(bytes, path), Format::Pdf | Format::Doc | Format::Ppt)
}

impl MemberVisitor for SoundMembers {
    fn admits(&mut self, path: &str, bytes: &[u8]) -> bool {
        !is_foreign(bytes, Path::new(path))
    }

    fn read(&mut self, member: MemberFile<'_>) -> bool {
        assert_sound(&member.extraction);
        true
    }
}

/// Reads bytes as that format, whatever they are.
fn read(format: Format, bytes: &[u8]) {
    let Some(family) = family_of(format) else { return };
    let limits = limits();
    let mut collector = Collector::new(format, family.most_text_bytes(&limits));
    let mut members = 0;
    let mut take = |_: Member| {
        members += 1;
        members < limits.members
    };
    let mut sink = WithMembers { collector: &mut collector, take: &mut take };
    let outcome = family.read(&Source { bytes, format, name: "file" }, &limits, &mut sink);
    assert_sound(&collector.finish(outcome));
}

/// What every extraction promises its reader.
///
/// # Panics
/// Where it does not hold.
#[track_caller]
pub fn assert_sound(extraction: &Extraction) {
    let extracted = match extraction {
        Extraction::Text(extracted) => extracted,
        Extraction::Skipped(problem) | Extraction::Failed(problem) => {
            assert!(!problem.detail.is_empty(), "a reason is a sentence");
            return;
        }
    };
    let text = &extracted.text;
    let unwanted = |character: char| matches!(character, '\0'..='\x08' | '\x0b' | '\x0e'..='\x1f' | '\x7f');
    assert!(!text.contains(unwanted), "a control character in the text");
    let mut last = None;
    for mark in &extracted.marks {
        assert!(text.is_char_boundary(mark.offset), "a mark inside a character");
        assert!(last.is_none_or(|last| last < mark.offset), "marks ascend");
        last = Some(mark.offset);
    }
}
