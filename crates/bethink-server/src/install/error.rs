//! Why a host's file was left as it is.

use std::path::PathBuf;

/// Why a host's file was left as it is. In every case nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// No host of that name is known.
    #[error("“{name}” is no host that is known here; there are {}", super::Host::names())]
    UnknownHost {
        /// The name.
        name: String,
    },
    /// The program's path is not UTF-8, which the hosts' files cannot hold.
    #[error("the path of the program is not UTF-8: {path}. Move it to a folder with a plain name")]
    PathNotText {
        /// The path.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// The file, its copy or its folder cannot be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// What was to be written.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// The file is not what its host reads.
    #[error("{path} is not valid {language}: {detail}. Repair it, or add this by hand:\n\n{snippet}")]
    Broken {
        /// The file.
        path: PathBuf,
        /// `JSON` or `TOML`.
        language: &'static str,
        /// Where and what.
        detail: String,
        /// What would have been added.
        snippet: String,
    },
    /// The file is sound, but written in a way in which the entry cannot be placed safely.
    #[error("{path} is written in a way that is not edited here ({detail}). Add this by hand:\n\n{snippet}")]
    ByHand {
        /// The file.
        path: PathBuf,
        /// What is in the way.
        detail: String,
        /// What would have been added.
        snippet: String,
    },
    /// Somebody else changed the file between planning and writing.
    #[error("{path} was changed by another program meanwhile. Run the command again")]
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
    },
}
