//! E-books and notebooks made here, each with what a real one has been seen to hold.

use std::io::{Cursor, Write};
use std::path::Path;

use bethink_core::{Extracted, Format, Locator, ProblemKind};
use bethink_extract::{Extraction, Extractor, ExtractorSettings};

/// What an extractor makes of these bytes.
fn extraction(name: &str, bytes: &[u8]) -> Extraction {
    Extractor::new(ExtractorSettings::default()).extract(Path::new(name), bytes)
}

#[track_caller]
fn text(name: &str, bytes: &[u8]) -> Extracted {
    match extraction(name, bytes) {
        Extraction::Text(extracted) => extracted,
        Extraction::Skipped(problem) | Extraction::Failed(problem) => panic!("no text: {problem:?}"),
    }
}

fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

const CONTAINER: (&str, &str) =
    ("META-INF/container.xml", "<container><rootfiles><rootfile full-path='OPS/book.opf'/></rootfiles></container>");

/// A book of three chapters: one with a heading, one whose title is a plain line, one without any.
fn book(extra: &[(&str, &str)]) -> Vec<u8> {
    let opf = "<package><metadata><dc:title>Hills</dc:title><dc:creator>Ana Silva</dc:creator></metadata><manifest>\
        <item id='c1' href='c1.xhtml' media-type='application/xhtml+xml'/>\
        <item id='c2' href='c2.xhtml' media-type='application/xhtml+xml'/>\
        <item id='c3' href='c3.xhtml' media-type='application/xhtml+xml'/>\
        <item id='gone' href='gone.xhtml' media-type='application/xhtml+xml'/>\
        <item id='ncx' href='toc.ncx' media-type='application/x-dtbncx+xml'/></manifest>\
        <spine toc='ncx'><itemref idref='c2'/><itemref idref='c1'/><itemref idref='c3' linear='no'/>\
        <itemref idref='gone'/></spine></package>";
    let point = |title: &str, file: &str| {
        format!("<navPoint><navLabel><text>{title}</text></navLabel><content src='{file}'/></navPoint>")
    };
    let ncx = format!(
        "<ncx><navMap>{}{}{}</navMap></ncx>",
        point("One", "c1.xhtml"),
        point("Two", "c2.xhtml"),
        point("Notes", "c3.xhtml#n1")
    );
    let page =
        |body: &str| format!("<?xml version='1.0'?><html><head><title>x</title></head><body>{body}</body></html>");
    let (first, second) =
        (page("<h1>The first</h1><p>It climbs.</p>"), page("<p class='title'>TWO</p><p>It turns.</p>"));
    let third = page("<aside epub:type='footnote'><p>A note.</p></aside>");
    let mut parts = vec![
        ("mimetype", "application/epub+zip"),
        CONTAINER,
        ("OPS/book.opf", opf),
        ("OPS/toc.ncx", ncx.as_str()),
        ("OPS/c1.xhtml", first.as_str()),
        ("OPS/c2.xhtml", second.as_str()),
        ("OPS/c3.xhtml", third.as_str()),
    ];
    parts.extend(extra);
    package(&parts)
}

#[test]
fn a_book_is_read_in_its_own_order_under_its_own_titles() {
    let extracted = text("hills.epub", &book(&[]));
    assert_eq!(extracted.format, Format::Epub);
    assert_eq!(extracted.title.as_deref(), Some("Hills"));
    assert_eq!(
        extracted.text,
        "Title: Hills\nAuthor: Ana Silva\n\n# TWO\n\nIt turns.\n\n# The first\n\nIt climbs.\n\n# Notes\n\nA note.\n\n"
    );
    let chapter = |number, title: &str| Locator::Chapter { number, title: title.to_owned() };
    let places: Vec<_> = extracted.marks.iter().map(|mark| mark.locator.clone()).collect();
    let field = |name: &str| Locator::Field(name.to_owned());
    assert_eq!(places, [field("Title"), field("Author"), chapter(1, "Two"), chapter(2, "One"), chapter(3, "Notes")]);
    assert_eq!(extracted.problems[0].kind, ProblemKind::Damaged);
}

#[test]
fn a_locked_book_says_so_and_scrambled_fonts_do_not() {
    let entry = |algorithm: &str, path: &str| {
        format!(
            "<EncryptedData><EncryptionMethod Algorithm='{algorithm}'/><CipherData><CipherReference URI='{path}'/>\
             </CipherData></EncryptedData>"
        )
    };
    let aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc";
    let all: String = ["c1", "c2", "c3", "gone"].map(|name| entry(aes, &format!("OPS/{name}.xhtml"))).concat();
    let locked = book(&[("META-INF/encryption.xml", &format!("<encryption>{all}</encryption>"))]);
    let Extraction::Skipped(problem) = extraction("x.epub", &locked) else { panic!("it is locked") };
    assert_eq!(problem.kind, ProblemKind::Encrypted);
    let fonts = entry("http://www.idpf.org/2008/embedding", "OPS/font.otf");
    let open = book(&[("META-INF/encryption.xml", &format!("<encryption>{fonts}</encryption>"))]);
    assert!(text("x.epub", &open).text.contains("It climbs."));
}

#[test]
fn a_book_without_its_package_document_is_read_by_name() {
    let page = "<html><body><h2>Alone</h2><p>words</p></body></html>";
    let bytes = package(&[("mimetype", "application/epub+zip"), ("b.xhtml", page), ("a.css", "p{}")]);
    let extracted = text("x.epub", &bytes);
    assert_eq!(extracted.text, "## Alone\n\nwords\n\n");
    assert_eq!(extracted.marks[0].locator, Locator::Chapter { number: 1, title: "Alone".to_owned() });
}

#[test]
fn a_fictionbook_is_read_by_its_sections() {
    let source = "<?xml version='1.0' encoding='windows-1251'?><FictionBook><description><title-info>\
        <genre>travel</genre><author><first-name>\u{418}\u{432}\u{430}\u{43d}</first-name><last-name>Petrov</last-name></author>\
        <book-title>Hills</book-title><sequence name='Trams' number='2'/></title-info>\
        <document-info><author><nickname>scanner</nickname></author></document-info></description>\
        <body><title><p>Hills</p></title><section><title><p>Part</p><p>one</p></title><section><title><p>Up</p></title>\
        <p>It <emphasis>climbs</emphasis>.</p><poem><stanza><v>line one</v><v>line two</v></stanza></poem></section></section>\
        <section><p>Untitled.</p></section></body><body name='notes'><title><p>Notes</p></title>\
        <section id='n1'><title><p>1</p></title><p>A note.</p></section></body>\
        <binary id='x.jpg'>QUJD</binary></FictionBook>";
    let bytes = windows_1251(source);
    let extracted = text("hills.fb2", &bytes);
    assert_eq!(extracted.format, Format::FictionBook);
    assert_eq!(extracted.title.as_deref(), Some("Hills"));
    assert_eq!(
        extracted.text,
        "Subject: travel\nAuthor: \u{418}\u{432}\u{430}\u{43d} Petrov\nTitle: Hills\nSeries: Trams, 2\n\n# Hills\n\n\
         # Part one\n\n## Up\n\nIt climbs.\n\nline one\nline two\n\nUntitled.\n\n# Notes\n\n## 1\n\nA note.\n\n"
    );
    let numbers: Vec<u32> = extracted
        .marks
        .iter()
        .filter_map(|mark| if let Locator::Chapter { number, .. } = mark.locator { Some(number) } else { None })
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
}

/// Cyrillic letters as the one-byte charset has them; the sample uses the basic alphabet alone.
fn windows_1251(source: &str) -> Vec<u8> {
    let byte = |character: char| match u32::from(character) {
        code @ 0x410..=0x44F => u8::try_from(code - 0x410 + 0xC0).unwrap(),
        code => u8::try_from(code).unwrap(),
    };
    source.chars().map(byte).collect()
}

#[test]
fn a_notebook_is_read_cell_by_cell() {
    let source = r##"{"cells": [
        {"cell_type": "markdown", "source": ["# Trams\n", "\n", "They *climb*."]},
        {"cell_type": "code", "source": ["print('a')\n", "```"], "outputs": [
            {"output_type": "stream", "text": ["a\n"]},
            {"output_type": "display_data", "data": {"image/png": "QUJD", "text/plain": "<Figure>"}},
            {"output_type": "error", "ename": "ValueError", "evalue": "bad hill", "traceback": ["\u001b[31mno"]}]},
        {"cell_type": "code", "source": [], "outputs": []},
        {"cell_type": "raw", "source": "# kept as it is \ud83d"}
    ], "metadata": {"kernelspec": {"language": "Python"}}, "nbformat": 4}"##;
    let extracted = text("trams.ipynb", source.as_bytes());
    assert_eq!(extracted.format, Format::Notebook);
    assert_eq!(
        extracted.text,
        "# Trams\n\nThey *climb*.\n\n````python\nprint('a')\n```\n````\n\n```text\na\n<Figure>\n\
         ValueError: bad hill\n```\n\n```\n# kept as it is \u{fffd}\n```\n\n"
    );
    let cells: Vec<_> = extracted.marks.iter().map(|mark| mark.locator.clone()).collect();
    assert_eq!(cells, [Locator::Cell(1), Locator::Cell(2), Locator::Cell(4)]);
}

#[test]
fn an_old_notebook_and_a_broken_one_are_read_as_far_as_they_go() {
    let old = r##"{"metadata": {}, "nbformat": 3, "worksheets": [{"cells": [
        {"cell_type": "heading", "level": 2, "source": ["Old"]},
        {"cell_type": "code", "language": "python", "input": ["1+1"], "outputs": [
            {"output_type": "pyout", "text": ["2"]}]}]}]}"##;
    assert_eq!(text("x.ipynb", old.as_bytes()).text, "## Old\n\n```python\n1+1\n```\n\n```text\n2\n```\n\n");
    let cut = r##"{"cells": [{"cell_type": "markdown", "source": "first"}, {"cell_type": "mark"##;
    let extracted = text("x.ipynb", cut.as_bytes());
    assert_eq!(extracted.text, "first\n\n");
    assert_eq!(extracted.problems[0].kind, ProblemKind::Damaged);
}
