//! `cargo xtask mutate`: broken files by the thousand through the workers.
//!
//! Runs the long form of a test of the extraction crate, in the build with overflow checks, and shows
//! its account. Numbers name mutants: the same number makes the same file from the same samples, so a
//! find can be made again.

use anyhow::{Context, Result, bail};

use crate::{place, process};

const HELP: &str = "\
Usage: cargo xtask mutate [COUNT] [--from NUMBER]

Reads COUNT broken files (default 10000) through two workers, beginning with the one of that NUMBER
(default 0), and shows by format what became of them. Fails if a panic gets out, a limit is passed, a
file is not accounted for, or a good file between them comes out otherwise. Mutants that cost a worker
are kept in the target folder, under tmp/mutants.
";

/// The test, and what it reads from the environment.
const TEST: &str = "mutation::as_many_mutants_as_wanted_cost_no_more_than_themselves";
const COUNT_VARIABLE: &str = "BETHINK_MUTATE_COUNT";
const FROM_VARIABLE: &str = "BETHINK_MUTATE_FROM";

/// The command.
pub fn run(rest: &[String]) -> Result<()> {
    let Some((count, from)) = options(rest)? else {
        print!("{HELP}");
        return Ok(());
    };
    let repository = place::repository()?;
    // The worker is an example program, which a run of one test does not build.
    process::run(process::cargo(&repository).args(["build", "--package", "bethink-extract", "--examples"]))?;
    let mut cargo = process::cargo(&repository);
    cargo.args(["test", "--package", "bethink-extract", "--test", "it", "--", "--ignored", "--exact", TEST]);
    cargo.arg("--nocapture").env(COUNT_VARIABLE, count.to_string()).env(FROM_VARIABLE, from.to_string());
    process::run(&mut cargo)
}

/// How many, from which number on; `None` to show the help.
fn options(rest: &[String]) -> Result<Option<(u64, u64)>> {
    let number = |word: &str| {
        word.parse::<u64>().with_context(|| format!("`{word}` is no number\nnext: cargo xtask mutate --help"))
    };
    let (mut count, mut from) = (None, 0);
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--help" | "-h" => return Ok(None),
            "--from" => from = number(words.next().context("--from wants a number\nnext: cargo xtask mutate --help")?)?,
            word if count.is_none() => count = Some(number(word)?),
            other => bail!("`{other}` is not understood\nnext: cargo xtask mutate --help"),
        }
    }
    Ok(Some((count.unwrap_or(10_000), from)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_count_and_a_beginning_are_understood() {
        let asked = |words: &[&str]| options(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(asked(&[]).unwrap(), Some((10_000, 0)));
        assert_eq!(asked(&["5", "--from", "7"]).unwrap(), Some((5, 7)));
        assert_eq!(asked(&["--help"]).unwrap(), None);
        assert!(asked(&["five"]).is_err());
        assert!(asked(&["5", "6"]).is_err());
        assert!(asked(&["--from"]).is_err());
    }
}
