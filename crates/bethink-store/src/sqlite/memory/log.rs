//! Events and tombstones in SQL.

use bethink_core::{MemoryId, UnixMillis};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};

use crate::memory::{EventFilter, EventKind, Inserted, LogState, LoggedEvent, MemoryEvent, Tombstone};
use crate::sqlite::failure::{Attempt, undecodable};
use crate::sqlite::reader::{find, one, rows};
use crate::sqlite::row::limit_column;

/// Columns that [`logged`] decodes.
const EVENT: &str = "position, id, time, kind, device, zone, source, thread, person, person_key, text";

pub(super) fn state(connection: &Connection) -> Attempt<LogState> {
    // Positions are given in order and most are still there, but only counting says how many.
    let sql = "SELECT coalesce((SELECT max(position) FROM event), 0), \
               coalesce((SELECT max(sequence) FROM tombstone), 0), (SELECT count(*) FROM event)";
    one(connection, sql, [], |row| {
        Ok(LogState { newest: count(row, 0)?, forgotten: count(row, 1)?, events: count(row, 2)? })
    })
}

pub(super) fn find_event(connection: &Connection, id: MemoryId) -> Attempt<Option<LoggedEvent>> {
    find(connection, &format!("SELECT {EVENT} FROM event WHERE id = ?1"), [id.0], logged)
}

pub(super) fn events_after(
    connection: &Connection,
    after: u64,
    limit: usize,
    bytes: usize,
) -> Attempt<Vec<LoggedEvent>> {
    let sql = format!("SELECT {EVENT} FROM event WHERE position > ?1 ORDER BY position LIMIT ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = Vec::new();
    let mut held = 0_usize;
    for event in statement.query_map(params![after.cast_signed(), limit_column(limit)], logged)? {
        let event = event?;
        held = held.saturating_add(event.event.text.len());
        found.push(event);
        if held >= bytes {
            break;
        }
    }
    Ok(found)
}

pub(super) fn newest_events(
    connection: &Connection,
    filter: &EventFilter,
    behind: Option<(UnixMillis, u64)>,
    limit: usize,
) -> Attempt<Vec<LoggedEvent>> {
    let mut conditions = vec!["true".to_owned()];
    let mut values: Vec<Value> = Vec::new();
    let mut one_of = |column: &str, choices: Vec<String>, values: &mut Vec<Value>| {
        if !choices.is_empty() {
            conditions.push(format!("{column} IN ({})", vec!["?"; choices.len()].join(", ")));
            values.extend(choices.into_iter().map(Value::Text));
        }
    };
    one_of("kind", filter.kinds.iter().map(|kind| kind.name().to_owned()).collect(), &mut values);
    one_of("person_key", filter.people.clone(), &mut values);
    one_of("thread", filter.thread.iter().cloned().collect(), &mut values);
    one_of("source", filter.source.iter().cloned().collect(), &mut values);
    if let Some(from) = filter.from {
        conditions.push("time >= ?".to_owned());
        values.push(Value::Integer(from.0));
    }
    if let Some(until) = filter.until {
        conditions.push("time < ?".to_owned());
        values.push(Value::Integer(until.0));
    }
    if let Some((time, position)) = behind {
        conditions.push("(time, position) < (?, ?)".to_owned());
        values.extend([Value::Integer(time.0), Value::Integer(position.cast_signed())]);
    }
    values.push(Value::Integer(limit_column(limit)));
    let conditions = conditions.join(" AND ");
    let sql = format!("SELECT {EVENT} FROM event WHERE {conditions} ORDER BY time DESC, position DESC LIMIT ?");
    rows(connection, &sql, params_from_iter(values), logged)
}

pub(super) fn events_at(connection: &Connection, positions: &[u64]) -> Attempt<Vec<LoggedEvent>> {
    let sql = format!("SELECT {EVENT} FROM event WHERE position = ?1");
    let mut found = Vec::with_capacity(positions.len());
    for position in positions {
        found.extend(find(connection, &sql, [position.cast_signed()], logged)?);
    }
    Ok(found)
}

pub(super) fn tombstones_after(connection: &Connection, after: u64, limit: usize) -> Attempt<Vec<Tombstone>> {
    let sql = "SELECT sequence, id, forgotten FROM tombstone WHERE sequence > ?1 ORDER BY sequence LIMIT ?2";
    rows(connection, sql, params![after.cast_signed(), limit_column(limit)], |row| {
        Ok(Tombstone { sequence: count(row, 0)?, id: memory_id(row, 1)?, forgotten: UnixMillis(row.get(2)?) })
    })
}

pub(super) fn insert(connection: &Connection, events: &[MemoryEvent]) -> Attempt<Vec<Inserted>> {
    let sql = "INSERT INTO event (id, time, kind, device, zone, source, thread, person, person_key, text) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let mut outcomes = Vec::with_capacity(events.len());
    for event in events {
        if let Some(known) = find_event(connection, event.id)? {
            let same = known.event.text == event.text && known.event.kind == event.kind;
            outcomes.push(if same { Inserted::Present } else { Inserted::Conflicting });
            continue;
        }
        let sought = "SELECT 1 FROM tombstone WHERE id = ?1";
        if find(connection, sought, [event.id.0], |_| Ok(()))?.is_some() {
            outcomes.push(Inserted::Forgotten);
            continue;
        }
        connection.prepare_cached(sql)?.execute(params![
            event.id.0,
            event.time.0,
            event.kind.name(),
            event.device,
            event.zone,
            event.source,
            event.thread,
            event.person,
            event.person_key,
            event.text
        ])?;
        outcomes.push(Inserted::New(connection.last_insert_rowid().cast_unsigned()));
    }
    Ok(outcomes)
}

pub(super) fn forget(connection: &Connection, ids: &[MemoryId], at: UnixMillis) -> Attempt<u64> {
    let mut forgotten = 0;
    for id in ids {
        if find(connection, "SELECT 1 FROM event WHERE id = ?1", [id.0], |_| Ok(()))?.is_none() {
            continue;
        }
        let sql = "INSERT INTO tombstone (id, forgotten) VALUES (?1, ?2)";
        connection.prepare_cached(sql)?.execute(params![id.0, at.0])?;
        forgotten += connection.prepare_cached("DELETE FROM event WHERE id = ?1")?.execute([id.0])? as u64;
    }
    Ok(forgotten)
}

fn logged(row: &Row<'_>) -> rusqlite::Result<LoggedEvent> {
    let kind: String = row.get(3)?;
    Ok(LoggedEvent {
        position: count(row, 0)?,
        event: MemoryEvent {
            id: memory_id(row, 1)?,
            time: UnixMillis(row.get(2)?),
            kind: EventKind::from_name(&kind).ok_or_else(|| undecodable(3, "kind of event"))?,
            device: row.get(4)?,
            zone: row.get(5)?,
            source: row.get(6)?,
            thread: row.get(7)?,
            person: row.get(8)?,
            person_key: row.get(9)?,
            text: row.get(10)?,
        },
    })
}

pub(super) fn memory_id(row: &Row<'_>, column: usize) -> rusqlite::Result<MemoryId> {
    Ok(MemoryId(row.get(column)?))
}

pub(super) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.cast_unsigned())
}
