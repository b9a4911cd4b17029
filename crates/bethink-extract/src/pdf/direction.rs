//! Lines in which text that runs to the left and text that runs to the right meet.
//!
//! pdfium puts the letters of each word into the order of reading, and the words into the order of the
//! line. Words that run against their line (`PDF reader` in Hebrew, a Hebrew phrase in English) so come
//! out last word first. Such a stretch is turned round as a whole here.

/// The direction in which a word runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direction {
    Left,
    Right,
    /// A number, which runs with what is before it.
    Number,
    /// Signs.
    Neither,
}

fn runs_left(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

fn direction(word: &str) -> Direction {
    match word.chars().find(|character| character.is_alphabetic()) {
        Some(character) if runs_left(character) => Direction::Left,
        Some(_) => Direction::Right,
        None if word.contains(char::is_numeric) => Direction::Number,
        None => Direction::Neither,
    }
}

/// The text with every stretch of words that run against their line in the order of reading.
pub(super) fn in_reading_order(text: String) -> String {
    if !text.contains(runs_left) {
        return text;
    }
    text.split('\n').map(line_in_reading_order).collect::<Vec<_>>().join("\n")
}

fn line_in_reading_order(line: &str) -> String {
    if !line.contains(runs_left) {
        return line.to_owned();
    }
    let mut words: Vec<&str> = line.split(' ').collect();
    let directions: Vec<Direction> = words.iter().map(|word| direction(word)).collect();
    let count = |wanted| directions.iter().filter(|direction| **direction == wanted).count();
    // As pdfium takes the direction of a line.
    let against = if count(Direction::Left) >= count(Direction::Right) { Direction::Right } else { Direction::Left };
    let mut start = 0;
    while let Some(offset) = directions[start..].iter().position(|direction| *direction == against) {
        let first = start + offset;
        let mut end = first + 1;
        for (place, direction) in directions.iter().enumerate().skip(end) {
            match direction {
                Direction::Number if against == Direction::Left => {}
                Direction::Number => end = place + 1,
                Direction::Neither => {}
                direction if *direction == against => end = place + 1,
                _ => break,
            }
        }
        words[first..end].reverse();
        start = end;
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_against_their_line_are_turned_round() {
        let cases = [
            ("אחת שתים reader PDF שלוש ארבע", "אחת שתים PDF reader שלוש ארבע"),
            ("an English line with עולם שלום inside", "an English line with שלום עולם inside"),
            ("אחת שתים PDF שלוש 12 34", "אחת שתים PDF שלוש 12 34"),
            ("אחת שתים ,three 2 one שלוש", "אחת שתים one 2 ,three שלוש"),
            ("one two three", "one two three"),
            ("one שתים three", "one שתים three"),
            ("שלום", "שלום"),
            ("a b\nאב PDF", "a b\nאב PDF"),
        ];
        for (set, read) in cases {
            assert_eq!(in_reading_order(set.to_owned()), read, "{set}");
        }
    }
}
