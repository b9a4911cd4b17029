//! What became of a document's pages, and what is said about it.

use bethink_core::ProblemKind;

use crate::extraction::problem;
use crate::family::{Outcome, Sink};

/// Counts how the pages fared.
#[derive(Default)]
pub(super) struct Census {
    /// Pages with text.
    pub(super) with_text: u32,
    pictures: PageRanges,
    blank: u32,
    failures: PageRanges,
    /// Pages that failed since the last that did not.
    pub(super) failed_in_a_row: u32,
}

impl Census {
    /// A page without words, with or without a picture.
    pub(super) fn wordless(&mut self, number: u32, picture: bool) {
        if picture {
            self.pictures.push(number);
        } else {
            self.blank += 1;
        }
    }

    /// A page that no reader could read.
    pub(super) fn failed(&mut self, number: u32) {
        self.failures.push(number);
        self.failed_in_a_row += 1;
    }

    /// Says what was met, and how it ended.
    pub(super) fn outcome(self, sink: &mut dyn Sink) -> Outcome {
        if self.with_text > 0 {
            if !self.pictures.is_empty() {
                let detail = format!("{} shown as pictures without text", self.pictures);
                sink.problem(problem(ProblemKind::ImageOnly, detail));
            }
            if !self.failures.is_empty() {
                sink.problem(problem(ProblemKind::Damaged, format!("{} broken and left out", self.failures)));
            }
            return Outcome::Read;
        }
        if !self.failures.is_empty() && self.pictures.is_empty() {
            return Outcome::Failed(problem(ProblemKind::Damaged, "none of its pages could be read"));
        }
        if !self.pictures.is_empty() {
            let detail = "its pages are pictures; there is no text layer to read";
            return Outcome::Skipped(problem(ProblemKind::ImageOnly, detail));
        }
        Outcome::Skipped(problem(ProblemKind::Empty, "its pages hold no text"))
    }
}

/// Page numbers, told as ranges.
#[derive(Default)]
struct PageRanges(Vec<(u32, u32)>);

impl PageRanges {
    fn push(&mut self, number: u32) {
        match self.0.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => self.0.push((number, number)),
        }
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Display for PageRanges {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        /// Ranges named; a sentence stays a sentence.
        const NAMED: usize = 8;
        let single = matches!(self.0.as_slice(), [(first, last)] if first == last);
        formatter.write_str(if single { "page " } else { "pages " })?;
        for (position, (first, last)) in self.0.iter().take(NAMED).enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            if first == last {
                write!(formatter, "{separator}{first}")?;
            } else {
                write!(formatter, "{separator}{first}–{last}")?;
            }
        }
        if self.0.len() > NAMED {
            formatter.write_str(" and more")?;
        }
        formatter.write_str(if single { " is" } else { " are" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_numbers_are_told_as_a_person_would() {
        let told = |numbers: &[u32]| {
            let mut ranges = PageRanges::default();
            numbers.iter().for_each(|number| ranges.push(*number));
            ranges.to_string()
        };
        assert_eq!(told(&[4]), "page 4 is");
        assert_eq!(told(&[1, 2, 3, 7]), "pages 1–3, 7 are");
        assert!(told(&(0..20).map(|number| number * 2).collect::<Vec<_>>()).ends_with("14 and more are"));
    }
}
