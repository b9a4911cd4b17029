//! The SQLite implementation.
