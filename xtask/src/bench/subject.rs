//! bethink itself through its command line: indexing into a fresh home, and cold queries.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::corpus::Corpus;
use super::measurement::{Distribution, Measured, measure};
use super::{Bench, weigh};
use crate::{place, process};

/// A word that stands in some of the corpus's documents; the literal that ripgrep looks for, too.
pub const LITERAL: &str = "Caroline";

/// Which models a home has.
pub enum Tiers {
    /// None: by words alone.
    None,
    /// All, and indexing ends when the static one has covered everything.
    Static,
    /// All, and indexing ends when the transformer has, too.
    Full,
}

/// What an index run showed.
pub struct Indexing {
    /// Documents whose text was indexed.
    pub documents: u64,
    /// Passages of them.
    pub passages: u64,
    /// Bytes of extracted text.
    pub text_bytes: u64,
    /// Bytes of database and caches on the disk.
    pub disk_bytes: u64,
    /// The run.
    pub measured: Measured,
    /// Reading, and embedding by each tier.
    pub stages: Vec<Stage>,
}

/// One stage of a run.
pub struct Stage {
    /// What it does.
    pub name: String,
    /// Passages that went through it within `wall`.
    pub passages: u64,
    /// The time that took.
    pub wall: Duration,
}

/// The home of that name.
pub fn home(bench: &Bench, name: &str) -> PathBuf {
    bench.folder.join(format!("home-{name}"))
}

/// The program on a home, with or without models.
pub fn program(bench: &Bench, home: &Path, with_models: bool) -> Command {
    let mut command = process::command(&bench.binary, &bench.folder);
    command.env("BETHINK_HOME", home).env_remove("BETHINK_LOG");
    if with_models {
        command.env("BETHINK_MODELS", &bench.models);
    } else {
        command.env_remove("BETHINK_MODELS");
    }
    command
}

/// Indexes a folder into a fresh home.
pub fn index(bench: &Bench, name: &str, folder: &Path, tiers: &Tiers) -> Result<Indexing> {
    let home = home(bench, name);
    if home.exists() {
        std::fs::remove_dir_all(&home).with_context(|| format!("cannot clear {}", home.display()))?;
    }
    place::ensure(&home)?;
    let with_models = !matches!(tiers, Tiers::None);
    let mut command = program(bench, &home, with_models);
    command.args(["index", "--fast", "--json"]).arg(folder);
    if matches!(tiers, Tiers::Full) {
        command.arg("--full");
    }
    let measured = measure(&command, &[0], &bench.folder)?;
    let status = process::capture(program(bench, &home, with_models).args(["status", "--json"]))?;
    let status: Value = status
        .stdout
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find(|object| object.get("passages").is_some())
        .with_context(|| format!("`bethink status --json` told no passages:\n{}{}", status.stdout, status.stderr))?;
    let number = |key: &str| status.get(key).and_then(Value::as_u64).unwrap_or(0);
    let stages = stages(&measured.lines);
    let indexing = Indexing {
        documents: number("indexed"),
        passages: number("passages"),
        text_bytes: number("text_bytes"),
        disk_bytes: weigh(&home)?.1,
        measured,
        stages,
    };
    if indexing.passages == 0 || indexing.text_bytes == 0 {
        bail!("`bethink status --json` says that nothing was indexed: {status}");
    }
    println!(
        "{} documents, {} passages in {:.1} s",
        indexing.documents,
        indexing.passages,
        indexing.measured.wall.as_secs_f64()
    );
    Ok(indexing)
}

/// Reads a run's events. The time since the event before is counted to the stage that reports itself:
/// batches of reading and of embedding alternate, so that adding up tells each stage's share.
fn stages(lines: &[(Duration, String)]) -> Vec<Stage> {
    let mut stages: Vec<Stage> = Vec::new();
    let mut before = Duration::ZERO;
    for (at, line) in lines {
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        let text = |key: &str| event.get(key).and_then(Value::as_str).unwrap_or_default();
        let number = |key: &str| event.get(key).and_then(Value::as_u64).unwrap_or(0);
        let (name, passages) = match text("event") {
            "committed" => ("walk, extraction, passages, words".to_owned(), number("passages")),
            "embedded" => (format!("{} vectors", text("tier")), number("done")),
            _ => continue,
        };
        let wall = at.saturating_sub(before);
        before = *at;
        match stages.iter_mut().find(|stage| stage.name == name) {
            // The counts are running totals.
            Some(stage) => (stage.passages, stage.wall) = (passages, stage.wall + wall),
            None => stages.push(Stage { name, passages, wall }),
        }
    }
    stages
}

/// What cold queries showed.
pub struct Cold {
    /// A literal word in a home without models.
    pub literal: Distribution,
    /// The same in a home with models: the question is embedded, too.
    pub literal_with_models: Distribution,
    /// People's questions in a home with models.
    pub question: Distribution,
    /// The literal with the files of home and program dropped from the page cache before each run.
    pub evicted: Distribution,
    /// The largest process of any of them.
    pub peak_process_bytes: u64,
}

/// Asks cold: each query is a process of its own.
pub fn cold(bench: &Bench, corpus: &Corpus) -> Result<Cold> {
    let words = home(bench, "words");
    let meaning = home(bench, "meaning");
    let literal = |home: &Path, with_models: bool| {
        let mut command = program(bench, home, with_models);
        command.args(["grep", "--json", LITERAL]);
        command
    };
    let mut peak_process_bytes = 0;
    for command in [literal(&words, false), literal(&meaning, true)] {
        peak_process_bytes = peak_process_bytes.max(measure(&command, &[0], &bench.folder)?.peak_process_bytes);
    }
    let questions: Vec<&String> = corpus.queries.iter().take(bench.cold_runs).collect();
    Ok(Cold {
        literal: repeated(bench.cold_runs, &[0], |_| literal(&words, false), || Ok(()))?,
        literal_with_models: repeated(bench.cold_runs, &[0], |_| literal(&meaning, true), || Ok(()))?,
        question: repeated(
            questions.len(),
            &[0, 1],
            |index| {
                let mut command = program(bench, &meaning, true);
                command.args(["grep", "--json", "--"]).arg(questions[index]);
                command
            },
            || Ok(()),
        )?,
        evicted: repeated(
            bench.cold_runs,
            &[0],
            |_| literal(&words, false),
            || evict(&[&words, &bench.binary], &bench.folder),
        )?,
        peak_process_bytes,
    })
}

/// Times runs from before the process starts until it is gone and its output is read. `before` is
/// called ahead of each and not counted.
pub fn repeated(
    runs: usize,
    acceptable: &[i32],
    command: impl Fn(usize) -> Command,
    before: impl Fn() -> Result<()>,
) -> Result<Distribution> {
    let mut walls = Vec::with_capacity(runs);
    for index in 0..runs {
        before()?;
        let mut command = command(index);
        let started = Instant::now();
        let output = command.output().with_context(|| format!("cannot start `{}`", process::shown(&command)))?;
        walls.push(started.elapsed());
        if !output.status.code().is_some_and(|code| acceptable.contains(&code)) {
            let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
            bail!("`{}` ended with {}:\n{complaint}", process::shown(&command), output.status);
        }
    }
    Distribution::new(walls)
}

/// Drops files from the page cache. Asking needs no rights, unlike the switch for the whole system.
fn evict(paths: &[&Path], folder: &Path) -> Result<()> {
    const SCRIPT: &str = "
import os, sys
def drop(path):
    handle = os.open(path, os.O_RDONLY)
    os.fsync(handle)
    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(handle)
for path in sys.argv[1:]:
    if os.path.isdir(path):
        for base, _, names in os.walk(path):
            for name in names:
                if os.path.isfile(os.path.join(base, name)):
                    drop(os.path.join(base, name))
    else:
        drop(path)
";
    let run = process::capture(process::command("python3", folder).args(["-c", SCRIPT]).args(paths))?;
    if !run.success {
        bail!("cannot drop files from the page cache: {}", run.stderr);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_read_from_the_events() {
        let line = |at: u64, text: &str| (Duration::from_secs(at), text.to_owned());
        let stages = stages(&[
            line(1, r#"{"type":"event","event":"walked","files":9,"walk_done":true}"#),
            line(2, r#"{"type":"event","event":"committed","files":5,"passages":50,"bytes":1}"#),
            line(3, r#"{"type":"event","event":"embedded","tier":"static","done":50,"pending":0}"#),
            line(6, r#"{"type":"event","event":"committed","files":9,"passages":90,"bytes":2}"#),
            line(7, r#"{"type":"event","event":"embedded","tier":"static","done":90,"pending":0}"#),
            line(9, r#"{"type":"event","event":"embedded","tier":"transformer","done":80,"pending":0}"#),
            line(9, "not JSON"),
            line(9, r#"{"type":"summary"}"#),
        ]);
        let seen: Vec<(&str, u64, u64)> =
            stages.iter().map(|stage| (stage.name.as_str(), stage.passages, stage.wall.as_secs())).collect();
        assert_eq!(
            seen,
            [("walk, extraction, passages, words", 90, 5), ("static vectors", 90, 2), ("transformer vectors", 80, 2)]
        );
    }
}
