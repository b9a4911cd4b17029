//! A format family: how files of one build are read. The seam that new formats are added at.

use bethink_core::{Format, Locator, Problem, ProblemKind, UnixMillis};

use crate::format_entry::FormatEntry;
use crate::limits::Limits;

/// Every family, in the order that the table of formats shows them. A new one is a folder with an
/// implementation of [`Family`] and a line here.
pub(crate) const FAMILIES: &[&dyn Family] = &[
    &crate::text::TextFamily,
    &crate::html::HtmlFamily,
    &crate::pdf::PdfFamily,
    &crate::container::ContainerFamily,
    &crate::mail::MailFamily,
    &crate::book::BookFamily,
    &crate::notebook::NotebookFamily,
    &crate::subtitle::SubtitleFamily,
    &crate::record::RecordFamily,
    &crate::chat::ChatFamily,
    &crate::bookmarks::BookmarksFamily,
    &crate::evernote::EvernoteFamily,
    &crate::media::MediaFamily,
    &crate::sheet::SheetFamily,
    &crate::ooxml::OoxmlFamily,
    &crate::opendocument::OpenDocumentFamily,
    &crate::rtf::RtfFamily,
    &crate::binary_office::BinaryOfficeFamily,
    &crate::iwork::IworkFamily,
    &crate::onenote::OneNoteFamily,
];

/// Reads the files of some formats.
pub(crate) trait Family: Sync {
    /// Whether files of this format are its own.
    fn reads(&self, format: Format) -> bool;

    /// Where its code may run.
    fn isolation(&self) -> Isolation;

    /// Most bytes of text that it may yield under these limits.
    fn most_text_bytes(&self, limits: &Limits) -> usize {
        limits.text_bytes
    }

    /// Reads a source into the sink, piece by piece and in order, so that what was read before a
    /// crash or a limit is not lost. Must end soon after the sink says that it is full.
    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome;

    /// Its rows in the table of formats.
    fn entries(&self) -> Vec<FormatEntry>;
}

/// Where a family's code may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Isolation {
    /// A linear scan in memory-safe code: in the calling process.
    Here,
    /// A parser that cannot be vouched for, in memory or in time: in a worker process under limits.
    Worker,
}

/// The bytes to read and what is known about them.
pub(crate) struct Source<'a> {
    /// The whole file.
    pub(crate) bytes: &'a [u8],
    /// What sniffing decided.
    pub(crate) format: Format,
    /// The file's name without its folders, for formats that keep the name of what they wrap outside
    /// themselves (`notes.txt.gz`).
    pub(crate) name: &'a str,
}

impl<'a> Source<'a> {
    /// The bytes that are read, with a word to the sink where more stand behind them. `part` says of what:
    /// ` of the page`, or nothing.
    pub(crate) fn head(&self, most_bytes: usize, part: &str, sink: &mut dyn Sink) -> &'a [u8] {
        match self.bytes.get(..most_bytes) {
            Some(head) if head.len() < self.bytes.len() => {
                let detail = format!("only the first {} MiB{part} are read", most_bytes >> 20);
                sink.problem(Problem { kind: ProblemKind::Limit, detail });
                head
            }
            _ => self.bytes,
        }
    }
}

/// A file inside a source: an archive's member, a mail's attachment. It becomes a document of its own,
/// read by whoever reads its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its path inside, as the source writes it; cleaned by whoever receives it.
    pub(crate) path: String,
    /// When it was last changed, where the source says so.
    pub(crate) modified: Option<UnixMillis>,
    /// Its bytes, or why they are not to be had (encrypted, larger than a member may be); such a member
    /// is still findable by name.
    pub(crate) bytes: Result<Vec<u8>, Problem>,
}

/// Takes what a family reads.
pub(crate) trait Sink {
    /// The source's own title.
    fn title(&mut self, title: String);
    /// What follows stands at this place.
    fn mark(&mut self, locator: Locator);
    /// The next stretch of text. False: the sink is full, stop.
    fn text(&mut self, text: String) -> bool;
    /// Something was met and survived.
    fn problem(&mut self, problem: Problem);
    /// A file inside the source. False: no more are taken, stop.
    fn member(&mut self, member: Member) -> bool;
}

/// How a reading ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Through to the end or to a limit; the text may be empty of words.
    Read,
    /// There is nothing to read.
    Skipped(Problem),
    /// It broke off.
    Failed(Problem),
}

/// The family that reads a format.
pub(crate) fn family_of(format: Format) -> Option<&'static dyn Family> {
    FAMILIES.iter().copied().find(|family| family.reads(format))
}
