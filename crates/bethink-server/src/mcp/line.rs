//! Lines from a peer that may send anything, within bounded memory.

use std::io::{self, BufRead};

/// The longest line that is taken, in bytes. Requests are a sentence and a path; a query of the
/// longest that is allowed takes 16 kB, so 1 MiB leaves room for whatever a host adds to it.
pub(crate) const LONGEST_LINE_BYTES: usize = 1 << 20;

/// How much of a line that is too long is kept to find out which request it was.
const KEPT_BYTES: usize = 1024;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line without its line feed; the last one may have lacked it.
    Whole(Vec<u8>),
    /// A line that was read to its end and thrown away but for its beginning.
    TooLong(Vec<u8>),
    /// There are no more.
    End,
}

/// Reads the next line.
///
/// # Errors
/// When the reader fails.
pub(crate) fn next(reader: &mut impl BufRead) -> io::Result<Line> {
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let available = match reader.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok(match (too_long, line.is_empty()) {
                (true, _) => Line::TooLong(line),
                (false, true) => Line::End,
                (false, false) => Line::Whole(line),
            });
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let stretch = &available[..end.unwrap_or(available.len())];
        if !too_long {
            if line.len() + stretch.len() > LONGEST_LINE_BYTES {
                too_long = true;
                let room = KEPT_BYTES.saturating_sub(line.len()).min(stretch.len());
                line.extend_from_slice(&stretch[..room]);
                line.truncate(KEPT_BYTES);
                line.shrink_to_fit();
            } else {
                line.extend_from_slice(stretch);
            }
        }
        let used = stretch.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            return Ok(if too_long { Line::TooLong(line) } else { Line::Whole(line) });
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::BufReader;

    #[test]
    fn lines_come_one_by_one_and_the_last_needs_no_end() {
        let mut reader = BufReader::with_capacity(3, &b"first\n\nlast"[..]);
        assert_eq!(next(&mut reader).unwrap(), Line::Whole(b"first".to_vec()));
        assert_eq!(next(&mut reader).unwrap(), Line::Whole(Vec::new()));
        assert_eq!(next(&mut reader).unwrap(), Line::Whole(b"last".to_vec()));
        assert_eq!(next(&mut reader).unwrap(), Line::End);
    }

    #[test]
    fn a_line_that_is_too_long_costs_no_memory_and_the_next_is_read() {
        let mut text = vec![b'x'; 10 << 20];
        text.extend_from_slice(b"\nnext\n");
        let mut reader = BufReader::new(&text[..]);
        assert_eq!(next(&mut reader).unwrap(), Line::TooLong(vec![b'x'; KEPT_BYTES]));
        assert_eq!(next(&mut reader).unwrap(), Line::Whole(b"next".to_vec()));
        let exact = vec![b'y'; LONGEST_LINE_BYTES];
        assert_eq!(next(&mut BufReader::new(&exact[..])).unwrap(), Line::Whole(exact));
    }
}
