//! What the disk says of a document, right before it is shown; and reading one file anew on the spot.
//!
//! Stamps first, since they cost microseconds; where they differ, the bytes decide. A file that is gone
//! is looked for nearby by its bytes, within a small budget: renamed in its folder, or below a folder
//! that was renamed. Only a path that is no document of its own counts as where it went, and only one
//! that the rules let in: a file in the wastebasket is gone.
//!
//! A path that passes a link by now, or that the rules leave out by now, is gone as well, whatever lies
//! there: an answer must not show what an index would not take in.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bethink_core::{Clock, ContentHash, ProblemKind};
use bethink_store::{Batch, DocumentRecord, FileStamp, IndexReader, IndexWriter, Move, Publication, Reading, Restamp};

use crate::beneath::{outermost_root, passes_link};
use crate::error::Result;
use crate::extracting::{Extracting, reading_of, secret_reading};
use crate::fingerprint::{self, FileRead, ReadTrouble, doubtful, same_stamp, stamp_of};
use crate::indexer::presence::{Devices, Presence};
use crate::member::{Containers, MemberReader, container_of_missing, members_root};
use crate::rules::{Judge, Rules, private_key};

/// Time that the search for one moved file may take.
const SEARCH_TIME: Duration = Duration::from_millis(60);

/// Entries that the search for one moved file may look at.
const SEARCH_ENTRIES: usize = 20_000;

/// Bytes of a file that are hashed while somebody waits for an answer: 64 MiB take some 20 ms.
const HASH_BYTES: u64 = 64 * 1024 * 1024;

/// What the disk says of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileVerdict {
    /// The file has the bytes that were indexed.
    Current,
    /// The file has other bytes.
    Changed,
    /// The same bytes stand at another path, which is no document yet.
    Moved(PathBuf),
    /// The file is gone, or left out by the rules, or lies behind a link.
    Gone,
    /// The place where it lies cannot be seen.
    Unreachable,
}

/// Asks the disk.
pub struct DiskVerifier<'verifier> {
    reader: &'verifier dyn IndexReader,
    rules: &'verifier Rules,
    judge: Judge<'verifier>,
    clock: &'verifier dyn Clock,
    deadline: Option<Instant>,
    roots: Vec<PathBuf>,
}

impl<'verifier> DiskVerifier<'verifier> {
    /// A verifier whose searches for moved files all end by the deadline.
    ///
    /// # Errors
    /// The roots cannot be read from the store.
    pub fn new(
        reader: &'verifier dyn IndexReader,
        rules: &'verifier Rules,
        clock: &'verifier dyn Clock,
        deadline: Option<Instant>,
    ) -> Result<Self> {
        let roots = reader.roots()?.into_iter().map(|root| root.path).collect();
        Ok(Self { reader, judge: Judge::new(rules), rules, clock, deadline, roots })
    }

    /// What the disk says of this document now. What is inside a container is as its container is.
    pub fn verify(&self, document: &DocumentRecord) -> FileVerdict {
        let path = &document.path;
        // Where no document stands at the container any more, this one is looked for like any other.
        if let Some(container) = container_of_missing(path)
            && let Ok(Some(holder)) = self.reader.find_document_at(&container)
        {
            return self.verify_member(document, &holder);
        }
        // Its root was forgotten.
        let Some(root) = outermost_root(&self.roots, path) else { return FileVerdict::Gone };
        if fs::symlink_metadata(root).is_ok_and(|metadata| metadata.is_symlink()) {
            return FileVerdict::Unreachable;
        }
        if passes_link(root, path) {
            return self.search(document, root);
        }
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_file() => {
                if self.judge.lets_in(path, &metadata, &self.roots) {
                    self.compare(document, root, &stamp_of(&metadata))
                } else {
                    FileVerdict::Gone
                }
            }
            // Something else has taken its place.
            Ok(_) => self.search(document, root),
            Err(error) if is_gone(&error) => match Devices::default().presence(document) {
                Presence::OutOfSight => FileVerdict::Unreachable,
                Presence::Gone | Presence::Present => self.search(document, root),
            },
            Err(_) => FileVerdict::Unreachable,
        }
    }

    fn verify_member(&self, document: &DocumentRecord, holder: &DocumentRecord) -> FileVerdict {
        match self.verify(holder) {
            FileVerdict::Moved(to) => match document.path.strip_prefix(members_root(&holder.path)) {
                Ok(inner) => FileVerdict::Moved(members_root(&to).join(inner)),
                Err(_) => FileVerdict::Gone,
            },
            verdict => verdict,
        }
    }

    fn compare(&self, document: &DocumentRecord, root: &Path, stamp: &FileStamp) -> FileVerdict {
        if same_stamp(&document.stamp, stamp) {
            return FileVerdict::Current;
        }
        let Some(known) = document.hash else {
            // Nothing but the stamp is known of it, and a doubtful one never equals.
            let same = (document.stamp.size_bytes, document.stamp.modified_ns) == (stamp.size_bytes, stamp.modified_ns);
            return if same { FileVerdict::Current } else { FileVerdict::Changed };
        };
        if document.stamp.size_bytes != stamp.size_bytes {
            return FileVerdict::Changed;
        }
        match fingerprint::hash(root, &document.path, HASH_BYTES, self.clock.now()) {
            Ok((hash, _)) if hash == known => FileVerdict::Current,
            // Too large to hash while somebody waits: size and time have to do. A stamp is doubtful for
            // every file that was written right before it was read.
            Err(ReadTrouble::TooLarge { .. }) if document.stamp.modified_ns == stamp.modified_ns => {
                FileVerdict::Current
            }
            Ok(_) | Err(ReadTrouble::TooLarge { .. }) => FileVerdict::Changed,
            Err(ReadTrouble::Vanished | ReadTrouble::NotAFile) => self.search(document, root),
            Err(ReadTrouble::Passing(_)) => FileVerdict::Unreachable,
        }
    }

    /// Looks for the bytes of a file that is gone.
    fn search(&self, document: &DocumentRecord, root: &Path) -> FileVerdict {
        let Some(hash) = document.hash else { return FileVerdict::Gone };
        let deadline = Instant::now() + SEARCH_TIME;
        let deadline = self.deadline.map_or(deadline, |other| other.min(deadline));
        let search = Search { verifier: self, document, root, hash, deadline };
        search.run().map_or(FileVerdict::Gone, FileVerdict::Moved)
    }
}

struct Search<'search, 'verifier> {
    verifier: &'search DiskVerifier<'verifier>,
    document: &'search DocumentRecord,
    /// Where the search ends.
    root: &'search Path,
    hash: ContentHash,
    deadline: Instant,
}

impl Search<'_, '_> {
    fn run(&self) -> Option<PathBuf> {
        let path = &self.document.path;
        let standing = path
            .ancestors()
            .skip(1)
            .take_while(|ancestor| ancestor.starts_with(self.root))
            .find(|ancestor| ancestor.is_dir() && !passes_link(self.root, ancestor))?;
        let rest = path.strip_prefix(standing).ok()?;
        // A folder was renamed: the same names stand below one of its new siblings.
        let below: PathBuf = rest.components().skip(1).collect();
        if !below.as_os_str().is_empty() {
            let found =
                self.folders_in(standing).into_iter().map(|folder| folder.join(&below)).find(|path| self.is_it(path));
            if found.is_some() {
                return found;
            }
        }
        // The file was renamed in its folder, or moved somewhere under its root: nearest folders
        // first, breadth before depth.
        let mut seen = 0;
        let mut from = Some(standing);
        let mut done: Option<&Path> = None;
        while let Some(folder) = from {
            if let Some(found) = self.under(folder, done, &mut seen) {
                return Some(found);
            }
            if self.is_over() || seen >= SEARCH_ENTRIES || folder == self.root {
                return None;
            }
            done = Some(folder);
            from = folder.parent();
        }
        None
    }

    /// Searches a folder breadth first, leaving out a subfolder that was searched already.
    fn under(&self, folder: &Path, done: Option<&Path>, seen: &mut usize) -> Option<PathBuf> {
        let mut waiting = VecDeque::from([folder.to_path_buf()]);
        while let Some(folder) = waiting.pop_front() {
            let Ok(listing) = fs::read_dir(&folder) else { continue };
            for entry in listing.flatten() {
                *seen += 1;
                if *seen >= SEARCH_ENTRIES || self.is_over() {
                    return None;
                }
                let path = entry.path();
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => {
                        let is_done = done == Some(path.as_path());
                        if !is_done && self.verifier.rules.built_in(&path, true, None).is_none() {
                            waiting.push_back(path);
                        }
                    }
                    Ok(kind) if kind.is_file() && self.is_it(&path) => return Some(path),
                    _ => {}
                }
            }
        }
        None
    }

    fn folders_in(&self, folder: &Path) -> Vec<PathBuf> {
        let Ok(listing) = fs::read_dir(folder) else { return Vec::new() };
        listing
            .flatten()
            .take(SEARCH_ENTRIES)
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .collect()
    }

    /// Whether this path holds the lost bytes, is no document of its own, and may be indexed.
    fn is_it(&self, path: &Path) -> bool {
        let size = self.document.stamp.size_bytes;
        let verifier = self.verifier;
        let Ok(metadata) = fs::symlink_metadata(path) else { return false };
        // Nothing is read that the rules leave out.
        metadata.is_file()
            && metadata.len() == size
            && size <= HASH_BYTES
            && !self.is_over()
            && verifier.judge.lets_in(path, &metadata, &verifier.roots)
            && matches!(verifier.reader.find_document_at(path), Ok(None))
            && fingerprint::hash(self.root, path, HASH_BYTES, verifier.clock.now())
                .is_ok_and(|(hash, _)| hash == self.hash)
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }
}

/// What reading one document anew did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refreshed {
    /// Its new bytes were read and published: the lexicon can catch up.
    Published,
    /// Its bytes are the indexed ones; only its stamp was brought up.
    Unchanged,
    /// It was bound to its new path.
    Rebound,
    /// Nothing could be done now: it is gone, too large for an answer that somebody waits for, or the
    /// system refused. The next sweep sees to it.
    LeftAsIs,
}

/// Brings one document up to the disk in one short transaction, without the lock of the walk:
/// publishing is idempotent, and whoever comes last has read the newer bytes. A `Moved` verdict binds
/// the document to its new path, where nothing is extracted or embedded again. Files larger than
/// `limit_bytes` are left to the next sweep.
///
/// # Errors
/// A failure of the data plane.
pub fn refresh(
    store: &mut dyn IndexWriter,
    extracting: &dyn Extracting,
    clock: &dyn Clock,
    document: &DocumentRecord,
    verdict: &FileVerdict,
    limit_bytes: u64,
) -> Result<Refreshed> {
    let mut batch = Batch::default();
    let roots = store.roots()?;
    let root_paths: Vec<PathBuf> = roots.iter().map(|root| root.path.clone()).collect();
    // The data home never becomes a document, so its rule has nothing to say here.
    let rules = Rules::without_home();
    let judge = Judge::new(&rules);
    // What is inside a container is read with it.
    let holder = match container_of_missing(&document.path) {
        Some(container) => store.find_document_at(&container)?,
        None => None,
    };
    let document = holder.as_ref().unwrap_or(document);
    let refreshed = match verdict {
        FileVerdict::Moved(_) if holder.is_some() => return Ok(Refreshed::LeftAsIs),
        FileVerdict::Current | FileVerdict::Gone | FileVerdict::Unreachable => return Ok(Refreshed::LeftAsIs),
        FileVerdict::Moved(path) => {
            let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(Refreshed::LeftAsIs) };
            if !judge.lets_in(path, &metadata, &root_paths) {
                return Ok(Refreshed::LeftAsIs);
            }
            let root = roots.iter().filter(|root| path.starts_with(&root.path)).max_by_key(|root| {
                // The document's own root where it covers the new path, else the innermost.
                (root.id == document.root, root.path.components().count())
            });
            let Some(root) = root else { return Ok(Refreshed::LeftAsIs) };
            batch.moves.push(Move {
                document: document.id,
                root: root.id,
                path: path.clone(),
                stamp: doubtful(stamp_of(&metadata)),
            });
            Refreshed::Rebound
        }
        FileVerdict::Changed => match read_below(&document.path, &root_paths, &judge, limit_bytes, clock) {
            Ok(read) if document.hash == Some(read.hash) => {
                batch.restamps.push(Restamp { document: document.id, stamp: read.stamp });
                Refreshed::Unchanged
            }
            Ok(read) => match publish_anew(store, extracting, &rules, document, read, &mut batch)? {
                true => Refreshed::Published,
                false => return Ok(Refreshed::LeftAsIs),
            },
            Err(ReadTrouble::Passing(error)) => {
                batch.publications.push(Publication {
                    root: document.root,
                    path: document.path.clone(),
                    stamp: doubtful(document.stamp),
                    hash: document.hash,
                    reading: Reading::Failed {
                        kind: ProblemKind::Unreadable,
                        detail: format!("The system could not read it: {error}."),
                        keep_earlier: true,
                    },
                });
                Refreshed::LeftAsIs
            }
            Err(ReadTrouble::Vanished | ReadTrouble::NotAFile | ReadTrouble::TooLarge { .. }) => {
                return Ok(Refreshed::LeftAsIs);
            }
        },
    };
    store.apply(&batch)?;
    Ok(refreshed)
}

/// Adds to a batch what a file's new bytes say, and what is inside it now. False: there is more inside
/// than somebody who waits should wait for.
fn publish_anew(
    store: &dyn IndexWriter,
    extracting: &dyn Extracting,
    rules: &Rules,
    document: &DocumentRecord,
    read: FileRead,
    batch: &mut Batch,
) -> Result<bool> {
    /// Files inside that are read while somebody waits.
    const MEMBERS_AT_ONCE: usize = 100;

    let FileRead { bytes, hash, stamp } = read;
    let publication = |path: PathBuf, hash, reading| Publication { root: document.root, path, stamp, hash, reading };
    if private_key::is_in(&bytes) {
        batch.publications.push(publication(document.path.clone(), None, secret_reading()));
    } else {
        let mut met = Vec::new();
        let mut pass_on = |member| {
            met.push(member);
            met.len() <= MEMBERS_AT_ONCE
        };
        let mut members = MemberReader {
            container: &document.path,
            rules,
            extractor_version: extracting.version(),
            pass_on: &mut pass_on,
            cut_short: false,
        };
        let reading = reading_of(extracting, &document.path, bytes, &mut members);
        if members.cut_short {
            return Ok(false);
        }
        batch.publications.extend(met.into_iter().map(|member| publication(member.path, member.hash, member.reading)));
        batch.publications.push(publication(document.path.clone(), Some(hash), reading));
    }
    let known = store.documents_under(Some(&members_root(&document.path)), None, MEMBERS_AT_ONCE + 1)?;
    if known.len() > MEMBERS_AT_ONCE {
        return Ok(false);
    }
    let is_met = |path: &Path| batch.publications.iter().any(|publication| publication.path == path);
    let mut containers = Containers::default();
    let gone = known.iter().filter(|member| containers.of_missing(&member.path).is_some() && !is_met(&member.path));
    batch.removals = gone.map(|member| member.id).collect();
    Ok(true)
}

/// Reads a file anew if the rules still let it in.
fn read_below(
    path: &Path,
    roots: &[PathBuf],
    judge: &Judge<'_>,
    limit_bytes: u64,
    clock: &dyn Clock,
) -> std::result::Result<FileRead, ReadTrouble> {
    let root = outermost_root(roots, path).ok_or(ReadTrouble::Vanished)?;
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if is_gone(&error) => return Err(ReadTrouble::Vanished),
        Err(error) => return Err(ReadTrouble::Passing(error)),
    };
    if !judge.lets_in(path, &metadata, roots) {
        return Err(ReadTrouble::Vanished);
    }
    fingerprint::read(root, path, limit_bytes, clock.now())
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
