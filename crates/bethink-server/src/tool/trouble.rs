//! What kept a tool from answering: what went wrong, and what to do next, in words for an agent and
//! of a kind that a program can tell apart.

use std::fmt;

use bethink_core::FileKind;
use bethink_engine::{EngineError, EventKind, MemoryError, NoteKind};

use crate::text::shown_line;

/// Of what kind a trouble is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TroubleKind {
    /// The call itself: an argument that is unknown, missing or of the wrong shape.
    Arguments,
    /// What was named is not there, or not among what may be read.
    NotFound,
    /// Nothing has been indexed yet.
    NothingIndexed,
    /// It went wrong inside.
    Inside,
}

/// What kept a tool from answering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// Of what kind it is.
    pub kind: TroubleKind,
    /// What went wrong, as sentences on one line.
    pub what: String,
    /// What to do next, as sentences on one line.
    pub next: String,
}

impl Trouble {
    pub(crate) fn new(kind: TroubleKind, what: impl Into<String>, next: impl Into<String>) -> Self {
        Self { kind, what: what.into(), next: next.into() }
    }

    /// A call that cannot be understood.
    pub(crate) fn arguments(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(TroubleKind::Arguments, what, next)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.what, self.next)
    }
}

impl From<EngineError> for Trouble {
    fn from(error: EngineError) -> Self {
        let kind = match &error {
            EngineError::EmptyQuestion
            | EngineError::TimePhrase(_)
            | EngineError::UnknownKind { .. }
            | EngineError::UnknownEventKind { .. }
            | EngineError::UnknownNoteKind { .. }
            | EngineError::UnknownMoment { .. }
            | EngineError::Memory(
                MemoryError::EmptyText
                | MemoryError::TooLong { .. }
                | MemoryError::PatternTooLong { .. }
                | MemoryError::AmbiguousPerson { .. },
            ) => TroubleKind::Arguments,
            EngineError::NothingIndexed => TroubleKind::NothingIndexed,
            EngineError::NoSuchPath { .. }
            | EngineError::NotIndexed { .. }
            | EngineError::NoSuchDocument { .. }
            | EngineError::NoSuchLine { .. } => TroubleKind::NotFound,
            _ => TroubleKind::Inside,
        };
        Self::new(kind, sentence(&error.to_string()), next_step(&error))
    }
}

fn next_step(error: &EngineError) -> String {
    match error {
        EngineError::EmptyQuestion => {
            "Put the words, or the thought in your own words, into `query`: “notes on retry backoff”, “the essay about how \
             hard a punch must be to break a jaw”."
                .to_owned()
        }
        EngineError::UnknownEventKind { .. } => {
            let kinds: Vec<&str> = EventKind::ALL.iter().map(|(_, name)| *name).collect();
            format!("Kinds are {}.", kinds.join(", "))
        }
        EngineError::UnknownNoteKind { .. } => {
            let kinds: Vec<&str> = NoteKind::ALL.iter().map(|(_, name)| *name).collect();
            format!("Kinds are {}.", kinds.join(", "))
        }
        EngineError::UnknownMoment { .. } => "Write it as 2026-03-31 or 2026-03-31T15:00-07:00.".to_owned(),
        EngineError::Memory(MemoryError::AmbiguousPerson { .. }) => {
            "Ask the user which of them is meant, and use that name.".to_owned()
        }
        EngineError::Memory(MemoryError::EmptyText) => "Give the words that are to be kept.".to_owned(),
        EngineError::NothingIndexed => {
            "Tell the user to run `bethink index FOLDER` with the folders that may be searched; find_file works by name \
             without it."
                .to_owned()
        }
        EngineError::NoSuchPath { .. } => {
            "It may have been moved or renamed: look for its name with find_file. Relative paths start at the folder in \
             which this server runs; absolute ones are safer."
                .to_owned()
        }
        EngineError::NotIndexed { .. } => {
            "Only indexed files are read out. The user can add it with `bethink index FOLDER`; `bethink doctor --why PATH` \
             says why it is left out."
                .to_owned()
        }
        EngineError::NoSuchDocument { .. } => {
            "The file may have gone since. Search again and take the document_id or the path of a fresh hit.".to_owned()
        }
        EngineError::NoSuchLine { lines, .. } => format!("Ask for a line from 1 to {lines}."),
        EngineError::TimePhrase(_) => "Nothing was searched. Use one of the phrases that are understood.".to_owned(),
        EngineError::UnknownKind { .. } => {
            let kinds: Vec<&str> = FileKind::ALL.iter().map(|(_, name)| *name).collect();
            format!("Kinds are {}; or give an extension such as pdf or pptx.", kinds.join(", "))
        }
        _ => "Trying again may help once; if not, tell the user to run `bethink doctor`.".to_owned(),
    }
}

/// A message as a sentence on one line.
fn sentence(message: &str) -> String {
    let message = shown_line(message.trim());
    let mut characters = message.chars();
    let first: String = characters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    let end = if message.ends_with(['.', '!', '?']) { "" } else { "." };
    // A path at the start keeps its case.
    if message.starts_with(['/', '\\', '~']) || message.contains(":\\") {
        return format!("{message}{end}");
    }
    format!("{first}{}{end}", characters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_ends_with_what_to_do() {
        let errors = [
            EngineError::EmptyQuestion,
            EngineError::NothingIndexed,
            EngineError::NoSuchPath { path: "/a".into() },
            EngineError::NotIndexed { path: "/a".into(), reason: "no root".into() },
            EngineError::NoSuchDocument { id: 3 },
            EngineError::NoSuchLine { path: "/a".into(), line: 9, lines: 3 },
            EngineError::UnknownKind { word: "thing".into() },
            EngineError::File { path: "/a".into(), source: std::io::ErrorKind::PermissionDenied.into() },
        ];
        for error in errors {
            let told = Trouble::from(error).to_string();
            assert!(told.ends_with('.'), "{told}");
            assert!(told.split(". ").count() >= 2, "{told}");
            assert!(!told.contains('\n'), "{told}");
        }
        assert!(Trouble::from(EngineError::NoSuchPath { path: "/a".into() }).what.starts_with("/a is not there."));
    }
}
