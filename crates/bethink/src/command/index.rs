//! `bethink index [PATH…]`.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Result, bail};
use bethink_engine::{Engine, IndexEvent, IndexRequest, IndexSummary, Progress};
use bethink_server::text::{bytes, grouped};
use bethink_server::wire;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::Index;
use crate::failure::Ended;
use crate::output;
use crate::signal;

/// Makes folders searchable, and brings the index up to date.
pub fn run(engine: &Engine, arguments: &Index) -> Result<Ended> {
    if arguments.forget {
        return forget(engine, arguments);
    }
    if arguments.paths.is_empty() && !engine.has_roots() {
        bail!("no folder is remembered yet\n  {}", suggestion(engine));
    }
    let stop = signal::stop_on_signal();
    let request = IndexRequest { paths: arguments.paths.clone(), full: arguments.full, fast: arguments.fast };
    let summary = if arguments.json {
        let events = JsonEvents::default();
        let summary = engine.index(&request, &events, &stop)?;
        let mut out = output::stdout();
        out.write_all(wire::json_line(&wire::IndexSummary::from(&summary)).as_bytes())?;
        out.flush()?;
        summary
    } else if !arguments.quiet && std::io::stderr().is_terminal() {
        let bar = Bar::start(engine);
        let summary = engine.index(&request, &bar, &stop)?;
        bar.finish();
        print_summary(engine, &summary)?;
        summary
    } else {
        let summary = engine.index(
            &request,
            &|event| {
                if event == IndexEvent::Waiting {
                    output::note("another bethink is indexing; waiting for it");
                }
            },
            &stop,
        )?;
        if !arguments.quiet {
            print_summary(engine, &summary)?;
        }
        summary
    };
    let reached_nothing = !summary.roots.is_empty() && summary.roots.iter().all(|root| root.state != "complete");
    Ok(if reached_nothing && !summary.interrupted { Ended::Troubled } else { Ended::Well })
}

/// Folders that most people have, as a command to type.
fn suggestion(engine: &Engine) -> String {
    let folders = engine.suggested_roots();
    if folders.is_empty() {
        return "name one: bethink index ~/Documents".to_owned();
    }
    let folders: Vec<String> = folders.iter().map(|folder| format!("'{}'", folder.display())).collect();
    format!("name some, for instance: bethink index {}", folders.join(" "))
}

fn forget(engine: &Engine, arguments: &Index) -> Result<Ended> {
    let mut out = output::stdout();
    for path in &arguments.paths {
        let forgotten = engine.forget(path)?;
        if arguments.json {
            out.write_all(wire::json_line(&wire::Forgotten::from(&forgotten)).as_bytes())?;
        } else if !arguments.quiet {
            writeln!(
                out,
                "forgot {} and its {} documents",
                output::shown_path(&forgotten.path, engine.working_folder()),
                grouped(forgotten.documents)
            )?;
        }
    }
    out.flush()?;
    Ok(Ended::Well)
}

fn print_summary(engine: &Engine, summary: &IndexSummary) -> Result<()> {
    let mut out = output::stdout();
    let mut parts =
        vec![format!("{} indexed", grouped(summary.indexed)), format!("{} unchanged", grouped(summary.unchanged))];
    if summary.moved > 0 {
        parts.push(format!("{} moved", grouped(summary.moved)));
    }
    if summary.removed > 0 {
        parts.push(format!("{} gone", grouped(summary.removed)));
    }
    let reasons = |name: &str, reasons: &[(String, u64)]| {
        let all: u64 = reasons.iter().map(|(_, number)| number).sum();
        let each: Vec<String> =
            reasons.iter().map(|(reason, number)| format!("{} {reason}", grouped(*number))).collect();
        (all > 0).then(|| format!("{} {name} ({})", grouped(all), each.join(", ")))
    };
    parts.extend(reasons("skipped", &summary.skipped));
    parts.extend(reasons("failed", &summary.failed));
    writeln!(out, "{}", parts.join(", "))?;
    let seconds = summary.elapsed.as_secs_f64();
    writeln!(
        out,
        "{} passages from {} in {}",
        grouped(summary.passages),
        bytes(summary.bytes),
        if seconds < 10.0 { format!("{seconds:.1} s") } else { format!("{seconds:.0} s") }
    )?;
    for root in &summary.roots {
        if root.state != "complete" || root.note.is_some() {
            let note = root.note.as_deref().unwrap_or_default();
            writeln!(out, "{}: {} {note}", output::shown_path(&root.path, engine.working_folder()), root.state)?;
        }
    }
    out.flush()?;
    if summary.interrupted {
        output::note("stopped early; what was committed is searchable. Go on with: bethink index");
    }
    if summary.pending > 0 {
        output::note(&format!(
            "{} passages wait to be sharpened; they are searchable already. Finish with: bethink index --full",
            grouped(summary.pending)
        ));
    }
    if summary.failed.iter().any(|(_, number)| *number > 0) {
        output::note("see which and why: bethink doctor");
    }
    summary.notes.iter().for_each(|note| output::note(note));
    Ok(())
}

/// Events as JSON Lines.
#[derive(Default)]
struct JsonEvents {
    // One line is written at a time, from whichever thread has something to report.
    writing: Mutex<()>,
}

impl Progress for JsonEvents {
    fn report(&self, event: IndexEvent) {
        let _one_at_a_time = self.writing.lock();
        // The run goes on when nobody listens any more.
        let _ = std::io::stdout().lock().write_all(wire::json_line(&wire::IndexEvent::from(&event)).as_bytes());
    }
}

/// A progress bar with files, passages, rate, time left and the current file.
struct Bar<'a> {
    engine: &'a Engine,
    bar: ProgressBar,
    passages: Mutex<u64>,
}

impl<'a> Bar<'a> {
    fn start(engine: &'a Engine) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(12));
        bar.enable_steady_tick(Duration::from_millis(150));
        bar.set_style(style("{spinner} {pos} files {msg}"));
        Self { engine, bar, passages: Mutex::new(0) }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

impl Progress for Bar<'_> {
    fn report(&self, event: IndexEvent) {
        match event {
            IndexEvent::Waiting => self.bar.set_message("another bethink is indexing; waiting for it"),
            IndexEvent::Walked { files, done } => {
                if done {
                    self.bar.set_length(files);
                    self.bar.set_style(style("{bar:24} {pos}/{len} files, {per_sec}, {eta} left  {wide_msg}"));
                }
            }
            IndexEvent::File { path } => {
                let shown = output::shown_path(&path, self.engine.working_folder());
                let passages = self.passages.lock().map(|passages| *passages).unwrap_or(0);
                self.bar.set_message(format!("{} passages  {shown}", grouped(passages)));
            }
            IndexEvent::Committed { files, passages, .. } => {
                if let Ok(mut known) = self.passages.lock() {
                    *known = passages;
                }
                self.bar.set_position(files);
            }
            IndexEvent::Embedded { tier, done, pending } => {
                // The static tier keeps up with the files; only the transformer is worth a bar.
                if tier == "transformer" {
                    self.bar.set_style(style("{bar:24} {pos}/{len} passages sharpened, {per_sec}, {eta} left"));
                    self.bar.set_length(done + pending);
                    self.bar.set_position(done);
                }
            }
        }
    }
}
