//! Every row of the sample files' table whose format is read.
//!
//! The table says of each file which phrase stands where, found with an independent tool.

use std::collections::BTreeMap;
use std::path::Path;

use bethink_core::{Extracted, Format, Locator, ProblemKind};
use bethink_extract::{Extraction, Extractor, ExtractorSettings, sniff};

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

fn page(extracted: &Extracted, number: u32) -> String {
    let mut text = String::new();
    for (position, mark) in extracted.marks.iter().enumerate() {
        if mark.locator == Locator::Page(number) {
            let end = extracted.marks.get(position + 1).map_or(extracted.text.len(), |next| next.offset);
            text.push_str(&extracted.text[mark.offset..end]);
        }
    }
    text
}

/// Whether the row holds, and whether it does at least somewhere in the text.
fn holds(row: &Row, extraction: &Extraction) -> (bool, bool) {
    let kind = match extraction {
        Extraction::Text(_) => None,
        Extraction::Skipped(problem) | Extraction::Failed(problem) => Some(problem.kind),
    };
    match (row.expect.as_str(), extraction) {
        ("any-no-crash", _) => (kind != Some(ProblemKind::Crashed), true),
        ("ok", Extraction::Text(extracted)) => {
            let phrase = folded(&row.phrase);
            let anywhere = folded(&extracted.text).contains(&phrase);
            let place = match row.locator.split_once('=') {
                Some(("line", number)) => folded(line(&extracted.text, number.parse().unwrap())).contains(&phrase),
                Some(("page", number)) => folded(&page(extracted, number.parse().unwrap())).contains(&phrase),
                _ => anywhere,
            };
            (place, anywhere)
        }
        // A row without a phrase: a format that is known and not read counts as told apart.
        ("ok", _) => (row.phrase.is_empty() && kind == Some(ProblemKind::Unsupported), false),
        (expect, _) => {
            let wanted = expect.split_once(':').map(|(_, reason)| reason);
            let skipped = kind.is_some_and(|kind| Some(kind.name()) == wanted);
            // A limit on unpacking cannot be reached by what unpacks nothing.
            let skipped = skipped || expect == "partial-or-skip:limit" && kind == Some(ProblemKind::Unsupported);
            let partial = expect.starts_with("partial") && matches!(extraction, Extraction::Text(_));
            (skipped || partial, skipped || partial)
        }
    }
}

#[test]
fn the_sample_files_yield_their_phrases_in_their_places() {
    let Some(folder) = shared::files() else { return };
    let extractor = Extractor::new(ExtractorSettings::default());
    let mut scores: BTreeMap<&'static str, (u32, u32, u32)> = BTreeMap::new();
    let mut missed = Vec::new();
    let mut extractions: BTreeMap<String, Extraction> = BTreeMap::new();
    for row in rows(&folder) {
        let path = folder.join(&row.path);
        let bytes = std::fs::read(&path).unwrap();
        let format = sniff(&bytes, path.extension().and_then(|extension| extension.to_str()));
        let is_nasty = row.path.starts_with("nasty/");
        if row.expect == "list-bounded" || !is_nasty && matches!(format, Format::Other(_)) {
            continue;
        }
        // Headings of notes are found by whoever cuts passages; headers and cells by the extractors of
        // mail and notebooks. To the reader of plain text they have no place.
        let is_structure = ["heading=", "header=", "body", "cell="].iter().any(|kind| row.locator.starts_with(kind));
        if is_structure && format != Format::Html {
            continue;
        }
        let extraction = extractions.entry(row.path.clone()).or_insert_with(|| extractor.extract(&path, &bytes));
        let (place, anywhere) = holds(&row, extraction);
        let name = if is_nasty { "nasty" } else { format.name() };
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
    let (place, rows) = scores.values().fold((0, 0), |sum, score| (sum.0 + score.0, sum.1 + score.2));
    println!("all: {place} of {rows}");
    assert!(place * 100 >= rows * 95, "{place} of {rows} rows hold");
}
