//! Lines, counted in one way everywhere: `\n`, `\r\n` and a lone `\r` each end a line.

use std::ops::Range;

/// The lines of a text in order, as byte ranges that include their terminators, so that they tile
/// the text. An empty text has no lines; a text that ends in a terminator has none after it.
pub fn lines(text: &str) -> Lines<'_> {
    Lines { text, start: 0 }
}

/// See [`lines`].
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    text: &'a str,
    start: usize,
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.start >= self.text.len() {
            return None;
        }
        let start = self.start;
        let end = line_end(self.text.as_bytes(), start, self.text.len());
        self.start = end;
        Some(start..end)
    }
}

/// Where the line that holds `start` ends (behind its terminator), looking no further than `limit`.
pub(crate) fn line_end(bytes: &[u8], start: usize, limit: usize) -> usize {
    match bytes[start..limit].iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        None => limit,
        Some(at) => {
            let terminator = start + at;
            if bytes[terminator] == b'\r' && terminator + 1 < limit && bytes[terminator + 1] == b'\n' {
                terminator + 2
            } else {
                terminator + 1
            }
        }
    }
}

/// How many lines end inside a stretch of the text: the difference of the line numbers of its ends.
pub(crate) fn line_ends(text: &str, stretch: Range<usize>) -> u32 {
    let bytes = text.as_bytes();
    let mut count = 0_u32;
    for at in stretch {
        let ends = match bytes[at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        count = count.saturating_add(u32::from(ends));
    }
    count
}

/// A line without its terminator.
pub(crate) fn bare(line: &str) -> &str {
    line.trim_end_matches(['\n', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_terminator_ends_one_line() {
        let text = "a\nb\r\nc\rd\n\r\n\re";
        let found: Vec<&str> = lines(text).map(|range| &text[range]).collect();
        assert_eq!(found, ["a\n", "b\r\n", "c\r", "d\n", "\r\n", "\r", "e"]);
        assert_eq!(line_ends(text, 0..text.len()), 6);
        assert_eq!(lines("").count(), 0);
        assert_eq!(lines("a\n").count(), 1);
    }
}
