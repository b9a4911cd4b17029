//! `bethink eval`: asks every question of a labelled set over a folder of real files, says how good the
//! answers are, compares them with an earlier run, and writes them for a scorer that is not ours.
//!
//! The set is either a folder of files with a file of questions beside it (`--queries`), or a collection of
//! `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`, which is written out as files first.

mod collection;
mod gold;
mod report;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bethink_engine::eval::{Place, summarise};
use bethink_engine::{AskRequest, AskShape, Engine, EngineError, Home, IndexRequest, Stop};
use bethink_server::text::grouped;
use serde_json::json;

use crate::cli::Eval;
use crate::environment;
use crate::failure::Ended;
use crate::output;

use self::gold::Asked;

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
    let written;
    let (folder, questions) = match &arguments.queries {
        Some(queries) => (arguments.folder.clone(), gold::read(queries)?),
        None => {
            written = tempfile::tempdir().context("no room for the collection's files")?;
            let folder = written.path().join("files");
            let questions = collection::write_out(&arguments.folder, &folder)?;
            (folder, questions)
        }
    };
    let earlier = arguments.against.as_deref().map(gold::read_run).transpose()?;
    let folder = std::path::absolute(folder)?.canonicalize().context("the folder to evaluate over")?;
    let request = IndexRequest { paths: vec![folder.clone()], full: !arguments.words_only, fast: true };
    let summary = engine.index(&request, &|_| {}, &Stop::default())?;
    output::note(&format!(
        "{} files, {} passages in {:.1} s",
        grouped(summary.indexed),
        grouped(summary.passages),
        summary.elapsed.as_secs_f64()
    ));
    let mut file = match &arguments.run {
        Some(path) => Some(BufWriter::new(File::create(path).context("the run")?)),
        None => None,
    };
    let mut times: Vec<Duration> = Vec::new();
    let mut answers: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for question in &questions {
        let started = Instant::now();
        let answer = ask(&engine, &folder, question, arguments.per_file)?;
        times.push(started.elapsed());
        if let Some(file) = &mut file {
            let results: Vec<_> = answer
                .iter()
                .map(|place| json!({ "path": place.path, "line": place.line, "score": place.score }))
                .collect();
            serde_json::to_writer(&mut *file, &json!({ "qid": question.name, "results": results }))?;
            file.write_all(b"\n")?;
        }
        answers.insert(question.judged.id.clone(), answer);
    }
    if let Some(mut file) = file {
        file.flush()?;
    }
    times.sort_unstable();
    if let (Some(median), Some(tail)) = (times.get(times.len() / 2), times.get(times.len() * 95 / 100)) {
        output::note(&format!(
            "{} questions, p50 {:.1} ms, p95 {:.1} ms",
            times.len(),
            median.as_secs_f64() * 1000.0,
            tail.as_secs_f64() * 1000.0
        ));
    }
    let judged: Vec<_> =
        questions.into_iter().filter(|question| question.is_judged).map(|asked| asked.judged).collect();
    if !judged.is_empty() {
        let summary = summarise(&judged, &answers);
        let earlier = earlier.map(|run| summarise(&judged, &run));
        report::print(&summary, earlier.as_ref(), arguments.json)?;
    }
    Ok(Ended::Well)
}

fn ask(engine: &Engine, folder: &Path, question: &Asked, per_file: usize) -> Result<Vec<Place>> {
    let request = AskRequest {
        query: question.text.clone(),
        within: question.scope.as_ref().map(|scope| folder.join(scope)),
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
            // A separator is `/` in collections, whatever the system writes.
            let path = relative.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
            Place { path, line: hit.line, score: f64::from(hit.score.0) }
        })
        .collect())
}
