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
