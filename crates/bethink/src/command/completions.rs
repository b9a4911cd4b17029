//! Everything that is printed from the definition of the arguments alone.

use std::io::Write;

use anyhow::Result;
use clap::CommandFactory;

use crate::cli::{Cli, Completions};
use crate::failure::Ended;
use crate::output;

/// Prints completions for a shell.
pub fn run(arguments: &Completions) -> Result<Ended> {
    // Rendered into memory first, because the generator panics where a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "bethink", &mut script);
    let mut out = output::stdout();
    out.write_all(&script)?;
    out.flush()?;
    Ok(Ended::Well)
}

/// Prints the manual page.
pub fn manual() -> Result<Ended> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    let mut out = output::stdout();
    out.write_all(&page)?;
    out.flush()?;
    Ok(Ended::Well)
}

/// What `bethink` alone says. It asked for nothing, so nothing was found: exit 2, as grep does.
pub fn first_help() -> Result<Ended> {
    let mut out = output::stdout();
    write!(out, "{}", Cli::command().render_help())?;
    out.flush()?;
    Ok(Ended::Troubled)
}
