//! `bethink watch`.

use std::io::Write;

use anyhow::Result;
use bethink_engine::{Engine, IndexEvent};
use bethink_server::text::grouped;
use bethink_server::wire;

use crate::cli::Watch;
use crate::failure::Ended;
use crate::output;
use crate::signal;

/// Keeps the index up to date while files change, and sharpens it, until stopped.
pub fn run(engine: &Engine, arguments: &Watch) -> Result<Ended> {
    let stop = signal::stop_on_signal();
    let json = arguments.json;
    if !json {
        let roots = engine.status()?.roots;
        output::note(&format!("watching {} roots; stop with Ctrl-C", roots.len()));
    }
    engine.watch(
        &|event: IndexEvent| {
            if json {
                let _ = std::io::stdout().lock().write_all(wire::json_line(&wire::IndexEvent::from(&event)).as_bytes());
            } else if let IndexEvent::Committed { files, passages, .. } = event {
                let _ = writeln!(std::io::stdout().lock(), "{} files, {} passages", grouped(files), grouped(passages));
            }
        },
        &stop,
    )?;
    Ok(Ended::Well)
}
