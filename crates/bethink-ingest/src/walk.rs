//! The walk: every regular file under a root that the rules let in.
//!
//! Own code rather than a walker from a crate, because what is *not* seen matters as much as what is:
//! a folder that could not be listed must keep its documents, and each entry that is passed over is
//! counted by its reason, by the same rules that answer [`crate::rules::Rules::why`].
//!
//! Promises: links are never followed, so that neither loops nor links out of a root can do harm and
//! a file that is linked to is found once, at its own path; FIFOs, sockets and devices are never
//! opened; names are kept byte for byte. Refuses: to go deeper than [`DEEPEST`].

use std::collections::BTreeMap;
use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use bethink_store::{FileStamp, RootState};

use crate::fingerprint::{allocated_bytes, stamp_of};
use crate::rules::ignore_file::{IGNORE_FILE_NAMES, IgnoreChain};
use crate::rules::{Exclusion, Rules, junk};
use crate::stop::Stop;
use crate::summary::{PassedOver, PassedOverCounts};

/// Folders below a root that are entered. Linux cannot name a path of more than 4096 bytes, which is
/// 2048 folders; people's trees end at about 30.
pub const DEEPEST: usize = 512;

/// A file that the walk found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// Its path: the root's, with the names below it byte for byte.
    pub path: PathBuf,
    /// What the system says of it.
    pub stamp: FileStamp,
    /// Bytes that it takes on the disk; much less than its size means that it is sparse.
    pub allocated_bytes: u64,
}

/// How a walk ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkReport {
    /// How the root was found. `Pending` if the walk was stopped.
    pub state: RootState,
    /// Files handed over.
    pub files: u64,
    /// Entries passed over, by reason.
    pub passed_over: PassedOverCounts,
    /// Paths that could not be listed or looked at: what is known at or under them must be kept.
    pub unreadable: Vec<PathBuf>,
}

impl WalkReport {
    /// Whether the walk could not see what lies at a path.
    pub fn could_not_see(&self, path: &Path) -> bool {
        path.ancestors().any(|ancestor| self.unreadable.binary_search_by(|known| known.as_path().cmp(ancestor)).is_ok())
    }
}

/// What a walk meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Met {
    /// A regular file.
    File(FoundFile),
    /// A folder that is entered.
    Folder(FoundFile),
}

/// How a walk is carried out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WalkOptions<'walk> {
    /// Threads that list folders.
    pub threads: usize,
    /// Whether ignore files are heard.
    pub hears_ignore_files: bool,
    /// Folders that are not entered, since another walk covers them.
    pub except: &'walk [PathBuf],
    /// Whether to stay on the root's device.
    pub stays_on_device: bool,
    /// When the walk is broken off.
    pub deadline: Option<Instant>,
}

impl WalkOptions<'_> {
    /// The walk of a root for its content.
    pub(crate) fn for_content(threads: usize) -> Self {
        Self { threads, hears_ignore_files: true, except: &[], stays_on_device: false, deadline: None }
    }
}

/// Walks a root on `threads` threads. `sink` gets each file, from several threads at once, in no
/// promised order; `false` from it ends the walk.
pub fn walk(
    root: &Path,
    rules: &Rules,
    threads: usize,
    stop: &Stop,
    sink: &(dyn Fn(FoundFile) -> bool + Sync),
) -> WalkReport {
    walk_from(root, root, rules, &WalkOptions::for_content(threads), stop, &|met| match met {
        Met::File(file) => sink(file),
        Met::Folder(_) => true,
    })
}

/// Walks what lies at and under `start`, which is the root or lies under it, by the rules that hold
/// there. A start that is not there, or that the rules leave out, is an empty walk that is complete.
pub(crate) fn walk_from(
    root: &Path,
    start: &Path,
    rules: &Rules,
    options: &WalkOptions<'_>,
    stop: &Stop,
    sink: &(dyn Fn(Met) -> bool + Sync),
) -> WalkReport {
    let mut report =
        WalkReport { state: RootState::Complete, files: 0, passed_over: BTreeMap::new(), unreadable: Vec::new() };
    if start != root && root.symlink_metadata().is_ok() {
        match way_down(root, start, rules, options, &mut report) {
            Some(chain) => return walk_below(root, start, chain, rules, options, stop, sink, report),
            None => return report,
        }
    }
    let chain = IgnoreChain::above_root(root);
    walk_below(root, root, chain, rules, options, stop, sink, report)
}

/// The chain in force in the folder of `start`, or `None` if the rules leave `start` or a folder above
/// it out, or nothing is there.
fn way_down(
    root: &Path,
    start: &Path,
    rules: &Rules,
    options: &WalkOptions<'_>,
    report: &mut WalkReport,
) -> Option<Arc<IgnoreChain>> {
    let mut chain = IgnoreChain::above_root(root);
    let mut current = root.to_path_buf();
    for component in start.strip_prefix(root).ok()?.components() {
        if options.hears_ignore_files {
            chain = chain.enter(&current);
        }
        current.push(component);
        let metadata = match current.symlink_metadata() {
            Ok(metadata) => metadata,
            Err(error) if is_gone(&error) => return None,
            Err(_) => {
                report.unreadable.push(current);
                return None;
            }
        };
        let size = (!metadata.is_dir()).then_some(metadata.len());
        let exclusion = rules.exclusion(&chain, &current, metadata.is_dir(), size);
        let telltale = metadata.is_dir() && junk::junk_by_telltale(&current).is_some();
        if exclusion.is_some() || telltale {
            *report.passed_over.entry(exclusion.as_ref().map_or(PassedOver::Junk, PassedOver::from)).or_default() += 1;
            return None;
        }
        if !metadata.is_dir() && !metadata.is_file() {
            report.passed_over.insert(reason_of(metadata.file_type()), 1);
            return None;
        }
    }
    Some(chain)
}

#[allow(clippy::too_many_arguments)] // One walk, two ways in.
fn walk_below(
    root: &Path,
    start: &Path,
    chain: Arc<IgnoreChain>,
    rules: &Rules,
    options: &WalkOptions<'_>,
    stop: &Stop,
    sink: &(dyn Fn(Met) -> bool + Sync),
    mut report: WalkReport,
) -> WalkReport {
    let metadata = match fs::symlink_metadata(start) {
        Ok(metadata) => metadata,
        Err(error) if is_gone(&error) && start != root => return report,
        Err(error) => {
            report.state = if is_gone(&error) { RootState::Missing } else { RootState::Unreadable(error.to_string()) };
            report.unreadable.push(start.to_path_buf());
            return report;
        }
    };
    if metadata.is_file() {
        report.files = 1;
        if !sink(Met::File(found(start.to_path_buf(), &metadata))) {
            report.state = RootState::Pending;
        }
        return report;
    }
    if !metadata.is_dir() {
        report.state = RootState::Unreadable("it is neither a folder nor a regular file".to_owned());
        report.unreadable.push(start.to_path_buf());
        return report;
    }
    if let Err(error) = fs::read_dir(start) {
        if start == root {
            report.state = RootState::Unreadable(error.to_string());
        }
        report.unreadable.push(start.to_path_buf());
        return report;
    }

    let device = options.stays_on_device.then(|| stamp_of(&metadata).device);
    let walker = Walker { start, rules, options, device, stop, sink, queue: Queue::new(chain, start) };
    let counted = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.threads.max(1)).map(|_| scope.spawn(|| walker.work())).collect();
        workers.into_iter().map(|worker| worker.join()).collect::<Vec<_>>()
    });
    for tally in counted {
        match tally {
            Ok(tally) => {
                report.files += tally.files;
                for (reason, count) in tally.passed_over {
                    *report.passed_over.entry(reason).or_default() += count;
                }
                report.unreadable.extend(tally.unreadable);
                if tally.ended_early {
                    report.state = RootState::Pending;
                }
            }
            // A walk that fell over has not seen everything, so nothing may be concluded from it.
            Err(_) => report.state = RootState::Pending,
        }
    }
    report.unreadable.sort();
    report
}

struct Task {
    folder: PathBuf,
    chain: Arc<IgnoreChain>,
    depth: usize,
}

/// Folders that wait to be listed. The newest is taken first, so that the queue stays about as long
/// as the tree is deep and broad at one place, not as long as the tree is large.
struct Queue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

struct QueueState {
    waiting: Vec<Task>,
    at_work: usize,
    ended: bool,
}

impl Queue {
    fn new(chain: Arc<IgnoreChain>, root: &Path) -> Self {
        let waiting = vec![Task { folder: root.to_path_buf(), chain, depth: 0 }];
        Self { state: Mutex::new(QueueState { waiting, at_work: 0, ended: false }), changed: Condvar::new() }
    }

    fn take(&self) -> Option<Task> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.ended {
                return None;
            }
            if let Some(task) = state.waiting.pop() {
                state.at_work += 1;
                return Some(task);
            }
            if state.at_work == 0 {
                state.ended = true;
                self.changed.notify_all();
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn finish(&self, found: Vec<Task>, end: bool) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.at_work -= 1;
        state.ended |= end;
        state.waiting.extend(found);
        self.changed.notify_all();
    }
}

/// Tells the queue that its task is over even if the listing fell over, so that nobody waits for it.
struct AtWork<'queue> {
    queue: &'queue Queue,
    found: Vec<Task>,
    end: bool,
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        let end = self.end || std::thread::panicking();
        self.queue.finish(std::mem::take(&mut self.found), end);
    }
}

#[derive(Default)]
struct Tally {
    files: u64,
    passed_over: PassedOverCounts,
    unreadable: Vec<PathBuf>,
    ended_early: bool,
}

impl Tally {
    fn pass_over(&mut self, reason: PassedOver) {
        *self.passed_over.entry(reason).or_default() += 1;
    }

    fn could_not_see(&mut self, path: PathBuf) {
        self.pass_over(PassedOver::UnreadableFolder);
        self.unreadable.push(path);
    }
}

struct Walker<'walk> {
    start: &'walk Path,
    rules: &'walk Rules,
    options: &'walk WalkOptions<'walk>,
    device: Option<u64>,
    stop: &'walk Stop,
    sink: &'walk (dyn Fn(Met) -> bool + Sync),
    queue: Queue,
}

impl Walker<'_> {
    fn work(&self) -> Tally {
        let mut tally = Tally::default();
        while let Some(task) = self.queue.take() {
            let mut at_work = AtWork { queue: &self.queue, found: Vec::new(), end: false };
            if !self.list(task, &mut tally, &mut at_work.found) {
                tally.ended_early = true;
                at_work.end = true;
            }
        }
        tally
    }

    /// Lists one folder; `false` ends the walk.
    fn list(&self, task: Task, tally: &mut Tally, found: &mut Vec<Task>) -> bool {
        let Task { folder, chain, depth } = task;
        let listing = match fs::read_dir(&folder) {
            Ok(listing) => listing,
            Err(error) if is_gone(&error) && folder != self.start => {
                tally.pass_over(PassedOver::Vanished);
                return true;
            }
            Err(_) => {
                tally.could_not_see(folder);
                return true;
            }
        };
        let mut entries = Vec::new();
        let mut listed = [false; IGNORE_FILE_NAMES.len()];
        let mut lists_git = false;
        let mut telltale = false;
        for entry in listing {
            let Ok(entry) = entry else {
                // The listing broke off: what it did not name may still be there.
                tally.could_not_see(folder.clone());
                break;
            };
            let name = entry.file_name();
            match name.to_str() {
                Some(".git") => lists_git = true,
                Some(name) if junk::TELLTALES.contains(&name) => telltale = true,
                Some(name) => {
                    if let Some(position) = IGNORE_FILE_NAMES.iter().position(|known| *known == name) {
                        listed[position] = true;
                    }
                }
                None => {}
            }
            let kind = entry.file_type();
            entries.push((entry.path(), kind));
        }
        if self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return false;
        }
        if telltale && folder != self.start && junk::junk_by_telltale(&folder).is_some() {
            tally.pass_over(PassedOver::Junk);
            return true;
        }
        let chain =
            if self.options.hears_ignore_files { chain.enter_listed(&folder, listed, lists_git) } else { chain };
        for (path, kind) in entries {
            if self.stop.is_requested() {
                return false;
            }
            match kind {
                Ok(kind) if kind.is_dir() => {
                    if !self.meet_folder(path, &chain, depth, tally, found) {
                        return false;
                    }
                }
                Ok(kind) if kind.is_file() => {
                    if !self.meet_file(path, &chain, tally) {
                        return false;
                    }
                }
                Ok(kind) => tally.pass_over(reason_of(kind)),
                Err(error) if is_gone(&error) => tally.pass_over(PassedOver::Vanished),
                Err(_) => tally.could_not_see(path),
            }
        }
        true
    }

    /// Hands one folder over and queues it; `false` ends the walk.
    fn meet_folder(
        &self,
        path: PathBuf,
        chain: &Arc<IgnoreChain>,
        depth: usize,
        tally: &mut Tally,
        found_folders: &mut Vec<Task>,
    ) -> bool {
        if let Some(exclusion) = self.rules.exclusion(chain, &path, true, None) {
            tally.pass_over(PassedOver::from(&exclusion));
            return true;
        }
        if depth >= DEEPEST {
            tally.pass_over(PassedOver::TooDeep);
            return true;
        }
        if self.options.except.contains(&path) {
            return true;
        }
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if is_gone(&error) => {
                tally.pass_over(PassedOver::Vanished);
                return true;
            }
            Err(_) => {
                tally.could_not_see(path);
                return true;
            }
        };
        if self.device.is_some_and(|device| stamp_of(&metadata).device != device) {
            return true;
        }
        let go_on = (self.sink)(Met::Folder(found(path.clone(), &metadata)));
        found_folders.push(Task { folder: path, chain: Arc::clone(chain), depth: depth + 1 });
        go_on
    }

    /// Hands one file over; `false` ends the walk.
    fn meet_file(&self, path: PathBuf, chain: &Arc<IgnoreChain>, tally: &mut Tally) -> bool {
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() => metadata,
            Ok(_) => {
                tally.pass_over(PassedOver::Vanished);
                return true;
            }
            Err(error) if is_gone(&error) => {
                tally.pass_over(PassedOver::Vanished);
                return true;
            }
            Err(_) => {
                tally.could_not_see(path);
                return true;
            }
        };
        if let Some(exclusion) = self.rules.exclusion(chain, &path, false, Some(metadata.len())) {
            tally.pass_over(PassedOver::from(&exclusion));
            return true;
        }
        tally.files += 1;
        (self.sink)(Met::File(found(path, &metadata)))
    }
}

fn found(path: PathBuf, metadata: &Metadata) -> FoundFile {
    FoundFile { path, stamp: stamp_of(metadata), allocated_bytes: allocated_bytes(metadata) }
}

impl From<&Exclusion> for PassedOver {
    fn from(exclusion: &Exclusion) -> Self {
        match exclusion {
            Exclusion::Secret(_) => Self::Secret,
            Exclusion::Junk(_) => Self::Junk,
            Exclusion::Hidden => Self::Hidden,
            Exclusion::OwnHome => Self::OwnHome,
            Exclusion::Ignored { .. } => Self::Ignored,
        }
    }
}

fn reason_of(kind: FileType) -> PassedOver {
    if kind.is_symlink() { PassedOver::Link } else { PassedOver::Special }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    fn names(root: &Path) -> (Vec<PathBuf>, WalkReport) {
        let found = Mutex::new(Vec::new());
        let report = walk(root, &Rules::without_home(), 2, &Stop::new(), &|file| {
            found.lock().unwrap().push(file.path.strip_prefix(root).unwrap().to_path_buf());
            true
        });
        let mut found = found.into_inner().unwrap();
        found.sort();
        (found, report)
    }

    #[test]
    fn links_loops_and_special_files_are_survived_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("real.md"), "x").unwrap();
        symlink("/etc/passwd", root.join("passwd")).unwrap();
        symlink(".", root.join("loop")).unwrap();
        symlink("b", root.join("a")).unwrap();
        symlink("a", root.join("b")).unwrap();
        symlink("nowhere", root.join("dangling.md")).unwrap();
        symlink("real.md", root.join("inside.md")).unwrap();
        symlink("/dev/zero", root.join("zero.txt")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            root.join("pipe.md"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(root.join("socket.md")).unwrap();
        let (found, report) = names(root);
        assert_eq!(found, [PathBuf::from("real.md")]);
        assert_eq!(report.state, RootState::Complete);
        assert_eq!(report.passed_over[&PassedOver::Link], 7);
        assert_eq!(report.passed_over[&PassedOver::Special], 2);
    }

    #[test]
    fn odd_names_are_kept_byte_for_byte() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let mut odd: Vec<PathBuf> = ["°.md", "----=-.md", "{.md", "-rf.md", "a\nb.md", "e\u{301}.md", "é.md"]
            .into_iter()
            .map(PathBuf::from)
            .collect();
        odd.push(PathBuf::from(std::ffi::OsStr::from_bytes(b"\xff\xfe.md")));
        for name in &odd {
            fs::write(root.join(name), "x").unwrap();
        }
        odd.sort();
        assert_eq!(names(root).0, odd);
    }

    #[test]
    fn a_missing_root_is_missing_and_a_file_is_a_root() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(names(&folder.path().join("gone")).1.state, RootState::Missing);
        let file = folder.path().join(".hidden.md");
        fs::write(&file, "x").unwrap();
        assert_eq!(names(&file).0, [PathBuf::new()], "a root that the user named, hidden or not");
    }

    #[test]
    fn what_could_not_be_seen_covers_what_lies_under_it() {
        let report = WalkReport {
            state: RootState::Complete,
            files: 0,
            passed_over: BTreeMap::new(),
            unreadable: vec![PathBuf::from("/r/a"), PathBuf::from("/r/b/c")],
        };
        assert!(report.could_not_see(Path::new("/r/a/x/y.md")));
        assert!(report.could_not_see(Path::new("/r/b/c")));
        assert!(!report.could_not_see(Path::new("/r/b/d.md")));
        assert!(!report.could_not_see(Path::new("/r/ab")));
    }
}
