//! Building the index of names: every path that a person may look for, with its times, so that
//! finding a file never walks a disk.
//!
//! It covers more than the roots: the home folder and other volumes too. Secrets, junk and hidden
//! names are left out by the same rules as everywhere; ignore files are not heard, since a file that
//! somebody keeps out of their repository is still a file that they look for. Nothing is opened.

use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use bethink_core::Clock;
use bethink_index::{CacheStamp, NameEntry, NamesBuilder};
use bethink_store::{IndexReader, RootState};

use crate::caches::Caches;
use crate::error::Result;
use crate::fingerprint::stamp_of;
use crate::rules::Rules;
use crate::stop::Stop;
use crate::walk::{FoundFile, Met, WalkOptions, walk_from};

/// Entries that the walk may be ahead of the builder.
const WALK_AHEAD: usize = 1_024;

/// What a source of names is to its user, in the order in which a search widens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameSourceKind {
    /// A root.
    Work,
    /// The home folder.
    Home,
    /// Another volume.
    Volume,
}

/// A place whose names are gathered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameSource {
    /// What it is to its user.
    pub kind: NameSourceKind,
    /// The folder (or the one file).
    pub path: PathBuf,
}

/// How names are gathered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamesOptions {
    /// Threads that walk.
    pub threads: usize,
    /// Time that one source may take; a volume that sleeps must not hold up the others.
    pub time_a_source: Duration,
    /// Entries of all sources together. Four million take about 250 MB while they are gathered.
    pub most_entries: usize,
}

impl Default for NamesOptions {
    fn default() -> Self {
        Self { threads: 2, time_a_source: Duration::from_secs(60), most_entries: 4_000_000 }
    }
}

/// How one source fared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceReport {
    /// The source.
    pub source: NameSource,
    /// Names gathered from it, folders included.
    pub names: u64,
    /// Whether it was walked to its end; if not, time, room or the system stopped it.
    pub complete: bool,
}

/// What was gathered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamesReport {
    /// Every source, in the order in which a search widens.
    pub sources: Vec<SourceReport>,
}

/// Gathers the names of all sources into the file of names, which is replaced in one step. Sources may
/// lie inside one another: each folder is walked once, for the source that comes first.
///
/// # Errors
/// A failure of the data plane, or of the file; the old file stays then.
pub fn build_names(
    caches: &Caches,
    reader: &dyn IndexReader,
    rules: &Rules,
    sources: &[NameSource],
    options: &NamesOptions,
    clock: &dyn Clock,
    stop: &Stop,
) -> Result<NamesReport> {
    let stamp = CacheStamp { store: reader.store_id()?.0, sequence: reader.sequence()? };
    let mut builder = NamesBuilder::new(stamp, clock.now());
    let mut sources = sources.to_vec();
    // Within a kind the outer source first, so that an inner one has only to be left out.
    sources.sort_by(|one, other| (one.kind, &one.path).cmp(&(other.kind, &other.path)));
    let mut covered: Vec<PathBuf> = Vec::new();
    let mut reports = Vec::with_capacity(sources.len());
    for source in sources {
        let is_inside = |outer: &Path| source.path.starts_with(outer);
        if rules.forbids_root(&source.path).is_some() || covered.iter().any(|outer| is_inside(outer)) {
            reports.push(SourceReport { source, names: 0, complete: true });
            continue;
        }
        let (names, complete) = gather(&source.path, &covered, rules, options, &mut builder, stop)?;
        covered.push(source.path.clone());
        reports.push(SourceReport { source, names, complete });
    }
    add_members(reader, options, &mut builder, stop)?;
    if !stop.is_requested() {
        builder.finish(&caches.names())?;
    }
    Ok(NamesReport { sources: reports })
}

/// Adds the names of files inside files, which no walk meets.
fn add_members(
    reader: &dyn IndexReader,
    options: &NamesOptions,
    builder: &mut NamesBuilder,
    stop: &Stop,
) -> Result<()> {
    /// Documents asked for at a time.
    const PAGE: usize = 1_000;

    let mut after = None;
    while !stop.is_requested() && builder.len() < options.most_entries {
        let page = reader.members(after.as_deref(), PAGE)?;
        let Some(last) = page.last() else { break };
        after = Some(last.path.clone());
        for member in page {
            let modified = member.stamp.modified();
            builder.push(&NameEntry { path: &member.path, is_folder: false, size_bytes: 0, modified })?;
        }
    }
    Ok(())
}

/// Adds the names of one source; tells how many, and whether that is all.
fn gather(
    root: &Path,
    covered: &[PathBuf],
    rules: &Rules,
    options: &NamesOptions,
    builder: &mut NamesBuilder,
    stop: &Stop,
) -> Result<(u64, bool)> {
    let walk_options = WalkOptions {
        threads: options.threads,
        hears_ignore_files: false,
        except: covered,
        // Another volume under this folder is a source of its own, or none at all.
        stays_on_device: true,
        deadline: Instant::now().checked_add(options.time_a_source),
    };
    let before = builder.len();
    // The folder itself is looked for by its name as well.
    if let Ok(metadata) = root.symlink_metadata()
        && metadata.is_dir()
    {
        let modified = stamp_of(&metadata).modified();
        builder.push(&NameEntry { path: root, is_folder: true, size_bytes: metadata.len(), modified })?;
    }
    let (say, hear) = sync_channel::<(bool, FoundFile)>(WALK_AHEAD);
    std::thread::scope(|scope| -> Result<(u64, bool)> {
        let walked = scope.spawn(|| {
            let say = say;
            walk_from(root, root, rules, &walk_options, stop, &|met| match met {
                Met::File(file) => say.send((false, file)).is_ok(),
                Met::Folder(folder) => say.send((true, folder)).is_ok(),
            })
        });
        let mut has_room = true;
        for (is_folder, found) in hear {
            if builder.len() >= options.most_entries {
                has_room = false;
                break;
            }
            builder.push(&NameEntry {
                path: &found.path,
                is_folder,
                size_bytes: found.stamp.size_bytes,
                modified: found.stamp.modified(),
            })?;
        }
        let complete = walked.join().is_ok_and(|report| report.state == RootState::Complete);
        Ok(((builder.len() - before) as u64, complete && has_room))
    })
}
