//! `bethink log`.

use std::io::{Read, Write};

use anyhow::{Context, Result};
use bethink_engine::{Engine, EventListRequest, EventRequest, LoggedEvent, MemoryEvent};
use bethink_server::text::{grouped, plural, shown_line};
use bethink_server::wire;

use crate::cli::{Log, LogAppend, LogCommand, LogList, When};
use crate::failure::Ended;
use crate::output;
use crate::terminal::Markup;

/// Events that are listed without being asked how many.
const LISTED: usize = 20;

/// Keeps, lists, searches and forgets events.
pub fn run(engine: &Engine, arguments: &Log) -> Result<Ended> {
    match &arguments.command {
        Some(LogCommand::Append(arguments)) => append(engine, arguments),
        Some(LogCommand::List(arguments)) => list(engine, arguments),
        Some(LogCommand::Grep { pattern, json }) => grep(engine, pattern, *json),
        Some(LogCommand::Forget { ids }) => forget(engine, ids),
        None => {
            let everything = LogList {
                kinds: Vec::new(),
                person: None,
                thread: None,
                source: None,
                when: None,
                limit: LISTED,
                json: false,
            };
            list(engine, &everything)
        }
    }
}

/// Words that were typed, or what comes over standard input where none were.
pub fn words_or_input(words: &[String]) -> Result<String> {
    if !words.is_empty() {
        return Ok(words.join(" "));
    }
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text).context("standard input is no text in UTF-8")?;
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

fn append(engine: &Engine, arguments: &LogAppend) -> Result<Ended> {
    let event = engine.log_event(&EventRequest {
        text: words_or_input(&arguments.text)?,
        kind: Some(arguments.kind.clone()),
        time: arguments.time.clone(),
        person: arguments.person.clone(),
        source: arguments.source.clone(),
        thread: arguments.thread.clone(),
    })?;
    let mut out = output::stdout();
    if arguments.json {
        out.write_all(wire::json_line(&wire::Event::from(&event)).as_bytes())?;
    } else {
        writeln!(out, "{}", event.id)?;
    }
    out.flush()?;
    Ok(Ended::Well)
}

fn list(engine: &Engine, arguments: &LogList) -> Result<Ended> {
    let list = engine.events(&EventListRequest {
        kinds: arguments.kinds.clone(),
        person: arguments.person.clone(),
        thread: arguments.thread.clone(),
        source: arguments.source.clone(),
        when: arguments.when.clone(),
        limit: arguments.limit,
    })?;
    let mut out = output::stdout();
    if arguments.json {
        out.write_all(wire::event_list_lines(&list).as_bytes())?;
    } else {
        let markup = Markup::for_stdout(When::Auto);
        for LoggedEvent { event, .. } in &list.events {
            writeln!(out, "{}  {}", markup.dim(&about(engine, event)), shown_line(&event.text))?;
        }
    }
    out.flush()?;
    if !arguments.json {
        if list.total == 0 {
            output::note("nothing is logged yet; begin with: bethink log append \"met Anna on the tram\"");
        } else if list.events.is_empty() {
            output::note(&format!("none of {} is like that", plural(list.total, "event")));
        } else if list.more {
            output::note(&format!("there are older ones; see more with: -n {}", arguments.limit.saturating_mul(5)));
        }
    }
    Ok(if list.events.is_empty() { Ended::Empty } else { Ended::Well })
}

fn grep(engine: &Engine, pattern: &str, json: bool) -> Result<Ended> {
    let answer = engine.grep_memory(pattern)?;
    let mut out = output::stdout();
    if json {
        out.write_all(wire::grep_lines(&answer).as_bytes())?;
    } else {
        let markup = Markup::for_stdout(When::Auto);
        for hit in &answer.hits {
            let shown = shown_line(&hit.excerpt);
            // Where something had to be made visible, the match stands elsewhere.
            let matched = if shown == hit.excerpt { vec![hit.matched.clone()] } else { Vec::new() };
            writeln!(out, "{}  {}", markup.dim(&about(engine, &hit.event.event)), markup.matches(&shown, &matched))?;
        }
    }
    out.flush()?;
    if !json {
        answer.notes.iter().for_each(|note| output::note(note));
        if answer.more {
            output::note("only the newest are shown; there are older matches");
        }
    }
    Ok(if answer.hits.is_empty() { Ended::Empty } else { Ended::Well })
}

fn forget(engine: &Engine, ids: &[String]) -> Result<Ended> {
    let number = engine.forget_events(ids)?;
    output::note(&format!("forgot {}: nothing of it is left", grouped(number)));
    Ok(Ended::Well)
}

/// When, what, who and which, in one column each.
fn about(engine: &Engine, event: &MemoryEvent) -> String {
    let when = engine.local_time(event.time).map(|time| time.strftime("%Y-%m-%d %H:%M").to_string());
    let person = event.person.as_deref().map(|person| format!("  {}", shown_line(person))).unwrap_or_default();
    format!("{}  {}  {}{person}", event.id, when.unwrap_or_default(), event.kind.name())
}
