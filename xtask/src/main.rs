//! The chores of the repository, each one command: `cargo xtask <command>`.
//!
//! What the README, the contributor's page and CI tell people to type lives here, so that all three
//! run the same thing. This program promises to start in seconds (three small dependencies, no
//! argument parser), to say by hand what to do when a download or an installation fails, and to
//! write only below the build cache, the target folder and `docs/benchmarks.md`. It refuses to know
//! anything about how bethink works inside: it drives the built program as a person would.

#![forbid(unsafe_code)]

mod arrows;
mod bench;
mod demo;
mod fuzz;
mod models;
mod mutate;
mod place;
mod process;
mod suite;
mod system;

use std::process::ExitCode;

const HELP: &str = "\
Chores of the bethink repository.

Usage: cargo xtask <command> [arguments]

Commands:
  demo [FOLDER]   build the release program, fetch the default models, index the project's own
                  docs (and FOLDER), ask three questions and show the answers
  test [--quick]  everything that must hold before a change lands: format, arrows, lints, docs,
                  tests. --quick leaves out models, documentation and documentation tests
  arrows          check the rules of the house: which crate may use which, who may hold SQL, who may
                  speak for the wire, licences, doubled dependencies, long files
  models [--into-home]
                  fetch the default embedding models and pdfium, and check their hashes; --into-home also adds
                  them to your own data home (BETHINK_HOME, or the platform's data folder)
  bundle          build the release program with the default models inside, one file that works
                  offline
  mutate [COUNT] [--from NUMBER]
                  read thousands of broken files through the workers and account for each
                  (`cargo xtask mutate --help` tells more)
  fuzz [TARGET] [SECONDS]
                  run a fuzz target, or name them
  bench [--quick] [--full] [--out FILE]
                  build the benchmark corpus, measure against ripgrep, numpy and recoll, and write
                  docs/benchmarks.md (`cargo xtask bench --help` tells more)
  help            this text

Environment:
  BETHINK_BUILD_CACHE   where downloads, models and the demo live
                        (default: $XDG_CACHE_HOME/bethink or ~/.cache/bethink)
  CARGO_TARGET_DIR      where cargo builds, as always
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_else(|| "help".to_owned());
    let rest: Vec<String> = arguments.collect();
    let asks_for_help = rest.iter().any(|argument| argument == "--help" || argument == "-h");
    let outcome = match command.as_str() {
        "bench" => bench::run(&rest),
        "mutate" => mutate::run(&rest),
        "fuzz" => fuzz::run(&rest),
        "arrows" | "demo" | "test" | "models" | "bundle" if asks_for_help => {
            print!("{HELP}");
            Ok(())
        }
        "arrows" => process::no_arguments(&rest).and_then(|()| arrows::run()),
        "demo" => demo::run(&rest),
        "test" => suite::run(&rest),
        "models" => models::run(&rest),
        "bundle" => process::no_arguments(&rest).and_then(|()| models::bundle()),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(anyhow::anyhow!("there is no command `{other}`\nnext: cargo xtask help")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask {command}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
