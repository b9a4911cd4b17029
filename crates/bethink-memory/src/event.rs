//! Putting an event into the log.

use bethink_core::{Clock, MemoryId, UnixMillis};
use bethink_store::memory::{EventKind, Inserted, MemoryEvent, MemoryWriter};

use crate::error::{MemoryError, Result};
use crate::name::name_key;

/// The longest text of an event, in bytes: a book of two thousand pages. What is longer is a file, and
/// belongs under a root.
pub const MAXIMUM_TEXT_BYTES: usize = 8 * 1024 * 1024;

/// An event before it has a place in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventDraft {
    /// What sort of thing it is.
    pub kind: EventKind,
    /// When it happened; `None` is now.
    pub time: Option<UnixMillis>,
    /// The zone in which it happened, as it was told.
    pub zone: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// The conversation that it belongs to.
    pub thread: Option<String>,
    /// Whom it is from or about.
    pub person: Option<String>,
    /// What was said.
    pub text: String,
}

impl EventDraft {
    /// A draft of that kind and text, now, of nobody.
    pub fn new(kind: EventKind, text: impl Into<String>) -> Self {
        Self { kind, time: None, zone: None, source: None, thread: None, person: None, text: text.into() }
    }

    /// The event, once it has an identity, a device and a moment.
    ///
    /// # Errors
    /// [`MemoryError::EmptyText`] and [`MemoryError::TooLong`].
    pub fn into_event(self, id: MemoryId, device: &str, now: UnixMillis) -> Result<MemoryEvent> {
        if self.text.trim().is_empty() {
            return Err(MemoryError::EmptyText);
        }
        if self.text.len() > MAXIMUM_TEXT_BYTES {
            return Err(MemoryError::TooLong { bytes: self.text.len(), limit: MAXIMUM_TEXT_BYTES });
        }
        let said = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let person = said(self.person);
        Ok(MemoryEvent {
            id,
            device: device.to_owned(),
            kind: self.kind,
            time: self.time.unwrap_or(now),
            zone: said(self.zone),
            source: said(self.source),
            thread: said(self.thread),
            person_key: person.as_deref().map(name_key),
            person,
            text: self.text,
        })
    }
}

/// A new identity for something that is made at that moment.
///
/// # Errors
/// [`MemoryError::NoRandomness`].
pub fn fresh_id(now: UnixMillis) -> Result<MemoryId> {
    let mut random = [0; 10];
    getrandom::fill(&mut random).map_err(|_| MemoryError::NoRandomness)?;
    Ok(MemoryId::new(now, random))
}

/// The identity of an event that another program recorded: the same from the same parts on every device
/// and at every repetition, so that importing twice inserts once. The random bits of the UUID are those of
/// a BLAKE3 over the parts.
pub fn event_id(time: UnixMillis, parts: &[&str]) -> MemoryId {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        // With lengths, so that no two lists of parts run together to the same bytes.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut random = [0; 10];
    random.copy_from_slice(&hasher.finalize().as_bytes()[..10]);
    MemoryId::new(time, random)
}

/// Appends one event of this device and gives it back as it stands in the log.
///
/// # Errors
/// As for [`EventDraft::into_event`], or a failure of the data plane.
pub fn log_event(store: &mut dyn MemoryWriter, clock: &dyn Clock, draft: EventDraft) -> Result<MemoryEvent> {
    let now = clock.now();
    let device = store.device()?;
    loop {
        let event = draft.clone().into_event(fresh_id(now)?, &device, now)?;
        // Seventy-four random bits do not meet in practice; if they do, others are drawn.
        if let Some(Inserted::New(_)) = store.insert_events(std::slice::from_ref(&event))?.first() {
            return Ok(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_imported_event_has_one_identity() {
        let id = event_id(UnixMillis(7), &["chat", "1"]);
        assert_eq!(id, event_id(UnixMillis(7), &["chat", "1"]));
        assert_ne!(id, event_id(UnixMillis(7), &["chat1", ""]));
        assert_ne!(id, event_id(UnixMillis(8), &["chat", "1"]));
    }
}
