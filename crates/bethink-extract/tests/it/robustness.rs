//! Files that nobody meant: random, cut, spliced, huge. No panic escapes and no file hangs.

use std::path::Path;

use bethink_core::{Locator, ProblemKind};
use bethink_extract::fuzzing::assert_sound;
use bethink_extract::{Extraction, Extractor, ExtractorSettings, Limits};
use proptest::prelude::*;

use crate::sample_pdf::pdf;

fn extractor() -> Extractor {
    Extractor::new(ExtractorSettings::default())
}

#[track_caller]
fn assert_kind(extraction: &Extraction, kind: ProblemKind) {
    match extraction {
        Extraction::Skipped(problem) | Extraction::Failed(problem) => {
            assert_eq!(problem.kind, kind, "{}", problem.detail)
        }
        Extraction::Text(_) => panic!("no text was expected"),
    }
}

proptest! {
    #[test]
    fn random_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..2000), extension in "(txt|html|md|json|xml|csv|xls|docx|)") {
        let path = Path::new("file").with_extension(extension);
        let extraction = extractor().extract(&path, &bytes);
        assert_sound(&extraction);
    }

    #[test]
    fn plain_text_keeps_its_lines(lines in prop::collection::vec("[ -~äöü漢字]{0,20}", 1..20), terminator in "(\r\n|\n|\r)") {
        let text = lines.join(&terminator);
        prop_assume!(!text.trim().is_empty());
        let Extraction::Text(extracted) = extractor().extract(Path::new("a.rs"), text.as_bytes()) else {
            return Err(TestCaseError::fail("no text"));
        };
        prop_assert_eq!(extracted.text, text);
    }
}

#[test]
fn awkward_documents_have_their_reasons() {
    let extractor = extractor();
    let read = |bytes: &[u8]| extractor.extract(Path::new("x.pdf"), bytes);
    assert_kind(&extractor.extract(Path::new("x.md"), b""), ProblemKind::Empty);
    assert_kind(&extractor.extract(Path::new("x.md"), b" \n\t\n"), ProblemKind::Empty);
    assert_kind(&read(&pdf("", &[])), ProblemKind::Empty);
    assert_kind(&read(&pdf("", &["", ""])), ProblemKind::Empty);
    assert_kind(&read(b"%PDF-1.4\nnothing follows"), ProblemKind::Damaged);
    assert_kind(&extractor.extract(Path::new("x.html"), b"<script>only</script>"), ProblemKind::Empty);
    assert_kind(&extractor.extract(Path::new("x.md"), b"\x7fELF\x02\x01\x01\0\0\0\0\0\0"), ProblemKind::Binary);
    assert_kind(&extractor.extract(Path::new("x.pdf"), b"PK\x03\x04\x14\0\0\0"), ProblemKind::Damaged);
}

#[test]
fn a_document_of_many_pages_is_read_up_to_its_limit() {
    let pages = vec!["word"; 300];
    let limits = Limits { pages: 200, ..Limits::default() };
    let extractor = Extractor::new(ExtractorSettings { limits, ..ExtractorSettings::default() });
    let Extraction::Text(extracted) = extractor.extract(Path::new("x.pdf"), &pdf("", &pages)) else {
        panic!("no text")
    };
    assert_eq!(extracted.marks.last().map(|mark| &mark.locator), Some(&Locator::Page(200)));
    assert_eq!(extracted.problems[0].kind, ProblemKind::Limit);
}

#[test]
fn a_long_line_is_one_line() {
    let line = "Zm9vYmFy".repeat(1 << 17);
    let Extraction::Text(extracted) = extractor().extract(Path::new("x.txt"), line.as_bytes()) else {
        panic!("no text")
    };
    assert_eq!(extracted.text, line);
}

#[test]
fn plain_text_past_its_limit_is_cut_and_said() {
    let limits = Limits { plain_bytes: 6, ..Limits::default() };
    let extractor = Extractor::new(ExtractorSettings { limits, ..ExtractorSettings::default() });
    let Extraction::Text(extracted) = extractor.extract(Path::new("x.txt"), "grüße\n".as_bytes()) else {
        panic!("no text")
    };
    assert_eq!(extracted.text, "grüß");
    assert_eq!(extracted.problems[0].kind, ProblemKind::Limit);
}
