//! What bethink is compared with, on the same corpus in the same run: ripgrep for the cold start of a
//! literal, numpy for the scan, recoll for lexical indexing. A baseline that cannot be had gives a
//! reason instead of a figure.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::corpus::Corpus;
use super::measurement::{Distribution, Measured, measure};
use super::subject::{LITERAL, repeated};
use super::{Bench, weigh};
use crate::system::Tool;
use crate::{place, process, system};

const RIPGREP: Tool = Tool { program: "rg", packages: &["ripgrep"], purpose: "compare the cold start of a literal" };
const RECOLL: Tool = Tool { program: "recollindex", packages: &["recollcmd"], purpose: "compare lexical indexing" };
/// Any of the present generation, since each fits other Pythons; the page names the one that came.
const NUMPY: &str = "numpy>=2,<3";
/// Numbers in a vector of the transformer that bethink comes with.
const DIMENSIONS: u32 = 384;

/// A Python that finds numpy without anything having been installed into the system.
pub struct Python {
    packages: PathBuf,
}

impl Python {
    /// A command that runs it.
    pub fn command(&self, folder: &Path) -> Command {
        let mut command = process::command("python3", folder);
        // The harness lies in a folder that must stay as it is.
        command.env("PYTHONPATH", &self.packages).env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }
}

/// Makes numpy available beside the benchmark's other things.
pub fn python_with_numpy(bench: &Bench) -> Result<Python> {
    let packages = bench.folder.join("python");
    let python = Python { packages: packages.clone() };
    let works =
        || process::capture(python.command(&bench.folder).args(["-c", "import numpy"])).is_ok_and(|run| run.success);
    if !works() {
        place::ensure(&packages)?;
        let run = process::capture(
            process::command("python3", &bench.folder)
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--upgrade"])
                .args(["--root-user-action=ignore", "--target"])
                .arg(&packages)
                .arg(NUMPY),
        )?;
        if !run.success || !works() {
            bail!("{NUMPY} could not be fetched: {}", run.stderr.lines().last().unwrap_or("no reason given"));
        }
    }
    Ok(python)
}

/// recoll's index run.
pub struct RecollIndex {
    /// The run.
    pub measured: Measured,
    /// Bytes of its database.
    pub disk_bytes: u64,
}

fn recoll_folder(bench: &Bench) -> PathBuf {
    bench.folder.join("recoll")
}

/// Indexes the corpus with recoll, with its defaults.
pub fn recoll_index(bench: &Bench, corpus: &Corpus) -> Result<RecollIndex> {
    system::need(&RECOLL)?;
    let folder = recoll_folder(bench);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    place::ensure(&folder)?;
    let configuration = format!("topdirs = \"{}\"\nloglevel = 2\n", corpus.folder.display());
    std::fs::write(folder.join("recoll.conf"), configuration).context("cannot write recoll's configuration")?;
    let mut command = process::command("recollindex", &bench.folder);
    command.arg("-c").arg(&folder);
    let measured = measure(&command, &[0], &bench.folder)?;
    let (_, disk_bytes) = weigh(&folder.join("xapiandb"))?;
    println!("recoll: {:.1} s", measured.wall.as_secs_f64());
    Ok(RecollIndex { measured, disk_bytes })
}

/// Cold queries with recoll.
pub fn recoll_query(bench: &Bench, corpus: &Corpus) -> Result<Distribution> {
    system::need(&RECOLL)?;
    let folder = recoll_folder(bench);
    repeated(
        bench.cold_runs.min(corpus.queries.len()),
        &[0, 1],
        |_| {
            let mut command = process::command("recollq", &bench.folder);
            command.arg("-c").arg(&folder).args(["-n", "10", LITERAL]);
            command
        },
        || Ok(()),
    )
}

/// Cold literals with ripgrep over the files themselves.
pub fn ripgrep(bench: &Bench, corpus: &Corpus) -> Result<Distribution> {
    system::need(&RIPGREP)?;
    repeated(
        bench.cold_runs,
        &[0],
        |_| {
            let mut command = process::command("rg", &bench.folder);
            // What bethink answers with: the line, its number, at most three of a file.
            command.args(["--fixed-strings", "--line-number", "--max-count", "3", "--", LITERAL]).arg(&corpus.folder);
            command
        },
        || Ok(()),
    )
}

/// A scan by numpy.
pub struct Scan {
    /// Rows scanned.
    pub rows: u64,
    /// The middle one of its scans.
    pub median: Duration,
    /// numpy's version.
    pub version: String,
}

/// Scans as many float32 rows as the index has passages, the best hundred of them included.
pub fn numpy_scan(bench: &Bench, rows: u64) -> Result<Scan> {
    const SCRIPT: &str = "
import json, sys, time
import numpy
rows, dimensions, scans = int(sys.argv[1]), int(sys.argv[2]), 50
random = numpy.random.default_rng(1)
matrix = random.standard_normal((rows, dimensions), dtype=numpy.float32)
matrix /= numpy.linalg.norm(matrix, axis=1, keepdims=True)
best = min(100, rows)
walls = []
for _ in range(scans + 1):
    query = random.standard_normal(dimensions, dtype=numpy.float32)
    begin = time.perf_counter()
    scores = matrix @ query
    top = numpy.argpartition(scores, rows - best)[rows - best:]
    top = top[numpy.argsort(-scores[top])]
    walls.append(time.perf_counter() - begin)
print(json.dumps({'median_seconds': float(numpy.median(walls[1:])), 'version': numpy.__version__}))
";
    let python = python_with_numpy(bench)?;
    let run = process::capture(python.command(&bench.folder).args([
        "-c",
        SCRIPT,
        &rows.to_string(),
        &DIMENSIONS.to_string(),
    ]))?;
    let answer: Value = serde_json::from_str(run.stdout.trim())
        .with_context(|| format!("numpy's scan failed: {}", run.stderr.lines().last().unwrap_or("no reason given")))?;
    let seconds = answer.get("median_seconds").and_then(Value::as_f64).context("numpy's scan told no time")?;
    let version = answer.get("version").and_then(Value::as_str).unwrap_or("of unknown version").to_owned();
    Ok(Scan { rows, median: Duration::from_secs_f64(seconds), version })
}
