//! Files inside files, and places inside documents, by the command.

use bethink_testkit::zip_of;

use crate::sandbox::Sandbox;

#[test]
fn a_member_is_found_read_and_explained_under_its_containers_path() {
    let sandbox = Sandbox::new();
    let inner = zip_of(&[("deep.txt", b"a walrus at the bottom\n")]);
    let letter = b"# Anna\n\nthe ocelot sleeps\n";
    sandbox.write("old/a.zip", zip_of(&[("letters/anna.md", letter), ("inner.zip", &inner)]));
    sandbox.index();
    assert_eq!(sandbox.grep("ocelot"), ["old/a.zip!/letters/anna.md"]);
    assert_eq!(sandbox.grep("walrus"), ["old/a.zip!/inner.zip!/deep.txt"]);
    assert_eq!(sandbox.hits(&["find", "anna"]), ["old/a.zip!/letters/anna.md"]);
    assert_eq!(sandbox.hits(&["grep", "--in", "old", "walrus"]).len(), 1);
    let read = sandbox.run(&["read", "old/a.zip!/letters/anna.md:3"]);
    assert!(read.code == 0 && read.stdout.contains("the ocelot sleeps"), "{read:?}");
    let why = sandbox.run(&["doctor", "--why", "old/a.zip!/letters/anna.md"]);
    assert_eq!(why.code, 0, "{why:?}");
    let why = sandbox.run(&["doctor", "--why", "old/a.zip!/nothing.md"]);
    assert!(why.code == 1 && why.stdout.contains("no such file"), "{why:?}");
}

#[test]
fn a_member_can_be_read_before_anything_is_indexed() {
    let sandbox = Sandbox::new();
    let inner = zip_of(&[("deep.txt", b"a walrus at the bottom\n")]);
    sandbox.write("a.zip", zip_of(&[("one.txt", b"one\n"), ("inner.zip", &inner)]));
    let read = sandbox.run(&["read", "a.zip!/inner.zip!/deep.txt"]);
    assert!(read.code == 0 && read.stdout.contains("walrus"), "{read:?}");
    let missing = sandbox.run(&["read", "a.zip!/two.txt"]);
    assert_eq!(missing.code, 2, "{missing:?}");
}

#[test]
fn a_hit_in_a_sheet_names_its_own_row() {
    let sandbox = Sandbox::new();
    let rows: String = (1..=40)
        .map(|row| {
            let animal = if row == 23 { "ocelot" } else { "cat" };
            format!("<row r=\"{row}\"><c r=\"A{row}\" t=\"inlineStr\"><is><t>{animal} {row}</t></is></c><c r=\"B{row}\"><v>{row}</v></c></row>")
        })
        .collect();
    let sheet = format!(
        "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>{rows}</sheetData></worksheet>"
    );
    let workbook = "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
        xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets>\
        <sheet name=\"Animals\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>";
    let relations = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
        <Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" \
        Target=\"worksheets/sheet1.xml\"/></Relationships>";
    let types = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"></Types>";
    let root = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
        <Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" \
        Target=\"xl/workbook.xml\"/></Relationships>";
    let parts: [(&str, &[u8]); 5] = [
        ("[Content_Types].xml", types.as_bytes()),
        ("_rels/.rels", root.as_bytes()),
        ("xl/workbook.xml", workbook.as_bytes()),
        ("xl/_rels/workbook.xml.rels", relations.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
    ];
    sandbox.write("animals.xlsx", zip_of(&parts));
    sandbox.index();
    let hit = &sandbox.run(&["grep", "--json", "ocelot"]).json()[0];
    assert_eq!(hit["locator"].as_str(), Some("sheet Animals row 23"), "{hit}");
    let line = hit["line"].as_u64().unwrap();
    let place = format!("animals.xlsx:{line}");
    let lines = sandbox.run(&["read", "--json", &place]).json();
    let row = lines.iter().find(|line| line["text"].as_str().is_some_and(|text| text.contains("ocelot"))).unwrap();
    assert_eq!((&row["locator"], &row["line"]), (&hit["locator"], &hit["line"]));
    // Rows that follow each other need no line of their own that says so.
    let read = sandbox.run(&["read", &place]);
    assert_eq!(read.stdout.matches("sheet Animals row").count(), 1, "{read:?}");
}

#[test]
fn a_hit_names_the_heading_of_its_line() {
    let sandbox = Sandbox::new();
    sandbox.write("short.md", "# Trees\n\nOaks.\n\n## Birds\n\nAn ocelot in a nest.\n");
    sandbox.index();
    let hit = &sandbox.run(&["grep", "--json", "ocelot"]).json()[0];
    assert_eq!(hit["heading"], serde_json::json!(["Trees", "Birds"]), "{hit}");
}
