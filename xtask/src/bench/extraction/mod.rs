//! `cargo xtask bench extraction`: how fast files are read, by format, beside the usual tool of each.
//!
//! Both sides read the same files in the same run. What counts is processor time, that of workers and
//! children included, since a machine that builds something else beside has no other clock. Each side
//! reads its files as often as it takes to make the start of a process small.

mod format;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use self::format::{FORMATS, Reference, Row};
use super::report::Page;
use crate::{place, process, system};

const HELP: &str = "\
Usage: cargo xtask bench extraction [--out FILE]

  --out FILE   where the page goes (default: docs/benchmarks-extraction.md)

Reads the files of ../shared/data/files, those of the extraction crate and large ones made for it.
";

/// Makes the large files.
const LARGE: &str = include_str!("large.py");
/// Reads files with the usual Python library of their format.
const REFERENCE: &str = include_str!("reference.py");
/// What that needs beyond Python itself.
const LIBRARIES: [&str; 4] = ["python-docx==1.2.0", "python-pptx==1.0.2", "openpyxl==3.1.5", "lxml>=5"];

const PDFTOTEXT: system::Tool =
    system::Tool { program: "pdftotext", packages: &["poppler-utils"], purpose: "compare the reading of PDF" };

/// Processor time that a measurement should take, so that a start counts little.
const ENOUGH: Duration = Duration::from_secs(2);
/// Readings beyond this tell nothing new of a file of a few bytes.
const MOST_TIMES: u32 = 200;

/// The command.
pub fn run(rest: &[String]) -> Result<()> {
    let out = match rest {
        [] => None,
        [flag, file] if flag == "--out" => Some(PathBuf::from(file)),
        [flag] if matches!(flag.as_str(), "--help" | "-h") => {
            print!("{HELP}");
            return Ok(());
        }
        _ => bail!("only --out FILE is understood\nnext: cargo xtask bench extraction --help"),
    };
    let repository = place::repository()?;
    let folder = place::cache()?.join("bench").join("extraction");
    place::ensure(&folder)?;
    system::need(&system::TIME)?;
    system::need(&PDFTOTEXT)?;
    system::need_python()?;
    let bench = Extraction::prepare(repository, folder)?;
    let mut rows = Vec::new();
    for format in FORMATS {
        for (set, files) in bench.files(format.extensions)? {
            let row = bench.measure(format, set, &files)?;
            println!("{}", row.cells().join("  "));
            rows.push(row);
        }
    }
    let command = match &out {
        None => "cargo xtask bench extraction".to_owned(),
        Some(out) => format!("cargo xtask bench extraction --out {}", out.display()),
    };
    let mut page = Page::begin("Reading files", &bench.repository, &command)?;
    page.line("");
    page.line("Processor time of everything involved: the program, its worker, the tool and its children. `own` and");
    page.line("`real` are the small files of the extraction crate and of `../shared/data/files`; `large` are made for");
    page.line(
        "this page. A ratio above one means that bethink reads more in the same processor time. `without` counts",
    );
    page.line("files that have no text or that are refused, broken ones among them.");
    page.line("");
    page.table(Row::HEAD, &rows.iter().map(Row::cells).collect::<Vec<_>>());
    let out = out.unwrap_or_else(|| bench.repository.join("docs").join("benchmarks-extraction.md"));
    std::fs::write(&out, page.text()).with_context(|| format!("cannot write {}", out.display()))?;
    println!("\nwritten: {}", out.display());
    Ok(())
}

/// The places and programs of one run.
struct Extraction {
    repository: PathBuf,
    folder: PathBuf,
    reader: PathBuf,
}

impl Extraction {
    /// Builds the reader, makes the large files, fetches the libraries.
    fn prepare(repository: PathBuf, folder: PathBuf) -> Result<Self> {
        println!("building the reader");
        let mut cargo = process::cargo(&repository);
        cargo.args(["build", "--release", "--package", "bethink-extract", "--example", "extract_text"]);
        process::run(&mut cargo)?;
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository.join("target"), PathBuf::from);
        let reader = target.join("release").join("examples").join("extract_text");
        let large = folder.join("large");
        if !large.is_dir() {
            println!("making the large files");
            let unfinished = folder.join("large.unfinished");
            place::ensure(&unfinished)?;
            let mut python = process::command("python3", &folder);
            process::run(python.args(["-c", LARGE]).arg(&unfinished))?;
            std::fs::rename(&unfinished, &large).context("cannot keep the large files")?;
        }
        let libraries = folder.join("python");
        if !libraries.is_dir() {
            let mut pip = process::command("python3", &folder);
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"]);
            // What cannot be had is missing from the page.
            let _ = process::run(pip.arg("--target").arg(&libraries).args(LIBRARIES));
        }
        Ok(Self { repository, folder, reader })
    }

    /// The files with these extensions, by where they come from.
    fn files(&self, extensions: &[&str]) -> Result<Vec<(&'static str, Vec<PathBuf>)>> {
        let own = self.repository.join("crates/bethink-extract/tests/samples");
        let real = place::shared(&self.repository).map(|shared| shared.join("data").join("files"));
        let mut sets = vec![("own", Some(own)), ("real", real), ("large", Some(self.folder.join("large")))];
        let mut found = Vec::new();
        for (set, folder) in sets.drain(..) {
            let Some(folder) = folder else { continue };
            let mut files = Vec::new();
            collect(&folder, extensions, &mut files)?;
            files.sort();
            if !files.is_empty() {
                found.push((set, files));
            }
        }
        Ok(found)
    }

    /// Reads a set of files with both sides.
    fn measure(&self, format: &'static format::Format, set: &'static str, files: &[PathBuf]) -> Result<Row> {
        let ours = |times: u32| {
            let mut command = process::command(&self.reader, &self.folder);
            command.args(["--account", &times.to_string()]).args(files);
            command
        };
        let (taken, times, output) = self.enough(&ours)?;
        let numbers: Vec<u64> = output.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [_, bytes, text_bytes, marks, without] = numbers[..] else { bail!("the reader gave no account: {output}") };
        let reference = match format.reference {
            Reference::None => None,
            Reference::PdfToText => Some(self.pdftotext(files)?),
            Reference::Library(name) => self.library(name, files).ok(),
        };
        let once: u64 = bytes / u64::from(times);
        Ok(Row {
            format,
            set,
            files: files.len(),
            bytes: once,
            text_bytes: text_bytes / u64::from(times),
            units: marks / u64::from(times),
            without: without / u64::from(times),
            ours: taken / times,
            reference,
        })
    }

    /// Processor time of one reading of each file by `pdftotext`, a process each.
    fn pdftotext(&self, files: &[PathBuf]) -> Result<Duration> {
        let mut taken = Duration::ZERO;
        for file in files {
            let read = |times: u32| {
                let script = "for turn in $(seq \"$1\"); do pdftotext \"$2\" - > /dev/null 2>&1; done; true";
                let mut command = process::command("sh", &self.folder);
                command.args(["-c", script, "sh", &times.to_string()]).arg(file);
                command
            };
            let (time, times, _) = self.enough(&read)?;
            taken += time / times;
        }
        Ok(taken)
    }

    /// Processor time of one reading of all files by a Python library.
    fn library(&self, name: &str, files: &[PathBuf]) -> Result<Duration> {
        let read = |times: u32| {
            let mut command = process::command("python3", &self.folder);
            command.env("PYTHONPATH", self.folder.join("python")).env("PYTHONDONTWRITEBYTECODE", "1");
            command.args(["-c", REFERENCE, name, &times.to_string()]).args(files);
            command
        };
        let (time, times, _) = self.enough(&read)?;
        Ok(time / times)
    }

    /// Runs a command once, and then as often as fills the time that is enough.
    fn enough(&self, command: &dyn Fn(u32) -> Command) -> Result<(Duration, u32, String)> {
        let (once, output) = self.processor_time(&command(1))?;
        if once >= ENOUGH / 2 {
            return Ok((once, 1, output));
        }
        let wanted = ENOUGH.as_secs_f64() / once.as_secs_f64().max(0.01);
        let times = (wanted as u32).clamp(2, MOST_TIMES);
        let (taken, output) = self.processor_time(&command(times))?;
        Ok((taken, times, output))
    }

    /// Processor time of a command and its children, and what it printed.
    fn processor_time(&self, command: &Command) -> Result<(Duration, String)> {
        let report = self.folder.join("time.txt");
        let mut timed = process::command("/usr/bin/time", &self.folder);
        timed.args(["-f", "%U %S", "-o"]).arg(&report).arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                timed.env(name, value);
            }
        }
        let run = process::capture(&mut timed)?;
        if !run.success {
            bail!("`{}` failed: {}", process::shown(command), run.stderr.lines().last().unwrap_or("no reason given"));
        }
        let report = std::fs::read_to_string(&report).context("`time` left no report")?;
        let seconds: f64 = report.split_whitespace().filter_map(|word| word.parse::<f64>().ok()).sum();
        Ok((Duration::from_secs_f64(seconds), run.stdout))
    }
}

/// Files below a folder that have one of these extensions. What the shared files call nasty is for other
/// tests.
fn collect(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "nasty") {
                collect(&path, extensions, files)?;
            }
        } else if path.extension().and_then(|extension| extension.to_str()).is_some_and(|own| extensions.contains(&own))
        {
            files.push(path);
        }
    }
    Ok(())
}
