//! Errors in words for an agent: what went wrong, and what to do next.

use bethink_core::FileKind;
use bethink_engine::EngineError;

use crate::text::shown_line;

/// What an agent is told.
pub(crate) fn told(error: &EngineError) -> String {
    let what = sentence(&error.to_string());
    let next = match error {
        EngineError::EmptyQuestion => {
            "Put the words, or the thought in your own words, into `query`: “notes on retry backoff”, “the essay about how \
             hard a punch must be to break a jaw”."
                .to_owned()
        }
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
    };
    format!("{what} {next}")
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
            let told = told(&error);
            assert!(told.ends_with('.'), "{told}");
            assert!(told.split(". ").count() >= 2, "{told}");
            assert!(!told.contains('\n'), "{told}");
        }
        assert!(told(&EngineError::NoSuchPath { path: "/a".into() }).starts_with("/a is not there. "));
    }
}
