//! Is a file that a walk did not meet gone, or only out of sight?
//!
//! An unmounted volume leaves an empty folder behind, which looks exactly like a folder whose files
//! were deleted. The device tells them apart: a file that was recorded on another device than its
//! folder is on now lies on a volume that is not there. Device numbers change when a volume is
//! mounted again, though; files that are still there under the new number prove such a change.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use bethink_core::split_member_path;
use bethink_store::{DocumentRecord, FileStamp};

use crate::fingerprint::stamp_of;

/// What is known of a file that should be at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Something is there.
    Present,
    /// It was deleted or moved away.
    Gone,
    /// The place where it would lie cannot be seen.
    OutOfSight,
}

/// Device numbers that were seen to have changed.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    renumbered: HashSet<(u64, u64)>,
}

impl Devices {
    /// Notes that a known file was found on another device than before.
    pub(crate) fn note(&mut self, before: u64, now: u64) {
        if before != now && before != 0 {
            self.renumbered.insert((before, now));
        }
    }

    /// Whether a document's file is there.
    pub(crate) fn presence(&self, document: &DocumentRecord) -> Presence {
        match self.presence_at(&document.path, document.stamp.device) {
            // What is inside a container is there as long as that is.
            Presence::Gone => match split_member_path(&document.path) {
                Some((container, _)) => self.presence_at(&container, document.stamp.device),
                None => Presence::Gone,
            },
            presence => presence,
        }
    }

    fn presence_at(&self, path: &Path, before: u64) -> Presence {
        match fs::symlink_metadata(path) {
            Ok(_) => Presence::Present,
            Err(error) if is_gone(&error) => self.presence_of_missing(path, before),
            Err(_) => Presence::OutOfSight,
        }
    }

    fn presence_of_missing(&self, path: &Path, before: u64) -> Presence {
        let Some(now) = nearest_device(path) else { return Presence::OutOfSight };
        if before == 0 || before == now || self.renumbered.contains(&(before, now)) {
            Presence::Gone
        } else {
            Presence::OutOfSight
        }
    }
}

/// The device of the nearest folder above a path that is still there.
fn nearest_device(path: &Path) -> Option<u64> {
    for ancestor in path.ancestors().skip(1) {
        match fs::symlink_metadata(ancestor) {
            Ok(metadata) => {
                let FileStamp { device, .. } = stamp_of(&metadata);
                return Some(device);
            }
            Err(error) if is_gone(&error) => {}
            Err(_) => return None,
        }
    }
    None
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
