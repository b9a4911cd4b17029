//! Prints what extraction makes of files, or with `--measure` how fast it is.
//!
//! ```text
//! extract_text FILE…             format, title, problems, text with its marks
//! extract_text --measure FILE…   megabytes and pages a second by format, through a worker
//! extract_text --worker          serves as that worker
//! ```

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use bethink_core::Extracted;
use bethink_extract::{Extraction, Extractor, ExtractorSettings};

fn main() -> ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    match arguments.first().and_then(|first| first.to_str()) {
        Some("--worker") => bethink_extract::worker_main(),
        Some("--measure") => measure(&arguments[1..]),
        _ => show(&arguments),
    }
}

fn show(files: &[std::ffi::OsString]) -> ExitCode {
    let extractor = Extractor::new(ExtractorSettings::default());
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

fn measure(files: &[std::ffi::OsString]) -> ExitCode {
    let worker_command = std::env::current_exe().ok().map(|program| (program, vec!["--worker".into()]));
    let extractor = Extractor::new(ExtractorSettings { worker_command, ..ExtractorSettings::default() });
    let mut totals: BTreeMap<&'static str, (u32, usize, usize, Duration, usize)> = BTreeMap::new();
    for file in files {
        let Ok(bytes) = std::fs::read(file) else { continue };
        let start = Instant::now();
        let extraction = extractor.extract(Path::new(file), &bytes);
        let took = start.elapsed();
        let (name, pages, text) = match &extraction {
            Extraction::Text(extracted) => (extracted.format.name(), extracted.marks.len(), extracted.text.len()),
            Extraction::Skipped(_) => ("skipped", 0, 0),
            Extraction::Failed(_) => ("failed", 0, 0),
        };
        if let Extraction::Text(Extracted { problems, .. }) = &extraction {
            problems.iter().for_each(|problem| println!("{}: {}", file.display(), problem.detail));
        }
        let total = totals.entry(name).or_default();
        *total = (total.0 + 1, total.1 + bytes.len(), total.2 + pages, total.3 + took, total.4 + text);
    }
    for (name, (files, bytes, pages, took, text)) in totals {
        let seconds = took.as_secs_f64();
        println!(
            "{name}: {files} files, {:.1} MB in, {:.1} MB text out, {:.1} MB/s, {:.0} pages/s",
            bytes as f64 / 1e6,
            text as f64 / 1e6,
            bytes as f64 / 1e6 / seconds,
            pages as f64 / seconds
        );
    }
    ExitCode::SUCCESS
}
