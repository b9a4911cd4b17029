//! Errors as people read them: what happened, and the next command to type. The one place that
//! turns an error into text and an exit code.

use std::io;
use std::process::ExitCode;

use anyhow::Error;
use bethink_engine::{EngineError, EventKind, MemoryError, MemoryStoreError, NoteKind};

/// Something was found.
const HITS: u8 = 0;
/// Nothing was found.
const NONE: u8 = 1;
/// It did not work.
const ERROR: u8 = 2;

/// What a command ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// There were hits, or the work was done.
    Well,
    /// There were none.
    Empty,
    /// The work was done in part; what failed has been said.
    Troubled,
}

/// The process's exit code; prints the error, if there is one.
pub fn exit_code(outcome: Result<Ended, Error>) -> ExitCode {
    match outcome {
        Ok(Ended::Well) => ExitCode::from(HITS),
        Ok(Ended::Empty) => ExitCode::from(NONE),
        Ok(Ended::Troubled) => ExitCode::from(ERROR),
        Err(error) if is_closed_pipe(&error) => ExitCode::from(HITS),
        Err(error) => {
            // Standard error may be closed, too; then there is nobody to tell.
            let _ = io::Write::write_all(&mut io::stderr(), render(&error).as_bytes());
            ExitCode::from(ERROR)
        }
    }
}

/// Whether whoever read our output went away, as `head` does. That is no error.
fn is_closed_pipe(error: &Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe))
}

fn render(error: &Error) -> String {
    let mut text = format!("bethink: {error}");
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text.push('\n');
    if let Some(hint) = error.chain().find_map(|cause| cause.downcast_ref::<EngineError>()).and_then(hint) {
        text.push_str("  ");
        text.push_str(&hint);
        text.push('\n');
    }
    text
}

/// The next command to type.
pub fn hint(error: &EngineError) -> Option<String> {
    Some(match error {
        EngineError::EmptyQuestion => {
            "type what you remember, as: bethink that essay about jaws; or of a name, as: bethink find budget deck"
                .to_owned()
        }
        EngineError::NothingIndexed => "start with: bethink index ~/Documents".to_owned(),
        EngineError::NoSuchPath { path } => {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            format!("look for it by name: bethink find {name}")
        }
        EngineError::NotIndexed { path, .. } => format!("see why: bethink doctor --why '{}'", path.display()),
        EngineError::NoSuchDocument { .. } => "ask again for a current id: bethink search --json …".to_owned(),
        EngineError::NoSuchLine { path, .. } => format!("read it from its top: bethink read '{}'", path.display()),
        EngineError::UnknownKind { .. } => {
            "kinds are document, spreadsheet, presentation, image, audio, video, code, archive, folder; \
             or an extension: --kind pdf"
                .to_owned()
        }
        EngineError::Home { .. } => "choose another data folder: BETHINK_HOME=/some/folder bethink …".to_owned(),
        error if error.is_damaged_index() => {
            "it is derived from your files; build it again with: bethink index".to_owned()
        }
        EngineError::Store(_) => "see what is wrong: bethink doctor".to_owned(),
        EngineError::Index(_) => "caches may be deleted at any time; see: bethink doctor".to_owned(),
        EngineError::Model(_) => "see what models there are: bethink models list".to_owned(),
        EngineError::PdfEngine { .. } => {
            "the wheel of pypdfium2 for this system has one that fits: python3 -m pip download --no-deps pypdfium2"
                .to_owned()
        }
        EngineError::AlreadyServing { .. } => {
            "use that one, or end it; a second data folder can be served beside it: BETHINK_HOME=/some/folder bethink \
             serve --port 7718"
                .to_owned()
        }
        EngineError::Token { path, .. } => {
            format!("delete it and a new one is made: rm '{}'", path.display())
        }
        EngineError::UnknownEventKind { .. } => {
            let kinds: Vec<&str> = EventKind::ALL.iter().map(|(_, name)| *name).collect();
            format!("kinds are {}", kinds.join(", "))
        }
        EngineError::UnknownMoment { .. } => {
            "write it as 2026-03-31, \"2026-03-31 15:00\" or 2026-03-31T15:00-07:00".to_owned()
        }
        EngineError::NoSuchEvent { .. } => "see ids with: bethink log list --json".to_owned(),
        EngineError::UnknownNoteKind { .. } => {
            let kinds: Vec<&str> = NoteKind::ALL.iter().map(|(_, name)| *name).collect();
            format!("kinds are {}", kinds.join(", "))
        }
        EngineError::NoSuchNote { .. } => "look for it: bethink notebook check WORDS".to_owned(),
        EngineError::SeveralNotes { names, .. } => {
            format!("say which, as: bethink notebook show {}", names.first().map_or("KIND/TITLE", String::as_str))
        }
        EngineError::NoSuchPerson { .. } => "see who is known: bethink people".to_owned(),
        EngineError::Memory(error) => return memory_hint(error),
        EngineError::TimePhrase(_) | EngineError::File { .. } | EngineError::Ingest(_) => return None,
    })
}

/// The next command to type when the memory refused.
fn memory_hint(error: &MemoryError) -> Option<String> {
    Some(match error {
        MemoryError::EmptyText => "type what is to be kept, as: bethink log append \"met Anna on the tram\"".to_owned(),
        MemoryError::TooLong { .. } => "keep it as a file, and make it searchable with: bethink index FILE".to_owned(),
        MemoryError::PatternTooLong { .. } => "look for a part of it: bethink log grep PATTERN".to_owned(),
        MemoryError::Store(MemoryStoreError::Damaged { .. }) => {
            "it is yours and is left as it is; put a copy of the file aside before anything else".to_owned()
        }
        MemoryError::Store(MemoryStoreError::Busy) => "see who else is running: ps -C bethink".to_owned(),
        MemoryError::Store(MemoryStoreError::Newer { .. }) => "see this version with: bethink --version".to_owned(),
        MemoryError::AmbiguousPerson { .. } => {
            "say which, or make one of two: bethink people merge FROM INTO".to_owned()
        }
        MemoryError::NoSuchSuggestion { .. } => "see what waits: bethink notebook suggestions".to_owned(),
        _ => return None,
    })
}
