//! Where calls are taken: a bounded number at a time, each on a thread that may block.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::budget::Room;
use super::call::{self, Said, Surroundings};
use super::card::ToolCard;
use super::guard::Guard;
use super::trouble::{Trouble, TroubleKind};
use super::{AT_ONCE, JsonObject};
use crate::lazy::LazyEngine;
use crate::text::Look;

/// Takes calls from any surface. Clones share the engine and the places.
#[derive(Clone)]
pub(crate) struct Desk {
    engine: Arc<LazyEngine>,
    user_home: Option<PathBuf>,
    look: Look,
    places: Arc<Semaphore>,
    guard: Arc<Mutex<Guard>>,
}

impl Desk {
    /// The same desk for a host that sees to repeated calls itself.
    pub(crate) fn with_host_guards(mut self, host_owns: bool) -> Self {
        self.guard = Arc::new(Mutex::new(Guard::new(host_owns)));
        self
    }

    /// A desk before this engine; `user_home` is what a path's `~` stands for.
    pub(crate) fn new(engine: Arc<LazyEngine>, user_home: Option<PathBuf>, look: Look) -> Self {
        let guard = Arc::new(Mutex::new(Guard::new(false)));
        Self { engine, user_home, look, places: Arc::new(Semaphore::new(AT_ONCE)), guard }
    }

    /// Runs a tool when a place is free. Who stops waiting for this future frees its place as soon as
    /// the work, which cannot be interrupted, has ended.
    ///
    /// # Errors
    /// What kept it from answering; a panic inside is such a trouble and nothing worse.
    pub(crate) async fn call(
        &self,
        card: &'static ToolCard,
        arguments: Option<JsonObject>,
        room: Room,
    ) -> Result<Said, Trouble> {
        // The semaphore is never closed; were it, there would be no place.
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| broke_down())?;
        let (engine, guard) = (Arc::clone(&self.engine), Arc::clone(&self.guard));
        let surroundings = Surroundings { user_home: self.user_home.clone(), look: self.look.clone(), room };
        let work = spawn_blocking(move || {
            let outcome = call::call(card, arguments, &engine, &surroundings, &guard);
            // The place is given back when the work has ended, not when the client lost interest.
            drop(place);
            outcome
        });
        work.await.unwrap_or_else(|_| Err(broke_down()))
    }
}

/// What is said when the work panicked: the engine is still there, the next call may go well.
fn broke_down() -> Trouble {
    Trouble::new(
        TroubleKind::Inside,
        "Something broke down inside while answering; this is a fault of bethink and not of the question.",
        "Another wording may get by it. Tell the user, who can run `bethink doctor`.",
    )
}
