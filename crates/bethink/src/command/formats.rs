//! `bethink formats`: which kinds of files are read, and how far.

use std::io::Write;

use anyhow::Result;
use bethink_engine::Engine;
use bethink_server::wire;

use crate::cli::Formats;
use crate::failure::Ended;
use crate::output;

/// Prints the table of formats, or the rows whose name begins as asked.
pub fn run(engine: &Engine, arguments: &Formats) -> Result<Ended> {
    let wanted = arguments.name.as_deref().unwrap_or_default().trim_start_matches('.').to_lowercase();
    let entries = bethink_engine::formats();
    let entries: Vec<_> = entries.iter().filter(|entry| entry.name.starts_with(&wanted)).collect();
    let mut out = output::stdout();
    for entry in &entries {
        if arguments.json {
            out.write_all(wire::json_line(&wire::Format::from(*entry)).as_bytes())?;
        } else {
            writeln!(out, "{}", entry.name)?;
            writeln!(out, "    told by    {}", entry.detected_by)?;
            writeln!(out, "    points at  {}", entry.locator)?;
            writeln!(out, "    lost       {}", entry.lost)?;
            writeln!(out, "    limits     {}", entry.limits)?;
            if entry.name == "pdf" {
                let readers = match engine.pdf_engine() {
                    Some(library) => format!("{}, else the built-in reader", library.name),
                    None => "the built-in reader; to add pdfium: bethink models add WHEEL".to_owned(),
                };
                writeln!(out, "    read by    {readers}")?;
            }
        }
    }
    out.flush()?;
    if entries.is_empty() {
        output::note(&format!("no format begins with {wanted}; all of them: bethink formats"));
        return Ok(Ended::Empty);
    }
    Ok(Ended::Well)
}
