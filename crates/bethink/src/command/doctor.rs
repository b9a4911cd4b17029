//! `bethink doctor [PATH]`, `bethink doctor --why PATH`.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use bethink_engine::Engine;
use bethink_server::wire;

use crate::cli::{Doctor, When};
use crate::failure::Ended;
use crate::output;
use crate::terminal::Markup;

/// Checks that all is well, or says why a file is in the index or not.
pub fn run(engine: &Engine, arguments: &Doctor) -> Result<Ended> {
    if let Some(path) = &arguments.why {
        return why(engine, path, arguments.json);
    }
    let mut out = output::stdout();
    let markup = Markup::for_stdout(When::Auto);
    let troubles = engine.troubles(arguments.path.as_deref(), arguments.limit)?;
    let diagnoses = if arguments.path.is_none() { engine.diagnose()? } else { Vec::new() };
    let well = diagnoses.iter().all(|diagnosis| diagnosis.well);
    if arguments.json {
        for diagnosis in &diagnoses {
            out.write_all(wire::json_line(&wire::Diagnosis::from(diagnosis)).as_bytes())?;
        }
        for trouble in &troubles {
            out.write_all(wire::json_line(&wire::Trouble::from(trouble)).as_bytes())?;
        }
        out.flush()?;
        return Ok(if well { Ended::Well } else { Ended::Troubled });
    }
    for diagnosis in &diagnoses {
        let mark = if diagnosis.well { markup.line("well ") } else { markup.strong("look ") };
        writeln!(out, "{mark} {:<14} {}", diagnosis.what, diagnosis.finding)?;
    }
    if !troubles.is_empty() && !diagnoses.is_empty() {
        writeln!(out)?;
    }
    for trouble in &troubles {
        writeln!(
            out,
            "{}  {} ({}): {}",
            output::shown_path(&trouble.path, engine.working_folder()),
            trouble.outcome,
            trouble.reason,
            trouble.detail
        )?;
    }
    out.flush()?;
    if troubles.len() == arguments.limit {
        output::note(&format!("the first {}; more with: bethink doctor -n {}", arguments.limit, arguments.limit * 10));
    }
    if arguments.path.is_some() && troubles.is_empty() {
        output::note("every file there has its text in the index");
    }
    Ok(if well { Ended::Well } else { Ended::Troubled })
}

fn why(engine: &Engine, path: &Path, json: bool) -> Result<Ended> {
    let why = engine.why(path)?;
    let mut out = output::stdout();
    if json {
        out.write_all(wire::json_line(&wire::Why::from(&why)).as_bytes())?;
    } else {
        let state = if why.searchable { "in the index" } else { "not in the index" };
        writeln!(out, "{}: {state}", output::shown_path(&why.path, engine.working_folder()))?;
        writeln!(out, "  {}", why.because)?;
        if let Some(rule) = &why.rule {
            writeln!(out, "  rule: {rule}")?;
        }
        for (name, value) in &why.details {
            writeln!(out, "  {name}: {value}")?;
        }
    }
    out.flush()?;
    Ok(if why.searchable { Ended::Well } else { Ended::Empty })
}
