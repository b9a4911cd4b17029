//! Records of old Excel workbooks, and the strings in them.
//!
//! A record is a number of two bytes, a length of two bytes and a body of at most 8,224 bytes. What is longer goes
//! on in records of number 0x003C. A string of BIFF8 that goes on so begins its next piece with a byte that says
//! anew whether its characters have one byte or two.

use encoding_rs::{Encoding, UTF_16LE, WINDOWS_1252};

/// The number of a record that continues the one before.
pub(super) const CONTINUE: u16 = 0x003C;

/// A record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) number: u16,
    pub(super) body: &'a [u8],
}

impl<'a> Record<'a> {
    /// Two bytes of the body.
    pub(super) fn two(&self, at: usize) -> Option<u16> {
        two(self.body, at)
    }

    pub(super) fn four(&self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(self.body.get(at..at + 4)?.try_into().ok()?))
    }

    pub(super) fn float(&self, at: usize) -> Option<f64> {
        Some(f64::from_le_bytes(self.body.get(at..at + 8)?.try_into().ok()?))
    }

    pub(super) fn from(&self, at: usize) -> &'a [u8] {
        self.body.get(at..).unwrap_or_default()
    }
}

fn two(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// The records from an offset of the stream on.
pub(super) fn records(stream: &[u8], from: usize) -> impl Iterator<Item = Record<'_>> {
    let mut at = from;
    std::iter::from_fn(move || {
        let (number, length) = (two(stream, at)?, usize::from(two(stream, at + 2)?));
        // The last record of a stream that was cut short is taken as far as it goes.
        let end = (at + 4 + length).min(stream.len());
        let body = stream.get(at + 4..end)?;
        at = end;
        Some(Record { number, body })
    })
}

/// How a workbook writes text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writing {
    /// Whether it is of Excel 97 or later, which writes Unicode.
    pub(super) is_unicode: bool,
    /// The charset of older ones.
    pub(super) charset: &'static Encoding,
}

impl Default for Writing {
    fn default() -> Self {
        Self { is_unicode: true, charset: WINDOWS_1252 }
    }
}

impl Writing {
    /// A string behind its length of one byte.
    pub(super) fn short(self, bytes: &[u8]) -> String {
        match bytes.split_first() {
            Some((length, rest)) => self.characters(usize::from(*length), &[rest]),
            None => String::new(),
        }
    }

    /// A string behind its length of two bytes, which may go on in the pieces that follow.
    pub(super) fn long(self, pieces: &[&[u8]]) -> String {
        let Some((first, others)) = pieces.split_first() else { return String::new() };
        let Some(length) = two(first, 0) else { return String::new() };
        let mut rest = vec![&first[2..]];
        rest.extend_from_slice(others);
        self.characters(usize::from(length), &rest)
    }

    /// So many characters, behind the byte that tells their width where it is Unicode.
    pub(super) fn characters(self, length: usize, pieces: &[&[u8]]) -> String {
        if !self.is_unicode {
            let bytes: Vec<u8> = pieces.iter().flat_map(|piece| piece.iter().copied()).take(length).collect();
            return self.charset.decode_without_bom_handling(&bytes).0.into_owned();
        }
        let mut reader = Pieces::new(pieces);
        let Some(flags) = reader.byte() else { return String::new() };
        let skipped = [(8, 2), (4, 4)].iter().filter(|(bit, _)| flags & bit != 0).map(|(_, bytes)| bytes).sum();
        reader.skip(skipped);
        reader.units(length, flags & 1 != 0)
    }
}

/// Reads on from piece to piece.
pub(super) struct Pieces<'a, 'b> {
    pieces: &'b [&'a [u8]],
    piece: usize,
    at: usize,
}

impl<'a, 'b> Pieces<'a, 'b> {
    pub(super) fn new(pieces: &'b [&'a [u8]]) -> Self {
        Self { pieces, piece: 0, at: 0 }
    }

    /// What is left of the piece that is being read, or of the next one that has something.
    fn rest(&mut self) -> Option<&'a [u8]> {
        loop {
            let rest = self.pieces.get(self.piece)?.get(self.at..).unwrap_or_default();
            if !rest.is_empty() {
                return Some(rest);
            }
            self.piece += 1;
            self.at = 0;
        }
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = *self.rest()?.first()?;
        self.at += 1;
        Some(byte)
    }

    fn two(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte()?, self.byte()?]))
    }

    fn four(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes([self.byte()?, self.byte()?, self.byte()?, self.byte()?]))
    }

    fn skip(&mut self, mut bytes: usize) {
        while bytes > 0 {
            let Some(rest) = self.rest() else { return };
            let step = bytes.min(rest.len());
            self.at += step;
            bytes -= step;
        }
    }

    /// So many characters of one byte or two; each further piece says its own width first.
    fn units(&mut self, length: usize, mut wide: bool) -> String {
        let mut text = String::new();
        let mut left = length;
        while left > 0 {
            let begins_piece = self.at >= self.pieces.get(self.piece).map_or(0, |piece| piece.len());
            let Some(rest) = self.rest() else { break };
            let rest = if begins_piece {
                wide = rest[0] & 1 != 0;
                self.at += 1;
                &rest[1..]
            } else {
                rest
            };
            let width = if wide { 2 } else { 1 };
            let count = left.min(rest.len() / width);
            let bytes = &rest[..count * width];
            if wide {
                text.push_str(&UTF_16LE.decode_without_bom_handling(bytes).0);
            } else {
                text.extend(bytes.iter().map(|byte| char::from(*byte)));
            }
            self.at += bytes.len();
            left -= count;
            // Half a character at the end of a piece belongs to nothing.
            if count == 0 {
                if begins_piece && rest.is_empty() {
                    continue;
                }
                self.at += rest.len();
            }
        }
        text
    }

    /// A string of the table of shared ones, with its runs of looks and its readings left out; `None` at the end.
    pub(super) fn shared_string(&mut self) -> Option<String> {
        let length = usize::from(self.two()?);
        let flags = self.byte()?;
        let runs = if flags & 8 != 0 { usize::from(self.two()?) } else { 0 };
        let reading = if flags & 4 != 0 { self.four()? as usize } else { 0 };
        let text = self.units(length, flags & 1 != 0);
        self.skip(runs * 4);
        self.skip(reading);
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_string_goes_on_in_the_next_piece_in_another_width() {
        let first = b"\x03\0\x00abc\x04\0\x08\x01\0de".as_slice();
        let second = b"\x01f\0\xe9\0\xAA\xAA\xAA\xAA\x01\0\0z".as_slice();
        let pieces = [first, second];
        let mut reader = Pieces::new(&pieces);
        let strings: Vec<_> = std::iter::from_fn(|| reader.shared_string()).collect();
        assert_eq!(strings, ["abc", "defé", "z"]);
    }

    #[test]
    fn strings_that_lie_about_their_length_end_with_their_bytes() {
        let writing = Writing::default();
        assert_eq!(writing.short(b"\xFF\x00ab"), "ab");
        assert_eq!(writing.long(&[b"\xFF\xFF\x01a\0b"]), "a");
        assert_eq!(writing.long(&[b"\x01"]), "");
        assert_eq!(writing.short(b""), "");
        let old = Writing { is_unicode: false, charset: encoding_rs::WINDOWS_1251 };
        assert_eq!(old.short(b"\x02\xcf\xd0"), "ПР");
    }

    #[test]
    fn a_record_that_is_cut_short_is_the_last() {
        let bodies: Vec<_> = records(b"\x09\x08\x01\0a\x0a\0\xff\xffbc", 0).map(|record| record.body).collect();
        assert_eq!(bodies, [b"a".as_slice(), b"bc"]);
    }
}
