//! Tokens: the words of a text as the index and the query both see them.
//!
//! Word borders are those of UAX 29 for scripts that put spaces between words, cut further: a full
//! stop or hyphen always separates, so that every part of `1.0.21`, `a-b` or `grammar::fa` can be
//! found (the query keeps the joined form as a literal). An identifier gives itself and its parts.
//! Scripts without spaces give overlapping bigrams of graphemes and each grapheme by itself.
//!
//! Positions count words, so that phrases can be matched: an identifier stands where its first
//! part stands, a bigram where its first grapheme stands.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::character::{CharacterClass, classify};
use crate::fold::fold_cow;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenKind {
    /// A whole word or a whole identifier.
    Word,
    /// A part of the identifier that came before it.
    Part,
    /// Two neighbouring graphemes of a script without spaces, or a single one that stands alone.
    Bigram,
    /// One grapheme of a longer run that is covered by bigrams already.
    Character,
    /// A run of digits.
    Number,
    /// An emoji or another pictograph.
    Picture,
}

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'a> {
    /// The folded text; never empty.
    pub text: Cow<'a, str>,
    /// Where it stands in the source text, in bytes.
    pub range: Range<usize>,
    /// What it is.
    pub kind: TokenKind,
    /// The word position, from 0.
    pub position: u32,
    /// Whether the word is, or belongs to, an identifier with parts or a name like `C++`.
    pub identifier: bool,
}

/// Longer runs are data (base64, keys). Only this many bytes of a run or part become a term.
const LONGEST_TERM_BYTES: usize = 128;

/// A run with more parts is a hash or an encoded blob: parts of one or two characters that nobody
/// searches for would swell the index.
const MOST_PARTS: usize = 16;

/// The tokens of a text, in order.
pub fn tokens(text: &str) -> Tokens<'_> {
    Tokens::new(text, true)
}

/// See [`tokens`].
#[derive(Debug, Clone)]
pub struct Tokens<'a> {
    text: &'a str,
    offset: usize,
    position: u32,
    /// Whether an apostrophe between letters joins them; in code it is a quotation mark.
    apostrophes: bool,
    pending: VecDeque<Token<'a>>,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str, apostrophes: bool) -> Self {
        Self { text, offset: 0, position: 0, apostrophes, pending: VecDeque::new() }
    }

    fn class_at(&self, offset: usize) -> Option<(CharacterClass, usize)> {
        let byte = *self.text.as_bytes().get(offset)?;
        if byte < 0x80 {
            let word = byte.is_ascii_alphanumeric() || byte == b'_';
            return Some((if word { CharacterClass::Word } else { CharacterClass::Other }, 1));
        }
        let character = self.text[offset..].chars().next()?;
        Some((classify(character), character.len_utf8()))
    }

    /// The end of the run of one class that starts at `start`; invisible characters do not end it.
    fn run_end(&self, start: usize, class: CharacterClass) -> usize {
        let mut end = start;
        let mut at = start;
        while let Some((found, width)) = self.class_at(at) {
            if found == class {
                end = at + width;
            } else if found != CharacterClass::Invisible {
                let apostrophe = self.apostrophes && class == CharacterClass::Word && end == at;
                let joins = apostrophe
                    && apostrophe_at(self.text, at)
                    && matches!(self.class_at(at + width), Some((CharacterClass::Word, _)));
                if !joins {
                    break;
                }
            }
            at += width;
        }
        end
    }

    fn read_word(&mut self, start: usize) -> Option<Token<'a>> {
        let run_end = self.run_end(start, CharacterClass::Word);
        self.offset = run_end;
        let (end, split_at_apostrophe) =
            if self.apostrophes { word_end(self.text, start, run_end) } else { (run_end, true) };
        let run = &self.text[start..end];
        if is_plain(run.as_bytes()) && !matches!(self.text.as_bytes().get(run_end), Some(b'+' | b'#')) {
            let position = self.advance(1);
            let kind = if run.as_bytes()[0].is_ascii_digit() { TokenKind::Number } else { TokenKind::Word };
            return Some(Token { text: fold_cow(clip(run)), range: start..end, kind, position, identifier: false });
        }
        let sigil = name_sigil(self.text, start, run_end);
        let parts = if is_data(run) { Vec::new() } else { parts(run, split_at_apostrophe) };
        let whole_only = parts.len() == 1 && parts[0] == (0..run.len()) || parts.len() > MOST_PARTS || parts.is_empty();
        let position = self.advance(if whole_only { 1 } else { parts.len() });
        let whole_end = if sigil > 0 { run_end + sigil } else { end };
        self.offset = self.offset.max(whole_end);
        let whole = fold_word(clip(&self.text[start..whole_end]));
        let identifier = !whole_only || sigil > 0;
        if sigil > 0 {
            self.push(fold_word(clip(run)), start..end, TokenKind::Part, position, true);
        } else if !whole_only {
            for (index, part) in parts.into_iter().enumerate() {
                let text = fold_word(clip(&run[part.clone()]));
                let place = position.saturating_add(u32::try_from(index).unwrap_or(u32::MAX));
                self.push(text, start + part.start..start + part.end, TokenKind::Part, place, true);
            }
        }
        if whole.is_empty() {
            return self.pending.pop_front();
        }
        let number = run.chars().all(char::is_numeric);
        let kind = if number && sigil == 0 { TokenKind::Number } else { TokenKind::Word };
        Some(Token { text: whole, range: start..whole_end, kind, position, identifier })
    }

    fn read_dense(&mut self, start: usize) -> Option<Token<'a>> {
        let end = self.run_end(start, CharacterClass::Dense);
        self.offset = end;
        let run = &self.text[start..end];
        // The run is unbounded (a book may have no space), so it is worked through in stretches
        // that overlap by one grapheme; each stretch leaves its last grapheme to the next.
        let mut graphemes = run.grapheme_indices(true);
        let mut window: Vec<Range<usize>> = Vec::with_capacity(DENSE_STRETCH + 1);
        for (at, grapheme) in graphemes.by_ref() {
            window.push(start + at..start + at + grapheme.len());
            if window.len() > DENSE_STRETCH {
                break;
            }
        }
        let more = window.len() > DENSE_STRETCH;
        if more {
            self.offset = window[DENSE_STRETCH].start;
        }
        let alone = window.len() == 1 && !self.follows_dense(start);
        let count = if more { DENSE_STRETCH } else { window.len() };
        let first = self.advance(count);
        for index in 0..count {
            let place = first.saturating_add(u32::try_from(index).unwrap_or(u32::MAX));
            let one = window[index].clone();
            if let Some(next) = window.get(index + 1) {
                let pair = one.start..next.end;
                self.push(fold_cow(&self.text[pair.clone()]), pair, TokenKind::Bigram, place, false);
            }
            let kind = if alone { TokenKind::Bigram } else { TokenKind::Character };
            self.push(fold_cow(clip(&self.text[one.clone()])), one, kind, place, false);
        }
        self.pending.pop_front()
    }

    fn follows_dense(&self, start: usize) -> bool {
        self.text[..start].chars().next_back().is_some_and(|before| classify(before) == CharacterClass::Dense)
    }

    fn push(&mut self, text: Cow<'a, str>, range: Range<usize>, kind: TokenKind, position: u32, identifier: bool) {
        if !text.is_empty() {
            self.pending.push_back(Token { text, range, kind, position, identifier });
        }
    }

    fn advance(&mut self, words: usize) -> u32 {
        let position = self.position;
        self.position = position.saturating_add(u32::try_from(words).unwrap_or(u32::MAX));
        position
    }
}

/// How many graphemes of a run without spaces are read ahead at a time.
const DENSE_STRETCH: usize = 256;

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if let Some(token) = self.pending.pop_front() {
            return Some(token);
        }
        while let Some((class, width)) = self.class_at(self.offset) {
            let start = self.offset;
            let found = match class {
                CharacterClass::Word => self.read_word(start),
                CharacterClass::Dense => self.read_dense(start),
                CharacterClass::Picture => {
                    let grapheme = self.text[start..].graphemes(true).next().unwrap_or_default();
                    self.offset = start + grapheme.len().max(width);
                    let text = fold_cow(clip(grapheme));
                    let position = self.advance(1);
                    let kind = TokenKind::Picture;
                    (!text.is_empty()).then_some(Token {
                        text,
                        range: start..self.offset,
                        kind,
                        position,
                        identifier: false,
                    })
                }
                CharacterClass::Invisible | CharacterClass::Other => {
                    self.offset = start + width;
                    None
                }
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// Whether a run is one ordinary word or number: no part of it could be searched for by itself.
fn is_plain(run: &[u8]) -> bool {
    let Some((first, rest)) = run.split_first() else { return false };
    if first.is_ascii_digit() {
        return rest.iter().all(u8::is_ascii_digit);
    }
    first.is_ascii_alphabetic() && rest.iter().all(u8::is_ascii_lowercase)
}

fn apostrophe_at(text: &str, at: usize) -> bool {
    text[at..].starts_with(['\'', '’', '\u{02BC}'])
}

/// Takes English endings behind an apostrophe off a word. Gives where the word ends and whether
/// what stands around a remaining apostrophe is worth finding by itself (`l'homme`, not `don't`).
fn word_end(text: &str, start: usize, end: usize) -> (usize, bool) {
    let run = &text[start..end];
    let Some(at) = run.rfind(['\'', '’', '\u{02BC}']) else { return (end, true) };
    let tail = run[at..].trim_start_matches(['\'', '’', '\u{02BC}']);
    match tail {
        "s" | "S" | "ll" | "re" | "ve" | "d" | "m" => (start + at, true),
        "t" | "T" => (end, false),
        _ => (end, true),
    }
}

/// The length of a `++` or `#` that belongs to a short name (`C++`, `F#`), else 0.
fn name_sigil(text: &str, start: usize, end: usize) -> usize {
    if end - start > 3 {
        return 0;
    }
    let rest = &text[end..];
    let sigil = if rest.starts_with("++") {
        2
    } else if rest.starts_with('#') {
        1
    } else {
        return 0;
    };
    let goes_on =
        rest[sigil..].starts_with(|next: char| next == '+' || next == '#' || next == '_' || next.is_alphanumeric());
    if goes_on { 0 } else { sigil }
}

/// Whether a run is encoded data rather than a name: hexadecimal of the length of a hash, or
/// longer than any name and without separators.
fn is_data(run: &str) -> bool {
    let hexadecimal = run.len() >= 16
        && run.bytes().all(|byte| byte.is_ascii_hexdigit())
        && run.bytes().any(|byte| byte.is_ascii_digit());
    hexadecimal || (run.len() > LONGEST_TERM_BYTES && !run.contains('_'))
}

/// The word folded, without apostrophes.
fn fold_word(run: &str) -> Cow<'_, str> {
    if run.contains(['\'', '’', '\u{02BC}']) {
        let joined: String = run.chars().filter(|character| !matches!(character, '\'' | '’' | '\u{02BC}')).collect();
        return Cow::Owned(fold_cow(&joined).into_owned());
    }
    fold_cow(run)
}

/// At most [`LONGEST_TERM_BYTES`] of a run, cut on a character border.
fn clip(run: &str) -> &str {
    &run[..run.floor_char_boundary(LONGEST_TERM_BYTES)]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Lower,
    Upper,
    Digit,
    Separator,
}

/// The parts of an identifier, as byte ranges of the run: cut at underscores (and apostrophes),
/// before a capital that follows a small letter, before the last capital of a run that a small
/// letter follows (`HTTPServer`), and between letters and digits. Stops after one part too many.
fn parts(run: &str, split_at_apostrophe: bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start: Option<usize> = None;
    let mut before = Shape::Separator;
    let mut before_start = 0;
    let mut capitals = 0_u32;
    for (at, character) in run.char_indices() {
        let shape = match character {
            '_' => Shape::Separator,
            '\'' | '’' | '\u{02BC}' if split_at_apostrophe => Shape::Separator,
            'a'..='z' => Shape::Lower,
            'A'..='Z' => Shape::Upper,
            '0'..='9' => Shape::Digit,
            _ if character.is_ascii() => before,
            _ if character.is_uppercase() => Shape::Upper,
            _ if character.is_numeric() => Shape::Digit,
            _ if character.is_alphabetic() => Shape::Lower,
            _ if before == Shape::Separator => Shape::Lower,
            _ => before,
        };
        let border = match (before, shape) {
            (Shape::Separator, Shape::Separator) => None,
            (_, Shape::Separator) | (Shape::Separator, _) => Some(at),
            (Shape::Upper, Shape::Lower) if capitals > 1 => Some(before_start),
            (Shape::Upper, Shape::Lower) => None,
            (from, to) => (from != to).then_some(at),
        };
        if let Some(border) = border {
            if let Some(from) = start
                && from < border
            {
                found.push(from..border);
                if found.len() > MOST_PARTS {
                    return found;
                }
            }
            start = (shape != Shape::Separator).then_some(border);
        }
        capitals = if shape == Shape::Upper { capitals + 1 } else { 0 };
        before = shape;
        before_start = at;
    }
    if let Some(from) = start {
        found.push(from..run.len());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        tokens(text).filter(|token| token.kind != TokenKind::Character).map(|token| token.text.into_owned()).collect()
    }

    #[test]
    fn identifiers_give_themselves_and_their_parts() {
        assert_eq!(words("snake_case"), ["snake_case", "snake", "case"]);
        assert_eq!(words("HTTPServer"), ["httpserver", "http", "server"]);
        assert_eq!(words("getURLFor2Users"), ["geturlfor2users", "get", "url", "for", "2", "users"]);
        assert_eq!(words("__init__"), ["__init__", "init"]);
        assert_eq!(words("utf8"), ["utf8", "utf", "8"]);
        assert_eq!(words("plain Words HERE"), ["plain", "words", "here"]);
        assert_eq!(words("ÉcoleNormale"), ["ecolenormale", "ecole", "normale"]);
        assert_eq!(words("C++ and C# or i++;"), ["c++", "c", "and", "c#", "c", "or", "i++", "i"]);
    }

    #[test]
    fn punctuation_separates() {
        assert_eq!(words("1.0.21"), ["1", "0", "21"]);
        assert_eq!(words("a-b .env.local grammar::fa GB/s"), ["a", "b", "env", "local", "grammar", "fa", "gb", "s"]);
        assert_eq!(words("don't John’s l'homme we'll"), ["dont", "john", "lhomme", "l", "homme", "we"]);
    }

    #[test]
    fn scripts_without_spaces_give_bigrams() {
        assert_eq!(words("重跑gen-itgc后50条"), ["重跑", "gen", "itgc", "后", "50", "条"]);
        assert_eq!(words("東京都"), ["東京", "京都"]);
        assert_eq!(words("검색하다"), ["검색", "색하", "하다"]);
        assert_eq!(words("ｶﾞｷﾞ"), ["ガギ"]);
        assert_eq!(words("ภาษา"), ["ภา", "าษ", "ษา"]);
        let characters: Vec<String> = tokens("東京").map(|token| token.text.into_owned()).collect();
        assert_eq!(characters, ["東京", "東", "京"]);
    }

    #[test]
    fn long_runs_without_spaces_lose_no_bigram() {
        let text: String = (0..1000).map(|index| char::from_u32(0x4E00 + index).unwrap_or('一')).collect();
        assert_eq!(tokens(&text).filter(|token| token.kind == TokenKind::Bigram).count(), 999);
        assert_eq!(tokens(&text).filter(|token| token.kind == TokenKind::Character).count(), 1000);
    }

    #[test]
    fn positions_follow_words() {
        let places: Vec<(String, u32)> =
            tokens("see fooBar now").map(|token| (token.text.into_owned(), token.position)).collect();
        let expected = [("see", 0), ("foobar", 1), ("foo", 1), ("bar", 2), ("now", 3)];
        assert_eq!(places, expected.map(|(text, place)| (text.to_owned(), place)));
    }

    #[test]
    fn data_is_one_term() {
        assert_eq!(words("d41d8cd98f00b204e9800998ecf8427e").len(), 1);
        let blob = "aGVsbG8gd29ybGQ5".repeat(1000);
        let found = words(&blob);
        assert_eq!(found.len(), 1);
        assert!(found[0].len() <= LONGEST_TERM_BYTES);
    }
}
