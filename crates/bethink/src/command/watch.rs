//! `bethink watch`.

use std::io::Write;

use anyhow::{Result, bail};
use bethink_engine::{Engine, IndexEvent};
use bethink_server::text::plural;
use bethink_server::wire;

use crate::cli::Watch;
use crate::failure::Ended;
use crate::output;
use crate::signal;

/// Keeps the index up to date while files change, and sharpens it, until stopped.
pub fn run(engine: &Engine, arguments: &Watch) -> Result<Ended> {
    let stop = signal::stop_on_signal();
    let json = arguments.json;
    let roots = engine.status()?.roots;
    if roots.is_empty() {
        bail!("no folder is remembered yet\n  name one first: bethink index ~/Documents");
    }
    if !json {
        output::note(&format!("watching {}; stop with Ctrl-C", plural(roots.len() as u64, "folder")));
    }
    engine.watch(
        &|event: IndexEvent| {
            if json {
                let _ = std::io::stdout().lock().write_all(wire::json_line(&wire::IndexEvent::from(&event)).as_bytes());
            } else if let IndexEvent::Committed { files, passages, .. } = event {
                let _ =
                    writeln!(std::io::stdout().lock(), "{}, {}", plural(files, "file"), plural(passages, "passage"));
            }
        },
        &stop,
    )?;
    Ok(Ended::Well)
}
