//! What the write path asks of extraction, so that tests can count, fail and age it.

use std::path::Path;

use bethink_core::{Extracted, Problem, ProblemKind, catch};
use bethink_extract::{Extraction, Extractor, MemberVisitor};
use bethink_store::{NewContent, Reading};
use bethink_text::{CUTTER_VERSION, cut};

use crate::rules::private_key;

/// Turns bytes into text.
pub trait Extracting: Sync {
    /// The text of a file, or why there is none. The path serves for its name alone.
    fn extract(&self, path: &Path, bytes: &[u8]) -> Extraction;

    /// [`Self::extract`] that also hands over the files inside, each read, in the order of the source.
    fn extract_with_members(&self, path: &Path, bytes: &[u8], visitor: &mut dyn MemberVisitor) -> Extraction {
        let _ = visitor;
        self.extract(path, bytes)
    }

    /// Differs whenever the same bytes would give another text.
    fn version(&self) -> u32;
}

impl Extracting for Extractor {
    fn extract(&self, path: &Path, bytes: &[u8]) -> Extraction {
        Extractor::extract(self, path, bytes)
    }

    fn extract_with_members(&self, path: &Path, bytes: &[u8], visitor: &mut dyn MemberVisitor) -> Extraction {
        Extractor::extract_with_members(self, path, bytes, visitor)
    }

    fn version(&self) -> u32 {
        Extractor::version(self)
    }
}

/// Reads bytes to the end of what can be done without the store: text, cut into passages. The visitor
/// meets what is inside.
pub(crate) fn reading_of(
    extracting: &dyn Extracting,
    path: &Path,
    bytes: Vec<u8>,
    visitor: &mut dyn MemberVisitor,
) -> Reading {
    // A file must not be able to end the run of the others, whatever it does to a parser.
    let extraction = catch(|| extracting.extract_with_members(path, &bytes, visitor));
    // The bytes are let go before the text is cut, so that a giant file is not held twice.
    drop(bytes);
    match extraction {
        Ok(extraction) => cut_reading(extraction, extracting.version()),
        Err(_) => crashed("the extractor failed on this file"),
    }
}

/// What an extraction means to the store: its text, cut into passages, or why there is none.
pub(crate) fn cut_reading(extraction: Extraction, extractor_version: u32) -> Reading {
    let extracted = match extraction {
        Extraction::Text(extracted) => extracted,
        Extraction::Skipped(Problem { kind, detail }) => return Reading::Skipped { kind, detail },
        Extraction::Failed(Problem { kind, detail }) => {
            return Reading::Failed { kind, detail, keep_earlier: false };
        }
    };
    match catch(|| cut(&extracted)) {
        Ok(passages) if passages.is_empty() => {
            Reading::Skipped { kind: ProblemKind::Empty, detail: "The file has no text.".to_owned() }
        }
        Ok(passages) => {
            let Extracted { format, title, text, problems, .. } = extracted;
            Reading::Text(NewContent {
                format,
                title,
                text,
                passages,
                problems,
                extractor_version,
                cutter_version: CUTTER_VERSION,
            })
        }
        Err(_) => crashed("the text of this file could not be cut into passages"),
    }
}

/// What is recorded of a file that holds a private key. It goes without a hash of its bytes.
pub(crate) fn secret_reading() -> Reading {
    let detail = format!("It {}, and is never read.", private_key::REASON);
    Reading::Skipped { kind: ProblemKind::Unsupported, detail }
}

fn crashed(detail: &str) -> Reading {
    Reading::Failed { kind: ProblemKind::Crashed, detail: detail.to_owned(), keep_earlier: false }
}
