//! `bethink QUERY…`, `bethink search`, `bethink grep`.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Instant;

use anyhow::Result;
use bethink_core::Explanation;
use bethink_engine::{AskAnswer, AskRequest, AskShape, Engine, Hit};
use bethink_server::text::plural;
use bethink_server::wire;

use crate::cli::Ask;
use crate::failure::Ended;
use crate::output;
use crate::terminal::Markup;

/// Asks, and prints the answer.
pub fn run(engine: &Engine, arguments: &Ask, shape: AskShape) -> Result<Ended> {
    let started = Instant::now();
    let request = AskRequest {
        query: arguments.query.join(" "),
        within: arguments.within.clone(),
        limit: arguments.limit,
        per_file: arguments.per_file,
        shape,
        explain: arguments.explain,
    };
    let answer = engine.ask(&request)?;
    let mut out = output::stdout();
    if arguments.output.json {
        out.write_all(wire::ask_lines(&answer, started.elapsed()).as_bytes())?;
        out.flush()?;
        return Ok(ended(&answer));
    }
    if arguments.output.files || arguments.output.null {
        let mut seen = BTreeSet::new();
        for hit in &answer.hits {
            if seen.insert(&hit.path) {
                output::write_raw_path(&mut out, &hit.path, engine.working_folder(), arguments.output.null)?;
            }
        }
    } else {
        let markup = Markup::for_stdout(arguments.output.color);
        for hit in &answer.hits {
            writeln!(out, "{}", line(engine, hit, markup))?;
            if let Some(explanation) = &hit.explanation {
                write_explanation(&mut out, explanation, markup, 1)?;
            }
        }
    }
    out.flush()?;
    for note in notes(engine, &answer) {
        output::note(&note);
    }
    Ok(ended(&answer))
}

fn ended(answer: &AskAnswer) -> Ended {
    if answer.hits.is_empty() { Ended::Empty } else { Ended::Well }
}

/// `path:line (score) — excerpt`.
fn line(engine: &Engine, hit: &Hit, markup: Markup) -> String {
    let shown = output::shown_path(&hit.path, engine.working_folder());
    let locator = hit.locator.to_string();
    let place =
        if locator.is_empty() { format!("{:.2}", hit.score.0) } else { format!("{:.2}, {locator}", hit.score.0) };
    let path = markup.path(&shown, &hit.path);
    let number = match hit.column {
        Some(column) => markup.line(&format!("{}:{column}", hit.line)),
        None => markup.line(&hit.line.to_string()),
    };
    let place = markup.dim(&format!("({place})"));
    let excerpt = markup.matches(&hit.excerpt, &hit.matched);
    let mut line = format!("{path}:{number} {place}");
    if !excerpt.is_empty() {
        line.push_str(&format!(" — {excerpt}"));
    }
    let mut remarks: Vec<String> = hit.caveat.map(str::to_owned).into_iter().collect();
    remarks.extend(
        hit.moved_from.as_ref().map(|from| format!("moved from {}", output::shown_path(from, engine.working_folder()))),
    );
    match &hit.copies[..] {
        [] => {}
        [copy] => remarks.push(format!("same as {}", output::shown_path(copy, engine.working_folder()))),
        copies => remarks.push(format!("same in {} more files", copies.len())),
    }
    if !remarks.is_empty() {
        line.push_str(&markup.dim(&format!(" [{}]", remarks.join("; "))));
    }
    line
}

fn write_explanation(out: &mut impl Write, node: &Explanation, markup: Markup, depth: usize) -> std::io::Result<()> {
    // The tree is a few levels deep by construction; the bound keeps a malformed one finite.
    if depth > 8 {
        return Ok(());
    }
    let indent = "  ".repeat(depth);
    let line = format!("{indent}{:.3} {}", node.value, node.name);
    let detail = if node.detail.is_empty() { String::new() } else { format!(": {}", node.detail) };
    writeln!(out, "{}", markup.dim(&format!("{line}{detail}")))?;
    node.children.iter().try_for_each(|child| write_explanation(out, child, markup, depth + 1))
}

/// What a person should know beside the hits.
fn notes(engine: &Engine, answer: &AskAnswer) -> Vec<String> {
    let mut notes = Vec::new();
    if answer.hits.is_empty() {
        let place = match &answer.looked_in.within {
            Some(within) => output::shown_path(within, engine.working_folder()),
            None => {
                let roots: Vec<String> = answer
                    .looked_in
                    .roots
                    .iter()
                    .map(|root| output::shown_path(root, engine.working_folder()))
                    .collect();
                roots.join(", ")
            }
        };
        let so_far = if answer.is_partial { "nothing found so far" } else { "nothing relevant" };
        notes.push(format!("{so_far} in {} ({place})", plural(answer.searched, "document")));
    }
    if let Some(hidden) = &answer.hidden
        && hidden.better > 0
    {
        notes.push(format!(
            "outside the folder asked for: {} better {}, the best ({:.2}) in {}",
            hidden.better,
            if hidden.better == 1 { "file" } else { "files" },
            hidden.best_score.0,
            output::shown_path(&hidden.best_path, engine.working_folder())
        ));
    }
    notes.extend(answer.notes.iter().cloned());
    notes
}
