//! `docs/benchmarks.md`: what was measured, where, when and with which command.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::Bench;
use super::baseline::{RecollIndex, Scan};
use super::corpus::Corpus;
use super::measurement::{Distribution, Measured};
use super::session::Warm;
use super::subject::{Cold, Indexing, LITERAL};
use crate::process;

/// The design's limits, for the column beside the figure.
const INDEXING_LIMIT_MEGABYTES: f64 = 600.0;
const QUERY_LIMIT_MEGABYTES: f64 = 250.0;

/// The page as it grows.
pub struct Page {
    text: String,
}

impl Page {
    /// The head: machine, date, commit, command, corpus.
    pub fn new(bench: &Bench, corpus: &Corpus, command: &str) -> Result<Self> {
        let mut page = Self::begin("Benchmarks", &bench.repository, command)?;
        page.line("");
        page.line("## Corpus");
        page.line("");
        writeln!(
            page.text,
            "{} files, {}: labelled sets made into files, and documentation packages.\n",
            count(corpus.files),
            megabytes(corpus.bytes)
        )?;
        let rows: Vec<Vec<String>> =
            corpus.parts.iter().map(|(name, files)| vec![name.clone(), count(*files)]).collect();
        page.table(&["part", "files"], &rows);
        Ok(page)
    }

    /// The head of any page of figures: machine, date, commit, command.
    pub fn begin(title: &str, repository: &Path, command: &str) -> Result<Self> {
        let mut page = Self { text: String::new() };
        page.line(&format!("# {title}"));
        page.line("");
        page.line("Written by the command below; run it again to have your machine's figures. Ratios to a baseline");
        page.line("that ran in the same minutes on the same files travel further than times.");
        page.line("");
        let first = |program: &str, arguments: &[&str]| -> String {
            process::capture(process::command(program, repository).args(arguments))
                .ok()
                .and_then(|run| run.stdout.lines().next().map(str::to_owned))
                .unwrap_or_else(|| "unknown".to_owned())
        };
        let dirty = process::capture(process::command("git", repository).args(["status", "--porcelain"]))
            .is_ok_and(|run| !run.stdout.trim().is_empty());
        let commit = first("git", &["rev-parse", "--short", "HEAD"]) + if dirty { " with changes" } else { "" };
        page.table(
            &["", ""],
            &[
                vec!["command".to_owned(), format!("`{command}`")],
                vec!["date".to_owned(), first("date", &["-u", "+%Y-%m-%d %H:%M UTC"])],
                vec!["commit".to_owned(), commit],
                vec!["compiler".to_owned(), first("rustc", &["--version"])],
                vec!["system".to_owned(), first("uname", &["-srm"])],
                vec!["processor".to_owned(), processor()?],
                vec!["memory".to_owned(), memory()?],
            ],
        );
        Ok(page)
    }

    /// One line of text.
    pub fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn section(&mut self, title: &str, sentence: &str) {
        self.line("");
        self.line(&format!("## {title}"));
        self.line("");
        self.line(sentence);
        self.line("");
    }

    /// A table.
    pub fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        self.line(&format!("| {} |", head.join(" | ")));
        self.line(&format!("|{}", "---|".repeat(head.len())));
        for row in rows {
            self.line(&format!("| {} |", row.join(" | ")));
        }
    }

    /// Indexing without models, beside recoll.
    pub fn lexical_indexing(&mut self, ours: &Indexing, recoll: &Result<RecollIndex>) {
        self.section(
            "Indexing by words",
            "A fresh home without models, from the command's start to its end, both cores allowed (`--fast`).",
        );
        let mut rows = vec![index_row("bethink", ours, ours.measured.wall)];
        match recoll {
            Ok(recoll) => {
                let wall = recoll.measured.wall;
                rows.push(vec![
                    "recoll".to_owned(),
                    seconds(wall),
                    rate(ours.documents, wall),
                    "–".to_owned(),
                    rate_megabytes(ours.text_bytes, wall),
                    ratio_of_bytes(recoll.disk_bytes, ours.text_bytes),
                    peaks(&recoll.measured),
                ]);
                self.table(INDEX_HEAD, &rows);
                self.line("");
                self.line(&format!(
                    "bethink takes {} of recoll's time and {} of its space. Rates of both count the documents and the \
                     text that bethink found.",
                    ratio(ours.measured.wall, wall),
                    ratio_of_bytes(ours.disk_bytes, recoll.disk_bytes),
                ));
            }
            Err(error) => {
                self.table(INDEX_HEAD, &rows);
                self.missing("recoll", error);
            }
        }
        self.stages(ours);
        self.limit("Peak memory", ours.measured.peak_tree_bytes, INDEXING_LIMIT_MEGABYTES);
    }

    /// Indexing with models.
    pub fn vector_indexing(&mut self, ours: &Indexing, full: bool) {
        self.section(
            "Indexing by meaning",
            if full {
                "A fresh home with both models, until the transformer has covered everything (`--full`)."
            } else {
                "A fresh home with both models, until the static model has covered everything: from then on every \
                 passage is found by words and by meaning."
            },
        );
        self.table(INDEX_HEAD, &[index_row("bethink", ours, ours.measured.wall)]);
        self.stages(ours);
        self.limit("Peak memory", ours.measured.peak_tree_bytes, INDEXING_LIMIT_MEGABYTES);
    }

    /// The transformer over a part of the corpus.
    pub fn sample_indexing(&mut self, ours: &Indexing) {
        self.section(
            "Sharpening",
            "A part of the corpus in a fresh home of its own, until the transformer has covered it (`--full`).",
        );
        self.table(INDEX_HEAD, &[index_row("bethink", ours, ours.measured.wall)]);
        self.stages(ours);
        self.limit("Peak memory", ours.measured.peak_tree_bytes, INDEXING_LIMIT_MEGABYTES);
    }

    fn stages(&mut self, ours: &Indexing) {
        if ours.stages.is_empty() {
            return;
        }
        let rows: Vec<Vec<String>> = ours
            .stages
            .iter()
            .map(|stage| vec![stage.name.clone(), seconds(stage.wall), rate(stage.passages, stage.wall)])
            .collect();
        self.line("");
        self.table(&["stage", "time", "passages/s"], &rows);
    }

    /// Cold queries.
    pub fn cold(&mut self, ours: &Cold, ripgrep: &Result<Distribution>, recoll: &Result<Distribution>) {
        self.section("Cold queries", "From before the process starts until it is gone and its output is read.");
        let mut rows = Vec::new();
        let baseline = ripgrep.as_ref().ok().map(Distribution::median);
        let mut row = |name: String, distribution: &Distribution| {
            rows.push(vec![
                name,
                millis(distribution.median()),
                millis(distribution.percentile(95)),
                baseline.map_or("–".to_owned(), |baseline| ratio(distribution.median(), baseline)),
                distribution.count().to_string(),
            ]);
        };
        row(format!("`bethink grep {LITERAL}`, no models"), &ours.literal);
        row(format!("`bethink grep {LITERAL}`, both models"), &ours.literal_with_models);
        row("`bethink grep QUESTION`, both models".to_owned(), &ours.question);
        row(format!("`bethink grep {LITERAL}`, no models, page cache dropped"), &ours.evicted);
        if let Ok(distribution) = ripgrep {
            row(format!("`rg -F {LITERAL}` over the files"), distribution);
        }
        if let Ok(distribution) = recoll {
            row(format!("`recollq {LITERAL}`"), distribution);
        }
        self.table(&["query", "median", "95 %", "× ripgrep", "runs"], &rows);
        for (name, error) in [("ripgrep", ripgrep.as_ref().err()), ("recoll", recoll.as_ref().err())] {
            if let Some(error) = error {
                self.missing(name, error);
            }
        }
        self.limit("Peak memory of a query's process", ours.peak_process_bytes, QUERY_LIMIT_MEGABYTES);
    }

    /// Warm queries.
    pub fn warm(&mut self, ours: &Warm, scan: &Result<Scan>) {
        self.section(
            "Warm queries",
            "One MCP session; `semantic_grep` with questions that people asked, the whole way from request to answer: \
             words, vectors, ranking, verification on the disk.",
        );
        let against = |duration: Duration| scan.as_ref().map_or("–".to_owned(), |scan| ratio(duration, scan.median));
        let mut rows = vec![
            vec!["start to handshake".to_owned(), millis(ours.handshake), "–".to_owned(), "–".to_owned()],
            vec!["first question".to_owned(), millis(ours.first), "–".to_owned(), against(ours.first)],
            vec![
                format!("{} later questions", ours.later.count()),
                millis(ours.later.median()),
                millis(ours.later.percentile(95)),
                against(ours.later.median()),
            ],
        ];
        match scan {
            Ok(scan) => {
                rows.push(vec![
                    format!("numpy {} float32 scan alone, {} rows", scan.version, count(scan.rows)),
                    millis(scan.median),
                    "–".to_owned(),
                    "1.00".to_owned(),
                ]);
                self.table(&["", "median", "95 %", "× numpy"], &rows);
            }
            Err(error) => {
                self.table(&["", "median", "95 %", "× numpy"], &rows);
                self.missing("numpy", error);
            }
        }
        self.limit("Memory held after the last question", ours.held_bytes, QUERY_LIMIT_MEGABYTES);
    }

    fn missing(&mut self, name: &str, error: &anyhow::Error) {
        self.line("");
        self.line(&format!("{name} was not measured: {}.", format!("{error:#}").replace('\n', "; ")));
    }

    fn limit(&mut self, what: &str, bytes: u64, limit: f64) {
        let held = bytes as f64 / 1e6;
        let verdict = if held <= limit { "within" } else { "**over**" };
        self.line("");
        self.line(&format!("{what}: {held:.0} MB, {verdict} the limit of {limit:.0} MB."));
    }

    /// The finished page.
    pub fn text(self) -> String {
        self.text
    }
}

const INDEX_HEAD: &[&str] = &[
    "",
    "time",
    "documents/s",
    "passages/s",
    "text MB/s",
    "index bytes per text byte",
    "peak memory, tree / one process",
];

fn index_row(name: &str, run: &Indexing, wall: Duration) -> Vec<String> {
    vec![
        name.to_owned(),
        seconds(wall),
        rate(run.documents, wall),
        rate(run.passages, wall),
        rate_megabytes(run.text_bytes, wall),
        ratio_of_bytes(run.disk_bytes, run.text_bytes),
        peaks(&run.measured),
    ]
}

fn peaks(run: &Measured) -> String {
    format!("{} / {}", megabytes(run.peak_tree_bytes), megabytes(run.peak_process_bytes))
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

/// Milliseconds as they stand in tables.
pub fn milliseconds(milliseconds: f64) -> String {
    format!("{milliseconds:.2} ms")
}

fn millis(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1e3)
}

fn rate(number: u64, duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds > 0.0 { count((number as f64 / seconds).round() as u64) } else { "–".to_owned() }
}

fn rate_megabytes(bytes: u64, duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds > 0.0 { format!("{:.2}", bytes as f64 / 1e6 / seconds) } else { "–".to_owned() }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn ratio(ours: Duration, baseline: Duration) -> String {
    let baseline = baseline.as_secs_f64();
    if baseline > 0.0 { format!("{:.2}", ours.as_secs_f64() / baseline) } else { "–".to_owned() }
}

fn ratio_of_bytes(ours: u64, baseline: u64) -> String {
    if baseline > 0 { format!("{:.2}", ours as f64 / baseline as f64) } else { "–".to_owned() }
}

/// A number with its thousands apart.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn processor() -> Result<String> {
    let text = read("/proc/cpuinfo")?;
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Ok(format!("{}, {threads} threads", model.map_or("unknown", |(_, name)| name)))
}

fn memory() -> Result<String> {
    let text = read("/proc/meminfo")?;
    let kilobytes: Option<f64> =
        text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.trim().parse().ok());
    Ok(kilobytes.map_or("unknown".to_owned(), |kilobytes| format!("{:.1} GiB", kilobytes / 1024.0 / 1024.0)))
}

fn read(path: &str) -> Result<String> {
    std::fs::read_to_string(Path::new(path)).with_context(|| format!("cannot read {path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(rate(1000, Duration::from_millis(500)), "2,000");
        assert_eq!(rate(1000, Duration::ZERO), "–");
        assert_eq!(ratio(Duration::from_millis(5), Duration::from_millis(10)), "0.50");
        assert_eq!(megabytes(1_500_000), "1.5 MB");
    }
}
