//! A pattern as it was typed, compiled within bounds.

use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Look;

use crate::error::MemoryError;

/// Bytes that a compiled pattern may take: a hundred times what a pattern of a line needs.
const COMPILED_BYTES: usize = 2 * 1024 * 1024;

/// Bytes of states that a search may keep, a thread.
const STATES_BYTES: usize = 8 * 1024 * 1024;

/// Nesting that is read; deeper is no pattern of a person.
const DEEPEST_NESTING: u32 = 64;

/// The longest pattern that is compiled, in bytes; longer ones are taken letter by letter.
const LONGEST_BYTES: usize = 4 * 1024;

/// Something to look for.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    literal: bool,
    block_filter: bool,
}

impl Pattern {
    /// What was typed as a regular expression, `^` and `$` at every line. Case counts where a capital was
    /// typed. The error is a sentence without its end.
    pub(super) fn compile(typed: &str) -> Result<Self, String> {
        if typed.len() > LONGEST_BYTES {
            return Err(format!("a pattern of more than {LONGEST_BYTES} bytes is no regular expression"));
        }
        let insensitive = !has_capital(typed);
        let regex = builder(typed, insensitive).build().map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "as a regular expression it would grow too large".to_owned(),
            _ => "it is no regular expression".to_owned(),
        })?;
        let parsed = ParserBuilder::new()
            .case_insensitive(insensitive)
            .multi_line(true)
            .utf8(false)
            .nest_limit(DEEPEST_NESTING)
            .build()
            .parse(typed);
        // Whether it can be asked of many texts at once, joined by line ends: not where it speaks of the
        // start or end of a whole text.
        let block_filter = parsed.is_ok_and(|hir| {
            let looks = hir.properties().look_set();
            [Look::Start, Look::End, Look::StartCRLF, Look::EndCRLF].into_iter().all(|look| !looks.contains(look))
        });
        Ok(Self { regex, literal: regex::escape(typed) == typed, block_filter })
    }

    /// What was typed, letter by letter.
    ///
    /// # Errors
    /// [`MemoryError::PatternTooLong`].
    pub(super) fn literal(typed: &str) -> Result<Self, MemoryError> {
        let escaped = regex::escape(typed);
        let insensitive = !typed.chars().any(char::is_uppercase);
        let regex = builder(&escaped, insensitive)
            // A text of any length is its own automaton; only its length can be too much.
            .size_limit(COMPILED_BYTES.max(escaped.len().saturating_mul(512)))
            .build()
            .map_err(|_| MemoryError::PatternTooLong { bytes: typed.len() })?;
        Ok(Self { regex, literal: true, block_filter: true })
    }

    /// Whether every character stands for itself.
    pub(super) fn is_literal(&self) -> bool {
        self.literal
    }

    /// Whether any of several texts, each ended by a line feed, may match. False means that none does.
    pub(super) fn may_match_in(&self, block: &[u8]) -> bool {
        !self.block_filter || self.regex.is_match(block)
    }

    /// Whether a text matches.
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        self.regex.is_match(text)
    }

    /// The first match in a text.
    pub(super) fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        self.regex.find(text).map(|found| found.range())
    }
}

fn builder(pattern: &str, insensitive: bool) -> RegexBuilder {
    let mut builder = RegexBuilder::new(pattern);
    builder
        .case_insensitive(insensitive)
        .multi_line(true)
        .size_limit(COMPILED_BYTES)
        .dfa_size_limit(STATES_BYTES)
        .nest_limit(DEEPEST_NESTING);
    builder
}

/// Whether a capital letter was typed that stands for itself: not the `S` of `\S`, nor what a class such
/// as `\p{Greek}` is named.
fn has_capital(pattern: &str) -> bool {
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\\' {
            if character.is_uppercase() {
                return true;
            }
            continue;
        }
        let escaped = characters.next();
        if matches!(escaped, Some('p' | 'P' | 'x' | 'u' | 'U')) {
            if characters.peek() == Some(&'{') {
                characters.by_ref().find(|character| *character == '}');
            } else if matches!(escaped, Some('p' | 'P')) {
                characters.next();
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn only_a_typed_capital_makes_case_count() {
        for without in [r"\S+", r"\p{Greek}x", r"\PLa", r"a\x{4A}b", "abc", r"\W\D"] {
            assert!(!has_capital(without), "{without}");
        }
        for with in ["Abc", r"\S+X", r"\\S", "É", r"\p{Greek}X"] {
            assert!(has_capital(with), "{with}");
        }
        assert!(Pattern::compile("tram").unwrap().is_match(b"TRAM 28"));
        assert!(!Pattern::compile("Tram").unwrap().is_match(b"TRAM 28"));
    }

    #[test]
    fn lines_of_one_text_begin_and_end() {
        let pattern = Pattern::compile("^b$").unwrap();
        assert!(pattern.is_match(b"a\nb\nc"));
        assert!(pattern.may_match_in(b"x\nb\n"));
        assert!(!pattern.may_match_in(b"xb\nbx\n"));
        let whole = Pattern::compile(r"\Ab").unwrap();
        assert!(whole.may_match_in(b"x\nb\n"), "the start of a text is not the start of a block");
        assert!(whole.is_match(b"b") && !whole.is_match(b"a\nb"));
    }

    #[test]
    fn what_is_no_pattern_says_so() {
        for broken in ["foo[", "html(json.data", "\\", "*"] {
            assert!(Pattern::compile(broken).is_err(), "{broken}");
        }
        assert!(Pattern::compile(&"(".repeat(9_000)).is_err());
        assert!(Pattern::compile(r"(\w{900}){900}").unwrap_err().contains("too large"));
        assert!(Pattern::literal("a.b(").unwrap().is_match(b"xA.B(y"));
        assert!(!Pattern::literal("A.b(").unwrap().is_match(b"a.b("));
    }
}
