//! Changes as they happen.
//!
//! What the system's watcher says is a hint and nothing more: events are lost, doubled, out of order,
//! and name files that are half written. So a path is only reported once it has been quiet for a while,
//! and whoever hears of it reconciles it with the disk as a walk would. An editor that saves by renaming,
//! a file that is written in pieces and a log that grows are one report each.
//!
//! Only folders that the rules let in are watched, so that a build or a checkout does not drown
//! everything. A watch is on a folder and not on its name, so each root is looked at now and then: where
//! another folder has its name by now, that one is watched and swept. Where the system will not watch so many folders, or loses events, the answer is a sweep.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant, SystemTime};

use bethink_store::FileStamp;
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::error::{IngestError, Result};
use crate::fingerprint::stamp_of;
use crate::rules::Rules;
use crate::stop::Stop;
use crate::walk::{Met, WalkOptions, walk_from};

/// A path is reported when nothing happened to it for this long.
const SETTLE: Duration = Duration::from_millis(500);

/// A path that never settles, such as a log, is reported this long after its first change.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// More paths than this at once are a sweep: a checkout, an unpacked archive.
const MOST_PATHS: usize = 4_096;

/// Pause between two sweeps where events cannot be had.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// Pause between two sweeps where events come, for what they missed.
const SAFETY_SWEEP_INTERVAL: Duration = Duration::from_secs(3_600);

/// How often the roots are looked at: whether they are there, and the same as before. Costs a look at
/// each; a disk that sleeps keeps sleeping, since the system remembers what it is asked so often.
const ROOTS_INTERVAL: Duration = Duration::from_secs(2);

/// How often a wait looks at the request to stop.
const LOOK_UP: Duration = Duration::from_millis(100);

/// Where news comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchMode {
    /// The system tells of each change.
    Events,
    /// It cannot, or not of everything: the disk is swept now and then. The reason is a sentence.
    Sweeping {
        /// Why.
        reason: String,
    },
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchNotice {
    /// These paths changed and are quiet now: reconcile them.
    Settled(Vec<PathBuf>),
    /// Anything may have changed: index all roots.
    Sweep {
        /// Why, as a sentence.
        reason: String,
    },
    /// Nothing happened within the time.
    Quiet,
}

/// Watches the roots.
pub struct Watcher {
    watcher: Option<RecommendedWatcher>,
    events: Receiver<notify::Result<notify::Event>>,
    roots: Vec<PathBuf>,
    rules: Rules,
    watched: HashSet<PathBuf>,
    mode: WatchMode,
    pending: Pending,
    swept: Instant,
    /// What stands at each root, in the order of the roots.
    standing: Vec<Standing>,
    looked_at_roots: Instant,
}

/// What is watched for a root: which folder it is, if it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Standing {
    /// The root, or the folder that it is in where it is a file.
    top: PathBuf,
    /// Device, inode and birth: an inode's number may be given to the next folder at once.
    identity: Option<(u64, u64, Option<SystemTime>)>,
}

impl Standing {
    fn of(root: &Path) -> Self {
        let top = top_of(root).to_path_buf();
        let identity = top.symlink_metadata().ok().map(|metadata| {
            let FileStamp { device, inode, .. } = stamp_of(&metadata);
            (device, inode, metadata.created().ok())
        });
        Self { top, identity }
    }
}

/// The folder that is watched for a root. One that is a file is watched through its folder, since
/// editors replace files.
fn top_of(root: &Path) -> &Path {
    if root.is_file() { root.parent().unwrap_or(root) } else { root }
}

impl Watcher {
    /// Begins to watch every folder under the roots that the rules let in. Watching begins before this
    /// returns, so that a pass made afterwards misses nothing.
    ///
    /// # Errors
    /// None where the system refuses to watch: the watcher then asks for sweeps.
    pub fn start(roots: &[PathBuf], rules: &Rules, stop: &Stop) -> Result<Self> {
        let (say, events) = channel();
        let (watcher, mode) = match notify::recommended_watcher(say) {
            Ok(watcher) => (Some(watcher), WatchMode::Events),
            Err(error) => (None, WatchMode::Sweeping { reason: sentence(&error) }),
        };
        let mut this = Self {
            watcher,
            events,
            roots: roots.to_vec(),
            rules: rules.clone(),
            watched: HashSet::new(),
            mode,
            pending: Pending::default(),
            swept: Instant::now(),
            // Before anything is watched, so that an exchange meanwhile is noticed.
            standing: roots.iter().map(|root| Standing::of(root)).collect(),
            looked_at_roots: Instant::now(),
        };
        for root in roots {
            this.watch_under(root, root, stop);
        }
        Ok(this)
    }

    /// Where news comes from at the moment.
    pub fn mode(&self) -> &WatchMode {
        &self.mode
    }

    /// Folders that are watched.
    pub fn watched_folders(&self) -> usize {
        self.watched.len()
    }

    /// Waits for something to do, up to `longest`, or until a stop is asked for.
    ///
    /// # Errors
    /// The system's watcher has ended.
    pub fn wait(&mut self, longest: Duration, stop: &Stop) -> Result<WatchNotice> {
        let until = Instant::now() + longest;
        loop {
            let now = Instant::now();
            if now.duration_since(self.looked_at_roots) >= ROOTS_INTERVAL {
                self.look_at_roots(stop);
                self.looked_at_roots = now;
            }
            if let Some(notice) = self.due(now) {
                return Ok(notice);
            }
            if stop.is_requested() || now >= until {
                return Ok(WatchNotice::Quiet);
            }
            match self.events.recv_timeout(LOOK_UP.min(until - now)) {
                Ok(event) => {
                    self.hear(event, stop);
                    // Whatever else has come is taken in at once, so that a storm is one look around.
                    while let Ok(event) = self.events.try_recv() {
                        self.hear(event, stop);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) if self.watcher.is_none() => std::thread::sleep(LOOK_UP),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(IngestError::Watcher { detail: "it has ended".to_owned() });
                }
            }
        }
    }

    /// What is to be done now, if anything.
    fn due(&mut self, now: Instant) -> Option<WatchNotice> {
        let interval = match self.mode {
            WatchMode::Events => SAFETY_SWEEP_INTERVAL,
            WatchMode::Sweeping { .. } => SWEEP_INTERVAL,
        };
        let reason = if let Some(reason) = self.pending.overflow.take() {
            Some(reason)
        } else if now.duration_since(self.swept) >= interval {
            Some(match &self.mode {
                WatchMode::Events => "It is time to look for what the system did not tell.".to_owned(),
                WatchMode::Sweeping { reason } => reason.clone(),
            })
        } else {
            None
        };
        if let Some(reason) = reason {
            self.pending.changes.clear();
            self.swept = now;
            return Some(WatchNotice::Sweep { reason });
        }
        let settled = self.pending.settled(now);
        (!settled.is_empty()).then_some(WatchNotice::Settled(settled))
    }

    fn hear(&mut self, event: notify::Result<notify::Event>, stop: &Stop) {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                self.pending.overflow = Some(sentence(&error));
                return;
            }
        };
        if event.need_rescan() {
            self.pending.overflow = Some("The system lost track of what changed.".to_owned());
            return;
        }
        let is_change = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
            // Reading a file is not changing it; our own reading least of all.
            EventKind::Access(_) => false,
            _ => true,
        };
        if !is_change {
            return;
        }
        let now = Instant::now();
        for path in event.paths {
            let Some(root) = self.roots.iter().find(|root| path.starts_with(root)).cloned() else { continue };
            if path.symlink_metadata().is_ok() {
                self.watch_if_new(&root, &path, stop);
            } else {
                self.let_go(&path);
            }
            let is_rule_file = crate::rules::ignore_file::IGNORE_FILE_NAMES.iter().any(|name| path.ends_with(name));
            match path.parent() {
                // A changed ignore file speaks about the whole folder.
                Some(folder) if is_rule_file => self.pending.changed(folder.to_path_buf(), now),
                _ => self.pending.changed(path, now),
            }
        }
    }

    /// Stops watching what is gone or has moved away: its name may come back as another folder.
    fn let_go(&mut self, path: &Path) {
        let gone: Vec<PathBuf> = self.watched.iter().filter(|folder| folder.starts_with(path)).cloned().collect();
        for folder in gone {
            self.watched.remove(&folder);
            if let Some(watcher) = &mut self.watcher {
                // The system has let go by itself where the folder was deleted.
                let _ = watcher.unwatch(&folder);
            }
        }
    }

    /// Watches anew what stands at a root where that is another folder than before, and asks for a sweep.
    fn look_at_roots(&mut self, stop: &Stop) {
        let mut is_changed = false;
        for number in 0..self.roots.len() {
            let root = self.roots[number].clone();
            let standing = Standing::of(&root);
            let is_blind = self.mode == WatchMode::Events
                && standing.identity.is_some()
                && standing.top.is_dir()
                && !self.watched.contains(&standing.top);
            if standing == self.standing[number] && !is_blind {
                continue;
            }
            let before = std::mem::replace(&mut self.standing[number], standing.clone());
            self.let_go(&before.top);
            self.let_go(&standing.top);
            let reason = if standing.identity.is_some() {
                "A folder that is indexed is another one than before."
            } else {
                "A folder that is indexed is not there any more."
            };
            self.pending.overflow = Some(reason.to_owned());
            is_changed = true;
        }
        if is_changed {
            // Roots may lie inside one another, so what one let go may be another's.
            for root in self.roots.clone() {
                self.watch_under(&root, &root, stop);
            }
        }
    }

    fn watch_if_new(&mut self, root: &Path, path: &Path, stop: &Stop) {
        let is_new_folder =
            !self.watched.contains(path) && path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        if is_new_folder {
            self.watch_under(root, path, stop);
        }
    }

    /// Watches a folder and every folder under it that the rules let in.
    fn watch_under(&mut self, root: &Path, start: &Path, stop: &Stop) {
        let folders = Mutex::new(Vec::new());
        walk_from(root, start, &self.rules, &WalkOptions::for_content(1), stop, &|met| {
            if let Met::Folder(folder) = met
                && let Ok(mut folders) = folders.lock()
            {
                folders.push(folder.path);
            }
            true
        });
        let mut folders = folders.into_inner().unwrap_or_default();
        folders.push(top_of(start).to_path_buf());
        for folder in folders {
            if self.watched.contains(&folder) {
                continue;
            }
            let Some(watcher) = &mut self.watcher else { return };
            match watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(folder);
                }
                // Gone again already.
                Err(error) if matches!(error.kind, ErrorKind::PathNotFound) => {}
                Err(error) => {
                    self.mode = WatchMode::Sweeping { reason: sentence(&error) };
                    if matches!(error.kind, ErrorKind::MaxFilesWatch) {
                        return;
                    }
                }
            }
        }
    }
}

/// Paths that changed and are not quiet yet.
#[derive(Debug, Default)]
struct Pending {
    changes: HashMap<PathBuf, Change>,
    overflow: Option<String>,
}

#[derive(Debug, Clone, Copy)]
struct Change {
    first: Instant,
    last: Instant,
}

impl Pending {
    fn changed(&mut self, path: PathBuf, now: Instant) {
        if self.changes.len() >= MOST_PATHS && !self.changes.contains_key(&path) {
            self.changes.clear();
            self.overflow = Some("So much changed at once that looking at everything is quicker.".to_owned());
            return;
        }
        self.changes.entry(path).and_modify(|change| change.last = now).or_insert(Change { first: now, last: now });
    }

    /// Takes out what has been quiet for a while, or has been waiting for too long.
    fn settled(&mut self, now: Instant) -> Vec<PathBuf> {
        let is_settled = |change: &Change| {
            now.duration_since(change.last) >= SETTLE || now.duration_since(change.first) >= LONGEST_WAIT
        };
        let mut settled: Vec<PathBuf> =
            self.changes.iter().filter(|(_, change)| is_settled(change)).map(|(path, _)| path.clone()).collect();
        for path in &settled {
            self.changes.remove(path);
        }
        settled.sort();
        settled
    }
}

/// A watcher's error as a sentence.
fn sentence(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => "The system will not watch so many folders (see fs.inotify.max_user_watches), so \
            the disk is swept now and then instead."
            .to_owned(),
        _ => format!("The system's watcher failed ({error}), so the disk is swept now and then instead."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_writes_to_one_path_are_one_change_after_it_settles() {
        let began = Instant::now();
        let mut pending = Pending::default();
        for tenth in 0..10 {
            pending.changed(PathBuf::from("/a.md"), began + Duration::from_millis(100 * tenth));
            assert!(pending.settled(began + Duration::from_millis(100 * tenth)).is_empty());
        }
        assert_eq!(pending.settled(began + Duration::from_millis(1_400)), [PathBuf::from("/a.md")]);
        assert!(pending.settled(began + Duration::from_secs(60)).is_empty(), "reported once");
    }

    #[test]
    fn a_log_that_never_settles_is_reported_now_and_then() {
        let began = Instant::now();
        let mut pending = Pending::default();
        let mut reports = 0;
        for tenth in 0..1_000 {
            let now = began + Duration::from_millis(100 * tenth);
            pending.changed(PathBuf::from("/a.log"), now);
            reports += pending.settled(now).len();
        }
        assert_eq!(reports, 3, "a hundred seconds of growth");
    }

    #[test]
    fn a_flood_is_a_sweep() {
        let now = Instant::now();
        let mut pending = Pending::default();
        for number in 0..=MOST_PATHS {
            pending.changed(PathBuf::from(format!("/{number}")), now);
        }
        assert!(pending.overflow.is_some());
        assert!(pending.changes.is_empty());
    }
}
