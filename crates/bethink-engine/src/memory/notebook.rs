//! The notebook: `bethink notebook`, `check_notebook`, `note_upsert`, pins and people.

use bethink_core::{MatchStrength, MemoryId};
use bethink_memory::{
    NoteDraft, NotebookQuestion, PinDraft, Resolution, add_person, check_notebook, decide_suggestion, merge_people,
    person_for, pin, resolve_person, suggestion_diff, write_note,
};
use bethink_store::memory::{
    Author, MemoryReader, MemoryWriter, Note, NoteFilter, NoteKind, Person, Revision, Suggestion, Written,
};
use bethink_text::{TimeWindow, time_phrase};

use crate::engine::Engine;
use crate::error::{EngineError, Result};

/// Notes that one name may stand for before the asker has to say which.
const NAMESAKES: usize = 64;

/// Suggestions that are listed at the most.
const LISTED_SUGGESTIONS: usize = 100;

/// A note to be written, in words as they were typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NoteRequest {
    /// The kind's word; `None` is a note.
    pub kind: Option<String>,
    /// What makes it this note among those of its kind; `None` derives it.
    pub identity: Option<String>,
    /// What it is called.
    pub title: String,
    /// Its text.
    pub body: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Whom it is about; who is not known yet becomes known.
    pub person: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// The moment that it is about.
    pub about: Option<String>,
    /// The version that the writer has seen; `None` writes whatever is there.
    pub expected: Option<u64>,
}

/// A thought to be pinned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PinRequest {
    /// The thought.
    pub text: String,
    /// Whom it is about.
    pub person: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
}

/// A question to the notebook. What is not said does not restrict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NotebookRequest {
    /// The words; empty asks for everything within the facets.
    pub query: String,
    /// Only about this person.
    pub person: Option<String>,
    /// Only with this tag.
    pub topic: Option<String>,
    /// Only these kinds, by their words.
    pub kinds: Vec<String>,
    /// Only of so many days back, today included.
    pub days_back: Option<u32>,
    /// Only of this time, as a phrase.
    pub when: Option<String>,
    /// Notes at the most; 0 is eight.
    pub limit: usize,
}

/// A note as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownNote {
    /// The note.
    pub note: Note,
    /// Whom it is about.
    pub person: Option<String>,
    /// What its matching words are worth together.
    pub worth: u64,
    /// How many of the words asked for it has.
    pub words: u64,
}

/// The answer of the notebook.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NotebookReply {
    /// The notes, best first.
    pub notes: Vec<ShownNote>,
    /// How many different words were asked for.
    pub words: usize,
    /// How much the answer deserves to be believed.
    pub strength: MatchStrength,
    /// Whether there are more.
    pub more: bool,
    /// Sentences that the reader should know.
    pub remarks: Vec<String>,
}

/// What somebody would have a note say, beside what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownSuggestion {
    /// The note as it is.
    pub note: Note,
    /// The suggestion.
    pub suggestion: Suggestion,
    /// What would change, line by line.
    pub diff: String,
}

impl Engine {
    /// Writes a note: makes it, changes it, leaves it alone where it says so already, or keeps a suggestion
    /// where its owner has written it and somebody else now writes.
    ///
    /// # Errors
    /// [`EngineError::UnknownNoteKind`], [`EngineError::UnknownMoment`], a name that may be several people's,
    /// or a failure of the memory.
    pub fn write_note(&self, request: &NoteRequest, author: Author) -> Result<Written> {
        let kind = request.kind.as_deref().map_or(Ok(NoteKind::Note), note_kind)?;
        let about = request.about.as_deref().map(|about| self.moment(about)).transpose()?;
        let mut memory = self.memory()?;
        let person = match said(request.person.as_deref()) {
            Some(name) => Some(person_for(&mut memory, self.clock(), name)?),
            None => None,
        };
        let draft = NoteDraft {
            kind,
            identity: request.identity.clone(),
            title: match (&person, request.title.trim(), kind) {
                (Some(person), "", NoteKind::Person) => person.name.clone(),
                (_, title, _) => title.to_owned(),
            },
            body: request.body.clone(),
            tags: request.tags.clone(),
            person: person.map(|person| person.id),
            source: said(request.source.as_deref()).map(str::to_owned),
            about: about.map(|(moment, _)| moment),
        };
        let written = write_note(&mut memory, self.clock(), draft, author, request.expected)?;
        self.follow_a_write();
        Ok(written)
    }

    /// Pins a thought: a note of today, and an event. Whether it was not pinned before is told.
    ///
    /// # Errors
    /// A name that may be several people's, or a failure of the memory.
    pub fn pin(&self, request: &PinRequest, author: Author) -> Result<(Note, bool)> {
        let mut memory = self.memory()?;
        let person = match said(request.person.as_deref()) {
            Some(name) => Some(person_for(&mut memory, self.clock(), name)?),
            None => None,
        };
        let draft = PinDraft {
            text: request.text.clone(),
            person: person.map(|person| (person.id, person.name)),
            source: said(request.source.as_deref()).map(str::to_owned),
            tags: request.tags.clone(),
            zone: self.zone().iana_name().map(str::to_owned),
        };
        let pinned = pin(&mut memory, self.clock(), draft, author)?;
        self.follow_a_write();
        Ok(pinned)
    }

    /// Asks the notebook.
    ///
    /// # Errors
    /// [`EngineError::UnknownNoteKind`], [`EngineError::TimePhrase`], or a failure of the memory.
    pub fn check_notebook(&self, request: &NotebookRequest) -> Result<NotebookReply> {
        let kinds = request.kinds.iter().map(|kind| note_kind(kind)).collect::<Result<Vec<_>>>()?;
        let window = self.window(request)?;
        let mut reply = NotebookReply::default();
        let Some(memory) = self.memory_reader()? else {
            reply.remarks.push("the notebook is empty: nothing can be found in it; do not ask it again".to_owned());
            return Ok(reply);
        };
        let mut filter = NoteFilter {
            kinds,
            people: Vec::new(),
            tag: said(request.topic.as_deref()).map(bethink_memory::identity_key),
            from: window.map(|window| window.start),
            until: window.map(|window| window.end),
        };
        if let Some(name) = said(request.person.as_deref()) {
            match resolve_person(&memory, name)? {
                Resolution::One(person) => filter.people.push(person.id),
                Resolution::Several(people) => {
                    let names: Vec<&str> = people.iter().map(|person| person.name.as_str()).collect();
                    reply
                        .remarks
                        .push(format!("{name} may be {}; ask again with one of these names", names.join(", ")));
                    return Ok(reply);
                }
                Resolution::Nobody => {
                    reply.remarks.push(format!("no notes filed under that person: nobody is known as {name}"));
                    return Ok(reply);
                }
            }
        }
        let by_person = !filter.people.is_empty();
        let question = NotebookQuestion { query: request.query.clone(), filter, limit: request.limit };
        let answer = check_notebook(&memory, &question)?;
        if answer.notes.is_empty() {
            let anything = memory.notes(&NoteFilter::default(), None, 1)?;
            let of_person = NoteFilter { people: question.filter.people.clone(), ..NoteFilter::default() };
            reply.remarks.push(if anything.is_empty() {
                "the notebook is empty: nothing can be found in it; do not ask it again".to_owned()
            } else if by_person && memory.notes(&of_person, None, 1)?.is_empty() {
                "no notes filed under that person".to_owned()
            } else {
                "no note is like that; another wording may find one, the same one never".to_owned()
            });
        }
        reply.words = answer.words;
        reply.more = answer.more;
        let most = answer.notes.iter().map(|note| note.words).max().unwrap_or(0);
        reply.strength = match (answer.notes.is_empty(), answer.words as u64) {
            (true, _) => MatchStrength::None,
            // Half of what was asked for, or everything where nothing was.
            (false, words) if most * 2 >= words => MatchStrength::Strong,
            _ => MatchStrength::Weak,
        };
        if reply.strength == MatchStrength::Weak {
            reply.remarks.push(format!("no note has more than {most} of the {} words asked for", answer.words));
        }
        for scored in answer.notes {
            let person = name_of(&memory, scored.note.person)?;
            reply.notes.push(ShownNote { note: scored.note, person, worth: scored.worth, words: scored.words });
        }
        Ok(reply)
    }

    fn window(&self, request: &NotebookRequest) -> Result<Option<TimeWindow>> {
        let now = self.clock().now();
        let mut window: Option<TimeWindow> =
            request.when.as_deref().map(|when| time_phrase(when, now, self.zone())).transpose()?;
        if let Some(days) = request.days_back {
            let days = if days == 0 { "today".to_owned() } else { format!("last {days} days") };
            let back = time_phrase(&days, now, self.zone())?;
            window = Some(window.map_or(back, |window| TimeWindow {
                start: window.start.max(back.start),
                end: window.end.min(back.end),
            }));
        }
        Ok(window)
    }

    /// The note of an id, an identity or a title, whatever its kind.
    ///
    /// # Errors
    /// [`EngineError::NoSuchNote`], [`EngineError::SeveralNotes`], or a failure of the memory.
    pub fn note(&self, target: &str) -> Result<ShownNote> {
        let unknown = || EngineError::NoSuchNote { target: target.to_owned() };
        let memory = self.memory_reader()?.ok_or_else(unknown)?;
        if let Some(note) = MemoryId::parse(target).map(|id| memory.find_note(id)).transpose()?.flatten() {
            let person = name_of(&memory, note.person)?;
            return Ok(ShownNote { note, person, worth: 0, words: 0 });
        }
        let (kinds, identity) = match target.split_once('/') {
            Some((kind, identity)) if NoteKind::from_name(kind).is_some() => (vec![note_kind(kind)?], identity),
            _ => (NoteKind::ALL.iter().map(|(kind, _)| *kind).collect(), target),
        };
        let identity = bethink_memory::identity_key(identity);
        let mut found = Vec::new();
        for kind in kinds.into_iter().take(NAMESAKES) {
            found.extend(memory.note_of(kind, &identity)?);
        }
        match (found.pop(), found.is_empty()) {
            (Some(note), true) => {
                let person = name_of(&memory, note.person)?;
                Ok(ShownNote { note, person, worth: 0, words: 0 })
            }
            (Some(last), false) => {
                found.push(last);
                let names = found.iter().map(|note| format!("{}/{}", note.kind.name(), note.identity)).collect();
                Err(EngineError::SeveralNotes { target: target.to_owned(), names })
            }
            (None, _) => Err(unknown()),
        }
    }

    /// What a note has said, the newest first; or only what it said at a moment.
    ///
    /// # Errors
    /// As for [`Engine::note`], and [`EngineError::UnknownMoment`].
    pub fn note_history(&self, target: &str, as_of: Option<&str>) -> Result<(Note, Vec<Revision>)> {
        let note = self.note(target)?.note;
        let as_of = as_of.map(|as_of| self.moment(as_of)).transpose()?;
        let memory = self.memory_reader()?.ok_or(EngineError::NoSuchNote { target: target.to_owned() })?;
        let mut history = memory.history(note.id)?;
        if let Some((moment, _)) = as_of {
            history.retain(|revision| revision.recorded <= moment);
            history.truncate(1);
        }
        Ok((note, history))
    }

    /// What waits for the owner's word.
    ///
    /// # Errors
    /// A failure of the memory.
    pub fn suggestions(&self) -> Result<Vec<ShownSuggestion>> {
        let Some(memory) = self.memory_reader()? else { return Ok(Vec::new()) };
        let waiting = memory.suggestions(LISTED_SUGGESTIONS)?;
        let shown = waiting.into_iter().map(|(note, suggestion)| {
            let diff = suggestion_diff(&note.content, &suggestion.content);
            ShownSuggestion { note, suggestion, diff }
        });
        Ok(shown.collect())
    }

    /// Accepts or dismisses a suggestion; the note as it is then.
    ///
    /// # Errors
    /// A number that no open suggestion has, or a failure of the memory.
    pub fn decide_suggestion(&self, number: u64, accept: bool) -> Result<Note> {
        let note = decide_suggestion(&mut self.memory()?, self.clock(), number, accept)?;
        self.follow_a_write();
        Ok(note)
    }

    /// Forgets a note with its history, for good.
    ///
    /// # Errors
    /// As for [`Engine::note`].
    pub fn forget_note(&self, target: &str) -> Result<Note> {
        let note = self.note(target)?.note;
        self.memory()?.forget_note(note.id, self.clock().now())?;
        self.follow_a_forgetting()?;
        Ok(note)
    }

    /// Everybody who is known.
    ///
    /// # Errors
    /// A failure of the memory.
    pub fn people(&self) -> Result<Vec<Person>> {
        self.memory_reader()?.map_or(Ok(Vec::new()), |memory| Ok(memory.people()?))
    }

    /// Makes a person known, or known by more spellings.
    ///
    /// # Errors
    /// A name that may be several people's, or a failure of the memory.
    pub fn add_person(&self, name: &str, aliases: &[String]) -> Result<Person> {
        let person = add_person(&mut self.memory()?, self.clock(), name, aliases)?;
        self.follow_a_write();
        Ok(person)
    }

    /// Makes one person of two: everything of the first is the second's from now on.
    ///
    /// # Errors
    /// [`EngineError::NoSuchPerson`], a name that may be several people's, or a failure of the memory.
    pub fn merge_people(&self, from: &str, into: &str) -> Result<Person> {
        let mut memory = self.memory()?;
        let one = |name: &str| match resolve_person(&memory, name)? {
            Resolution::One(person) => Ok(person),
            Resolution::Nobody => Err(EngineError::NoSuchPerson { name: name.to_owned() }),
            Resolution::Several(people) => {
                let people = people.into_iter().map(|person| person.name).collect();
                Err(bethink_memory::MemoryError::AmbiguousPerson { name: name.to_owned(), people }.into())
            }
        };
        let (from, into) = (one(from)?, one(into)?);
        merge_people(&mut memory, self.clock(), from.id, into.id)?;
        self.follow_a_write();
        memory.find_person(into.id)?.ok_or(EngineError::NoSuchPerson { name: into.name })
    }
}

fn name_of(memory: &dyn MemoryReader, person: Option<MemoryId>) -> Result<Option<String>> {
    let person = person.map(|id| memory.find_person(id)).transpose()?.flatten();
    Ok(person.map(|person| person.name))
}

fn note_kind(word: &str) -> Result<NoteKind> {
    NoteKind::from_name(&word.trim().to_lowercase())
        .ok_or_else(|| EngineError::UnknownNoteKind { word: word.to_owned() })
}

fn said(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}
