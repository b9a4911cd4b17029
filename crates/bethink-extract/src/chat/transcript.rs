//! The one form that messages of every export take: `Speaker, 2024-05-01 12:30: text`.
//!
//! The text of a transcript is Markdown whose headings are the conversations' titles. What people and
//! assistants wrote is Markdown as well, but its headings belong to one message and not to the next: they
//! become bold lines, and a fence that a message leaves open ends with it.

use bethink_core::Locator;

use crate::family::Sink;
use crate::text::without_controls;

/// Bytes of a name or title that are kept.
const NAME_BYTES: usize = 200;

/// Writes messages to a sink.
pub(super) struct Transcript<'a> {
    sink: &'a mut dyn Sink,
    /// Messages so far.
    messages: u32,
    /// Conversations so far that had a title.
    titles: u32,
    /// The last of their titles.
    title: Option<String>,
    /// Written in front of the next message.
    heading: Option<String>,
    full: bool,
}

impl<'a> Transcript<'a> {
    pub(super) fn new(sink: &'a mut dyn Sink) -> Self {
        Self { sink, messages: 0, titles: 0, title: None, heading: None, full: false }
    }

    /// A conversation begins. Without messages it leaves no trace.
    pub(super) fn conversation(&mut self, title: &str) {
        let title = one_line(title);
        self.heading = (!title.is_empty()).then_some(title);
    }

    /// A message. False: the sink is full.
    pub(super) fn message(&mut self, speaker: &str, time: Option<String>, text: &str) -> bool {
        let text = text.trim();
        if text.is_empty() || self.full {
            return !self.full;
        }
        self.messages = self.messages.saturating_add(1);
        self.sink.mark(Locator::Message(self.messages));
        let mut paragraph = String::with_capacity(text.len() + 64);
        if let Some(title) = self.heading.take() {
            paragraph.push_str(&format!("# {title}\n\n"));
            self.titles += 1;
            self.title = Some(title);
        }
        let speaker = one_line(speaker);
        match (speaker.is_empty(), time) {
            (false, Some(time)) => paragraph.push_str(&format!("{speaker}, {time}: ")),
            (false, None) => paragraph.push_str(&format!("{speaker}: ")),
            (true, Some(time)) => paragraph.push_str(&format!("{time}: ")),
            (true, None) => {}
        }
        push_body(&mut paragraph, text);
        paragraph.push_str("\n\n");
        self.full = !self.sink.text(without_controls(paragraph));
        !self.full
    }

    /// Whether the sink takes no more.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// Closes the transcript; tells how many messages there were. The title of the only conversation is
    /// the file's; of several, none is.
    pub(super) fn finish(self) -> u32 {
        if let Some(title) = self.title.filter(|_| self.titles == 1) {
            self.sink.title(without_controls(title));
        }
        self.messages
    }
}

fn one_line(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.truncate(line.floor_char_boundary(NAME_BYTES));
    line
}

/// Writes what was said so that it cannot reach beyond its message.
fn push_body(paragraph: &mut String, text: &str) {
    // Markup that must begin a line does so.
    if text.starts_with(['#', '`', '|', '>', '-', '*', '~', '1']) && text.contains('\n') {
        paragraph.truncate(paragraph.trim_end().len());
        paragraph.push('\n');
    }
    let mut fence: Option<&str> = None;
    let mut blank_above = true;
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            paragraph.push('\n');
        }
        let trimmed = line.trim_start();
        let mark = fence_mark(trimmed);
        if let Some(open) = fence {
            paragraph.push_str(line);
            if mark.is_some_and(|mark| mark.starts_with(open)) && trimmed.trim_end() == mark.unwrap_or_default() {
                fence = None;
            }
            continue;
        }
        if mark.is_some_and(|mark| mark.starts_with('~') || !trimmed[mark.len()..].contains('`')) {
            fence = mark;
            paragraph.push_str(line);
            continue;
        }
        let hashes = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        let title = trimmed[hashes..].trim();
        let is_rule =
            !trimmed.is_empty() && !blank_above && trimmed.trim_end().bytes().all(|byte| matches!(byte, b'-' | b'='));
        if (1..=6).contains(&hashes) && trimmed[hashes..].starts_with([' ', '\t']) {
            let title = title.trim_end_matches('#').trim_end();
            let bold = title.is_empty() || title.contains("**");
            paragraph.push_str(&if bold { title.to_owned() } else { format!("**{title}**") });
        } else if is_rule {
            // Below a line, a row of dashes would make a heading of it.
            paragraph.push_str("* * *");
        } else {
            paragraph.push_str(line);
        }
        blank_above = trimmed.is_empty();
    }
    if let Some(open) = fence {
        paragraph.push('\n');
        paragraph.push_str(open);
    }
}

/// The run of marks that a line opens or closes a fence with.
fn fence_mark(trimmed: &str) -> Option<&str> {
    let mark = *trimmed.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let run = trimmed.bytes().take_while(|byte| *byte == mark).count();
    (run >= 3).then(|| &trimmed[..run])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str) -> String {
        let mut paragraph = "Ana: ".to_owned();
        push_body(&mut paragraph, text);
        paragraph
    }

    #[test]
    fn headings_of_a_message_become_bold_lines() {
        assert_eq!(body("## Steps ##\n#tag\none\n---\ntwo"), "Ana:\n**Steps**\n#tag\none\n* * *\ntwo");
        assert_eq!(body("# **Bold**\n\n---\n"), "Ana:\n**Bold**\n\n---");
        assert_eq!(body("# alone"), "Ana: **alone**");
    }

    #[test]
    fn fences_end_with_their_message_and_keep_what_is_in_them() {
        assert_eq!(body("look:\n```sh\n# kept\n"), "Ana: look:\n```sh\n# kept\n```");
        assert_eq!(body("````\n```\n# kept\n````\n# no"), "Ana:\n````\n```\n# kept\n````\n**no**");
    }
}
