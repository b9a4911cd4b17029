//! How the database's own errors become [`StoreError`]s.
//!
//! Promises: whatever a damaged file makes SQLite or our decoding say is told as
//! [`StoreError::Damaged`], never as a panic. Refuses: to put row data into a message.

use std::fmt;
use std::path::Path;

use rusqlite::types::Type;
use rusqlite::{Error, ErrorCode};

use super::connection::BUSY_TIMEOUT;
use crate::StoreError;

/// What a statement or a decision inside a transaction ends with when it does not succeed.
#[derive(Debug)]
pub(super) enum Fault {
    /// SQLite failed, or a row did not decode.
    Database(Error),
    /// The store itself refuses.
    Store(StoreError),
}

/// A result inside a transaction.
pub(super) type Attempt<T> = Result<T, Fault>;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Fault {
    /// The error for the caller, told with the file and with what was being done.
    pub(super) fn told(self, path: &Path, doing: &'static str) -> StoreError {
        match self {
            Self::Store(error) => error,
            Self::Database(error) => told(error, path, doing),
        }
    }

    /// Whether another connection held the lock that was needed.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    /// Whether the operating system refused to make or change a file.
    pub(super) fn is_refused(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied))
    }

    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Database(Error::SqliteFailure(failure, _)) => Some(failure.code),
            _ => None,
        }
    }
}

fn told(error: Error, path: &Path, doing: &'static str) -> StoreError {
    match &error {
        Error::SqliteFailure(failure, detail) => match failure.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
                StoreError::Busy { waited_secs: BUSY_TIMEOUT.as_secs() }
            }
            ErrorCode::DiskFull => StoreError::DiskFull,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreError::Damaged {
                path: path.to_path_buf(),
                detail: detail.clone().unwrap_or_else(|| failure.to_string()),
            },
            ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied => {
                StoreError::Open { path: path.to_path_buf(), source: Box::new(error) }
            }
            // A schema that lost a table or column: only damage or a stranger's hand does that.
            ErrorCode::Unknown if is_missing_schema(detail.as_deref()) => {
                StoreError::Damaged { path: path.to_path_buf(), detail: detail.clone().unwrap_or_default() }
            }
            _ => StoreError::Failed { doing, source: Box::new(error) },
        },
        // Decoding failed, or a row that must be there is not: the bytes are not what we wrote.
        Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::Utf8Error(..)
        | Error::InvalidColumnType(..)
        | Error::QueryReturnedNoRows => {
            StoreError::Damaged { path: path.to_path_buf(), detail: without_content(&error) }
        }
        _ => StoreError::Failed { doing, source: Box::new(error) },
    }
}

fn is_missing_schema(detail: Option<&str>) -> bool {
    detail.is_some_and(|detail| {
        ["no such table", "no such column", "no such index"].iter().any(|start| detail.starts_with(start))
    })
}

/// SQLite's decoding errors may quote the offending value; a user's words must not reach a log.
fn without_content(error: &Error) -> String {
    match error {
        Error::FromSqlConversionFailure(column, kind, cause) => {
            if cause.is::<Undecodable>() {
                format!("column {column}: {cause}")
            } else {
                format!("column {column} does not decode from {kind}")
            }
        }
        Error::IntegralValueOutOfRange(column, _) => format!("column {column} is out of range"),
        Error::Utf8Error(column, _) => format!("column {column} is not UTF-8"),
        Error::InvalidColumnType(column, _, kind) => format!("column {column} has the type {kind}"),
        _ => "a row is missing".to_owned(),
    }
}

/// A stored value that no version of bethink writes.
#[derive(Debug)]
pub(super) struct Undecodable(pub(super) &'static str);

impl fmt::Display for Undecodable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "not a {}", self.0)
    }
}

impl std::error::Error for Undecodable {}

/// The error for a column whose value is not the thing named.
pub(super) fn undecodable(column: usize, thing: &'static str) -> Error {
    Error::FromSqlConversionFailure(column, Type::Null, Box::new(Undecodable(thing)))
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    fn told_of(code: i32) -> StoreError {
        let error = Error::SqliteFailure(ffi::Error::new(code), None);
        Fault::from(error).told(Path::new("index.db"), "did it")
    }

    #[test]
    fn each_code_is_named_for_the_caller() {
        assert!(matches!(told_of(ffi::SQLITE_FULL), StoreError::DiskFull));
        for busy in [ffi::SQLITE_BUSY, ffi::SQLITE_LOCKED, ffi::SQLITE_BUSY_SNAPSHOT, ffi::SQLITE_BUSY_RECOVERY] {
            assert!(matches!(told_of(busy), StoreError::Busy { waited_secs: 5 }));
        }
        for damaged in [ffi::SQLITE_CORRUPT, ffi::SQLITE_CORRUPT_INDEX, ffi::SQLITE_NOTADB] {
            assert!(matches!(told_of(damaged), StoreError::Damaged { .. }));
        }
        for refused in [ffi::SQLITE_CANTOPEN, ffi::SQLITE_READONLY, ffi::SQLITE_PERM] {
            assert!(matches!(told_of(refused), StoreError::Open { .. }));
        }
        assert!(matches!(told_of(ffi::SQLITE_IOERR), StoreError::Failed { .. }));
    }

    #[test]
    fn a_value_that_does_not_decode_is_damage_and_is_not_quoted() {
        let quoting = Error::FromSqlConversionFailure(3, Type::Text, "the user's own words".into());
        let told = Fault::from(quoting).told(Path::new("index.db"), "did it").to_string();
        assert_eq!(told, "the index at index.db is damaged: column 3 does not decode from Text");
        let ours = Fault::from(undecodable(2, "format")).told(Path::new("index.db"), "did it").to_string();
        assert_eq!(ours, "the index at index.db is damaged: column 2: not a format");
    }
}
