//! One file a command.

mod ask;
mod audit;
mod completions;
mod doctor;
mod eval;
mod find;
mod formats;
mod index;
mod install;
mod log;
mod mcp;
mod models;
mod notebook;
mod people;
mod read;
mod serve;
mod status;
mod watch;

use anyhow::Result;
use bethink_engine::AskShape;
use clap::CommandFactory;

use crate::cli::{Cli, Command};
use crate::environment;
use crate::failure::Ended;
use crate::output;

/// Does what was asked for.
///
/// The extraction worker is not among them: `main` enters it before anything else is opened.
pub fn run(arguments: Cli) -> Result<Ended> {
    let Some(command) = arguments.command else {
        if arguments.ask.query.is_empty() {
            return completions::first_help();
        }
        let outcome = ask::run(&environment::open_engine()?, &arguments.ask, AskShape::Everything);
        // `bethink --json grep owls` asks for the words "grep owls", which is hardly what was meant.
        let first = &arguments.ask.query[0];
        if Cli::command().find_subcommand(first).is_some() {
            output::note(&format!(
                "asked for the words “{first} …”; the command {first} comes first: bethink {first} …"
            ));
        }
        return outcome;
    };
    match command {
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Manual => completions::manual(),
        Command::Install(arguments) => install::run(&arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Search(arguments) => ask::run(&environment::open_engine()?, &arguments, AskShape::Everything),
        Command::Grep(arguments) => ask::run(&environment::open_engine()?, &arguments, AskShape::Passages),
        Command::Find(arguments) => find::run(&environment::open_engine()?, &arguments),
        Command::Read(arguments) => read::run(&environment::open_engine()?, &arguments),
        Command::Index(arguments) => index::run(&environment::open_engine()?, &arguments),
        Command::Watch(arguments) => watch::run(&environment::open_engine()?, &arguments),
        Command::Log(arguments) => log::run(&environment::open_engine()?, &arguments),
        Command::Audit(arguments) => audit::run(&environment::open_engine()?, &arguments),
        Command::Notebook(arguments) => notebook::run(&environment::open_engine()?, &arguments),
        Command::Pin(arguments) => people::pin(&environment::open_engine()?, &arguments),
        Command::People(arguments) => people::run(&environment::open_engine()?, &arguments),
        Command::Status(arguments) => status::run(&environment::open_engine()?, &arguments),
        Command::Doctor(arguments) => doctor::run(&environment::open_engine()?, &arguments),
        Command::Formats(arguments) => formats::run(&environment::open_engine()?, &arguments),
        Command::Models(arguments) => models::run(&environment::open_engine()?, &arguments),
    }
}
