//! The bethink command.
//!
//! This crate is the only one that reads the environment, knows the terminal, and sets exit codes:
//! 0 for hits, 1 for none, 2 for an error, as grep does. Everything else is asked of the engine.

#![forbid(unsafe_code)]

mod bundle;
mod cli;
mod command;
mod environment;
mod failure;
mod output;
mod signal;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    // A worker confines itself before anything else happens in its process.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == environment::EXTRACT_WORKER) {
        return bethink_engine::extract_worker();
    }
    // What a damaged cache or file makes an engine below us panic about is caught and told in our words.
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !bethink_core::is_catching() {
            tell(panic);
        }
    }));
    let arguments = cli::Cli::parse();
    environment::start_log();
    let outcome = command::run(arguments);
    failure::exit_code(outcome)
}
