//! The two kinds of handle on one database file, and the transaction around every verb.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::connection;
use super::failure::{Attempt, Fault};
use super::migration::{INDEX, Schema};
use crate::Result;

/// A handle on the database file. What it may do stands in its type: writing verbs exist for
/// [`SqliteIndex`] only, so the read path cannot be made to write.
#[derive(Debug)]
pub struct Handle<Access> {
    connection: Connection,
    path: PathBuf,
    schema: &'static Schema,
    file: Option<FileIdentity>,
    access: PhantomData<Access>,
}

/// Marks a handle that can only ask.
#[derive(Debug, Clone, Copy)]
pub enum ReadOnly {}

/// Marks a handle that can also change.
#[derive(Debug, Clone, Copy)]
pub enum ReadWrite {}

/// A handle that asks and changes.
pub type SqliteIndex = Handle<ReadWrite>;

/// A handle that only asks, opened read-only.
pub type SqliteIndexReader = Handle<ReadOnly>;

impl Handle<ReadWrite> {
    /// Opens the database, creating its folder and file and migrating it as needed.
    ///
    /// # Errors
    /// [`Newer`](crate::StoreError::Newer) for a database of a later bethink,
    /// [`Damaged`](crate::StoreError::Damaged) for a file that is no index,
    /// [`Open`](crate::StoreError::Open) where the file cannot be made or read.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_as(&INDEX, path)
    }

    /// Opens a database of that schema, creating and migrating it as needed.
    pub(super) fn open_as(schema: &'static Schema, path: &Path) -> Result<Self> {
        let connection = connection::open_writer(path, schema)?;
        Ok(Self { connection, path: path.to_path_buf(), schema, file: identity_of(path), access: PhantomData })
    }
}

impl Handle<ReadOnly> {
    /// Opens the database for questions; `None` where none has been made yet. A database of an
    /// earlier bethink is migrated first. Works on a read-only medium, too.
    ///
    /// # Errors
    /// As for [`SqliteIndex::open`].
    pub fn open(path: &Path) -> Result<Option<Self>> {
        Self::open_as(&INDEX, path)
    }

    /// Opens a database of that schema for questions; `None` where none has been made yet.
    pub(super) fn open_as(schema: &'static Schema, path: &Path) -> Result<Option<Self>> {
        let connection = connection::open_reader(path, schema)?;
        let file = identity_of(path);
        let handle = |connection| Self { connection, path: path.to_path_buf(), schema, file, access: PhantomData };
        Ok(connection.map(handle))
    }
}

/// Which file stands at a path: its device and its number there.
type FileIdentity = (u64, u64);

#[cfg(unix)]
fn identity_of(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// An open file cannot be removed here, so there is nothing to tell apart.
#[cfg(not(unix))]
fn identity_of(_: &Path) -> Option<FileIdentity> {
    None
}

impl<Access> Handle<Access> {
    /// Whether the database file is still the one that was opened. If not, it was deleted or replaced
    /// meanwhile, and what this handle reads and writes is in no file that anybody else can open.
    pub fn is_intact(&self) -> bool {
        identity_of(&self.path) == self.file
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Answers a question from one state of the database. `doing` is how an error names it.
    pub(super) fn read<T>(&self, doing: &'static str, question: impl FnOnce(&Connection) -> Attempt<T>) -> Result<T> {
        let answer = || -> Attempt<T> {
            // Dropping the transaction rolls it back, which for reading is as good as a commit.
            let snapshot = self.connection.unchecked_transaction()?;
            question(&snapshot)
        };
        answer().map_err(|fault| fault.told(&self.path, doing))
    }
}

impl Handle<ReadWrite> {
    /// Makes a change in one transaction: all of it or none.
    pub(super) fn write<T>(
        &mut self,
        doing: &'static str,
        change: impl FnOnce(&Connection) -> Attempt<T>,
    ) -> Result<T> {
        self.attempt(change).map_err(|fault| fault.told(&self.path, doing))
    }

    fn attempt<T>(&self, change: impl FnOnce(&Connection) -> Attempt<T>) -> Attempt<T> {
        let transaction = self.begin()?;
        let outcome = change(&transaction)?;
        transaction.commit()?;
        Ok(outcome)
    }

    /// Takes the right to write. SQLite's own waiting is a lottery among those who wait, so whoever lost
    /// it for the whole busy timeout tries again while the schema's patience lasts.
    fn begin(&self) -> Attempt<Transaction<'_>> {
        let deadline = Instant::now() + self.schema.patience;
        loop {
            // Immediate: a transaction that first reads and then writes could find that another writer
            // was faster, and would have to be thrown away.
            match Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate).map_err(Fault::from) {
                Err(fault) if fault.is_busy() && Instant::now() < deadline => {}
                other => return other,
            }
        }
    }

    /// Does what SQLite allows outside a transaction only.
    pub(super) fn maintain<T>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&Connection) -> Attempt<T>,
    ) -> Result<T> {
        work(&self.connection).map_err(|fault| fault.told(&self.path, doing))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Duration;

    use bethink_core::{ContentHash, Format, Locator, Passage, PassageKey, RootId};

    use super::*;
    use crate::{Batch, FileStamp, IndexReader, IndexWriter, NewContent, Publication, Reading, StoreError};

    fn large_batch(root: RootId) -> Batch {
        let text = "words that fill pages ".repeat(50_000);
        let passage = Passage {
            key: PassageKey([1; 16]),
            range: 0..text.len(),
            line: 1,
            heading: Vec::new(),
            locator: Locator::Line,
            marks: Vec::new(),
        };
        let content = NewContent {
            format: Format::Text,
            title: None,
            text,
            passages: vec![passage],
            problems: Vec::new(),
            extractor_version: 1,
            cutter_version: 1,
        };
        let publication = Publication {
            root,
            path: std::env::temp_dir().join("large"),
            stamp: FileStamp::default(),
            hash: Some(ContentHash([1; 32])),
            reading: Reading::Text(content),
        };
        Batch { publications: vec![publication], ..Batch::default() }
    }

    #[test]
    fn a_full_disk_is_told_and_survived() {
        let folder = tempfile::tempdir().unwrap();
        let mut index = SqliteIndex::open(&folder.path().join("index.db")).unwrap();
        let root = index.add_root(Path::new("/home")).unwrap().id;
        // SQLite gives the same error for its own limit as for the disk's.
        let limit = |pages: u32| index.connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()));
        limit(100).unwrap();
        assert!(matches!(index.apply(&large_batch(root)), Err(StoreError::DiskFull)));
        assert_eq!(index.statistics(None).unwrap().documents, 0);
        let limit = |pages: u32| index.connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()));
        limit(1_000_000).unwrap();
        index.apply(&large_batch(root)).unwrap();
        assert_eq!(index.statistics(None).unwrap().documents, 1);
    }

    #[test]
    fn a_lock_that_is_held_too_long_is_told_and_survived() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("index.db");
        let mut index = SqliteIndex::open(&file).unwrap();
        let mut other = SqliteIndex::open(&file).unwrap();
        other.connection.busy_timeout(Duration::from_millis(1)).unwrap();
        let lock = index.connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        assert!(matches!(other.add_root(Path::new("/home")), Err(StoreError::Busy { .. })));
        // Questions need no lock.
        assert!(other.roots().unwrap().is_empty());
        lock.rollback().unwrap();
        other.add_root(Path::new("/home")).unwrap();
        assert_eq!(index.roots().unwrap().len(), 1);
    }

    #[test]
    fn a_reader_holds_up_a_purge_only_while_it_reads() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("index.db");
        let mut index = SqliteIndex::open(&file).unwrap();
        let reader = SqliteIndexReader::open(&file).unwrap().unwrap();
        let root = index.add_root(Path::new("/home")).unwrap().id;
        index.connection.busy_timeout(Duration::from_millis(1)).unwrap();
        let snapshot = reader.connection.unchecked_transaction().unwrap();
        let roots: i64 = snapshot.query_row("SELECT count(*) FROM root", [], |row| row.get(0)).unwrap();
        index.apply(&large_batch(root)).unwrap();
        assert!(matches!(index.compact(), Err(StoreError::Busy { .. })));
        drop(snapshot);
        index.compact().unwrap();
        assert_eq!((roots, reader.statistics(None).unwrap().documents), (1, 1));
    }

    #[test]
    fn the_database_opens_where_nothing_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("odd name 100% #1?.db");
        SqliteIndex::open(&file).unwrap().add_root(Path::new("/home")).unwrap();
        let connection = connection::open_immutable(&file).unwrap();
        let identity = identity_of(&file);
        let reader = SqliteIndexReader { connection, path: file, schema: &INDEX, file: identity, access: PhantomData };
        assert_eq!(reader.roots().unwrap().len(), 1);
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), 1);
    }

    #[test]
    fn the_files_name_may_be_any_bytes() {
        let folder = tempfile::tempdir().unwrap();
        #[cfg(unix)]
        let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"file:\xff?mode=memory");
        #[cfg(not(unix))]
        let name = "index.db";
        let file = folder.path().join(name);
        SqliteIndex::open(&file).unwrap().add_root(Path::new("/home")).unwrap();
        assert!(file.exists());
        assert_eq!(SqliteIndexReader::open(&file).unwrap().unwrap().roots().unwrap().len(), 1);
    }

    /// Every question that grows with the index is answered by an index, in its order.
    #[test]
    fn no_question_walks_a_whole_table() {
        let folder = tempfile::tempdir().unwrap();
        let index = SqliteIndex::open(&folder.path().join("index.db")).unwrap();
        for sql in [
            "SELECT * FROM document WHERE true AND path >= ?1 AND path < ?2 ORDER BY path LIMIT ?3",
            "SELECT * FROM document WHERE outcome > 0 AND path >= ?1 AND path < ?2 ORDER BY path LIMIT ?3",
            "SELECT content FROM document WHERE path >= ?1 AND path < ?2",
            "SELECT * FROM document WHERE hash = ?1",
            "SELECT * FROM document WHERE content = ?1",
            "SELECT id FROM document WHERE root = ?1",
            "SELECT max(modified_ns) FROM document WHERE content = ?1",
            "SELECT * FROM passage WHERE content = ?1 ORDER BY ordinal",
            "SELECT sequence FROM vector WHERE model = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3",
            "SELECT passage FROM vector WHERE passage = ?1 AND model = ?2",
            "SELECT data FROM vector WHERE model = ?1 AND key = ?4 LIMIT 1",
            "SELECT count(*) FROM vector WHERE model = ?1",
            "SELECT count(*) FROM embedding_queue WHERE model = ?1 AND failure IS NOT NULL",
            "SELECT waiting.passage FROM embedding_queue AS waiting \
             CROSS JOIN passage ON passage.id = waiting.passage WHERE waiting.model = ?1 \
             AND waiting.failure IS NULL AND (waiting.expires IS NULL OR waiting.expires <= ?2 OR waiting.expires > ?3) \
             ORDER BY waiting.priority DESC, waiting.passage LIMIT ?4",
            "DELETE FROM content WHERE id = ?1",
            "UPDATE embedding_queue SET priority = ?2 \
             WHERE passage IN (SELECT id FROM passage WHERE content = ?1) AND priority <> ?2",
        ] {
            let mut statement = index.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let parameters = rusqlite::params_from_iter(vec![1; statement.parameter_count()]);
            let steps = statement.query_map(parameters, |row| row.get::<_, String>(3)).unwrap();
            let plan: Vec<String> = steps.map(std::result::Result::unwrap).collect();
            let walks = plan.iter().any(|step| step.starts_with("SCAN") || step.contains("TEMP B-TREE"));
            assert!(!walks, "{sql}: {plan:?}");
        }
    }
}
