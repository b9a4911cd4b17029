//! Mail: single messages, mailboxes, Outlook's messages, and saved web pages, which are mail by build.
//!
//! A message reads as its headers, one a line, then what a person would read of it: the plain text where
//! there is one worth reading, else the page. Quoted replies stay. Attachments and forwarded messages become
//! documents of their own, behind the text, so that the text is whole whoever wants them. What a signature or
//! Outlook's `winmail.dat` is wrapped around is read as if it were not.

mod body;
mod enclosure;
mod header;
mod letter;
mod mailbox;
mod mime;
mod outlook;
pub(crate) mod signed;
pub(crate) mod tnef;
mod word;

use bethink_core::Format;

use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;

pub(crate) use mailbox::is_separator;

/// Reads mail.
pub(crate) struct MailFamily;

impl Family for MailFamily {
    fn reads(&self, format: Format) -> bool {
        matches!(format, Format::Email | Format::Mhtml | Format::Mailbox | Format::Msg)
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        match source.format {
            Format::Mailbox => mailbox::read(source.bytes, limits, sink),
            Format::Mhtml => mime::read_page_archive(source.bytes, sink),
            Format::Msg => outlook::read(source.bytes, limits, sink),
            _ => mime::read(source.bytes, limits, sink),
        }
    }

    fn entries(&self) -> Vec<FormatEntry> {
        const LIMITS: &str = "192 MiB of the file, 64 MiB of text, 50,000 attachments, 128 MiB an attachment";
        let entry = |name, detected_by, locator, lost| FormatEntry { name, detected_by, locator, lost, limits: LIMITS };
        vec![
            entry(
                "eml",
                "two or more of mail's headers at the top; extension",
                "field, line of the extracted text; attachments are members",
                "headers of transport, signatures' validity, encrypted bodies",
            ),
            entry(
                "mbox",
                "a `From ` line with a date before headers",
                "message; attachments are members below its number",
                "headers of transport, encrypted bodies",
            ),
            entry(
                "msg",
                "names of the compound file's streams",
                "field, line of the extracted text; attachments are members",
                "named properties but categories, encrypted bodies",
            ),
            entry("mhtml", "headers of a related page; extension", "line of the extracted text, heading", "pictures"),
        ]
    }
}
