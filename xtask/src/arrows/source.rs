//! A small reading of Rust source: enough to tell code from comments and strings, and what ships
//! from what only tests. It is no parser and need not be: the rules look for single words in code
//! and for statements in strings, and a word in a comment must never count.

use std::ops::Range;

/// A source file, taken apart.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// The code, byte for byte as long as the file, with comments and the insides of strings blanked.
    pub code: String,
    /// The strings with the byte at which each begins.
    pub strings: Vec<(usize, String)>,
    /// Byte ranges that only tests compile.
    tests: Vec<Range<usize>>,
    line_starts: Vec<usize>,
}

impl Source {
    /// Takes a file apart.
    pub fn read(text: &str) -> Self {
        let (code, strings) = separate(text);
        let tests = test_regions(&code);
        let line_starts =
            std::iter::once(0).chain(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
        Self { code, strings, tests, line_starts: line_starts.collect() }
    }

    /// The line of a byte, from 1.
    pub fn line(&self, at: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= at)
    }

    /// Whether a byte ships, rather than being compiled for tests only.
    pub fn ships(&self, at: usize) -> bool {
        !self.tests.iter().any(|range| range.contains(&at))
    }

    /// Where a word stands in shipped code, as a whole identifier or path.
    pub fn words<'a>(&'a self, word: &'a str) -> impl Iterator<Item = usize> + 'a {
        let identifier = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        self.code.match_indices(word).map(|(at, _)| at).filter(move |at| {
            let bytes = self.code.as_bytes();
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            !identifier(before) && !identifier(bytes.get(at + word.len())) && self.ships(*at)
        })
    }
}

/// Splits a file into code with everything else blanked, and its strings.
fn separate(text: &str) -> (String, Vec<(usize, String)>) {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut strings = Vec::new();
    let mut blank = |range: Range<usize>| {
        for byte in &mut code[range] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    };
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"//") {
            let end = rest.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length);
            blank(at..end);
            at = end;
        } else if rest.starts_with(b"/*") {
            let end = at + comment_length(rest);
            blank(at..end);
            at = end;
        } else if let Some((open, close)) = raw_string(rest, at.checked_sub(1).map(|before| bytes[before])) {
            let inside = at + open;
            let length = find(&bytes[inside..], close.as_bytes()).unwrap_or(bytes.len() - inside);
            strings.push((at, text[inside..inside + length].to_owned()));
            blank(inside..inside + length);
            at = (inside + length + close.len()).min(bytes.len());
        } else if rest[0] == b'"' {
            let length = string_length(&rest[1..]);
            strings.push((at, text[at + 1..at + 1 + length].to_owned()));
            blank(at + 1..at + 1 + length);
            at = (at + length + 2).min(bytes.len());
        } else if rest[0] == b'\'' {
            let length = character_length(rest);
            blank(at + 1..at + length);
            at += length;
        } else {
            at += 1;
        }
    }
    // Only whole stretches between ASCII marks were blanked, so what is left is UTF-8 still.
    (String::from_utf8_lossy(&code).into_owned(), strings)
}

/// The length of a block comment; they nest.
fn comment_length(rest: &[u8]) -> usize {
    let mut depth = 0usize;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// The length of a raw string's opening and its closing mark, where one begins here.
fn raw_string(rest: &[u8], before: Option<u8>) -> Option<(usize, String)> {
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return None;
    }
    let prefix = match rest {
        [b'r', ..] => 1,
        [b'b' | b'c', b'r', ..] => 2,
        _ => return None,
    };
    let hashes = rest[prefix..].iter().take_while(|byte| **byte == b'#').count();
    let open = prefix + hashes + 1;
    (rest.get(open - 1) == Some(&b'"')).then(|| (open, format!("\"{}", "#".repeat(hashes))))
}

/// The length of an ordinary string's inside.
fn string_length(inside: &[u8]) -> usize {
    let mut at = 0;
    while at < inside.len() && inside[at] != b'"' {
        at += if inside[at] == b'\\' { 2 } else { 1 };
    }
    at.min(inside.len())
}

/// The length of a character literal with its quotes, or of the quote of a lifetime.
fn character_length(rest: &[u8]) -> usize {
    // The longest literal is `'\u{10FFFF}'`; a lifetime has no closing quote right after one character.
    const LONGEST_LITERAL_BYTES: usize = 12;
    if rest.get(1) == Some(&b'\\') {
        let close = rest.iter().take(LONGEST_LITERAL_BYTES).skip(3).position(|byte| *byte == b'\'');
        return close.map_or(1, |position| position + 4);
    }
    let width = match rest.get(1) {
        None => return 1,
        Some(byte) if *byte < 0x80 => 1,
        Some(byte) if *byte < 0xE0 => 2,
        Some(byte) if *byte < 0xF0 => 3,
        Some(_) => 4,
    };
    if rest.get(1 + width) == Some(&b'\'') { width + 2 } else { 1 }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// The items that stand under an attribute `#[cfg(test)]` or `#[test]`.
fn test_regions(code: &str) -> Vec<Range<usize>> {
    let mut regions = Vec::new();
    let squeezed = ["#[cfg(test)]", "#[cfg(all(test", "#[test]", "#[cfg(any(test"];
    for mark in squeezed {
        for (start, _) in code.match_indices(mark) {
            let bytes = code.as_bytes();
            let mut depth = 0usize;
            let mut end = bytes.len();
            for (at, byte) in bytes.iter().enumerate().skip(start + mark.len()) {
                match byte {
                    b'{' => depth += 1,
                    // `mod tests;` has no body here; its file is known by its own name.
                    b';' if depth == 0 => {
                        end = at + 1;
                        break;
                    }
                    b'}' => {
                        depth = depth.saturating_sub(1);
                        if depth == 0 {
                            end = at + 1;
                            break;
                        }
                    }
                    _ => {}
                }
            }
            regions.push(start..end);
        }
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_no_code() {
        let source = Source::read(
            "// unsafe\n/* unsafe /* nested unsafe */ unsafe */ let a = \"unsafe \\\" x\"; let b = r#\"un\"safe\"#;\nunsafe {}",
        );
        let found: Vec<usize> = source.words("unsafe").collect();
        assert_eq!(found.len(), 1);
        assert_eq!(source.line(found[0]), 3);
        let strings: Vec<&str> = source.strings.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(strings, ["unsafe \\\" x", "un\"safe"]);
    }

    #[test]
    fn lifetimes_and_characters_do_not_open_strings() {
        let source = Source::read(
            "fn f<'a>(x: &'a str) -> char { let q = '\"'; let e = '\\''; let u = '\\u{1F600}'; let g = '中'; q } \"s\"",
        );
        assert_eq!(source.strings.len(), 1, "{:?}", source.strings);
        assert_eq!(source.strings[0].1, "s");
    }

    #[test]
    fn a_name_that_ends_in_r_before_a_string_is_no_raw_string() {
        let source = Source::read(r##"for"x\"y"; br"raw\"; "after""##);
        let strings: Vec<&str> = source.strings.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(strings, ["x\\\"y", "raw\\", "after"]);
    }

    #[test]
    fn test_modules_do_not_ship() {
        let source = Source::read("fn a() { b(); }\n#[cfg(test)]\nmod tests { fn c() { b(); { } } }\nfn d() { b(); }");
        let lines: Vec<usize> = source.words("b").map(|at| source.line(at)).collect();
        assert_eq!(lines, [1, 4]);
    }

    #[test]
    fn words_are_whole() {
        let source = Source::read("unsafe_code; my_unsafe; unsafe fn x() {}");
        assert_eq!(source.words("unsafe").count(), 1);
    }

    #[test]
    fn broken_source_ends() {
        for broken in
            ["\"never closed", "/* never closed", "r#\"never closed", "'", "'\\", "b'", "#[cfg(test)] mod x {", "\"\\"]
        {
            let source = Source::read(broken);
            assert_eq!(source.code.len(), broken.len(), "{broken}");
        }
    }
}
