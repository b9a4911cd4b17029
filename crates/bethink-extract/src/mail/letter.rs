//! A message as a person sees it, and how it is written out.

use bethink_core::{Locator, Problem, ProblemKind};

use super::enclosure::Enclosure;
use crate::extraction::problem;
use crate::family::{Member, Outcome, Sink};
use crate::limits::Limits;
use crate::text::without_controls;

/// Most bytes of one header: a list of a few hundred recipients.
const FIELD_BYTES: usize = 16 << 10;

/// A message, whatever it was kept as.
#[derive(Debug, Default)]
pub(super) struct Letter {
    /// Its headers in the order they are shown, by the name a person knows.
    pub(super) fields: Vec<(&'static str, String)>,
    /// What is read of it.
    pub(super) body: String,
    /// Files that came with it.
    pub(super) enclosures: Vec<Enclosure>,
    /// What could not be read.
    pub(super) problems: Vec<Problem>,
}

/// Where a message stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It is the whole file: its headers are fields.
    Alone,
    /// It is the message of that number in a mailbox.
    Mailbox(u32),
}

impl Letter {
    /// Hands over a message that is a file of its own: its subject as title, its text, then its enclosures.
    pub(super) fn give(mut self, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        if self.is_empty() {
            return Outcome::Skipped(problem(ProblemKind::Empty, "the message says nothing"));
        }
        if let Some(subject) = self.value("Subject") {
            sink.title(subject.to_owned());
        }
        self.write_text(Place::Alone, sink);
        let mut outbox = Outbox::new(sink, limits);
        for file in self.enclosures {
            if !outbox.send("", file) {
                break;
            }
        }
        Outcome::Read
    }

    /// Adds a header, unless it says nothing.
    pub(super) fn field(&mut self, name: &'static str, value: &str) {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        if !value.is_empty() {
            let end = value.floor_char_boundary(FIELD_BYTES);
            self.fields.push((name, value[..end].to_owned()));
        }
    }

    /// The value of a header that was added.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Whether there is nothing in it at all.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.body.trim().is_empty() && self.enclosures.is_empty()
    }

    /// Writes its text. False: the sink is full.
    pub(super) fn write_text(&mut self, place: Place, sink: &mut dyn Sink) -> bool {
        let names: Vec<&str> =
            self.enclosures.iter().filter(|file| file.is_told()).map(|file| file.name.as_str()).collect();
        let names = names.join(", ");
        self.field("Attachments", &names);
        for problem in self.problems.drain(..) {
            sink.problem(problem);
        }
        if let Place::Mailbox(number) = place {
            sink.mark(Locator::Message(number));
        }
        for (name, value) in &self.fields {
            if place == Place::Alone {
                sink.mark(Locator::Field((*name).to_owned()));
            }
            if !sink.text(without_controls(format!("{name}: {value}\n"))) {
                return false;
            }
        }
        let body = tidy(&self.body);
        let gap = if self.fields.is_empty() || body.is_empty() && place == Place::Alone { "" } else { "\n" };
        let end = if place == Place::Alone || body.is_empty() { "" } else { "\n" };
        if !sink.text(gap.to_owned()) {
            return false;
        }
        if place == Place::Alone && !body.is_empty() {
            sink.mark(Locator::Line);
        }
        sink.text(body + end)
    }
}

/// A body without control characters and without blank lines at its ends or in rows of three.
fn tidy(body: &str) -> String {
    let clean = without_controls(body.replace("\r\n", "\n"));
    let mut tidy = String::with_capacity(clean.len());
    let mut blank = 0;
    for line in clean.split(['\n', '\r']).map(str::trim_end) {
        if line.is_empty() {
            blank += 1;
            continue;
        }
        if !tidy.is_empty() {
            (0..blank.min(2)).for_each(|_| tidy.push('\n'));
        }
        blank = 0;
        tidy.push_str(line);
        tidy.push('\n');
    }
    tidy
}

/// Hands out the files that came with messages, as far as the limits allow.
pub(super) struct Outbox<'a> {
    sink: &'a mut dyn Sink,
    limits: &'a Limits,
    sent: u32,
    wants_more: bool,
}

impl<'a> Outbox<'a> {
    pub(super) fn new(sink: &'a mut dyn Sink, limits: &'a Limits) -> Self {
        Self { sink, limits, sent: 0, wants_more: true }
    }

    /// Sends a file by its path. False: no more are taken.
    pub(super) fn send(&mut self, folder: &str, file: Enclosure) -> bool {
        if !self.wants_more {
            return false;
        }
        if self.sent >= self.limits.members {
            self.wants_more = false;
            let detail = format!("only the first {} attachments are taken", self.limits.members);
            self.sink.problem(problem(ProblemKind::Limit, detail));
            return false;
        }
        self.sent += 1;
        let bytes = match file.bytes {
            Ok(bytes) if bytes.len() > self.limits.member_bytes => {
                let detail = format!("larger than {} MiB; findable by name", self.limits.member_bytes >> 20);
                Err(problem(ProblemKind::Limit, detail))
            }
            bytes => bytes,
        };
        let path = format!("{folder}{}", file.name);
        self.wants_more = self.sink.member(Member { path, modified: file.modified, bytes });
        self.wants_more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_loses_its_margins_and_keeps_its_paragraphs() {
        assert_eq!(tidy("\r\n\r\nHello  \r\n\r\n\r\n\r\nWorld\x07\n> quoted\n\n"), "Hello\n\n\nWorld\n> quoted\n");
        assert_eq!(tidy(" \n \n"), "");
    }
}
