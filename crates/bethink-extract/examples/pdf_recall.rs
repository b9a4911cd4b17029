//! How many of a PDF's words are read, against `pdftotext`, and at what price.
//!
//! ```text
//! pdf_recall [--library PATH] FILE…   reads each through a worker, with this pdfium library if one is named;
//!                                     prints the files below 95 %, then the sum
//! pdf_recall --worker                 serves as that worker
//! ```
//!
//! A word is a run of letters and digits, case-folded, and counts as often as it stands; one that the
//! reference breaks at a line's end is put together first. Micro is over all words of all files, mean
//! over files.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bethink_extract::{Extraction, Extractor, ExtractorSettings, Meter, PdfLibrary};
use unicode_normalization::UnicodeNormalization;

/// Files below this share are named.
const NAMED_BELOW: f64 = 0.95;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "--worker") {
        return bethink_extract::worker_main();
    }
    let mut library = None;
    if arguments.len() > 1 && arguments[0] == "--library" {
        library = std::path::absolute(&arguments[1]).ok().map(|path| PdfLibrary { path, revision: 1 });
        arguments.drain(..2);
    }
    match measure(&arguments, library) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Sums over files.
#[derive(Default)]
struct Sum {
    files: usize,
    pages: usize,
    words: u64,
    read: u64,
    found: u64,
    shares: Vec<f64>,
    reference: Duration,
}

fn measure(files: &[String], library: Option<PdfLibrary>) -> io::Result<()> {
    let worker = (std::env::current_exe()?, vec!["--worker".into()]);
    if library.as_ref().is_some_and(|library| !library.is_usable(&worker)) {
        return Err(io::Error::other("no worker of this program can load that library"));
    }
    let spent = Arc::new(Mutex::new(Duration::ZERO));
    let counter = Arc::clone(&spent);
    let meter: Meter = Arc::new(move |cost| *counter.lock().unwrap_or_else(PoisonError::into_inner) += cost.processor);
    let settings =
        ExtractorSettings { worker_command: Some(worker), pdf_library: library, ..ExtractorSettings::default() };
    let extractor = Extractor::new(settings).metered(&meter);
    let mut sum = Sum::default();
    for file in files {
        let before = children_time().unwrap_or_default();
        let output = Command::new("pdftotext").args([file.as_str(), "-"]).output()?;
        sum.reference += children_time().unwrap_or_default().saturating_sub(before);
        let reference = String::from_utf8_lossy(&output.stdout).into_owned();
        let text = match extractor.extract(Path::new(file), &std::fs::read(file)?) {
            Extraction::Text(extracted) => extracted.text,
            Extraction::Skipped(_) | Extraction::Failed(_) => String::new(),
        };
        sum.files += 1;
        sum.pages += reference.matches('\x0c').count();
        let (expected, read) = (words(&reference), words(&text));
        let total: u64 = expected.values().sum();
        let found = expected.iter().map(|(word, count)| *count.min(read.get(word).unwrap_or(&0))).sum::<u64>();
        sum.words += total;
        sum.read += read.values().sum::<u64>();
        sum.found += found;
        if total > 0 {
            let share = found as f64 / total as f64;
            sum.shares.push(share);
            if share < NAMED_BELOW {
                println!("{share:.3} of {total:7} words  {file}");
            }
        }
    }
    let spent = *spent.lock().unwrap_or_else(PoisonError::into_inner);
    println!(
        "{} files, {} pages, {} words: recall micro {:.4} mean {:.4}, precision {:.4}; \
         pages a CPU second {:.0}, pdftotext {:.0}",
        sum.files,
        sum.pages,
        sum.words,
        sum.found as f64 / sum.words as f64,
        sum.shares.iter().sum::<f64>() / sum.shares.len() as f64,
        sum.found as f64 / sum.read as f64,
        sum.pages as f64 / spent.as_secs_f64(),
        sum.pages as f64 / sum.reference.as_secs_f64(),
    );
    Ok(())
}

/// The words of a text, each with how often it stands there.
fn words(text: &str) -> HashMap<String, u64> {
    let marks = |character: &char| !matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain: String = whole(text).nfkc().filter(marks).collect::<String>().to_lowercase();
    let mut words = HashMap::new();
    for word in plain.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *words.entry(word.to_owned()).or_insert(0) += 1;
    }
    words
}

/// The text with the words put together that a hyphen parts at a line's end.
fn whole(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        let start = line.strip_suffix(['-', '\u{ad}', '\u{2010}']);
        let goes_on = lines.peek().is_some_and(|next| next.starts_with(char::is_lowercase));
        match start.filter(|start| goes_on && start.ends_with(char::is_lowercase)) {
            Some(start) => whole.push_str(start),
            None => {
                whole.push_str(line);
                whole.push('\n');
            }
        }
    }
    whole
}

/// Processor time of all children that have ended, in the steps of ten milliseconds that Linux shows.
fn children_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat[stat.rfind(')')? + 1..].split_whitespace().skip(13);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (next()? + next()?)))
}
