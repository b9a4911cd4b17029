//! `bethink people` and `bethink pin`.

use std::io::Write;

use anyhow::Result;
use bethink_engine::{Author, Engine, PinRequest};
use bethink_server::text::shown_line;
use bethink_server::wire;

use super::log::words_or_input;
use crate::cli::{People, PeopleCommand, Pin};
use crate::failure::Ended;
use crate::output;

/// Lists people, makes them known, makes one of two.
pub fn run(engine: &Engine, arguments: &People) -> Result<Ended> {
    let people = match &arguments.command {
        None => engine.people()?,
        Some(PeopleCommand::Add { name, aliases }) => vec![engine.add_person(name, aliases)?],
        Some(PeopleCommand::Merge { from, into }) => vec![engine.merge_people(from, into)?],
    };
    let mut out = output::stdout();
    for person in &people {
        let object = wire::PersonObject::from(person);
        if arguments.json {
            out.write_all(wire::json_line(&object).as_bytes())?;
            continue;
        }
        let aliases = object.aliases.join(", ");
        let aliases = if aliases.is_empty() { String::new() } else { format!("  also {}", shown_line(&aliases)) };
        writeln!(out, "{}{aliases}", shown_line(&person.name))?;
    }
    out.flush()?;
    if people.is_empty() {
        output::note("nobody is known yet; begin with: bethink people add \"Anna Keller\" Annie");
    }
    Ok(if people.is_empty() { Ended::Empty } else { Ended::Well })
}

/// Pins a thought.
pub fn pin(engine: &Engine, arguments: &Pin) -> Result<Ended> {
    let request = PinRequest {
        text: words_or_input(&arguments.text)?,
        person: arguments.person.clone(),
        source: arguments.source.clone(),
        tags: arguments.tags.clone(),
    };
    let (note, is_new) = engine.pin(&request, Author::Owner)?;
    if arguments.json {
        let mut out = output::stdout();
        out.write_all(wire::json_line(&wire::NoteObject::from(&note)).as_bytes())?;
        out.flush()?;
    } else {
        output::note(if is_new { "pinned" } else { "it was pinned already" });
    }
    Ok(Ended::Well)
}
