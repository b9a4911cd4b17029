//! The library that workers may read PDF with, as the parent knows it: a path, never opened here.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::child::PDF_LIBRARY;

/// A pdfium library that the user has added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfLibrary {
    /// Where it is; absolute, since a worker works in no folder of anybody's.
    pub path: PathBuf,
    /// Tells one library from another, and from none, which is zero: what they read differs.
    pub revision: u16,
}

impl PdfLibrary {
    /// What a worker's command takes beside its own arguments.
    pub(crate) fn arguments(&self) -> [OsString; 2] {
        [PDF_LIBRARY.into(), self.path.clone().into_os_string()]
    }

    /// Whether a worker can load it: one is started, handed no file, and says so in its end. A worker
    /// that was built without the reader for it cannot.
    pub fn is_usable(&self, (program, arguments): &(PathBuf, Vec<OsString>)) -> bool {
        let mut command = Command::new(program);
        command.args(arguments).args(self.arguments());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(unix)]
        command.env_clear().current_dir("/");
        command.status().is_ok_and(|status| status.success())
    }
}
