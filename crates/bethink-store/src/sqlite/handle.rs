//! The two kinds of handle on one database file, and the transaction around every verb.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use super::connection;
use super::failure::Attempt;
use crate::Result;

/// A handle on the database file. What it may do stands in its type: writing verbs exist for
/// [`SqliteIndex`] only, so the read path cannot be made to write.
#[derive(Debug)]
pub struct Handle<Access> {
    connection: Connection,
    path: PathBuf,
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
        Ok(Self { connection: connection::open_writer(path)?, path: path.to_path_buf(), access: PhantomData })
    }
}

impl Handle<ReadOnly> {
    /// Opens the database for questions; `None` where none has been made yet. A database of an
    /// earlier bethink is migrated first. Works on a read-only medium, too.
    ///
    /// # Errors
    /// As for [`SqliteIndex::open`].
    pub fn open(path: &Path) -> Result<Option<Self>> {
        let connection = connection::open_reader(path)?;
        Ok(connection.map(|connection| Self { connection, path: path.to_path_buf(), access: PhantomData }))
    }
}

impl<Access> Handle<Access> {
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
        Self::attempt(&mut self.connection, change).map_err(|fault| fault.told(&self.path, doing))
    }

    fn attempt<T>(connection: &mut Connection, change: impl FnOnce(&Connection) -> Attempt<T>) -> Attempt<T> {
        // Immediate: a transaction that first reads and then writes could find that another writer
        // was faster, and would have to be thrown away.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let outcome = change(&transaction)?;
        transaction.commit()?;
        Ok(outcome)
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
