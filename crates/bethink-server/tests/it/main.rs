//! The server as a client meets it: over pipes, in a process of its own.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used)]

mod client;
mod fake;
mod install;
mod protocol;
mod rest;
mod tools;
mod wire;
