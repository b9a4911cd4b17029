//! `bethink read PATH[:LINE[:COLUMN]]`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use bethink_core::DocumentId;
use bethink_engine::{Engine, ReadRequest, ReadTarget};
use bethink_server::wire;

use crate::cli::Read;
use crate::failure::Ended;
use crate::output;
use crate::terminal::Markup;

/// Prints the text around a place, numbered as hits number it.
pub fn run(engine: &Engine, arguments: &Read) -> Result<Ended> {
    let (target, line, column) = target(engine, arguments);
    let answer = engine.read(&ReadRequest {
        target,
        line,
        column,
        context: arguments.context,
        whole: arguments.whole,
        allow_unindexed: true,
    })?;
    let mut out = output::stdout();
    if arguments.json {
        out.write_all(wire::read_lines(&answer).as_bytes())?;
        out.flush()?;
        return Ok(Ended::Well);
    }
    let markup = Markup::for_stdout(arguments.color);
    let mut head = output::shown_path(&answer.path, engine.working_folder());
    if let Some(title) = &answer.title {
        head.push_str(&format!(" — {title}"));
    }
    writeln!(out, "{}", markup.strong(&head))?;
    if !answer.heading.is_empty() {
        writeln!(out, "{}", markup.dim(&answer.heading.join(" › ")))?;
    }
    let width = answer.lines.last().map_or(1, |line| line.number.to_string().len());
    for text in &answer.lines {
        if let Some(locator) = text.locator.as_ref().filter(|_| text.turns) {
            writeln!(out, "{}", markup.dim(&format!("── {locator} ──")))?;
        }
        let number = format!("{:>width$}", text.number);
        // The line asked for stands out where the eye lands.
        if Some(text.number) == line {
            writeln!(out, "{} {}", markup.line(&format!("{number}>")), markup.strong(&text.text))?;
        } else {
            writeln!(out, "{} {}", markup.dim(&format!("{number}:")), text.text)?;
        }
    }
    out.flush()?;
    answer.notes.iter().for_each(|note| output::note(note));
    Ok(Ended::Well)
}

/// What the argument means, with line and column: a file that is really called `a:3` wins over line 3
/// of `a`, and one that is called `a:3` over column 4 of line 3 of `a` in `a:3:4`.
fn target(engine: &Engine, arguments: &Read) -> (ReadTarget, Option<u32>, Option<u32>) {
    let text = arguments.target.to_string_lossy();
    if let Some(id) = text.strip_prefix('#').and_then(|id| id.parse().ok())
        && !arguments.target.exists()
    {
        return (ReadTarget::Document(DocumentId(id)), arguments.line, None);
    }
    let exists = |path: &Path| engine.working_folder().join(path).exists();
    if arguments.line.is_none()
        && !exists(&arguments.target)
        && let Some((path, last)) = split_number(&arguments.target)
    {
        return match split_number(&path) {
            Some((bare, line)) if !exists(&path) => (ReadTarget::Path(bare), Some(line), Some(last)),
            _ => (ReadTarget::Path(path), Some(last), None),
        };
    }
    (ReadTarget::Path(arguments.target.clone()), arguments.line, None)
}

/// Splits `path:NUMBER`, byte for byte.
fn split_number(target: &Path) -> Option<(PathBuf, u32)> {
    let bytes = bethink_core::path_bytes(target);
    let colon = bytes.iter().rposition(|&byte| byte == b':')?;
    let line = std::str::from_utf8(&bytes[colon + 1..]).ok()?.parse().ok()?;
    Some((bethink_core::path_from_bytes(&bytes[..colon]), line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_from_the_last_colon() {
        assert_eq!(split_number(Path::new("a:b.md:12")), Some((PathBuf::from("a:b.md"), 12)));
        assert_eq!(split_number(Path::new("a.md")), None);
        assert_eq!(split_number(Path::new("a.md:x")), None);
    }
}
