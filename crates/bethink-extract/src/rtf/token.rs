//! The words of RTF: groups, control words, and what stands between them.

/// Longest name of a control word that is told; the standard's longest has 22 letters.
const NAME_LETTERS: usize = 32;

/// What stands next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `{`
    Open,
    /// `}`
    Close,
    /// A control word with its number, if it has one.
    Word(&'a str, Option<i32>),
    /// A control symbol: `\~`, `\*`.
    Symbol(u8),
    /// A byte in a charset's code, written as `\'e9` or as itself.
    Byte(u8),
}

/// Cuts a file into tokens. Never goes back and never fails: what makes no sense is left out.
pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Leaves out the binary data behind `\bin`.
    pub(super) fn leave_out(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.bytes.len());
    }

    fn next_byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    fn control(&mut self) -> Option<Token<'a>> {
        let first = self.bytes.get(self.at).copied()?;
        if !first.is_ascii_alphabetic() {
            self.at += 1;
            return match first {
                b'\'' => Some(Token::Byte(self.hexadecimal()?)),
                // A line end behind a backslash is a paragraph's end.
                b'\r' | b'\n' => Some(Token::Word("par", None)),
                symbol => Some(Token::Symbol(symbol)),
            };
        }
        let rest = &self.bytes[self.at..];
        let letters = rest.iter().take(NAME_LETTERS).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let name = std::str::from_utf8(&rest[..letters]).unwrap_or_default();
        self.at += letters;
        let negative = self.bytes.get(self.at) == Some(&b'-');
        let digits_at = self.at + usize::from(negative);
        let digits = self.bytes[digits_at.min(self.bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit());
        let mut count = 0usize;
        let value = digits.fold(0i32, |value, digit| {
            count += 1;
            value.saturating_mul(10).saturating_add(i32::from(digit - b'0'))
        });
        let number = (count > 0).then_some(if negative { -value } else { value });
        if count > 0 {
            self.at = digits_at + count;
        }
        if self.bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        Some(Token::Word(name, number))
    }

    /// The byte of two hexadecimal digits; what is none counts as zero.
    fn hexadecimal(&mut self) -> Option<u8> {
        let mut value = 0u8;
        for _ in 0..2 {
            let digit = char::from(self.bytes.get(self.at).copied()?).to_digit(16);
            let Some(digit) = digit else { break };
            self.at += 1;
            value = value << 4 | u8::try_from(digit).unwrap_or(0);
        }
        Some(value)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            return match self.next_byte()? {
                b'{' => Some(Token::Open),
                b'}' => Some(Token::Close),
                b'\\' => match self.control() {
                    Some(token) => Some(token),
                    None => continue,
                },
                // Line ends and zeros are the file's own.
                b'\r' | b'\n' | 0 => continue,
                byte => Some(Token::Byte(byte)),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_a_space_or_at_what_is_no_digit() {
        let tokens: Vec<_> = Tokens::new(b"{\\b1 a\\u-10179 ?\\'e9\\~\\par\n}\\").collect();
        use Token::*;
        assert_eq!(
            tokens,
            [
                Open,
                Word("b", Some(1)),
                Byte(b'a'),
                Word("u", Some(-10179)),
                Byte(b'?'),
                Byte(0xE9),
                Symbol(b'~'),
                Word("par", None),
                Close
            ]
        );
    }

    #[test]
    fn numbers_beyond_all_bounds_are_the_largest() {
        let tokens: Vec<_> = Tokens::new(b"\\fs99999999999-\\'z").collect();
        assert_eq!(tokens, [Token::Word("fs", Some(i32::MAX)), Token::Byte(b'-'), Token::Byte(0), Token::Byte(b'z')]);
    }
}
