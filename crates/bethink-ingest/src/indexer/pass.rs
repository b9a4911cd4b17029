//! One pass over the roots, seen from the thread that holds the store.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use bethink_core::{ContentHash, ContentId, DocumentId, ProblemKind, RootId, member_path, split_member_path};
use bethink_extract::sniff;
use bethink_store::{
    Batch, DocumentRecord, FileStamp, IndexReader, Move, Outcome, Publication, Reading, Restamp, Root, RootState,
};
use bethink_text::CUTTER_VERSION;

use super::known::{KnownPath, KnownPaths};
use super::presence::{Devices, Presence};
use super::reading::{Candidate, Closing, Heard, Job, Jobs, Permits, ReadingRoom, Room, work};
use super::removal;
use super::versions::{MadeBy, SettledRoots};
use super::{IndexOptions, IndexerParts, piecewise, state_with_kept};
use crate::beneath::{outermost_root, passes_link};
use crate::caches::CacheWriter;
use crate::error::Result;
use crate::extracting::secret_reading;
use crate::fingerprint::{FileRead, ReadTrouble, doubtful};
use crate::member::{MemberReading, members_root};
use crate::progress::{Event, Phase, Progress};
use crate::rules::{Rules, private_key};
use crate::sharpen;
use crate::stop::Stop;
use crate::summary::{PassedOver, RootReport, Summary};
use crate::walk::{FoundFile, Met, WalkOptions, WalkReport, walk_from};

/// Files that the walk may be ahead, each a path in memory.
const WALK_AHEAD: usize = 4_096;

/// Files in the hands of the reading threads, a thread: enough that none waits for the indexer's
/// thread while that commits a batch.
const JOBS_A_THREAD: usize = 16;

/// How often the indexer's thread looks at the request to stop while nothing happens.
const LOOK_UP: Duration = Duration::from_millis(100);

/// Walked files between two progress events.
const WALKED_A_TELLING: u64 = 256;

/// Bytes at the head of a file that its format is told from.
const HEAD_BYTES: usize = 64 * 1024;

/// Stack of a reading thread, in bytes: parsers of nested formats recurse, to a bounded depth.
const READING_STACK_BYTES: usize = 8 * 1024 * 1024;

/// Members of a moved container asked for at a time.
const MEMBERS_A_PAGE: usize = 500;

/// Below this share of its size on the disk a file counts as sparse.
const SPARSE_SHARE: u64 = 8;

/// What one pass walks: a root, or what lies at and under one path of it.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    pub root: Root,
    pub start: PathBuf,
}

impl Scope {
    /// A whole root.
    pub(super) fn whole(root: Root) -> Self {
        Self { start: root.path.clone(), root }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.start == self.root.path
    }
}

pub(super) fn run(
    parts: &mut IndexerParts<'_>,
    rules: &Rules,
    scopes: &[Scope],
    options: &IndexOptions,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Summary> {
    progress.event(Event::Phase(Phase::Indexing));
    let made_by = MadeBy {
        store: parts.store.store_id()?,
        extractor: parts.extracting.version(),
        cutter: CUTTER_VERSION,
        file_limit_bytes: options.file_limit_bytes,
    };
    for embedder in parts.embedders {
        parts.store.register_model(&sharpen::model_spec(*embedder))?;
    }
    let mut known = KnownPaths::default();
    for scope in scopes {
        known.load(&*parts.store, &scope.start, stop)?;
        known.load(&*parts.store, &members_root(&scope.start), stop)?;
    }
    let roots = parts.store.roots()?;
    let root_paths: Vec<PathBuf> = roots.iter().map(|root| root.path.clone()).collect();
    let all_roots: HashMap<RootId, RootState> = roots.into_iter().map(|root| (root.id, root.state)).collect();
    let settled = SettledRoots::load(parts.caches.folder(), made_by);
    let extracting = parts.extracting;
    let clock = parts.clock;
    let (jobs, permits, room) = (Jobs::default(), Permits::new(WALK_AHEAD), Room::new(options.batch_bytes));
    let reading_room = ReadingRoom {
        jobs: &jobs,
        room: &room,
        roots: &root_paths,
        rules,
        extracting,
        clock,
        limit_bytes: options.file_limit_bytes,
    };
    let (say, hear) = channel();

    let mut pass = Pass {
        parts,
        options,
        progress,
        stop,
        made_by,
        all_roots,
        root_paths: &root_paths,
        known,
        devices: Devices::default(),
        settled,
        jobs: &jobs,
        permits: &permits,
        room: &room,
        waiting: VecDeque::new(),
        in_flight: 0,
        bytes_in_flight: 0,
        batch: Batch::default(),
        batch_bytes: 0,
        batch_began: None,
        moving: HashSet::new(),
        cache_writer: None,
        caches_brought_up: Instant::now(),
        summary: Summary::default(),
        files_read: 0,
        walked: 0,
        to_read: 0,
    };

    let reports = std::thread::scope(|scope| -> Result<Vec<WalkReport>> {
        let _closing = Closing { jobs: &jobs, permits: &permits, room: &room };
        for number in 0..options.threads.max(1) {
            let (reading_room, say) = (&reading_room, say.clone());
            std::thread::Builder::new()
                .name(format!("bethink-read-{number}"))
                .stack_size(READING_STACK_BYTES)
                .spawn_scoped(scope, move || work(reading_room, &say))
                .map_err(|source| crate::error::IngestError::Home {
                    path: PathBuf::from("a reading thread"),
                    source,
                })?;
        }
        let mut reports = Vec::with_capacity(scopes.len());
        for walked in scopes {
            let (say, permits, roots) = (say.clone(), &permits, &root_paths);
            scope.spawn(move || walk_scope(walked, roots, rules, options.walk_threads, stop, permits, &say));
            reports.push(pass.follow_walk(&walked.root, &hear)?);
        }
        pass.finish_reading(&hear)?;
        Ok(reports)
    })?;
    pass.conclude(scopes, &reports)
}

fn walk_scope(
    scope: &Scope,
    roots: &[PathBuf],
    rules: &Rules,
    threads: usize,
    stop: &Stop,
    permits: &Permits,
    say: &Sender<Heard>,
) {
    let root = &scope.root.path;
    let report = if outermost_root(roots, root).is_some_and(|outer| passes_link(outer, root)) {
        // A folder between the outer root and this one was replaced by a link since this one was named.
        let passed_over = [(PassedOver::Link, 1)].into();
        WalkReport { state: RootState::Complete, files: 0, passed_over, unreadable: Vec::new() }
    } else {
        let options = WalkOptions::for_content(threads);
        walk_from(root, &scope.start, rules, &options, stop, &|met| match met {
            Met::File(file) => permits.take() && say.send(Heard::Found(file)).is_ok(),
            Met::Folder(_) => true,
        })
    };
    // Nobody hears it if the pass has ended early.
    let _ = say.send(Heard::WalkEnded(report));
}

struct Pass<'pass, 'parts> {
    parts: &'pass mut IndexerParts<'parts>,
    options: &'pass IndexOptions,
    progress: &'pass dyn Progress,
    stop: &'pass Stop,
    made_by: MadeBy,
    all_roots: HashMap<RootId, RootState>,
    root_paths: &'pass [PathBuf],
    known: KnownPaths,
    devices: Devices,
    settled: SettledRoots,
    jobs: &'pass Jobs,
    permits: &'pass Permits,
    room: &'pass Room,
    /// Files that have to be read, each with its walk permit.
    waiting: VecDeque<Candidate>,
    in_flight: usize,
    bytes_in_flight: u64,
    batch: Batch,
    batch_bytes: u64,
    batch_began: Option<Instant>,
    /// Documents whose move is in the batch: the store still has them at their old path.
    moving: HashSet<DocumentId>,
    cache_writer: Option<CacheWriter>,
    caches_brought_up: Instant,
    summary: Summary,
    files_read: u64,
    walked: u64,
    to_read: u64,
}

impl Pass<'_, '_> {
    /// Hears until this root's walk has ended.
    fn follow_walk(&mut self, root: &Root, hear: &Receiver<Heard>) -> Result<WalkReport> {
        let mut ended = None;
        loop {
            match self.next(hear)? {
                Some(Heard::Found(file)) => self.found(root, file)?,
                Some(Heard::WalkEnded(report)) => ended = Some(report),
                Some(other) => self.heard(other)?,
                None => {}
            }
            // Whatever the walk found was sent before its end was.
            if let Some(report) = ended.take() {
                self.progress.event(Event::Walked { files: self.walked, to_read: self.to_read });
                return Ok(report);
            }
            self.admit();
        }
    }

    /// Hears until every file that was found has been read, then commits what is left.
    fn finish_reading(&mut self, hear: &Receiver<Heard>) -> Result<()> {
        self.progress.event(Event::WalkEnded { files: self.walked, to_read: self.to_read });
        self.admit();
        while self.in_flight > 0 || (!self.waiting.is_empty() && !self.stop.is_requested()) {
            if self.stop.is_requested() {
                // What is being read is published; what was not begun is for the next run.
                self.in_flight -= self.jobs.take_back();
            }
            if let Some(heard) = self.next(hear)? {
                self.heard(heard)?;
            }
            self.admit();
        }
        self.flush()
    }

    /// The next thing heard, or `None` after a short silence. Commits a batch that has waited.
    fn next(&mut self, hear: &Receiver<Heard>) -> Result<Option<Heard>> {
        if self.batch_began.is_some_and(|began| began.elapsed() >= self.options.batch_interval) {
            self.flush()?;
        }
        match hear.recv_timeout(LOOK_UP) {
            Ok(heard) => Ok(Some(heard)),
            // Disconnection cannot happen: the pass itself holds a sender through its scope.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Ok(None),
        }
    }

    fn heard(&mut self, heard: Heard) -> Result<()> {
        match heard {
            Heard::Read(candidate, Ok(read)) => self.read(candidate, read),
            Heard::Read(candidate, Err(trouble)) => self.could_not_read(candidate, trouble),
            Heard::Secret(candidate, stamp) => {
                self.land(&candidate);
                self.secret(&candidate, stamp)
            }
            Heard::Member { root, stamp, member } => {
                self.room.give(member.text_bytes());
                self.member(root, stamp, member)
            }
            Heard::Abandoned(candidate) => {
                self.land(&candidate);
                Ok(())
            }
            Heard::Extracted { candidate, stamp, hash, reading } => {
                self.publish(&candidate, stamp, Some(hash), reading)?;
                self.land(&candidate);
                Ok(())
            }
            Heard::Found(_) | Heard::WalkEnded(_) => Ok(()),
        }
    }

    /// Decides what to do with a file that the walk found.
    fn found(&mut self, root: &Root, file: FoundFile) -> Result<()> {
        let Some(known) = self.known.see(&file.path) else {
            // Met under another root of this pass.
            self.permits.give();
            return Ok(());
        };
        self.walked += 1;
        if self.walked.is_multiple_of(WALKED_A_TELLING) {
            self.progress.event(Event::Walked { files: self.walked, to_read: self.to_read });
        }
        if known.document.is_some() {
            self.devices.note(known.device, file.stamp.device);
        }
        if self.is_unchanged(root, &known, &file)? {
            self.summary.unchanged += 1;
            self.permits.give();
            return Ok(());
        }
        // A document stays with its root as long as that is remembered.
        let root = if self.all_roots.contains_key(&known.root) { known.root } else { root.id };
        let candidate = Candidate { path: file.path, root, document: known.document, stamp: file.stamp };
        if file.stamp.size_bytes > self.options.file_limit_bytes {
            self.permits.give();
            return self.too_large(&candidate, file.stamp, file.allocated_bytes);
        }
        self.to_read += 1;
        self.waiting.push_back(candidate);
        Ok(())
    }

    fn is_unchanged(&mut self, root: &Root, known: &KnownPath, file: &FoundFile) -> Result<bool> {
        let Some(document) = known.document else { return Ok(false) };
        if !known.has_stamp(&file.stamp) {
            return Ok(false);
        }
        if self.settled.is_settled(root.id) && !self.options.retry && known.device == file.stamp.device {
            return Ok(true);
        }
        let Some(record) = self.parts.store.find_document(document)? else { return Ok(false) };
        let good = match (&record.outcome, record.content) {
            // A text that an earlier version published may be a key by now.
            (Outcome::Indexed, Some(content)) => self.is_current(content)? && !self.holds_key(content)?,
            // Without a text nothing tells which versions gave up on it.
            _ => self.settled.is_settled(root.id) && !self.options.retry,
        };
        if good && record.stamp.device != file.stamp.device {
            // The volume was mounted under another number; the file is the same.
            self.restamp(document, file.stamp)?;
        }
        Ok(good)
    }

    /// Whether a content was read by the present versions.
    fn is_current(&self, content: ContentId) -> Result<bool> {
        let store = &*self.parts.store;
        let Some(record) = store.content(content)? else { return Ok(false) };
        let MadeBy { extractor, cutter, .. } = self.made_by;
        Ok(store.find_content(record.hash, record.format, extractor, cutter)? == Some(content))
    }

    /// Whether the text of a content begins with, or soon comes to, a private key.
    fn holds_key(&self, content: ContentId) -> Result<bool> {
        let mut head = Vec::new();
        for passage in self.parts.store.passages_of(content)? {
            head.extend_from_slice(passage.text.as_bytes());
            head.push(b'\n');
            if head.len() >= private_key::HEAD_BYTES {
                break;
            }
        }
        Ok(private_key::is_in(&head))
    }

    fn too_large(&mut self, candidate: &Candidate, stamp: FileStamp, allocated_bytes: u64) -> Result<()> {
        let limit = self.options.file_limit_bytes / (1024 * 1024);
        let kind = if allocated_bytes < stamp.size_bytes / SPARSE_SHARE { "sparse file" } else { "file" };
        let detail = format!("The {kind} has {} MiB; up to {limit} MiB are read.", stamp.size_bytes / (1024 * 1024));
        self.publish(candidate, stamp, None, Reading::Skipped { kind: ProblemKind::Limit, detail })
    }

    /// Hands files to the reading threads as long as their bytes fit into memory.
    fn admit(&mut self) {
        if self.stop.is_requested() {
            // Files that wait keep their permits from here on, so a walk that waits for one would
            // wait for ever.
            self.permits.close();
            // A container is abandoned between two of its members.
            self.room.close();
            return;
        }
        let most = self.options.threads.max(1) * JOBS_A_THREAD;
        while self.in_flight < most {
            let Some(next) = self.waiting.front() else { return };
            let fits = self.bytes_in_flight.saturating_add(next.stamp.size_bytes) <= self.options.bytes_in_flight;
            // A giant goes alone.
            if !fits && self.in_flight > 0 {
                return;
            }
            let Some(candidate) = self.waiting.pop_front() else { return };
            self.permits.give();
            self.progress.event(Event::FileStarted { path: &candidate.path });
            self.in_flight += 1;
            self.bytes_in_flight += candidate.stamp.size_bytes;
            self.jobs.push(Job::Read(candidate));
        }
    }

    /// Publishes a file inside a file. It comes before its container, so that a run that is killed in
    /// between reads the container again.
    fn member(&mut self, root: RootId, stamp: FileStamp, member: MemberReading) -> Result<()> {
        let known = self.known.see(&member.path);
        let document = known.and_then(|known| known.document);
        let candidate = Candidate { path: member.path, root, document, stamp };
        self.publish(&candidate, stamp, member.hash, member.reading)
    }

    /// Takes the members of a container along to its new path.
    fn move_members(&mut self, from: &Path, candidate: &Candidate, stamp: FileStamp) -> Result<()> {
        let under = members_root(from);
        let mut after = None;
        loop {
            let page = self.parts.store.documents_under(Some(&under), after.as_deref(), MEMBERS_A_PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.path.clone());
            for document in page {
                let Some((_, inner)) = split_member_path(&document.path) else { continue };
                let path = member_path(&candidate.path, &inner);
                self.moving.insert(document.id);
                self.batch.moves.push(Move { document: document.id, root: candidate.root, path, stamp });
            }
        }
    }

    /// A file has left the hands of the reading threads.
    fn land(&mut self, candidate: &Candidate) {
        self.in_flight -= 1;
        self.bytes_in_flight = self.bytes_in_flight.saturating_sub(candidate.stamp.size_bytes);
    }

    /// Records a file with a private key in it: its name and nothing of its bytes.
    fn secret(&mut self, candidate: &Candidate, stamp: FileStamp) -> Result<()> {
        let reading = secret_reading();
        if let Some(document) = candidate.document
            && let Some(before) = self.parts.store.find_document(document)?
            && let (Outcome::Skipped { detail: known, .. }, Reading::Skipped { detail, .. }) =
                (&before.outcome, &reading)
            && known == detail
            && before.hash.is_none()
        {
            self.summary.unchanged += 1;
            return self.restamp(before.id, stamp);
        }
        self.publish(candidate, stamp, None, reading)
    }

    fn could_not_read(&mut self, candidate: Candidate, trouble: ReadTrouble) -> Result<()> {
        self.land(&candidate);
        match trouble {
            ReadTrouble::Vanished | ReadTrouble::NotAFile => {
                // Whether it is gone for good is asked again when what is gone is removed.
                self.known.unsee(&candidate.path);
                Ok(())
            }
            ReadTrouble::TooLarge { size_bytes, stamp } => self.too_large(&candidate, stamp, size_bytes),
            ReadTrouble::Passing(error) => {
                let earlier = match candidate.document {
                    Some(document) => self.parts.store.find_document(document)?.and_then(|record| record.hash),
                    None => None,
                };
                let reading = Reading::Failed {
                    kind: ProblemKind::Unreadable,
                    detail: format!("The system could not read it: {error}."),
                    keep_earlier: true,
                };
                // The doubtful stamp makes every later sweep try again.
                self.publish(&candidate, doubtful(candidate.stamp), earlier, reading)
            }
        }
    }

    /// Decides what a file's bytes mean: the same as before, bytes known from elsewhere, or new ones.
    fn read(&mut self, mut candidate: Candidate, read: FileRead) -> Result<()> {
        self.summary.bytes += read.bytes.len() as u64;
        let before = match candidate.document {
            Some(document) => self.parts.store.find_document(document)?,
            None => None,
        };
        if let Some(before) = &before
            && before.hash == Some(read.hash)
            && self.stands(before)?
        {
            self.land(&candidate);
            self.summary.unchanged += 1;
            if before.stamp != read.stamp {
                self.restamp(before.id, read.stamp)?;
            }
            return Ok(());
        }
        let alike = self.parts.store.documents_with_hash(read.hash)?;
        if before.is_none()
            && let Some(origin) = self.moved_from(&candidate.path, &alike)
        {
            let origin = origin.clone();
            // First, and so in the same batch as the container: a container whose members are still at its
            // old path must never be on the disk of the store.
            self.move_members(&origin.path, &candidate, read.stamp)?;
            self.note_move(&candidate, origin.id, read.stamp)?;
            if same_extension(&origin.path, &candidate.path) && self.stands(&origin)? {
                self.land(&candidate);
                return Ok(());
            }
            // The same bytes may have another format under another extension.
            candidate.document = Some(origin.id);
        }
        // What is inside a copy of a container has paths of its own, so the copy is opened as well.
        let head = &read.bytes[..read.bytes.len().min(HEAD_BYTES)];
        let holds_files = sniff(head, lower_extension(&candidate.path).as_deref()).may_hold_files();
        if !holds_files && let Some(content) = self.known_content(&candidate.path, &read, &alike)? {
            self.publish(&candidate, read.stamp, Some(read.hash), Reading::Known(content))?;
            self.land(&candidate);
            return Ok(());
        }
        self.jobs.push(Job::Extract(candidate, read));
        Ok(())
    }

    /// Whether what is recorded of these bytes would be recorded again.
    fn stands(&self, record: &DocumentRecord) -> Result<bool> {
        let settled = self.settled.is_settled(record.root) && !self.options.retry;
        match (&record.outcome, record.content) {
            (Outcome::Indexed, Some(_)) if settled => Ok(true),
            (Outcome::Indexed, Some(content)) => self.is_current(content),
            (Outcome::Indexed, None) => Ok(false),
            // A passing trouble says nothing of the bytes.
            (Outcome::Failed { kind: ProblemKind::Unreadable, .. }, _) => Ok(false),
            (Outcome::Skipped { .. } | Outcome::Failed { .. }, _) => Ok(settled),
        }
    }

    /// The document that has moved to a new path: one with the same bytes whose file is gone. Of
    /// several, the one of the same name, then of the same extension.
    fn moved_from<'alike>(&self, path: &Path, alike: &'alike [DocumentRecord]) -> Option<&'alike DocumentRecord> {
        alike
            .iter()
            .filter(|document| !self.moving.contains(&document.id) && !self.known.was_seen(&document.path))
            .filter(|document| self.is_behind_link(document) || self.devices.presence(document) == Presence::Gone)
            .min_by_key(|document| {
                (document.path.file_name() != path.file_name(), !same_extension(&document.path, path), document.id)
            })
    }

    /// Whether a document's path passes a link by now: what lies there is another file, or the same one
    /// at its new path, where a folder was moved and a link left in its place.
    fn is_behind_link(&self, document: &DocumentRecord) -> bool {
        outermost_root(self.root_paths, &document.path).is_some_and(|root| passes_link(root, &document.path))
    }

    /// The text that these bytes are known to have at such a path.
    fn known_content(&self, path: &Path, read: &FileRead, alike: &[DocumentRecord]) -> Result<Option<ContentId>> {
        // A document of the same extension was read as the same format.
        for document in alike.iter().filter(|document| same_extension(&document.path, path)) {
            if let Some(content) = document.content
                && self.is_of_bytes(content, read.hash)?
                && self.is_current(content)?
            {
                return Ok(Some(content));
            }
        }
        let extension = lower_extension(path);
        let format = sniff(&read.bytes[..read.bytes.len().min(HEAD_BYTES)], extension.as_deref());
        let MadeBy { extractor, cutter, .. } = self.made_by;
        Ok(self.parts.store.find_content(read.hash, format, extractor, cutter)?)
    }

    /// Whether a content was read from bytes of this hash: a document that failed for a moment keeps
    /// the text of earlier bytes.
    fn is_of_bytes(&self, content: ContentId, hash: ContentHash) -> Result<bool> {
        Ok(self.parts.store.content(content)?.is_some_and(|record| record.hash == hash))
    }

    fn note_move(&mut self, candidate: &Candidate, document: DocumentId, stamp: FileStamp) -> Result<()> {
        self.summary.moved += 1;
        self.moving.insert(document);
        self.batch.moves.push(Move { document, root: candidate.root, path: candidate.path.clone(), stamp });
        self.grown(0)
    }

    fn restamp(&mut self, document: DocumentId, stamp: FileStamp) -> Result<()> {
        self.batch.restamps.push(Restamp { document, stamp });
        self.grown(0)
    }

    fn publish(
        &mut self,
        candidate: &Candidate,
        stamp: FileStamp,
        hash: Option<ContentHash>,
        reading: Reading,
    ) -> Result<()> {
        self.files_read += 1;
        if !matches!(reading, Reading::Failed { keep_earlier: true, .. }) {
            self.known.note_reread(&candidate.path);
        }
        let mut bytes = 0;
        match &reading {
            Reading::Text(content) => {
                self.summary.indexed += 1;
                self.summary.passages += content.passages.len() as u64;
                bytes = content.text.len() as u64;
            }
            Reading::Known(_) => self.summary.indexed += 1,
            Reading::Skipped { kind, .. } => *self.summary.skipped.entry(*kind).or_default() += 1,
            Reading::Failed { kind, .. } => *self.summary.failed.entry(*kind).or_default() += 1,
        }
        self.batch.publications.push(Publication {
            root: candidate.root,
            path: candidate.path.clone(),
            stamp,
            hash,
            reading,
        });
        self.grown(bytes)
    }

    /// Commits the batch if it has grown enough.
    fn grown(&mut self, bytes: u64) -> Result<()> {
        self.batch_bytes += bytes;
        self.batch_began.get_or_insert_with(Instant::now);
        let work = self.batch.publications.len() + self.batch.moves.len();
        // A restamp is a row of a few bytes; they are only kept from growing without bound.
        let full = work >= self.options.batch_files
            || self.batch.restamps.len() >= 50 * self.options.batch_files.max(1)
            || self.batch_bytes >= self.options.batch_bytes;
        if full { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.batch_began = None;
        self.batch_bytes = 0;
        let batch = std::mem::take(&mut self.batch);
        if batch == Batch::default() {
            return Ok(());
        }
        let outcome = piecewise::apply(self.parts.store, batch)?;
        self.moving.clear();
        self.summary.vectors_reused += outcome.applied.vectors_reused;
        if outcome.refused > 0 {
            *self.summary.failed.entry(ProblemKind::Crashed).or_default() += outcome.refused as u64;
        }
        self.progress.event(Event::Committed {
            files: self.files_read,
            passages: self.summary.passages,
            bytes: self.summary.bytes,
        });
        if self.caches_brought_up.elapsed() >= self.options.cache_interval {
            self.bring_caches_up(false)?;
        }
        Ok(())
    }

    /// Brings lexicon, static vectors and matrices up. In the middle of a pass somebody else may be
    /// at it, who then does this work too; at the end it is waited for.
    fn bring_caches_up(&mut self, wait: bool) -> Result<()> {
        for embedder in self.parts.embedders {
            let report = sharpen::embed_waiting(
                &mut *self.parts.store,
                *embedder,
                self.parts.clock,
                wait,
                self.progress,
                self.stop,
            )?;
            self.summary.embedded += report.embedded;
        }
        if self.cache_writer.is_none() {
            self.cache_writer =
                if wait { self.parts.caches.writer(self.stop)? } else { self.parts.caches.try_writer()? };
        }
        if let Some(writer) = &mut self.cache_writer {
            let reader: &dyn IndexReader = &*self.parts.store;
            writer.catch_up(reader, None, self.stop)?;
        }
        self.caches_brought_up = Instant::now();
        Ok(())
    }

    /// Removes what is gone, records how the roots were found, and brings the caches up to the end.
    fn conclude(mut self, scopes: &[Scope], reports: &[WalkReport]) -> Result<Summary> {
        self.progress.event(Event::Phase(Phase::Removing));
        for (scope, report) in scopes.iter().zip(reports) {
            let removed = removal::remove_gone(
                self.parts.store,
                scope,
                report,
                &self.all_roots,
                &self.known,
                &self.devices,
                self.stop,
            )?;
            self.summary.removed += removed.removed;
            let unfinished = self.stop.is_requested() || report.state == RootState::Pending;
            let state = if unfinished {
                RootState::Pending
            } else {
                state_with_kept(report.state.clone(), report.files, removed.kept)
            };
            if !unfinished && scope.is_whole() {
                self.parts.store.record_root_state(scope.root.id, state.clone(), self.parts.clock.now())?;
                if state == RootState::Complete {
                    self.settled.settle(scope.root.id)?;
                }
            }
            self.summary.roots.push(RootReport {
                path: scope.start.clone(),
                state,
                files: report.files,
                passed_over: report.passed_over.clone(),
                kept: removed.kept,
            });
        }
        self.progress.event(Event::Phase(Phase::CatchingUp));
        self.bring_caches_up(true)?;
        Ok(self.summary)
    }
}

fn same_extension(one: &Path, other: &Path) -> bool {
    lower_extension(one) == lower_extension(other)
}

fn lower_extension(path: &Path) -> Option<String> {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase())
}
