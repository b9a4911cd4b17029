//! The notebook: notes with identities, so that telling the same thing twice changes nothing and telling
//! it differently makes a revision, never a second note.

use std::collections::{BTreeMap, BTreeSet};

use bethink_core::{Clock, MemoryId, UnixMillis};
use bethink_store::memory::{
    Author, MemoryReader, MemoryWriter, Note, NoteContent, NoteFilter, NoteKind, NoteWrite, ScoredNote, Suggestion,
    Written,
};
use bethink_text::{fold, index_terms, query_terms};

use crate::error::{MemoryError, Result};
use crate::event::{MAXIMUM_TEXT_BYTES, event_id, fresh_id};
use crate::name::name_key;

/// What a word is worth in a title, a tag and a body.
const TITLE_WORTH: u32 = 3;
const TAG_WORTH: u32 = 2;
const BODY_WORTH: u32 = 1;

/// Notes of one answer, unless told otherwise.
pub const CHECKED_NOTES: usize = 8;

/// Tags of one note at the most; more are no tags.
const MOST_TAGS: usize = 64;

/// A title's length at the most, in bytes: a line.
const LONGEST_TITLE_BYTES: usize = 1024;

/// A note before it is known whether there is one already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteDraft {
    /// What sort of note it is.
    pub kind: NoteKind,
    /// What makes it this note among those of its kind, in any spelling; `None` derives it from the person
    /// (of a person's note), the text (of a sparked one), or the title.
    pub identity: Option<String>,
    /// What it is called; where it is empty, the first line of the body is.
    pub title: String,
    /// Its text, as Markdown.
    pub body: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Whom it is about.
    pub person: Option<MemoryId>,
    /// Where it comes from.
    pub source: Option<String>,
    /// The moment that it is about.
    pub about: Option<UnixMillis>,
}

impl NoteDraft {
    /// A draft of that kind with a title and a body.
    pub fn new(kind: NoteKind, title: impl Into<String>, body: impl Into<String>) -> Self {
        Self {
            kind,
            identity: None,
            title: title.into(),
            body: body.into(),
            tags: Vec::new(),
            person: None,
            source: None,
            about: None,
        }
    }
}

/// An identity in the form in which identities are compared: `Site Roadmap` and `site-roadmap`, in any
/// normalisation of Unicode, are one.
pub fn identity_key(spelling: &str) -> String {
    name_key(spelling).replace(' ', "-")
}

/// Writes a note: makes it, changes it, leaves it alone where it says so already, or keeps a suggestion
/// where its owner has written it and somebody else now writes.
///
/// # Errors
/// [`MemoryError::EmptyText`] and [`MemoryError::TooLong`], or a failure of the data plane.
pub fn write_note(
    store: &mut dyn MemoryWriter,
    clock: &dyn Clock,
    draft: NoteDraft,
    author: Author,
    expected: Option<u64>,
) -> Result<Written> {
    let at = clock.now();
    let write = prepare(draft, author, expected, at)?;
    Ok(store.write_note(&write)?)
}

/// A note that is ready to be written.
fn prepare(draft: NoteDraft, author: Author, expected: Option<u64>, at: UnixMillis) -> Result<NoteWrite> {
    let body = draft.body.trim_end().to_owned();
    let mut title = one_line(&draft.title);
    if title.is_empty() {
        title = one_line(body.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default());
        title = title.trim_start_matches('#').trim().to_owned();
    }
    if title.is_empty() {
        return Err(MemoryError::EmptyText);
    }
    title.truncate(title.floor_char_boundary(LONGEST_TITLE_BYTES));
    if body.len() > MAXIMUM_TEXT_BYTES {
        return Err(MemoryError::TooLong { bytes: body.len(), limit: MAXIMUM_TEXT_BYTES });
    }
    let spelled = draft.identity.map(|identity| one_line(&identity)).filter(|identity| !identity.is_empty());
    let identity = match (spelled, draft.kind, draft.person) {
        (Some(identity), ..) => identity_key(&identity),
        (None, NoteKind::Person, Some(person)) => person.to_string(),
        (None, NoteKind::Sparked, person) => {
            let person = person.map(|person| person.to_string()).unwrap_or_default();
            let source = draft.source.as_deref().unwrap_or_default();
            event_id(UnixMillis(0), &[&fold(&title), &fold(&one_line(&body)), &person, source]).to_string()
        }
        (None, ..) => identity_key(&title),
    };
    let tags = tidy_tags(&draft.tags);
    let content = NoteContent { title, tags, body, source: draft.source, about: draft.about };
    let (terms, tag_keys) = searched_words(&content);
    let id = fresh_id(at)?;
    Ok(NoteWrite {
        id,
        kind: draft.kind,
        identity,
        person: draft.person,
        content,
        author,
        expected,
        at,
        terms,
        tag_keys,
    })
}

/// What a suggestion is written as when its owner accepts it: by the owner, over whatever stands there.
///
/// # Errors
/// [`MemoryError::NoSuchSuggestion`], or a failure of the data plane.
pub fn decide_suggestion(store: &mut dyn MemoryWriter, clock: &dyn Clock, number: u64, accept: bool) -> Result<Note> {
    let unknown = || MemoryError::NoSuchSuggestion { number };
    let (note, suggestion) = store.open_suggestion(number)?.ok_or_else(unknown)?;
    let at = clock.now();
    let accepted = accept.then(|| accepted(&note, suggestion, at)).transpose()?;
    if !store.decide_suggestion(number, accepted.as_ref(), at)? {
        return Err(unknown());
    }
    store.find_note(note.id)?.ok_or_else(unknown)
}

fn accepted(note: &Note, suggestion: Suggestion, at: UnixMillis) -> Result<NoteWrite> {
    let (terms, tag_keys) = searched_words(&suggestion.content);
    Ok(NoteWrite {
        id: note.id,
        kind: note.kind,
        identity: note.identity.clone(),
        person: note.person,
        content: suggestion.content,
        author: Author::Owner,
        expected: None,
        at,
        terms,
        tag_keys,
    })
}

/// A question to the notebook.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NotebookQuestion {
    /// The words; empty, or `*`, asks for everything within the facets.
    pub query: String,
    /// What restricts before anything is scored.
    pub filter: NoteFilter,
    /// Notes at the most; 0 is [`CHECKED_NOTES`].
    pub limit: usize,
}

/// The answer of the notebook.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NotebookAnswer {
    /// The notes, best first.
    pub notes: Vec<ScoredNote>,
    /// How many different words were asked for.
    pub words: usize,
    /// Whether there are more.
    pub more: bool,
}

/// Asks the notebook: title 3, tag 2, body 1 for each word, the newest first where that is equal.
///
/// # Errors
/// A failure of the data plane.
pub fn check_notebook(store: &dyn MemoryReader, question: &NotebookQuestion) -> Result<NotebookAnswer> {
    let limit = if question.limit == 0 { CHECKED_NOTES } else { question.limit };
    let terms = asked_terms(&question.query);
    let asked = if terms.is_empty() { None } else { Some(&terms[..]) };
    let mut notes = store.notes(&question.filter, asked, limit.saturating_add(1))?;
    let more = notes.len() > limit;
    notes.truncate(limit);
    Ok(NotebookAnswer { notes, words: terms.len(), more })
}

/// The words that are looked for. Words that stand everywhere fall away, unless there are no others.
fn asked_terms(query: &str) -> Vec<String> {
    let query = query.trim();
    if query.is_empty() || query == "*" {
        return Vec::new();
    }
    let asked = query_terms(query);
    let telling: BTreeSet<String> =
        asked.terms.iter().filter(|term| !term.stopword).map(|term| term.term.clone()).collect();
    let all = || asked.terms.iter().map(|term| term.term.clone()).collect::<BTreeSet<_>>();
    let mut terms: Vec<String> = if telling.is_empty() { all() } else { telling }.into_iter().collect();
    if terms.is_empty() {
        // A question of signs alone finds nothing rather than everything.
        terms.push(fold(query));
    }
    terms
}

/// Every word of a note with what it is worth, and its tags as they are compared.
pub(crate) fn searched_words(content: &NoteContent) -> (Vec<(String, u32)>, Vec<String>) {
    let mut worth: BTreeMap<String, u32> = BTreeMap::new();
    let tags = content.tags.join(" \n ");
    for (text, points) in [(&content.title, TITLE_WORTH), (&tags, TAG_WORTH), (&content.body, BODY_WORTH)] {
        let mut here = BTreeSet::new();
        index_terms(text, false, &mut |term, _, _| {
            here.insert(term.to_owned());
        });
        for term in here {
            *worth.entry(term).or_default() += points;
        }
    }
    (worth.into_iter().collect(), content.tags.iter().map(|tag| identity_key(tag)).collect())
}

/// Tags on one line each, every one once, in the order in which they were given.
fn tidy_tags(tags: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let tidy = tags.iter().map(|tag| one_line(tag.trim().trim_start_matches('#')));
    tidy.filter(|tag| !tag.is_empty() && seen.insert(identity_key(tag))).take(MOST_TAGS).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m4_one_identity_has_one_key() {
        for (one, other) in [
            ("Site Roadmap", "site-roadmap"),
            ("caf\u{e9} plans", "Cafe\u{301} Plans"),
            ("\u{227}", "a\u{307}"),
            ("Q3: goals!", "q3 goals"),
        ] {
            assert_eq!(identity_key(one), identity_key(other), "{one} {other}");
        }
    }

    #[test]
    fn words_are_worth_where_they_stand() {
        let content = NoteContent {
            title: "Tram rides".to_owned(),
            tags: vec!["Lisbon".to_owned()],
            body: "The tram in Lisbon rides uphill; tram again.".to_owned(),
            ..NoteContent::default()
        };
        let (worth, keys) = searched_words(&content);
        let of = |word: &str| {
            let term = query_terms(word).terms[0].term.clone();
            worth.iter().find(|(known, _)| *known == term).map_or(0, |(_, worth)| *worth)
        };
        assert_eq!((of("tram"), of("lisbon"), of("uphill")), (4, 3, 1));
        assert_eq!(keys, ["lisbon"]);
    }

    #[test]
    fn tags_are_tidied() {
        let tags = ["#Work", "work", " two\nlines ", ""].map(str::to_owned);
        assert_eq!(tidy_tags(&tags), ["Work", "two lines"]);
    }
}
