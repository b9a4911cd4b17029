//! `cargo xtask bench retrieval`: what a query maps into memory, each part by itself and at several sizes: the scan
//! of vectors, the lexicon, the names. The programs that measure are examples of the crates, so that one part can be
//! looked at without the rest; numpy scans as many float32 rows in the same run.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::baseline::{numpy_scan, python_with_numpy};
use super::report::{Page, count, milliseconds};
use super::{Bench, corpus, step, subject};
use crate::{models, process};

/// Rows of the scan at which it is compared with numpy: a corpus of 7,200 files, and a million.
const SCANS: [usize; 2] = [280_000, 1_000_000];
/// Sizes over which growth is shown.
const GROWTH: [usize; 3] = [10_000, 100_000, 280_000];
/// Passages of the lexicon's table.
const LEXICON_PASSAGES: usize = 300_000;
/// Paths of the names' table.
const PATHS: usize = 1_000_000;

/// Real vectors of the sample's home, written as float32.
const EXPORT: &str = "
import sqlite3, sys
import numpy
connection = sqlite3.connect(f'file:{sys.argv[1]}?mode=ro', uri=True)
column = [row[1] for row in connection.execute('PRAGMA table_info(vector)') if 'BLOB' in row[2].upper()][-1]
rows = [numpy.frombuffer(row[0], dtype='<f2').astype('<f4') for row in connection.execute(f'SELECT {column} FROM vector')]
rows = numpy.stack([row for row in rows if len(row) == 384])
rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
rows.tofile(sys.argv[2])
print(len(rows))
";

/// The command, with the places and programs of the run.
pub fn run(bench: &Bench, out: Option<PathBuf>) -> Result<()> {
    step("building the measuring programs");
    let figures = models::build_example(&bench.repository, "bethink-index", "figures", &[])?;

    step("real vectors");
    let corpus = corpus::build(bench, false)?;
    subject::index(bench, "sample", &corpus.sample, &subject::Tiers::Full)?;
    let vectors = bench.folder.join("vectors.f32");
    let python = python_with_numpy(bench)?;
    let mut export = python.command(&bench.folder);
    export.args(["-c", EXPORT]).arg(subject::home(bench, "sample").join("index.db")).arg(&vectors);
    let real_rows = process::capture(&mut export)?;
    if !real_rows.success {
        bail!("the vectors could not be read: {}", real_rows.stderr.lines().last().unwrap_or("no reason given"));
    }

    let command = match &out {
        None => "cargo xtask bench retrieval".to_owned(),
        Some(out) => format!("cargo xtask bench retrieval --out {}", out.display()),
    };
    let mut page = Page::begin("Retrieval, part by part", &bench.repository, &command)?;
    page.line("");
    page.line("## Scan of vectors");
    page.line("");
    page.line(&format!(
        "Rows of 384 numbers: {} embedded passages, and from there on the same with noise of .4 of their length. \
         Recall is that of the exact order by float32.",
        real_rows.stdout.trim()
    ));
    for rows in SCANS {
        step(&format!("scanning {rows} rows"));
        let measured = measure(&figures, &["matrix", &rows.to_string()], Some(&vectors))?;
        page.line("");
        page.line(&format!("### {} rows", count(rows as u64)));
        page.line("");
        facts(&mut page, &measured);
        match numpy_scan(bench, rows as u64) {
            Ok(numpy) => {
                let numpy_ms = numpy.median.as_secs_f64() * 1e3;
                let mut rows = table(&measured, Some(numpy_ms));
                rows.push(vec![
                    format!("numpy {} float32, top 100", numpy.version),
                    milliseconds(numpy_ms),
                    "–".to_owned(),
                    "1.0".to_owned(),
                ]);
                page.table(&["", "median", "95 %", "times as fast as numpy"], &rows);
            }
            Err(error) => {
                page.table(&["", "median", "95 %"], &table(&measured, None));
                page.line("");
                page.line(&format!("numpy could not be measured: {error}."));
            }
        }
    }
    for (title, part, size) in [("Lexicon", "lexicon", LEXICON_PASSAGES), ("Names", "names", PATHS)] {
        step(&format!("{part}, {size}"));
        let measured = measure(&figures, &[part, &size.to_string()], None)?;
        page.line("");
        page.line(&format!("## {title}: {} made up", count(size as u64)));
        page.line("");
        facts(&mut page, &measured);
        page.table(&["", "median", "95 %"], &table(&measured, None));
    }

    page.line("");
    page.line("## Growth");
    page.line("");
    page.line("Medians of the same queries over collections of several sizes.");
    page.line("");
    let mut rows = Vec::new();
    for size in GROWTH {
        step(&format!("growth at {size}"));
        for (part, labels) in [
            ("matrix", ["scan, top 100", "certified scan, top 100"].as_slice()),
            ("lexicon", ["6 words, top 200"].as_slice()),
            ("names", ["3 words that are there"].as_slice()),
        ] {
            let file = (part == "matrix").then_some(&*vectors);
            let measured = measure(&figures, &[part, &size.to_string()], file)?;
            for label in labels {
                let time = measured.times.iter().find(|time| time.label == *label);
                let median = time.map_or_else(|| "–".to_owned(), |time| milliseconds(time.median));
                rows.push(vec![count(size as u64), format!("{part}: {label}"), median]);
            }
        }
    }
    rows.sort_by(|a, b| a[1].cmp(&b[1]));
    page.table(&["collection", "query", "median"], &rows);

    let out = out.unwrap_or_else(|| bench.repository.join("docs").join("benchmarks-retrieval.md"));
    std::fs::write(&out, page.text()).with_context(|| format!("cannot write {}", out.display()))?;
    println!("\nwritten: {}", out.display());
    Ok(())
}

/// What a measuring program printed.
struct Figures {
    times: Vec<Time>,
    facts: Vec<String>,
}

struct Time {
    label: String,
    median: f64,
    worst: f64,
}

/// Runs a measuring program. A line `LABEL: p50 X ms, p95 Y ms` is a time; any other one is a fact.
fn measure(program: &Path, arguments: &[&str], file: Option<&Path>) -> Result<Figures> {
    let mut command = process::command(program, Path::new("."));
    command.args(arguments).args(file);
    let run = process::capture(&mut command)?;
    if !run.success {
        bail!("{} {} failed: {}", program.display(), arguments.join(" "), run.stderr);
    }
    print!("{}", run.stdout);
    Ok(read(&run.stdout))
}

fn read(printed: &str) -> Figures {
    let mut figures = Figures { times: Vec::new(), facts: Vec::new() };
    for line in printed.lines() {
        let time = line.split_once(": p50 ").and_then(|(label, times)| {
            let (median, worst) = times.split_once(" ms, p95 ")?;
            let worst = worst.strip_suffix(" ms")?;
            Some(Time { label: label.to_owned(), median: median.parse().ok()?, worst: worst.parse().ok()? })
        });
        match time {
            Some(time) => figures.times.push(time),
            None => figures.facts.push(line.to_owned()),
        }
    }
    figures
}

fn facts(page: &mut Page, figures: &Figures) {
    for fact in &figures.facts {
        page.line(&format!("- {fact}"));
    }
    page.line("");
}

fn table(figures: &Figures, baseline_ms: Option<f64>) -> Vec<Vec<String>> {
    let row = |time: &Time| {
        let mut row = vec![time.label.clone(), milliseconds(time.median), milliseconds(time.worst)];
        row.extend(baseline_ms.map(|baseline| match time.label.contains("scan") {
            true => format!("{:.1}", baseline / time.median),
            false => "–".to_owned(),
        }));
        row
    };
    figures.times.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_from_facts() {
        let figures = read("280000 rows written in 4.9 s, 168 MB\nscan, top 10: p50 1.63 ms, p95 2.78 ms\n");
        assert_eq!(figures.facts, ["280000 rows written in 4.9 s, 168 MB"]);
        assert_eq!(figures.times.len(), 1);
        assert_eq!((figures.times[0].label.as_str(), figures.times[0].median), ("scan, top 10", 1.63));
        assert_eq!(table(&figures, Some(16.3))[0], ["scan, top 10", "1.63 ms", "2.78 ms", "10.0"]);
    }
}
