//! The engine: a home, and what a process keeps open of it.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bethink_core::{Clock, UnixMillis, is_memory_path, member_path};
use bethink_extract::{Extractor, ExtractorSettings};
use bethink_ingest::{Rules, container_on_disk};
use bethink_store::sqlite::{SqliteIndex, SqliteIndexReader};
use jiff::ZonedDateTime;
use jiff::tz::TimeZone;

use crate::error::Result;
use crate::home::Home;
use crate::model::{ModelShelf, OpenModel};

/// Everything that an engine must be told. It asks the environment for nothing.
pub struct EngineOptions {
    /// The data home.
    pub home: Home,
    /// The user's own folder, whose names `find` knows; `None` where there is none.
    pub user_home: Option<PathBuf>,
    /// What relative paths are relative to.
    pub working_folder: PathBuf,
    /// Folders of models beside the home's own.
    pub model_folders: Vec<PathBuf>,
    /// Models that are part of the program itself.
    pub bundled_models: &'static [BundledModel],
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// The zone that "yesterday" is in.
    pub zone: TimeZone,
    /// The command that becomes an extraction worker; `None` reads risky files in this process.
    pub worker: Option<(PathBuf, Vec<OsString>)>,
}

/// A model container that is part of the program. It is unpacked into the home's models folder when a
/// model is first needed there, because a mapped file costs memory only where it is touched, and a
/// home that was indexed with it can be read by a program without it.
#[derive(Debug, Clone, Copy)]
pub struct BundledModel {
    /// The container's file name.
    pub file_name: &'static str,
    /// The container.
    pub bytes: &'static [u8],
}

/// One home, opened. Cheap to open, safe to share between threads: what it keeps is the models and
/// the extraction workers, each started when first needed.
pub struct Engine {
    options: EngineOptions,
    shelf: ModelShelf,
    extractor: OnceLock<Extractor>,
    rules: Rules,
}

impl Engine {
    /// Opens a home, which need not exist yet. Nothing is made or read before it is needed.
    ///
    /// # Errors
    /// None at present.
    pub fn open(options: EngineOptions) -> Result<Self> {
        let rules = Rules::new(options.home.folder());
        Ok(Self { options, shelf: ModelShelf::default(), extractor: OnceLock::new(), rules })
    }

    /// The data home.
    pub fn home(&self) -> &Home {
        &self.options.home
    }

    /// What relative paths are relative to.
    pub fn working_folder(&self) -> &Path {
        &self.options.working_folder
    }

    /// The moment in the user's zone; `None` for moments beyond the calendar.
    pub fn local_time(&self, moment: UnixMillis) -> Option<ZonedDateTime> {
        let timestamp = jiff::Timestamp::from_millisecond(moment.0).ok()?;
        Some(timestamp.to_zoned_datetime(self.options.zone.clone()))
    }

    pub(crate) fn user_home(&self) -> Option<&Path> {
        self.options.user_home.as_deref()
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.options.clock.as_ref()
    }

    pub(crate) fn zone(&self) -> &TimeZone {
        &self.options.zone
    }

    pub(crate) fn model_folders(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.home().models()];
        folders.extend(self.options.model_folders.iter().cloned());
        folders
    }

    /// The models, static before transformer.
    pub(crate) fn open_models(&self) -> &[OpenModel] {
        self.unpack_bundled();
        self.shelf.open(&self.model_folders())
    }

    /// Unpacks the program's own models where the home has none of that name. Failing leaves search by
    /// words, which `status` tells.
    pub(crate) fn unpack_bundled(&self) {
        for model in self.options.bundled_models {
            let container = self.home().models().join(model.file_name);
            if container.exists() || self.home().create().is_err() {
                continue;
            }
            // Written beside and renamed, so that no process ever opens half a container.
            let unfinished = container.with_extension(format!("unpacking-{}", std::process::id()));
            let unpacked = fs::write(&unfinished, model.bytes).and_then(|()| fs::rename(&unfinished, &container));
            if let Err(error) = unpacked {
                tracing::warn!(%error, "a bundled model could not be unpacked");
                // What was begun is of no use; that it may not go either changes nothing.
                let _ = fs::remove_file(&unfinished);
            }
        }
    }

    /// The extractor, whose workers start with the first risky file.
    pub(crate) fn extractor(&self) -> &Extractor {
        self.extractor.get_or_init(|| {
            Extractor::new(ExtractorSettings {
                worker_command: self.options.worker.clone(),
                pdf_library: self.pdf_library(),
                ..ExtractorSettings::default()
            })
        })
    }

    /// The command that becomes an extraction worker.
    pub(crate) fn worker(&self) -> Option<&(PathBuf, Vec<OsString>)> {
        self.options.worker.as_ref()
    }

    /// What is taken in and what is left out.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// A handle for questions; `None` before anything was indexed.
    pub(crate) fn reader(&self) -> Result<Option<SqliteIndexReader>> {
        Ok(SqliteIndexReader::open(&self.home().index_database())?)
    }

    /// A handle for changes; makes the home.
    pub(crate) fn writer(&self) -> Result<SqliteIndex> {
        self.home().create()?;
        Ok(SqliteIndex::open(&self.home().index_database())?)
    }

    /// What is said wherever the home can only be read.
    pub(crate) fn read_only_note(&self) -> Option<String> {
        self.home().is_read_only().then(|| {
            format!(
                "{} cannot be written to, so nothing newer than the last index run is searched",
                self.home().folder().display()
            )
        })
    }

    /// The path as the index knows it: absolute, without `.` and `..`, its folders' links resolved,
    /// its own name kept, so that a link is judged as a link.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        if is_memory_path(path) {
            return path.to_owned();
        }
        let joined = self.options.working_folder.join(path);
        if let Some((container, inner)) = container_on_disk(&joined) {
            return member_path(&self.absolute(&container), &inner);
        }
        if joined.is_dir()
            && let Ok(resolved) = joined.canonicalize()
        {
            return resolved;
        }
        match (joined.parent().and_then(|parent| parent.canonicalize().ok()), joined.file_name()) {
            (Some(parent), Some(name)) => parent.join(name),
            _ => without_dots(&joined),
        }
    }
}

/// The path with `.` and `..` taken out by their names alone, for paths that are not on the disk.
fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_taken_out_by_name() {
        assert_eq!(without_dots(Path::new("/a/./b/../c")), PathBuf::from("/a/c"));
        assert_eq!(without_dots(Path::new("/../a")), PathBuf::from("/a"));
    }
}
