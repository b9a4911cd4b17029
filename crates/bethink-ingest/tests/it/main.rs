//! The write path over real folders, a real store and real caches.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bench;
mod changes;
mod first_index;
mod killed;
mod members;
mod names;
mod out_of_sight;
mod processes;
mod sharpen;
mod troubles;
mod verify;
mod watch;
