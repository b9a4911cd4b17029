//! Notes, revisions, suggestions and people in SQL.

use bethink_core::{MemoryId, UnixMillis};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};

use super::log::{count, memory_id};
use crate::memory::{
    Author, MemoryChange, MemoryChanged, Note, NoteContent, NoteFilter, NoteKind, NoteWrite, Person, Revision,
    ScoredNote, Spelling, Suggestion, Written,
};
use crate::sqlite::failure::{Attempt, undecodable};
use crate::sqlite::reader::{find, one, rows};
use crate::sqlite::row::limit_column;

/// Columns that [`note`] decodes, of the table `note`.
const NOTE: &str = "note.id, note.kind, note.identity, note.person, note.created, note.updated, note.version, \
                    note.user_edited, note.about, note.source, note.title, note.tags, note.body";

/// Columns that [`content`] decodes.
const CONTENT: &str = "about, source, title, tags, body";

/// The state of a suggestion that waits for the owner's word.
const OPEN: i64 = 0;
const ACCEPTED: i64 = 1;
const DISMISSED: i64 = 2;

pub(super) fn find_note(connection: &Connection, id: MemoryId) -> Attempt<Option<Note>> {
    find(connection, &format!("SELECT {NOTE} FROM note WHERE id = ?1"), [id.0], note)
}

pub(super) fn note_of(connection: &Connection, kind: NoteKind, identity: &str) -> Attempt<Option<Note>> {
    let sql = format!("SELECT {NOTE} FROM note WHERE kind = ?1 AND identity = ?2");
    find(connection, &sql, params![kind.name(), identity], note)
}

fn number_of(connection: &Connection, id: MemoryId) -> Attempt<i64> {
    one(connection, "SELECT number FROM note WHERE id = ?1", [id.0], |row| row.get(0))
}

pub(super) fn write(connection: &Connection, write: &NoteWrite) -> Attempt<Written> {
    let known = note_of(connection, write.kind, &write.identity)?;
    if write.expected.is_some_and(|expected| expected != known.as_ref().map_or(0, |note| note.version)) {
        return Ok(Written::Stale(known));
    }
    let Some(known) = known else {
        let sql = "INSERT INTO note (id, kind, identity, person, noted, created, updated, version, user_edited, about, \
                   source, title, tags, body) VALUES (?1, ?2, ?3, ?4, 0, ?5, ?5, 0, 0, NULL, NULL, '', '', '')";
        connection.prepare_cached(sql)?.execute(params![
            write.id.0,
            write.kind.name(),
            write.identity,
            write.person.map(|person| person.0),
            write.at.0
        ])?;
        return Ok(Written::Created(say(connection, write.id, write)?));
    };
    let person = write.person.or(known.person);
    if known.content == write.content && known.person == person {
        return Ok(Written::Unchanged(known));
    }
    if known.user_edited && write.author != Author::Owner {
        return suggest(connection, known, write);
    }
    let write = NoteWrite { person, ..write.clone() };
    Ok(Written::Updated(say(connection, known.id, &write)?))
}

/// Makes a note say something, with its revision and its words.
fn say(connection: &Connection, id: MemoryId, write: &NoteWrite) -> Attempt<Note> {
    let number = number_of(connection, id)?;
    let content = &write.content;
    let tags = content.tags.join("\n");
    let about = content.about.map(|about| about.0);
    let person = write.person.map(|person| person.0);
    let sql = "UPDATE note SET person = ?2, noted = ?3, updated = ?4, version = version + 1, \
               user_edited = user_edited OR ?5, about = ?6, source = ?7, title = ?8, tags = ?9, body = ?10 \
               WHERE number = ?1";
    let by_owner = write.author == Author::Owner;
    let noted = about.unwrap_or(write.at.0);
    connection.prepare_cached(sql)?.execute(params![
        number,
        person,
        noted,
        write.at.0,
        by_owner,
        about,
        content.source,
        content.title,
        tags,
        content.body
    ])?;
    let sql = "INSERT INTO revision (note, version, recorded, author, person, about, source, title, tags, body) \
               SELECT number, version, ?2, ?3, person, about, source, title, tags, body FROM note WHERE number = ?1";
    connection.prepare_cached(sql)?.execute(params![number, write.at.0, write.author.name()])?;
    connection.prepare_cached("DELETE FROM note_term WHERE note = ?1")?.execute([number])?;
    let mut terms = connection.prepare_cached("INSERT OR REPLACE INTO note_term VALUES (?1, ?2, ?3)")?;
    for (term, worth) in &write.terms {
        terms.execute(params![term, number, worth])?;
    }
    connection.prepare_cached("DELETE FROM note_tag WHERE note = ?1")?.execute([number])?;
    let mut tags = connection.prepare_cached("INSERT OR IGNORE INTO note_tag VALUES (?1, ?2)")?;
    for key in &write.tag_keys {
        tags.execute(params![key, number])?;
    }
    one(connection, &format!("SELECT {NOTE} FROM note WHERE number = ?1"), [number], note)
}

fn suggest(connection: &Connection, note: Note, write: &NoteWrite) -> Attempt<Written> {
    let number = number_of(connection, note.id)?;
    let sql = format!("SELECT state, number, made, author, {CONTENT} FROM suggestion WHERE note = ?1");
    let known = rows(connection, &sql, [number], |row| Ok((row.get::<_, i64>(0)?, suggestion(row, 1, note.id)?)))?;
    for (state, known) in known.into_iter().filter(|(_, known)| known.content == write.content) {
        match state {
            OPEN => return Ok(Written::Suggested(note, known)),
            DISMISSED => return Ok(Written::Dismissed(note)),
            // Accepted once and written over by the owner since: worth suggesting again.
            _ => {}
        }
    }
    let content = &write.content;
    let sql = "INSERT INTO suggestion (note, made, author, about, source, title, tags, body) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    connection.prepare_cached(sql)?.execute(params![
        number,
        write.at.0,
        write.author.name(),
        content.about.map(|about| about.0),
        content.source,
        content.title,
        content.tags.join("\n"),
        content.body
    ])?;
    let made = Suggestion {
        number: connection.last_insert_rowid().cast_unsigned(),
        note: note.id,
        made: write.at,
        author: write.author,
        content: content.clone(),
    };
    Ok(Written::Suggested(note, made))
}

pub(super) fn suggestions(connection: &Connection, limit: usize) -> Attempt<Vec<(Note, Suggestion)>> {
    let sql = format!(
        "SELECT {NOTE}, suggestion.number, suggestion.made, suggestion.author, suggestion.about, suggestion.source, \
         suggestion.title, suggestion.tags, suggestion.body FROM suggestion JOIN note ON note.number = suggestion.note \
         WHERE suggestion.state = {OPEN} ORDER BY suggestion.number LIMIT ?1"
    );
    rows(connection, &sql, [limit_column(limit)], |row| {
        let note = note(row)?;
        let suggestion = suggestion(row, 13, note.id)?;
        Ok((note, suggestion))
    })
}

pub(super) fn open_suggestion(connection: &Connection, number: u64) -> Attempt<Option<(Note, Suggestion)>> {
    let number = number.cast_signed();
    let sql = format!(
        "SELECT {NOTE} FROM note JOIN suggestion ON suggestion.note = note.number \
                       WHERE suggestion.number = ?1 AND suggestion.state = {OPEN}"
    );
    let Some(note) = find(connection, &sql, [number], note)? else { return Ok(None) };
    let sql = format!("SELECT number, made, author, {CONTENT} FROM suggestion WHERE number = ?1");
    let suggestion = one(connection, &sql, [number], |row| suggestion(row, 0, note.id))?;
    Ok(Some((note, suggestion)))
}

pub(super) fn decide(
    connection: &Connection,
    number: u64,
    accepted: Option<&NoteWrite>,
    at: UnixMillis,
) -> Attempt<bool> {
    let state = if accepted.is_some() { ACCEPTED } else { DISMISSED };
    let sql = format!("UPDATE suggestion SET state = ?2, decided = ?3 WHERE number = ?1 AND state = {OPEN}");
    if connection.prepare_cached(&sql)?.execute(params![number.cast_signed(), state, at.0])? == 0 {
        return Ok(false);
    }
    if let Some(accepted) = accepted {
        write(connection, accepted)?;
    }
    Ok(true)
}

pub(super) fn history(connection: &Connection, id: MemoryId) -> Attempt<Vec<Revision>> {
    let sql = "SELECT revision.version, recorded, author, revision.about, revision.source, revision.title, revision.tags, revision.body \
               FROM revision JOIN note ON note.number = revision.note WHERE note.id = ?1 ORDER BY revision.version DESC";
    rows(connection, sql, [id.0], |row| {
        Ok(Revision {
            version: count(row, 0)?,
            recorded: UnixMillis(row.get(1)?),
            author: author(row, 2)?,
            content: content(row, 3)?,
        })
    })
}

/// What every note is asked by, as SQL and its values.
fn conditions(filter: &NoteFilter) -> (String, Vec<Value>) {
    let mut conditions = vec!["true".to_owned()];
    let mut values = Vec::new();
    if !filter.kinds.is_empty() {
        conditions.push(format!("note.kind IN ({})", vec!["?"; filter.kinds.len()].join(", ")));
        values.extend(filter.kinds.iter().map(|kind| Value::Text(kind.name().to_owned())));
    }
    if !filter.people.is_empty() {
        conditions.push(format!("note.person IN ({})", vec!["?"; filter.people.len()].join(", ")));
        values.extend(filter.people.iter().map(|person| Value::Blob(person.0.to_vec())));
    }
    if let Some(tag) = &filter.tag {
        conditions.push("EXISTS (SELECT 1 FROM note_tag WHERE key = ? AND note_tag.note = note.number)".to_owned());
        values.push(Value::Text(tag.clone()));
    }
    if let Some(from) = filter.from {
        conditions.push("note.noted >= ?".to_owned());
        values.push(Value::Integer(from.0));
    }
    if let Some(until) = filter.until {
        conditions.push("note.noted < ?".to_owned());
        values.push(Value::Integer(until.0));
    }
    (conditions.join(" AND "), values)
}

pub(super) fn notes(
    connection: &Connection,
    filter: &NoteFilter,
    terms: Option<&[String]>,
    limit: usize,
) -> Attempt<Vec<ScoredNote>> {
    let (conditions, facets) = conditions(filter);
    let scored = |row: &Row<'_>| Ok(ScoredNote { note: note(row)?, worth: count(row, 13)?, words: count(row, 14)? });
    let Some(terms) = terms else {
        let sql = format!(
            "SELECT {NOTE}, 0, 0 FROM note WHERE {conditions} ORDER BY note.noted DESC, note.number DESC LIMIT ?"
        );
        let values = facets.into_iter().chain([Value::Integer(limit_column(limit))]);
        return rows(connection, &sql, params_from_iter(values), scored);
    };
    // The best first by what is narrow, their texts after that.
    let sql = format!(
        "SELECT {NOTE}, best.worth, best.words FROM (\
             SELECT note.number AS number, sum(note_term.worth) AS worth, count(*) AS words \
             FROM note_term CROSS JOIN note ON note.number = note_term.note \
             WHERE note_term.term IN ({}) AND {conditions} GROUP BY note.number \
             ORDER BY worth DESC, note.noted DESC, note.number DESC LIMIT ?) AS best \
         JOIN note ON note.number = best.number ORDER BY best.worth DESC, note.noted DESC, note.number DESC",
        vec!["?"; terms.len()].join(", ")
    );
    let values = terms.iter().map(|term| Value::Text(term.clone())).chain(facets);
    rows(connection, &sql, params_from_iter(values.chain([Value::Integer(limit_column(limit))])), scored)
}

pub(super) fn forget_note(connection: &Connection, id: MemoryId, at: UnixMillis) -> Attempt<bool> {
    if find_note(connection, id)?.is_none() {
        return Ok(false);
    }
    let sql = "INSERT OR IGNORE INTO note_tombstone (id, forgotten) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![id.0, at.0])?;
    connection.prepare_cached("DELETE FROM note WHERE id = ?1")?.execute([id.0])?;
    Ok(true)
}

pub(super) fn people(connection: &Connection) -> Attempt<Vec<Person>> {
    let ids = rows(connection, "SELECT id FROM person ORDER BY name, id", [], |row| memory_id(row, 0))?;
    let mut people = Vec::with_capacity(ids.len());
    for id in ids {
        people.extend(find_person(connection, id)?);
    }
    Ok(people)
}

pub(super) fn find_person(connection: &Connection, id: MemoryId) -> Attempt<Option<Person>> {
    let Some(name) = find(connection, "SELECT name FROM person WHERE id = ?1", [id.0], |row| row.get::<_, String>(0))?
    else {
        return Ok(None);
    };
    let sql = "SELECT key, spelling FROM person_name WHERE person = ?1 ORDER BY spelling <> ?2, spelling";
    let spellings =
        rows(connection, sql, params![id.0, name], |row| Ok(Spelling { key: row.get(0)?, text: row.get(1)? }))?;
    Ok(Some(Person { id, name, spellings }))
}

pub(super) fn people_named(connection: &Connection, key: &str) -> Attempt<Vec<Person>> {
    let sql = "SELECT person FROM person_name WHERE key = ?1 ORDER BY person";
    let ids = rows(connection, sql, [key], |row| memory_id(row, 0))?;
    let mut people = Vec::with_capacity(ids.len());
    for id in ids {
        people.extend(find_person(connection, id)?);
    }
    Ok(people)
}

pub(super) fn put_person(connection: &Connection, person: &Person, at: UnixMillis) -> Attempt<()> {
    if find_person(connection, person.id)?.as_ref() == Some(person) {
        return Ok(());
    }
    let sql = "INSERT INTO person (id, name, created, updated) VALUES (?1, ?2, ?3, ?3) \
               ON CONFLICT (id) DO UPDATE SET name = excluded.name, updated = excluded.updated";
    connection.prepare_cached(sql)?.execute(params![person.id.0, person.name, at.0])?;
    let sql = "INSERT INTO person_name (key, person, spelling) VALUES (?1, ?2, ?3) \
               ON CONFLICT (key, person) DO UPDATE SET spelling = excluded.spelling";
    for spelling in &person.spellings {
        connection.prepare_cached(sql)?.execute(params![spelling.key, person.id.0, spelling.text])?;
    }
    Ok(())
}

pub(super) fn merge_people(connection: &Connection, from: MemoryId, into: MemoryId, at: UnixMillis) -> Attempt<()> {
    let sql = "UPDATE OR IGNORE person_name SET person = ?2 WHERE person = ?1";
    connection.prepare_cached(sql)?.execute([from.0, into.0])?;
    connection.prepare_cached("UPDATE note SET person = ?2 WHERE person = ?1")?.execute([from.0, into.0])?;
    connection.prepare_cached("DELETE FROM person WHERE id = ?1")?.execute([from.0])?;
    connection.prepare_cached("UPDATE person SET updated = ?2 WHERE id = ?1")?.execute(params![into.0, at.0])?;
    Ok(())
}

pub(super) fn changes_after(connection: &Connection, after: u64, limit: usize) -> Attempt<Vec<MemoryChange>> {
    let sql = "SELECT sequence, kind, item FROM change WHERE sequence > ?1 ORDER BY sequence LIMIT ?2";
    rows(connection, sql, params![after.cast_signed(), limit_column(limit)], |row| {
        let item = memory_id(row, 2)?;
        let changed = match row.get::<_, i64>(1)? {
            0 => MemoryChanged::Note(item),
            1 => MemoryChanged::Person(item),
            _ => return Err(undecodable(1, "kind of change")),
        };
        Ok(MemoryChange { sequence: count(row, 0)?, changed })
    })
}

fn note(row: &Row<'_>) -> rusqlite::Result<Note> {
    let kind: String = row.get(1)?;
    Ok(Note {
        id: memory_id(row, 0)?,
        kind: NoteKind::from_name(&kind).ok_or_else(|| undecodable(1, "kind of note"))?,
        identity: row.get(2)?,
        person: row.get::<_, Option<[u8; 16]>>(3)?.map(MemoryId),
        created: UnixMillis(row.get(4)?),
        updated: UnixMillis(row.get(5)?),
        version: count(row, 6)?,
        user_edited: row.get(7)?,
        content: content(row, 8)?,
    })
}

/// What stands in five columns: about, source, title, tags, body.
fn content(row: &Row<'_>, first: usize) -> rusqlite::Result<NoteContent> {
    let tags: String = row.get(first + 3)?;
    Ok(NoteContent {
        about: row.get::<_, Option<i64>>(first)?.map(UnixMillis),
        source: row.get(first + 1)?,
        title: row.get(first + 2)?,
        tags: tags.lines().map(str::to_owned).collect(),
        body: row.get(first + 4)?,
    })
}

/// What stands in eight columns: number, made, author, and a content.
fn suggestion(row: &Row<'_>, first: usize, note: MemoryId) -> rusqlite::Result<Suggestion> {
    Ok(Suggestion {
        number: count(row, first)?,
        note,
        made: UnixMillis(row.get(first + 1)?),
        author: author(row, first + 2)?,
        content: content(row, first + 3)?,
    })
}

fn author(row: &Row<'_>, column: usize) -> rusqlite::Result<Author> {
    let name: String = row.get(column)?;
    Author::from_name(&name).ok_or_else(|| undecodable(column, "author"))
}
