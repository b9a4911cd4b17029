//! Writing answers to standard output, and what a person should know beside them to standard error,
//! so that a pipe carries hits and nothing else.

use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;

use bethink_server::text::shown_line;

/// Standard output, buffered; a whole answer is one write for small answers.
pub fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// Tells the person something beside the answer. Nobody listening is no error.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// The path as told from the working folder: relative where it lies under it, absolute otherwise.
fn told<'p>(path: &'p Path, working_folder: &Path) -> &'p Path {
    path.strip_prefix(working_folder).ok().filter(|relative| !relative.as_os_str().is_empty()).unwrap_or(path)
}

/// A path as it is shown. Not for opening: control characters are made visible.
pub fn shown_path(path: &Path, working_folder: &Path) -> String {
    shown_line(&told(path, working_folder).to_string_lossy()).into_owned()
}

/// Writes a path's own bytes and the end that separates it from the next.
pub fn write_raw_path(out: &mut impl Write, path: &Path, working_folder: &Path, nul: bool) -> io::Result<()> {
    let bytes = bethink_core::path_bytes(told(path, working_folder));
    // A file called -rf must not become an option of the command behind the pipe.
    if bytes.starts_with(b"-") {
        out.write_all(b"./")?;
    }
    out.write_all(&bytes)?;
    out.write_all(if nul { b"\0" } else { b"\n" })
}
