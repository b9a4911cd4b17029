//! When files were opened, as desktops recorded it in SQLite databases of their own.
//!
//! Two are known: KDE's activity manager (`~/.local/share/kactivitymanagerd/resources/database`)
//! and Zeitgeist (`activity.sqlite`). Promises: nothing is written, not even beside the database;
//! a database without the tables we know has recorded nothing. Refuses: to guess at other schemas.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bethink_core::{UnixMillis, path_from_bytes};
use rusqlite::{Connection, OpenFlags, Row};

use super::connection::{has_log, open_immutable};
use super::failure::Attempt;
use crate::Result;

/// A desktop's database is read for a moment only; where it is locked for longer, its times are
/// worth less than the wait.
const WAIT: std::time::Duration = std::time::Duration::from_millis(200);

/// KActivities: a resource is a path, or an address, and the time is in seconds.
const KACTIVITIES: &str = "SELECT targettedResource, lastUpdate * 1000 FROM ResourceScoreCache";

/// Zeitgeist: events refer to addresses, and the time is in milliseconds. Every interpretation of
/// an event (accessed, modified, created) means that the user was at the file.
const ZEITGEIST: &str = "SELECT uri.value, max(event.timestamp) FROM event JOIN uri ON uri.id = event.subj_id \
                         GROUP BY uri.value";

/// Every file that a desktop's activity database knows, with the last time that it was opened, in
/// the order of paths. A file that is not there has recorded nothing.
///
/// # Errors
/// [`Damaged`](crate::StoreError::Damaged), [`Busy`](crate::StoreError::Busy) or
/// [`Open`](crate::StoreError::Open), as for the index itself.
pub fn read_opened(path: &Path) -> Result<Vec<(PathBuf, UnixMillis)>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let read = || -> Attempt<Vec<(PathBuf, UnixMillis)>> {
        let connection = open(path)?;
        let mut opened = BTreeMap::new();
        for (tables, sql) in [(&["ResourceScoreCache"][..], KACTIVITIES), (&["event", "uri"][..], ZEITGEIST)] {
            if has_tables(&connection, tables)? {
                collect(&connection, sql, &mut opened)?;
            }
        }
        Ok(opened.into_iter().collect())
    };
    read().map_err(|fault| fault.told(path, "read a desktop's record of opened files"))
}

fn open(path: &Path) -> Attempt<Connection> {
    // A read-only connection to a database with a write-ahead log would leave files beside it,
    // unless its owner has it open, which shows by the log being there.
    let connection = if has_log(path) {
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?
    } else {
        open_immutable(path)?
    };
    connection.busy_timeout(WAIT)?;
    Ok(connection)
}

fn has_tables(connection: &Connection, tables: &[&str]) -> Attempt<bool> {
    for table in tables {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ?1";
        if connection.query_row(sql, [table], |row| row.get::<_, i64>(0))? == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

fn collect(connection: &Connection, sql: &str, opened: &mut BTreeMap<PathBuf, UnixMillis>) -> Attempt<()> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Some((path, at)) = decode(row)? {
            let latest = opened.entry(path).or_insert(at);
            *latest = (*latest).max(at);
        }
    }
    Ok(())
}

/// A row that names a local file and a time; other rows say nothing about files.
fn decode(row: &Row<'_>) -> rusqlite::Result<Option<(PathBuf, UnixMillis)>> {
    let Ok(resource) = row.get_ref(0)?.as_bytes() else { return Ok(None) };
    let Ok(at) = row.get_ref(1)?.as_i64() else { return Ok(None) };
    Ok(local_path(resource).map(|path| (path, UnixMillis(at))))
}

/// The path of a resource: an absolute path as it stands, or a `file://` address decoded.
fn local_path(resource: &[u8]) -> Option<PathBuf> {
    let bytes = match resource.strip_prefix(b"file://") {
        // Between the two slashes and the path may stand the name of this host.
        Some(address) => percent_decoded(&address[address.iter().position(|byte| *byte == b'/')?..])?,
        None => resource.to_vec(),
    };
    let path = path_from_bytes(&bytes);
    let is_plain = path.is_absolute() && !bytes.contains(&0);
    is_plain.then_some(path)
}

fn percent_decoded(address: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(address.len());
    let mut rest = address;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte == b'%' {
            let (digits, after) = rest.split_at_checked(2)?;
            let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
            decoded.push(u8::from_str_radix(digits, 16).ok()?);
            rest = after;
        } else {
            decoded.push(*byte);
        }
    }
    Some(decoded)
}
