//! The log: `bethink log`, `remember`, `grep_memory`.

use bethink_core::MemoryId;
use bethink_memory::grep::{GrepAnswer, grep_memory, remove_mirror};
use bethink_memory::{EventDraft, log_event, name_key};
use bethink_store::memory::{Access, EventFilter, EventKind, LoggedEvent, MemoryEvent, MemoryReader, MemoryWriter};
use bethink_text::time_phrase;

use crate::engine::Engine;
use crate::error::{EngineError, Result};

/// An event to be logged, in words as they were typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventRequest {
    /// What happened or was said.
    pub text: String,
    /// The kind's word; `None` is a journal.
    pub kind: Option<String>,
    /// When it happened; `None` is now.
    pub time: Option<String>,
    /// Whom it is from or about.
    pub person: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// The conversation that it belongs to.
    pub thread: Option<String>,
}

/// Which events to list. What is not said does not restrict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventListRequest {
    /// Only these kinds, by their words.
    pub kinds: Vec<String>,
    /// Only of this person.
    pub person: Option<String>,
    /// Only of this conversation.
    pub thread: Option<String>,
    /// Only from this source.
    pub source: Option<String>,
    /// Only of this time, as a phrase.
    pub when: Option<String>,
    /// Events at the most.
    pub limit: usize,
}

/// Events, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventList {
    /// The events.
    pub events: Vec<LoggedEvent>,
    /// Whether older ones were left out.
    pub more: bool,
    /// Events in the whole log.
    pub total: u64,
}

impl Engine {
    /// Appends an event to the log.
    ///
    /// # Errors
    /// [`EngineError::UnknownEventKind`], [`EngineError::UnknownMoment`], or a failure of the memory.
    pub fn log_event(&self, request: &EventRequest) -> Result<MemoryEvent> {
        let kind = request.kind.as_deref().map_or(Ok(EventKind::Journal), event_kind)?;
        let (time, zone) = match &request.time {
            Some(time) => self.moment(time).map(|(time, zone)| (Some(time), zone))?,
            None => (None, self.zone().iana_name().map(str::to_owned)),
        };
        let draft = EventDraft {
            kind,
            time,
            zone,
            source: request.source.clone(),
            thread: request.thread.clone(),
            person: request.person.clone(),
            text: request.text.clone(),
        };
        let event = log_event(&mut self.memory()?, self.clock(), draft)?;
        self.follow_a_write();
        Ok(event)
    }

    /// Lists events, the newest by their own time first.
    ///
    /// # Errors
    /// [`EngineError::UnknownEventKind`], [`EngineError::TimePhrase`], or a failure of the memory.
    pub fn events(&self, request: &EventListRequest) -> Result<EventList> {
        let window =
            request.when.as_deref().map(|when| time_phrase(when, self.clock().now(), self.zone())).transpose()?;
        let filter = EventFilter {
            kinds: request.kinds.iter().map(|kind| event_kind(kind)).collect::<Result<_>>()?,
            people: request.person.iter().map(|person| name_key(person)).collect(),
            thread: request.thread.clone(),
            source: request.source.clone(),
            from: window.map(|window| window.start),
            until: window.map(|window| window.end),
        };
        let Some(memory) = self.memory_reader()? else { return Ok(EventList::default()) };
        let mut events = memory.newest_events(&filter, None, request.limit.saturating_add(1))?;
        let more = events.len() > request.limit;
        events.truncate(request.limit);
        Ok(EventList { events, more, total: memory.log_state()?.events })
    }

    /// Searches the log for a pattern: `grep_memory`.
    ///
    /// # Errors
    /// A failure of the memory.
    pub fn grep_memory(&self, pattern: &str) -> Result<GrepAnswer> {
        match self.memory_reader()? {
            Some(memory) => Ok(grep_memory(&memory, &self.home().log_mirror(), pattern)?),
            None => Ok(GrepAnswer::of_an_empty_log()),
        }
    }

    /// Forgets events for good: what remains is that something was forgotten, and when.
    ///
    /// # Errors
    /// [`EngineError::NoSuchEvent`] for an identity that no event has; nothing is forgotten then.
    pub fn forget_events(&self, ids: &[String]) -> Result<u64> {
        let unknown = |id: &String| EngineError::NoSuchEvent { id: id.clone() };
        let Some(reader) = self.memory_reader()? else {
            return ids.first().map_or(Ok(0), |id| Err(unknown(id)));
        };
        let mut known = Vec::with_capacity(ids.len());
        for id in ids {
            let parsed = MemoryId::parse(id).ok_or_else(|| unknown(id))?;
            reader.find_event(parsed)?.ok_or_else(|| unknown(id))?;
            known.push(parsed);
        }
        drop(reader);
        let forgotten = self.memory()?.forget_events(&known, self.clock().now())?;
        remove_mirror(&self.home().log_mirror())?;
        self.follow_a_forgetting()?;
        Ok(forgotten)
    }

    /// Enters a call of a tool in the audit trail.
    ///
    /// # Errors
    /// A failure of the memory.
    pub fn record_access(&self, tool: &str, arguments: &str, answered: &[String]) -> Result<()> {
        let time = self.clock().now();
        let (tool, arguments) = (tool.to_owned(), arguments.to_owned());
        Ok(self.memory()?.record_access(&Access { time, tool, arguments, answered: answered.to_vec() })?)
    }

    /// The calls of tools over the memory, the newest first.
    ///
    /// # Errors
    /// A failure of the memory.
    pub fn accesses(&self, limit: usize) -> Result<Vec<Access>> {
        self.memory_reader()?.map_or(Ok(Vec::new()), |memory| Ok(memory.accesses(limit)?))
    }
}

fn event_kind(word: &str) -> Result<EventKind> {
    EventKind::from_name(&word.trim().to_lowercase())
        .ok_or_else(|| EngineError::UnknownEventKind { word: word.to_owned() })
}
