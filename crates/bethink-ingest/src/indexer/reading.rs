//! The threads that read files and extract their text, and what bounds them.
//!
//! The indexer's own thread holds the store and decides; these threads only read, hash, extract and
//! cut. Nothing here waits for anything but work: bytes in flight are counted where work is admitted,
//! so that no thread can sit on memory while it waits for more.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, PoisonError};

use bethink_core::{Clock, ContentHash, DocumentId, RootId};
use bethink_store::{FileStamp, Reading};

use crate::beneath::outermost_root;
use crate::extracting::{Extracting, reading_of};
use crate::fingerprint::{self, FileRead, ReadTrouble};
use crate::member::{MemberReader, MemberReading};
use crate::rules::{Rules, private_key};
use crate::walk::{FoundFile, WalkReport};

/// A file that has to be read.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub path: PathBuf,
    pub root: RootId,
    /// The document at this path, if there is one.
    pub document: Option<DocumentId>,
    /// The stamp that the walk saw.
    pub stamp: FileStamp,
}

/// What a reading thread is asked to do.
pub(crate) enum Job {
    Read(Candidate),
    Extract(Candidate, FileRead),
}

/// What the indexer's thread hears.
pub(crate) enum Heard {
    Found(FoundFile),
    WalkEnded(WalkReport),
    Read(Candidate, Result<FileRead, ReadTrouble>),
    /// The file holds a private key; its bytes are let go already.
    Secret(Candidate, FileStamp),
    /// A file inside a file that is being read; the file itself follows.
    Member {
        root: RootId,
        stamp: FileStamp,
        member: MemberReading,
    },
    /// Reading was broken off, since the run is ending; nothing is known of the file.
    Abandoned(Candidate),
    Extracted {
        candidate: Candidate,
        stamp: FileStamp,
        hash: ContentHash,
        reading: Reading,
    },
}

/// Jobs that wait for a thread. Extraction goes first: its bytes are in memory already.
#[derive(Default)]
pub(crate) struct Jobs {
    state: Mutex<JobsState>,
    changed: Condvar,
}

#[derive(Default)]
struct JobsState {
    waiting: VecDeque<Job>,
    closed: bool,
}

impl Jobs {
    pub(crate) fn push(&self, job: Job) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match job {
            Job::Read(_) => state.waiting.push_back(job),
            Job::Extract(..) => state.waiting.push_front(job),
        }
        self.changed.notify_one();
    }

    fn take(&self) -> Option<Job> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.closed {
                return None;
            }
            if let Some(job) = state.waiting.pop_front() {
                return Some(job);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes back every job that no thread has begun, and tells how many there were.
    pub(crate) fn take_back(&self) -> usize {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let count = state.waiting.len();
        state.waiting.clear();
        count
    }

    pub(crate) fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.closed = true;
        state.waiting.clear();
        self.changed.notify_all();
    }
}

/// What the reading threads share.
pub(crate) struct ReadingRoom<'run> {
    pub jobs: &'run Jobs,
    pub room: &'run Room,
    /// The borders below which no link is followed.
    pub roots: &'run [PathBuf],
    pub rules: &'run Rules,
    pub extracting: &'run dyn Extracting,
    pub clock: &'run dyn Clock,
    pub limit_bytes: u64,
}

/// Works jobs off until the queue is closed.
pub(crate) fn work(shared: &ReadingRoom<'_>, heard: &Sender<Heard>) {
    let ReadingRoom { jobs, room, roots, rules, extracting, clock, limit_bytes } = *shared;
    while let Some(job) = jobs.take() {
        let said = match job {
            Job::Read(candidate) => {
                let read = match outermost_root(roots, &candidate.path) {
                    Some(root) => fingerprint::read(root, &candidate.path, limit_bytes, clock.now()),
                    // Every candidate was found under a root, so this is only a refusal to guess.
                    None => Err(ReadTrouble::Vanished),
                };
                match read {
                    Ok(read) if private_key::is_in(&read.bytes) => Heard::Secret(candidate, read.stamp),
                    read => Heard::Read(candidate, read),
                }
            }
            Job::Extract(candidate, FileRead { bytes, hash, stamp }) => {
                let root = candidate.root;
                let mut pass_on = |member: MemberReading| {
                    room.take(member.text_bytes()) && heard.send(Heard::Member { root, stamp, member }).is_ok()
                };
                let mut members = MemberReader {
                    container: &candidate.path,
                    rules,
                    extractor_version: extracting.version(),
                    pass_on: &mut pass_on,
                    cut_short: false,
                };
                let reading = reading_of(extracting, &candidate.path, bytes, &mut members);
                if members.cut_short {
                    Heard::Abandoned(candidate)
                } else {
                    Heard::Extracted { candidate, stamp, hash, reading }
                }
            }
        };
        if heard.send(said).is_err() {
            return;
        }
    }
}

/// How many bytes of members' texts may wait for the indexer's thread.
pub(crate) struct Room {
    state: Mutex<RoomState>,
    changed: Condvar,
    most_bytes: u64,
}

struct RoomState {
    taken: u64,
    closed: bool,
}

impl Room {
    pub(crate) fn new(most_bytes: u64) -> Self {
        Self { state: Mutex::new(RoomState { taken: 0, closed: false }), changed: Condvar::new(), most_bytes }
    }

    /// Waits until so many bytes fit; what is larger than all the room goes in alone. `false` if nothing
    /// will be taken any more.
    pub(crate) fn take(&self, bytes: u64) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.closed {
                return false;
            }
            if state.taken == 0 || state.taken.saturating_add(bytes) <= self.most_bytes {
                // A member without text takes a little room all the same.
                state.taken = state.taken.saturating_add(bytes.max(1));
                return true;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(crate) fn give(&self, bytes: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.taken = state.taken.saturating_sub(bytes.max(1));
        self.changed.notify_all();
    }

    pub(crate) fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.changed.notify_all();
    }
}

/// How many files the walk may be ahead of the indexer.
pub(crate) struct Permits {
    state: Mutex<PermitsState>,
    changed: Condvar,
}

struct PermitsState {
    free: usize,
    closed: bool,
}

impl Permits {
    pub(crate) fn new(free: usize) -> Self {
        Self { state: Mutex::new(PermitsState { free, closed: false }), changed: Condvar::new() }
    }

    /// Waits for a permit; `false` if there will be none any more.
    pub(crate) fn take(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.closed {
                return false;
            }
            if state.free > 0 {
                state.free -= 1;
                return true;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(crate) fn give(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).free += 1;
        self.changed.notify_one();
    }

    pub(crate) fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.changed.notify_all();
    }
}

/// Closes all when the indexer's thread leaves, by whatever way: its helpers must never wait for it.
pub(crate) struct Closing<'run> {
    pub jobs: &'run Jobs,
    pub permits: &'run Permits,
    pub room: &'run Room,
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.jobs.close();
        self.permits.close();
        self.room.close();
    }
}
