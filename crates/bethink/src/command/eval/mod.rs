//! `bethink eval FOLDER --queries GOLD.jsonl --run RUN.jsonl`: asks every question of a labelled set
//! over a folder of real files and writes what was answered, for a scorer that is not ours.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bethink_engine::{AskRequest, AskShape, Engine, EngineError, Home, IndexRequest, Stop};
use bethink_server::text::grouped;
use serde_json::{Value, json};

use crate::cli::Eval;
use crate::environment;
use crate::failure::Ended;
use crate::output;

/// Results of one question at the most, as the form of runs has it.
const RESULTS: usize = 100;

/// Indexes the folder to the end of every tier, asks, and writes the run.
pub fn run(arguments: &Eval) -> Result<Ended> {
    let fresh;
    let home = match &arguments.home {
        Some(home) => home.clone(),
        None => {
            fresh = tempfile::tempdir().context("no room for a home to evaluate in")?;
            fresh.path().join("home")
        }
    };
    let engine = environment::open_engine_at(Home::at(std::path::absolute(home)?), true)?;
    let folder = std::path::absolute(&arguments.folder)?.canonicalize().context("the folder to evaluate over")?;
    let request = IndexRequest { paths: vec![folder.clone()], full: !arguments.words_only, fast: true };
    let summary = engine.index(&request, &|_| {}, &Stop::default())?;
    output::note(&format!(
        "{} files, {} passages in {:.1} s",
        grouped(summary.indexed),
        grouped(summary.passages),
        summary.elapsed.as_secs_f64()
    ));
    let questions = BufReader::new(File::open(&arguments.queries).context("the questions")?);
    let mut run = BufWriter::new(File::create(&arguments.run).context("the run")?);
    let mut times: Vec<Duration> = Vec::new();
    for (number, line) in (1..).zip(questions.lines()) {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let question: Value =
            serde_json::from_str(&line).with_context(|| format!("{}:{number}", arguments.queries.display()))?;
        let started = Instant::now();
        let results = ask(&engine, &folder, &question, arguments.per_file)?;
        times.push(started.elapsed());
        serde_json::to_writer(&mut run, &json!({ "qid": question["qid"], "results": results }))?;
        run.write_all(b"\n")?;
    }
    run.flush()?;
    times.sort_unstable();
    if let (Some(median), Some(tail)) = (times.get(times.len() / 2), times.get(times.len() * 95 / 100)) {
        output::note(&format!(
            "{} questions, p50 {:.1} ms, p95 {:.1} ms",
            times.len(),
            median.as_secs_f64() * 1000.0,
            tail.as_secs_f64() * 1000.0
        ));
    }
    Ok(Ended::Well)
}

fn ask(engine: &Engine, folder: &Path, question: &Value, per_file: usize) -> Result<Vec<Value>> {
    let request = AskRequest {
        query: question["text"].as_str().unwrap_or_default().to_owned(),
        within: question["scope"].as_str().map(|scope| folder.join(scope)),
        limit: RESULTS,
        per_file,
        shape: AskShape::Passages,
        explain: false,
    };
    let answer = match engine.ask(&request) {
        Ok(answer) => answer,
        // A question without words has no answer; the set goes on.
        Err(EngineError::EmptyQuestion) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    if answer.strength == bethink_core::MatchStrength::None {
        return Ok(Vec::new());
    }
    // A hit speaks for its copies and says where they are, so each of them is an answer as well.
    let places =
        answer.hits.iter().flat_map(|hit| [&hit.path].into_iter().chain(&hit.copies).map(move |path| (hit, path)));
    Ok(places
        .take(RESULTS)
        .map(|(hit, path)| {
            let relative: PathBuf = path.strip_prefix(folder).unwrap_or(path).to_owned();
            json!({ "path": relative.to_string_lossy(), "line": hit.line, "score": hit.score.0 })
        })
        .collect())
}
