//! `cargo xtask fuzz`: a fuzz target with the compiler that the repository is built with.
//!
//! cargo-fuzz wants a nightly compiler for its sanitizers. Coverage, which guides the search, is a pass of
//! LLVM that every compiler has; memory needs no watching in code without `unsafe`.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::{place, process};

const HELP: &str = "\
Usage: cargo xtask fuzz [TARGET] [SECONDS]

Without a target, names them. Runs one for that long (default 60), from what earlier runs found worth
keeping and the samples of the extraction crate. Needs a C++ compiler. Finds go to fuzz/artifacts.
";

/// What cargo-fuzz has the compiler do, but for sanitizers.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Cllvm-args=-simplifycfg-branch-fold-threshold=0";

/// What the parsers may have resident, in mebibytes; in a worker they have as much address space.
const MEMORY_MIB: u32 = 1024;

/// The command.
pub fn run(rest: &[String]) -> Result<()> {
    let fuzz = place::repository()?.join("fuzz");
    let (target, seconds) = match rest {
        [] => {
            targets(&fuzz)?.iter().for_each(|target| println!("{target}"));
            return Ok(());
        }
        [help] if matches!(help.as_str(), "--help" | "-h") => {
            print!("{HELP}");
            return Ok(());
        }
        [target] => (target, 60),
        [target, seconds] => (target, seconds.parse::<u32>().context("the second word is a number of seconds")?),
        _ => bail!("one target at a time\nnext: cargo xtask fuzz --help"),
    };
    if !targets(&fuzz)?.contains(target) {
        bail!("there is no target `{target}`\nnext: cargo xtask fuzz");
    }
    let (corpus, artifacts) = (fuzz.join("corpus").join(target), fuzz.join("artifacts").join(target));
    place::ensure(&corpus)?;
    place::ensure(&artifacts)?;
    let mut cargo = process::cargo(&fuzz);
    // Named, so that the flags do not reach programs that run while building.
    cargo.env("RUSTFLAGS", COVERAGE).args(["run", "--release", "--target", &host(&fuzz)?, "--bin", target, "--"]);
    cargo.arg(corpus).arg("../crates/bethink-extract/tests/samples");
    cargo.arg(format!("-artifact_prefix={}/", artifacts.display()));
    cargo.args([format!("-max_total_time={seconds}"), format!("-rss_limit_mb={MEMORY_MIB}"), "-timeout=10".to_owned()]);
    process::run(&mut cargo)
}

/// The targets by name.
fn targets(fuzz: &Path) -> Result<Vec<String>> {
    let folder = fuzz.join("fuzz_targets");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut targets = Vec::new();
    for entry in entries {
        let path = entry?.path();
        targets.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    targets.sort();
    Ok(targets)
}

/// The compiler's name for this kind of machine.
fn host(folder: &Path) -> Result<String> {
    let told = process::capture(process::command("rustc", folder).arg("-vV"))?;
    let host = told.stdout.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not say what machine this is")
}
