//! JSON with comments, edited as text.
//!
//! The editors' files are JSON with `//` and `/* */` comments and trailing commas; a parser that
//! writes out what it read would lose those and the order. So this reads positions, and an edit is a
//! text put in at one, in the file's own indentation and line ends.

use std::ops::Range;

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value};

/// Containers inside containers at the most, as deep as `serde_json` goes.
const DEEPEST: usize = 128;

/// Reads a file; an empty one is an empty object.
///
/// # Errors
/// What is wrong and where.
pub(crate) fn read(text: &str) -> Result<Map<String, Value>, String> {
    let strict = strict(text)?;
    if strict.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(&strict) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("the file is not an object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Sets one value, making the objects on the way to it. Everything else stays as it is.
///
/// # Errors
/// What is in the way.
pub(crate) fn set(text: &str, path: &[&str], value: &Value) -> Result<String, String> {
    let mark = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    let scanner = Scanner { text };
    let start = scanner.skip(mark)?;
    if start == text.len() {
        // Nothing, or nothing but comments: they stay above.
        let above = text.trim_end();
        let separator = if above.len() > mark { "\n" } else { "" };
        let style = Style { unit: "  ".to_owned(), line_end: "\n" };
        return Ok(format!("{above}{separator}{}\n", style.rendered(&nested(path, value), 0)));
    }
    let mut object = scanner.object(start, 0)?;
    let style = Style::of(text, &object);
    for (depth, name) in path.iter().enumerate() {
        let last = depth + 1 == path.len();
        // Of members with the same name, readers take the last.
        match object.members.iter().rfind(|member| member.name == *name) {
            Some(member) if last => {
                let old = &text[member.value.clone()];
                let same = strict(old).ok().and_then(|old| serde_json::from_str::<Value>(&old).ok());
                if same.as_ref() == Some(value) {
                    return Ok(text.to_owned());
                }
                let rendered = style.rendered(value, depth + 1);
                return Ok(spliced(text, &[(member.value.clone(), rendered)]));
            }
            Some(member) => {
                if !text[member.value.start..].starts_with('{') {
                    return Err(format!("“{name}” is not an object"));
                }
                object = scanner.object(member.value.start, depth + 1)?;
            }
            None => {
                return Ok(insert(text, &scanner, &object, &style, depth, name, &nested(&path[depth + 1..], value)));
            }
        }
    }
    Ok(text.to_owned())
}

/// The value inside objects of these names.
fn nested(path: &[&str], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |inner, name| {
        let mut object = Map::new();
        object.insert((*name).to_owned(), inner);
        Value::Object(object)
    })
}

/// Puts a member behind the last one of an object that stands `depth` levels deep.
fn insert(
    text: &str,
    scanner: &Scanner<'_>,
    object: &Object,
    style: &Style,
    depth: usize,
    name: &str,
    value: &Value,
) -> String {
    let key = Value::String(name.to_owned());
    let Some(last) = object.members.last() else {
        // Comments in an otherwise empty object stay above the new member.
        let inside = text[object.open + 1..object.close].trim_end();
        let member = format!(
            "{inside}{end}{indent}{key}: {value}{end}{outdent}",
            end = style.line_end,
            indent = style.unit.repeat(depth + 1),
            outdent = style.unit.repeat(depth),
            value = style.rendered(value, depth + 1),
        );
        return spliced(text, &[(object.open + 1..object.close, member)]);
    };
    let line_start = text[..last.key_start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &text[line_start..last.key_start];
    if !indent.chars().all(char::is_whitespace) || !text[object.open..last.key_start].contains('\n') {
        // Members share a line: so does the new one.
        let at = object.trailing_comma.map_or(last.value.end, |comma| comma + 1);
        let comma = if object.trailing_comma.is_some() { " " } else { ", " };
        return spliced(text, &[(at..at, format!("{comma}{key}: {value}"))]);
    }
    // A remark behind the last member on its line belongs to that member.
    let behind = object.trailing_comma.map_or(last.value.end, |comma| comma + 1);
    let at = scanner.behind_remarks(behind);
    let inner_depth = if style.unit.is_empty() { depth + 1 } else { indent.len() / style.unit.len().max(1) };
    let rendered = style.rendered(value, inner_depth);
    let end = style.line_end;
    let tail = if object.trailing_comma.is_some() { "," } else { "" };
    let member = format!("{end}{indent}{key}: {rendered}{tail}");
    let mut edits = Vec::new();
    if object.trailing_comma.is_none() {
        edits.push((last.value.end..last.value.end, ",".to_owned()));
    }
    edits.push((at..at, member));
    spliced(text, &edits)
}

/// The text with stretches replaced; the edits are in order and do not overlap.
fn spliced(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut out = String::with_capacity(text.len() + 256);
    let mut position = 0;
    for (range, replacement) in edits {
        out.push_str(&text[position..range.start]);
        out.push_str(replacement);
        position = range.end;
    }
    out.push_str(&text[position..]);
    out
}

/// How the file is laid out.
struct Style {
    unit: String,
    line_end: &'static str,
}

impl Style {
    fn of(text: &str, root: &Object) -> Self {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let unit = root.members.first().and_then(|first| {
            let line_start = text[..first.key_start].rfind('\n')? + 1;
            let indent = &text[line_start..first.key_start];
            (!indent.is_empty() && indent.chars().all(char::is_whitespace)).then(|| indent.to_owned())
        });
        Self { unit: unit.unwrap_or_else(|| "  ".to_owned()), line_end }
    }

    /// A value as it stands `depth` levels deep; lists of plain values stay on one line.
    fn rendered(&self, value: &Value, depth: usize) -> String {
        if !matches!(value, Value::Object(_)) {
            return value.to_string().replace("\",\"", "\", \"");
        }
        let mut bytes = Vec::new();
        let mut serializer = Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(self.unit.as_bytes()));
        // Writing a value into memory cannot fail, and serde_json writes UTF-8.
        let written = value.serialize(&mut serializer).is_ok();
        let pretty = String::from_utf8(bytes).ok().filter(|_| written).unwrap_or_else(|| value.to_string());
        let line_break = format!("{}{}", self.line_end, self.unit.repeat(depth));
        pretty.replace('\n', &line_break)
    }
}

/// One member of an object.
struct Member {
    name: String,
    key_start: usize,
    value: Range<usize>,
}

/// Where an object and its members stand.
struct Object {
    open: usize,
    close: usize,
    members: Vec<Member>,
    trailing_comma: Option<usize>,
}

/// Reads positions.
struct Scanner<'a> {
    text: &'a str,
}

impl Scanner<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn complain(&self, at: usize, what: &str) -> String {
        let line = self.text.as_bytes()[..at.min(self.text.len())].iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("line {line}: {what}")
    }

    /// Past white space and comments.
    fn skip(&self, mut at: usize) -> Result<usize, String> {
        loop {
            match self.byte(at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
                Some(b'/') => at = self.comment(at)?,
                _ => return Ok(at),
            }
        }
    }

    /// Past the comment that begins here. A line comment ends before its line feed.
    fn comment(&self, at: usize) -> Result<usize, String> {
        match self.byte(at + 1) {
            Some(b'/') => Ok(self.text[at..].find('\n').map_or(self.text.len(), |length| at + length)),
            Some(b'*') => match self.text[at + 2..].find("*/") {
                Some(length) => Ok(at + 2 + length + 2),
                None => Err(self.complain(at, "a comment does not end")),
            },
            _ => Err(self.complain(at, "a stray /")),
        }
    }

    /// Past what is remarked on the same line.
    fn behind_remarks(&self, start: usize) -> usize {
        let mut end = start;
        let mut at = start;
        loop {
            match self.byte(at) {
                Some(b' ' | b'\t') => at += 1,
                Some(b'/') => match self.comment(at) {
                    Ok(after) if !self.text[at..after].contains('\n') => {
                        // The carriage return of a line's end is no part of the remark.
                        end = at + self.text[at..after].trim_end_matches('\r').len();
                        at = after;
                    }
                    _ => return end,
                },
                _ => return end,
            }
        }
    }

    fn string(&self, start: usize) -> Result<usize, String> {
        let mut at = start + 1;
        loop {
            match self.byte(at) {
                Some(b'"') => return Ok(at + 1),
                Some(b'\\') => at += 2,
                Some(b'\n') | None => return Err(self.complain(start, "a text does not end")),
                Some(_) => at += 1,
            }
        }
    }

    /// The end of the value that begins here.
    fn value(&self, start: usize, depth: usize) -> Result<usize, String> {
        match self.byte(start) {
            Some(b'"') => self.string(start),
            Some(b'{') => Ok(self.object(start, depth)?.close + 1),
            Some(b'[') => self.list(start, depth),
            Some(byte) if byte.is_ascii_alphanumeric() || byte == b'-' => {
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
                Ok(start + self.text.as_bytes()[start..].iter().take_while(|byte| is_part(byte)).count())
            }
            _ => Err(self.complain(start, "a value is missing")),
        }
    }

    fn list(&self, start: usize, depth: usize) -> Result<usize, String> {
        if depth >= DEEPEST {
            return Err(self.complain(start, "too deep"));
        }
        let mut at = self.skip(start + 1)?;
        while self.byte(at) != Some(b']') {
            at = self.skip(self.value(at, depth + 1)?)?;
            match self.byte(at) {
                Some(b',') => at = self.skip(at + 1)?,
                Some(b']') => {}
                _ => return Err(self.complain(at, "a list does not go on with , or ]")),
            }
        }
        Ok(at + 1)
    }

    fn object(&self, open: usize, depth: usize) -> Result<Object, String> {
        if self.byte(open) != Some(b'{') {
            return Err(self.complain(open, "an object should begin here"));
        }
        if depth >= DEEPEST {
            return Err(self.complain(open, "too deep"));
        }
        let mut members = Vec::new();
        let mut trailing_comma = None;
        let mut at = self.skip(open + 1)?;
        while self.byte(at) != Some(b'}') {
            let key_start = at;
            if self.byte(at) != Some(b'"') {
                return Err(self.complain(at, "a name in double quotes should stand here"));
            }
            let key_end = self.string(at)?;
            let name = serde_json::from_str(&self.text[key_start..key_end])
                .map_err(|error| self.complain(key_start, &error.to_string()))?;
            at = self.skip(key_end)?;
            if self.byte(at) != Some(b':') {
                return Err(self.complain(at, "a : is missing"));
            }
            let value_start = self.skip(at + 1)?;
            let value_end = self.value(value_start, depth + 1)?;
            members.push(Member { name, key_start, value: value_start..value_end });
            at = self.skip(value_end)?;
            trailing_comma = None;
            match self.byte(at) {
                Some(b',') => {
                    trailing_comma = Some(at);
                    at = self.skip(at + 1)?;
                }
                Some(b'}') => {}
                _ => return Err(self.complain(at, "an object does not go on with , or }")),
            }
        }
        Ok(Object { open, close: at, members, trailing_comma })
    }
}

/// The text as strict JSON of the same length: comments and trailing commas become spaces, so that
/// positions in complaints are right.
fn strict(text: &str) -> Result<String, String> {
    let scanner = Scanner { text };
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    let mut comma = None;
    if text.starts_with('\u{FEFF}') {
        bytes[..3].fill(b' ');
        at = 3;
    }
    while let Some(byte) = scanner.byte(at) {
        match byte {
            b'"' => {
                comma = None;
                at = scanner.string(at)?;
            }
            b'/' => {
                let end = scanner.comment(at)?;
                bytes[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
                at = end;
            }
            b',' => {
                comma = Some(at);
                at += 1;
            }
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
                at += 1;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                comma = None;
                at += 1;
            }
        }
    }
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_member_is_added_in_the_files_own_hand() {
        for (before, after) in [
            ("", "{\n  \"s\": {\n    \"b\": 1\n  }\n}\n"),
            ("// mine\n", "// mine\n{\n  \"s\": {\n    \"b\": 1\n  }\n}\n"),
            ("{}", "{\n  \"s\": {\n    \"b\": 1\n  }\n}"),
            ("{\"z\":1,\"a\":2}", "{\"z\":1,\"a\":2, \"s\": {\"b\":1}}"),
            ("{\n\t\"z\": 1 // last\n}\n", "{\n\t\"z\": 1, // last\n\t\"s\": {\n\t\t\"b\": 1\n\t}\n}\n"),
            (
                "{\r\n    \"z\": 1,\r\n}\r\n",
                "{\r\n    \"z\": 1,\r\n    \"s\": {\r\n        \"b\": 1\r\n    },\r\n}\r\n",
            ),
            ("{\n  \"s\": {\n    // none yet\n  }\n}", "{\n  \"s\": {\n    // none yet\n    \"b\": 1\n  }\n}"),
            (
                "{\n  \"s\": {\n    \"a\": {}\n  },\n  \"t\": [1,]\n}",
                "{\n  \"s\": {\n    \"a\": {},\n    \"b\": 1\n  },\n  \"t\": [1,]\n}",
            ),
            ("{\"s\": {\"b\": /* old */ 2}}", "{\"s\": {\"b\": /* old */ 1}}"),
            ("\u{FEFF}{\"s\":{\"b\":1}}", "\u{FEFF}{\"s\":{\"b\":1}}"),
        ] {
            let set = set(before, &["s", "b"], &json!(1)).unwrap();
            assert_eq!(set, after, "{before:?}");
            assert_eq!(read(&set).unwrap()["s"]["b"], 1);
        }
    }

    #[test]
    fn what_is_broken_is_named_with_its_line() {
        for (text, says) in [
            ("{\n\"a\" 1}", "line 2"),
            ("{\n\n\"a: 1}", "line 3"),
            ("{\"a\": /* }", "a comment does not end"),
            ("{\"a\": }", "a value is missing"),
            ("{a: 1}", "double quotes"),
        ] {
            let error = set(text, &["s"], &json!(1)).unwrap_err();
            assert!(error.contains(says), "{text:?}: {error}");
            assert!(read(text).is_err(), "{text:?}");
        }
        assert!(set("{\"s\": 3}", &["s", "b"], &json!(1)).unwrap_err().contains("not an object"));
        assert!(set(&"{\"a\":".repeat(5000), &["s"], &json!(1)).unwrap_err().contains("too deep"));
        assert!(read("[]").is_err());
    }

    /// JSON values whose numbers survive being read and written.
    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-z/\"{}, ]{0,6}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect()))
            ]
        })
    }

    proptest! {
        #[test]
        fn setting_changes_that_value_alone_and_twice_is_once(
            members in prop::collection::btree_map("[a-z/\"{}, ]{0,6}", any_json(), 0..6),
            pretty in any::<bool>(),
        ) {
            let mut object: Map<String, Value> = members.into_iter().collect();
            object.remove("servers");
            let text = if pretty { serde_json::to_string_pretty(&object) } else { serde_json::to_string(&object) }.unwrap();
            let once = set(&text, &["servers", "one"], &json!(["x"])).unwrap();
            let mut now = read(&once).unwrap();
            prop_assert_eq!(now.remove("servers"), Some(json!({ "one": ["x"] })));
            prop_assert_eq!(now, object);
            prop_assert_eq!(set(&once, &["servers", "one"], &json!(["x"])).unwrap(), once);
        }

        #[test]
        fn no_text_breaks_the_reader(text in any::<String>(), noise in "[{}\\[\\]\",:/*\\\\ a1\\n]{0,40}") {
            for text in [text, noise] {
                let _ = read(&text);
                let _ = set(&text, &["a", "b"], &json!(1));
            }
        }
    }
}
