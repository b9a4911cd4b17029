//! The worker's side: read a request, answer it, until the input ends.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufWriter};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use bethink_core::ProblemKind;

use super::confine;
use super::protocol::{FrameSink, read_request};
use crate::extraction::problem;
use crate::extractor::CRASHED;
use crate::family::{Outcome, Source, family_of};
use crate::pdf;

/// Stack of the reading thread. Parsers recurse along the nesting of what they read; with this much
/// room a file has to be hostile to overflow it, and then it costs the worker only.
const STACK_BYTES: usize = 64 << 20;

/// The argument before the path of a library that reads PDF.
pub(super) const PDF_LIBRARY: &str = "--pdf-library";

/// The code that a worker ends with when it was to load a library and could not. It has served without.
const ENDED_WITHOUT_LIBRARY: u8 = 3;

/// The body of the hidden subcommand: serves one parent through standard input and output until its
/// input ends. Call it before anything else that opens, prints or starts threads.
pub fn worker_main() -> ExitCode {
    worker_main_meeting(|_| {})
}

/// [`worker_main`] that shows each file's bytes to a function before they are read, inside all limits.
/// For tests of what happens when reading goes wrong.
#[doc(hidden)]
pub fn worker_main_meeting(meet: fn(&[u8])) -> ExitCode {
    let library = named_library(std::env::args_os());
    let mut is_complete = true;
    let prepare = || is_complete = library.is_none_or(|path| pdf::load_library(path.as_ref()));
    let Ok(answers) = confine::enter(prepare) else { return ExitCode::FAILURE };
    // A panic's message may quote what is being read, which must reach no log and no terminal.
    std::panic::set_hook(Box::new(|_| {}));
    let serving = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || serve(answers, meet));
    match serving.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) if is_complete => ExitCode::SUCCESS,
        Ok(Ok(Ok(()))) => ExitCode::from(ENDED_WITHOUT_LIBRARY),
        _ => ExitCode::FAILURE,
    }
}

/// The library that the parent names among the arguments.
fn named_library(mut arguments: impl Iterator<Item = OsString>) -> Option<OsString> {
    arguments.find(|argument| argument == OsStr::new(PDF_LIBRARY))?;
    arguments.next()
}

fn serve(answers: File, meet: fn(&[u8])) -> io::Result<()> {
    let mut requests = io::stdin().lock();
    while let Some(request) = read_request(&mut requests)? {
        confine::bound(request.limits.worker_memory_bytes, request.cpu_seconds)?;
        let mut sink = FrameSink::new(BufWriter::new(&answers), request.limits.text_bytes);
        let reading = catch_unwind(AssertUnwindSafe(|| {
            meet(&request.body);
            let source = Source { bytes: &request.body, format: request.format, name: &request.name };
            let unread = || Outcome::Skipped(problem(ProblemKind::Unsupported, "no reader for this format"));
            family_of(request.format).map_or_else(unread, |family| family.read(&source, &request.limits, &mut sink))
        }));
        sink.end(&reading.unwrap_or_else(|_| Outcome::Failed(problem(ProblemKind::Crashed, CRASHED))))?;
    }
    Ok(())
}
