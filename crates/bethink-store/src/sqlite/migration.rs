//! The schema's versions, and the way from each to the next.
//!
//! The version stands in SQLite's `user_version`. A migration is one numbered file of SQL, applied in
//! one transaction together with the new version, so a killed migration leaves the version before it.
//! Two processes that migrate at once both end well: the version is asked again under the lock.
//! Refuses: a database of a newer bethink, and a database of somebody else.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::connection::BUSY_TIMEOUT;
use super::failure::Attempt;
use crate::StoreError;

/// One of our databases: how it is told from others, how it grew, how much a commit of it is worth.
#[derive(Debug)]
pub(super) struct Schema {
    /// Set by the first migration: tells our file from another program's.
    pub application_id: i32,
    /// SQLite's `synchronous` setting.
    pub synchronous: &'static str,
    /// How long the right to write is waited for.
    pub patience: Duration,
    /// Every migration, in order; the first makes version 1.
    pub migrations: &'static [&'static str],
}

impl Schema {
    /// The version that this build reads and writes.
    pub(super) const fn newest(&self) -> u32 {
        self.migrations.len() as u32
    }
}

/// The derived index, "bthk". NORMAL: a power cut may lose the last batches but never the file; what was
/// lost is read from the disk again.
pub(super) const INDEX: Schema = Schema {
    application_id: 0x6274_686B,
    synchronous: "NORMAL",
    patience: BUSY_TIMEOUT,
    migrations: &[
        include_str!("migrations/001-documents.sql"),
        include_str!("migrations/002-vectors.sql"),
        include_str!("migrations/003-marks.sql"),
    ],
};

/// The version of an open database, 0 for an empty one.
///
/// # Errors
/// [`StoreError::Newer`] and, for a database that is not ours, [`StoreError::Damaged`].
pub(super) fn check(connection: &Connection, schema: &Schema, path: &Path) -> Attempt<u32> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let objects: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    // Another process may commit the first migration between those three questions; only what
    // cannot come from that is a stranger's.
    if objects > 0 && application != schema.application_id && application_id_now(connection)? != schema.application_id {
        let detail = "it is a database of another program".to_owned();
        return Err(StoreError::Damaged { path: path.to_path_buf(), detail }.into());
    }
    match u32::try_from(found) {
        Ok(found) if found <= schema.newest() => Ok(found),
        Ok(found) => Err(StoreError::Newer { path: path.to_path_buf(), found, known: schema.newest() }.into()),
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
pub(super) fn migrate(connection: &mut Connection, schema: &Schema, path: &Path) -> Attempt<()> {
    migrate_to(connection, schema, path, schema.newest())
}

pub(super) fn migrate_to(connection: &mut Connection, schema: &Schema, path: &Path, target: u32) -> Attempt<()> {
    while check(connection, schema, path)? < target {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Asked again under the lock: another process may have migrated while we waited for it.
        let found = check(&transaction, schema, path)?;
        if let Some(migration) = schema.migrations.get(found as usize)
            && found < target
        {
            transaction.execute_batch(migration)?;
            transaction.pragma_update(None, "user_version", found + 1)?;
            transaction.commit()?;
            tracing::info!(version = found + 1, "migrated a database");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::PathBuf;
    use std::sync::Barrier;
    use std::thread;

    use bethink_core::{ContentHash, ContentId, DocumentId, ModelId, Sequence};
    use tempfile::TempDir;

    use super::*;
    use crate::sqlite::{SqliteIndex, SqliteIndexReader};
    use crate::{IndexReader, IndexWriter, ModelSpec, Outcome, Tier};

    fn place() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("index.db");
        (folder, file)
    }

    /// A database as the bethink of that version left it, with two documents of one content in it.
    fn database_of_version(file: &Path, version: u32) {
        let mut connection = Connection::open(file).unwrap();
        migrate_to(&mut connection, &INDEX, file, version).unwrap();
        connection
            .execute_batch(
                "INSERT INTO root VALUES (1, CAST('/home' AS BLOB), 1, NULL, 5000);
                 INSERT INTO content VALUES (4, zeroblob(32), 'markdown', 1, 2, 2, 11, 2, 'Title', NULL);
                 INSERT INTO document VALUES
                     (7, 1, CAST('/home/a' AS BLOB), 11, 900, 0, 0, 0, zeroblob(32), 4, 0, NULL, NULL, 1),
                     (9, 1, CAST('/home/b' AS BLOB), 11, 950, 0, 0, 0, zeroblob(32), 4, 0, NULL, NULL, 1),
                     (11, 1, CAST('/home/c' AS BLOB), 0, 950, 0, 0, 0, NULL, NULL, 1, 'empty', 'no bytes', 1);
                 INSERT INTO passage (id, content, ordinal, key, start_byte, line, heading, locator, text) VALUES
                     (20, 4, 0, zeroblob(16), 0, 1, NULL, NULL, 'first\n'),
                     (21, 4, 1, zeroblob(16), 6, 2, x'0454697465', NULL, 'last\n');
                 INSERT INTO change VALUES (3, 0, 4), (4, 1, 7), (5, 1, 9);",
            )
            .unwrap();
        if version >= 2 {
            connection
                .execute_batch(
                    "INSERT INTO model VALUES (1, 'kept', 0, 2);
                     INSERT INTO vector VALUES (30, 1, 20, 4, zeroblob(16), x'003c0000');
                     INSERT INTO embedding_queue VALUES (21, 1, 950, NULL, NULL, NULL);",
                )
                .unwrap();
        }
    }

    fn check_contents(index: &mut SqliteIndex, version: u32) {
        let document = index.find_document_at(Path::new("/home/b")).unwrap().unwrap();
        assert_eq!((document.id, document.content), (DocumentId(9), Some(ContentId(4))));
        assert_eq!(document.hash, Some(ContentHash([0; 32])));
        let trouble = index.documents_with_trouble(None, 9).unwrap();
        assert!(matches!(&trouble[0].outcome, Outcome::Skipped { detail, .. } if detail == "no bytes"));
        let text: String = index.passages_of(ContentId(4)).unwrap().into_iter().map(|passage| passage.text).collect();
        assert_eq!(text, "first\nlast\n");
        assert_eq!(index.sequence().unwrap(), Sequence(5));
        assert_eq!(index.changes_after(Sequence(3), 9).unwrap().len(), 2);
        // Whatever came with later versions works on what is there.
        let id = ModelId(if version < 2 { "new" } else { "kept" }.to_owned());
        index.register_model(&ModelSpec { id: id.clone(), tier: Tier::Static, dimension: 2 }).unwrap();
        let progress = index.tiers().unwrap().remove(0);
        assert_eq!((progress.done, progress.pending), if version < 2 { (0, 2) } else { (1, 1) });
        let vectors = index.vectors_after(&id, Sequence(0), 9).unwrap();
        assert_eq!(vectors.len() as u64, progress.done);
        assert!(vectors.iter().all(|vector| vector.vector == [1.0, 0.0]));
    }

    #[test]
    fn every_earlier_version_is_brought_up_with_its_data() {
        for version in 1..=INDEX.newest() {
            let (_folder, file) = place();
            database_of_version(&file, version);
            let mut index = SqliteIndex::open(&file).unwrap();
            check_contents(&mut index, version);
            drop(index);
            // Once more changes nothing.
            assert_eq!(SqliteIndex::open(&file).unwrap().sequence().unwrap(), Sequence(5));
        }
    }

    #[test]
    fn a_reader_brings_an_earlier_version_up() {
        let (_folder, file) = place();
        database_of_version(&file, 1);
        let reader = SqliteIndexReader::open(&file).unwrap().unwrap();
        assert_eq!(reader.tiers().unwrap(), []);
        assert!(reader.find_document(DocumentId(7)).unwrap().is_some());
    }

    #[test]
    fn all_migrated_schemas_are_one_schema() {
        let schema = |version| {
            let (_folder, file) = place();
            database_of_version(&file, version);
            drop(SqliteIndex::open(&file).unwrap());
            let connection = Connection::open(&file).unwrap();
            let mut statement = connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").unwrap();
            let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
            rows.map(Result::unwrap).collect::<Vec<_>>()
        };
        for version in 1..INDEX.newest() {
            assert_eq!(schema(version), schema(INDEX.newest()));
        }
    }

    #[test]
    fn processes_that_migrate_at_once_end_well() {
        for _ in 0..10 {
            let (_folder, file) = place();
            database_of_version(&file, 1);
            let start = Barrier::new(4);
            thread::scope(|scope| {
                for opener in 0..4 {
                    let (file, start) = (&file, &start);
                    scope.spawn(move || {
                        start.wait();
                        if opener % 2 == 0 {
                            assert_eq!(SqliteIndex::open(file).unwrap().sequence().unwrap(), Sequence(5));
                        } else {
                            let reader = SqliteIndexReader::open(file).unwrap().unwrap();
                            assert_eq!(reader.tiers().unwrap(), []);
                        }
                    });
                }
            });
            check_contents(&mut SqliteIndex::open(&file).unwrap(), 1);
        }
    }

    #[test]
    fn a_migration_that_fails_leaves_the_version_before_it() {
        let (_folder, file) = place();
        database_of_version(&file, 1);
        // In the way of the second migration.
        Connection::open(&file).unwrap().execute_batch("CREATE TABLE vector (x)").unwrap();
        assert!(SqliteIndex::open(&file).is_err());
        let connection = Connection::open(&file).unwrap();
        assert_eq!(check(&connection, &INDEX, &file).unwrap(), 1);
        let sql = "SELECT count(*) FROM sqlite_schema WHERE name IN ('model', 'embedding_queue')";
        assert_eq!(connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    }
}
