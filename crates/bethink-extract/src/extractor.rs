//! The door: one call a file, shared by every thread that indexes.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use bethink_core::{Format, ProblemKind};

use crate::extraction::{Collector, Extraction, problem};
use crate::family::{Family, Isolation, Outcome, Source, family_of};
use crate::limits::Limits;
use crate::sniff;
use crate::worker::Pool;

/// How an [`Extractor`] works.
#[derive(Debug, Clone, Default)]
pub struct ExtractorSettings {
    /// The program, with its arguments, that calls [`crate::worker_main`]. Without one, every format
    /// is read in the calling process: panics are still caught, but a hang, a stack overflow or a
    /// balloon is not. That is for tests and for callers that are workers themselves.
    pub worker_command: Option<(PathBuf, Vec<OsString>)>,
    /// What one file may cost.
    pub limits: Limits,
    /// Most workers alive at once; zero means one.
    pub pool_size: usize,
}

/// Turns bytes into text. Calls may come from many threads; each waits for a worker of its own only
/// when its file needs one.
pub struct Extractor {
    limits: Limits,
    pool: Option<Pool>,
}

impl Extractor {
    /// An extractor with these settings. Starts nothing: a worker is started with the first file
    /// that needs one.
    pub fn new(settings: ExtractorSettings) -> Self {
        let limits = settings.limits;
        let pool = settings.worker_command.map(|command| Pool::new(command, limits, settings.pool_size.max(1)));
        Self { limits, pool }
    }

    /// Reads the text of a file. The path serves for its name alone, to tell lookalikes apart;
    /// nothing is opened.
    pub fn extract(&self, path: &Path, bytes: &[u8]) -> Extraction {
        if bytes.is_empty() {
            return Extraction::skipped(ProblemKind::Empty, "the file has no bytes");
        }
        let format = match catch_unwind(AssertUnwindSafe(|| sniff::sniff_whole(bytes, path))) {
            Ok(format) => format,
            Err(_) => return crashed(),
        };
        let Some(family) = family_of(format) else { return sniff::unread(format, bytes) };
        let source = Source { bytes, format };
        match &self.pool {
            Some(pool) if family.isolation() == Isolation::Worker => pool.read(family, &source),
            _ => read_here(family, &source, &self.limits),
        }
    }
}

/// Reads in this process, with panics caught.
pub(crate) fn read_here(family: &dyn Family, source: &Source<'_>, limits: &Limits) -> Extraction {
    let mut collector = Collector::new(source.format, family.most_text_bytes(limits));
    let outcome = catch_unwind(AssertUnwindSafe(|| family.read(source, limits, &mut collector)))
        .unwrap_or_else(|_| Outcome::Failed(problem(ProblemKind::Crashed, CRASHED)));
    collector.finish(outcome)
}

/// The sentence for a panic.
pub(crate) const CRASHED: &str = "reading it crashed the reader; the file is findable by name";

fn crashed() -> Extraction {
    Extraction::failed(ProblemKind::Crashed, CRASHED)
}

/// The format named in a request; the names are those of [`Format::name`].
pub(crate) fn readable_format(name: &str) -> Option<Format> {
    Format::from_name(name).filter(|format| family_of(*format).is_some())
}
