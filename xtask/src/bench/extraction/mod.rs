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

use self::format::{FORMATS, PDF_WITH_PDFIUM, Reading, Reference, Row};
use super::report::Page;
use crate::{models, place, process, system};

const HELP: &str = "\
Usage: cargo xtask bench extraction [--out FILE]

  --out FILE   where the page goes (default: docs/benchmarks-extraction.md)

Reads the files of ../shared/data/files and large ones made for it, beside the usual tool of each format.
";

/// Makes the large files.
const LARGE: &str = include_str!("large.py");
/// Reads files with the usual Python library of their format.
const REFERENCE: &str = include_str!("reference.py");
/// What that needs beyond Python itself.
const LIBRARIES: [&str; 4] = ["python-docx==1.2.0", "python-pptx==1.0.2", "openpyxl==3.1.5", "lxml>=5"];

const PDFTOTEXT: system::Tool =
    system::Tool { program: "pdftotext", packages: &["poppler-utils"], purpose: "compare the reading of PDF" };

const LIBRE_OFFICE: system::Tool = system::Tool {
    program: "soffice",
    packages: &["libreoffice-writer", "libreoffice-impress", "libreoffice-calc"],
    purpose: "compare the reading of older office files",
};

const EXIFTOOL: system::Tool = system::Tool {
    program: "exiftool",
    packages: &["libimage-exiftool-perl"],
    purpose: "compare the reading of pictures and recordings",
};

/// Where the large files lie, by the version of what makes them.
const LARGE_FOLDER: &str = "large-2";

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
        if format.name == PDF_WITH_PDFIUM && bench.pdfium.is_none() {
            println!("no pdfium here, so PDF is read with the built-in reader only\nnext: cargo xtask models");
            continue;
        }
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
    page.line("Processor time of everything involved: the program, its worker, the tool and its children. `real` are");
    page.line(
        "the files of `../shared/data/files`, most of them small, so that the start of the tools weighs in; `large`",
    );
    page.line("are made for this page. A ratio above one means that bethink reads more in the same processor time.");
    page.line(
        "`without` counts files that have no text or that are refused, broken ones among them; `it refused` those",
    );
    page.line("that the tool could not read.");
    page.line("");
    page.table(Row::HEAD, &rows.iter().map(Row::cells).collect::<Vec<_>>());
    let failures = rows.iter().filter_map(|row| Some((row, row.reference.as_ref().err()?)));
    let failures: Vec<String> =
        failures.map(|(row, reason)| format!("- {}, {}: {reason}", row.format.name, row.set)).collect();
    if !failures.is_empty() {
        page.line("");
        page.line("Rows without a ratio:");
        page.line("");
        failures.iter().for_each(|line| page.line(line));
    }
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
    /// The library that PDF may be read with, where it was fetched.
    pdfium: Option<PathBuf>,
}

impl Extraction {
    /// Builds the reader, makes the large files, fetches the libraries.
    fn prepare(repository: PathBuf, folder: PathBuf) -> Result<Self> {
        println!("building the reader");
        let reader = models::build_example(&repository, "bethink-extract", "extract_text", &["pdfium"])?;
        let large = folder.join(LARGE_FOLDER);
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
            if let Err(error) = process::run(pip.arg("--target").arg(&libraries).args(LIBRARIES)) {
                println!("the Python libraries cannot be had, so their rows will have no ratio: {error:#}");
            }
        }
        Ok(Self { repository, folder, reader, pdfium: models::pdfium() })
    }

    /// The files with these extensions, by where they come from.
    fn files(&self, extensions: &[&str]) -> Result<Vec<(&'static str, Vec<PathBuf>)>> {
        let real = place::shared(&self.repository).map(|shared| shared.join("data").join("files"));
        let mut found = Vec::new();
        for (set, folder) in [("real", real), ("large", Some(self.folder.join(LARGE_FOLDER)))] {
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
            if let Some(library) = self.pdfium.as_ref().filter(|_| format.name == PDF_WITH_PDFIUM) {
                command.arg("--library").arg(library);
            }
            command.args(["--account", &times.to_string()]).args(files);
            command
        };
        let (taken, times, output) = self.enough(&ours)?;
        let numbers: Vec<u64> = output.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [_, bytes, text_bytes, marks, without] = numbers[..] else { bail!("the reader gave no account: {output}") };
        let reference = match format.reference {
            Reference::None => Err("no tool that is usual and quick to install".to_owned()),
            Reference::PdfToText => self.pdftotext(files).map_err(|error| format!("{error:#}")),
            Reference::LibreOffice(target) => self.libre_office(target, files).map_err(|error| format!("{error:#}")),
            Reference::ExifTool => self.exiftool(files).map_err(|error| format!("{error:#}")),
            Reference::Library(name) => self.library(name, files).map_err(|error| format!("{error:#}")),
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

    /// One reading of each file by `pdftotext`, a process each.
    fn pdftotext(&self, files: &[PathBuf]) -> Result<Reading> {
        let mut reading = Reading { taken: Duration::ZERO, refused: 0 };
        for file in files {
            let read = |times: u32| {
                let script = "for turn in $(seq \"$1\"); do pdftotext \"$2\" - > /dev/null 2>&1 || echo refused; done";
                let mut command = process::command("sh", &self.folder);
                command.args(["-c", script, "sh", &times.to_string()]).arg(file);
                command
            };
            let (time, times, output) = self.enough(&read)?;
            reading.taken += time / times;
            reading.refused += usize::from(!output.is_empty());
        }
        Ok(reading)
    }

    /// One conversion of all files by LibreOffice, its start included: that is how it is used.
    fn libre_office(&self, target: &str, files: &[PathBuf]) -> Result<Reading> {
        system::need(&LIBRE_OFFICE)?;
        let converted = self.folder.join("converted");
        let profile = format!("-env:UserInstallation=file://{}", self.folder.join("profile").display());
        let mut command = process::command("soffice", &self.folder);
        command.args([profile.as_str(), "--headless", "--convert-to", target, "--outdir"]).arg(&converted).args(files);
        // The first start makes a profile; what is counted is a later one.
        self.processor_time(&command)?;
        // It leaves no word of failures but what is missing.
        std::fs::remove_dir_all(&converted).context("LibreOffice converted nothing")?;
        let (taken, _) = self.processor_time(&command)?;
        let made = std::fs::read_dir(&converted).context("LibreOffice converted nothing")?.count();
        std::fs::remove_dir_all(&converted)?;
        let names: std::collections::HashSet<_> = files.iter().filter_map(|file| file.file_stem()).collect();
        Ok(Reading { taken, refused: names.len().saturating_sub(made) })
    }

    /// One reading of all files by ExifTool.
    fn exiftool(&self, files: &[PathBuf]) -> Result<Reading> {
        system::need(&EXIFTOOL)?;
        let mut command = process::command("sh", &self.folder);
        command.args([
            "-c",
            "exiftool -q \"$@\" > read.txt 2> refused.txt; grep -c '^Error' refused.txt || true",
            "sh",
        ]);
        let (taken, output) = self.processor_time(command.args(files))?;
        Ok(Reading { taken, refused: output.trim().parse().unwrap_or(0) })
    }

    /// One reading of all files by a Python library.
    fn library(&self, name: &str, files: &[PathBuf]) -> Result<Reading> {
        let read = |times: u32| {
            let mut command = process::command("python3", &self.folder);
            command.env("PYTHONPATH", self.folder.join("python")).env("PYTHONDONTWRITEBYTECODE", "1");
            command.args(["-c", REFERENCE, name, &times.to_string()]).args(files);
            command
        };
        let (time, times, output) = self.enough(&read)?;
        let refused = output.split_whitespace().nth(1).and_then(|count| count.parse().ok());
        Ok(Reading { taken: time / times, refused: refused.context("the library gave no account")? })
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
