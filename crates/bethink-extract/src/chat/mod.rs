//! Exports of chats: who said what and when, one message a paragraph.
//!
//! A file is recognised by its shape (`dialect`), and read message by message or conversation by
//! conversation, so that an export of two hundred megabytes is never in memory as a tree. Times that the
//! export gives as seconds are shown in UTC, since the same bytes should yield the same text everywhere;
//! times that it writes out are shown as it writes them.

mod agent;
mod assistant;
mod clock;
mod dialect;
mod discord;
mod messenger;
mod slack;
mod telegram;
mod transcript;
mod whatsapp;

use bethink_core::{Format, ProblemKind};

pub(crate) use dialect::Dialect;

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::json::{Ending, Value};
use crate::limits::Limits;
use crate::text::without_controls;
use crate::xml::decoded;
use transcript::Transcript;

/// Bytes at the head of a file that tell its dialect.
const HEAD_BYTES: usize = 64 << 10;

/// Reads chats.
pub(crate) struct ChatFamily;

impl Family for ChatFamily {
    fn reads(&self, format: Format) -> bool {
        format == Format::Chat
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, _: &Limits, sink: &mut dyn Sink) -> Outcome {
        let text = decoded(source.bytes);
        let text = text.trim_start_matches('\u{feff}');
        let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
        let Some(dialect) = Dialect::of(head.trim_start()) else {
            sink.text(without_controls(text.to_owned()));
            return Outcome::Read;
        };
        if dialect == Dialect::WhatsApp {
            return whatsapp::read(text, sink);
        }
        let mut transcript = Transcript::new(sink);
        let ending = match dialect {
            Dialect::ChatGpt | Dialect::Claude => assistant::read(text, dialect, &mut transcript),
            Dialect::Slack => slack::read(text, &mut transcript),
            Dialect::Discord => discord::read(text, &mut transcript),
            Dialect::Telegram => telegram::read(text, &mut transcript),
            Dialect::Messenger | Dialect::GoogleChat => messenger::read(text, dialect, &mut transcript),
            Dialect::Agent | Dialect::WhatsApp => agent::read(text, &mut transcript),
        };
        let messages = transcript.finish();
        match ending {
            Ending::Whole if messages > 0 => Outcome::Read,
            Ending::Whole => Outcome::Skipped(problem(ProblemKind::Empty, "the export holds no messages")),
            Ending::Broken => {
                if messages == 0 {
                    sink.text(without_controls(text.to_owned()));
                }
                Outcome::Skipped(problem(ProblemKind::Damaged, "the export breaks off; the rest is not read"))
            }
        }
    }

    fn entries(&self) -> Vec<FormatEntry> {
        vec![FormatEntry {
            name: "chat",
            detected_by: "keys of ChatGPT, Claude, Claude Code, Codex, Slack, Discord, Telegram, Messenger, Instagram \
                          and Google Chat; line heads of WhatsApp",
            locator: "message, heading (conversation)",
            lost: "pictures, reactions, calls, what tools printed beyond a few lines",
            limits: "64 MiB of text",
        }]
    }
}

/// The texts under a key of each object of an array.
fn texts<'a>(value: Option<&'a Value>, key: &'a str) -> impl Iterator<Item = &'a str> {
    let items = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(move |item| item.get(key).and_then(Value::as_str)).filter(|text| !text.is_empty())
}
