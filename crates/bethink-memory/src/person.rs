//! People: whom a name means, and making one of two.

use bethink_core::{Clock, MemoryId};
use bethink_store::memory::{MemoryReader, MemoryWriter, Person, Spelling};

use crate::error::{MemoryError, Result};
use crate::event::fresh_id;
use crate::name::name_key;

/// Whom a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// This person.
    One(Person),
    /// Any of these; only who asked knows.
    Several(Vec<Person>),
    /// Nobody who is known.
    Nobody,
}

/// Whom a name means: the one who is known by it in any spelling; else the one whose name has all of its
/// words, as `Anna` for Anna Keller.
///
/// # Errors
/// A failure of the data plane.
pub fn resolve_person(store: &dyn MemoryReader, name: &str) -> Result<Resolution> {
    let key = name_key(name);
    if key.is_empty() {
        return Ok(Resolution::Nobody);
    }
    let mut found = store.people_named(&key)?;
    if found.is_empty() {
        let words: Vec<&str> = key.split(' ').collect();
        let has_all = |spelling: &Spelling| {
            let own: Vec<&str> = spelling.key.split(' ').collect();
            words.iter().all(|word| own.contains(word))
        };
        found = store.people()?.into_iter().filter(|person| person.spellings.iter().any(has_all)).collect();
    }
    Ok(match found.len() {
        0 => Resolution::Nobody,
        1 => found.pop().map_or(Resolution::Nobody, Resolution::One),
        _ => Resolution::Several(found),
    })
}

/// The person of a name, who is made if nobody is known by it.
///
/// # Errors
/// [`MemoryError::AmbiguousPerson`] where several are, [`MemoryError::EmptyText`] for no name, or a failure
/// of the data plane.
pub fn person_for(store: &mut dyn MemoryWriter, clock: &dyn Clock, name: &str) -> Result<Person> {
    match resolve_person(store, name)? {
        Resolution::One(person) => Ok(person),
        Resolution::Several(people) => Err(MemoryError::AmbiguousPerson {
            name: name.to_owned(),
            people: people.into_iter().map(|person| person.name).collect(),
        }),
        Resolution::Nobody => add_person(store, clock, name, &[]),
    }
}

/// Makes a person, or gives one who is known by that very name more spellings.
///
/// # Errors
/// [`MemoryError::EmptyText`] for no name, or a failure of the data plane.
pub fn add_person(store: &mut dyn MemoryWriter, clock: &dyn Clock, name: &str, aliases: &[String]) -> Result<Person> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err(MemoryError::EmptyText);
    }
    let known = store.people_named(&name_key(&name))?;
    let mut person = match &known[..] {
        [] => Person { id: fresh_id(clock.now())?, name: name.clone(), spellings: vec![spelling(&name)] },
        [one] => one.clone(),
        several => {
            let people = several.iter().map(|person| person.name.clone()).collect();
            return Err(MemoryError::AmbiguousPerson { name, people });
        }
    };
    for alias in aliases.iter().map(|alias| spelling(alias)).filter(|alias| !alias.key.is_empty()) {
        if !person.spellings.iter().any(|known| known.key == alias.key) {
            person.spellings.push(alias);
        }
    }
    store.put_person(&person, clock.now())?;
    // As the store orders the spellings.
    Ok(store.find_person(person.id)?.unwrap_or(person))
}

/// Makes one person of two: everything of the first is the second's from now on.
///
/// # Errors
/// [`MemoryError::SamePerson`], or a failure of the data plane.
pub fn merge_people(store: &mut dyn MemoryWriter, clock: &dyn Clock, from: MemoryId, into: MemoryId) -> Result<()> {
    if from == into {
        return Err(MemoryError::SamePerson);
    }
    Ok(store.merge_people(from, into, clock.now())?)
}

fn spelling(text: &str) -> Spelling {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Spelling { key: name_key(&text), text }
}
