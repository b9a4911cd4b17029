//! A page's text as it is read, out of the text as it was set.
//!
//! Typesetting leaves traces that no search expects: ligatures as single characters, soft hyphens,
//! words broken at line ends. They are undone here, line by line, so that lines stay lines.

use unicode_normalization::UnicodeNormalization;

use crate::text::without_controls;

/// The page's text, each line ended, without traces of typesetting; empty if the page has no words.
pub(super) fn readable(set: &str) -> String {
    let letters = without_controls(spelled_out(set));
    let mut lines: Vec<&str> = letters.split(['\n', '\r', '\x0C']).map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let mut text = String::with_capacity(letters.len() + 1);
    // What of the next line was moved up to finish a broken word.
    let mut taken = 0;
    let mut blank_lines = 0;
    for (number, line) in lines.iter().enumerate() {
        let line = line[taken..].trim_start_matches(if taken > 0 { ' ' } else { '\0' });
        if line.is_empty() {
            // One empty line parts paragraphs; the emptiness of a page's middle says nothing more. A line
            // that was moved up whole leaves nothing.
            if taken == 0 && !text.is_empty() {
                blank_lines += 1;
            }
            taken = 0;
            continue;
        }
        if blank_lines > 0 {
            text.push('\n');
            blank_lines = 0;
        }
        taken = 0;
        match broken_word(line, lines.get(number + 1)) {
            Some((start, rest)) => {
                text.push_str(start);
                text.push_str(rest);
                taken = rest.len();
            }
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// The text with ligatures and presentation forms as letters, without soft hyphens inside lines.
/// A soft hyphen at a line's end is a hyphen like any other there.
fn spelled_out(set: &str) -> String {
    if set.is_ascii() {
        return set.to_owned();
    }
    let mut letters = String::with_capacity(set.len());
    let mut characters = set.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{ad}' => {
                if matches!(characters.peek(), Some('\n' | '\r')) {
                    letters.push('-');
                }
            }
            // Latin and Armenian ligatures, Hebrew and Arabic presentation forms; the byte-order mark
            // among the last is dropped.
            '\u{feff}' => {}
            '\u{fb00}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}' => letters.extend(character.nfkc()),
            '\u{2028}' | '\u{2029}' | '\u{85}' => letters.push('\n'),
            // The blanks of typesetting, thin and wide, are blanks.
            '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' => letters.push(' '),
            mark => match characters.peek().and_then(|base| under_accent(mark, *base)) {
                Some(letter) => {
                    characters.next();
                    letters.push(letter);
                }
                None => letters.push(mark),
            },
        }
    }
    letters
}

/// The letter that an accent standing by itself makes with the one behind it: TeX's older fonts draw the
/// dots and the u of `ü` one after the other. The accents of ASCII are signs of their own too often.
fn under_accent(mark: char, base: char) -> Option<char> {
    let combining = match mark {
        '\u{b4}' => '\u{301}',
        '\u{2c6}' => '\u{302}',
        '\u{2dc}' => '\u{303}',
        '\u{af}' | '\u{2c9}' => '\u{304}',
        '\u{2d8}' => '\u{306}',
        '\u{2d9}' => '\u{307}',
        '\u{a8}' => '\u{308}',
        '\u{2da}' => '\u{30a}',
        '\u{2dd}' => '\u{30b}',
        '\u{2c7}' => '\u{30c}',
        '\u{b8}' => '\u{327}',
        '\u{2db}' => '\u{328}',
        _ => return None,
    };
    let base = match base {
        '\u{131}' => 'i',
        base => base,
    };
    unicode_normalization::char::compose(base, combining).filter(|letter| letter.is_alphabetic())
}

/// First parts after which a hyphen usually belongs to the word, wherever the line breaks.
const COMPOUND_STARTS: [&str; 34] = [
    "all", "anti", "cross", "co", "double", "ex", "far", "first", "four", "full", "half", "hand", "hard", "high",
    "ill", "large", "left", "long", "low", "mid", "multi", "non", "one", "open", "real", "right", "second", "self",
    "short", "single", "so", "three", "two", "well",
];

/// If the line ends in a broken word: the line without its hyphen, and the rest of the word from the
/// next line. Only lower-case letters on both sides make a broken word; names, numbers and codes keep
/// their hyphens, and of a known compound the rest is moved up behind the hyphen.
fn broken_word<'a>(line: &'a str, next: Option<&&'a str>) -> Option<(&'a str, &'a str)> {
    let start = line.strip_suffix(['-', '\u{2010}'])?;
    let next = next?;
    let fragment_start = start
        .rfind(|character: char| !character.is_alphabetic())
        .map_or(0, |at| at + start[at..].chars().next().map_or(0, char::len_utf8));
    let fragment = &start[fragment_start..];
    let is_lower = |text: &str| text.chars().next_back().is_some_and(char::is_lowercase);
    if fragment.chars().count() < 2
        || !is_lower(fragment)
        || start[..fragment_start].ends_with(['-', '\u{2010}', '/', '_', '@', '.'])
    {
        return None;
    }
    if !next.starts_with(char::is_lowercase) {
        return None;
    }
    let end = next.find(char::is_whitespace).unwrap_or(next.len());
    let rest = &next[..end];
    let letters = rest.find(|character: char| !character.is_alphabetic()).unwrap_or(rest.len());
    // An address or a path that happens to break at its hyphen keeps it.
    if rest[letters..].contains(['/', '@', '_']) || letters < 2 {
        return None;
    }
    let is_compound = COMPOUND_STARTS.contains(&fragment.to_lowercase().as_str()) || rest[letters..].starts_with('-');
    Some((if is_compound { line } else { start }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_the_setter_broke_are_whole_again() {
        let cases = [
            ("an exam-\nple of this\n", "an example\nof this\n"),
            ("a well-\nknown fact", "a well-known\nfact\n"),
            ("pages 10-\n12", "pages 10-\n12\n"),
            ("Smith-\nJones", "Smith-\nJones\n"),
            ("exam-\nple", "example\n"),
            ("exam-\nple,\nthen", "example,\nthen\n"),
            ("state-of-the-\nart", "state-of-the-\nart\n"),
            ("see my-\nsite.org/path", "see my-\nsite.org/path\n"),
            ("eﬃcient oﬀer", "efficient offer\n"),
            ("op\u{ad}tional hy\u{ad}\nphen", "optional hyphen\n"),
            ("a\n\n\n\nb\n\n\n", "a\n\nb\n"),
            ("\n\n  \n", ""),
            ("Über-\nraschung", "Überraschung\n"),
            ("a -\nb", "a -\nb\n"),
            ("M¨uller, ´Ecole, na¨ıve", "Müller, École, naïve\n"),
            ("x ¨ y ´5 `ls` ~user", "x ¨ y ´5 `ls` ~user\n"),
            ("a\u{2009}b", "a b\n"),
        ];
        for (set, read) in cases {
            assert_eq!(readable(set), read, "{set:?}");
        }
    }

    #[test]
    fn reading_a_readable_page_again_changes_nothing_of_its_words() {
        let once = readable("one two-\nthree four\n\nfive ﬁve\n");
        assert_eq!(readable(&once), once);
    }
}
