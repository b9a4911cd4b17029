//! Pins: a thought that is kept as it stands. Each is a note and an event, and leaves the machine by no
//! path but the synchronisation of the owner's own devices.

use bethink_core::{Clock, MemoryId};
use bethink_store::memory::{Author, EventKind, MemoryWriter, Note, NoteKind, Written};

use crate::error::Result;
use crate::event::{EventDraft, log_event};
use crate::notebook::{NoteDraft, write_note};

/// What is to be pinned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinDraft {
    /// The thought.
    pub text: String,
    /// Whom it is about.
    pub person: Option<(MemoryId, String)>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The zone in which it is pinned.
    pub zone: Option<String>,
}

/// Pins a thought: a sparked note of today, and an event. The same thought of the same person from the same
/// source is pinned once; whether this was a new one is told.
///
/// # Errors
/// As for [`write_note`].
pub fn pin(store: &mut dyn MemoryWriter, clock: &dyn Clock, draft: PinDraft, author: Author) -> Result<(Note, bool)> {
    let now = clock.now();
    let mut note = NoteDraft::new(NoteKind::Sparked, "", draft.text.clone());
    note.person = draft.person.as_ref().map(|(id, _)| *id);
    note.source.clone_from(&draft.source);
    note.tags = draft.tags;
    // Pinning again would move the day, and with it the note.
    match write_note(store, clock, note, author, Some(0))? {
        Written::Created(note) => {
            let event = EventDraft {
                time: Some(now),
                zone: draft.zone,
                source: draft.source,
                person: draft.person.map(|(_, name)| name),
                ..EventDraft::new(EventKind::Pin, draft.text)
            };
            log_event(store, clock, event)?;
            Ok((note, true))
        }
        Written::Stale(Some(note)) | Written::Unchanged(note) | Written::Updated(note) => Ok((note, false)),
        Written::Suggested(note, _) | Written::Dismissed(note) => Ok((note, false)),
        Written::Stale(None) => Err(crate::error::MemoryError::EmptyText),
    }
}
