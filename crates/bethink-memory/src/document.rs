//! What is owned as documents: how a note, a person and an event read when they are searched and shown.

use std::path::PathBuf;

use bethink_core::{ContentHash, Extracted, Format, MemoryId, MemoryItem, UnixMillis};
use bethink_store::memory::{EventKind, MemoryEvent, MemoryReader, Note, Person};

use crate::error::Result;
use crate::name::name_key;

/// Changes whenever the same thing would read otherwise.
pub const DOCUMENT_VERSION: u32 = 1;

/// Characters of an event's first line that are its title.
const TITLE_CHARACTERS: usize = 80;

/// Characters of a document's name.
const NAME_CHARACTERS: usize = 60;

/// A document of the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryDocument {
    /// Its path.
    pub path: PathBuf,
    /// When it last changed, or happened.
    pub modified: UnixMillis,
    /// What tells it from every other text. Not the hash of any file's bytes: a file of the same words is
    /// another document.
    pub hash: ContentHash,
    /// How it reads.
    pub text: Extracted,
}

/// The document of an item as it is now; `None` where the item is gone, or is not to be found by words.
///
/// # Errors
/// A failure of the data plane.
pub fn memory_document(store: &dyn MemoryReader, item: MemoryItem) -> Result<Option<MemoryDocument>> {
    Ok(match item {
        MemoryItem::Note(id) => match store.find_note(id)? {
            Some(note) => {
                let person = note.person.map(|person| store.find_person(person)).transpose()?.flatten();
                Some(of_note(&note, person.as_ref()))
            }
            None => None,
        },
        MemoryItem::Person(id) => store.find_person(id)?.map(|person| of_person(&person)),
        MemoryItem::Event(id) => store.find_event(id)?.and_then(|logged| of_event(&logged.event)),
    })
}

/// The document of an event; `None` for a turn of a conversation with an agent, in which every question
/// would find itself.
pub fn of_event(event: &MemoryEvent) -> Option<MemoryDocument> {
    if event.kind == EventKind::Agent {
        return None;
    }
    let first = event.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let title: String = first.chars().take(TITLE_CHARACTERS).collect();
    let mut about = vec![event.kind.name().to_owned()];
    about.extend(day(event.time));
    about.extend(event.person.iter().map(|person| format!("with {person}")));
    about.extend(event.source.iter().map(|source| format!("from {source}")));
    let text = format!("{}\n\n{}\n", event.text.trim_end(), about.join(", "));
    Some(document(MemoryItem::Event(event.id), &title, event.time, text))
}

fn of_note(note: &Note, person: Option<&Person>) -> MemoryDocument {
    let content = &note.content;
    let mut about = vec![note.kind.name().to_owned()];
    about.extend(content.about.and_then(day));
    about.extend(person.map(|person| format!("about {}", person.name)));
    about.extend(content.source.iter().map(|source| format!("from {source}")));
    about.extend(content.tags.iter().map(|tag| format!("#{tag}")));
    let body = content.body.trim_end();
    let body = if body == content.title { String::new() } else { format!("{body}\n\n") };
    let text = format!("# {}\n\n{body}{}\n", content.title, about.join(", "));
    document(MemoryItem::Note(note.id), &content.title, content.about.unwrap_or(note.updated), text)
}

fn of_person(person: &Person) -> MemoryDocument {
    let known: Vec<&str> = person.spellings.iter().map(|spelling| spelling.text.as_str()).collect();
    let text = format!("# {}\n\nA person, known as {}.\n", person.name, known.join(", "));
    document(MemoryItem::Person(person.id), &person.name, made(person.id), text)
}

/// The moment at which an identity was made, which a version 7 UUID begins with.
fn made(id: MemoryId) -> UnixMillis {
    let mut millis = [0; 8];
    millis[2..].copy_from_slice(&id.0[..6]);
    UnixMillis(i64::from_be_bytes(millis))
}

fn document(item: MemoryItem, title: &str, modified: UnixMillis, text: String) -> MemoryDocument {
    let name: String = name_key(title).replace(' ', "-").chars().take(NAME_CHARACTERS).collect();
    // Signs could part the path or make it a member's.
    let is_plain = |character: char| character.is_alphanumeric() || character == '-';
    let name = if !name.is_empty() && name.chars().all(is_plain) { name } else { "untitled".to_owned() };
    let mut hasher = blake3::Hasher::new_derive_key("bethink 2026 document of the memory");
    hasher.update(text.as_bytes());
    hasher.update(&modified.0.to_le_bytes());
    let text = Extracted { format: Format::Markdown, title: Some(title.to_owned()), text, ..Extracted::default() };
    MemoryDocument { path: item.path(&name), modified, hash: ContentHash(*hasher.finalize().as_bytes()), text }
}

fn day(moment: UnixMillis) -> Option<String> {
    Some(jiff::Timestamp::from_millisecond(moment.0).ok()?.strftime("%Y-%m-%d").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventDraft;

    #[test]
    fn an_event_reads_as_it_was_told_with_what_is_known_of_it_below() {
        let draft =
            EventDraft { person: Some("Anna".to_owned()), ..EventDraft::new(EventKind::Call, "the tram\nwas late") };
        let event =
            draft.into_event(MemoryId([1; 16]), "here", UnixMillis(86_400_000)).unwrap_or_else(|_| unreachable!());
        let document = of_event(&event).unwrap_or_else(|| unreachable!());
        assert_eq!(document.text.text, "the tram\nwas late\n\ncall, 1970-01-02, with Anna\n");
        assert_eq!(document.text.title.as_deref(), Some("the tram"));
        assert!(document.path.ends_with("the-tram.md"));
        assert_eq!(MemoryItem::of(&document.path), Some(MemoryItem::Event(event.id)));
        assert_eq!(of_event(&MemoryEvent { kind: EventKind::Agent, ..event.clone() }), None);
        let odd = of_event(&MemoryEvent { text: "!/..".to_owned(), ..event }).unwrap_or_else(|| unreachable!());
        assert!(odd.path.ends_with("untitled.md"));
    }
}
