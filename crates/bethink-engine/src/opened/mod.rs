//! When a file was last opened, and who says so.
//!
//! Each platform keeps records of its own; a source reads one of them and knows nothing else. All sources
//! are compiled everywhere, so that their parsing is tested everywhere; each platform asks its own.

mod last_used;
mod own_reads;
mod recent_links;
mod recently_used;

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use bethink_core::UnixMillis;

use last_used::LastUsed;
pub(crate) use own_reads::{OwnReads, Reads};
use recent_links::RecentLinks;
use recently_used::{DesktopActivity, RecentlyUsed};

/// Who says when a file was last opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenedSource {
    /// The desktop's list of recently used files.
    RecentlyUsed,
    /// The desktop's activity store.
    DesktopActivity,
    /// The moment that macOS keeps beside a file when somebody opens it.
    LastUsed,
    /// The links that Windows lays into its folder of recent files.
    RecentLink,
    /// The file system's access time, which some mounts keep only roughly.
    AccessTime,
}

impl OpenedSource {
    /// The word for it in output and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::RecentlyUsed => "recently-used",
            Self::DesktopActivity => "desktop-activity",
            Self::LastUsed => "last-used",
            Self::RecentLink => "recent-link",
            Self::AccessTime => "access-time",
        }
    }
}

/// When a file was last opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened {
    /// The moment.
    pub at: UnixMillis,
    /// Who says so.
    pub source: OpenedSource,
}

/// One record of openings. A record that is missing or damaged says nothing: it is one witness of several.
trait OpenedRecord: Sync {
    /// Whose record it is.
    fn source(&self) -> OpenedSource;

    /// The openings that a person's own record lists, of whatever files.
    fn listed(&self, user_home: &Path) -> Vec<(PathBuf, UnixMillis)> {
        let _ = user_home;
        Vec::new()
    }

    /// When this one file was opened, for records that are kept with each file.
    fn beside(&self, path: &Path) -> Option<UnixMillis> {
        let _ = path;
        None
    }
}

/// The records of this platform. On equal moments the later one is named: the list that a person sees in
/// every file dialog comes last.
const RECORDS: &[&dyn OpenedRecord] = if cfg!(target_os = "macos") {
    &[&LastUsed]
} else if cfg!(windows) {
    &[&RecentLinks]
} else {
    &[&DesktopActivity, &RecentlyUsed]
};

/// Everything that is known about openings, gathered once a search.
#[derive(Debug, Default)]
pub(crate) struct OpenedTimes {
    listed: HashMap<PathBuf, Opened>,
}

impl OpenedTimes {
    /// Reads the platform's own records.
    pub(crate) fn gather(user_home: &Path) -> Self {
        let mut times = Self::default();
        for record in RECORDS {
            for (path, at) in record.listed(user_home) {
                times.record(path, Opened { at, source: record.source() });
            }
        }
        times
    }

    fn record(&mut self, path: PathBuf, opened: Opened) {
        let known = self.listed.entry(path).or_insert(opened);
        if opened.at >= known.at {
            *known = opened;
        }
    }

    /// Paths that some record names.
    pub(crate) fn recorded(&self) -> impl Iterator<Item = (&Path, Opened)> {
        self.listed.iter().map(|(path, opened)| (path.as_path(), *opened))
    }

    /// When a file was last opened: the newest of what the records and its access time say. An access
    /// time that is not later than the last change says nothing, since writing sets both.
    pub(crate) fn of(&self, path: &Path, metadata: &Metadata) -> Option<Opened> {
        let accessed = metadata.accessed().ok().map(UnixMillis::from_system_time);
        let modified = metadata.modified().ok().map(UnixMillis::from_system_time);
        let by_access = match (accessed, modified) {
            (Some(accessed), Some(modified)) if accessed > modified && metadata.is_file() => {
                Some(Opened { at: accessed, source: OpenedSource::AccessTime })
            }
            _ => None,
        };
        let beside = RECORDS.iter().filter_map(|record| {
            let at = record.beside(path)?;
            Some(Opened { at, source: record.source() })
        });
        // Of equal moments the last is named: what a record says is more than an access time.
        by_access.into_iter().chain(beside).chain(self.listed.get(path).copied()).max_by_key(|opened| opened.at)
    }
}
