//! Every row of the sample files' table.
//!
//! The table says of each file which phrase stands where, found with an independent tool.

use std::collections::BTreeMap;
use std::path::Path;

use bethink_core::{Extracted, Locator, ProblemKind};
use bethink_extract::{Extraction, Extractor, ExtractorSettings, MemberFile, MemberVisitor, sniff};

use crate::shared;

struct Row {
    path: String,
    expect: String,
    phrase: String,
    locator: String,
}

fn rows(folder: &Path) -> Vec<Row> {
    let table = std::fs::read_to_string(folder.join("EXPECT.tsv")).unwrap();
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    let rows = table.lines().skip(1).map(cells);
    rows.map(|mut row| {
        row.resize(4, String::new());
        let [path, expect, phrase, locator] = row.try_into().unwrap();
        Row { path, expect, phrase, locator }
    })
    .collect()
}

/// Both sides of the comparison: compatibility forms, without invisible characters, case and white
/// space folded.
fn folded(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    let invisible = |character: &char| matches!(u32::from(*character), 0x200B..=0x200F | 0x202A..=0x202E | 0x2066..=0x2069 | 0xFEFF);
    let kept: String = text.nfkc().filter(|character| !invisible(character)).collect();
    kept.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn line(text: &str, number: usize) -> &str {
    let mut rest = text;
    let mut current = 1;
    loop {
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        if current == number {
            return &rest[..end];
        }
        let Some(terminator) = rest.get(end..).filter(|rest| !rest.is_empty()) else { return "" };
        rest = &terminator[if terminator.starts_with("\r\n") { 2 } else { 1 }..];
        current += 1;
    }
}

/// The text of every stretch whose place is wanted.
fn stretches(extracted: &Extracted, wanted: impl Fn(&Locator) -> bool) -> String {
    let mut text = String::new();
    for (position, mark) in extracted.marks.iter().enumerate() {
        if wanted(&mark.locator) {
            let end = extracted.marks.get(position + 1).map_or(extracted.text.len(), |next| next.offset);
            text.push_str(&extracted.text[mark.offset..end]);
            text.push('\n');
        }
    }
    text
}

/// The lines under a heading, by the last part of its path. The table has the words of headings and lines
/// from a reader that drops marks of emphasis and code, so they are dropped here as well.
fn under_heading(extracted: &Extracted, path: &str) -> String {
    let wanted = folded(&unmarked(path.rsplit(" > ").next().unwrap()));
    let trails = bethink_text::HeadingTrails::of(extracted);
    let under = bethink_text::lines(&extracted.text)
        .filter(|line| trails.at(line.start).last().is_some_and(|last| folded(&unmarked(last)) == wanted));
    under.map(|line| unmarked(&extracted.text[line])).collect()
}

fn unmarked(text: &str) -> String {
    text.replace(['*', '`', '~'], "")
}

/// The text of the unit that a row's locator names.
fn unit(extracted: &Extracted, locator: &str) -> String {
    let number = |number: &str| number.parse::<u32>().unwrap();
    let field = |name: &str| {
        let named = |field: &str| field.eq_ignore_ascii_case(name);
        stretches(extracted, |locator| matches!(locator, Locator::Field(field) if named(field)))
    };
    match locator.split_once('=') {
        Some(("line", line_number)) => line(&extracted.text, line_number.parse().unwrap()).to_owned(),
        Some(("page", page)) => stretches(extracted, |locator| *locator == Locator::Page(number(page))),
        Some(("slide", slide)) => stretches(extracted, |locator| *locator == Locator::Slide(number(slide))),
        Some(("cell", cell)) => stretches(extracted, |locator| *locator == Locator::Cell(number(cell))),
        Some(("sheet", place)) => {
            let (name, row) = place.rsplit_once(";row=").unwrap();
            let place = Locator::Sheet { name: name.to_owned(), row: number(row) };
            stretches(extracted, |locator| *locator == place)
        }
        Some(("heading", path)) => under_heading(extracted, path),
        Some(("header" | "exif" | "tag", name)) => field(name),
        _ if locator == "duration_s" => field("duration"),
        _ => extracted.text.clone(),
    }
}

/// What came of a sample file: itself, and the paths of what is inside.
struct Sample {
    extraction: Extraction,
    members: Vec<String>,
}

impl MemberVisitor for Sample {
    fn admits(&mut self, path: &str, _: &[u8]) -> bool {
        self.members.push(path.to_owned());
        false
    }

    fn read(&mut self, member: MemberFile<'_>) -> bool {
        self.members.push(member.path);
        true
    }
}

/// Whether the row holds, and whether it does at least somewhere in the text.
fn holds(row: &Row, sample: &Sample) -> (bool, bool) {
    let extraction = &sample.extraction;
    let kind = match extraction {
        Extraction::Text(_) => None,
        Extraction::Skipped(problem) | Extraction::Failed(problem) => Some(problem.kind),
    };
    let phrase = folded(&row.phrase);
    match (row.expect.as_str(), extraction) {
        ("any-no-crash" | "list-bounded", _) => (kind != Some(ProblemKind::Crashed), true),
        ("ok", _) if matches!(row.locator.as_str(), "member" | "attachment") => {
            // A folder is found by what is in it.
            let found = sample.members.iter().any(|path| folded(path).contains(&phrase));
            (found, found)
        }
        ("ok", Extraction::Text(extracted)) => {
            let anywhere = folded(&extracted.text).contains(&phrase);
            let place = folded(&unit(extracted, &row.locator)).contains(&phrase);
            (place, place || anywhere)
        }
        ("ok", _) => (false, false),
        (expect, _) => {
            let wanted = expect.split_once(':').map(|(_, reason)| reason);
            let skipped = kind.is_some_and(|kind| Some(kind.name()) == wanted);
            let partial = expect.starts_with("partial") && matches!(extraction, Extraction::Text(_));
            (skipped || partial, skipped || partial)
        }
    }
}

#[test]
fn the_sample_files_yield_their_phrases_in_their_places() {
    let Some(folder) = shared::files() else { return };
    let extractor = Extractor::new(ExtractorSettings::default());
    // By format: rows in place, rows found anywhere, rows.
    let mut scores: BTreeMap<&'static str, (u32, u32, u32)> = BTreeMap::new();
    let mut missed = Vec::new();
    let mut samples: BTreeMap<String, Sample> = BTreeMap::new();
    for row in rows(&folder) {
        let path = folder.join(&row.path);
        let bytes = std::fs::read(&path).unwrap();
        let format = sniff(&bytes, path.extension().and_then(|extension| extension.to_str()));
        let sample = samples.entry(row.path.clone()).or_insert_with(|| {
            let mut sample = Sample { extraction: extractor.extract(&path, &bytes), members: Vec::new() };
            extractor.extract_with_members(&path, &bytes, &mut sample);
            sample
        });
        let (place, anywhere) = holds(&row, sample);
        let name = if row.path.starts_with("nasty/") { "nasty" } else { format.name() };
        let score = scores.entry(name).or_default();
        score.0 += u32::from(place);
        score.1 += u32::from(anywhere);
        score.2 += 1;
        if !place {
            missed.push((format!("{} {} {} {:?}", row.path, row.expect, row.locator, row.phrase), anywhere));
        }
    }
    for (format, (place, anywhere, rows)) in &scores {
        println!("{format}: {place} of {rows} in place, {anywhere} anywhere");
    }
    for (row, anywhere) in &missed {
        println!("missed{}: {row}", if *anywhere { " in place" } else { "" });
    }
    let sum = |part: fn(&(u32, u32, u32)) -> u32| scores.values().map(part).sum::<u32>();
    let (place, anywhere, rows) = (sum(|score| score.0), sum(|score| score.1), sum(|score| score.2));
    println!("all: {place} of {rows} in place, {anywhere} anywhere");
    assert!(anywhere * 100 >= rows * 97, "{anywhere} of {rows} rows hold anywhere");
    assert!(place * 100 >= rows * 95, "{place} of {rows} rows hold in place");
}
