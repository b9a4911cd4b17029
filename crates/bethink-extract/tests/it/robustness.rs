//! Files that nobody meant: random, cut, spliced, huge. No panic escapes and no file hangs.

use std::path::Path;

use bethink_core::{Format, Locator, ProblemKind};
use bethink_extract::{Extraction, Extractor, ExtractorSettings, Limits, sniff};
use proptest::prelude::*;

use crate::sample_pdf::pdf;
use crate::shared;

fn extractor() -> Extractor {
    Extractor::new(ExtractorSettings::default())
}

/// What every extraction promises its reader.
#[track_caller]
pub fn assert_sound(extraction: &Extraction) {
    let Extraction::Text(extracted) = extraction else { return };
    let text = &extracted.text;
    assert!(!text.contains('\0'));
    let mut last = None;
    for mark in &extracted.marks {
        assert!(text.is_char_boundary(mark.offset));
        assert!(last.is_none_or(|last| last < mark.offset), "marks ascend");
        last = Some(mark.offset);
    }
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

/// A small generator of its own, so that a failing mutation can be made again from its number.
pub struct Mutations(pub u64);

impl Mutations {
    pub fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below.max(1)
    }

    pub fn mutate(&mut self, bytes: &[u8], other: &[u8]) -> Vec<u8> {
        let mut mutant = bytes.to_vec();
        match self.next(4) {
            0 => mutant.truncate(self.next(bytes.len())),
            1 => {
                for _ in 0..=self.next(20) {
                    let at = self.next(mutant.len());
                    mutant[at] ^= 1 << self.next(8);
                }
            }
            2 => {
                let from = self.next(other.len());
                let to = from + self.next(other.len() - from);
                let at = self.next(mutant.len());
                mutant.splice(at..at, other[from..to].iter().copied());
            }
            _ => {
                let at = self.next(mutant.len());
                let end = at + self.next(mutant.len() - at);
                mutant.drain(at..end);
            }
        }
        mutant
    }
}

#[test]
fn mutated_samples_are_survived_in_process() {
    let Some(folder) = shared::files() else { return };
    let mut samples = Vec::new();
    for kind in ["html", "md", "org", "rst", "txt", "csv", "json", "xml", "toml", "py", "nasty", "docx", "doc", "zip"] {
        for entry in std::fs::read_dir(folder.join(kind)).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            if !bytes.is_empty() {
                samples.push((path, bytes));
            }
        }
    }
    let extractor = extractor();
    for number in 0..600 {
        let mut mutations = Mutations(number);
        let (path, bytes) = &samples[mutations.next(samples.len())];
        let (_, other) = &samples[mutations.next(samples.len())];
        let mutant = mutations.mutate(bytes, other);
        let extension = path.extension().and_then(|extension| extension.to_str());
        // PDF belongs into a worker; its mutations are tried there.
        if sniff(&mutant, extension) == Format::Pdf {
            continue;
        }
        let extraction = extractor.extract(path, &mutant);
        assert_sound(&extraction);
        if let Extraction::Failed(problem) = extraction {
            assert_ne!(problem.kind, ProblemKind::Crashed, "mutation {number} of {}", path.display());
        }
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
