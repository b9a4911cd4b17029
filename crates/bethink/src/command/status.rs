//! `bethink status`.

use std::io::Write;

use anyhow::Result;
use bethink_engine::Engine;
use bethink_server::text::{bytes, grouped};
use bethink_server::wire;

use crate::cli::Status;
use crate::failure::Ended;
use crate::output;

/// Says what is covered, what is pending, what failed.
pub fn run(engine: &Engine, arguments: &Status) -> Result<Ended> {
    let status = engine.status()?;
    let mut out = output::stdout();
    if arguments.json {
        out.write_all(wire::status_line(&status).as_bytes())?;
        out.flush()?;
        return Ok(Ended::Well);
    }
    writeln!(out, "data folder  {}", status.home.display())?;
    if status.roots.is_empty() {
        writeln!(out, "roots        none; add one with: bethink index ~/Documents")?;
    }
    for (index, root) in status.roots.iter().enumerate() {
        let label = if index == 0 { "roots" } else { "" };
        let when = root
            .completed
            .and_then(|moment| engine.local_time(moment))
            .map(|time| format!(", {}", time.strftime("%Y-%m-%d %H:%M")))
            .unwrap_or_default();
        writeln!(
            out,
            "{label:<13}{}  {} documents, {}{when}",
            output::shown_path(&root.path, engine.working_folder()),
            grouped(root.documents),
            root.state
        )?;
    }
    writeln!(out, "documents    {} known, {} with text", grouped(status.documents), grouped(status.indexed))?;
    for (name, reasons) in [("skipped", &status.skipped), ("failed", &status.failed)] {
        let each: Vec<String> =
            reasons.iter().map(|(reason, number)| format!("{} {reason}", grouped(*number))).collect();
        if !each.is_empty() {
            writeln!(out, "{name:<13}{}", each.join(", "))?;
        }
    }
    writeln!(
        out,
        "passages     {} from {} of text, {} on disk",
        grouped(status.passages),
        bytes(status.text_bytes),
        bytes(status.disk_bytes)
    )?;
    for tier in &status.tiers {
        let all = (tier.done + tier.pending).max(1);
        let failed =
            if tier.failed > 0 { format!(", {} cannot be embedded", grouped(tier.failed)) } else { String::new() };
        writeln!(
            out,
            "{:<13}{} ({}): {:.0} %, {} wait{failed}",
            tier.tier,
            tier.model,
            grouped(tier.done),
            100.0 * tier.done as f64 / all as f64,
            grouped(tier.pending)
        )?;
    }
    writeln!(out, "names        {} known to find", grouped(status.names))?;
    out.flush()?;
    status.notes.iter().for_each(|note| output::note(note));
    Ok(Ended::Well)
}
