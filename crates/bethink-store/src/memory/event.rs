//! An event: something that was said, written, met or decided at a moment, kept as it was told.

use bethink_core::{MemoryId, UnixMillis};

/// What sort of thing an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// Something that the person wrote down.
    Journal,
    /// A message of a conversation, mail included.
    Message,
    /// A telephone or video call.
    Call,
    /// A message left on a machine.
    Voicemail,
    /// Something published: a post, a comment.
    Post,
    /// An appointment.
    Calendar,
    /// A turn of a conversation with an agent.
    Agent,
    /// Something that was pinned.
    Pin,
    /// A document that was read or received.
    Document,
    /// Something that an agent was told to remember.
    Remembered,
    /// What has no kind of its own.
    Other,
}

impl EventKind {
    /// Every kind, with its word in SQL, JSON and on the command line.
    pub const ALL: [(Self, &'static str); 11] = [
        (Self::Journal, "journal"),
        (Self::Message, "message"),
        (Self::Call, "call"),
        (Self::Voicemail, "voicemail"),
        (Self::Post, "post"),
        (Self::Calendar, "calendar"),
        (Self::Agent, "agent"),
        (Self::Pin, "pin"),
        (Self::Document, "document"),
        (Self::Remembered, "remembered"),
        (Self::Other, "other"),
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("other", |(_, name)| name)
    }

    /// The kind of that word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryEvent {
    /// Its identity, the same on every device.
    pub id: MemoryId,
    /// The device on which it was logged.
    pub device: String,
    /// What sort of thing it is.
    pub kind: EventKind,
    /// When it happened.
    pub time: UnixMillis,
    /// The zone in which it happened, as it was told: `Europe/Vienna`, `-07:00`.
    pub zone: Option<String>,
    /// Where it comes from: an application, a file, an address.
    pub source: Option<String>,
    /// The conversation that it belongs to, unique within its source.
    pub thread: Option<String>,
    /// Whom it is from or about, as the source spells them.
    pub person: Option<String>,
    /// That name in the form in which names are compared.
    pub person_key: Option<String>,
    /// What was said.
    pub text: String,
}

/// An event where it stands in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedEvent {
    /// Its place in the order of logging on this device; grows, is never used again.
    pub position: u64,
    /// The event.
    pub event: MemoryEvent,
}

/// What became of an event that was to be inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inserted {
    /// It is new, and stands at this position.
    New(u64),
    /// It was there already, word for word.
    Present,
    /// Another event has its identity; that one was left as it is.
    Conflicting,
    /// It was forgotten here, and stays forgotten.
    Forgotten,
}

/// What remains of an event that was forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// Its place in the order of forgetting.
    pub sequence: u64,
    /// The event's identity.
    pub id: MemoryId,
    /// When it was forgotten.
    pub forgotten: UnixMillis,
}

/// How far the log has come: what a mirror of it compares itself with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogState {
    /// Position of the newest event; 0 before the first.
    pub newest: u64,
    /// Sequence of the newest tombstone; 0 before the first.
    pub forgotten: u64,
    /// Events that are there.
    pub events: u64,
}

/// Which events are asked for. What is not said does not restrict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventFilter {
    /// Only these kinds.
    pub kinds: Vec<EventKind>,
    /// Only of one of these people, by the form in which names are compared.
    pub people: Vec<String>,
    /// Only of this conversation.
    pub thread: Option<String>,
    /// Only from this source.
    pub source: Option<String>,
    /// Not before this moment.
    pub from: Option<UnixMillis>,
    /// Before this moment.
    pub until: Option<UnixMillis>,
}
