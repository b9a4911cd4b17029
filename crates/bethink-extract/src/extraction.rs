//! What comes of one file, and how its pieces are put together.

use bethink_core::{Extracted, Format, Locator, Mark, Problem, ProblemKind};

use crate::family::{Member, Outcome, Sink};

/// What came of one file. Each of the three is an answer about the file, never an error of the
/// caller: `Skipped` says that there was nothing to read, `Failed` that there was and it could not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extraction {
    /// The text, perhaps with problems beside it.
    Text(Extracted),
    /// No text, for a reason that lies in the file (empty, binary, encrypted, an image, a format
    /// that is not read).
    Skipped(Problem),
    /// No text, since reading broke off (crashed, out of time, damaged).
    Failed(Problem),
}

impl Extraction {
    pub(crate) fn skipped(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self::Skipped(problem(kind, detail))
    }

    pub(crate) fn failed(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self::Failed(problem(kind, detail))
    }
}

/// What came of one file, and whether it ended its reader.
pub(crate) struct Reading {
    pub(crate) extraction: Extraction,
    /// The reader crashed, or did not end in its time.
    pub(crate) broke_off: bool,
}

impl From<Extraction> for Reading {
    fn from(extraction: Extraction) -> Self {
        Self { extraction, broke_off: false }
    }
}

/// A problem in one call.
pub(crate) fn problem(kind: ProblemKind, detail: impl Into<String>) -> Problem {
    Problem { kind, detail: detail.into() }
}

/// Problems kept of one file; the rest is counted. A PDF of thousands of broken pages should not
/// carry thousands of sentences.
const PROBLEMS_KEPT: usize = 16;

/// Marks kept of one file. Each costs some forty bytes; no document has a million pages or cells, but
/// a worker that was taken over could send one a character.
const MARKS_KEPT: usize = 1 << 20;

/// Gathers what a family yields into an [`Extraction`], and ends the reading at the cap on text.
pub(crate) struct Collector {
    extracted: Extracted,
    most_bytes: usize,
    full: bool,
    problems_dropped: usize,
}

impl Collector {
    pub(crate) fn new(format: Format, most_bytes: usize) -> Self {
        Self { extracted: Extracted { format, ..Extracted::default() }, most_bytes, full: false, problems_dropped: 0 }
    }

    /// Whether no character but white space has arrived.
    pub(crate) fn is_blank(&self) -> bool {
        self.extracted.text.trim_start().is_empty()
    }

    /// Whether anything at all has arrived.
    pub(crate) fn has_begun(&self) -> bool {
        self.extracted != Extracted { format: self.extracted.format, ..Extracted::default() }
    }

    /// The last page, slide or chapter that text arrived from.
    pub(crate) fn last_locator(&self) -> Option<&Locator> {
        self.extracted.marks.last().map(|mark| &mark.locator)
    }

    /// Closes the account. Text that arrived before a failure is kept, and the failure becomes a
    /// problem beside it.
    pub(crate) fn finish(mut self, outcome: Outcome) -> Extraction {
        if self.problems_dropped > 0 {
            let detail = format!("{} further places had problems like these", self.problems_dropped);
            self.extracted.problems.push(problem(ProblemKind::Damaged, detail));
        }
        match outcome {
            Outcome::Read => Extraction::Text(self.extracted),
            Outcome::Skipped(reason) | Outcome::Failed(reason) if !self.is_blank() => {
                self.extracted.problems.push(reason);
                Extraction::Text(self.extracted)
            }
            Outcome::Skipped(reason) => Extraction::Skipped(reason),
            Outcome::Failed(reason) => Extraction::Failed(reason),
        }
    }
}

impl Sink for Collector {
    fn title(&mut self, title: String) {
        self.extracted.title = Some(title);
    }

    fn mark(&mut self, locator: Locator) {
        let offset = self.extracted.text.len();
        let marks = &mut self.extracted.marks;
        let room = marks.len() < MARKS_KEPT;
        match marks.last_mut() {
            Some(last) if last.offset == offset => last.locator = locator,
            _ if room => marks.push(Mark { offset, locator }),
            _ => {}
        }
    }

    fn text(&mut self, mut text: String) -> bool {
        if self.full {
            return false;
        }
        let room = self.most_bytes - self.extracted.text.len();
        if text.len() > room {
            text.truncate(text.floor_char_boundary(room));
            self.full = true;
            let detail = format!("only the first {} MiB of its text are read", self.most_bytes >> 20);
            self.extracted.problems.push(problem(ProblemKind::Limit, detail));
        }
        if self.extracted.text.is_empty() {
            self.extracted.text = text;
        } else {
            self.extracted.text.push_str(&text);
        }
        !self.full
    }

    fn member(&mut self, _: Member) -> bool {
        // Members go past the collector to whoever asked for them; nobody did.
        false
    }

    fn problem(&mut self, problem: Problem) {
        if self.extracted.problems.len() < PROBLEMS_KEPT {
            self.extracted.problems.push(problem);
        } else {
            self.problems_dropped += 1;
        }
    }
}

/// A collector for the text of a source, and a taker of its members.
pub(crate) struct WithMembers<'a> {
    pub(crate) collector: &'a mut Collector,
    pub(crate) take: &'a mut dyn FnMut(Member) -> bool,
}

impl Sink for WithMembers<'_> {
    fn title(&mut self, title: String) {
        self.collector.title(title);
    }

    fn mark(&mut self, locator: Locator) {
        self.collector.mark(locator);
    }

    fn text(&mut self, text: String) -> bool {
        self.collector.text(text)
    }

    fn problem(&mut self, problem: Problem) {
        self.collector.problem(problem);
    }

    fn member(&mut self, member: Member) -> bool {
        (self.take)(member)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_past_the_cap_is_cut_on_a_character_border_and_said() {
        let mut collector = Collector::new(Format::Text, 4);
        assert!(collector.text("ab".to_owned()));
        assert!(!collector.text("ééé".to_owned()));
        assert!(!collector.text("more".to_owned()));
        let Extraction::Text(extracted) = collector.finish(Outcome::Read) else { panic!("text was expected") };
        assert_eq!(extracted.text, "abé");
        assert_eq!(extracted.problems[0].kind, ProblemKind::Limit);
    }

    #[test]
    fn what_was_read_before_a_failure_is_kept() {
        let mut collector = Collector::new(Format::Pdf, 100);
        collector.mark(Locator::Page(1));
        collector.text("first page".to_owned());
        let outcome = Outcome::Failed(problem(ProblemKind::Crashed, "broke off"));
        let Extraction::Text(extracted) = collector.finish(outcome) else { panic!("text was expected") };
        assert_eq!(extracted.text, "first page");
        assert_eq!(extracted.problems[0].kind, ProblemKind::Crashed);
    }

    #[test]
    fn a_mark_without_text_gives_way_to_the_next() {
        let mut collector = Collector::new(Format::Pdf, 100);
        collector.mark(Locator::Page(1));
        collector.mark(Locator::Page(2));
        collector.text("second".to_owned());
        let Extraction::Text(extracted) = collector.finish(Outcome::Read) else { panic!("text was expected") };
        assert_eq!(extracted.marks, [Mark { offset: 0, locator: Locator::Page(2) }]);
    }
}
