//! The door: one call a file, shared by every thread that indexes.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use bethink_core::{Format, ProblemKind};

use crate::EXTRACTOR_VERSION;
use crate::allowance::Allowance;
use crate::extraction::{Collector, Extraction, Reading, WithMembers, problem};
use crate::family::{Family, Isolation, Member, Outcome, Source, family_of};
use crate::limits::Limits;
use crate::member::{MemberFile, MemberNames, MemberVisitor};
use crate::sniff;
use crate::worker::{Meter, PdfLibrary, Pool};

/// Where a library's revision stands in a version: above all that [`EXTRACTOR_VERSION`] will ever be.
const LIBRARY_SHIFT: u32 = 16;

/// How an [`Extractor`] works.
#[derive(Debug, Clone, Default)]
pub struct ExtractorSettings {
    /// The program, with its arguments, that calls [`crate::worker_main`]. Without one, every format
    /// is read in the calling process: panics are still caught, but a hang, a stack overflow or a
    /// balloon is not. That is for tests and for callers that are workers themselves.
    pub worker_command: Option<(PathBuf, Vec<OsString>)>,
    /// A library that workers read PDF with, beside the reader that is built in. Without workers, or in
    /// a program that was built without the feature, it is left alone.
    pub pdf_library: Option<PdfLibrary>,
    /// What one file may cost.
    pub limits: Limits,
    /// Most workers alive at once; zero means one. While containers are open, as many again a level of
    /// nesting.
    pub pool_size: usize,
}

/// Turns bytes into text. Calls may come from many threads; each waits for a worker of its own only
/// when its file needs one.
pub struct Extractor {
    limits: Limits,
    version: u32,
    /// One pool a level of nesting: a worker that unpacks waits while its members are read, and would
    /// wait for ever if they needed a worker of its own pool.
    pools: Vec<Pool>,
}

impl Extractor {
    /// An extractor with these settings. Starts nothing: a worker is started with the first file
    /// that needs one.
    pub fn new(settings: ExtractorSettings) -> Self {
        let limits = settings.limits;
        let size = settings.pool_size.max(1);
        let library = settings.pdf_library.filter(|_| cfg!(feature = "pdfium") && settings.worker_command.is_some());
        let pools = settings.worker_command.map_or_else(Vec::new, |(program, mut arguments)| {
            arguments.extend(library.iter().flat_map(PdfLibrary::arguments));
            let command = (program, arguments);
            (0..=limits.nesting).map(|_| Pool::new(command.clone(), limits, size)).collect()
        });
        let revision = library.map_or(0, |library| u32::from(library.revision));
        Self { limits, version: EXTRACTOR_VERSION | revision << LIBRARY_SHIFT, pools }
    }

    /// Differs whenever the same bytes would yield other text: [`EXTRACTOR_VERSION`], and the library
    /// that PDF is read with.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The same extractor, which tells what each file cost its worker.
    #[doc(hidden)]
    #[must_use]
    pub fn metered(mut self, meter: &Meter) -> Self {
        self.pools.iter_mut().for_each(|pool| pool.meter = Some(Meter::clone(meter)));
        self
    }

    /// Reads the text of a file. The path serves for its name alone, to tell lookalikes apart;
    /// nothing is opened. Files inside it are left out.
    pub fn extract(&self, path: &Path, bytes: &[u8]) -> Extraction {
        self.extract_at(0, path, bytes, &mut |_| false).extraction
    }

    /// [`Self::extract`] that also reads the files inside: an archive's members, a mail's attachments,
    /// down to the limit on nesting. The visitor meets each before it is read and once it has been, in
    /// the order of the source, members of members right behind their container.
    pub fn extract_with_members(&self, path: &Path, bytes: &[u8], visitor: &mut dyn MemberVisitor) -> Extraction {
        let allowance = Allowance::new(&self.limits, bytes.len());
        let inside = Inside { extractor: self, prefix: String::new(), depth: 1, allowance: &allowance };
        inside.extract(path, bytes, visitor).extraction
    }

    /// Reads a file at a level of nesting, handing over what is inside.
    fn extract_at(&self, depth: u32, path: &Path, bytes: &[u8], take: &mut dyn FnMut(Member) -> bool) -> Reading {
        if bytes.is_empty() {
            return Extraction::skipped(ProblemKind::Empty, "the file has no bytes").into();
        }
        let format = match catch_unwind(AssertUnwindSafe(|| sniff::sniff_whole(bytes, path))) {
            Ok(format) => format,
            Err(_) => return crashed(),
        };
        let Some(family) = family_of(format) else { return sniff::unread(format, bytes).into() };
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let source = Source { bytes, format, name: &name };
        match usize::try_from(depth).ok().and_then(|depth| self.pools.get(depth)) {
            Some(pool) if family.isolation() == Isolation::Worker => pool.read(family, &source, take),
            _ => read_here(family, &source, &self.limits, take),
        }
    }
}

/// The inside of one container.
struct Inside<'a> {
    extractor: &'a Extractor,
    /// What stands before the paths of its members: empty, or the container's own path inside the
    /// outermost one and the separator.
    prefix: String,
    /// The members' level of nesting.
    depth: u32,
    /// What all that is inside the outermost file may still come to.
    allowance: &'a Allowance,
}

impl Inside<'_> {
    /// Reads the container itself, and its members by the way.
    fn extract(&self, path: &Path, bytes: &[u8], visitor: &mut dyn MemberVisitor) -> Reading {
        let mut names = MemberNames::default();
        let mut cut_short = None;
        let mut take = |member: Member| {
            if self.depth > self.extractor.limits.nesting {
                let detail = format!("containers inside containers are opened {} deep", self.extractor.limits.nesting);
                cut_short = Some(problem(ProblemKind::Limit, detail));
                return false;
            }
            let Some(name) = names.name(&member.path) else { return true };
            let size = member.bytes.as_ref().map_or(0, Vec::len);
            let goes_on = self.allowance.admit(size) && self.meet(format!("{}{name}", self.prefix), member, visitor);
            cut_short = self.allowance.spent();
            goes_on && cut_short.is_none()
        };
        let mut reading = self.extractor.extract_at(self.depth - 1, path, bytes, &mut take);
        if let (Some(reason), Extraction::Text(extracted)) = (cut_short, &mut reading.extraction) {
            if extracted.text.trim().is_empty() {
                reading.extraction = Extraction::Skipped(reason);
            } else {
                extracted.problems.push(reason);
            }
        }
        reading
    }

    /// Reads one member. False: the visitor wants no more.
    fn meet(&self, path: String, member: Member, visitor: &mut dyn MemberVisitor) -> bool {
        let Member { modified, bytes, .. } = member;
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(reason) => {
                return visitor.read(MemberFile {
                    path,
                    modified,
                    bytes: &[],
                    extraction: Extraction::Skipped(reason),
                });
            }
        };
        if !visitor.admits(&path, &bytes) {
            return true;
        }
        let inner = Inside {
            extractor: self.extractor,
            prefix: format!("{path}{}", bethink_core::MEMBER_SEPARATOR),
            depth: self.depth + 1,
            allowance: self.allowance,
        };
        let reading = inner.extract(Path::new(&path), &bytes, visitor);
        if reading.broke_off {
            self.allowance.note_broken();
        }
        visitor.read(MemberFile { path, modified, bytes: &bytes, extraction: reading.extraction })
    }
}

/// Reads in this process, with panics caught.
fn read_here(
    family: &dyn Family,
    source: &Source<'_>,
    limits: &Limits,
    take: &mut dyn FnMut(Member) -> bool,
) -> Reading {
    let mut collector = Collector::new(source.format, family.most_text_bytes(limits));
    let mut sink = WithMembers { collector: &mut collector, take };
    match catch_unwind(AssertUnwindSafe(|| family.read(source, limits, &mut sink))) {
        Ok(outcome) => collector.finish(outcome).into(),
        Err(_) => {
            let outcome = Outcome::Failed(problem(ProblemKind::Crashed, CRASHED));
            Reading { extraction: collector.finish(outcome), broke_off: true }
        }
    }
}

/// The sentence for a panic.
pub(crate) const CRASHED: &str = "reading it crashed the reader; the file is findable by name";

fn crashed() -> Reading {
    Reading { extraction: Extraction::failed(ProblemKind::Crashed, CRASHED), broke_off: true }
}

/// The format named in a request; the names are those of [`Format::name`].
pub(crate) fn readable_format(name: &str) -> Option<Format> {
    Format::from_name(name).filter(|format| family_of(*format).is_some())
}
