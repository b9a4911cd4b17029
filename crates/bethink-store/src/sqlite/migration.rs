//! The schema's versions, and the way from each to the next.
//!
//! The version stands in SQLite's `user_version`. A migration is one numbered file of SQL, applied in
//! one transaction together with the new version, so a killed migration leaves the version before it.
//! Two processes that migrate at once both end well: the version is asked again under the lock.
//! Refuses: a database of a newer bethink, and a database of somebody else.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::failure::Attempt;
use crate::StoreError;

/// "bthk", set by the first migration: tells our file from another program's.
const APPLICATION_ID: i32 = 0x6274_686B;

/// Every migration, in order; the first makes version 1.
const MIGRATIONS: [&str; 2] =
    [include_str!("migrations/001-documents.sql"), include_str!("migrations/002-vectors.sql")];

/// The version that this build reads and writes.
pub(super) const NEWEST: u32 = MIGRATIONS.len() as u32;

/// The version of an open database, 0 for an empty one.
///
/// # Errors
/// [`StoreError::Newer`] and, for a database that is not ours, [`StoreError::Damaged`].
pub(super) fn check(connection: &Connection, path: &Path) -> Attempt<u32> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let objects: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    // Another process may commit the first migration between those three questions; only what
    // cannot come from that is a stranger's.
    if objects > 0 && application != APPLICATION_ID && application_id_now(connection)? != APPLICATION_ID {
        let detail = "it is a database of another program".to_owned();
        return Err(StoreError::Damaged { path: path.to_path_buf(), detail }.into());
    }
    match u32::try_from(found) {
        Ok(found) if found <= NEWEST => Ok(found),
        Ok(found) => Err(StoreError::Newer { path: path.to_path_buf(), found, known: NEWEST }.into()),
        Err(_) => {
            let detail = "its schema version is negative".to_owned();
            Err(StoreError::Damaged { path: path.to_path_buf(), detail }.into())
        }
    }
}

fn application_id_now(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "application_id", |row| row.get(0))
}

/// Brings the database to the newest version.
pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Attempt<()> {
    migrate_to(connection, path, NEWEST)
}

fn migrate_to(connection: &mut Connection, path: &Path, target: u32) -> Attempt<()> {
    while check(connection, path)? < target {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Asked again under the lock: another process may have migrated while we waited for it.
        let found = check(&transaction, path)?;
        if let Some(migration) = MIGRATIONS.get(found as usize)
            && found < target
        {
            transaction.execute_batch(migration)?;
            transaction.pragma_update(None, "user_version", found + 1)?;
            transaction.commit()?;
            tracing::info!(version = found + 1, "migrated the index");
        }
    }
    Ok(())
}
