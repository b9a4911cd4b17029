//! What the lines of a text look like.

use bethink_core::{Format, Language};

/// Lines whose shape is looked at.
const LINES: usize = 200;

/// HTML or XML, if the text opens as one. Comments, declarations and white space may come before.
pub(super) fn markup(text: &str) -> Option<Format> {
    let mut rest = text.trim_start();
    let mut declared = false;
    // Each turn takes one comment, declaration or instruction; a page has a few.
    for _ in 0..32 {
        let (end, skip) = if rest.starts_with("<!--") {
            ("-->", 3)
        } else if rest.starts_with("<?xml") {
            declared = true;
            ("?>", 2)
        } else if rest.starts_with("<?") && declared {
            ("?>", 2)
        } else if starts_with_word(rest, "<!doctype") {
            let name = rest[9..].trim_start();
            if starts_with_word(name, "html") {
                return Some(Format::Html);
            }
            return Some(Format::Xml);
        } else {
            break;
        };
        rest = match rest.find(end) {
            Some(at) => rest[at + skip..].trim_start(),
            None => break,
        };
    }
    if starts_with_word(rest, "<office:document") {
        return Some(flat_opendocument(rest));
    }
    const HTML_OPENINGS: [&str; 14] = [
        "<html", "<head", "<body", "<title", "<meta", "<table", "<script", "<style", "<div", "<p", "<h1", "<ul",
        "<center", "<font",
    ];
    if HTML_OPENINGS.iter().any(|opening| starts_with_word(rest, opening)) {
        // A declaration before a root that is no page belongs to a vocabulary of its own.
        let page = ["<html", "<head", "<body"].iter().any(|opening| starts_with_word(rest, opening));
        return Some(if declared && !page { Format::Xml } else { Format::Html });
    }
    declared.then_some(Format::Xml)
}

/// The kind of OpenDocument that a flat file's root element says it is.
fn flat_opendocument(root: &str) -> Format {
    let tag = &root[..root.find('>').unwrap_or(root.len())];
    if tag.contains("opendocument.text") {
        Format::Odt
    } else if tag.contains("opendocument.presentation") {
        Format::Odp
    } else {
        Format::Xml
    }
}

/// Whether the text starts with these ASCII letters in any case, and no further letter.
fn starts_with_word(text: &str, word: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= word.len()
        && bytes[..word.len()].eq_ignore_ascii_case(word.as_bytes())
        && !bytes.get(word.len()).is_some_and(u8::is_ascii_alphanumeric)
}

/// The language that a first line `#!…` names.
pub(super) fn shebang(text: &str) -> Option<Format> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split_ascii_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let mut program = words.next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let program = program.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
    Some(Format::Code(match program {
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish" | "ash" => Language::Shell,
        "python" | "pypy" => Language::Python,
        "node" | "nodejs" | "deno" | "bun" => Language::JavaScript,
        "ts-node" | "tsx" => Language::TypeScript,
        "perl" => Language::Perl,
        "ruby" => Language::Ruby,
        "php" => Language::Php,
        "lua" | "luajit" => Language::Lua,
        "Rscript" => Language::R,
        "julia" => Language::Julia,
        "make" | "gmake" => Language::Make,
        "pwsh" => Language::PowerShell,
        "runhaskell" | "runghc" => Language::Haskell,
        "elixir" => Language::Elixir,
        "escript" => Language::Erlang,
        "guile" | "racket" | "sbcl" | "emacs" => Language::Lisp,
        _ => Language::Other,
    }))
}

/// The format that the lines betray, for a text whose name tells nothing.
pub(super) fn lines(text: &str) -> Option<Format> {
    if is_json(text) {
        return Some(Format::Json);
    }
    if text.starts_with("%YAML") {
        return Some(Format::Yaml);
    }
    let lines: Vec<&str> = text.lines().take(LINES).collect();
    if is_org(&lines) {
        return Some(Format::Org);
    }
    if is_markdown(&lines) {
        return Some(Format::Markdown);
    }
    if is_rst(&lines) {
        return Some(Format::Rst);
    }
    is_delimited(&lines).then_some(Format::Csv)
}

/// An object with a quoted key, or an array of objects, arrays, strings or numbers.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let second = |text: &str| text[1..].trim_start().chars().next();
    match text.chars().next() {
        Some('{') => match second(text) {
            Some('"') => {
                let key_end = text[1..].trim_start()[1..].find('"');
                key_end.is_some_and(|end| text[1..].trim_start()[end + 2..].trim_start().starts_with(':'))
            }
            Some('}') => text.trim_end().len() <= 3,
            _ => false,
        },
        Some('[') => match second(text) {
            Some('{' | '"') => true,
            Some('[') => !text.starts_with("[["),
            Some('0'..='9' | '-') => text.trim_end().ends_with(']') || text.contains(','),
            _ => false,
        },
        _ => false,
    }
}

fn is_org(lines: &[&str]) -> bool {
    let keyword = |line: &&str| {
        let line = line.trim_start();
        ["#+title:", "#+begin_", "#+startup:", "#+author:", "#+options:", ":properties:"]
            .iter()
            .any(|keyword| line.get(..keyword.len()).is_some_and(|start| start.eq_ignore_ascii_case(keyword)))
    };
    lines.iter().any(keyword)
}

/// Two kinds of Markdown's marks: a comment line of a script looks like a heading, but scripts have
/// neither fences at the margin nor links.
fn is_markdown(lines: &[&str]) -> bool {
    let heading = lines.iter().enumerate().any(|(number, line)| {
        let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
        let apart = number == 0 || lines[number - 1].trim().is_empty();
        (1..=6).contains(&hashes) && line[hashes..].starts_with(' ') && apart
    });
    let fence = lines.iter().filter(|line| line.starts_with("```")).count() >= 2;
    let link = lines.iter().any(|line| line.contains("](") && line.contains('['));
    let strong = lines.iter().any(|line| line.matches("**").count() >= 2);
    let list = lines.iter().filter(|line| line.starts_with("- ") || line.starts_with("* ")).count() >= 2;
    heading && (fence || link || strong || list) || fence && link
}

fn is_rst(lines: &[&str]) -> bool {
    let directive = |line: &&str| line.trim_start().strip_prefix(".. ").is_some_and(|rest| rest.contains("::"));
    lines.iter().filter(|line| directive(line)).count() >= 2
}

/// At least four lines in the same number of fields, three or more.
fn is_delimited(lines: &[&str]) -> bool {
    let whole = lines.len().min(LINES - 1);
    ['\t', ',', ';', '|'].into_iter().any(|delimiter| {
        let mut counts =
            lines[..whole].iter().filter(|line| !line.is_empty()).map(|line| line.matches(delimiter).count());
        let Some(first) = counts.next() else { return false };
        let mut rows = 1;
        first >= 2
            && counts.all(|count| {
                rows += 1;
                count == first
            })
            && rows >= 4
    })
}
