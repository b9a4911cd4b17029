//! Purging what deletion left behind.
//!
//! `secure_delete` zeroes deleted rows, but a page that was split keeps copies of the rows that moved
//! off it in its unused part (of 3,000 deleted names among 9,000, two were found again), and the
//! write-ahead log keeps whole old pages. Only writing the database
//! anew and cutting the log to nothing is certain, so that is done whenever something was deleted
//! since the last time; a purge after pure additions costs a checkpoint.

use rusqlite::Connection;

use super::failure::Attempt;
use super::reader::{newest_change, one};
use crate::StoreError;

/// Changes kept in the log. A cache that is further behind is rebuilt, which for so many changes is
/// hardly slower than replaying them; a change is about 12 bytes.
const KEPT_CHANGES: u64 = 100_000;

/// The database is also written anew when at least one page in this many is free.
const FREE_PAGE_SHARE: i64 = 4;

/// Takes changes that no cache should need off the log.
pub(super) fn prune_changes(connection: &Connection) -> Attempt<()> {
    let through = newest_change(connection)?.0.saturating_sub(KEPT_CHANGES).cast_signed();
    let sql = "UPDATE meta SET pruned_through = ?1 WHERE pruned_through < ?1";
    if connection.prepare_cached(sql)?.execute([through])? > 0 {
        connection.prepare_cached("DELETE FROM change WHERE sequence <= ?1")?.execute([through])?;
    }
    Ok(())
}

/// Writes the database anew where something was deleted, and empties the write-ahead log.
pub(super) fn purge(connection: &Connection) -> Attempt<()> {
    let residue: i64 = one(connection, "SELECT residue FROM meta", [], |row| row.get(0))?;
    let count = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let many_free = count("freelist_count")?.saturating_mul(FREE_PAGE_SHARE) > count("page_count")?;
    if residue > 0 || many_free {
        connection.execute_batch("VACUUM")?;
        // Taken off, not set to zero: another process may have deleted since the question above.
        connection.prepare_cached("UPDATE meta SET residue = residue - ?1")?.execute([residue])?;
    }
    let blocked: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if blocked != 0 {
        return Err(StoreError::Busy { waited_secs: super::connection::BUSY_TIMEOUT.as_secs() }.into());
    }
    Ok(())
}
