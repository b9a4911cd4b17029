//! Evernote's exports (ENEX): each note under its title, with its tags and dates; what was attached
//! becomes documents of its own.

use bethink_core::{Format, ProblemKind, UnixMillis};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Member, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::html::read_page;
use crate::limits::Limits;
use crate::text::without_controls;
use crate::xml::{Piece, decoded, walk};

/// Bytes of a title that are kept.
const TITLE_BYTES: usize = 500;

/// Reads exported notes.
pub(crate) struct EvernoteFamily;

impl Family for EvernoteFamily {
    fn reads(&self, format: Format) -> bool {
        format == Format::Evernote
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        let text = decoded(source.bytes);
        let mut reader = Reader {
            sink,
            most_bytes: limits.member_bytes,
            open: None,
            note: Note::default(),
            title: String::new(),
            notes: 0,
            members: true,
            full: false,
        };
        let whole = walk(&text, &mut |piece| {
            reader.piece(piece);
            !reader.full
        });
        // A note that the file breaks off in is written as far as it goes.
        reader.write();
        let Reader { notes, title, .. } = reader;
        if notes == 1 && !title.is_empty() {
            sink.title(without_controls(title));
        }
        if !whole {
            sink.problem(problem(ProblemKind::Damaged, "the export breaks off; the notes before are read"));
        }
        if notes == 0 {
            return Outcome::Skipped(problem(ProblemKind::Empty, "the export holds no notes"));
        }
        Outcome::Read
    }

    fn entries(&self) -> Vec<FormatEntry> {
        vec![FormatEntry {
            name: "enex",
            detected_by: "root element en-export",
            locator: "heading (note's title), line of the extracted text",
            lost: "encrypted stretches, handwriting, styles",
            limits: "64 MiB of text; attachments as members",
        }]
    }
}

/// One note as it is read.
#[derive(Default)]
struct Note {
    title: String,
    content: String,
    tags: Vec<String>,
    created: String,
    updated: String,
    address: String,
    data: String,
    file_name: String,
    kind: String,
}

/// What the characters to come belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Title,
    Content,
    Tag,
    Created,
    Updated,
    Address,
    Data,
    FileName,
    Kind,
}

struct Reader<'a> {
    sink: &'a mut dyn Sink,
    most_bytes: usize,
    open: Option<Part>,
    note: Note,
    /// The last title.
    title: String,
    notes: u32,
    /// Whether members are still taken.
    members: bool,
    full: bool,
}

impl Reader<'_> {
    fn piece(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Start("note", _) => self.note = Note::default(),
            Piece::Start(name, _) => {
                self.open = Some(match name {
                    "title" => Part::Title,
                    "content" => Part::Content,
                    "tag" => {
                        self.note.tags.push(String::new());
                        Part::Tag
                    }
                    "created" => Part::Created,
                    "updated" => Part::Updated,
                    "source-url" => Part::Address,
                    "data" => Part::Data,
                    "file-name" => Part::FileName,
                    "mime" => Part::Kind,
                    _ => {
                        self.open = None;
                        return;
                    }
                });
            }
            Piece::Text(text) => self.text(text),
            Piece::End("note") => self.write(),
            Piece::End("resource") => self.attachment(),
            Piece::End(_) => self.open = None,
        }
    }

    fn text(&mut self, text: &str) {
        let note = &mut self.note;
        let (target, most) = match self.open {
            None => return,
            Some(Part::Content) => (&mut note.content, self.most_bytes),
            // Base64 takes four characters for three bytes.
            Some(Part::Data) => (&mut note.data, self.most_bytes / 3 * 4 + 4096),
            Some(Part::Title) => (&mut note.title, TITLE_BYTES),
            Some(Part::Tag) => match note.tags.last_mut() {
                Some(tag) => (tag, TITLE_BYTES),
                None => return,
            },
            Some(Part::Created) => (&mut note.created, TITLE_BYTES),
            Some(Part::Updated) => (&mut note.updated, TITLE_BYTES),
            Some(Part::Address) => (&mut note.address, TITLE_BYTES),
            Some(Part::FileName) => (&mut note.file_name, TITLE_BYTES),
            Some(Part::Kind) => (&mut note.kind, TITLE_BYTES),
        };
        let room = most.saturating_sub(target.len());
        target.push_str(&text[..text.floor_char_boundary(room.min(text.len()))]);
    }

    /// Writes the note that has been read, if there is one.
    fn write(&mut self) {
        self.open = None;
        let note = std::mem::take(&mut self.note);
        if (note.title.trim().is_empty() && note.content.trim().is_empty()) || self.full {
            return;
        }
        self.notes += 1;
        self.title = note.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = if self.title.is_empty() { "Untitled" } else { &self.title };
        let mut text = format!("# {title}\n\n");
        let tags = note.tags.iter().map(|tag| tag.trim()).filter(|tag| !tag.is_empty()).collect::<Vec<_>>().join(", ");
        let created = minute(&note.created).unwrap_or_default();
        for (name, value) in [("Tags", tags.as_str()), ("Created", &created), ("Source", note.address.trim())] {
            if !value.is_empty() {
                text.push_str(&format!("{name}: {value}\n"));
            }
        }
        let page = read_page(&note.content);
        if !text.ends_with("\n\n") {
            text.push('\n');
        }
        text.push_str(page.text.trim_end());
        text.truncate(text.trim_end().len());
        text.push_str("\n\n");
        self.full = !self.sink.text(without_controls(text));
    }

    fn attachment(&mut self) {
        self.open = None;
        let mut data = std::mem::take(&mut self.note.data);
        let name = std::mem::take(&mut self.note.file_name);
        let kind = std::mem::take(&mut self.note.kind);
        if !self.members || data.is_empty() {
            return;
        }
        let extension = kind.rsplit('/').next().unwrap_or_default();
        let name = if name.is_empty() { format!("attachment.{extension}") } else { name };
        data.retain(|character| !character.is_ascii_whitespace());
        let bytes = mail_parser::decoders::base64::base64_decode(data.as_bytes())
            .ok_or_else(|| problem(ProblemKind::Damaged, "an attachment that does not decode"));
        let modified = moment(&self.note.updated).or_else(|| moment(&self.note.created));
        self.members = self.sink.member(Member { path: name, modified, bytes });
    }
}

/// A time as Evernote writes it: `20240501T123000Z`.
fn moment(time: &str) -> Option<UnixMillis> {
    let time = jiff::civil::DateTime::strptime("%Y%m%dT%H%M%SZ", time.trim()).ok()?;
    let time = jiff::tz::TimeZone::UTC.to_timestamp(time).ok()?;
    Some(UnixMillis(time.as_millisecond()))
}

/// The same for a person, in UTC.
fn minute(time: &str) -> Option<String> {
    let time = jiff::civil::DateTime::strptime("%Y%m%dT%H%M%SZ", time.trim()).ok()?;
    Some(time.strftime("%Y-%m-%d %H:%M").to_string())
}
