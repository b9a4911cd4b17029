//! Opening the database file: who may do what, how long a lock is waited for, what is kept in memory.
//!
//! Promises: opening costs about a millisecond, since every query is a new process; the file is
//! readable by its owner only; no other process's write makes a call fail before [`BUSY_TIMEOUT`].
//! Refuses: to check integrity at open, which reads the whole file; damage is told where it is met.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::failure::{Attempt, Fault};
use super::migration::{self, Schema};
use crate::{Result, StoreError};

/// How long a lock of another process is waited for. Batches take milliseconds; only a purge of a
/// large index holds the lock for longer than this.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How long to wait between two attempts where SQLite does not wait by itself.
const RETRY_PAUSE: Duration = Duration::from_millis(2);

/// Address space through which pages are read without copying, in bytes. Pages read so count as
/// resident, and a query process has to stay small whatever the index's size.
const MAPPED_BYTES: u32 = 64 << 20;

/// Page cache in KiB (negative is SQLite's way to say KiB). A batch of 20 files fits; a larger one
/// spills into the write-ahead log, so memory stays bounded.
const CACHE_KIB: i32 = -8192;

/// Pages in the write-ahead log after which a commit moves them into the database: 4 MiB.
const CHECKPOINT_PAGES: u32 = 1000;

/// The write-ahead log is cut back to this many bytes when it starts over, so that one large file
/// does not leave a large log behind.
const LOG_BYTES_KEPT: u32 = 16 << 20;

/// Prepared statements kept by a connection: more than there are in this module.
const STATEMENTS_KEPT: usize = 128;

/// Opens for reading and writing, creating and migrating as needed.
pub(super) fn open_writer(path: &Path, schema: &Schema) -> Result<Connection> {
    let path = &absolute(path)?;
    create_private(path).map_err(|source| StoreError::Open { path: path.clone(), source: Box::new(source) })?;
    let open = || -> Attempt<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        configure(&connection, schema)?;
        connection.execute_batch(&format!(
            "PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}; \
             PRAGMA journal_size_limit = {LOG_BYTES_KEPT};"
        ))?;
        migration::check(&connection, schema, path)?;
        use_write_ahead_log(&connection)?;
        migration::migrate(&mut connection, schema, path)?;
        Ok(connection)
    };
    open().map_err(|fault| fault.told(path, "opened the index"))
}

/// Opens for reading. `None` where no index has been made yet.
pub(super) fn open_reader(path: &Path, schema: &Schema) -> Result<Option<Connection>> {
    let path = &absolute(path)?;
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.len() == 0 && !has_log(path) => return Ok(None),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::Open { path: path.clone(), source: Box::new(error) }),
    }
    let open = || -> Attempt<Option<Connection>> {
        let connection = open_read_only(path, schema)?;
        match migration::check(&connection, schema, path)? {
            0 => Ok(None),
            found if found < schema.newest() => {
                // The first process after an upgrade is often a query; it must not send the user away.
                drop(connection);
                drop(open_writer(path, schema)?);
                Ok(Some(open_read_only(path, schema)?))
            }
            _ => Ok(Some(connection)),
        }
    };
    open().map_err(|fault| fault.told(path, "opened the index"))
}

fn open_read_only(path: &Path, schema: &Schema) -> Attempt<Connection> {
    let ordinary = || -> Attempt<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        configure(&connection, schema)?;
        // The first read is what needs the log's companion file, which a read-only folder refuses.
        connection.pragma_query_value(None, "schema_version", |row| row.get::<_, i64>(0))?;
        Ok(connection)
    };
    match ordinary() {
        // A folder that cannot be written to, as on a backup medium. Without a log there is nothing
        // that the file alone does not say.
        Err(fault) if fault.is_refused() && !has_log(path) => {
            let connection = open_immutable(path)?;
            configure(&connection, schema)?;
            Ok(connection)
        }
        other => other,
    }
}

/// Opens a database that nobody writes to, without creating anything beside it.
pub(super) fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(immutable_uri(path), flags)
}

fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in bethink_core::path_bytes(path) {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri.push_str("?immutable=1");
    uri
}

/// Whether a write-ahead log with something in it lies beside the database.
pub(super) fn has_log(path: &Path) -> bool {
    std::fs::metadata(log_path(path)).is_ok_and(|metadata| metadata.len() > 0)
}

/// Where the write-ahead log of a database lies.
pub(super) fn log_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

fn absolute(path: &Path) -> Result<PathBuf> {
    // An absolute path can never be taken for one of SQLite's `file:` addresses.
    std::path::absolute(path).map_err(|source| StoreError::Open { path: path.to_path_buf(), source: Box::new(source) })
}

/// Makes the file before SQLite does, so that what it holds is never readable by others; the
/// write-ahead log takes its permissions over.
fn create_private(path: &Path) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn configure(connection: &Connection, schema: &Schema) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    let synchronous = schema.synchronous;
    connection.execute_batch(&format!(
        "PRAGMA foreign_keys = ON; PRAGMA synchronous = {synchronous}; PRAGMA cell_size_check = ON; \
         PRAGMA cache_size = {CACHE_KIB}; PRAGMA mmap_size = {MAPPED_BYTES};"
    ))
}

/// Switches to the write-ahead log once. SQLite does not wait for locks here, so we do.
fn use_write_ahead_log(connection: &Connection) -> Attempt<()> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        let switched = || -> rusqlite::Result<String> {
            let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
            if mode == "wal" {
                return Ok(mode);
            }
            connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
        };
        match switched().map_err(Fault::from) {
            Ok(mode) if mode == "wal" => return Ok(()),
            Err(fault) if !fault.is_busy() || Instant::now() >= deadline => return Err(fault),
            Ok(_) if Instant::now() >= deadline => {
                return Err(StoreError::Busy { waited_secs: BUSY_TIMEOUT.as_secs() }.into());
            }
            _ => std::thread::sleep(RETRY_PAUSE),
        }
    }
}
