//! One container being unpacked: its listing, its members, and what is left of the limits.

use std::io::Read;

use bethink_core::{Problem, ProblemKind, UnixMillis};

use crate::extraction::problem;
use crate::family::{Member, Outcome, Sink};
use crate::limits::Limits;

/// Most bytes of a container's list of paths: some thousand files. Members beyond are found by their own
/// names.
const LISTING_BYTES: usize = 64 << 10;

/// Bytes of listing that are handed on at once.
const PIECE_BYTES: usize = 4 << 10;

/// Hands on what a container holds, as far as the limits allow.
pub(super) struct Unpacking<'a> {
    sink: &'a mut dyn Sink,
    limits: &'a Limits,
    /// Lines of the listing that were not handed on yet.
    pending: String,
    listed_bytes: usize,
    listing_is_full: bool,
    members: u32,
    bytes_left: usize,
    damaged: u32,
    encrypted: u32,
    said_limit: bool,
    wants_more: bool,
}

impl<'a> Unpacking<'a> {
    /// The unpacking of a container of so many bytes.
    pub(super) fn new(container_bytes: usize, limits: &'a Limits, sink: &'a mut dyn Sink) -> Self {
        Self {
            sink,
            limits,
            pending: String::new(),
            listed_bytes: 0,
            listing_is_full: false,
            members: 0,
            bytes_left: limits.unpacked_for(container_bytes),
            damaged: 0,
            encrypted: 0,
            said_limit: false,
            wants_more: true,
        }
    }

    /// Bytes that may still be unpacked.
    pub(super) fn bytes_left(&self) -> usize {
        self.bytes_left
    }

    /// Whether anybody wants further members, and the limits allow any.
    pub(super) fn wants_more(&self) -> bool {
        self.wants_more
    }

    /// Whether further bytes may be unpacked.
    pub(super) fn may_unpack(&self) -> bool {
        self.wants_more && self.bytes_left > 0
    }

    /// One line of the listing; folders end with a slash.
    pub(super) fn list(&mut self, path: &str) {
        if self.listing_is_full {
            return;
        }
        let line = path.chars().map(|character| if character.is_control() { ' ' } else { character });
        let before = self.pending.len();
        self.pending.extend(line);
        self.pending.push('\n');
        self.listed_bytes += self.pending.len() - before;
        if self.listed_bytes > LISTING_BYTES {
            self.listing_is_full = true;
            self.pending.truncate(before);
            let detail = format!("only the first {} KiB of the list of its files are kept", LISTING_BYTES >> 10);
            self.sink.problem(problem(ProblemKind::Limit, detail));
        }
        if self.pending.len() >= PIECE_BYTES {
            self.hand_on_listing();
        }
    }

    /// A file inside, whose content is read as far as the limits allow. The size is what the container
    /// claims, where it does.
    pub(super) fn file(&mut self, path: &str, modified: Option<UnixMillis>, size: Option<u64>, content: &mut dyn Read) {
        let largest = self.limits.member_bytes;
        if size.is_some_and(|size| size > largest as u64) {
            return self.withheld(path, modified, self.too_large());
        }
        if self.bytes_left == 0 {
            self.exhausted();
            return self.withheld(path, modified, not_unpacked());
        }
        if !self.counts() {
            return;
        }
        let room = largest.min(self.bytes_left);
        let mut bytes = Vec::new();
        let ended = content.take(room as u64 + 1).read_to_end(&mut bytes);
        self.bytes_left = self.bytes_left.saturating_sub(bytes.len());
        let bytes = if bytes.len() > room {
            let reason = if room < largest { not_unpacked() } else { self.too_large() };
            if room < largest {
                self.bytes_left = 0;
                self.exhausted();
            }
            Err(reason)
        } else if ended.is_err() {
            self.damaged += 1;
            if bytes.is_empty() { Err(problem(ProblemKind::Damaged, DAMAGED_MEMBER)) } else { Ok(bytes) }
        } else {
            Ok(bytes)
        };
        self.send(Member { path: path.to_owned(), modified, bytes });
    }

    /// Counts the bytes of a member that are unpacked only to be thrown away, where what is withheld stands
    /// before what is wanted. False: the container may not unpack so many.
    pub(super) fn affords(&mut self, size: u64) -> bool {
        if size <= self.limits.member_bytes as u64 {
            // Read, and counted while it was.
            return true;
        }
        self.bytes_left = self.bytes_left.saturating_sub(usize::try_from(size).unwrap_or(usize::MAX));
        if self.bytes_left == 0 {
            self.exhausted();
        }
        self.bytes_left > 0
    }

    /// A file inside whose bytes are not to be had.
    pub(super) fn withheld(&mut self, path: &str, modified: Option<UnixMillis>, reason: Problem) {
        if !self.counts() {
            return;
        }
        match reason.kind {
            ProblemKind::Encrypted => self.encrypted += 1,
            ProblemKind::Damaged => self.damaged += 1,
            _ => {}
        }
        self.send(Member { path: path.to_owned(), modified, bytes: Err(reason) });
    }

    /// Closes the account.
    pub(super) fn finish(mut self, stopped: Option<Problem>) -> Outcome {
        if self.encrypted > 0 {
            let detail = format!("{} inside open with a password only", files(self.encrypted));
            self.sink.problem(problem(ProblemKind::Encrypted, detail));
        }
        if self.damaged > 0 {
            let detail = format!("{} inside could not be unpacked whole", files(self.damaged));
            self.sink.problem(problem(ProblemKind::Damaged, detail));
        }
        let empty = self.listed_bytes == 0 && self.members == 0;
        self.hand_on_listing();
        match stopped {
            // The order in which a collector judges: text that was kept turns a failure into a problem.
            Some(reason) if matches!(reason.kind, ProblemKind::Encrypted | ProblemKind::Limit) => {
                Outcome::Skipped(reason)
            }
            Some(reason) => Outcome::Failed(reason),
            None if empty => Outcome::Skipped(problem(ProblemKind::Empty, "the archive holds no files")),
            None => Outcome::Read,
        }
    }

    /// Whether one more member may go out.
    fn counts(&mut self) -> bool {
        if !self.wants_more {
            return false;
        }
        if self.members >= self.limits.members {
            self.wants_more = false;
            let detail = format!("only the first {} files inside are taken", self.limits.members);
            self.say_limit(detail);
            return false;
        }
        self.members += 1;
        true
    }

    fn send(&mut self, member: Member) {
        self.hand_on_listing();
        self.wants_more = self.sink.member(member);
    }

    fn hand_on_listing(&mut self) {
        if !self.pending.is_empty() && !self.sink.text(std::mem::take(&mut self.pending)) {
            self.listing_is_full = true;
        }
    }

    /// Says once that the limit on unpacked bytes was reached.
    pub(super) fn exhausted(&mut self) {
        self.say_limit("it unpacks to more than a container of its size may; the rest is not read".to_owned());
    }

    fn say_limit(&mut self, detail: String) {
        if !self.said_limit {
            self.said_limit = true;
            self.sink.problem(problem(ProblemKind::Limit, detail));
        }
    }

    fn too_large(&self) -> Problem {
        let detail = format!("larger than {} MiB once unpacked; findable by name", self.limits.member_bytes >> 20);
        problem(ProblemKind::Limit, detail)
    }
}

/// The sentence for a member that does not unpack.
pub(super) const DAMAGED_MEMBER: &str = "its packed bytes are broken; findable by name";

/// The reason for a member behind the limit on unpacked bytes.
pub(super) fn not_unpacked() -> Problem {
    problem(ProblemKind::Limit, "its container unpacks to more than it may; findable by name")
}

fn files(count: u32) -> String {
    if count == 1 { "one file".to_owned() } else { format!("{count} files") }
}
