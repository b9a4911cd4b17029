//! `bethink notebook`.

use std::io::Write;

use anyhow::Result;
use bethink_engine::{Author, Engine, NoteRequest, NotebookReply, NotebookRequest, ShownNote, Written};
use bethink_server::text::{shown, shown_line};
use bethink_server::wire;

use super::log::words_or_input;
use crate::cli::{Notebook, NotebookCheck, NotebookCommand, NotebookWrite, When};
use crate::failure::Ended;
use crate::output;
use crate::terminal::Markup;

/// Notes that are listed without being asked how many.
const LISTED: usize = 20;

/// Asks for, writes, shows and forgets notes.
pub fn run(engine: &Engine, arguments: &Notebook) -> Result<Ended> {
    match &arguments.command {
        None => check(engine, &NotebookCheck { limit: LISTED, ..NotebookCheck::default() }),
        Some(NotebookCommand::Check(arguments)) => check(engine, arguments),
        Some(NotebookCommand::Write(arguments)) => write(engine, arguments),
        Some(NotebookCommand::Show { note, json }) => show(engine, note, *json),
        Some(NotebookCommand::History { note, as_of, json }) => history(engine, note, as_of.as_deref(), *json),
        Some(NotebookCommand::Suggestions { json }) => suggestions(engine, *json),
        Some(NotebookCommand::Accept { number }) => decide(engine, *number, true),
        Some(NotebookCommand::Dismiss { number }) => decide(engine, *number, false),
        Some(NotebookCommand::Forget { note }) => {
            let note = engine.forget_note(note)?;
            output::note(&format!("forgot {}: nothing of it is left", shown_line(&note.content.title)));
            Ok(Ended::Well)
        }
    }
}

fn check(engine: &Engine, arguments: &NotebookCheck) -> Result<Ended> {
    let reply = engine.check_notebook(&NotebookRequest {
        query: arguments.query.join(" "),
        person: arguments.person.clone(),
        topic: arguments.topic.clone(),
        kinds: arguments.kinds.clone(),
        days_back: arguments.days_back,
        when: arguments.when.clone(),
        limit: arguments.limit,
    })?;
    let mut out = output::stdout();
    if arguments.json {
        out.write_all(wire::notebook_lines(&reply).as_bytes())?;
    } else {
        list(engine, &reply, &mut out)?;
    }
    out.flush()?;
    if !arguments.json {
        reply.remarks.iter().for_each(|remark| output::note(remark));
        if reply.more {
            output::note(&format!("there are more; see them with: -n {}", arguments.limit.saturating_mul(5)));
        }
    }
    Ok(if reply.notes.is_empty() { Ended::Empty } else { Ended::Well })
}

fn list(engine: &Engine, reply: &NotebookReply, out: &mut impl Write) -> Result<()> {
    let markup = Markup::for_stdout(When::Auto);
    for shown in &reply.notes {
        let title = shown_line(&shown.note.content.title).into_owned();
        let first = shown.note.content.body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let first = if first.trim() == title { String::new() } else { format!("  {}", shown_line(first.trim())) };
        writeln!(out, "{}  {}{first}", markup.dim(&about(engine, shown)), markup.strong(&title))?;
    }
    Ok(())
}

/// When, what and who.
fn about(engine: &Engine, shown: &ShownNote) -> String {
    let note = &shown.note;
    let moment = note.content.about.unwrap_or(note.updated);
    let day = engine.local_time(moment).map(|time| time.strftime("%Y-%m-%d").to_string()).unwrap_or_default();
    let person = shown.person.as_deref().map(|person| format!("  {}", shown_line(person))).unwrap_or_default();
    format!("{day}  {}{person}", note.kind.name())
}

fn write(engine: &Engine, arguments: &NotebookWrite) -> Result<Ended> {
    let request = NoteRequest {
        kind: Some(arguments.kind.clone()),
        identity: arguments.identity.clone(),
        title: arguments.title.clone(),
        body: words_or_input(&arguments.body)?,
        tags: arguments.tags.clone(),
        person: arguments.person.clone(),
        source: arguments.source.clone(),
        about: arguments.about.clone(),
        expected: arguments.expected,
    };
    let written = engine.write_note(&request, Author::Owner)?;
    if arguments.json {
        let mut out = output::stdout();
        out.write_all(wire::json_line(&wire::WrittenObject::from(&written)).as_bytes())?;
        out.flush()?;
    }
    let told = match &written {
        Written::Created(note) => format!("wrote {}/{}", note.kind.name(), note.identity),
        Written::Updated(note) => {
            format!("changed {}/{}; it is version {} now", note.kind.name(), note.identity, note.version)
        }
        Written::Unchanged(note) => format!("{}/{} says so already", note.kind.name(), note.identity),
        // The owner's own words never wait, so only a version can be in the way.
        Written::Suggested(note, _) | Written::Dismissed(note) | Written::Stale(Some(note)) => {
            format!(
                "nothing was written: {}/{} is version {}; read it first: bethink notebook show {}",
                note.kind.name(),
                note.identity,
                note.version,
                note.id
            )
        }
        Written::Stale(None) => {
            "nothing was written: there is no such note yet; write it with: --expected 0".to_owned()
        }
    };
    if !arguments.json {
        output::note(&told);
    }
    Ok(if matches!(written, Written::Stale(_)) { Ended::Troubled } else { Ended::Well })
}

fn show(engine: &Engine, target: &str, json: bool) -> Result<Ended> {
    let note = engine.note(target)?;
    let mut out = output::stdout();
    if json {
        out.write_all(wire::json_line(&wire::NoteObject::from(&note)).as_bytes())?;
    } else {
        let markup = Markup::for_stdout(When::Auto);
        writeln!(out, "{}", markup.strong(&shown_line(&note.note.content.title)))?;
        let tags = note.note.content.tags.join(", ");
        let tags = if tags.is_empty() { String::new() } else { format!("  tags: {}", shown_line(&tags)) };
        let owned = if note.note.user_edited { "  written by you" } else { "" };
        let told = format!("{}  version {}{owned}{tags}  {}", about(engine, &note), note.note.version, note.note.id);
        writeln!(out, "{}\n\n{}", markup.dim(&told), shown(&note.note.content.body))?;
    }
    out.flush()?;
    Ok(Ended::Well)
}

fn history(engine: &Engine, target: &str, as_of: Option<&str>, json: bool) -> Result<Ended> {
    let (_, history) = engine.note_history(target, as_of)?;
    let mut out = output::stdout();
    let markup = Markup::for_stdout(When::Auto);
    for revision in &history {
        if json {
            out.write_all(wire::json_line(&wire::RevisionObject::from(revision)).as_bytes())?;
            continue;
        }
        let when = engine.local_time(revision.recorded).map(|time| time.strftime("%Y-%m-%d %H:%M:%S").to_string());
        let told = format!("version {}  {}  by {}", revision.version, when.unwrap_or_default(), revision.author.name());
        writeln!(
            out,
            "{}\n{}\n{}\n",
            markup.dim(&told),
            markup.strong(&shown_line(&revision.content.title)),
            shown(&revision.content.body)
        )?;
    }
    out.flush()?;
    Ok(if history.is_empty() { Ended::Empty } else { Ended::Well })
}

fn suggestions(engine: &Engine, json: bool) -> Result<Ended> {
    let waiting = engine.suggestions()?;
    let mut out = output::stdout();
    for suggestion in &waiting {
        if json {
            out.write_all(wire::json_line(&wire::SuggestionObject::from(suggestion)).as_bytes())?;
            continue;
        }
        let number = suggestion.suggestion.number;
        let title = shown_line(&suggestion.note.content.title);
        writeln!(out, "{number}  {title}  by {}\n{}", suggestion.suggestion.author.name(), shown(&suggestion.diff))?;
    }
    out.flush()?;
    if !json {
        output::note(match waiting.first() {
            Some(_) => {
                "take one over with: bethink notebook accept NUMBER; or turn it down: bethink notebook dismiss NUMBER"
            }
            None => "nothing waits for your word",
        });
    }
    Ok(if waiting.is_empty() { Ended::Empty } else { Ended::Well })
}

fn decide(engine: &Engine, number: u64, accept: bool) -> Result<Ended> {
    let note = engine.decide_suggestion(number, accept)?;
    let did = if accept { "took over" } else { "turned down; it is not made again:" };
    output::note(&format!("{did} suggestion {number} for {}", shown_line(&note.content.title)));
    Ok(Ended::Well)
}
