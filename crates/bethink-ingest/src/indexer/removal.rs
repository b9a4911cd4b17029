//! Removing what is gone, once every root has been walked.
//!
//! Last, because a moved file is recognised by its old document: had that been removed when its old
//! folder was walked, the new path would be a new file to be embedded again.

use std::collections::HashMap;
use std::path::Path;

use bethink_core::RootId;
use bethink_store::{Batch, DocumentRecord, IndexWriter, Root, RootState};

use super::known::KnownPaths;
use super::pass::Scope;
use super::piecewise;
use super::presence::{Devices, Presence};
use crate::error::Result;
use crate::member::{Containers, members_root};
use crate::stop::Stop;
use crate::walk::WalkReport;

/// Documents asked for, and removed, at a time.
const PAGE: usize = 500;

/// What was found out about one root.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Removed {
    /// Documents removed.
    pub removed: u64,
    /// Documents kept, since the place where they lie cannot be seen.
    pub kept: u64,
}

/// Removes the documents under a scope that its walk did not meet and that are not merely out of
/// sight. `roots` are all that the store knows.
pub(super) fn remove_gone(
    store: &mut dyn IndexWriter,
    scope: &Scope,
    report: &WalkReport,
    roots: &HashMap<RootId, RootState>,
    known: &KnownPaths,
    devices: &Devices,
    stop: &Stop,
) -> Result<Removed> {
    let mut counts = Removed::default();
    if report.state != RootState::Complete {
        return Ok(counts);
    }
    // Members of a container that the scope starts at lie beside it, by their paths.
    for under in [scope.start.clone(), members_root(&scope.start)] {
        let mut after = None;
        let mut containers = Containers::default();
        while !stop.is_requested() {
            let page = store.documents_under(Some(&under), after.as_deref(), PAGE)?;
            let Some(last) = page.last() else { break };
            after = Some(last.path.clone());
            let mut removals = Vec::new();
            for document in page {
                let container = containers.of_missing(&document.path);
                let is_in_scope = container.as_deref().unwrap_or(&document.path).starts_with(&scope.start);
                if !is_in_scope || known.was_seen(&document.path) {
                    continue;
                }
                if let Some(container) = &container
                    && known.was_seen(container)
                {
                    // Nobody looked inside, or it was met inside before and now no more.
                    if known.was_reread(container) {
                        removals.push(document.id);
                    }
                    continue;
                }
                match fate(&document, container.as_deref(), &scope.root, report, roots, devices) {
                    Fate::Remove => removals.push(document.id),
                    Fate::Keep => counts.kept += 1,
                    Fate::NotOurs => {}
                }
            }
            if !removals.is_empty() {
                counts.removed += removals.len() as u64;
                piecewise::apply(store, Batch { removals, ..Batch::default() })?;
            }
        }
    }
    Ok(counts)
}

enum Fate {
    Remove,
    Keep,
    /// Another root's walk decides.
    NotOurs,
}

fn fate(
    document: &DocumentRecord,
    container: Option<&Path>,
    root: &Root,
    report: &WalkReport,
    roots: &HashMap<RootId, RootState>,
    devices: &Devices,
) -> Fate {
    if report.could_not_see(container.unwrap_or(&document.path)) {
        return Fate::Keep;
    }
    let of_another_root = document.root != root.id && roots.contains_key(&document.root);
    match devices.presence(document) {
        Presence::OutOfSight => Fate::Keep,
        Presence::Gone => Fate::Remove,
        // There, and still not met: the rules leave it out by now. Unless another root, nested in
        // this one or around it, is the one that lets it in.
        Presence::Present if of_another_root => Fate::NotOurs,
        Presence::Present => Fate::Remove,
    }
}
