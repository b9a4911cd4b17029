//! The store's integration tests: the contract over every backend, and what is SQLite's own.

#![allow(clippy::unwrap_used)]

mod activity;
mod concurrency;
mod contract;
mod crash;
mod damage;
mod memory;
mod purge;
mod sqlite_backend;
