//! Prints what extraction makes of files, or only how much.
//!
//! ```text
//! extract_text FILE…             format, title, problems, text with its marks
//! extract_text --account TIMES FILE…
//!                                reads them so many times through a worker; prints the numbers of
//!                                files, their bytes, bytes of text, marks, and files without text
//! extract_text --library PATH …  does either with this pdfium library, through a worker
//! extract_text --worker          serves as that worker
//! ```

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use bethink_core::Extracted;
use bethink_extract::{Extraction, Extractor, ExtractorSettings, MemberFile, MemberVisitor, PdfLibrary};

fn main() -> ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    match arguments.first().and_then(|first| first.to_str()) {
        Some("--worker") => bethink_extract::worker_main(),
        Some("--library") if arguments.len() > 1 => {
            let library = PdfLibrary { path: std::path::absolute(&arguments[1]).unwrap_or_default(), revision: 1 };
            if !worker_command().is_some_and(|command| library.is_usable(&command)) {
                eprintln!("{} is no library that this program can load", arguments[1].display());
                return ExitCode::FAILURE;
            }
            run(&arguments[2..], Some(library))
        }
        _ => run(&arguments, None),
    }
}

fn run(arguments: &[std::ffi::OsString], library: Option<PdfLibrary>) -> ExitCode {
    match arguments.first().and_then(|first| first.to_str()) {
        Some("--account") => account(&arguments[1..], library),
        _ => show(arguments, library),
    }
}

fn worker_command() -> Option<(std::path::PathBuf, Vec<std::ffi::OsString>)> {
    std::env::current_exe().ok().map(|program| (program, vec!["--worker".into()]))
}

fn show(files: &[std::ffi::OsString], library: Option<PdfLibrary>) -> ExitCode {
    // The library is read with in workers only.
    let worker_command = library.as_ref().and_then(|_| worker_command());
    let settings = ExtractorSettings { worker_command, pdf_library: library, ..ExtractorSettings::default() };
    let extractor = Extractor::new(settings);
    for file in files {
        let Ok(bytes) = std::fs::read(file) else { return ExitCode::FAILURE };
        match extractor.extract(Path::new(file), &bytes) {
            Extraction::Text(extracted) => {
                // A closed pipe is whoever reads it having seen enough.
                if print(&extracted).is_err() {
                    break;
                }
            }
            other => println!("{}: {other:?}", file.display()),
        }
    }
    ExitCode::SUCCESS
}

fn print(extracted: &Extracted) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "== {} title {:?} problems {:?}", extracted.format.name(), extracted.title, extracted.problems)?;
    let mut start = 0;
    for mark in &extracted.marks {
        writeln!(out, "{}-- {}", &extracted.text[start..mark.offset], mark.locator)?;
        start = mark.offset;
    }
    writeln!(out, "{}", &extracted.text[start..])
}

/// What reading a set of files came to, those inside them included.
#[derive(Default)]
struct Account {
    files: usize,
    bytes: usize,
    text_bytes: usize,
    marks: usize,
    without_text: usize,
}

impl Account {
    fn add(&mut self, extraction: &Extraction) {
        match extraction {
            Extraction::Text(extracted) => {
                self.text_bytes += extracted.text.len();
                self.marks += extracted.marks.len();
            }
            Extraction::Skipped(_) | Extraction::Failed(_) => self.without_text += 1,
        }
    }
}

impl MemberVisitor for Account {
    fn admits(&mut self, _: &str, _: &[u8]) -> bool {
        true
    }

    fn read(&mut self, member: MemberFile<'_>) -> bool {
        self.add(&member.extraction);
        true
    }
}

/// Reads the files so many times through one worker. Whoever asked measures this process.
fn account(arguments: &[std::ffi::OsString], library: Option<PdfLibrary>) -> ExitCode {
    let Some((times, files)) = arguments.split_first() else { return ExitCode::FAILURE };
    let Some(times) = times.to_str().and_then(|times| times.parse::<u32>().ok()) else { return ExitCode::FAILURE };
    let settings =
        ExtractorSettings { worker_command: worker_command(), pdf_library: library, ..ExtractorSettings::default() };
    let extractor = Extractor::new(settings);
    let mut account = Account::default();
    for file in files {
        let Ok(bytes) = std::fs::read(file) else { return ExitCode::FAILURE };
        for _ in 0..times {
            account.files += 1;
            account.bytes += bytes.len();
            let extraction = extractor.extract_with_members(Path::new(file), &bytes, &mut account);
            account.add(&extraction);
        }
    }
    let Account { files, bytes, text_bytes, marks, without_text } = account;
    println!("{files} {bytes} {text_bytes} {marks} {without_text}");
    ExitCode::SUCCESS
}
