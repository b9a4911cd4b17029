//! The library that may be added to read PDF with, and what becomes of one that cannot be loaded.

use std::path::PathBuf;

use bethink_core::Locator;
use bethink_extract::{EXTRACTOR_VERSION, Extraction, Extractor, ExtractorSettings, Limits, PdfLibrary};

use crate::sample_pdf::pdf;
use crate::worker_program::program;

fn extractor(library: &PdfLibrary) -> Extractor {
    Extractor::new(ExtractorSettings {
        worker_command: Some((program(), Vec::new())),
        pdf_library: Some(library.clone()),
        limits: Limits::default(),
        pool_size: 1,
    })
}

fn read(extractor: &Extractor, bytes: &[u8]) -> (String, Vec<Locator>) {
    match extractor.extract("a.pdf".as_ref(), bytes) {
        Extraction::Text(extracted) => (extracted.text, extracted.marks.into_iter().map(|mark| mark.locator).collect()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_library_that_cannot_be_loaded_is_done_without() {
    let library = PdfLibrary { path: PathBuf::from("/no/such/libpdfium.so"), revision: 7 };
    assert!(!library.is_usable(&(program(), Vec::new())));
    let (text, places) = read(&extractor(&library), &pdf("", &["The tram climbs", "", "The hill sleeps"]));
    assert_eq!(text, "The tram climbs\nThe hill sleeps\n");
    assert_eq!(places, [Locator::Page(1), Locator::Page(3)]);
}

#[test]
fn what_a_library_reads_is_of_another_version() {
    let version = |revision: Option<u16>| {
        let pdf_library = revision.map(|revision| PdfLibrary { path: PathBuf::from("/a"), revision });
        let worker_command = Some((PathBuf::from("/worker"), Vec::new()));
        Extractor::new(ExtractorSettings { worker_command, pdf_library, ..ExtractorSettings::default() }).version()
    };
    assert_eq!(version(None), EXTRACTOR_VERSION);
    if cfg!(feature = "pdfium") {
        assert_ne!(version(Some(1)), version(None));
        assert_ne!(version(Some(1)), version(Some(2)));
    } else {
        assert_eq!(version(Some(1)), EXTRACTOR_VERSION);
    }
    // Without a worker there is nobody to load it.
    let pdf_library = Some(PdfLibrary { path: PathBuf::from("/a"), revision: 1 });
    let here = Extractor::new(ExtractorSettings { pdf_library, ..ExtractorSettings::default() });
    assert_eq!(here.version(), EXTRACTOR_VERSION);
}

/// With the library that `cargo xtask models` has put into the build cache, where it is.
#[cfg(feature = "pdfium")]
mod with_pdfium {
    use super::*;
    use crate::shared;

    fn library() -> Option<PdfLibrary> {
        let engines = std::env::home_dir()?.join(".cache/bethink/engines");
        let found = std::fs::read_dir(engines).ok().and_then(|mut entries| entries.next()?.ok());
        if found.is_none() {
            println!("skipped: there is no pdfium here; fetch it with: cargo xtask models");
        }
        Some(PdfLibrary { path: found?.path(), revision: 1 })
    }

    #[test]
    fn it_answers_from_inside_the_confinement() {
        let Some(library) = library() else { return };
        assert!(library.is_usable(&(program(), Vec::new())));
        let extractor = extractor(&library);
        let (text, places) = read(&extractor, &pdf("nothing", &["The tram climbs", "", "The hill sleeps"]));
        assert_eq!(text, "The tram climbs\nThe hill sleeps\n");
        assert_eq!(places, [Locator::Page(1), Locator::Page(3)]);
    }

    #[test]
    fn notes_titles_and_rotated_pages_are_read() {
        let (Some(library), Some(files)) = (library(), shared::files()) else { return };
        let extractor = extractor(&library);
        let text_of = |name: &str| read(&extractor, &std::fs::read(files.join("pdf").join(name)).unwrap()).0;
        assert!(text_of("testAnnotations.pdf").contains("Here is a comment"));
        assert!(text_of("testPDF_rotated.pdf").contains("sponsored by the Apache Lucene PMC"));
        assert!(text_of("testOptionalHyphen.pdf").contains("optionalhyphen"));
    }

    #[test]
    fn a_locked_file_is_told_as_such() {
        let (Some(library), Some(files)) = (library(), shared::files()) else { return };
        let bytes = std::fs::read(files.join("nasty/libreoffice-writer-password.pdf")).unwrap();
        match extractor(&library).extract("a.pdf".as_ref(), &bytes) {
            Extraction::Skipped(problem) => assert_eq!(problem.kind, bethink_core::ProblemKind::Encrypted),
            other => panic!("{other:?}"),
        }
    }
}
