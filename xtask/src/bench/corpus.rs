//! The corpus: the labelled sets beside the clone made into real files, and documentation packages
//! of the Debian system unpacked beside them. Built once and kept in the build cache; a changed
//! recipe builds it anew.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{Bench, weigh};
use crate::{place, process};

/// Raise it when the corpus is made in another way.
const RECIPE: &str = "2";
/// The issue asks for this many real documents.
const FEWEST_FILES: u64 = 5_000;
/// The labelled sets, small ones first. The names are those of the folders under `data/search`.
const SETS: &[&str] = &[
    "cranfield",
    "locomo-dev",
    "aeslc-dev",
    "chunkeval-dev",
    "cisi",
    "cosqa-dev",
    "covidqa-dev",
    "policyqa-dev",
    "qmsum-val",
    "scifact-train",
    "xquad-dev",
];
/// How many of them a quick run takes.
const QUICK_SETS: usize = 2;
/// The set over which the transformer is measured when not the whole corpus is: abstracts, so that
/// passages have the length that the model is meant for.
const SAMPLE: &str = "cranfield";
/// Documentation packages: manuals of many pages as HTML and text. They are unpacked, not installed.
const PACKAGES: &[&str] =
    &["git-doc", "debian-policy", "debian-reference-en", "developers-reference", "postgresql-doc-15", "python3.11-doc"];

/// What is indexed and asked.
pub struct Corpus {
    /// The folder with all documents.
    pub folder: PathBuf,
    /// The part of it that the transformer is measured over.
    pub sample: PathBuf,
    /// Files in it.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Where each part came from, with its files.
    pub parts: Vec<(String, u64)>,
    /// Questions that people asked about these documents.
    pub queries: Vec<String>,
}

/// Builds the corpus where it is missing or of another recipe.
pub fn build(bench: &Bench, quick: bool) -> Result<Corpus> {
    let shared = place::shared(&bench.repository)
        .context("../shared is not here; the corpus is made from the labelled sets in it")?;
    let name = if quick { "corpus-quick" } else { "corpus" };
    let folder = bench.folder.join(name);
    let questions = bench.folder.join(format!("{name}-questions"));
    let stamp = bench.folder.join(format!("{name}.recipe"));
    if std::fs::read_to_string(&stamp).is_ok_and(|recipe| recipe == RECIPE) {
        println!("{} is there", folder.display());
    } else {
        for made in [&folder, &questions] {
            if made.exists() {
                std::fs::remove_dir_all(made).with_context(|| format!("cannot clear {}", made.display()))?;
            }
            place::ensure(made)?;
        }
        sets(bench, &shared, quick, &folder, &questions)?;
        if !quick {
            packages(bench, &folder);
        }
        std::fs::write(&stamp, RECIPE).with_context(|| format!("cannot write {}", stamp.display()))?;
    }

    let (files, bytes) = weigh(&folder)?;
    if !quick && files < FEWEST_FILES {
        bail!("the corpus has {files} files, fewer than {FEWEST_FILES}; delete {} and try again", stamp.display());
    }
    let mut parts = Vec::new();
    for group in ["sets", "debian"] {
        let Ok(entries) = std::fs::read_dir(folder.join(group)) else { continue };
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            parts.push((format!("{group}/{name}"), weigh(&path)?.0));
        }
    }
    parts.sort();
    let sample = folder.join("sets").join(SAMPLE);
    Ok(Corpus { sample, folder, files, bytes, parts, queries: queries(&questions)? })
}

fn sets(bench: &Bench, shared: &Path, quick: bool, folder: &Path, questions: &Path) -> Result<()> {
    let python = super::baseline::python_with_numpy(bench)?;
    let tool = shared.join("harness").join("evalkit.py");
    let into = folder.join("sets");
    place::ensure(&into)?;
    let count = if quick { QUICK_SETS } else { SETS.len() };
    for set in &SETS[..count] {
        let out = into.join(set);
        let run = process::capture(
            python
                .command(&bench.folder)
                .arg(&tool)
                .arg("materialise")
                .arg(shared.join("data").join("search").join(set))
                .arg(&out),
        )?;
        if !run.success {
            bail!("cannot make {set} into files:\n{}", run.stderr);
        }
        // The questions are written beside the folder; inside the corpus they would be found instead
        // of what answers them.
        let beside = into.join(format!("{set}.gold.jsonl"));
        let kept = questions.join(format!("{set}.jsonl"));
        std::fs::rename(&beside, &kept).with_context(|| format!("cannot move {}", beside.display()))?;
    }
    Ok(())
}

/// Unpacks the documentation packages that this system offers. One that is missing is passed over:
/// the page lists what the corpus is made of.
fn packages(bench: &Bench, folder: &Path) {
    let downloads = bench.folder.join("packages");
    for package in PACKAGES {
        if let Err(error) = unpack(package, &downloads, &folder.join("debian").join(package)) {
            println!("without {package}: {error:#}");
        }
    }
}

fn unpack(package: &str, downloads: &Path, into: &Path) -> Result<()> {
    place::ensure(downloads)?;
    let file = downloaded(package, downloads)?;
    let raw = downloads.join(format!("{package}.unpacked"));
    let _ = std::fs::remove_dir_all(&raw);
    place::ensure(&raw)?;
    let well = |run: process::Captured| {
        if run.success {
            Ok(())
        } else {
            bail!("{}", run.stderr.lines().last().unwrap_or("no reason given").to_owned())
        }
    };
    well(process::capture(process::command("dpkg-deb", downloads).arg("-x").arg(&file).arg(&raw))?)?;
    let documents = raw.join("usr").join("share").join("doc");
    // Debian compresses long texts; people read them unpacked. Files that other names link to stay
    // as they are, which is an exit code and no reason to stop.
    process::capture(process::command("gzip", downloads).args(["-d", "-r", "-q"]).arg(&documents))?;
    if let Some(parent) = into.parent() {
        place::ensure(parent)?;
    }
    std::fs::rename(&documents, into).with_context(|| format!("cannot move {}", documents.display()))?;
    std::fs::remove_dir_all(&raw).with_context(|| format!("cannot clear {}", raw.display()))
}

fn downloaded(package: &str, downloads: &Path) -> Result<PathBuf> {
    let here = || -> Option<PathBuf> {
        let prefix = format!("{package}_");
        let entries = std::fs::read_dir(downloads).ok()?;
        entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix)))
    };
    if let Some(file) = here() {
        return Ok(file);
    }
    let fetch = || process::capture(process::command("apt-get", downloads).args(["download", "-q", package]));
    if !fetch()?.success {
        // A fresh machine's package lists are empty.
        process::capture(process::command("apt-get", downloads).args(["update", "-q"]))?;
        let second = fetch()?;
        if !second.success {
            bail!("{}", second.stderr.lines().last().unwrap_or("no reason given").to_owned());
        }
    }
    here().context("apt-get left no file")
}

/// The questions of all sets in turn, so that any number of them is a mixture.
fn queries(folder: &Path) -> Result<Vec<String>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    files.sort();
    let mut lists = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let list: Vec<String> = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter_map(|question| question.get("text").and_then(Value::as_str).map(str::to_owned))
            .collect();
        lists.push(list);
    }
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let mixed: Vec<String> =
        (0..longest).flat_map(|index| lists.iter().filter_map(move |list| list.get(index).cloned())).collect();
    if mixed.is_empty() {
        bail!("no questions in {}", folder.display());
    }
    Ok(mixed)
}
