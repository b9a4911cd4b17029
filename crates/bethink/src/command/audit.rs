//! `bethink audit`.

use std::io::Write;

use anyhow::Result;
use bethink_engine::Engine;
use bethink_server::text::shown_line;
use bethink_server::wire;

use crate::cli::Audit;
use crate::failure::Ended;
use crate::output;

/// Shows which tools looked at the memory, with what, and what they got.
pub fn run(engine: &Engine, arguments: &Audit) -> Result<Ended> {
    let accesses = engine.accesses(arguments.limit)?;
    let mut out = output::stdout();
    for access in &accesses {
        if arguments.json {
            out.write_all(wire::json_line(&wire::AccessObject::from(access)).as_bytes())?;
            continue;
        }
        let when = engine.local_time(access.time).map(|time| time.strftime("%Y-%m-%d %H:%M:%S").to_string());
        let (when, given) = (when.unwrap_or_default(), shown_line(&access.arguments));
        writeln!(out, "{when}  {}  {given}  {} ids", access.tool, access.answered.len())?;
    }
    out.flush()?;
    if accesses.is_empty() {
        output::note("no tool has looked at the memory yet");
    }
    Ok(if accesses.is_empty() { Ended::Empty } else { Ended::Well })
}
