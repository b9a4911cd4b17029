//! Workbooks, built here part by part.

use std::io::{Cursor, Write};
use std::path::Path;

use bethink_core::{Extracted, Format, ProblemKind};
use bethink_extract::{Extraction, Extractor, ExtractorSettings};
use zip::write::SimpleFileOptions;

fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn extract(name: &str, bytes: &[u8]) -> Extraction {
    Extractor::new(ExtractorSettings::default()).extract(Path::new(name), bytes)
}

fn text(name: &str, bytes: &[u8]) -> Extracted {
    match extract(name, bytes) {
        Extraction::Text(extracted) => extracted,
        other => panic!("{name}: {other:?}"),
    }
}

/// Each line with its place.
fn placed(extracted: &Extracted) -> Vec<String> {
    let mut offset = 0;
    let mut lines = Vec::new();
    for line in extracted.text.split_inclusive('\n') {
        lines.push(format!("{}: {}", extracted.locator_at(offset), line.trim_end_matches('\n').replace('\t', "|")));
        offset += line.len();
    }
    lines
}

const ROOT: &str = r#"<Relationships><Relationship Id="rId1" Target="xl/workbook.xml"
    Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>
    <Relationship Id="rId2" Target="docProps/core.xml"
    Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"/></Relationships>"#;

fn relations(links: &[(&str, &str, &str)]) -> String {
    let links: String = links
        .iter()
        .map(|(id, kind, target)| {
            format!(r#"<Relationship Id="{id}" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/{kind}" Target="{target}"/>"#)
        })
        .collect();
    format!("<Relationships>{links}</Relationships>")
}

/// A workbook of one or two sheets with everything that real ones have.
fn workbook(first: &str, second: &str) -> Vec<u8> {
    let links = relations(&[
        ("rId1", "worksheet", "worksheets/sheet1.xml"),
        ("rId2", "worksheet", "/xl/worksheets/sheet2.xml"),
        ("rId3", "sharedStrings", "sharedStrings.xml"),
        ("rId4", "styles", "styles.xml"),
    ]);
    let beside =
        relations(&[("rId1", "comments", "../comments1.xml"), ("rId2", "drawing", "../drawings/drawing1.xml")]);
    let chart = relations(&[("rId9", "chart", "../charts/chart1.xml")]);
    package(&[
        ("_rels/.rels", ROOT),
        ("docProps/core.xml", "<cp:coreProperties><dc:title>House &amp; home</dc:title></cp:coreProperties>"),
        (
            "xl/workbook.xml",
            r#"<workbook><workbookPr/><sheets><sheet name="Costs" sheetId="1" r:id="rId1"/>
            <sheet name="Old" sheetId="2" state="veryHidden" r:id="rId2"/></sheets></workbook>"#,
        ),
        ("xl/_rels/workbook.xml.rels", &links),
        (
            "xl/sharedStrings.xml",
            r#"<sst uniqueCount="4611686018427387904"><si><t>Item</t></si><si><r><rPr><b/></rPr><t>Ren</t></r>
            <r><t xml:space="preserve">t &#233;</t></r><rPh sb="0" eb="1"><t>reading</t></rPh></si><si/>
            <si><t>two_x000A_lines</t></si></sst>"#,
        ),
        (
            "xl/styles.xml",
            r##"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="d.m.yyyy"/>
            <numFmt numFmtId="165" formatCode="#,##0.00\ [$€-407]"/></numFmts>
            <cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="164"/>
            <xf numFmtId="165"><alignment/></xf><xf numFmtId="10"/></cellXfs></styleSheet>"##,
        ),
        ("xl/worksheets/sheet1.xml", first),
        ("xl/worksheets/sheet2.xml", second),
        ("xl/worksheets/_rels/sheet1.xml.rels", &beside),
        (
            "xl/comments1.xml",
            r#"<comments><authors><author>Ada</author></authors><commentList><comment ref="B4" authorId="0"><text>
            <r><t>Ada:</t></r><r><t xml:space="preserve">
ask the landlord</t></r></text></comment></commentList></comments>"#,
        ),
        (
            "xl/drawings/drawing1.xml",
            r#"<xdr:wsDr><xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:row>8</xdr:row></xdr:from><xdr:to>
            <xdr:row>20</xdr:row></xdr:to><xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2" name="Box" descr="a yellow box"/>
            </xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>Mind the </a:t></a:r><a:r><a:t>gap</a:t></a:r></a:p></xdr:txBody>
            </xdr:sp></xdr:twoCellAnchor><xdr:twoCellAnchor><xdr:from><xdr:row>11</xdr:row></xdr:from>
            <xdr:graphicFrame><c:chart r:id="rId9"/></xdr:graphicFrame></xdr:twoCellAnchor></xdr:wsDr>"#,
        ),
        ("xl/drawings/_rels/drawing1.xml.rels", &chart),
        (
            "xl/charts/chart1.xml",
            "<c:chartSpace><c:title><a:p><a:r><a:t>Costs a month</a:t></a:r></a:p></c:title><c:v>900</c:v></c:chartSpace>",
        ),
    ])
}

const FIRST: &str = r#"<worksheet><dimension ref="A1:XFD1048576"/><sheetData>
    <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>Cost</t></is></c><c r="C1" t="str"><f>A1</f><v>Since</v></c></row>
    <row r="4"><c r="A4" t="s"><v>1</v></c><c r="B4" s="2"><f>SUM(B1:B3)</f><v>1234.5</v></c><c r="C4" s="1"><v>40958</v></c>
    <c r="D4" t="b"><v>1</v></c><c r="E4" t="e"><v>#N/A</v></c><c r="F4" s="3"><v>0.195</v></c></row>
    <row r="5"><c r="A5" t="s"><v>3</v></c><c r="B5" t="s"><v>99</v></c><c r="C5" t="d"><v>2012-02-19T16:43:29</v></c></row>
    <row><c><v>6</v></c><c t="s"><v>0</v></c></row>
    </sheetData><mergeCells count="1"><mergeCell ref="A6:B6"/></mergeCells></worksheet>"#;

#[test]
fn a_workbook_reads_as_its_cells_show_it() {
    let second =
        r#"<x:worksheet><x:sheetData><x:row r="2"><x:c r="B2"><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>"#;
    let extracted = text("a.xlsx", &workbook(FIRST, second));
    assert_eq!(extracted.format, Format::Xlsx);
    assert_eq!(extracted.title.as_deref(), Some("House & home"));
    assert_eq!(
        placed(&extracted),
        [
            "sheet Costs row 1: Item|Cost|Since",
            "sheet Costs row 4: Rent é|1,234.50 €|2012-02-19|TRUE|#N/A|19.50%|Note B4: Ada: ask the landlord",
            "sheet Costs row 5: two lines||2012-02-19 16:43:29",
            "sheet Costs row 6: 6",
            "sheet Costs row 9: a yellow box|Mind the gap",
            "sheet Costs row 12: Costs a month",
            "sheet Old row 2: |7",
        ]
    );
    assert!(extracted.problems.is_empty(), "{:?}", extracted.problems);
}

#[test]
fn a_sheet_that_breaks_off_keeps_its_beginning() {
    let broken = r#"<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v><"#;
    let extracted = text("a.xlsx", &workbook(broken, ""));
    assert_eq!(placed(&extracted)[0], "sheet Costs row 1: 1");
    assert_eq!(extracted.problems[0].kind, ProblemKind::Damaged);
}

#[test]
fn an_empty_workbook_says_so() {
    let bytes = package(&[("_rels/.rels", ROOT), ("xl/workbook.xml", "<workbook/>")]);
    match extract("a.xlsx", &bytes) {
        Extraction::Skipped(problem) => assert_eq!(problem.kind, ProblemKind::Empty),
        other => panic!("{other:?}"),
    }
}

const CONTENT: &str = r#"<office:document-content><office:body><office:spreadsheet>
    <table:tracked-changes><table:cell-content-change><table:table-cell><text:p>was</text:p></table:table-cell></table:cell-content-change></table:tracked-changes>
    <table:table table:name="Eins">
    <table:shapes><draw:frame><draw:text-box><text:p>floating</text:p></draw:text-box></draw:frame></table:shapes>
    <table:table-row><table:table-cell office:value-type="string"><text:p>Name</text:p><text:p>full</text:p></table:table-cell>
    <table:table-cell office:value-type="string"><text:p>Born<text:s text:c="2"/>on</text:p></table:table-cell></table:table-row>
    <table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
    <table:table-row><table:table-cell office:value-type="string"><office:annotation><dc:creator>Ada</dc:creator>
    <dc:date>2020-01-01</dc:date><text:p>my aunt</text:p></office:annotation><text:p>Ida <text:a>Gale</text:a></text:p></table:table-cell>
    <table:table-cell office:value-type="date" office:date-value="1941-05-03"><text:p>3.5.41</text:p></table:table-cell>
    <table:table-cell office:value-type="percentage" office:value="0.5"><text:p>50,0 %</text:p></table:table-cell>
    <table:covered-table-cell><text:p>hidden</text:p></table:covered-table-cell>
    <table:table-cell table:number-columns-repeated="2" office:value-type="float" office:value="7"/></table:table-row>
    <table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
    </table:table><table:table table:name="Zwei" table:display="false"><table:table-row table:number-rows-repeated="2">
    <table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table>
    </office:spreadsheet></office:body></office:document-content>"#;

#[test]
fn an_open_document_reads_as_its_cells_show_it() {
    // The media type is stored, not packed: that is what tells the format.
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    writer.start_file("mimetype", stored).unwrap();
    writer.write_all(b"application/vnd.oasis.opendocument.spreadsheet").unwrap();
    writer.start_file("content.xml", SimpleFileOptions::default()).unwrap();
    writer.write_all(CONTENT.as_bytes()).unwrap();
    let extracted = text("a.ods", &writer.finish().unwrap().into_inner());
    assert_eq!(extracted.format, Format::Ods);
    assert_eq!(
        placed(&extracted),
        [
            "sheet Eins row 1: Name full|Born  on|floating",
            "sheet Eins row 5: Ida Gale|1941-05-03|50,0 %||7|7|Note: my aunt",
            "sheet Zwei row 1: x",
            "sheet Zwei row 2: x",
        ]
    );
}

/// A record of an old workbook.
fn record(number: u16, body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(body.len()).unwrap();
    [&number.to_le_bytes()[..], &length.to_le_bytes(), body].concat()
}

/// A cell's record: its row and column from 0, its style, its value.
fn cell(number: u16, row: u16, column: u16, style: u16, value: &[u8]) -> Vec<u8> {
    let place = [row, column, style].map(u16::to_le_bytes).concat();
    record(number, &[&place, value].concat())
}

/// An old workbook in its compound file.
fn old_workbook(sheet: &[u8], globals: &[u8]) -> Vec<u8> {
    let begin = record(0x0809, &[0x00, 0x06, 0x05, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let end = record(0x000A, &[]);
    let name = b"\x05\0Costs";
    let before = begin.len() + globals.len() + 4 + 6 + name.len() + end.len();
    let listed = [&u32::try_from(before).unwrap().to_le_bytes()[..], &[0, 0], name].concat();
    let stream = [begin.clone(), globals.to_vec(), record(0x0085, &listed), end.clone(), begin, sheet.to_vec(), end];
    let mut container = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    container.create_stream("/Workbook").unwrap().write_all(&stream.concat()).unwrap();
    container.into_inner().into_inner()
}

#[test]
fn an_old_workbook_reads_as_its_cells_show_it() {
    let format = |number: u16, code: &str| {
        let length = u16::try_from(code.len()).unwrap();
        record(0x041E, &[&number.to_le_bytes()[..], &length.to_le_bytes(), &[0], code.as_bytes()].concat())
    };
    let style = |format: u16| record(0x00E0, &[&[0, 0][..], &format.to_le_bytes(), &[0; 16]].concat());
    let strings = [&[2, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F][..], b"\x04\0\0Item", b"\x04\0\x01R\0e\0"].concat();
    let globals =
        [format(164, "d/m/yyyy"), style(0), style(164), style(10), record(0x00FC, &strings), record(0x003C, b"\0nt")]
            .concat();
    let note = [&[3u16, 0, 0, 7].map(u16::to_le_bytes).concat()[..], b"\0\0\0"].concat();
    let object = [0x15u16, 0x12, 0x19, 7].map(u16::to_le_bytes).concat();
    let text_object = [&[0; 10][..], &11u16.to_le_bytes(), &16u16.to_le_bytes(), &[0; 4]].concat();
    let many =
        [&[3u16, 1].map(u16::to_le_bytes).concat()[..], &[0, 0, 30, 0, 0, 0], &[2, 0, 0x0B, 0, 0, 0], &[2, 0]].concat();
    let text_formula = [0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0];
    let sheet = [
        cell(0x00FD, 0, 0, 0, &0u32.to_le_bytes()),
        cell(0x0204, 0, 1, 0, b"\x04\0\0Cost"),
        cell(0x00FD, 3, 0, 0, &1u32.to_le_bytes()),
        record(0x00BD, &many),
        cell(0x0203, 3, 3, 1, &40_958f64.to_le_bytes()),
        cell(0x0006, 3, 4, 0, &text_formula),
        record(0x0207, b"\x05\0\0words"),
        cell(0x0205, 3, 5, 0, &[1, 0]),
        cell(0x0205, 3, 6, 0, &[0x2A, 1]),
        cell(0x0203, 4, 1, 0, &5f64.to_le_bytes()),
        record(0x00E5, &[1, 0, 4, 0, 4, 0, 0, 0, 1, 0]),
        record(0x005D, &object),
        record(0x01B6, &text_object),
        record(0x003C, b"\0ask someone"),
        record(0x003C, &[0; 16]),
        record(0x001C, &note),
    ]
    .concat();
    let bytes = old_workbook(&sheet, &globals);
    let extracted = text("a.xls", &bytes);
    assert_eq!(extracted.format, Format::Xls);
    assert_eq!(
        placed(&extracted),
        [
            "sheet Costs row 1: Item|Cost",
            "sheet Costs row 4: Rent|7|2.00%|2012-02-19|words|TRUE|#N/A|Note A4: ask someone",
        ]
    );
    let secret = old_workbook(&sheet, &[record(0x002F, &[0; 6]), globals].concat());
    match extract("a.xls", &secret) {
        Extraction::Skipped(problem) => assert_eq!(problem.kind, ProblemKind::Encrypted),
        other => panic!("{other:?}"),
    }
}

/// A record of a binary workbook.
fn binary(number: u16, body: &[u8]) -> Vec<u8> {
    let low = u8::try_from(number & 0x7F).unwrap();
    let number = if number < 0x80 { vec![low] } else { vec![low | 0x80, u8::try_from(number >> 7).unwrap()] };
    [&number[..], &[u8::try_from(body.len()).unwrap()], body].concat()
}

fn wide(words: &str) -> Vec<u8> {
    let units: Vec<u8> = words.encode_utf16().flat_map(u16::to_le_bytes).collect();
    [&u32::try_from(units.len() / 2).unwrap().to_le_bytes()[..], &units].concat()
}

#[test]
fn a_binary_workbook_reads_as_its_cells_show_it() {
    let links = relations(&[
        ("rId1", "worksheet", "worksheets/sheet1.bin"),
        ("rId3", "sharedStrings", "sharedStrings.bin"),
        ("rId4", "styles", "styles.bin"),
    ]);
    let root = ROOT.replace("workbook.xml", "workbook.bin");
    let place = |column: u32, style: u32| [column.to_le_bytes(), style.to_le_bytes()].concat();
    let workbook = binary(156, &[&[0; 8][..], &wide("rId1"), &wide("Költség")].concat());
    let strings = binary(19, &[&[0][..], &wide("Item")].concat());
    let styles = [
        binary(44, &[&164u16.to_le_bytes()[..], &wide("0.0\" km\"")].concat()),
        binary(617, &[2, 0, 0, 0]),
        binary(47, &[0; 16]),
        binary(47, &[&[0, 0, 164, 0][..], &[0; 12]].concat()),
        binary(618, &[]),
    ]
    .concat();
    let sheet = [
        binary(0, &[&2u32.to_le_bytes()[..], &[0; 13]].concat()),
        binary(7, &[place(0, 0), 0u32.to_le_bytes().to_vec()].concat()),
        binary(9, &[place(1, 1), 12.34f64.to_le_bytes().to_vec(), vec![0; 10]].concat()),
        binary(6, &[place(2, 0), wide("inline")].concat()),
        binary(4, &[place(3, 0), vec![0]].concat()),
        binary(7, &[place(4, 0), 99u32.to_le_bytes().to_vec()].concat()),
    ]
    .concat();
    let links_bytes = links.as_bytes();
    let parts: [(&str, &[u8]); 6] = [
        ("_rels/.rels", root.as_bytes()),
        ("xl/workbook.bin", &workbook),
        ("xl/_rels/workbook.bin.rels", links_bytes),
        ("xl/sharedStrings.bin", &strings),
        ("xl/styles.bin", &styles),
        ("xl/worksheets/sheet1.bin", &sheet),
    ];
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    let extracted = text("a.xlsb", &writer.finish().unwrap().into_inner());
    assert_eq!(extracted.format, Format::Xlsb);
    assert_eq!(placed(&extracted), ["sheet Költség row 3: Item|12.3 km|inline|FALSE"]);
}

#[test]
fn workbooks_in_one_file_of_xml_are_told_by_their_words() {
    let excel = r#"<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
        <Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
        <Worksheet ss:Name="Report"><Table><Row><Cell><Data ss:Type="String">Name</Data></Cell></Row>
        <Row ss:Index="5"><Cell ss:MergeAcross="1"><Data ss:Type="DateTime">2012-02-19T00:00:00.000</Data></Cell>
        <Cell><Data ss:Type="Boolean">1</Data><Comment><ss:Data>why?</ss:Data></Comment></Cell>
        <Cell ss:Index="6"><Data ss:Type="Number">7.5</Data></Cell></Row></Table></Worksheet></Workbook>"#;
    let extracted = text("report.xls", excel.as_bytes());
    assert_eq!(extracted.format, Format::Xls);
    assert_eq!(
        placed(&extracted),
        ["sheet Report row 1: Name", "sheet Report row 5: 2012-02-19||TRUE|||7.5|Note C5: why?"]
    );
    let flat = CONTENT.replace(
        "<office:document-content>",
        r#"<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.spreadsheet">"#,
    );
    let extracted = text("a.fods", flat.as_bytes());
    assert_eq!(extracted.format, Format::Ods);
    assert_eq!(placed(&extracted)[2], "sheet Zwei row 1: x");
}

#[test]
fn bent_workbooks_end_in_an_answer() {
    let sheet = [cell(0x00FD, 0, 0, 0, &0u32.to_le_bytes()), cell(0x0204, 0, 1, 0, b"\x04\0\0Cost")].concat();
    let whole = old_workbook(&sheet, &record(0x00FC, b"\x01\0\0\0\x01\0\0\0\x04\0\0Item"));
    let start = whole.windows(4).position(|window| window == b"\x09\x08\x10\0").unwrap();
    for at in start..start + 160 {
        let mut bent = whole.clone();
        bent[at] ^= 0xFF;
        if let Extraction::Failed(problem) = extract("a.xls", &bent) {
            assert_ne!(problem.kind, ProblemKind::Crashed, "{at}");
        }
    }
    // A broken container still holds its workbook in one piece.
    let mut headless = whole.clone();
    headless[44..80].fill(0xEE);
    headless[..8].copy_from_slice(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1");
    assert!(
        !matches!(extract("a.xls", &headless), Extraction::Failed(problem) if problem.kind == ProblemKind::Crashed)
    );
}
