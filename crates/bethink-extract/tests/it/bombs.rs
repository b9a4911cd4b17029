//! Files made to take a reader's memory or time. Each ends within the limits, with what it costs bounded
//! and with a reason or a text.

use std::cell::RefCell;
use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bethink_core::ProblemKind;
use bethink_extract::fuzzing::assert_sound;
use bethink_extract::{Extraction, Limits, MemberFile, MemberVisitor, Meter, WorkerCost};
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::sample_pdf::pdf;
use crate::worker_program::extractor_of;

/// The most memory that a worker may have had resident, in bytes.
const MOST_PEAK_BYTES: u64 = 512 << 20;

/// Less than a file may really take, so that the suite does not wait for what hangs.
const PROCESSOR: Duration = Duration::from_secs(6);

thread_local! {
    static COSTS: RefCell<Vec<WorkerCost>> = const { RefCell::new(Vec::new()) };
}

/// What ended the reading of anything inside.
#[derive(Default)]
struct Members {
    count: usize,
    crashed: usize,
}

impl MemberVisitor for Members {
    fn admits(&mut self, _: &str, _: &[u8]) -> bool {
        true
    }

    fn read(&mut self, member: MemberFile<'_>) -> bool {
        assert_sound(&member.extraction);
        self.count += 1;
        self.crashed += usize::from(has_crashed(&member.extraction));
        true
    }
}

fn has_crashed(extraction: &Extraction) -> bool {
    match extraction {
        Extraction::Text(extracted) => extracted.problems.iter().any(|problem| problem.kind == ProblemKind::Crashed),
        Extraction::Skipped(problem) | Extraction::Failed(problem) => problem.kind == ProblemKind::Crashed,
    }
}

fn shown(extraction: &Extraction) -> String {
    match extraction {
        Extraction::Text(extracted) => {
            let problems: Vec<&str> = extracted.problems.iter().map(|problem| problem.detail.as_str()).collect();
            format!("{} bytes of text {problems:?}", extracted.text.len())
        }
        other => format!("{other:?}"),
    }
}

/// Reads them all through one worker, and says of each what it came to.
#[track_caller]
fn defuse(bombs: Vec<(&str, Vec<u8>)>) {
    let limits = Limits { processor: PROCESSOR, processor_most: PROCESSOR, ..Limits::default() };
    let meter: Meter = Arc::new(|cost| COSTS.with_borrow_mut(|costs| costs.push(cost)));
    let mut faults = Vec::new();
    for (name, bytes) in bombs {
        // A fresh worker each, so that a peak belongs to its file.
        let extractor = extractor_of(1, &[], limits).metered(&meter);
        COSTS.take();
        let mut members = Members::default();
        let extraction = extractor.extract_with_members(Path::new(name), &bytes, &mut members);
        assert_sound(&extraction);
        let costs = COSTS.take();
        let processor = costs.iter().map(|cost| cost.processor).max().unwrap_or_default();
        let peak = costs.iter().map(|cost| cost.peak_bytes).max().unwrap_or_default();
        println!(
            "{name}: {} bytes, {} members, {processor:?}, {} MiB, {}",
            bytes.len(),
            members.count,
            peak >> 20,
            shown(&extraction)
        );
        if has_crashed(&extraction) || members.crashed > 0 {
            faults.push(format!("{name} crashed its reader"));
        }
        if shown(&extraction).contains("processor time") || shown(&extraction).contains("did not end") {
            faults.push(format!("{name} took all the time that there is"));
        }
        if peak > MOST_PEAK_BYTES {
            faults.push(format!("{name} took {} MiB", peak >> 20));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        // What tells OpenDocument and EPUB apart must not be packed.
        let method = if *name == "mimetype" { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const OOXML: &str = "http://schemas.openxmlformats.org";

/// A package of Office Open XML with this main part.
fn office(kind: &str, path: &str, main: &[u8], others: &[(&str, &[u8])]) -> Vec<u8> {
    let types = format!(
        r#"<Types xmlns="{OOXML}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/{path}" ContentType="application/vnd.openxmlformats-officedocument.{kind}.main+xml"/></Types>"#
    );
    let relationships = format!(
        r#"<Relationships xmlns="{OOXML}/package/2006/relationships"><Relationship Id="rId1" Type="{OOXML}/officeDocument/2006/relationships/officeDocument" Target="{path}"/></Relationships>"#
    );
    let mut parts: Vec<(&str, &[u8])> =
        vec![("[Content_Types].xml", types.as_bytes()), ("_rels/.rels", relationships.as_bytes()), (path, main)];
    parts.extend(others);
    zip(&parts)
}

fn docx(body: &str) -> Vec<u8> {
    let main =
        format!(r#"<w:document xmlns:w="{OOXML}/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>"#);
    office("wordprocessingml.document", "word/document.xml", main.as_bytes(), &[])
}

fn xlsx(sheet: &str, strings: &str) -> Vec<u8> {
    let main = "spreadsheetml/2006/main";
    let book = format!(
        r#"<workbook xmlns="{OOXML}/{main}" xmlns:r="{OOXML}/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>"#
    );
    let relationships = format!(
        r#"<Relationships xmlns="{OOXML}/package/2006/relationships"><Relationship Id="rId1" Type="{OOXML}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="{OOXML}/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>"#
    );
    let sheet = format!(r#"<worksheet xmlns="{OOXML}/{main}">{sheet}</worksheet>"#);
    let others: [(&str, &[u8]); 3] = [
        ("xl/_rels/workbook.xml.rels", relationships.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ("xl/sharedStrings.xml", strings.as_bytes()),
    ];
    office("spreadsheetml.sheet", "xl/workbook.xml", book.as_bytes(), &others)
}

fn open_document(kind: &str, declaration: &str, body: &str) -> Vec<u8> {
    let space = "urn:oasis:names:tc:opendocument:xmlns:";
    let mimetype = format!("application/vnd.oasis.opendocument.{kind}");
    let content = format!(
        r#"<?xml version="1.0"?>{declaration}<office:document-content xmlns:office="{space}office:1.0" xmlns:text="{space}text:1.0" xmlns:table="{space}table:1.0"><office:body>{body}</office:body></office:document-content>"#
    );
    zip(&[("mimetype", mimetype.as_bytes()), ("content.xml", content.as_bytes())])
}

fn epub(chapter: &str) -> Vec<u8> {
    zip(&[
        ("mimetype", b"application/epub+zip"),
        (
            "META-INF/container.xml",
            br#"<container><rootfiles><rootfile full-path="p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"#,
        ),
        (
            "p.opf",
            br#"<package><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>"#,
        ),
        ("c.xhtml", chapter.as_bytes()),
    ])
}

/// Entities that stand for ten of the one before, nine deep.
fn laughs() -> String {
    let mut declaration = "<!DOCTYPE x [<!ENTITY a0 \"ha\">".to_owned();
    for level in 1..10 {
        let before = format!("&a{};", level - 1).repeat(10);
        declaration.push_str(&format!("<!ENTITY a{level} \"{before}\">"));
    }
    declaration + "]>"
}

fn nested(open: &str, close: &str, depth: usize) -> String {
    format!("{}core{}", open.repeat(depth), close.repeat(depth))
}

/// How deep elements are nested: deeper than any stack that calls itself for each.
const DEPTH: usize = 300_000;

#[test]
fn packed_zeros_end_at_their_limit() {
    let zeros = vec![0; 200 << 20];
    let spaces = vec![b' '; 100 << 20];
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&zeros).unwrap();
    let gzip = gzip.finish().unwrap();
    let twice = deflated(&deflated(&zeros));
    let page = format!("<< /Length {} /Filter [/FlateDecode /FlateDecode] >>", twice.len());
    defuse(vec![
        ("zeros.zip", zip(&[("zeros.txt", &zeros), ("after.txt", b"after")])),
        ("zeros.txt.gz", gzip),
        ("spaces.docx", office("wordprocessingml.document", "word/document.xml", &spaces, &[])),
        ("spaces.xlsx", office("spreadsheetml.sheet", "xl/workbook.xml", &spaces, &[])),
        ("spaces.pptx", office("presentationml.presentation", "ppt/presentation.xml", &spaces, &[])),
        ("spaces.odt", zip(&[("mimetype", b"application/vnd.oasis.opendocument.text"), ("content.xml", &spaces)])),
        ("spaces.epub", epub(&String::from_utf8(spaces.clone()).unwrap())),
        ("spaces.pdf", pdf_of(&page, &twice)),
        ("text.png", png(b"zTXt", &[b"Title\0\0".as_slice(), &deflated(&zeros)].concat())),
    ]);
}

/// A page whose content is this stream.
fn pdf_of(dictionary: &str, stream: &[u8]) -> Vec<u8> {
    let head = format!(
        "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 \
         >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>\nendobj\n4 0 obj\n\
         {dictionary}\nstream\n"
    );
    let tail = b"\nendstream\nendobj\ntrailer\n<< /Root 1 0 R /Size 5 >>\n%%EOF\n";
    [head.as_bytes(), stream, tail].concat()
}

fn png(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        let mut crc = flate2::Crc::new();
        crc.update(kind);
        crc.update(data);
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [length.as_slice(), kind, data, &crc.sum().to_be_bytes()].concat()
    };
    let header = [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0];
    [b"\x89PNG\r\n\x1a\n".to_vec(), chunk(b"IHDR", &header), chunk(kind, data), chunk(b"IEND", b"")].concat()
}

#[test]
fn entities_that_multiply_stay_what_they_are() {
    let laughs = laughs();
    let strings = format!(r#"{laughs}<sst xmlns="{OOXML}/spreadsheetml/2006/main"><si><t>&a9;</t></si></sst>"#);
    defuse(vec![
        ("laughs.xml", format!("{laughs}<x>&a9;</x>").into_bytes()),
        ("laughs.fb2", format!("<?xml version=\"1.0\"?>{laughs}<FictionBook><body><section><p>&a9;</p></section></body></FictionBook>").into_bytes()),
        ("laughs.odt", open_document("text", &laughs, "<office:text><text:p>&a9;</text:p></office:text>")),
        ("laughs.docx", office("wordprocessingml.document", "word/document.xml", format!("{laughs}<w:document xmlns:w=\"{OOXML}/wordprocessingml/2006/main\"><w:body><w:p><w:r><w:t>&a9;</w:t></w:r></w:p></w:body></w:document>").as_bytes(), &[])),
        ("laughs.xlsx", xlsx(r#"<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>"#, &strings)),
        ("laughs.epub", epub(&format!("{laughs}<html><body><p>&a9;</p></body></html>"))),
    ]);
}

#[test]
fn depth_overflows_no_stack() {
    let divisions = nested("<div>", "</div>", DEPTH);
    defuse(vec![
        (
            "deep.fb2",
            format!(
                "<?xml version=\"1.0\"?><FictionBook><body>{}</body></FictionBook>",
                nested("<section>", "</section>", DEPTH)
            )
            .into_bytes(),
        ),
        (
            "deep.odt",
            open_document(
                "text",
                "",
                &format!("<office:text>{}</office:text>", nested("<text:section>", "</text:section>", DEPTH)),
            ),
        ),
        (
            "lists.odt",
            open_document(
                "text",
                "",
                &format!(
                    "<office:text>{}</office:text>",
                    nested("<text:list><text:list-item>", "</text:list-item></text:list>", DEPTH)
                ),
            ),
        ),
        (
            "tables.ods",
            open_document(
                "spreadsheet",
                "",
                &format!(
                    "<office:spreadsheet>{}</office:spreadsheet>",
                    nested(
                        "<table:table><table:table-row><table:table-cell>",
                        "</table:table-cell></table:table-row></table:table>",
                        DEPTH / 3
                    )
                ),
            ),
        ),
        ("deep.docx", docx(&nested("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>", DEPTH / 3))),
        ("boxes.docx", docx(&nested("<w:p><w:r><w:txbxContent>", "</w:txbxContent></w:r></w:p>", DEPTH / 3))),
        ("deep.xlsx", xlsx(&nested("<row><c><is>", "</is></c></row>", DEPTH / 3), "")),
        ("deep.epub", epub(&format!("<html><body>{}</body></html>", nested("<div>", "</div>", DEPTH / 10)))),
        ("deep.ipynb", format!(r#"{{"nbformat": 4, "cells": {}}}"#, nested("[", "]", DEPTH)).into_bytes()),
        ("deep.json", nested("[", "]", DEPTH).into_bytes()),
        ("objects.json", nested("{\"a\":", "}", DEPTH).into_bytes()),
        ("deep.rtf", format!("{{\\rtf1 {}}}", nested("{\\b ", "}", DEPTH)).into_bytes()),
        ("deep.html", divisions[..divisions.len() / 10].into()),
        ("quotes.md", nested("> ", "", DEPTH).into_bytes()),
        ("deep.vcf", nested("BEGIN:VCARD\n", "END:VCARD\n", DEPTH / 10).into_bytes()),
        ("deep.ics", nested("BEGIN:VEVENT\n", "END:VEVENT\n", DEPTH / 10).into_bytes()),
        (
            "folders.html",
            format!("<!DOCTYPE NETSCAPE-Bookmark-file-1><H1>B</H1>{}", "<DL><DT><H3>f</H3>".repeat(DEPTH / 100))
                .into_bytes(),
        ),
        ("deep.mp4", atoms(20_000)),
    ]);
}

#[test]
fn a_parser_that_overflows_its_stack_costs_its_file() {
    let arrays = nested("[", "]", DEPTH).replace("core", "1");
    let bytes = pdf_of(&format!("<< /Length 0 /X {arrays} >>"), b"");
    let extractor = extractor_of(1, &[], Limits::default());
    // Whether the parser of PDF survives it is its own affair.
    assert_sound(&extractor.extract(Path::new("arrays.pdf"), &bytes));
    let Extraction::Text(extracted) = extractor.extract(Path::new("a.pdf"), &pdf("nothing", &["words"])) else {
        panic!("no text");
    };
    assert_eq!(extracted.text, "words\n");
}

/// A film whose atoms are each inside the one before.
fn atoms(depth: usize) -> Vec<u8> {
    let mut film = b"\0\0\0\x10ftypisom\0\0\0\0".to_vec();
    for level in (1..=depth).rev() {
        film.extend(u32::try_from(level * 8).unwrap().to_be_bytes());
        film.extend(if level == depth { b"moov" } else { b"udta" });
    }
    film
}

#[test]
fn sizes_that_lie_are_not_believed() {
    let rows =
        |cell: &str| format!(r#"<dimension ref="A1:XFD1048576"/><sheetData><row r="1048576">{cell}</row></sheetData>"#);
    let repeated = r#"<office:spreadsheet><table:table table:name="S"><table:table-row table:number-rows-repeated="4000000000"><table:table-cell table:number-columns-repeated="4000000000" office:value-type="string"><text:p>again</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>"#;
    let spaces = r#"<office:text><text:p>a<text:s text:c="4000000000"/>b</text:p></office:text>"#;
    // A frame of Zstandard with a window of two gibibytes and five bytes.
    let window = b"\x28\xb5\x2f\xfd\x00\xa8\x29\x00\x00hello".to_vec();
    let mut tar = vec![0; 1024];
    tar[..5].copy_from_slice(b"x.txt");
    tar[124..136].copy_from_slice(b"77777777777\0");
    tar[156] = b'0';
    tar[257..263].copy_from_slice(b"ustar\0");
    let sum: u32 = tar[..512].iter().map(|byte| u32::from(*byte)).sum::<u32>() + 8 * 32;
    tar[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut many = zip(&[("a.txt", b"a")]);
    let directory = many.len() - 22;
    many[directory + 8..directory + 12].fill(0xFF);
    let mut flac = b"fLaC\x84\xff\xff\xff".to_vec();
    flac.extend([0xFF; 64]);
    let mut riff = b"RIFF\xff\xff\xff\xffWAVELIST\xff\xff\xff\xffINFOINAM\xff\xff\xff\xff".to_vec();
    riff.extend(b"name");
    defuse(vec![
        ("far.xlsx", xlsx(&rows(r#"<c r="XFD1048576"><v>1</v></c>"#), "")),
        (
            "counted.xlsx",
            xlsx(
                &rows(r#"<c r="A1048576" t="s"><v>4294967295</v></c>"#),
                &format!(
                    r#"<sst xmlns="{OOXML}/spreadsheetml/2006/main" count="4294967295" uniqueCount="4294967295"></sst>"#
                ),
            ),
        ),
        ("repeated.ods", open_document("spreadsheet", "", repeated)),
        ("spaces.odt", open_document("text", "", spaces)),
        ("window.txt.zst", window),
        ("dictionary.txt.xz", greedy_xz()),
        ("large.tar", tar),
        ("many.zip", many),
        ("comment.flac", flac),
        ("list.wav", riff),
        ("id3.mp3", b"ID3\x04\0\0\x7f\x7f\x7f\x7fTIT2\x7f\x7f\x7f\x7f\0\0\x03name".to_vec()),
        ("atom.mp4", b"\0\0\0\x10ftypisom\0\0\0\0\0\0\0\x01moov\xff\xff\xff\xff\xff\xff\xff\xff".to_vec()),
        ("count.pdf", pdf_of("<< /Length 4000000000 >>", b"BT (x) Tj ET")),
        ("binary.rtf", b"{\\rtf1 before \\bin2147483647 x}".to_vec()),
    ]);
}

/// The sample of xz with a dictionary of four gibibytes in its header, and the header's checksum right.
fn greedy_xz() -> Vec<u8> {
    let mut bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/tram.txt.xz")).unwrap();
    let header = 12;
    let length = (usize::from(bytes[header]) + 1) * 4;
    let filter = bytes[header..header + length].windows(2).position(|pair| pair == [0x21, 0x01]).unwrap();
    bytes[header + filter + 2] = 40;
    let mut crc = flate2::Crc::new();
    crc.update(&bytes[header..header + length - 4]);
    bytes[header + length - 4..header + length].copy_from_slice(&crc.sum().to_le_bytes());
    bytes
}

#[test]
fn many_of_anything_take_no_square_of_the_time() {
    let many = |piece: &str, count: usize| piece.repeat(count).into_bytes();
    let mail = "From a@b Sat Mar 14 09:26:00 2026\nFrom: a@b\nSubject: s\n\nbody\n\n";
    let boundary = "Content-Type: multipart/mixed; boundary=b\n\n";
    let parts: String = (0..20_000).map(|_| "--b\nContent-Type: text/plain\n\nx\n").collect();
    let levels: String =
        (0..3000).map(|level| format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n")).collect();
    let names: Vec<String> = (0..40_000).map(|number| format!("{number}.txt")).collect();
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"".as_slice())).collect();
    let same: Vec<u8> = {
        let mut writer = tar::Builder::new(Vec::new());
        for _ in 0..40_000 {
            let mut header = tar::Header::new_ustar();
            header.set_size(0);
            header.set_cksum();
            writer.append_data(&mut header, "same.txt", b"".as_slice()).unwrap();
        }
        writer.into_inner().unwrap()
    };
    defuse(vec![
        ("mails.mbox", many(mail, 100_000)),
        ("froms.mbox", many("From a@b Sat Mar 14 09:26:00 2026\n", 300_000)),
        ("parts.eml", format!("From: a@b\nSubject: s\n{boundary}{parts}--b--\n").into_bytes()),
        ("levels.eml", format!("From: a@b\nSubject: s\n{levels}").into_bytes()),
        ("headers.eml", [b"From: a@b\nSubject: s\n".to_vec(), many("X-A: b\n", 500_000)].concat()),
        ("words.eml", [b"From: a@b\nSubject: ".to_vec(), many("=?utf-8?q?a?= ", 300_000), b"\n\nx".to_vec()].concat()),
        ("addresses.eml", [b"From: a@b\nTo: ".to_vec(), many("(((\"<", 200_000), b"\n\nx".to_vec()].concat()),
        ("folded.ics", [b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:x\n".to_vec(), many(" y\n", 500_000)].concat()),
        (
            "parameters.vcf",
            [b"BEGIN:VCARD\nNOTE".to_vec(), many(";A=b", 300_000), b":x\nEND:VCARD\n".to_vec()].concat(),
        ),
        ("cues.srt", many("1\n00:00:01,000 --> 00:00:02,000\nx\n\n", 200_000)),
        ("cells.csv", many("a,", 3_000_000)),
        ("quotes.csv", many("\"", 3_000_001)),
        ("links.md", many("[", 300_000)),
        ("stars.md", many("*a ", 300_000)),
        ("ticks.md", (1..2000).flat_map(|count| format!("{} ", "`".repeat(count)).into_bytes()).collect()),
        ("groups.rtf", [b"{\\rtf1 ".to_vec(), many("{}", 1_000_000), b"}".to_vec()].concat()),
        ("fonts.rtf", [b"{\\rtf1{\\fonttbl".to_vec(), many("{\\f1 A;}", 200_000), b"}x}".to_vec()].concat()),
        (
            "attributes.docx",
            docx(&format!("<w:p {}/>", (0..100_000).map(|number| format!("a{number}=\"\" ")).collect::<String>())),
        ),
        ("spaces.xml", format!("<?xml version=\"1.0\"?><x{}/>", " ".repeat(3_000_000)).into_bytes()),
        ("comments.html", many("<!--", 500_000)),
        ("anchors.html", many("<a href=x>", 30_000)),
        ("formats.html", many("<b><p>", 3_000)),
        ("members.zip", zip(&members)),
        ("same.tar", same),
        (
            "cells.ipynb",
            format!(
                r#"{{"nbformat": 4, "cells": [{}]}}"#,
                vec![r#"{"cell_type": "code", "source": "x"}"#; 50_000].join(",")
            )
            .into_bytes(),
        ),
        ("messages.json", format!("[{}]", vec![r#"{"title": "t", "mapping": {}}"#; 50_000].join(",")).into_bytes()),
    ]);
}
