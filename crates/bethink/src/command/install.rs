//! `bethink install HOST [--print]`.

use std::io::Write;

use anyhow::{Context, Result};
use bethink_server::install::{self, Change};

use crate::cli::Install;
use crate::environment;
use crate::failure::Ended;
use crate::output;

/// Enters bethink among a host's servers, or shows what would be entered.
pub fn run(arguments: &Install) -> Result<Ended> {
    let host = install::Host::from_name(&arguments.host)?;
    let launch = environment::launch()?;
    let mut out = output::stdout();
    if arguments.print {
        let plan = install::plan(host, &launch, &environment::host_places()?);
        out.write_all(install::snippet(host, &launch)?.as_bytes())?;
        out.flush()?;
        if let Ok(plan) = plan {
            output::note(&format!("for {}: {}", host.title(), plan.file.display()));
        }
        return Ok(Ended::Well);
    }
    let plan = install::plan(host, &launch, &environment::host_places()?)?;
    let applied = install::apply(&plan)?;
    let what = match plan.change {
        Change::Nothing => "has bethink already",
        Change::Create | Change::Add => "has bethink now",
        Change::Update => "has the present bethink now",
    };
    writeln!(out, "{} {what}: {}", host.title(), plan.file.display())?;
    if let Some(backup) = &applied.backup {
        writeln!(out, "the file as it was: {}", backup.display())?;
    }
    writeln!(out, "{}", host.next_step())?;
    out.flush().context("cannot tell what was done")?;
    Ok(Ended::Well)
}
