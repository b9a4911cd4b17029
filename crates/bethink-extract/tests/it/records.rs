//! Calendars, cards, subtitles, markup of the older kinds and exported notes, told and read.

use std::path::Path;

use bethink_core::{Extracted, Format, Locator};
use bethink_extract::{Extraction, Extractor, ExtractorSettings, MemberFile, MemberVisitor, sniff};
use bethink_text::HeadingTrails;

#[track_caller]
fn text(name: &str, source: &str) -> Extracted {
    let extractor = Extractor::new(ExtractorSettings::default());
    match extractor.extract(Path::new(name), source.as_bytes()) {
        Extraction::Text(extracted) => extracted,
        Extraction::Skipped(problem) | Extraction::Failed(problem) => panic!("no text: {problem:?}"),
    }
}

/// The headings above a phrase.
#[track_caller]
fn under(extracted: &Extracted, phrase: &str) -> Vec<String> {
    HeadingTrails::of(extracted).at(extracted.text.find(phrase).unwrap())
}

#[test]
fn content_tells_what_a_text_is() {
    let cases: [(&str, Option<&str>, Format); 21] = [
        ("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", Some("txt"), Format::Calendar),
        ("begin:vcard\nFN:x\nend:vcard\n", None, Format::Contacts),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\nx\n", None, Format::Subtitles),
        ("1\n00:00:01,000 --> 00:00:02,000\nx\n", Some("txt"), Format::Subtitles),
        ("[Script Info]\nTitle: x\n", None, Format::Subtitles),
        ("[ti:Song]\n[00:01.00]x\n", None, Format::Subtitles),
        ("[00:01.00] started\n[00:02.00] stopped\n", Some("log"), Format::Text),
        ("0:00:01.000,0:00:02.000\nx\n", Some("sbv"), Format::Subtitles),
        ("% note\n\\documentclass{article}\n", None, Format::Latex),
        ("\\section{x}\n", Some("tex"), Format::Latex),
        ("= Title\n:toc:\n\ntext\n", None, Format::Asciidoc),
        ("== Title\n", Some("adoc"), Format::Asciidoc),
        ("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>x</TITLE>", Some("html"), Format::Bookmarks),
        ("<?xml version='1.0'?>\n<!-- x -->\n<FictionBook xmlns='y'>", Some("xml"), Format::FictionBook),
        ("<?xml version='1.0'?><!DOCTYPE en-export SYSTEM 'x'>\n<en-export>", None, Format::Evernote),
        ("{\"nbformat\": 4, \"cells\": []}", None, Format::Notebook),
        ("{\"nbformat\": 4}", Some("json"), Format::Json),
        ("<?xml version='1.0'?><root/>", Some("xml"), Format::Xml),
        ("31.12.23, 21:41 - Ana: hallo\n", Some("txt"), Format::Chat),
        ("2024-05-01 12:30:15 - INFO: x\n2024-05-01 12:30:15 - INFO: y\n", Some("log"), Format::Text),
        ("# A script\nBEGIN:VCALENDAR\n", Some("py"), Format::Code(bethink_core::Language::Python)),
    ];
    for (source, extension, format) in cases {
        assert_eq!(sniff(source.as_bytes(), extension), format, "{source:?} as {extension:?}");
    }
}

#[test]
fn a_calendar_keeps_its_lines_and_names_its_events() {
    let source = "BEGIN:VCALENDAR\r\nX-WR-CALNAME:Home\r\nBEGIN:VEVENT\r\nSUMMARY:Dinner\\, late\r\nDESCRIPTION:at the ta\r\n \
        vern\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:Tram\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let extracted = text("home.ics", source);
    assert_eq!(extracted.text.lines().count(), source.lines().count());
    assert_eq!(extracted.text.lines().nth(4), Some("DESCRIPTION:at the tavern"));
    assert_eq!(under(&extracted, "tavern"), ["Dinner, late"]);
    assert_eq!(under(&extracted, "SUMMARY:Tram"), ["Tram"]);
    assert_eq!(extracted.title.as_deref(), Some("Home"));
}

#[test]
fn subtitles_know_the_time_of_each_line() {
    let source = "1\r\n00:00:01,500 --> 00:00:03,000\r\nThe tram\r\nclimbs.\r\n\r\n2\r\n00:01:02,000 --> 00:01:03,000\r\nIt turns.\r\n";
    let extracted = text("film.srt", source);
    assert_eq!(extracted.text, source);
    let at = |phrase: &str| extracted.locator_at(source.find(phrase).unwrap()).clone();
    assert_eq!(at("climbs"), Locator::Timecode { millis: 1500 });
    assert_eq!(at("2\r\n00:01"), Locator::Timecode { millis: 62_000 });
    assert_eq!(at("It turns"), Locator::Timecode { millis: 62_000 });
}

#[test]
fn older_markup_and_notes_have_their_titles_and_headings() {
    let latex = text("a.tex", "\\title{The tram}\n\\begin{document}\n\\section{Hills}\nIt climbs.\n");
    assert_eq!(latex.title.as_deref(), Some("The tram"));
    assert_eq!(under(&latex, "It climbs"), ["Hills"]);
    let asciidoc = text("a.adoc", "= The tram\n\n== Hills\nIt climbs.\n");
    assert_eq!(under(&asciidoc, "It climbs"), ["The tram", "Hills"]);
    let obsidian = "---\ntitle: Trams\naliases: [eléctrico]\ntags:\n  - lisbon\n---\nSee [[Hills]] #up\n";
    let extracted = text("note.md", obsidian);
    assert_eq!(extracted.title.as_deref(), Some("Trams"));
    assert_eq!(extracted.text, obsidian);
}

/// Meets what is attached.
struct Attached(Vec<(String, Vec<u8>, Option<i64>)>);

impl MemberVisitor for Attached {
    fn admits(&mut self, _: &str, _: &[u8]) -> bool {
        true
    }

    fn read(&mut self, member: MemberFile<'_>) -> bool {
        self.0.push((member.path, member.bytes.to_vec(), member.modified.map(|time| time.0)));
        true
    }
}

#[test]
fn exported_notes_are_read_under_their_titles_with_their_attachments() {
    let source = "<?xml version=\"1.0\"?><!DOCTYPE en-export SYSTEM \"x\"><en-export><note><title>Trams &amp; hills</title>\
        <content><![CDATA[<?xml version=\"1.0\"?><!DOCTYPE en-note SYSTEM \"x\"><en-note><div>It <b>climbs</b>.</div>\
        <ul><li>twice</li></ul></en-note>]]></content><created>20240501T123000Z</created><tag>lisbon</tag><tag>up</tag>\
        <note-attributes><source-url>https://x.org</source-url></note-attributes><resource><data encoding=\"base64\">\
        aGVs\nbG8=</data><mime>text/plain</mime><resource-attributes><file-name>a.txt</file-name></resource-attributes>\
        </resource></note><note><created>20240502T080000Z</created><title>Second</title><content>\
        <![CDATA[<en-note>words</en-note>]]></content></note></en-export>";
    let extractor = Extractor::new(ExtractorSettings::default());
    let mut attached = Attached(Vec::new());
    let extraction = extractor.extract_with_members(Path::new("notes.enex"), source.as_bytes(), &mut attached);
    let Extraction::Text(extracted) = extraction else { panic!("no text") };
    assert_eq!(
        extracted.text,
        "# Trams & hills\n\nTags: lisbon, up\nCreated: 2024-05-01 12:30\nSource: https://x.org\n\nIt climbs.\n\n- twice\n\n\
         # Second\n\nCreated: 2024-05-02 08:00\n\nwords\n\n"
    );
    assert_eq!(attached.0, [("a.txt".to_owned(), b"hello".to_vec(), Some(1_714_566_600_000))]);
}
