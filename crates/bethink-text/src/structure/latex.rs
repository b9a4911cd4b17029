//! LaTeX headings: `\section{…}` and its kin, and the titles of slides, outside comments and verbatim
//! text.

use super::Section;
use super::heading::Sections;
use crate::line::{bare, lines};

/// Commands that open a section, with their levels.
const SECTIONING: [(&str, usize); 10] = [
    ("part", 1),
    ("chapter", 2),
    ("addchap", 2),
    ("section", 3),
    ("addsec", 3),
    ("subsection", 4),
    ("subsubsection", 5),
    ("frametitle", 6),
    ("paragraph", 6),
    ("subparagraph", 7),
];

/// Environments whose content is no markup.
const VERBATIM: [&str; 7] = ["verbatim", "Verbatim", "lstlisting", "minted", "comment", "alltt", "filecontents"];

/// Bytes within which a title ends: those of a few lines. Beyond that a brace was lost.
const TITLE_WITHIN_BYTES: usize = 2048;

/// The sections of a LaTeX text.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut sections = Sections::default();
    let mut verbatim: Option<&str> = None;
    for range in lines(text) {
        let line = bare(&text[range.clone()]);
        let trimmed = line.trim_start();
        if let Some(name) = verbatim {
            if trimmed.contains("\\end{") && environment(trimmed, "\\end{") == Some(name) {
                verbatim = None;
            }
            continue;
        }
        if !trimmed.starts_with('\\') {
            continue;
        }
        let start = range.start + line.len() - trimmed.len();
        if let Some(name) = environment(trimmed, "\\begin{") {
            let bare_name = name.trim_end_matches('*');
            if VERBATIM.contains(&bare_name) {
                let closed = trimmed.contains(&format!("\\end{{{name}}}"));
                verbatim = (!closed).then_some(name);
            } else if bare_name == "abstract" {
                sections.heading(range.start, range.end, 3, "Abstract");
            } else if bare_name == "frame"
                && let Some(title) = frame_title(&text[start + "\\begin{}".len() + name.len()..])
            {
                open(&mut sections, range.start, range.end, 6, title);
            }
            continue;
        }
        let name_length = trimmed[1..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let name = &trimmed[1..1 + name_length];
        let Some((_, level)) = SECTIONING.iter().find(|(known, _)| *known == name) else { continue };
        let Some((title, end)) = argument(&text[start + 1 + name_length..]) else { continue };
        let end = (start + 1 + name_length + end).max(range.end);
        open(&mut sections, range.start, end.min(text.len()), *level, title);
    }
    sections.finish()
}

fn open(sections: &mut Sections, start: usize, body: usize, level: usize, title: &str) {
    let title = words(title);
    if !title.trim().is_empty() {
        sections.heading(start, body, level, &title);
    }
}

/// The environment that a line begins or ends.
fn environment<'a>(line: &'a str, command: &str) -> Option<&'a str> {
    let at = line.find(command).filter(|at| command != "\\begin{" || *at == 0)?;
    line[at + command.len()..].split_once('}').map(|(name, _)| name)
}

/// The argument in braces behind a command's name, and where it ends. A star and a short title in
/// brackets may stand before it.
fn argument(behind: &str) -> Option<(&str, usize)> {
    let mut at = usize::from(behind.starts_with('*'));
    if behind[at..].starts_with('[') {
        at += closing(&behind[at..], b'[', b']')? + 1;
    }
    let rest = &behind[at..];
    let open = at + (rest.len() - rest.trim_start().len());
    if !behind[open..].starts_with('{') {
        return None;
    }
    let close = open + closing(&behind[open..], b'{', b'}')?;
    Some((&behind[open + 1..close], close + 1))
}

/// The title of a slide: `\begin{frame}[options]{title}`.
fn frame_title(behind: &str) -> Option<&str> {
    let mut rest = behind;
    while let Some((open, close)) = [('[', b']'), ('<', b'>')].into_iter().find(|(open, _)| rest.starts_with(*open)) {
        let open = u8::try_from(open).ok()?;
        rest = &rest[closing(rest, open, close)? + 1..];
    }
    rest.starts_with('{').then(|| closing(rest, b'{', b'}')).flatten().map(|close| &rest[1..close])
}

/// Where the bracket that the text starts with is closed, if near.
fn closing(text: &str, open: u8, close: u8) -> Option<usize> {
    let mut depth = 0_u32;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().take(TITLE_WITHIN_BYTES) {
        if escaped {
            escaped = false;
        } else if byte == b'\\' {
            escaped = true;
        } else if byte == open {
            depth += 1;
        } else if byte == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The words of a title: commands are dropped and what they wrap is kept, but for labels and footnotes.
fn words(title: &str) -> String {
    let mut words = String::with_capacity(title.len());
    let mut rest = title;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '\\' => rest = command(rest, &mut words),
            '{' | '}' | '$' => {}
            '~' => words.push(' '),
            '%' => rest = rest.split_once('\n').map_or("", |(_, after)| after),
            '-' if words.ends_with('-') => {
                words.pop();
                words.push('–');
            }
            '-' if words.ends_with('–') => {
                words.pop();
                words.push('—');
            }
            kept => words.push(kept),
        }
    }
    words
}

/// Reads the command behind a backslash; gives what follows it.
fn command<'a>(rest: &'a str, words: &mut String) -> &'a str {
    let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    if length == 0 {
        let Some(symbol) = rest.chars().next() else { return rest };
        let after = &rest[symbol.len_utf8()..];
        return match symbol {
            '\\' | ',' | ';' | ':' | ' ' => {
                words.push(' ');
                after
            }
            '\'' | '`' | '^' | '"' | '~' | '=' | '.' => accented(symbol, after, words),
            '-' | '/' | '!' | '(' | ')' | '[' | ']' => after,
            kept => {
                words.push(kept);
                after
            }
        };
    }
    let (name, after) = rest.split_at(length);
    let dropped =
        matches!(name, "label" | "footnote" | "footnotemark" | "thanks" | "index" | "protect" | "vspace" | "hspace");
    if dropped {
        return closing(after, b'{', b'}').filter(|_| after.starts_with('{')).map_or(after, |end| &after[end + 1..]);
    }
    let letter = match name {
        "ss" => "ß",
        "o" => "ø",
        "O" => "Ø",
        "ae" => "æ",
        "AE" => "Æ",
        "aa" => "å",
        "AA" => "Å",
        "l" => "ł",
        "L" => "Ł",
        "i" => "ı",
        "ldots" | "dots" => "…",
        "LaTeX" => "LaTeX",
        "TeX" => "TeX",
        "textendash" => "–",
        "textemdash" => "—",
        // The form for bookmarks is the plain one.
        "texorpdfstring" => {
            let Some(end) = closing(after, b'{', b'}').filter(|_| after.starts_with('{')) else { return after };
            return &after[end + 1..];
        }
        "c" | "v" | "u" | "H" | "k" | "r" => {
            let symbol = name.chars().next().unwrap_or('c');
            return accented(symbol, after.trim_start(), words);
        }
        _ => {
            // A command in front of its argument, as `\bf Title`, eats the blank behind it.
            return after.strip_prefix(' ').unwrap_or(after);
        }
    };
    words.push_str(letter);
    after.strip_prefix("{}").or_else(|| after.strip_prefix(' ')).unwrap_or(after)
}

/// A letter with the accent that a command names.
fn accented<'a>(symbol: char, rest: &'a str, words: &mut String) -> &'a str {
    let inner = rest.strip_prefix('{').unwrap_or(rest);
    let inner = inner.strip_prefix("\\i").map_or(inner, |_| &inner[1..]);
    let Some(letter) = inner.chars().next().filter(|letter| letter.is_alphabetic()) else { return rest };
    let combining = match symbol {
        '\'' => '\u{301}',
        '`' => '\u{300}',
        '^' => '\u{302}',
        '"' => '\u{308}',
        '~' => '\u{303}',
        '=' => '\u{304}',
        '.' => '\u{307}',
        'c' => '\u{327}',
        'v' => '\u{30c}',
        'u' => '\u{306}',
        'H' => '\u{30b}',
        'k' => '\u{328}',
        _ => '\u{30a}',
    };
    let composed: String = unicode_normalization::UnicodeNormalization::nfc([letter, combining].into_iter()).collect();
    words.push_str(&composed);
    let after = &inner[letter.len_utf8()..];
    if rest.starts_with('{') { after.strip_prefix('}').unwrap_or(after) } else { after }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        sections(text).iter().map(|section| section.path.join(" > ")).collect()
    }

    #[test]
    fn sections_nest_by_their_commands() {
        let text = "\\documentclass{article}\n\\chapter*{One}\n\\section[short]{The \\emph{tram}\n of Lisbon}\\label{x}\n\
            text\n  \\subsection {Up}\n\\section{Down}\n";
        assert_eq!(paths(text), ["One", "One > The tram of Lisbon", "One > The tram of Lisbon > Up", "One > Down"]);
    }

    #[test]
    fn comments_and_verbatim_text_hold_no_headings() {
        let text = "%\\section{no}\n\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n\\begin{lstlisting}[x]\n\
            \\section{no}\n\\end{lstlisting}\n\\newcommand{\\section}{no}\n\\sectionmark{no}\n\\section{Yes}\n\\section{open\n";
        assert_eq!(paths(text), ["Yes"]);
    }

    #[test]
    fn slides_and_abstracts_have_titles() {
        let text = "\\begin{abstract}\nx\n\\end{abstract}\n\\begin{frame}[fragile]{First}\n\\end{frame}\n\
            \\begin{frame}\n\\frametitle{Second}\n\\end{frame}\n";
        assert_eq!(paths(text), ["Abstract", "Abstract > First", "Abstract > Second"]);
    }

    #[test]
    fn titles_are_words() {
        let cases = [
            (r"Caf\'e \& \textbf{Stra\ss{}e}~1 --- $x^2$", "Café & Straße 1 — x^2"),
            (r"A\footnote{b {c} d} \texorpdfstring{$\alpha$}{alpha} \c{c}a \v Skoda", "A alpha ça Škoda"),
            (r"\'{\i}b \", "íb "),
        ];
        for (title, expected) in cases {
            assert_eq!(words(title), expected);
        }
    }
}
