//! `bethink find`.

use std::io::Write;
use std::time::Instant;

use anyhow::Result;
use bethink_core::UnixMillis;
use bethink_engine::{Engine, FindAnswer, FindHit, FindRequest};
use bethink_server::text::{bytes, grouped};
use bethink_server::wire;

use crate::cli::Find;
use crate::failure::Ended;
use crate::output;
use crate::terminal::Markup;

/// Finds files by name, kind and time.
pub fn run(engine: &Engine, arguments: &Find) -> Result<Ended> {
    let started = Instant::now();
    let answer = engine.find(&FindRequest {
        query: arguments.query.join(" "),
        kind: arguments.kind.clone(),
        within: arguments.within.clone(),
        opened: arguments.opened.clone(),
        modified: arguments.modified.clone(),
        limit: arguments.limit,
    })?;
    let mut out = output::stdout();
    if arguments.output.json {
        out.write_all(wire::find_lines(&answer, started.elapsed()).as_bytes())?;
    } else if arguments.output.files || arguments.output.null {
        for hit in &answer.hits {
            output::write_raw_path(&mut out, &hit.path, engine.working_folder(), arguments.output.null)?;
        }
    } else {
        let markup = Markup::for_stdout(arguments.output.color);
        for hit in &answer.hits {
            writeln!(out, "{}", line(engine, hit, markup))?;
        }
    }
    out.flush()?;
    if !arguments.output.json {
        notes(engine, &answer).iter().for_each(|note| output::note(note));
    }
    Ok(if answer.hits.is_empty() { Ended::Empty } else { Ended::Well })
}

fn line(engine: &Engine, hit: &FindHit, markup: Markup) -> String {
    let shown = output::shown_path(&hit.path, engine.working_folder());
    let mut about = vec![hit.kind.name().to_owned()];
    if hit.size_bytes > 0 {
        about.push(bytes(hit.size_bytes));
    }
    about.push(format!("modified {}", day(engine, hit.modified)));
    if let Some(opened) = hit.opened {
        about.push(format!("opened {} ({})", day(engine, opened.at), opened.source.name()));
    }
    if hit.how == "typo" {
        about.push("the name is only alike".to_owned());
    }
    format!("{}  {}", markup.path(&shown, &hit.path), markup.dim(&about.join(", ")))
}

/// A local day, with the time of day where it is recent enough to matter.
fn day(engine: &Engine, moment: UnixMillis) -> String {
    engine
        .local_time(moment)
        .map_or_else(|| "at an unknown time".to_owned(), |time| time.strftime("%Y-%m-%d %H:%M").to_string())
}

fn notes(engine: &Engine, answer: &FindAnswer) -> Vec<String> {
    let mut notes = Vec::new();
    for window in &answer.windows {
        let from = engine.local_time(window.start).map(|_| format!(" from {}", day(engine, window.start)));
        let to = engine.local_time(window.end).map(|_| format!(" up to {}", day(engine, window.end)));
        notes.push(format!(
            "{} “{}”:{}{}",
            window.what,
            window.phrase,
            from.unwrap_or_default(),
            to.unwrap_or_default()
        ));
    }
    if answer.hits.is_empty() {
        let places: Vec<String> = answer
            .looked_in
            .iter()
            .map(|place| {
                let cut = if place.complete { "" } else { ", not all of it" };
                format!("{} ({} names{cut})", place.place, grouped(place.names))
            })
            .collect();
        notes.push(format!("nothing by that name; looked in {}", places.join(", ")));
        if !answer.nearest.is_empty() {
            let nearest: Vec<String> =
                answer.nearest.iter().map(|path| output::shown_path(path, engine.working_folder())).collect();
            notes.push(format!("nearest names: {}", nearest.join(", ")));
        }
    }
    if let Some(hidden) = &answer.hidden_by_kind {
        notes.push(format!(
            "a better match of another kind ({}): {}",
            hidden.kind.name(),
            output::shown_path(&hidden.path, engine.working_folder())
        ));
    }
    notes.extend(answer.notes.iter().cloned());
    notes
}
