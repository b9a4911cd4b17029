//! Definitions in source code, by keywords and indentation.
//!
//! A definition lasts until a line stands at its indentation or further out, closing brackets and
//! `end` excepted. Code that is not indented (minified, generated) gives fewer scopes, never wrong
//! text: scopes are only names and good places to cut.

use bethink_core::Language;

use super::Scope;
use super::heading::Trail;
use crate::line::{bare, lines};

/// How good a place to cut a definition is, outermost first, in the cutter's scale.
const STRENGTHS: [u8; 4] = [7, 6, 5, 4];

/// How good the first line behind a definition is.
const RETURN_STRENGTH: u8 = 4;

/// Longer lines are data, not definitions.
const LONGEST_DEFINITION_BYTES: usize = 400;

/// A tab counts as this many blanks of indentation.
const TAB_WIDTH: usize = 4;

/// Words that may stand before the keyword of a definition.
const MODIFIERS: &[&str] = &[
    "pub",
    "export",
    "default",
    "public",
    "private",
    "protected",
    "internal",
    "abstract",
    "final",
    "virtual",
    "override",
    "inline",
    "static",
    "async",
    "unsafe",
    "extern",
    "const",
    "open",
    "data",
    "sealed",
    "partial",
    "declare",
    "local",
    "suspend",
    "readonly",
    "mutating",
    "fileprivate",
    "noinline",
    "constexpr",
    "typedef",
    "implicit",
    "case",
    "lazy",
    "companion",
    "inner",
    "annotation",
    "tailrec",
    "operator",
    "infix",
    "actual",
    "expect",
    "pure",
    "elemental",
    "recursive",
    "create",
    "or",
    "replace",
    "temporary",
    "crate",
    "super",
];

/// Keywords that open a definition, of all families; each language uses those that it has.
const KEYWORDS: &[&str] = &[
    "fn",
    "struct",
    "enum",
    "trait",
    "impl",
    "mod",
    "union",
    "macro_rules!",
    "class",
    "def",
    "function",
    "interface",
    "namespace",
    "module",
    "object",
    "type",
    "func",
    "fun",
    "extension",
    "protocol",
    "actor",
    "record",
    "sub",
    "package",
    "defmodule",
    "defp",
    "defmacro",
    "defprotocol",
    "defimpl",
    "defn",
    "defn-",
    "defun",
    "defvar",
    "defmethod",
    "deftype",
    "defrecord",
    "define",
    "subroutine",
    "program",
    "instance",
    "newtype",
    "service",
    "message",
    "resource",
    "variable",
    "provider",
    "output",
    "table",
    "view",
    "procedure",
    "trigger",
    "mixin",
    "template",
    "filter",
    "workflow",
    "given",
    "test",
    "describe",
    "library",
    "macro",
    "let",
    "val",
];

/// Whether `let`, `val`, `type`, `test` and similar weak keywords define anything in a language.
fn keyword_counts(keyword: &str, language: Language) -> bool {
    match keyword {
        "let" | "val" => matches!(language, Language::OCaml),
        "type" => !matches!(language, Language::Python | Language::Shell | Language::Sql | Language::Css),
        "table" | "view" | "procedure" | "trigger" => language == Language::Sql,
        "resource" | "variable" | "provider" | "output" => language == Language::Terraform,
        "service" | "message" => language == Language::Proto,
        "test" => matches!(language, Language::Elixir | Language::Zig),
        "describe" | "filter" | "workflow" => matches!(language, Language::Elixir | Language::PowerShell),
        "template" | "given" | "object" | "package" => {
            matches!(language, Language::Scala | Language::Kotlin | Language::Perl) && keyword != "template"
        }
        "sub" => matches!(language, Language::Perl | Language::Other),
        "program" | "subroutine" => matches!(language, Language::Fortran | Language::Other),
        "define" | "union" | "module" | "library" | "macro" => {
            !matches!(language, Language::Shell | Language::Python | Language::Css)
        }
        _ => true,
    }
}

/// Words with which a line with brackets is a statement, not a definition.
const STATEMENTS: &[&str] = &[
    "if",
    "else",
    "for",
    "while",
    "switch",
    "do",
    "return",
    "catch",
    "try",
    "throw",
    "case",
    "new",
    "delete",
    "using",
    "import",
    "from",
    "await",
    "yield",
    "assert",
    "elif",
    "except",
    "with",
    "match",
    "loop",
    "goto",
    "sizeof",
    "lock",
    "foreach",
    "unless",
    "until",
    "when",
    "print",
    "echo",
    "super",
    "this",
    "synchronized",
    "finally",
    "function",
];

/// The definitions of a source file and the returns from them.
pub(crate) fn scopes(text: &str, language: Language) -> Vec<Scope> {
    let mut found: Vec<Scope> = Vec::new();
    let mut trail = Trail::default();
    // Comments, attributes and decorators directly above a definition belong to it.
    let mut preamble: Option<(usize, usize)> = None;
    let mut string = LongString::default();
    for range in lines(text) {
        let line = bare(&text[range.clone()]);
        let trimmed = line.trim();
        let inside = string.reads(trimmed, language);
        if trimmed.is_empty() || inside || line.len() > LONGEST_DEFINITION_BYTES {
            preamble = None;
            continue;
        }
        if is_aside(trimmed, language) {
            continue;
        }
        let indent = indentation(line);
        let trimmed = behind_annotation(trimmed);
        if is_preamble(trimmed, language) {
            if preamble.is_none_or(|(_, known)| known != indent) {
                preamble = Some((range.start, indent));
            }
            continue;
        }
        let start = preamble.take().filter(|(_, known)| *known == indent).map_or(range.start, |(start, _)| start);
        if let Some(name) = definition(trimmed, indent, language) {
            trail.open(indent + 1, &name);
            let strength = STRENGTHS[(trail.depth() - 1).min(STRENGTHS.len() - 1)];
            found.push(Scope { start, path: trail.path(), strength });
        } else if !is_closing(trimmed) && trail.close(indent + 1) {
            found.push(Scope { start, path: trail.path(), strength: RETURN_STRENGTH });
        }
    }
    found
}

fn indentation(line: &str) -> usize {
    line.bytes()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .map(|byte| if byte == b'\t' { TAB_WIDTH } else { 1 })
        .sum()
}

/// Whether a line of the C family stands at the margin whatever it is inside of: a directive of
/// the preprocessor, or a label.
fn is_aside(trimmed: &str, language: Language) -> bool {
    let label = || trimmed.ends_with(':') && !trimmed.contains([' ', '(']);
    matches!(language, Language::C | Language::Cpp | Language::CSharp) && (trimmed.starts_with('#') || label())
}

/// A line without the annotation or attribute that a definition on the same line carries.
fn behind_annotation(trimmed: &str) -> &str {
    let rest = if trimmed.starts_with("#[") {
        trimmed.split_once(']').map_or("", |(_, rest)| rest)
    } else if let Some(annotation) = trimmed.strip_prefix('@') {
        let name_end =
            annotation.find(|character: char| !(character.is_alphanumeric() || matches!(character, '_' | '.')));
        match name_end.map(|end| &annotation[end..]) {
            Some(arguments) if arguments.starts_with('(') => arguments.split_once(')').map_or("", |(_, rest)| rest),
            Some(rest) => rest,
            None => "",
        }
    } else {
        ""
    };
    let rest = rest.trim_start();
    if rest.starts_with(|character: char| character.is_alphabetic()) { rest } else { trimmed }
}

/// Whether a line only ends what is open.
fn is_closing(trimmed: &str) -> bool {
    trimmed.starts_with(['}', ')', ']', '{'])
        || matches!(trimmed, "end" | "end;" | "fi" | "done" | "esac" | "\"\"\"" | "'''" | "endif" | "else" | ":end")
        || trimmed.starts_with("end ")
        || trimmed.starts_with("where")
}

/// Whether a line is a comment, an attribute or a decorator.
fn is_preamble(trimmed: &str, language: Language) -> bool {
    if trimmed.starts_with("//") || trimmed.starts_with("/*") || trimmed.starts_with("*/") || trimmed.starts_with("* ")
    {
        return true;
    }
    match trimmed.as_bytes()[0] {
        b'#' => true,
        b'@' => true,
        b'-' => trimmed.starts_with("--") || (trimmed.starts_with("-spec")),
        b';' => matches!(language, Language::Lisp | Language::Clojure | Language::Assembly),
        b'%' => language == Language::Erlang,
        b'[' => matches!(language, Language::CSharp | Language::Php) && trimmed.ends_with(']'),
        b'*' => trimmed == "*",
        b'"' => language == Language::Julia && trimmed.starts_with("\"\"\""),
        _ => language == Language::Cpp && trimmed.starts_with("template"),
    }
}

/// Python's long strings may hold text that looks like code.
#[derive(Debug, Default)]
struct LongString {
    open: Option<&'static str>,
}

impl LongString {
    /// Reads a line; tells whether it began inside a long string.
    fn reads(&mut self, trimmed: &str, language: Language) -> bool {
        if language != Language::Python {
            return false;
        }
        let began_inside = self.open.is_some();
        let mut rest = trimmed;
        loop {
            let mark = match self.open {
                Some(mark) => mark,
                None => {
                    let double = rest.find("\"\"\"");
                    let single = rest.find("'''");
                    match (double, single) {
                        (None, None) => return began_inside,
                        (Some(at), Some(other)) if at > other => "'''",
                        (Some(_), _) => "\"\"\"",
                        (None, Some(_)) => "'''",
                    }
                }
            };
            let Some(at) = rest.find(mark) else { return began_inside };
            self.open = if self.open.is_some() { None } else { Some(mark) };
            rest = &rest[at + mark.len()..];
        }
    }
}

/// The name of the definition that a line opens, with its keyword: `fn bar`, `class Foo`.
fn definition(trimmed: &str, indent: usize, language: Language) -> Option<String> {
    match language {
        Language::Css | Language::Vue | Language::Make | Language::CMake | Language::Assembly | Language::Nix => {
            return None;
        }
        Language::Lisp | Language::Clojure => return lisp_definition(trimmed),
        Language::Shell => {
            if let Some(name) = trimmed.strip_suffix('{').unwrap_or(trimmed).trim_end().strip_suffix("()") {
                let plain = !name.is_empty()
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-:.".contains(&byte));
                return plain.then(|| name.to_owned());
            }
        }
        Language::R => return named_before(trimmed, " <- function"),
        Language::Haskell if indent == 0 => {
            if let Some(name) = named_before(trimmed, " :: ") {
                return Some(name);
            }
        }
        Language::Erlang => {
            let clause = indent == 0 && trimmed.ends_with("->");
            return clause.then(|| named_before(trimmed, "(")).flatten();
        }
        _ => {}
    }
    let mut rest = trimmed;
    let mut first = true;
    loop {
        let end = rest
            .find(|character: char| !(character.is_alphanumeric() || matches!(character, '_' | '!' | '-')))
            .unwrap_or(rest.len());
        let word = &rest[..end];
        let lower;
        let word_folded = if matches!(language, Language::Sql | Language::Fortran) {
            lower = word.to_ascii_lowercase();
            lower.as_str()
        } else {
            word
        };
        if KEYWORDS.contains(&word_folded) && keyword_counts(word_folded, language) {
            return keyword_definition(rest, word, end, language);
        }
        if !MODIFIERS.contains(&word_folded) {
            break;
        }
        first = false;
        rest = rest[end..].trim_start();
        if rest.starts_with('(') {
            // `pub(crate)` and its like.
            rest = rest.split_once(')').map_or("", |(_, after)| after.trim_start());
        }
        if rest.starts_with('"') {
            // `extern "C"`.
            rest = rest[1..].split_once('"').map_or("", |(_, after)| after.trim_start());
        }
    }
    if matches!(language, Language::JavaScript | Language::TypeScript) && rest.ends_with('{') {
        let function = rest.contains("=> {") || rest.contains("= function") || rest.contains("= async function");
        if let Some(name) = function.then(|| named_before(rest, " = ")).flatten() {
            return Some(name);
        }
    }
    let braces = matches!(
        language,
        Language::C
            | Language::Cpp
            | Language::CSharp
            | Language::Java
            | Language::Dart
            | Language::JavaScript
            | Language::TypeScript
    );
    if braces { call_shaped(trimmed, indent, language, first) } else { None }
}

/// The single word in front of a mark.
fn named_before(line: &str, mark: &str) -> Option<String> {
    let (name, _) = line.split_once(mark)?;
    let name = name.strip_prefix("let ").or_else(|| name.strip_prefix("var ")).unwrap_or(name).trim();
    let plain =
        name.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '.' | '\'' | '$'));
    (plain && !name.is_empty()).then(|| name.to_owned())
}

fn keyword_definition(rest: &str, word: &str, end: usize, language: Language) -> Option<String> {
    let after = &rest[end..];
    let name = after.trim_start();
    // A keyword used as a name or called (`type = 3`, `function(x)`, `class?.x`) defines nothing.
    let named = match name.chars().next() {
        Some(next) => {
            next.is_alphabetic()
                || next == '_'
                || next == '*'
                || next == '"'
                || next == '`'
                || next == '$'
                || (next == '(' && language == Language::Go)
                || (next == '<' && word == "impl")
        }
        None => false,
    };
    if !named || (after.len() == name.len() && !after.starts_with('<')) {
        return None;
    }
    if name.starts_with("= ") || rest.ends_with(';') && !rest.contains(['(', '{']) && word != "mod" && word != "type" {
        // A forward declaration such as `struct Foo;` has no body to be inside of.
        if language != Language::Rust {
            return None;
        }
    }
    let label = match word {
        "impl" | "class" | "extension" | "instance" | "trait" | "interface" => {
            let body = rest.split_once('{').map_or(rest, |(head, _)| head);
            let body = body.split_once(" where").map_or(body, |(head, _)| head);
            if matches!(language, Language::Python | Language::Ruby) {
                body.split_once(['(', ':', '<']).map_or(body, |(head, _)| head)
            } else {
                body
            }
        }
        "func" if name.starts_with('(') => {
            // A Go method: its receiver names the type that it belongs to.
            let (receiver, method) = name.split_once(')')?;
            let method = method.split_once('(').map_or(method, |(head, _)| head);
            return Some(format!("func {receiver}) {}", method.trim()));
        }
        _ => {
            let stop = rest[end..].find(['(', '<', '{', ':', '=', ';']).map_or(rest.len(), |at| at + end);
            &rest[..stop]
        }
    };
    let label = label.trim().trim_end_matches([':', '{', ';']).trim_end();
    (label.len() > word.len()).then(|| label.to_owned())
}

fn lisp_definition(trimmed: &str) -> Option<String> {
    let inside = trimmed.strip_prefix('(')?;
    let mut words = inside.split_whitespace();
    let keyword = words.next().filter(|word| word.starts_with("def") || *word == "ns")?;
    let name = words.next()?.trim_matches(['(', ')']);
    Some(format!("{keyword} {name}"))
}

/// A definition without a keyword, as the C family writes functions and methods:
/// `type name(arguments) {`, the brace possibly on the next line.
fn call_shaped(trimmed: &str, indent: usize, language: Language, no_modifier: bool) -> Option<String> {
    let open = trimmed.find('(')?;
    let head = trimmed[..open].trim_end();
    let name_start = head
        .rfind(|character: char| !(character.is_alphanumeric() || matches!(character, '_' | ':' | '~' | '$' | '#')))
        .map_or(0, |at| at + head[at..].chars().next().map_or(1, char::len_utf8));
    let name = head[name_start..].trim_start_matches(':');
    let first_word =
        trimmed.split(|character: char| !character.is_alphanumeric() && character != '_').next().unwrap_or_default();
    if name.is_empty()
        || STATEMENTS.contains(&first_word)
        || STATEMENTS.contains(&name)
        || head.contains(['=', '.', '"', '\'', '+', '!', '?'])
        || trimmed.ends_with([';', ','])
        || !name.starts_with(|character: char| character.is_alphabetic() || matches!(character, '_' | '~' | '$' | '#'))
    {
        return None;
    }
    let opens = trimmed.ends_with('{');
    let typed = name_start > 0 || !no_modifier;
    let counts = match language {
        Language::C | Language::Cpp => (indent == 0 || opens) && typed || (opens && name.contains("::")),
        // A method in these has a body on the same line; a call does not end in a brace unless a
        // function is passed, and then the bracket is not closed.
        Language::JavaScript | Language::TypeScript => indent > 0 && opens && balanced(trimmed),
        _ => indent > 0 && typed && balanced(trimmed) && (opens || trimmed.ends_with(')')),
    };
    counts.then(|| format!("{name}()"))
}

fn balanced(line: &str) -> bool {
    line.matches('(').count() == line.matches(')').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, language: Language) -> Vec<String> {
        scopes(text, language).iter().map(|scope| scope.path.join(" > ")).collect()
    }

    #[test]
    fn rust_definitions_nest() {
        let text = "use x;\n\n/// Doc.\n#[derive(Debug)]\npub struct Foo {\n    a: u8,\n}\n\nimpl<T> Display for Foo<T>\nwhere\n    T: X,\n{\n    pub(crate) fn bar(&self) {\n        let x = 1;\n    }\n}\n\nconst A: u8 = 1;\n";
        let found = names(text, Language::Rust);
        assert_eq!(found, ["struct Foo", "impl<T> Display for Foo<T>", "impl<T> Display for Foo<T> > fn bar", ""]);
        assert_eq!(scopes(text, Language::Rust)[0].start, text.find("/// Doc").unwrap_or(0));
    }

    #[test]
    fn python_definitions_nest_and_strings_do_not() {
        let text = "import os\n\n@decorated\nclass Foo(Base):\n    \"\"\"Doc\n    def no():\n    \"\"\"\n\n    async def bar(self):\n        return 1\n\nX = 1\n";
        assert_eq!(names(text, Language::Python), ["class Foo", "class Foo > def bar", ""]);
    }

    #[test]
    fn what_stands_at_the_margin_ends_nothing() {
        let text = "int run(void) {\n#ifdef X\n    a();\n#endif\nout:\n    b();\n}\n\nint other;\n";
        assert_eq!(names(text, Language::C), ["run()", ""]);
        let text = "class A {\n    @Override public void run() {\n    }\n}\n";
        assert_eq!(names(text, Language::Java), ["class A", "class A > run()"]);
    }

    #[test]
    fn functions_that_are_values() {
        assert_eq!(names("export const go = async (x) => {\n  y\n};\n", Language::JavaScript), ["go"]);
        assert_eq!(names("area <- function(r) {\n  r\n}\n", Language::R), ["area"]);
        assert_eq!(names("area :: Int -> Int\narea x = x\n", Language::Haskell), ["area", ""]);
        assert_eq!(names("loop(X) ->\n    X.\n", Language::Erlang), ["loop"]);
    }

    #[test]
    fn brace_languages() {
        assert_eq!(
            names("static int\nfoo(int a)\n{\n    if (a) {\n    }\n}\nint bar(void) {\n}\n", Language::C),
            ["bar()"]
        );
        assert_eq!(
            names("public class A {\n    public void run(int x) {\n        call(x);\n    }\n}\n", Language::Java),
            ["class A", "class A > run()"]
        );
        assert_eq!(
            names(
                "export class A {\n  run(x) {\n    if (x) {\n    }\n  }\n}\nexport default function go() {\n}\n",
                Language::JavaScript
            ),
            ["class A", "class A > run()", "function go"]
        );
        assert_eq!(names("func (s *Server) Run() error {\n\treturn nil\n}\n", Language::Go), ["func (s *Server) Run"]);
        assert_eq!(names("build() {\n  x\n}\nfunction go {\n  y\n}\n", Language::Shell), ["build", "function go"]);
        assert_eq!(names("(defn foo [x]\n  x)\n", Language::Clojure), ["defn foo"]);
        assert_eq!(names("CREATE TABLE users (\n  id int\n);\n", Language::Sql), ["TABLE users"]);
    }
}
